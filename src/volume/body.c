// SPDX-License-Identifier: MIT
#include "volume/body.h"

#include "volume/tissue.h"

static bool InitLayers( supBody* body, const supCharacter* character, const supFleshDef* def, supError* error )
{
	supFleshDef standard = { 0 };
	supLayerSettings settings = { 0 };
	bool ok = supLayerSettings_Init( &settings, def != NULL ? def : &standard, character, &body->bones,
									 body->voxels.size, error ) &&
			  supLayers_Init( &body->layers, &body->voxels, &body->bones, &body->boneVoxels, &settings.def, error );
	supLayerSettings_Destroy( &settings );
	return ok;
}

bool supBody_Init( supBody* body, const supCharacter* character, int32_t resolution, const supFleshDef* def,
				   const supTasks* tasks, supError* error )
{
	supClearError( error );
	bool ok = supRestSurface_Init( &body->surface, character, tasks, error );
	if ( ok )
	{
		const supRestSurface* s = &body->surface;
		supVoxelsDef voxelsDef = { resolution, s->vertexCount, s->positions, s->triangleCount, s->indices, tasks };
		ok = supVoxels_Init( &body->voxels, &voxelsDef, error ) &&
			 supBones_InitCharacter( &body->bones, character, error ) &&
			 supBoneVoxels_Init( &body->boneVoxels, &body->voxels, &body->bones, error ) &&
			 InitLayers( body, character, def, error );
	}
	if ( ok == false )
	{
		supBody_Destroy( body );
	}
	return ok;
}

void supBody_Destroy( supBody* body )
{
	supLayers_Destroy( &body->layers );
	supBoneVoxels_Destroy( &body->boneVoxels );
	supBones_Destroy( &body->bones );
	supVoxels_Destroy( &body->voxels );
	supRestSurface_Destroy( &body->surface );
}
