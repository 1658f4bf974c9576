// SPDX-License-Identifier: MIT
#include "method/body_parts.h"

#include "volume/bridge_count.h"

supTetsDef supBodyParts_TetsDef( const supBodyParts* parts, const supFleshInput* input )
{
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = parts->surface.vertexCount;
	def.positions = parts->surface.positions;
	def.triangleCount = parts->surface.triangleCount;
	def.indices = parts->surface.indices;
	def.cover = SUP_SKIN_COVER;
	def.tasks = input->tasks;
	return def;
}

bool supBodyParts_FindSoftness( supBodyParts* parts, const supFleshInput* input, supError* error )
{
	supSoftnessDef def = { .character = input->character,
						   .surface = &parts->surface,
						   .bones = &parts->bones,
						   .regions = input->def->softRegions,
						   .regionCount = input->def->softRegionCount,
						   .resolution = SUP_SOFTNESS_RESOLUTION,
						   .tasks = input->tasks };
	return supSoftness_Init( &parts->softness, &def, error );
}

bool supBodyParts_FindBridges( supBodyParts* parts, const supFleshInput* input, supError* error )
{
	parts->bridges = supAllocArray( (size_t)parts->tets.tetCount, 1 );
	return parts->bridges != NULL ? supMarkTetBridges( input->character, &parts->surface, &parts->bones, &parts->tets,
													   input->tasks, parts->bridges, error )
								  : supSetMemoryError( error );
}

void supBodyParts_Destroy( supBodyParts* parts )
{
	supRestSurface_Destroy( &parts->surface );
	supBones_Destroy( &parts->bones );
	supTets_Destroy( &parts->tets );
	supSoftness_Destroy( &parts->softness );
	supFree( parts->bridges );
}
