// SPDX-License-Identifier: MIT
#include "volume/tets/tet_cover.h"

#include "core/sort.h"
#include "core/tasks.h"
#include "volume/tets/tet_cap.h"
#include "volume/tets/tet_finder.h"
#include "volume/tets/tet_move.h"
#include "volume/tets/tet_topology.h"

// How often caps are added; before that, how often places of vertices are found again, how often those of all vertices,
// and steps along each way.
#define CYCLES 4
#define ROUNDS 16
#define ROUNDS_PER_FULL_SEARCH 8
#define STEPS 2

// From this round on neighbours go along, by this part of the way.
#define ALONE 8
#define SPREAD 0.5f

// A vertex that is out is brought within this part of the tolerance: the next round need not come back to it.
#define AIM 0.5f

// Points inside go this far towards the mean of their neighbours in a round, which makes room behind the boundary.
#define RELAX_RATIO 0.5f

// A vertex farther from its tet than this belongs to it only where the way between them is inside of the surface, in
// cubes.
#define NEAR 0.25f

typedef struct Cover
{
	const supTetCoverDef* def;
	supTets* tets;
	supTetFinder* finder;
	// vertices that are looked at
	int32_t activeCount;
	int32_t* active;
	// of these: the place in the tets, and how far out they are; 0 where the tets hold them or another part is nearer
	supTetPlace* places;
	float* distances;
	// of points: ways that vertices ask for, weighted, and the weights
	supVec4* pulls;
	supVec4* spread;
	bool* isBoundary;
	supTetMoves moves;
} Cover;

// Does the way from tets to a vertex stay inside of the surface? Else the tets are another part's.
static bool IsOwn( const Cover* cover, supVec3 vertex, supVec3 place, float distance )
{
	return distance < NEAR * cover->def->size ||
		   supWinding_Evaluate( cover->def->winding, supLerp( vertex, place, 0.5f ) ) > 0.5f;
}

static void FindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Cover* cover = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = cover->def->positions[cover->active[i]];
		supTetFinder_FindNearest( cover->finder, p, cover->places + i );
		cover->distances[i] = supDistance( p, cover->places[i].point );
	}
}

// Places of the active vertices, or of all. Only those that are out stay active. Returns how far the farthest is.
static bool FindPlaces( Cover* cover, bool all, float* farthest, supError* error )
{
	*farthest = 0.0f;
	if ( all == false && cover->activeCount == 0 )
	{
		return true;
	}
	cover->finder = supCreateTetFinder( cover->tets, error );
	if ( cover->finder == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; all && i < cover->def->vertexCount; ++i )
	{
		cover->active[i] = i;
	}
	cover->activeCount = all ? cover->def->vertexCount : cover->activeCount;
	supParallelFor( cover->def->tasks, cover->activeCount, 64, FindRange, cover );
	supDestroyTetFinder( cover->finder );
	int32_t count = 0;
	for ( int32_t i = 0; i < cover->activeCount; ++i )
	{
		*farthest = supMaxFloat( *farthest, cover->distances[i] );
		if ( cover->distances[i] > cover->def->tolerance )
		{
			cover->active[count] = cover->active[i];
			cover->places[count] = cover->places[i];
			cover->distances[count++] = cover->distances[i];
		}
	}
	cover->activeCount = count;
	return true;
}

// The least motion of the corners of its tet that brings a vertex within the tolerance. Where several vertices pull at
// a point, those that are farther out count more.
static void AddPulls( Cover* cover )
{
	memset( cover->pulls, 0, (size_t)cover->tets->pointCount * sizeof( supVec4 ) );
	for ( int32_t i = 0; i < cover->activeCount; ++i )
	{
		const supTetPlace* place = cover->places + i;
		supVec3 p = cover->def->positions[cover->active[i]];
		float distance = cover->distances[i], squares = 0.0f;
		for ( int32_t k = 0; k < 4; ++k )
		{
			squares += place->coordinates[k] * place->coordinates[k];
		}
		if ( IsOwn( cover, p, place->point, distance ) == false )
		{
			continue;
		}
		supVec3 way = supScale( 1.0f - AIM * cover->def->tolerance / distance, supSub( p, place->point ) );
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t point = cover->tets->indices[4 * (size_t)place->tet + (size_t)k];
			float c = place->coordinates[k], weight = c * distance;
			supVec4* pull = cover->pulls + point;
			pull->x += weight * c / squares * way.x;
			pull->y += weight * c / squares * way.y;
			pull->z += weight * c / squares * way.z;
			pull->w += weight;
		}
	}
}

// Points of the boundary beside pulled ones go along by a part of the way: a point that goes alone soon has flat tets.
static void SpreadPulls( Cover* cover )
{
	const supTets* tets = cover->tets;
	memset( cover->spread, 0, (size_t)tets->pointCount * sizeof( supVec4 ) );
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		const int32_t* c = tets->indices + 4 * (size_t)i;
		for ( int32_t k = 0; k < 4; ++k )
		{
			supVec4 pull = cover->pulls[c[k]];
			for ( int32_t m = 0; pull.w > 0.0f && m < 4; ++m )
			{
				supVec4* to = cover->spread + c[m];
				to->x += SPREAD / pull.w * pull.x;
				to->y += SPREAD / pull.w * pull.y;
				to->z += SPREAD / pull.w * pull.z;
				to->w += 1.0f;
			}
		}
	}
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		if ( cover->isBoundary[i] && cover->pulls[i].w == 0.0f )
		{
			cover->pulls[i] = cover->spread[i];
		}
	}
}

// Points that are pulled, and points inside that share a tet with one.
static void ListMovers( Cover* cover )
{
	const supTets* tets = cover->tets;
	supTetMoves* moves = &cover->moves;
	memset( moves->numbers, -1, (size_t)tets->pointCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		const int32_t* c = tets->indices + 4 * (size_t)i;
		bool pulled = cover->pulls[c[0]].w > 0.0f || cover->pulls[c[1]].w > 0.0f || cover->pulls[c[2]].w > 0.0f ||
					  cover->pulls[c[3]].w > 0.0f;
		for ( int32_t k = 0; pulled && k < 4; ++k )
		{
			moves->numbers[c[k]] = cover->isBoundary[c[k]] && cover->pulls[c[k]].w == 0.0f ? -1 : 0;
		}
	}
	moves->count = 0;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		if ( moves->numbers[i] == 0 )
		{
			moves->points[moves->count++] = i;
		}
	}
	supTetMoves_ListTets( moves );
}

static void Move( Cover* cover )
{
	supTetMoves* moves = &cover->moves;
	ListMovers( cover );
	supTetMoves_FindMeans( moves );
	for ( int32_t i = 0; i < moves->count; ++i )
	{
		supVec4 pull = cover->pulls[moves->points[i]];
		moves->way[i] = pull.w > 0.0f ? supScale( 1.0f / pull.w, supMakeVec3( pull.x, pull.y, pull.z ) )
									  : supScale( RELAX_RATIO, supSub( moves->way[i], moves->from[i] ) );
	}
	for ( int32_t i = 0; i < STEPS; ++i )
	{
		supTetMoves_Step( moves );
	}
}

static bool FindBoundary( Cover* cover, supArena* arena, supError* error )
{
	int32_t count = 0, *triangles = NULL;
	if ( supTets_Boundary( cover->tets, arena, &count, &triangles, error ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < 3 * count; ++i )
	{
		cover->isBoundary[triangles[i]] = true;
	}
	return true;
}

// Vertices that are still out, the farthest first, become corners of new tets.
static bool AddCaps( Cover* cover, supArena* arena, int32_t* added, supError* error )
{
	size_t most = (size_t)cover->activeCount;
	uint64_t* keys = supArena_AllocArray( arena, most, sizeof( uint64_t ) );
	uint64_t* scratch = supArena_AllocArray( arena, most, sizeof( uint64_t ) );
	supTetCap* caps = supArena_AllocArray( arena, most, sizeof( supTetCap ) );
	if ( arena->failed )
	{
		return supSetMemoryError( error );
	}
	size_t count = 0;
	for ( int32_t i = 0; i < cover->activeCount; ++i )
	{
		supVec3 p = cover->def->positions[cover->active[i]];
		float distance = cover->distances[i];
		if ( IsOwn( cover, p, cover->places[i].point, distance ) )
		{
			// in hundredths of the tolerance, largest first
			float steps = supMinFloat( 100.0f * distance / cover->def->tolerance, 1e9f );
			keys[count++] = (uint64_t)( INT32_MAX - (int32_t)steps ) << 32 | (uint64_t)i;
		}
	}
	supSortKeys( keys, scratch, count, 63 );
	for ( size_t i = 0; i < count; ++i )
	{
		const supTetPlace* place = cover->places + ( keys[i] & 0xffffffffu );
		caps[i] =
			( supTetCap ){ .apex = cover->def->positions[cover->active[keys[i] & 0xffffffffu]], .tet = place->tet };
		memcpy( caps[i].coordinates, place->coordinates, sizeof( caps[i].coordinates ) );
	}
	return supAddTetCaps( cover->tets, caps, (int32_t)count, added, error );
}

// Moves points until little changes, then adds caps where vertices are still out.
static bool RunCycle( supTets* tets, const supTetCoverDef* def, float* farthest, int32_t* added, supError* error )
{
	supArena arena = { 0 };
	Cover cover = { .def = def, .tets = tets };
	size_t vertices = (size_t)def->vertexCount, points = (size_t)tets->pointCount;
	cover.active = supArena_AllocArray( &arena, vertices, sizeof( int32_t ) );
	cover.places = supArena_AllocArray( &arena, vertices, sizeof( supTetPlace ) );
	cover.distances = supArena_AllocArray( &arena, vertices, sizeof( float ) );
	cover.pulls = supArena_AllocArray( &arena, points, sizeof( supVec4 ) );
	cover.spread = supArena_AllocArray( &arena, points, sizeof( supVec4 ) );
	cover.isBoundary = supArena_AllocZeroed( &arena, points );
	bool ok =
		supTetMoves_Init( &cover.moves, tets, tets->pointCount, def->tasks, &arena ) || supSetMemoryError( error );
	ok = ok && FindBoundary( &cover, &arena, error );
	// all vertices have been looked at, none is out, and so nothing moves any more
	bool isDone = false;
	for ( int32_t i = 0; ok && isDone == false && i < ROUNDS; ++i )
	{
		bool isFull = i % ROUNDS_PER_FULL_SEARCH == 0;
		ok = FindPlaces( &cover, isFull, farthest, error );
		isDone = isFull && cover.activeCount == 0;
		if ( ok && cover.activeCount > 0 )
		{
			AddPulls( &cover );
			if ( i >= ALONE )
			{
				SpreadPulls( &cover );
			}
			Move( &cover );
		}
	}
	*added = 0;
	ok = ok && ( isDone || FindPlaces( &cover, true, farthest, error ) ) &&
		 ( cover.activeCount == 0 || AddCaps( &cover, &arena, added, error ) );
	supArena_Destroy( &arena );
	return ok;
}

bool supCoverSurface( supTets* tets, const supTetCoverDef* def, float* farthest, supError* error )
{
	int32_t added = 1;
	bool ok = true;
	for ( int32_t i = 0; ok && added > 0 && i < CYCLES; ++i )
	{
		ok = RunCycle( tets, def, farthest, &added, error );
	}
	return ok;
}
