// SPDX-License-Identifier: MIT
// Which joints move skin together: where linear blend skinning collapses, if they are turned far against each other.
#include "core/sort.h"
#include "scene/guard_build.h"

// Product of two weights: with less, not even half a turn takes a tenth of the volume.
#define LEAST_PRODUCT 0.025f

static int32_t JointsOf( const supCharacter* character, int32_t instance )
{
	int32_t skin = supCharacter_Instance( character, instance )->skin;
	return skin >= 0 ? supCharacter_Skin( character, skin )->jointCount : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// What is above what

// - of each node: scratch
static void FindAbove( const supCharacter* character, const supSkin* skin, int32_t* jointOfNode, int32_t* order,
					   int32_t* above )
{
	int32_t nodeCount = supCharacter_NodeCount( character ), count = 0;
	const int32_t* nodes = supCharacter_NodeOrder( character );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		jointOfNode[i] = -1;
	}
	// a node that is there twice is two joints, of which the first stands for both
	for ( int32_t i = skin->jointCount - 1; i >= 0; --i )
	{
		jointOfNode[skin->joints[i]] = i;
		above[i] = -1;
	}
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		int32_t node = nodes[i], parent = supCharacter_Node( character, node )->parent, joint = jointOfNode[node];
		int32_t upper = parent >= 0 ? jointOfNode[parent] : -1;
		if ( joint >= 0 )
		{
			above[joint] = upper;
			order[count++] = joint;
		}
		else
		{
			jointOfNode[node] = upper;
		}
	}
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		int32_t first = jointOfNode[skin->joints[i]];
		if ( first != i )
		{
			above[i] = first;
			order[count++] = i;
		}
	}
}

static bool ListJoints( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	int32_t instanceCount = supCharacter_InstanceCount( b->character );
	int32_t* starts = supArena_AllocZeroed( &mesh->arena, ( (size_t)instanceCount + 1 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < instanceCount && starts != NULL; ++i )
	{
		starts[i + 1] = starts[i] + JointsOf( b->character, i );
	}
	size_t count = starts != NULL ? (size_t)starts[instanceCount] : 0;
	size_t nodeCount = (size_t)supCharacter_NodeCount( b->character );
	int32_t* order = supArena_AllocArray( &mesh->arena, count, sizeof( int32_t ) );
	int32_t* above = supArena_AllocArray( &mesh->arena, count, sizeof( int32_t ) );
	int32_t* scratch = supArena_AllocArray( &b->scratch, nodeCount, sizeof( int32_t ) );
	if ( mesh->arena.failed || b->scratch.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		if ( starts[i + 1] > starts[i] )
		{
			const supSkin* skin = supCharacter_Skin( b->character, supCharacter_Instance( b->character, i )->skin );
			FindAbove( b->character, skin, scratch, order + starts[i], above + starts[i] );
		}
	}
	mesh->jointStarts = starts;
	mesh->jointOrder = order;
	mesh->jointAbove = above;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Pairs

typedef struct Pairer
{
	supGuardBuilder* b;
	uint64_t* keys; // of one instance: the joint above, the one below, the vertex; NULL: only counts
	size_t keyCount;
	supGuardPair* pairs;
	int32_t* vertices;
	int32_t* pairOfJoint;
	int32_t pairCount, vertexCount;
} Pairer;

static void AddKeys( Pairer* pairer, const int32_t* above, uint32_t first, uint32_t second, uint32_t vertex )
{
	if ( pairer->keys != NULL )
	{
		bool isBelow = above[first] == (int32_t)second || ( above[second] != (int32_t)first && first > second );
		uint64_t upper = isBelow ? second : first, lower = isBelow ? first : second;
		pairer->keys[pairer->keyCount] = upper << 48 | lower << 32 | vertex;
	}
	pairer->keyCount += 1;
}

// Joints have 16 bits.
static void PairVertices( Pairer* pairer, int32_t instance )
{
	const supGuardMesh* guard = pairer->b->mesh;
	const supMesh* mesh = supInstanceMesh( pairer->b->character, instance );
	bool isSkinned = guard->jointStarts[instance + 1] > guard->jointStarts[instance];
	const int32_t* above = guard->jointAbove + guard->jointStarts[instance];
	size_t width = isSkinned ? (size_t)mesh->influences : 0;
	pairer->keyCount = 0;
	for ( int32_t i = 0; i < mesh->vertexCount && width > 1; ++i )
	{
		const uint16_t* joints = mesh->joints + width * (size_t)i;
		const float* weights = mesh->weights + width * (size_t)i;
		for ( size_t k = 1; k < width; ++k )
		{
			for ( size_t l = 0; l < k; ++l )
			{
				if ( weights[k] * weights[l] >= LEAST_PRODUCT && joints[k] != joints[l] )
				{
					AddKeys( pairer, above, joints[l], joints[k], (uint32_t)i );
				}
			}
		}
	}
}

// Sorted keys of an instance, each vertex once a pair.
static void TakePairs( Pairer* pairer, int32_t instance )
{
	const supGuardMesh* guard = pairer->b->mesh;
	int32_t first = guard->vertexStarts[instance], joints = guard->jointStarts[instance];
	for ( size_t i = 0; i < pairer->keyCount; ++i )
	{
		uint64_t key = pairer->keys[i];
		if ( i == 0 || key >> 32 != pairer->keys[i - 1] >> 32 )
		{
			int32_t upper = (int32_t)( key >> 48 ), lower = (int32_t)( key >> 32 & UINT16_MAX );
			if ( guard->jointAbove[joints + lower] == upper )
			{
				pairer->pairOfJoint[joints + lower] = pairer->pairCount;
			}
			pairer->pairs[pairer->pairCount++] =
				( supGuardPair ){ .instance = instance, .upper = upper, .lower = lower, .begin = pairer->vertexCount };
		}
		if ( i == 0 || key != pairer->keys[i - 1] )
		{
			pairer->vertices[pairer->vertexCount++] = first + (int32_t)( key & UINT32_MAX );
			pairer->pairs[pairer->pairCount - 1].end = pairer->vertexCount;
		}
	}
}

static bool AllocatePairs( Pairer* pairer )
{
	supGuardBuilder* b = pairer->b;
	int32_t instanceCount = supCharacter_InstanceCount( b->character );
	size_t joints = (size_t)b->mesh->jointStarts[instanceCount], all = 0, largest = 0;
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		PairVertices( pairer, i );
		all += pairer->keyCount;
		largest = pairer->keyCount > largest ? pairer->keyCount : largest;
	}
	pairer->keys = supArena_AllocArray( &b->scratch, 2 * largest + 1, sizeof( uint64_t ) );
	pairer->pairs = supArena_AllocArray( &b->scratch, all, sizeof( supGuardPair ) );
	pairer->vertices = supArena_AllocArray( &b->mesh->arena, all, sizeof( int32_t ) );
	pairer->pairOfJoint = supArena_AllocArray( &b->mesh->arena, joints, sizeof( int32_t ) );
	for ( size_t i = 0; i < joints && pairer->pairOfJoint != NULL; ++i )
	{
		pairer->pairOfJoint[i] = -1;
	}
	return b->scratch.failed == false && b->mesh->arena.failed == false;
}

bool supGuardBuilder_PairJoints( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	Pairer pairer = { .b = b };
	if ( ListJoints( b ) == false || AllocatePairs( &pairer ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( b->character ); ++i )
	{
		PairVertices( &pairer, i );
		supSortKeys( pairer.keys, pairer.keys + pairer.keyCount, pairer.keyCount, 64 );
		TakePairs( &pairer, i );
	}
	mesh->pairCount = pairer.pairCount;
	mesh->pairs = supArena_CopyArray( &mesh->arena, pairer.pairs, (size_t)pairer.pairCount, sizeof( supGuardPair ) );
	mesh->pairVertices = pairer.vertices;
	mesh->jointPairs = pairer.pairOfJoint;
	return mesh->arena.failed == false;
}
