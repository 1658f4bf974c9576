// SPDX-License-Identifier: MIT
#include "volume/tets/tet_cap.h"

#include "volume/tets/tet_move.h"
#include "volume/tets/tet_topology.h"

// A corner with a smaller coordinate is not one of the place.
#define LEAST_COORDINATE 0.02f

// Faces around one place that get a tet.
#define MOST_FACES 16

typedef struct Caps
{
	supTets* tets;
	int32_t faceCount;
	// three points each, counter-clockwise from outside
	int32_t* faces;
	// 1 where a face has a tet on it now
	uint8_t* used;
	// the faces around each point
	int32_t* starts;
	int32_t* around;
} Caps;

static bool ListFaces( Caps* caps, supArena* scratch, supError* error )
{
	if ( supTets_Boundary( caps->tets, scratch, &caps->faceCount, &caps->faces, error ) == false )
	{
		return false;
	}
	size_t corners = 3 * (size_t)caps->faceCount, points = (size_t)caps->tets->pointCount;
	caps->used = supArena_AllocZeroed( scratch, (size_t)caps->faceCount );
	caps->starts = supArena_AllocZeroed( scratch, ( points + 2 ) * sizeof( int32_t ) );
	caps->around = supArena_AllocArray( scratch, corners, sizeof( int32_t ) );
	if ( scratch->failed )
	{
		return supSetMemoryError( error );
	}
	for ( size_t i = 0; i < corners; ++i )
	{
		caps->starts[caps->faces[i] + 2] += 1;
	}
	for ( size_t i = 0; i < points; ++i )
	{
		caps->starts[i + 2] += caps->starts[i + 1];
	}
	for ( size_t i = 0; i < corners; ++i )
	{
		caps->around[caps->starts[caps->faces[i] + 1]++] = (int32_t)( i / 3 );
	}
	return true;
}

// Are all points of a place corners of the face?
static bool Holds( const int32_t* face, const int32_t* points, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( face[0] != points[i] && face[1] != points[i] && face[2] != points[i] )
		{
			return false;
		}
	}
	return true;
}

// The tets of one cap, after those that are there. Returns how many; 0 where a face is taken.
static int32_t AddTets( Caps* caps, const supTetCap* cap )
{
	supTets* tets = caps->tets;
	int32_t points[4], pointCount = 0, count = 0, used[MOST_FACES];
	for ( int32_t k = 0; k < 4; ++k )
	{
		if ( cap->coordinates[k] > LEAST_COORDINATE )
		{
			points[pointCount++] = tets->indices[4 * (size_t)cap->tet + (size_t)k];
		}
	}
	tets->points[tets->pointCount] = cap->apex;
	for ( int32_t i = caps->starts[points[0]]; i < caps->starts[points[0] + 1] && count < MOST_FACES; ++i )
	{
		const int32_t* face = caps->faces + 3 * (size_t)caps->around[i];
		if ( Holds( face, points, pointCount ) == false )
		{
			continue;
		}
		if ( caps->used[caps->around[i]] != 0 )
		{
			return 0;
		}
		int32_t* tet = tets->indices + 4 * ( (size_t)tets->tetCount + (size_t)count );
		tet[0] = face[0];
		tet[1] = face[1];
		tet[2] = face[2];
		tet[3] = tets->pointCount;
		if ( supTets_IsGood( tets, tets->tetCount + count ) )
		{
			used[count++] = caps->around[i];
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		caps->used[used[i]] = 1;
	}
	return count;
}

// Room for so many more points, with tets on them.
static bool Grow( supTets* tets, int32_t more )
{
	size_t points = (size_t)tets->pointCount, tetCount = (size_t)tets->tetCount;
	supVec3* newPoints = supArena_AllocArray( &tets->arena, points + (size_t)more, sizeof( supVec3 ) );
	int32_t* newIndices =
		supArena_AllocArray( &tets->arena, 4 * ( tetCount + MOST_FACES * (size_t)more ), sizeof( int32_t ) );
	if ( newPoints == NULL || newIndices == NULL )
	{
		return false;
	}
	memcpy( newPoints, tets->points, points * sizeof( supVec3 ) );
	memcpy( newIndices, tets->indices, 4 * tetCount * sizeof( int32_t ) );
	tets->points = newPoints;
	tets->indices = newIndices;
	return true;
}

bool supAddTetCaps( supTets* tets, const supTetCap* caps, int32_t capCount, int32_t* added, supError* error )
{
	supArena scratch = { 0 };
	Caps state = { .tets = tets };
	*added = 0;
	bool ok = ListFaces( &state, &scratch, error ) && ( Grow( tets, capCount ) || supSetMemoryError( error ) );
	for ( int32_t i = 0; ok && i < capCount; ++i )
	{
		int32_t count = AddTets( &state, caps + i );
		tets->tetCount += count;
		tets->pointCount += count > 0 ? 1 : 0;
		*added += count > 0 ? 1 : 0;
	}
	supArena_Destroy( &scratch );
	return ok;
}
