// SPDX-License-Identifier: MIT
#include "volume/tets/tet_topology.h"

const int8_t supTetFaces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };

const int8_t supTetEdges[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

static void SumUp( int32_t* counts, int32_t count )
{
	int32_t sum = 0;
	for ( int32_t i = 0; i <= count; ++i )
	{
		int32_t here = counts[i];
		counts[i] = sum;
		sum += here;
	}
}

bool supTets_Around( const supTets* tets, supArena* arena, int32_t** starts, int32_t** items, supError* error )
{
	size_t n = (size_t)tets->pointCount;
	int32_t* first = supArena_AllocArray( arena, n + 2, sizeof( int32_t ) );
	int32_t* list = supArena_AllocArray( arena, 4 * (size_t)tets->tetCount, sizeof( int32_t ) );
	if ( first == NULL || list == NULL )
	{
		return supSetMemoryError( error );
	}
	// One place further on than they belong: filling moves each start up to the next one's.
	memset( first, 0, ( n + 2 ) * sizeof( int32_t ) );
	for ( size_t i = 0; i < 4 * (size_t)tets->tetCount; ++i )
	{
		first[tets->indices[i] + 1] += 1;
	}
	SumUp( first + 1, tets->pointCount );
	for ( size_t i = 0; i < 4 * (size_t)tets->tetCount; ++i )
	{
		list[first[tets->indices[i] + 1]++] = (int32_t)( i / 4 );
	}
	*starts = first;
	*items = list;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Edges

typedef struct EdgeWalk
{
	const supTets* tets;
	const int32_t* starts;
	const int32_t* items;
	// the last point whose edges have met each point
	int32_t* seen;
} EdgeWalk;

// The points below `point` that share an edge with it, each once. Returns how many.
static int32_t FindLowerNeighbours( EdgeWalk* walk, int32_t point, int32_t* ends, int32_t* edges )
{
	int32_t count = 0;
	for ( int32_t i = walk->starts[point]; i < walk->starts[point + 1]; ++i )
	{
		const int32_t* corners = walk->tets->indices + 4 * (size_t)walk->items[i];
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t other = corners[k];
			if ( other < point && walk->seen[other] != point )
			{
				walk->seen[other] = point;
				count += 1;
				if ( edges != NULL )
				{
					int32_t* edge = edges + 2 * (size_t)ends[other]++;
					edge[0] = other;
					edge[1] = point;
				}
				else
				{
					ends[other] += 1;
				}
			}
		}
	}
	return count;
}

bool supTets_Edges( const supTets* tets, supArena* arena, int32_t* edgeCount, int32_t** edges, supError* error )
{
	supArena scratch = { 0 };
	size_t n = (size_t)tets->pointCount;
	EdgeWalk walk = { .tets = tets };
	int32_t *starts = NULL, *items = NULL;
	bool ok = supTets_Around( tets, &scratch, &starts, &items, error );
	walk.seen = supArena_AllocArray( &scratch, n, sizeof( int32_t ) );
	int32_t* ends = supArena_AllocArray( &scratch, n + 1, sizeof( int32_t ) );
	if ( scratch.failed )
	{
		supArena_Destroy( &scratch );
		return supSetMemoryError( error );
	}
	walk.starts = starts;
	walk.items = items;
	// Points rise in the outer loop, so the edges of each lower point come out sorted.
	memset( walk.seen, 0xff, n * sizeof( int32_t ) );
	memset( ends, 0, ( n + 1 ) * sizeof( int32_t ) );
	int32_t count = 0;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		count += FindLowerNeighbours( &walk, i, ends, NULL );
	}
	SumUp( ends, tets->pointCount );
	int32_t* list = supArena_AllocArray( arena, 2 * (size_t)count, sizeof( int32_t ) );
	ok = ok && list != NULL ? true : supSetMemoryError( error );
	if ( ok )
	{
		memset( walk.seen, 0xff, n * sizeof( int32_t ) );
		for ( int32_t i = 0; i < tets->pointCount; ++i )
		{
			FindLowerNeighbours( &walk, i, ends, list );
		}
		*edgeCount = count;
		*edges = list;
	}
	supArena_Destroy( &scratch );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Faces

typedef struct Face
{
	// rising
	int32_t points[3];
} Face;

static void Order( int32_t* a, int32_t* b )
{
	if ( *a > *b )
	{
		int32_t c = *a;
		*a = *b;
		*b = c;
	}
}

// - face is four times the tet plus the corner opposite
static Face GetFace( const supTets* tets, int32_t face )
{
	const int32_t* corners = tets->indices + 4 * (size_t)( face / 4 );
	const int8_t* local = supTetFaces[face % 4];
	Face f = { { corners[local[0]], corners[local[1]], corners[local[2]] } };
	Order( &f.points[0], &f.points[1] );
	Order( &f.points[1], &f.points[2] );
	Order( &f.points[0], &f.points[1] );
	return f;
}

// One pass of a stable sort: faces by their point at `place`.
static void SortFaces( const supTets* tets, int place, const int32_t* from, int32_t* to, int32_t* starts )
{
	size_t faceCount = 4 * (size_t)tets->tetCount;
	memset( starts, 0, ( (size_t)tets->pointCount + 1 ) * sizeof( int32_t ) );
	for ( size_t i = 0; i < faceCount; ++i )
	{
		starts[GetFace( tets, (int32_t)i ).points[place]] += 1;
	}
	SumUp( starts, tets->pointCount );
	for ( size_t i = 0; i < faceCount; ++i )
	{
		int32_t face = from != NULL ? from[i] : (int32_t)i;
		to[starts[GetFace( tets, face ).points[place]]++] = face;
	}
}

// What `count` faces with the same points see of each other.
static void Join( const int32_t* faces, int32_t count, int32_t* neighbours )
{
	if ( count == 2 )
	{
		neighbours[faces[0]] = faces[1] / 4;
		neighbours[faces[1]] = faces[0] / 4;
		return;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		neighbours[faces[i]] = count == 1 ? -1 : -2;
	}
}

bool supTets_Neighbours( const supTets* tets, supArena* arena, int32_t** neighbours, supError* error )
{
	SUP_ASSERT( tets->tetCount <= INT32_MAX / 4 );
	supArena scratch = { 0 };
	int32_t faceCount = 4 * tets->tetCount;
	int32_t* table = supArena_AllocArray( arena, (size_t)faceCount, sizeof( int32_t ) );
	int32_t* sorted = supArena_AllocArray( &scratch, (size_t)faceCount, sizeof( int32_t ) );
	int32_t* starts = supArena_AllocArray( &scratch, (size_t)tets->pointCount + 1, sizeof( int32_t ) );
	if ( table == NULL || scratch.failed )
	{
		supArena_Destroy( &scratch );
		return supSetMemoryError( error );
	}
	SortFaces( tets, 2, NULL, sorted, starts );
	SortFaces( tets, 1, sorted, table, starts );
	SortFaces( tets, 0, table, sorted, starts );
	int32_t end = 0;
	for ( int32_t i = 0; i < faceCount; i = end )
	{
		Face face = GetFace( tets, sorted[i] );
		for ( end = i + 1; end < faceCount; ++end )
		{
			Face next = GetFace( tets, sorted[end] );
			if ( memcmp( &next, &face, sizeof( Face ) ) != 0 )
			{
				break;
			}
		}
		Join( sorted + i, end - i, table );
	}
	*neighbours = table;
	supArena_Destroy( &scratch );
	return true;
}

bool supTets_Boundary( const supTets* tets, supArena* arena, int32_t* triangleCount, int32_t** triangles,
					   supError* error )
{
	supArena scratch = { 0 };
	int32_t* neighbours = NULL;
	if ( supTets_Neighbours( tets, &scratch, &neighbours, error ) == false )
	{
		supArena_Destroy( &scratch );
		return false;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < 4 * tets->tetCount; ++i )
	{
		count += neighbours[i] == -1 ? 1 : 0;
	}
	int32_t* list = supArena_AllocArray( arena, 3 * (size_t)count, sizeof( int32_t ) );
	int32_t* next = list;
	for ( int32_t i = 0; list != NULL && i < 4 * tets->tetCount; ++i )
	{
		if ( neighbours[i] == -1 )
		{
			for ( int32_t k = 0; k < 3; ++k )
			{
				*next++ = tets->indices[4 * (size_t)( i / 4 ) + (size_t)supTetFaces[i % 4][k]];
			}
		}
	}
	supArena_Destroy( &scratch );
	*triangleCount = count;
	*triangles = list;
	return list != NULL ? true : supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts

static int32_t FindRoot( int32_t* parents, int32_t i )
{
	while ( parents[i] != i )
	{
		parents[i] = parents[parents[i]];
		i = parents[i];
	}
	return i;
}

bool supTets_Parts( const supTets* tets, supArena* arena, int32_t* partCount, int32_t** parts, supError* error )
{
	int32_t* list = supArena_AllocArray( arena, (size_t)tets->pointCount, sizeof( int32_t ) );
	if ( list == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		list[i] = i;
	}
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		const int32_t* corners = tets->indices + 4 * (size_t)i;
		for ( int32_t k = 1; k < 4; ++k )
		{
			int32_t a = FindRoot( list, corners[0] ), b = FindRoot( list, corners[k] );
			list[a > b ? a : b] = a < b ? a : b;
		}
	}
	// parents come before their children, so that roots have their numbers already; they are told from points by sign
	int32_t count = 0;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		list[i] = list[i] == i ? ~count++ : list[list[i]];
	}
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		list[i] = ~list[i];
	}
	*partCount = count;
	*parts = list;
	return true;
}
