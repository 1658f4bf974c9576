// SPDX-License-Identifier: MIT
#include "volume/body.h"

static int32_t ToVoxels( const supVoxels* voxels, float metres )
{
	double width = floor( (double)metres / voxels->size + 0.5 );
	return width < SUP_MAX_VOXEL_RESOLUTION ? (int32_t)width : SUP_MAX_VOXEL_RESOLUTION;
}

static int32_t FindBone( const supBones* bones, int32_t node )
{
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->nodes[i] == node )
		{
			return i;
		}
	}
	return -1;
}

static void FillParts( supLayersDef* out, supLayerPart* parts, const supFleshDef* def, const supVoxels* voxels,
					   const supBones* bones )
{
	for ( int32_t i = 0; i < def->layerOverrideCount; ++i )
	{
		const supLayerOverride* override = def->layerOverrides + i;
		int32_t bone = FindBone( bones, override->node );
		if ( bone >= 0 )
		{
			parts[out->partCount++] = ( supLayerPart ){
				.bone = bone,
				.boneWidth = override->boneWidth >= 0.0f ? ToVoxels( voxels, override->boneWidth ) : -1,
				// between bone and skin alone
				.shares = override->shares != NULL ? override->shares + 1 : NULL,
			};
		}
	}
}

bool supMakeLayersDef( supLayersDef* layersDef, supArena* arena, const supFleshDef* def, const supVoxels* voxels,
					   const supBones* bones )
{
	int32_t count = def->layerCount;
	const supLayer* layers = def->layers != NULL ? def->layers : supStandardLayers( &count );
	*layersDef = supDefaultLayersDef();
	layersDef->layerCount = count;
	if ( count < 2 || count > SUP_MAX_LAYERS )
	{
		return true; // refused by supLayers_Init, in words
	}
	float* shares = supArena_AllocArray( arena, (size_t)count, sizeof( float ) );
	supLayerPart* parts = supArena_AllocArray( arena, (size_t)def->layerOverrideCount + 1, sizeof( supLayerPart ) );
	if ( shares == NULL || parts == NULL )
	{
		return false;
	}
	for ( int32_t i = 1; i + 1 < count; ++i )
	{
		shares[i - 1] = layers[i].share;
	}
	layersDef->boneWidth = ToVoxels( voxels, supMaxFloat( def->boneWidth, 0.0f ) );
	layersDef->shares = shares;
	layersDef->parts = parts;
	FillParts( layersDef, parts, def, voxels, bones );
	return true;
}

static bool InitLayers( supBody* body, const supFleshDef* def, supError* error )
{
	supFleshDef standard = { 0 };
	supArena scratch = { 0 };
	supLayersDef layersDef;
	bool ok = supMakeLayersDef( &layersDef, &scratch, def != NULL ? def : &standard, &body->voxels, &body->bones );
	ok = ok ? supLayers_Init( &body->layers, &body->voxels, &body->bones, &body->boneVoxels, &layersDef, error )
			: supSetMemoryError( error );
	supArena_Destroy( &scratch );
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
			 InitLayers( body, def, error );
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
