// SPDX-License-Identifier: MIT
#include "volume/weights/point_weights.h"

#include "character/character.h"
#include "core/tasks.h"
#include "geometry/tree.h"

#include <math.h>

// Points a piece of a loop has.
#define GRAIN 256

typedef struct Weighing
{
	const supCharacter* character;
	const supRestSurface* surface;
	const supTree* tree;
	const int32_t* boneOfNode;
	const supVec3* points;
	uint16_t* joints;
	float* weights;
	bool* rigid; // may be NULL
} Weighing;

// Six vertices at most: those of two triangles.
typedef struct Mix
{
	int32_t count;
	int32_t bones[6 * SUP_MAX_INFLUENCES];
	float weights[6 * SUP_MAX_INFLUENCES];
} Mix;

static void AddToMix( Mix* mix, int32_t bone, float weight )
{
	int32_t i = 0;
	while ( i < mix->count && mix->bones[i] != bone )
	{
		i += 1;
	}
	if ( i == mix->count )
	{
		mix->bones[i] = bone;
		mix->weights[i] = 0.0f;
		mix->count += 1;
	}
	mix->weights[i] += weight;
}

static int32_t InstanceOf( const supRestSurface* surface, int32_t vertex )
{
	int32_t index = 0;
	while ( vertex >= surface->vertexStarts[index + 1] )
	{
		index += 1;
	}
	return index;
}

static bool IsSkinned( const supCharacter* character, int32_t index )
{
	const supInstance* instance = supCharacter_Instance( character, index );
	return instance->skin >= 0 && supCharacter_Mesh( character, instance->mesh )->influences > 0;
}

// Not skinned, but fixed to a joint.
static bool IsRigid( const Weighing* w, int32_t vertex )
{
	int32_t index = InstanceOf( w->surface, vertex );
	return IsSkinned( w->character, index ) == false &&
		   w->boneOfNode[supCharacter_Instance( w->character, index )->node] >= 0;
}

static void AddVertex( const Weighing* w, Mix* mix, int32_t vertex, float share )
{
	int32_t index = InstanceOf( w->surface, vertex );
	const supInstance* instance = supCharacter_Instance( w->character, index );
	const supMesh* mesh = supCharacter_Mesh( w->character, instance->mesh );
	if ( IsSkinned( w->character, index ) == false )
	{
		// nodes without a joint above follow the first bone
		int32_t bone = w->boneOfNode[instance->node];
		AddToMix( mix, bone >= 0 ? bone : 0, share );
		return;
	}
	const supSkin* skin = supCharacter_Skin( w->character, instance->skin );
	size_t slot = (size_t)( vertex - w->surface->vertexStarts[index] ) * (size_t)mesh->influences;
	for ( int32_t i = 0; i < mesh->influences; ++i, ++slot )
	{
		if ( mesh->weights[slot] > 0.0f )
		{
			AddToMix( mix, w->boneOfNode[skin->joints[mesh->joints[slot]]], share * mesh->weights[slot] );
		}
	}
}

static void StoreMix( Mix* mix, uint16_t* joints, float* weights )
{
	float sum = 0.0f;
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		int32_t best = -1;
		for ( int32_t k = 0; k < mix->count; ++k )
		{
			best = mix->weights[k] > 0.0f && ( best < 0 || mix->weights[k] > mix->weights[best] ) ? k : best;
		}
		joints[i] = best >= 0 ? (uint16_t)mix->bones[best] : 0;
		weights[i] = best >= 0 ? mix->weights[best] : 0.0f;
		sum += weights[i];
		if ( best >= 0 )
		{
			mix->weights[best] = 0.0f;
		}
	}
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		weights[i] = sum > 0.0f ? weights[i] / sum : (float)( i == 0 );
	}
}

// Rays start this part of their length beyond the skin that they come from.
#define BEYOND 1e-3f

bool supFindOwnSkin( const supTree* tree, const supRestSurface* surface, supVec3 point, supTreeHit* hit )
{
	bool found = supTree_FindClosest( tree, point, INFINITY, hit );
	const uint32_t* c = surface->indices + ( found ? 3 * (size_t)hit->triangle : 0 );
	supVec3 a = found ? surface->positions[c[0]] : point, to = found ? supSub( hit->point, point ) : supVec3_zero;
	supVec3 normal =
		found ? supCross( supSub( surface->positions[c[1]], a ), supSub( surface->positions[c[2]], a ) ) : supVec3_zero;
	supTreeHit exit;
	if ( supDot( to, normal ) < 0.0f && supTree_CastRay( tree, supMulAdd( hit->point, BEYOND, to ), to, 1.0f, &exit ) &&
		 exit.front == false )
	{
		*hit = exit;
	}
	return found;
}

static int32_t CornerOf( const Weighing* w, const supTreeHit* hit )
{
	return (int32_t)w->surface->indices[3 * (size_t)hit->triangle];
}

// How far a point is moved away from the nearest skin to see what is on its other side, as a part of the distance.
#define PROBE_DISTANCE_RATIO 1e-3f

// Seen from a little farther away. In the middle of a limb and on the plane of symmetry that is the other side, which
// is just as near: rounding must not choose between left and right. Elsewhere it is the same place.
static bool FindOtherSkin( const Weighing* w, supVec3 point, const supTreeHit* hit, supTreeHit* other )
{
	supVec3 away = supSub( point, hit->point );
	// parts of machines belong to one joint or to another
	return IsRigid( w, CornerOf( w, hit ) ) == false &&
		   supFindOwnSkin( w->tree, w->surface, supMulAdd( point, PROBE_DISTANCE_RATIO, away ), other ) &&
		   IsRigid( w, CornerOf( w, other ) ) == false;
}

static void AddHit( const Weighing* w, Mix* mix, const supTreeHit* hit, float share )
{
	const uint32_t* corners = w->surface->indices + 3 * (size_t)hit->triangle;
	AddVertex( w, mix, (int32_t)corners[0], share * ( 1.0f - hit->u - hit->v ) );
	AddVertex( w, mix, (int32_t)corners[1], share * hit->u );
	AddVertex( w, mix, (int32_t)corners[2], share * hit->v );
}

static void WeighRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Weighing* w = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supTreeHit hit, other;
		Mix mix = { 0 };
		bool found = supFindOwnSkin( w->tree, w->surface, w->points[i], &hit );
		bool hasOther = found && FindOtherSkin( w, w->points[i], &hit, &other );
		const uint32_t* corners = w->surface->indices + ( found ? 3 * (size_t)hit.triangle : 0 );
		if ( found )
		{
			AddHit( w, &mix, &hit, hasOther ? 0.5f : 1.0f );
		}
		if ( hasOther )
		{
			AddHit( w, &mix, &other, 0.5f );
		}
		if ( w->rigid != NULL )
		{
			w->rigid[i] = found && IsRigid( w, (int32_t)corners[0] );
		}
		StoreMix( &mix, w->joints + SUP_MAX_INFLUENCES * (size_t)i, w->weights + SUP_MAX_INFLUENCES * (size_t)i );
	}
}

// Nodes without a joint above have -1.
static void FindBones( const supCharacter* character, const supBones* bones, int32_t* boneOfNode )
{
	int32_t nodeCount = supCharacter_NodeCount( character );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		boneOfNode[i] = -1;
	}
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		boneOfNode[bones->nodes[i]] = i;
	}
	const int32_t* order = supCharacter_NodeOrder( character );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		int32_t parent = supCharacter_Node( character, order[i] )->parent;
		if ( boneOfNode[order[i]] < 0 )
		{
			boneOfNode[order[i]] = parent >= 0 ? boneOfNode[parent] : -1;
		}
	}
}

bool supWeighFlesh( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					const supVec3* points, int32_t count, uint16_t* joints, float* weights, bool* rigid,
					const supTasks* tasks, supError* error )
{
	int32_t* boneOfNode = supAllocArray( (size_t)supCharacter_NodeCount( character ), sizeof( int32_t ) );
	supTree* tree =
		supCreateTree( surface->positions, surface->vertexCount, surface->indices, surface->triangleCount, error );
	bool ok = boneOfNode != NULL && tree != NULL;
	if ( ok )
	{
		FindBones( character, bones, boneOfNode );
		Weighing weighing = { character, surface, tree, boneOfNode, points, joints, weights, rigid };
		supParallelFor( tasks, count, GRAIN, WeighRange, &weighing );
	}
	supDestroyTree( tree );
	supFree( boneOfNode );
	return ok || supSetMemoryError( error );
}

bool supWeighPoints( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					 const supVec3* points, int32_t count, uint16_t* joints, float* weights, const supTasks* tasks,
					 supError* error )
{
	return supWeighFlesh( character, surface, bones, points, count, joints, weights, NULL, tasks, error );
}

bool supWeighVertices( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					   uint16_t* joints, float* weights, bool* rigid, supError* error )
{
	int32_t* boneOfNode = supAllocArray( (size_t)supCharacter_NodeCount( character ), sizeof( int32_t ) );
	if ( boneOfNode == NULL )
	{
		return supSetMemoryError( error );
	}
	FindBones( character, bones, boneOfNode );
	Weighing weighing = { .character = character, .surface = surface, .boneOfNode = boneOfNode };
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		Mix mix = { 0 };
		AddVertex( &weighing, &mix, i, 1.0f );
		if ( rigid != NULL )
		{
			rigid[i] = IsRigid( &weighing, i );
		}
		StoreMix( &mix, joints + SUP_MAX_INFLUENCES * (size_t)i, weights + SUP_MAX_INFLUENCES * (size_t)i );
	}
	supFree( boneOfNode );
	return true;
}

void supMixWeights( const uint16_t* joints, const float* weights, const uint32_t corners[3], const float shares[3],
					uint16_t* mixedJoints, float* mixedWeights )
{
	Mix mix = { 0 };
	for ( int32_t k = 0; k < 3; ++k )
	{
		size_t slot = SUP_MAX_INFLUENCES * (size_t)corners[k];
		for ( int32_t i = 0; i < SUP_MAX_INFLUENCES && weights[slot] > 0.0f; ++i, ++slot )
		{
			AddToMix( &mix, joints[slot], shares[k] * weights[slot] );
		}
	}
	StoreMix( &mix, mixedJoints, mixedWeights );
}

float supWeightBond( const uint16_t* jointsA, const float* weightsA, const uint16_t* jointsB, const float* weightsB,
					 int32_t count )
{
	float bond = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		for ( int32_t k = 0; k < count; ++k )
		{
			bond += jointsA[i] == jointsB[k] ? supMinFloat( weightsA[i], weightsB[k] ) : 0.0f;
		}
	}
	return bond;
}

#define FULL_BOND 0.6f

float supBondShare( float bond )
{
	return supClampFloat( ( bond - SUP_LEAST_BOND ) / ( FULL_BOND - SUP_LEAST_BOND ), 0.0f, 1.0f );
}
