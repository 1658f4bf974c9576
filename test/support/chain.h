// SPDX-License-Identifier: MIT
// A straight chain of bones along x in a tube of any resolution, for tests and benchmarks.
#pragma once

#include "skinned.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct testChain
{
	int32_t boneCount;
	float boneLength;
	int32_t segments; // around
	int32_t rings;    // along, at least two
	// only one bone in so many has flesh; the others have none, and no mass
	int32_t everySo;
	// an octahedron on the last bone, by itself; radius 0: none
	supVec3 button;
	float buttonRadius;
	// filled in
	supNode* nodes;
	char ( *names )[16];
	int32_t* joints;
	supMat34* inverseBinds;
	supVec3* positions;
	uint16_t* influences;
	float* weights;
	uint32_t* indices;
	int32_t vertexCount;
	int32_t indexCount;
} testChain;

#define TEST_CHAIN_RADIUS 0.06f

static inline void testAddTriangle( testChain* chain, int32_t a, int32_t b, int32_t c )
{
	chain->indices[chain->indexCount++] = (uint32_t)a;
	chain->indices[chain->indexCount++] = (uint32_t)b;
	chain->indices[chain->indexCount++] = (uint32_t)c;
}

static inline void testFillChain( testChain* chain )
{
	int32_t segments = chain->segments, rings = chain->rings, first = segments * rings, last = first + 1;
	float length = chain->boneLength * (float)chain->boneCount;
	for ( int32_t v = 0; v < first; ++v )
	{
		float x = length * (float)( v / segments ) / (float)( rings - 1 );
		int32_t bone = (int32_t)( x / chain->boneLength + 1e-3f );
		bone = bone < chain->boneCount ? bone : chain->boneCount - 1;
		supCosSin angle = supComputeCosSin( 2.0f * SUP_PI * (float)( v % segments ) / (float)segments );
		chain->positions[v] = supMakeVec3( x, TEST_CHAIN_RADIUS * angle.cosine, TEST_CHAIN_RADIUS * angle.sine );
		chain->influences[v] = (uint16_t)( bone / chain->everySo * chain->everySo );
		chain->weights[v] = 1.0f;
	}
	chain->positions[first] = supMakeVec3( -0.02f, 0.0f, 0.0f );
	chain->positions[last] = supMakeVec3( length + 0.02f, 0.0f, 0.0f );
	for ( int32_t s = 0; s < segments; ++s )
	{
		int32_t next = ( s + 1 ) % segments;
		for ( int32_t r = 0; r + 1 < rings; ++r )
		{
			int32_t a = segments * r + s, b = segments * r + next;
			testAddTriangle( chain, a, b, a + segments );
			testAddTriangle( chain, b, b + segments, a + segments );
		}
		testAddTriangle( chain, first, next, s );
		testAddTriangle( chain, last, segments * ( rings - 1 ) + s, segments * ( rings - 1 ) + next );
	}
}

#define TEST_BUTTON_VERTICES 6

static inline void testFillButton( testChain* chain, int32_t first )
{
	for ( int32_t i = 0; i < TEST_BUTTON_VERTICES; ++i )
	{
		float away = i % 2 == 0 ? chain->buttonRadius : -chain->buttonRadius;
		supVec3 way = supMakeVec3( i / 2 == 0 ? away : 0.0f, i / 2 == 1 ? away : 0.0f, i / 2 == 2 ? away : 0.0f );
		chain->positions[first + i] = supAdd( chain->button, way );
		chain->influences[first + i] = (uint16_t)( chain->boneCount - 1 );
		chain->weights[first + i] = 1.0f;
	}
	for ( int32_t side = 0; side < 8; ++side )
	{
		int32_t x = side & 1, y = 2 + ( side >> 1 & 1 ), z = 4 + ( side >> 2 & 1 );
		bool isEven = ( x + ( y - 2 ) + ( z - 4 ) ) % 2 == 0;
		testAddTriangle( chain, first + x, first + ( isEven ? y : z ), first + ( isEven ? z : y ) );
	}
}

static inline void testFillBones( testChain* chain )
{
	chain->nodes[0] = ( supNode ){ .name = "chain", .parent = -1, .rest = supTransform_identity };
	for ( int32_t i = 0; i < chain->boneCount; ++i )
	{
		supTransform rest = supTransform_identity;
		rest.translation.x = i > 0 ? chain->boneLength : 0.0f;
		snprintf( chain->names[i], sizeof( chain->names[i] ), "bone%d", i );
		chain->nodes[i + 1] = ( supNode ){ .name = chain->names[i], .parent = i > 0 ? i : -1, .rest = rest };
		chain->joints[i] = i + 1;
		chain->inverseBinds[i] = supMat34_identity;
		chain->inverseBinds[i].t.x = -chain->boneLength * (float)i;
	}
}

static inline supCharacter* testCreateChain( const testChain* chain, supError* error )
{
	supSkin skin = {
		.name = "bones", .jointCount = chain->boneCount, .joints = chain->joints, .inverseBinds = chain->inverseBinds
	};
	supPrimitive primitive = { .vertexCount = chain->vertexCount, .indexCount = chain->indexCount, .material = -1 };
	supMesh mesh = { .name = "chain",
					 .vertexCount = chain->vertexCount,
					 .indexCount = chain->indexCount,
					 .indices = chain->indices,
					 .positions = chain->positions,
					 .influences = 1,
					 .joints = chain->influences,
					 .weights = chain->weights,
					 .primitiveCount = 1,
					 .primitives = &primitive };
	return testCreateAt( 0, chain->nodes, chain->boneCount + 1, &skin, &mesh, NULL, 0, error );
}

// Exits where out of memory.
// - boneCount, boneLength, segments, rings and everySo are set
static inline supCharacter* testMakeChain( testChain* chain, supError* error )
{
	size_t bones = (size_t)chain->boneCount, vertices = (size_t)( chain->segments * chain->rings + 2 );
	size_t all = vertices + ( chain->buttonRadius > 0.0f ? TEST_BUTTON_VERTICES : 0 );
	chain->vertexCount = (int32_t)all;
	chain->nodes = calloc( bones + 1, sizeof( supNode ) );
	chain->names = calloc( bones, sizeof( chain->names[0] ) );
	chain->joints = calloc( bones, sizeof( int32_t ) );
	chain->inverseBinds = calloc( bones, sizeof( supMat34 ) );
	chain->positions = calloc( all, sizeof( supVec3 ) );
	chain->influences = calloc( all, sizeof( uint16_t ) );
	chain->weights = calloc( all, sizeof( float ) );
	chain->indices = calloc( 6 * all, sizeof( uint32_t ) );
	if ( chain->nodes == NULL || chain->names == NULL || chain->joints == NULL || chain->inverseBinds == NULL ||
		 chain->positions == NULL || chain->influences == NULL || chain->weights == NULL || chain->indices == NULL )
	{
		abort();
	}
	testFillBones( chain );
	testFillChain( chain );
	chain->weights[vertices - 2] = chain->weights[vertices - 1] = 1.0f;
	chain->influences[vertices - 1] = (uint16_t)( ( chain->boneCount - 1 ) / chain->everySo * chain->everySo );
	if ( chain->buttonRadius > 0.0f )
	{
		testFillButton( chain, (int32_t)vertices );
	}
	supCharacter* character = testCreateChain( chain, error );
	free( chain->nodes );
	free( chain->names );
	free( chain->joints );
	free( chain->inverseBinds );
	free( chain->positions );
	free( chain->influences );
	free( chain->weights );
	free( chain->indices );
	return character;
}
