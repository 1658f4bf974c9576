// SPDX-License-Identifier: MIT
#include "scene/additive.h"

#include "character/pose.h"
#include "math/exponential.h"

// After which the steady part has come within 1 / e of what flesh differs by. Swings of 2 Hz lose 1 % by it.
#define STEADY_TIME_S 0.5f

// Of the size: what is nearer to skinning than this is there.
#define SKINNED_DISTANCE_RATIO 1e-6f

struct supAdditive
{
	int32_t vertexCount; // of all instances
	int32_t* nodes;      // of each vertex: the bone that carries most of it
	supVec3* steady;     // positions, then normals, in the bones' frames
	supVec3* skin;       // scratch: positions, then normals
	supQuat* turns;      // scratch: of each node
	bool isFresh;        // nothing is steady yet
	float largest;       // metres that motion added when it was last drawn
};

void supActor_DestroyAdditive( supActor* actor )
{
	if ( actor->additive != NULL )
	{
		supFree( actor->additive->nodes );
		supFree( actor->additive->steady );
		supFree( actor->additive->skin );
		supFree( actor->additive->turns );
		supFree( actor->additive );
		actor->additive = NULL;
	}
}

static void FindNodes( const supCharacter* character, int32_t* nodes )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
		for ( int32_t v = 0; v < mesh->vertexCount; ++v )
		{
			const float* weights = mesh->weights + (size_t)v * (size_t)mesh->influences;
			int32_t best = 0;
			for ( int32_t k = 1; k < mesh->influences; ++k )
			{
				best = weights[k] > weights[best] ? k : best;
			}
			bool hasSkin = instance->skin >= 0 && mesh->influences > 0;
			*nodes++ = hasSkin ? supCharacter_Skin( character, instance->skin )
									 ->joints[mesh->joints[(size_t)v * (size_t)mesh->influences + (size_t)best]]
							   : instance->node;
		}
	}
}

bool supActor_SetAdditive( supActor* actor, bool additive, supError* error )
{
	supClearError( error );
	bool isDrawn = additive == ( actor->additive != NULL );
	if ( isDrawn || actor->flesh->method->stateSize == NULL )
	{
		return true;
	}
	supActor_DestroyAdditive( actor );
	if ( additive )
	{
		const supCharacter* character = actor->flesh->character;
		size_t count = 0;
		for ( int32_t i = 0; i < actor->surfaceCount; ++i )
		{
			count += (size_t)actor->surfaces[i].vertexCount;
		}
		actor->additive = supAllocZeroed( sizeof( struct supAdditive ) );
		if ( actor->additive == NULL )
		{
			return supSetMemoryError( error );
		}
		struct supAdditive* a = actor->additive;
		a->vertexCount = (int32_t)count;
		a->nodes = supAllocArray( count + 1, sizeof( int32_t ) );
		a->steady = supAllocZeroed( ( 2 * count + 1 ) * sizeof( supVec3 ) );
		a->skin = supAllocZeroed( ( 2 * count + 1 ) * sizeof( supVec3 ) );
		a->turns = supAllocArray( (size_t)supCharacter_NodeCount( character ) + 1, sizeof( supQuat ) );
		if ( a->nodes == NULL || a->steady == NULL || a->skin == NULL || a->turns == NULL )
		{
			supActor_DestroyAdditive( actor );
			return supSetMemoryError( error );
		}
		FindNodes( character, a->nodes );
	}
	supActor_Reset( actor );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static void FindTurns( const supActor* actor )
{
	const supMat34* worlds = supPose_Worlds( actor->pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( actor->flesh->character ); ++i )
	{
		supTransform t = supTransform_identity;
		actor->additive->turns[i] = supDecompose( worlds[i], &t ) ? t.rotation : supQuat_identity;
	}
}

// Returns what is left of the difference.
static supVec3 Subtract( supVec3 difference, supQuat turn, float part, supVec3* steady )
{
	supVec3 own = supRotate( supConjugate( turn ), difference );
	*steady = supLerp( *steady, own, part );
	return supRotate( turn, supSub( own, *steady ) );
}

void supActor_DrawAdditive( supActor* actor, float dt, const supTasks* tasks )
{
	struct supAdditive* a = actor->additive;
	if ( a == NULL )
	{
		return;
	}
	// nothing that happens without a motion is caused by one: flesh that settles after a reset
	bool isSteady = a->isFresh || actor->clock.hasMoved == 0;
	float part = isSteady ? 1.0f : (float)( 1.0 - supExpNegative( -(double)( dt / STEADY_TIME_S ) ) );
	a->isFresh = false;
	a->largest = 0.0f;
	FindTurns( actor );
	for ( int32_t i = 0, first = 0; i < actor->surfaceCount; first += actor->surfaces[i++].vertexCount )
	{
		const supActorSurface* surface = actor->surfaces + i;
		supVec3 *skin = a->skin + first, *skinNormals = skin + a->vertexCount;
		supVec3 *steady = a->steady + first, *steadyNormals = steady + a->vertexCount;
		supSkinInstance( actor->pose, i, sup_skinningLinear, tasks,
						 &( supSkinOutput ){ .positions = skin, .normals = skinNormals } );
		for ( int32_t v = 0; v < surface->vertexCount; ++v )
		{
			supQuat turn = a->turns[a->nodes[first + v]];
			supVec3 added = Subtract( supSub( surface->positions[v], skin[v] ), turn, part, steady + v );
			supVec3 turned = Subtract( supSub( surface->normals[v], skinNormals[v] ), turn, part, steadyNormals + v );
			surface->positions[v] = supAdd( skin[v], added );
			surface->normals[v] = supNormalize( supAdd( skinNormals[v], turned ) );
			a->largest = supMaxFloat( a->largest, supLength( added ) );
		}
	}
}

void supActor_ResetAdditive( supActor* actor )
{
	if ( actor->additive != NULL )
	{
		actor->additive->isFresh = true;
	}
}

bool supActor_IsAdditiveSettled( const supActor* actor )
{
	return actor->additive == NULL || actor->additive->largest <= SKINNED_DISTANCE_RATIO * actor->size;
}

size_t supActor_AdditiveSize( const supActor* actor )
{
	return actor->additive != NULL ? 2 * (size_t)actor->additive->vertexCount * sizeof( supVec3 ) : 0;
}

void supActor_SaveAdditive( const supActor* actor, uint8_t* bytes )
{
	if ( actor->additive != NULL )
	{
		memcpy( bytes, actor->additive->steady, supActor_AdditiveSize( actor ) );
	}
}

void supActor_RestoreAdditive( supActor* actor, const uint8_t* bytes )
{
	if ( actor->additive != NULL )
	{
		memcpy( actor->additive->steady, bytes, supActor_AdditiveSize( actor ) );
		actor->additive->isFresh = false;
		actor->additive->largest = actor->size;
	}
}
