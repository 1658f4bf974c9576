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
	int32_t bone[2] = { a->skin.joints[0], b->skin.joints[0] };
	int32_t depth[2] = { DepthOf( bones, bone[0] ), DepthOf( bones, bone[1] ) };
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

bool supGaps_AreApart( const supGaps* gaps, const supSkinPlace* place, int32_t function )
{
	int32_t home = gaps->homes[function];
	const supSkinPlace* other = home >= 0 ? &gaps->places[home].skin : place;
	return supBridges_AreApart( gaps->bridges, place, other, supDistance( place->from, other->from ) );
}

// How far a function of level 0 belongs to the flesh at a place: 1 .. 0.
// - size: how far the function reaches, in metres
static float FindAffinity( const supGaps* gaps, const supGapPlace* place, int32_t function, float size )
{
	const supGapPlace* home = gaps->homes[function] >= 0 ? gaps->places + gaps->homes[function] : place;
	if ( place->skin.joints[0] == home->skin.joints[0] )
	{
		return 1.0f;
	}
	if ( supGaps_AreApart( gaps, &place->skin, function ) )
	{
		return 0.0f;
	}
	float distance = supDistance( place->skin.from, home->skin.from );
	float thick = supDistance( place->skin.from, place->foot ) + supDistance( home->skin.from, home->foot );
	float ratio = MeasureWay( gaps->bridges->bones, place, home ) / ( supMaxFloat( distance, size ) + thick );
	return supClampFloat( ( FAR_WAY - ratio ) / ( FAR_WAY - NEAR_WAY ), 0.0f, 1.0f );
}

static bool FindPlaces( supGaps* gaps, const supCellRule* cells, const supTasks* tasks, supArena* arena )
{
	size_t count = (size_t)cells->pointCount;
	supSkinPlace* skins = supAllocArray( count, sizeof( supSkinPlace ) );
	gaps->places = supArena_AllocArray( arena, count, sizeof( supGapPlace ) );
	bool ok = skins != NULL && gaps->places != NULL;
	if ( ok )
	{
		supBridges_FindPlaces( gaps->bridges, cells->points, cells->pointCount, tasks, skins );
	}
	for ( size_t i = 0; ok && i < count; ++i )
	{
		const supSkinPlace* skin = skins + i;
		gaps->places[i] = ( supGapPlace ){ *skin, FindFoot( gaps->bridges->bones, skin->joints[0], skin->from ) };
	}
	supFree( skins );
	return ok;
}

bool supFindGaps( supGaps* gaps, const supCellRule* cells, int32_t vertexCount, supBridges* bridges,
				  const supTasks* tasks, supArena* arena )
{
	gaps->bridges = bridges;
	float* largest = supArena_AllocZeroed( arena, ( (size_t)vertexCount + 1 ) * sizeof( float ) );
	gaps->homes = supArena_AllocArray( arena, (size_t)vertexCount, sizeof( int32_t ) );
	gaps->affinities = supArena_AllocArray( arena, (size_t)cells->starts[cells->pointCount], sizeof( float ) );
	if ( arena->failed || FindPlaces( gaps, cells, tasks, arena ) == false )
	{
		return false;
	}
	memset( gaps->homes, 0xff, (size_t)vertexCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < cells->pointCount; ++i )
	{
		for ( int32_t k = cells->starts[i]; k < cells->starts[i + 1]; ++k )
		{
			int32_t vertex = cells->functions[k];
			if ( vertex < vertexCount && cells->values[k] > largest[vertex] )
			{
				largest[vertex] = cells->values[k];
				gaps->homes[vertex] = i;
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
			gaps->affinities[k] = vertex < vertexCount ? FindAffinity( gaps, gaps->places + i, vertex, size ) : 1.0f;
		}
	}
	return true;
}
