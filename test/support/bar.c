// SPDX-License-Identifier: MIT
#include "bar.h"

#include "skinned.h"
#include "support.h"

void testMakeBar( supTets* tets, int32_t nx, int32_t ny, int32_t nz, float cell )
{
	// the six ways from one corner of a cell to the opposite one, along an axis at a time
	static const int ways[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
	*tets = ( supTets ){ 0 };
	tets->pointCount = ( nx + 1 ) * ( ny + 1 ) * ( nz + 1 );
	tets->tetCount = 6 * nx * ny * nz;
	tets->points = supArena_AllocArray( &tets->arena, (size_t)tets->pointCount, sizeof( supVec3 ) );
	tets->indices = supArena_AllocArray( &tets->arena, (size_t)tets->tetCount, 4 * sizeof( int32_t ) );
	int32_t steps[3] = { 1, nx + 1, ( nx + 1 ) * ( ny + 1 ) };
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		int32_t x = i % ( nx + 1 ), y = i / ( nx + 1 ) % ( ny + 1 ), z = i / ( ( nx + 1 ) * ( ny + 1 ) );
		tets->points[i] = supMakeVec3( cell * ( (float)x - 0.5f * (float)nx ), cell * (float)y,
									   cell * ( (float)z - 0.5f * (float)nz ) );
	}
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		int32_t cellIndex = i / 6;
		int32_t x = cellIndex % nx, y = cellIndex / nx % ny, z = cellIndex / ( nx * ny );
		int32_t* corners = tets->indices + 4 * (size_t)i;
		corners[0] = x + y * steps[1] + z * steps[2];
		for ( int k = 0; k < 3; ++k )
		{
			corners[k + 1] = corners[k] + steps[ways[i % 6][k]];
		}
		// odd ways are left-handed
		if ( i % 6 >= 3 )
		{
			int32_t t = corners[1];
			corners[1] = corners[2];
			corners[2] = t;
		}
	}
}

supCharacter* testMakeChain( int32_t count, float length )
{
	static const supVec3 positions[3] = { { 0.1f, 0, 0 }, { 0, 0.1f, 0 }, { 0, 0, 0.1f } };
	static const uint32_t indices[3] = { 0, 1, 2 };
	static const uint16_t joints[3] = { 0, 0, 0 };
	static const float weights[3] = { 1, 1, 1 };
	supNode nodes[16] = { 0 };
	int32_t skinJoints[16];
	supMat34 binds[16];
	for ( int32_t i = 0; i < count; ++i )
	{
		nodes[i] = ( supNode ){ .name = "bone", .parent = i - 1, .rest = supTransform_identity };
		nodes[i].rest.translation.y = i > 0 ? length : 0.0f;
		skinJoints[i] = i;
		binds[i] = supMat34_identity;
		binds[i].t.y = -length * (float)i;
	}
	nodes[count] = ( supNode ){ .name = "skin", .parent = -1, .rest = supTransform_identity };
	supSkin skin = { .name = "", .jointCount = count, .joints = skinJoints, .inverseBinds = binds };
	supMesh mesh = { .name = "skin",
					 .vertexCount = 3,
					 .indexCount = 3,
					 .indices = indices,
					 .positions = positions,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights };
	return testMakeSkinned( nodes, count + 1, &skin, &mesh );
}

void testMakeChainBones( supBones* bones, int32_t count, float length )
{
	supVec3 joints[16];
	int32_t parents[16];
	for ( int32_t i = 0; i < count; ++i )
	{
		joints[i] = supMakeVec3( 0.0f, length * (float)i, 0.0f );
		parents[i] = i - 1;
	}
	supError error = { 0 };
	*bones = ( supBones ){ 0 };
	testRequire( supBones_Init( bones, count, joints, parents, &error ), &error );
	// a last bone as long as the others, not half as long
	bones->segments[bones->segmentStarts[count - 1]].b = supMakeVec3( 0.0f, length * (float)count, 0.0f );
}

void testWeighChain( const supTets* tets, int32_t count, float length, float fade, uint16_t* joints, float* weights )
{
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		float place = tets->points[i].y;
		int32_t bone = (int32_t)supClampFloat( place / length, 0.0f, (float)count - 1.0f );
		float into = place - length * (float)bone;
		int32_t other = bone;
		float weight = 0.0f;
		if ( into < fade && bone > 0 )
		{
			other = bone - 1;
			weight = 0.5f * ( 1.0f - into / fade );
		}
		else if ( length - into < fade && bone < count - 1 )
		{
			other = bone + 1;
			weight = 0.5f * ( 1.0f - ( length - into ) / fade );
		}
		for ( int32_t k = 0; k < 4; ++k )
		{
			joints[4 * i + k] = (uint16_t)( k == 0 ? bone : ( k == 1 ? other : 0 ) );
			weights[4 * i + k] = k == 0 ? 1.0f - weight : ( k == 1 ? weight : 0.0f );
		}
	}
}
