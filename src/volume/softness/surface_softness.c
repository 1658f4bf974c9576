// SPDX-License-Identifier: MIT
// How soft the skin is, for painting and for pictures.
#include "volume/softness/softness.h"

bool supComputeSoftness( const supCharacter* character, const supSoftRegion* regions, int32_t regionCount,
						 const supTasks* tasks, float* const* values, supError* error )
{
	supError own = { 0 };
	error = error != NULL ? error : &own;
	supRestSurface surface = { 0 };
	supBones bones = { 0 };
	supSoftness softness = { 0 };
	supSoftnessDef def = { .character = character,
						   .surface = &surface,
						   .bones = &bones,
						   .regions = regions,
						   .regionCount = regionCount,
						   .resolution = SUP_SOFTNESS_RESOLUTION,
						   .tasks = tasks };
	bool ok = supRestSurface_Init( &surface, character, tasks, error ) &&
			  supBones_InitCharacter( &bones, character, error ) && supSoftness_Init( &softness, &def, error );
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		if ( values[i] != NULL )
		{
			int32_t first = surface.vertexStarts[i];
			supSoftness_SampleMany( &softness, surface.positions + first, surface.vertexStarts[i + 1] - first,
									values[i], NULL, tasks );
		}
	}
	supSoftness_Destroy( &softness );
	supBones_Destroy( &bones );
	supRestSurface_Destroy( &surface );
	return ok;
}
