// SPDX-License-Identifier: MIT
#include "method/fem/gaps.h"

// How many times longer the way along the skeleton may be than the straight one and the ways to the bones together
// (thick flesh has bones far apart): up to here surely the same flesh, from there on surely not.
#define NEAR_WAY 1.5f
#define FAR_WAY 2.5f

static supVec3 FindFoot( const supBones* bones, int32_t bone, supVec3 p )
{
	supVec3 best = bones->joints[bone];
	float least = supDistance( best, p );
	for ( int32_t i = bones->segmentStarts[bone]; i < bones->segmentStarts[bone + 1]; ++i )
	{
		supVec3 a = bones->segments[i].a, along = supSub( bones->segments[i].b, a );
		float square = supLengthSquared( along );
		float t = square > 0.0f ? supClampFloat( supDot( supSub( p, a ), along ) / square, 0.0f, 1.0f ) : 0.0f;
		supVec3 foot = supMulAdd( a, t, along );
		float distance = supDistance( foot, p );
		best = distance < least ? foot : best;
		least = supMinFloat( least, distance );
	}
	return best;
}

static int32_t DepthOf( const supBones* bones, int32_t bone )
{
	int32_t depth = 0;
	for ( ; bones->parents[bone] >= 0; bone = bones->parents[bone] )
	{
		depth += 1;
	}
	return depth;
}

// From place to place along the skeleton: up from both until they meet on one bone. A way up leaves a bone by its
// joint, where it arrives on the bone above.
static float MeasureWay( const supBones* bones, const supGapPlace* a, const supGapPlace* b )
{
	int32_t bone[2] = { a->bone, b->bone }, depth[2] = { DepthOf( bones, a->bone ), DepthOf( bones, b->bone ) };
	supVec3 at[2] = { a->foot, b->foot };
	float way = 0.0f;
	while ( bone[0] != bone[1] )
	{
		int side = depth[0] >= depth[1] ? 0 : 1;
		supVec3 joint = bones->joints[bone[side]];
		way += supDistance( at[side], joint );
		at[side] = joint;
		bone[side] = bones->parents[bone[side]];
		depth[side] -= 1;
		if ( bone[side] < 0 )
		{
			// two skeletons
			return 3.4e38f;
		}
	}
	return way + supDistance( at[0], at[1] );
}

static float Compare( const supBones* bones, const supGapPlace* a, const supGapPlace* b, float size )
{
	if ( a->bone < 0 || b->bone < 0 || a->bone == b->bone )
	{
		return 1.0f;
	}
	float thick = supDistance( a->point, a->foot ) + supDistance( b->point, b->foot );
	float ratio = MeasureWay( bones, a, b ) / ( supMaxFloat( supDistance( a->point, b->point ), size ) + thick );
	return supClampFloat( ( FAR_WAY - ratio ) / ( FAR_WAY - NEAR_WAY ), 0.0f, 1.0f );
}

supGapPlace supGaps_Place( const supGaps* gaps, supVec3 point, int32_t bone )
{
	return ( supGapPlace ){ point, bone, FindFoot( gaps->bones, bone, point ) };
}

float supGaps_Affinity( const supGaps* gaps, const supGapPlace* place, int32_t function, float size )
{
	return Compare( gaps->bones, place, gaps->homes + function, size );
}

bool supFindGaps( supGaps* gaps, const supCellRule* cells, int32_t vertexCount, const supBones* bones,
				  const uint16_t* placeJoints, supArena* arena )
{
	size_t entries = (size_t)cells->starts[cells->pointCount];
	supGapPlace* places = supArena_AllocArray( arena, (size_t)cells->pointCount, sizeof( supGapPlace ) );
	float* largest = supArena_AllocArray( arena, (size_t)vertexCount, sizeof( float ) );
	gaps->bones = bones;
	gaps->homes = supArena_AllocArray( arena, (size_t)vertexCount, sizeof( supGapPlace ) );
	gaps->affinities = supArena_AllocArray( arena, entries, sizeof( float ) );
	if ( arena->failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < vertexCount; ++i )
	{
		largest[i] = 0.0f;
		gaps->homes[i] = ( supGapPlace ){ .bone = -1 };
	}
	for ( int32_t i = 0; i < cells->pointCount; ++i )
	{
		places[i] = supGaps_Place( gaps, cells->points[i], placeJoints[SUP_MAX_INFLUENCES * (size_t)i] );
		for ( int32_t k = cells->starts[i]; k < cells->starts[i + 1]; ++k )
		{
			int32_t vertex = cells->functions[k];
			if ( vertex < vertexCount && cells->values[k] > largest[vertex] )
			{
				largest[vertex] = cells->values[k];
				gaps->homes[vertex] = places[i];
			}
		}
	}
	for ( int32_t i = 0; i < cells->pointCount; ++i )
	{
		for ( int32_t k = cells->starts[i]; k < cells->starts[i + 1]; ++k )
		{
			// a function is as wide as one over its gradient
			float size = 0.25f / supMaxFloat( supLength( cells->gradients[k] ), 1e-20f );
			int32_t vertex = cells->functions[k];
			gaps->affinities[k] = vertex < vertexCount ? supGaps_Affinity( gaps, places + i, vertex, size ) : 1.0f;
		}
	}
	return true;
}
