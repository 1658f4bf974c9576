// SPDX-License-Identifier: MIT
// Around thin parts the boundary stands out: layers of whole lattice tets, and cuts that keep away from pinned points.
// Here such points move onto the surface, as far as tets stay good.
//
// A point of the boundary that stands out wants to be at the place of the surface nearest to it, shifted towards the
// mean of its neighbours so that points spread evenly; a pinned point inside wants to be at the mean of its neighbours,
// which makes room between both sides. All move together, in steps: where a tet would leave the bounds, its points take
// half the step, and half of that, and none in the end. So the result does not depend on the order of points, and a
// mirrored body gets mirrored steps. What is thinner than good tets can be (some quarter of a cube) stays embedded.
#include "core/tasks.h"
#include "volume/tet_lattice.h"

#include <stdatomic.h>

// How often ways are found anew, and steps are taken along them.
#define ROUNDS 6
#define SWEEPS 3

// After so many halvings a point stays.
#define HALVINGS 6

// From a point towards the mean of its neighbours.
#define SMOOTH 0.7f

// Points nearer to the surface than this are on it, in cubes.
#define NEAR 0.02f

// Points that are farther out than this in the end are reported, in cubes.
#define OUT 0.05f

// Bounds of tets that change: angles of 12 and 162 degrees, by their cosines, and a mean ratio. Stencils may have
// worse ones; points of such tets stay.
#define COS_LEAST 0.978148
#define COS_MOST -0.951057
#define LEAST_RATIO 0.2

typedef struct Slim
{
	const supTetLattice* lattice;
	supTets* tets;
	// points that may move, those inside first
	int32_t moverCount;
	int32_t innerCount;
	int32_t* movers;
	// of all points: the mover, -1 for none
	int32_t* moverOf;
	// where from and where to, how far along that way, and the step that is tried
	supVec3* from;
	supVec3* way;
	float* done;
	float* step;
	// 1 where the step has changed since tets were looked at
	uint8_t* changed;
	// 1 where a tet says the step is too far
	_Atomic( uint8_t )* tooFar;
	// tets that have a mover
	int32_t tetCount;
	int32_t* touched;
} Slim;

// ---------------------------------------------------------------------------------------------------------------------
// Angles

typedef struct Normal
{
	double x, y, z, length;
} Normal;

static Normal FaceNormal( supVec3 a, supVec3 b, supVec3 c )
{
	double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y, uz = (double)b.z - (double)a.z;
	double vx = (double)c.x - (double)a.x, vy = (double)c.y - (double)a.y, vz = (double)c.z - (double)a.z;
	Normal n = { uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx, 0.0 };
	n.length = sqrt( n.x * n.x + n.y * n.y + n.z * n.z );
	return n;
}

// Is every dihedral angle within the bounds?
static bool IsGood( const supTets* tets, int32_t tet )
{
	const int32_t* c = tets->indices + 4 * (size_t)tet;
	const supVec3* p = tets->points;
	double volume = supTets_Volume( tets, tet ), squares = 0.0;
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t k = i + 1; k < 4; ++k )
		{
			squares += (double)supLengthSquared( supSub( p[c[i]], p[c[k]] ) );
		}
	}
	// mean ratio: 12 ( 3 V )^( 2 / 3 ) / squares, to the third power
	double least = LEAST_RATIO * squares / 12.0;
	if ( volume <= 0.0 || 9.0 * volume * volume < least * least * least )
	{
		return false;
	}
	const Normal n[4] = { FaceNormal( p[c[1]], p[c[2]], p[c[3]] ), FaceNormal( p[c[0]], p[c[3]], p[c[2]] ),
						  FaceNormal( p[c[0]], p[c[1]], p[c[3]] ), FaceNormal( p[c[0]], p[c[2]], p[c[1]] ) };
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t k = i + 1; k < 4; ++k )
		{
			// the angle within is the other way round from that between normals
			double dot = -( n[i].x * n[k].x + n[i].y * n[k].y + n[i].z * n[k].z ), scale = n[i].length * n[k].length;
			if ( dot > COS_LEAST * scale || dot < COS_MOST * scale )
			{
				return false;
			}
		}
	}
	return true;
}

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
				s->movers[count++] = id;
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
				s->movers[count++] = next;
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
		s->done[i] = i < s->innerCount ? 0.0f : MeasureOut( s->lattice, s->tets->points[s->movers[i]] );
	}
}

// Points of the boundary that are where they should be stay there.
static void DropMovers( Slim* s )
{
	supParallelFor( s->lattice->tasks, s->moverCount, 32, OutRange, s );
	int32_t count = s->innerCount;
	for ( int32_t i = s->innerCount; i < s->moverCount; ++i )
	{
		if ( s->done[i] > 0.0f )
		{
			s->movers[count++] = s->movers[i];
		}
	}
	// with nothing out there is nothing to make room for
	s->moverCount = count > s->innerCount ? count : 0;
	s->innerCount = s->moverCount > 0 ? s->innerCount : 0;
	memset( s->moverOf, -1, (size_t)s->tets->pointCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < s->moverCount; ++i )
	{
		s->moverOf[s->movers[i]] = i;
	}
}

static void ListTets( Slim* s )
{
	for ( int32_t i = 0; s->moverCount > 0 && i < s->tets->tetCount; ++i )
	{
		const int32_t* c = s->tets->indices + 4 * (size_t)i;
		if ( s->moverOf[c[0]] >= 0 || s->moverOf[c[1]] >= 0 || s->moverOf[c[2]] >= 0 || s->moverOf[c[3]] >= 0 )
		{
			s->touched[s->tetCount++] = i;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Ways

// The mean of the other corners of the tets around each mover, into `way`; `step` counts.
static void FindMeans( Slim* s )
{
	for ( int32_t i = 0; i < s->moverCount; ++i )
	{
		s->from[i] = s->tets->points[s->movers[i]];
		s->way[i] = supVec3_zero;
		s->step[i] = 0.0f;
		s->done[i] = 0.0f;
	}
	for ( int32_t i = 0; i < s->tetCount; ++i )
	{
		const int32_t* c = s->tets->indices + 4 * (size_t)s->touched[i];
		const supVec3* p = s->tets->points;
		supVec3 sum = supAdd( supAdd( p[c[0]], p[c[1]] ), supAdd( p[c[2]], p[c[3]] ) );
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t m = s->moverOf[c[k]];
			if ( m >= 0 )
			{
				s->way[m] = supAdd( s->way[m], supSub( sum, p[c[k]] ) );
				s->step[m] += 3.0f;
			}
		}
	}
}

static void WayRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Slim* s = context;
	const supTetLattice* l = s->lattice;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = s->from[i], mean = supScale( 1.0f / s->step[i], s->way[i] ), to = supLerp( p, mean, SMOOTH );
		supTreeHit hit;
		if ( i >= s->innerCount && supTree_FindClosest( l->source->tree, to, 2.0f * (float)l->grid.size, &hit ) )
		{
			// a boundary that is to lie inside of the surface stays on it here: a thin part may have no inside so deep
			float level = supMaxFloat( l->level, 0.0f ), distance = supDistance( p, hit.point );
			float part = distance > level ? level / distance : 1.0f;
			to = supLerp( hit.point, p, part );
		}
		s->way[i] = supSub( to, p );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps

static void CheckRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Slim* s = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const int32_t* c = s->tets->indices + 4 * (size_t)s->touched[i];
		int32_t movers[4];
		bool changed = false;
		for ( int32_t k = 0; k < 4; ++k )
		{
			movers[k] = s->moverOf[c[k]];
			changed = changed || ( movers[k] >= 0 && s->changed[movers[k]] != 0 );
		}
		if ( changed == false || IsGood( s->tets, s->touched[i] ) )
		{
			continue;
		}
		for ( int32_t k = 0; k < 4; ++k )
		{
			if ( movers[k] >= 0 )
			{
				atomic_store_explicit( s->tooFar + movers[k], 1, memory_order_relaxed );
			}
		}
	}
}

// Shorter steps where tets say so. False where none did.
static bool Shorten( Slim* s, int32_t round )
{
	bool any = false;
	for ( int32_t i = 0; i < s->moverCount; ++i )
	{
		bool shorter = atomic_load_explicit( s->tooFar + i, memory_order_relaxed ) != 0 && s->step[i] > 0.0f;
		s->changed[i] = shorter ? 1 : 0;
		if ( shorter )
		{
			s->step[i] = round < HALVINGS ? 0.5f * s->step[i] : 0.0f;
			any = true;
		}
		atomic_store_explicit( s->tooFar + i, 0, memory_order_relaxed );
	}
	return any;
}

// One step of all. It ends: from some round on points that are in the way stay.
static void Sweep( Slim* s )
{
	for ( int32_t i = 0; i < s->moverCount; ++i )
	{
		s->step[i] = 1.0f - s->done[i];
		s->changed[i] = 1;
	}
	bool again = true;
	for ( int32_t round = 0; again; ++round )
	{
		for ( int32_t i = 0; i < s->moverCount; ++i )
		{
			s->tets->points[s->movers[i]] = supMulAdd( s->from[i], s->done[i] + s->step[i], s->way[i] );
		}
		supParallelFor( s->lattice->tasks, s->tetCount, 256, CheckRange, s );
		again = Shorten( s, round );
	}
	for ( int32_t i = 0; i < s->moverCount; ++i )
	{
		s->done[i] += s->step[i];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// All together

static bool Allocate( Slim* s, supArena* arena )
{
	s->movers = supArena_AllocArray( arena, (size_t)s->tets->pointCount, sizeof( int32_t ) );
	s->moverOf = supArena_AllocArray( arena, (size_t)s->tets->pointCount, sizeof( int32_t ) );
	s->moverCount = arena->failed ? 0 : ListMovers( s );
	size_t count = (size_t)s->moverCount;
	s->done = supArena_AllocArray( arena, count, sizeof( float ) );
	s->step = supArena_AllocArray( arena, count, sizeof( float ) );
	s->from = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	s->way = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	s->changed = supArena_AllocArray( arena, count, sizeof( uint8_t ) );
	s->tooFar = supArena_AllocZeroed( arena, count );
	s->touched = supArena_AllocArray( arena, (size_t)s->tets->tetCount, sizeof( int32_t ) );
	return arena->failed == false;
}

static int32_t CountOutside( Slim* s )
{
	supParallelFor( s->lattice->tasks, s->moverCount, 32, OutRange, s );
	int32_t count = 0;
	for ( int32_t i = s->innerCount; i < s->moverCount; ++i )
	{
		count += s->done[i] > OUT * (float)s->lattice->grid.size ? 1 : 0;
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
	bool ok = Allocate( &s, &arena );
	if ( ok )
	{
		DropMovers( &s );
		ListTets( &s );
		for ( int32_t i = 0; s.moverCount > 0 && i < ROUNDS * SWEEPS; ++i )
		{
			if ( i % SWEEPS == 0 )
			{
				FindMeans( &s );
				supParallelFor( lattice->tasks, s.moverCount, 32, WayRange, &s );
			}
			Sweep( &s );
		}
		*outside = CountOutside( &s );
	}
	supArena_Destroy( &arena );
	return ok ? true : supSetMemoryError( error );
}
