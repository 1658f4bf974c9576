// SPDX-License-Identifier: MIT
#include "volume/body/body.h"

#include "volume/body/tissue.h"

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

// A slender body (a snake, a rope) has hardly any voxels when they are counted along its length: two across, with no
// room for flesh around a bone. It is divided finer until it fills this part of a cube of the requested resolution,
// which bodies with a trunk do anyway, or until the resolution has grown as many times as this.
#define LEAST_FILL ( 1.0 / 50.0 )
#define MOST_REFINEMENT 4

static bool InitVoxels( supBody* body, int32_t resolution, const supTasks* tasks, supError* error )
{
	const supRestSurface* s = &body->surface;
	double least = LEAST_FILL * resolution * resolution * resolution;
	int32_t most = MOST_REFINEMENT * resolution;
	most = most < SUP_MAX_VOXEL_RESOLUTION ? most : SUP_MAX_VOXEL_RESOLUTION;
	supVoxelsDef def = { resolution, s->vertexCount, s->positions, s->triangleCount, s->indices, tasks };
	bool ok = supVoxels_Init( &body->voxels, &def, error );
	while ( ok && body->voxels.count < least && def.resolution < most )
	{
		int32_t finer = def.resolution + ( def.resolution + 3 ) / 4;
		def.resolution = finer < most ? finer : most;
		supVoxels_Destroy( &body->voxels );
		ok = supVoxels_Init( &body->voxels, &def, error );
	}
	return ok;
}

bool supBody_Init( supBody* body, const supCharacter* character, int32_t resolution, const supFleshDef* def,
				   const supTasks* tasks, supError* error )
{
	supClearError( error );
	bool ok = supRestSurface_Init( &body->surface, character, tasks, error ) &&
			  InitVoxels( body, resolution, tasks, error ) &&
			  supBones_InitCharacter( &body->bones, character, error ) &&
			  supBoneVoxels_Init( &body->boneVoxels, &body->voxels, &body->bones, error ) &&
			  InitLayers( body, character, def, error );
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
