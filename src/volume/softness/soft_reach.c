// SPDX-License-Identifier: MIT
#include "volume/softness/soft_reach.h"

#include "volume/body/bones.h"
#include "volume/softness/bone_space.h"
#include "volume/softness/softness_build.h"

// Of the character's size, where a region does not say how wide its border is.
#define STANDARD_BORDER 0.05f

// How much of a vertex belongs to a node: its weights.
static float WeightOn( const supCharacter* character, int32_t instance, int32_t vertex, int32_t node )
{
	const supInstance* own = supCharacter_Instance( character, instance );
	const supMesh* mesh = supCharacter_Mesh( character, own->mesh );
	if ( own->skin < 0 || mesh->influences == 0 )
	{
		return own->node == node ? 1.0f : 0.0f;
	}
	const supSkin* skin = supCharacter_Skin( character, own->skin );
	float sum = 0.0f;
	for ( int32_t i = 0; i < mesh->influences; ++i )
	{
		size_t slot = (size_t)vertex * (size_t)mesh->influences + (size_t)i;
		sum += skin->joints[mesh->joints[slot]] == node ? mesh->weights[slot] : 0.0f;
	}
	return sum;
}

static bool IsListed( const supSoftRegion* region, int32_t vertex )
{
	for ( int32_t i = 0; i < region->vertexCount; ++i )
	{
		if ( region->vertices[i] == vertex )
		{
			return true;
		}
	}
	return false;
}

// How much of the vertex a region covers, 0 .. 1.
// - region in world space
static float Cover( const supSkeletonSpaces* spaces, const supSoftRegion* region, int32_t instance, int32_t vertex )
{
	const supCharacter* character = spaces->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	supVec3 p = spaces->surface.positions[spaces->surface.vertexStarts[instance] + vertex];
	supSegment line = { region->center, region->shape == sup_softCapsule ? region->end : region->center };
	float border = region->border > 0.0f ? region->border : STANDARD_BORDER * spaces->size;
	switch ( region->shape )
	{
		case sup_softAll:
			return 1.0f;
		case sup_softPainted:
			return mesh->softness != NULL ? mesh->softness[vertex] : 0.0f;
		case sup_softNode:
			return WeightOn( character, instance, vertex, region->node );
		case sup_softVertices:
			return instance == region->instance && IsListed( region, vertex ) ? 1.0f : 0.0f;
		case sup_softValues:
			return instance == region->instance ? region->values[vertex] : 0.0f;
		default:
			return 1.0f - supRamp( 0.0f, border, supDistanceToSegment( &line, p ) - region->radius );
	}
}

// Where a region fades it limits by less.
static void LimitBy( const supSkeletonSpaces* spaces, const supSoftRegion* region, float* reaches )
{
	supSoftRegion world = supResolveSoftRegion( spaces, region );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( spaces->character ); ++i )
	{
		int32_t first = spaces->surface.vertexStarts[i], end = spaces->surface.vertexStarts[i + 1];
		for ( int32_t k = first; k < end; ++k )
		{
			float covered = Cover( spaces, &world, i, k - first );
			float reach = covered > 0.0f ? region->reach / covered : 0.0f;
			reaches[k] = reach > 0.0f && ( reaches[k] == 0.0f || reach < reaches[k] ) ? reach : reaches[k];
		}
	}
}

bool supFindReaches( const supCharacter* character, const supSoftRegion* regions, int32_t count, supArena* arena,
					 const float** reaches, int32_t* reachCount, supError* error )
{
	bool hasAny = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		hasAny = hasAny || regions[i].reach > 0.0f;
	}
	supBones bones = { 0 };
	supSkeletonSpaces spaces = { 0 };
	bool ok = hasAny == false || ( supBones_InitCharacter( &bones, character, error ) &&
								   supCheckSoftRegions( character, &bones, regions, count, error ) &&
								   supSkeletonSpaces_Init( &spaces, character, NULL, error ) );
	if ( ok && hasAny )
	{
		float* own = supArena_AllocZeroed( arena, (size_t)spaces.surface.vertexCount * sizeof( float ) );
		for ( int32_t i = 0; own != NULL && i < count; ++i )
		{
			if ( regions[i].reach > 0.0f )
			{
				LimitBy( &spaces, regions + i, own );
			}
		}
		*reaches = own;
		*reachCount = spaces.surface.vertexCount;
		ok = own != NULL || supSetMemoryError( error );
	}
	supSkeletonSpaces_Destroy( &spaces );
	supBones_Destroy( &bones );
	return ok;
}
