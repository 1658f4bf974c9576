// SPDX-License-Identifier: MIT
// Around thin parts the boundary stands out: layers of whole lattice tets, and cuts that keep away from pinned points.
// Here such points move onto the surface, as far as tets stay good.
//
// A point of the boundary that stands out wants to be at the place of the surface nearest to it, shifted towards the
// mean of its neighbours so that points spread evenly; a pinned point inside wants to be at the mean of its neighbours,
// which makes room between both sides. What is thinner than good tets can be (some quarter of a cube) stays embedded.
#include "core/tasks.h"
#include "volume/tets/tet_lattice.h"
#include "volume/tets/tet_move.h"

// How often ways are found again, and steps are taken along them.
#define ROUNDS 6
#define SWEEPS 3

// From a point towards the mean of its neighbours.
#define SMOOTH 0.7f

// Points nearer to the surface than this are on it, in cubes.
#define NEAR 0.02f

// Points that are farther out than this in the end are reported, in cubes.
#define OUT 0.05f

typedef struct Slim
{
	const supTetLattice* lattice;
	supTets* tets;
	// points that may move, those inside first
	supTetMoves moves;
	int32_t innerCount;
} Slim;

// ---------------------------------------------------------------------------------------------------------------------
// Who moves

// Points held or pinned that are inside or, of marked tets, on the boundary; cuts that were kept away from such.
static int32_t ListMovers( Slim* s )
{
	const supTetLattice* l = s->lattice;
	int32_t count = 0, firstCut = s->tets->pointCount - l->cutCount;
	for ( int32_t side = 1; side >= 0; --side )
	{
		for ( int32_t i = 0, id = 0; i < l->count; ++i )
		{
			if ( l->states[i] == side && l->pinned[i] != sup_tetFree )
			{
				s->moves.points[count++] = id;
			}
			id += l->states[i] >= 0 ? 1 : 0;
		}
		s->innerCount = side == 1 ? count : s->innerCount;
	}
	for ( int32_t i = 0; i < l->count; ++i )
	{
		int32_t next = firstCut + l->cutStarts[i];
		for ( uint32_t mask = l->cutMasks[i]; mask != 0; mask &= mask - 1, ++next )
		{
			int32_t edge = supTetLattice_OwnEdge( __builtin_ctz( mask ) );
			int32_t inside = l->states[i] > 0 ? i : supTetLattice_Neighbour( l, l->points[i], edge );
			if ( l->pinned[inside] != sup_tetFree )
			{
				s->moves.points[count++] = next;
			}
		}
	}
	return count;
}

// How far a point of the boundary is out, 0 where it is on the surface or inside.
static float MeasureOut( const supTetLattice* l, supVec3 p )
{
	supTreeHit hit;
	float size = (float)l->grid.size, level = supMaxFloat( l->level, 0.0f );
	if ( supTree_FindClosest( l->source->tree, p, 2.0f * size, &hit ) == false || hit.distance <= level + NEAR * size ||
		 supWinding_Evaluate( l->source->winding, p ) > 0.5f )
	{
		return 0.0f;
	}
	return hit.distance - level;
}

static void OutRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Slim* s = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		s->moves.done[i] = i < s->innerCount ? 0.0f : MeasureOut( s->lattice, s->tets->points[s->moves.points[i]] );
	}
}

// Points of the boundary that are where they should be stay there.
static void DropMovers( Slim* s )
{
	supParallelFor( s->lattice->tasks, s->moves.count, 32, OutRange, s );
	int32_t count = s->innerCount;
	for ( int32_t i = s->innerCount; i < s->moves.count; ++i )
	{
		if ( s->moves.done[i] > 0.0f )
		{
			s->moves.points[count++] = s->moves.points[i];
		}
	}
	// with nothing out there is nothing to make room for
	s->moves.count = count > s->innerCount ? count : 0;
	s->innerCount = s->moves.count > 0 ? s->innerCount : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ways

static void WayRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Slim* s = context;
	const supTetLattice* l = s->lattice;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = s->moves.from[i], to = supLerp( p, s->moves.way[i], SMOOTH );
		supTreeHit hit;
		if ( i >= s->innerCount && supTree_FindClosest( l->source->tree, to, 2.0f * (float)l->grid.size, &hit ) )
		{
			// a boundary that is to lie inside of the surface stays on it here: a thin part may have no inside so deep
			float level = supMaxFloat( l->level, 0.0f ), distance = supDistance( p, hit.point );
			float part = distance > level ? level / distance : 1.0f;
			to = supLerp( hit.point, p, part );
		}
		s->moves.way[i] = supSub( to, p );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// All together

static int32_t CountOutside( Slim* s )
{
	supParallelFor( s->lattice->tasks, s->moves.count, 32, OutRange, s );
	int32_t count = 0;
	for ( int32_t i = s->innerCount; i < s->moves.count; ++i )
	{
		count += s->moves.done[i] > OUT * (float)s->lattice->grid.size ? 1 : 0;
	}
	return count;
}

bool supTetLattice_Slim( const supTetLattice* lattice, supTets* tets, int32_t* outside, supError* error )
{
	supArena arena = { 0 };
	Slim s = { .lattice = lattice, .tets = tets };
	*outside = 0;
	if ( lattice->source->def->mode != sup_tetsFollow )
	{
		return true;
	}
	bool ok = supTetMoves_Init( &s.moves, tets, tets->pointCount, lattice->tasks, &arena );
	if ( ok )
	{
		s.moves.count = ListMovers( &s );
		DropMovers( &s );
		supTetMoves_ListTets( &s.moves );
		for ( int32_t i = 0; s.moves.count > 0 && i < ROUNDS * SWEEPS; ++i )
		{
			if ( i % SWEEPS == 0 )
			{
				supTetMoves_FindMeans( &s.moves );
				supParallelFor( lattice->tasks, s.moves.count, 32, WayRange, &s );
			}
			supTetMoves_Step( &s.moves );
		}
		*outside = CountOutside( &s );
	}
	supArena_Destroy( &arena );
	return ok ? true : supSetMemoryError( error );
}
