// SPDX-License-Identifier: MIT
// Where the surface crosses the edges of the lattice, and which lattice points move onto it.
#include "core/tasks.h"
#include "volume/tets/tet_lattice.h"

#include <stdlib.h>

// A crossing is found when it is this near to the surface, in cubes; the last of these steps is taken as it is.
#define CROSSING_TOLERANCE 0.002f
#define STEPS 3

// Cuts count as equally near where they differ by less, in cubes.
#define TIE 1e-3f

static float WarpLimit( int32_t edge )
{
	return edge < 6 ? SUP_WARP_BLACK : SUP_WARP_RED;
}

static bool IsCut( int8_t a, int8_t b )
{
	return a * b < 0;
}

static int32_t CountOwnEdges( const supTetLattice* l, int32_t point )
{
	return point < l->centerCount ? 11 : 3;
}

static void MaskRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetLattice* l = context;
	bool follow = l->source->def->mode == sup_tetsFollow;
	for ( int32_t i = begin; i < end; ++i )
	{
		uint32_t mask = 0;
		for ( int32_t bit = 0; follow && bit < CountOwnEdges( l, i ); ++bit )
		{
			int32_t other = supTetLattice_Neighbour( l, l->points[i], supTetLattice_OwnEdge( bit ) );
			if ( other >= 0 && IsCut( l->states[i], l->states[other] ) )
			{
				mask |= 1u << bit;
			}
		}
		l->cutMasks[i] = (uint16_t)mask;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Crossings

// From `inside` at 0 to `outside` at 1: false position on the signed distance plus the level, its sign from the winding
// number. A bracket is kept, so that of several crossings one is found.
static float FindCrossing( const supTetLattice* l, supVec3 inside, supVec3 outside, float a, float b )
{
	float lower = 0.0f, upper = 1.0f, t = 0.5f;
	float close = CROSSING_TOLERANCE * (float)l->grid.size;
	for ( int32_t step = 0; step < STEPS; ++step )
	{
		t = lower + ( upper - lower ) * a / ( a - b );
		supVec3 p = supLerp( inside, outside, t );
		supTreeHit hit;
		if ( step + 1 == STEPS || supTree_FindClosest( l->source->tree, p, INFINITY, &hit ) == false )
		{
			break;
		}
		bool isInside = supWinding_Evaluate( l->source->winding, p ) > 0.5f;
		float value = ( isInside ? hit.distance : -hit.distance ) + l->level;
		if ( fabsf( value ) <= close )
		{
			break;
		}
		lower = value > 0.0f ? t : lower;
		a = value > 0.0f ? value : a;
		upper = value > 0.0f ? upper : t;
		b = value > 0.0f ? b : value;
	}
	return t;
}

// Across a hole there is no surface: there the winding number itself falls smoothly through a half.
static float FindOpenCrossing( const supTetLattice* l, supVec3 inside, supVec3 outside )
{
	float a = supWinding_Evaluate( l->source->winding, inside ) - 0.5f;
	float b = supWinding_Evaluate( l->source->winding, outside ) - 0.5f;
	return a > 0.0f && b < 0.0f ? a / ( a - b ) : 0.5f;
}

// - inside and outside are the ends of a cut edge
static float ComputeCut( const supTetLattice* l, int32_t inside, int32_t outside, int32_t edge )
{
	float a = l->values[inside] + l->level, b = l->values[outside] + l->level;
	float length = (float)l->grid.size * ( edge < 6 ? 1.0f : 0.8660254f );
	float t = 0.0f;
	if ( a > 0.0f )
	{
		supVec3 p = supTetPlace_ToVec3( supTetLattice_Place( l, l->points[inside] ) );
		supVec3 q = supTetPlace_ToVec3( supTetLattice_Place( l, l->points[outside] ) );
		bool open = a >= length || -b >= length;
		t = open ? FindOpenCrossing( l, p, q ) : ( l->exact ? FindCrossing( l, p, q, a, b ) : a / ( a - b ) );
	}
	// a pinned point stays where it is, and so do its neighbours for its sake
	float limit = WarpLimit( edge );
	return l->pinned[inside] != sup_tetFree ? supClampFloat( t, limit, 1.0f - limit ) : t;
}

static void CutRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetLattice* l = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t next = l->cutStarts[i];
		for ( uint32_t mask = l->cutMasks[i]; mask != 0; mask &= mask - 1 )
		{
			int32_t edge = supTetLattice_OwnEdge( __builtin_ctz( mask ) );
			int32_t other = supTetLattice_Neighbour( l, l->points[i], edge );
			l->cuts[next++] =
				l->states[i] > 0 ? ComputeCut( l, i, other, edge ) : 1.0f - ComputeCut( l, other, i, edge );
		}
	}
}

bool supTetLattice_FindCuts( supTetLattice* lattice, supError* error )
{
	supTetLattice* l = lattice;
	supParallelFor( l->tasks, l->count, 1024, MaskRange, l );
	int32_t count = 0;
	for ( int32_t i = 0; i < l->count; ++i )
	{
		l->cutStarts[i] = count;
		count += __builtin_popcount( l->cutMasks[i] );
	}
	l->cutStarts[l->count] = count;
	l->cutCount = count;
	// levels differ by few cuts
	if ( count > l->cutCapacity || l->cuts == NULL )
	{
		l->cutCapacity = count + count / 8;
		l->cuts = supArena_AllocArray( &l->arena, (size_t)l->cutCapacity, sizeof( *l->cuts ) );
	}
	if ( l->cuts == NULL )
	{
		return supSetMemoryError( error );
	}
	supParallelFor( l->tasks, l->count, 256, CutRange, l );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Warps

// Of equally near cuts the one towards the outside of the grid, which a mirror does not change. Faces of a body that
// lie along lattice planes make many; rounding must not decide.
static int32_t RankEdge( const supTetLattice* l, supTetSite p, int32_t edge )
{
	supTetSite s = supTetSiteSteps[edge];
	int32_t x = abs( p.x + s.x - l->grid.nx ), y = abs( p.y + s.y - l->grid.ny ), z = abs( p.z + s.z - l->grid.nz );
	return ( x * 2048 + y ) * 1024 + z;
}

static int32_t ChooseWarp( const supTetLattice* l, int32_t point )
{
	// in cubes; 1 where an edge has no cut that is too near
	float distances[SUP_TET_LATTICE_EDGES], nearest = 1.0f;
	for ( int32_t edge = 0; edge < SUP_TET_LATTICE_EDGES; ++edge )
	{
		int32_t other = supTetLattice_Neighbour( l, l->points[point], edge );
		distances[edge] = 1.0f;
		if ( other >= 0 && IsCut( l->states[point], l->states[other] ) )
		{
			float t = supTetLattice_Cut( l, supTetLattice_Edge( point, point < l->centerCount, other, edge ) );
			float length = edge < 6 ? 1.0f : 0.8660254f;
			distances[edge] = t < WarpLimit( edge ) ? t * length : 1.0f;
		}
		nearest = supMinFloat( nearest, distances[edge] );
	}
	int32_t best = SUP_TET_LATTICE_EDGES, bestRank = -1;
	for ( int32_t edge = 0; nearest < 1.0f && edge < SUP_TET_LATTICE_EDGES; ++edge )
	{
		int32_t rank = RankEdge( l, l->points[point], edge );
		if ( distances[edge] <= nearest + TIE && rank > bestRank )
		{
			best = edge;
			bestRank = rank;
		}
	}
	return best;
}

static void WarpRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetLattice* l = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		l->warps[i] =
			(uint8_t)( l->pinned[i] == sup_tetFree && l->states[i] != 0 ? ChooseWarp( l, i ) : SUP_TET_LATTICE_EDGES );
	}
}

// All points choose by the same cuts and move at once. The paper lets one after another move, which takes cuts away
// from the next; but no lattice tet can tell the difference. A point moves towards one of the other sign, along an edge
// whose cut is nearer to itself: for no order to exist points of one tet would have to chase each other in a circle,
// four of them with alternating signs. All four are then on the surface, and the tet is none of the body.
void supTetLattice_Warp( supTetLattice* lattice )
{
	supParallelFor( lattice->tasks, lattice->count, 1024, WarpRange, lattice );
	for ( int32_t i = 0; i < lattice->count; ++i )
	{
		if ( lattice->warps[i] != SUP_TET_LATTICE_EDGES )
		{
			lattice->states[i] = 0;
		}
	}
}
