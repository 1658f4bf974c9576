// SPDX-License-Identifier: MIT
// Who is whose neighbour on the surface of a contact skin.
#include "contact/skin_build.h"
#include "core/array.h"

// Around one vertex; with more its edges are tangled. Without a bound a file with all its triangles at one vertex would
// take forever.
#define MOST_FAN 256

// In lengths of the edges around a vertex.
#define NEAR_EDGES 3.0f
#define MOST_NEAR 128

static bool BuildFans( supContactSkin* skin )
{
	size_t vertices = (size_t)skin->vertexCount;
	skin->fanStarts = supArena_AllocArray( &skin->arena, vertices + 1, sizeof( int32_t ) );
	skin->fans = supArena_AllocArray( &skin->arena, 3 * (size_t)skin->triangleCount, sizeof( int32_t ) );
	if ( skin->fanStarts == NULL || skin->fans == NULL )
	{
		return false;
	}
	memset( skin->fanStarts, 0, ( vertices + 1 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < 3 * skin->triangleCount; ++i )
	{
		skin->fanStarts[skin->corners[i]] += 1;
	}
	int32_t sum = 0;
	for ( size_t i = 0; i <= vertices; ++i )
	{
		sum += skin->fanStarts[i];
		skin->fanStarts[i] = sum;
	}
	// from the last, so that each start comes down to where it belongs and fans are in ascending order
	for ( int32_t i = 3 * skin->triangleCount - 1; i >= 0; --i )
	{
		skin->fans[--skin->fanStarts[skin->corners[i]]] = i / 3;
	}
	return true;
}

// Which edge of the triangle runs from a to b? -1: none.
static int32_t FindEdge( const supContactSkin* skin, int32_t triangle, int32_t a, int32_t b )
{
	const int32_t* corners = skin->corners + 3 * (size_t)triangle;
	for ( int32_t k = 0; k < 3; ++k )
	{
		if ( corners[k] == a && corners[( k + 1 ) % 3] == b )
		{
			return k;
		}
	}
	return -1;
}

static int32_t FindNeighbour( const supContactSkin* skin, int32_t triangle, int32_t a, int32_t b )
{
	int32_t first = skin->fanStarts[a], end = skin->fanStarts[a + 1];
	if ( end - first > MOST_FAN )
	{
		return SUP_EDGE_TANGLED;
	}
	int32_t found = SUP_EDGE_OPEN;
	for ( int32_t i = first; i < end; ++i )
	{
		int32_t other = skin->fans[i];
		bool back = FindEdge( skin, other, b, a ) >= 0;
		bool same = other != triangle && FindEdge( skin, other, a, b ) >= 0;
		if ( same || ( back && found != SUP_EDGE_OPEN ) )
		{
			return SUP_EDGE_TANGLED;
		}
		found = back ? other : found;
	}
	return found;
}

static void FindNeighbours( supContactSkin* skin )
{
	for ( int32_t t = 0; t < skin->triangleCount; ++t )
	{
		const int32_t* corners = skin->corners + 3 * (size_t)t;
		for ( int32_t k = 0; k < 3; ++k )
		{
			skin->neighbours[3 * (size_t)t + (size_t)k] = FindNeighbour( skin, t, corners[k], corners[( k + 1 ) % 3] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Neighbourhoods: Dijkstra along the edges, no farther than a few of them

typedef struct Walker
{
	const supContactSkin* skin;
	int32_t* places; // of each vertex in `found`, where its mark is the walk's
	int32_t* marks;
	int32_t count;
	int32_t found[MOST_NEAR];
	float distances[MOST_NEAR];
	bool done[MOST_NEAR];
} Walker;

static void Reach( Walker* w, int32_t mark, int32_t vertex, float distance )
{
	if ( w->marks[vertex] == mark )
	{
		int32_t place = w->places[vertex];
		w->distances[place] = supMinFloat( w->distances[place], distance );
	}
	else if ( w->count < MOST_NEAR )
	{
		w->marks[vertex] = mark;
		w->places[vertex] = w->count;
		w->found[w->count] = vertex;
		w->distances[w->count] = distance;
		w->done[w->count++] = false;
	}
}

static int32_t TakeNearest( Walker* w )
{
	int32_t best = -1;
	for ( int32_t i = 0; i < w->count; ++i )
	{
		if ( w->done[i] == false && ( best < 0 || w->distances[i] < w->distances[best] ) )
		{
			best = i;
		}
	}
	if ( best >= 0 )
	{
		w->done[best] = true;
	}
	return best;
}

static float MeanEdgeAround( const supContactSkin* skin, int32_t vertex )
{
	float sum = 0.0f;
	int32_t first = skin->fanStarts[vertex], end = skin->fanStarts[vertex + 1];
	for ( int32_t i = first; i < end; ++i )
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			sum += supDistance( skin->rest[vertex], skin->rest[skin->corners[3 * (size_t)skin->fans[i] + (size_t)k]] );
		}
	}
	return sum / (float)( 2 * ( end - first ) );
}

static void FindNear( Walker* w, int32_t vertex )
{
	const supContactSkin* skin = w->skin;
	int32_t mark = vertex + 1;
	float reach = NEAR_EDGES * MeanEdgeAround( skin, vertex );
	w->count = 0;
	Reach( w, mark, vertex, 0.0f );
	for ( int32_t place = TakeNearest( w ); place >= 0; place = TakeNearest( w ) )
	{
		int32_t at = w->found[place];
		int32_t end = skin->fanStarts[at + 1];
		end = end < skin->fanStarts[at] + MOST_FAN ? end : skin->fanStarts[at] + MOST_FAN;
		for ( int32_t i = skin->fanStarts[at]; i < end; ++i )
		{
			for ( int32_t k = 0; k < 3; ++k )
			{
				int32_t next = skin->corners[3 * (size_t)skin->fans[i] + (size_t)k];
				float distance = w->distances[place] + supDistance( skin->rest[at], skin->rest[next] );
				if ( next != at && distance <= reach )
				{
					Reach( w, mark, next, distance );
				}
			}
		}
	}
}

static void SortInts( int32_t* values, int32_t count )
{
	for ( int32_t i = 1; i < count; ++i )
	{
		int32_t value = values[i], at = i;
		for ( ; at > 0 && values[at - 1] > value; --at )
		{
			values[at] = values[at - 1];
		}
		values[at] = value;
	}
}

static bool BuildNears( supContactSkin* skin, supArena* scratch )
{
	size_t vertices = (size_t)skin->vertexCount;
	Walker walker = { .skin = skin };
	walker.places = supArena_AllocArray( scratch, vertices, sizeof( int32_t ) );
	walker.marks = supArena_AllocArray( scratch, vertices, sizeof( int32_t ) );
	skin->nearStarts = supArena_AllocArray( &skin->arena, vertices + 1, sizeof( int32_t ) );
	if ( walker.places == NULL || walker.marks == NULL || skin->nearStarts == NULL )
	{
		return false;
	}
	memset( walker.marks, 0, vertices * sizeof( int32_t ) );
	SUP_ARRAY( int32_t ) nears = { 0 };
	bool ok = true;
	for ( int32_t v = 0; v < skin->vertexCount && ok; ++v )
	{
		skin->nearStarts[v] = nears.count;
		FindNear( &walker, v );
		SortInts( walker.found, walker.count );
		for ( int32_t i = 0; i < walker.count && ok; ++i )
		{
			ok = nears.count < INT32_MAX && SUP_PUSH( &nears, walker.found[i] );
		}
	}
	skin->nearStarts[vertices] = nears.count;
	skin->nears = ok ? supArena_CopyArray( &skin->arena, nears.data, (size_t)nears.count, sizeof( int32_t ) ) : NULL;
	SUP_FREE_ARRAY( &nears );
	return skin->nears != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Patches side by side

// Patches around the corners of a patch's triangles: sorted, each once, itself included.
static int32_t ListSides( const supContactSkin* skin, int32_t patch, int32_t* marks, int32_t* sides )
{
	int32_t count = 0;
	sides[count++] = patch;
	marks[patch] = patch + 1;
	const supSkinPatch* p = skin->patches + patch;
	for ( int32_t c = p->firstCluster; c < p->firstCluster + p->clusterCount; ++c )
	{
		const supSkinCluster* cluster = skin->clusters + c;
		for ( int32_t i = 3 * cluster->firstTriangle; i < 3 * ( cluster->firstTriangle + cluster->triangleCount ); ++i )
		{
			int32_t vertex = skin->corners[i];
			int32_t end = skin->fanStarts[vertex + 1];
			end = end < skin->fanStarts[vertex] + MOST_FAN ? end : skin->fanStarts[vertex] + MOST_FAN;
			for ( int32_t k = skin->fanStarts[vertex]; k < end; ++k )
			{
				int32_t other = skin->clusters[skin->triangleClusters[skin->fans[k]]].patch;
				if ( marks[other] != patch + 1 )
				{
					marks[other] = patch + 1;
					sides[count++] = other;
				}
			}
		}
	}
	SortInts( sides, count );
	return count;
}

static bool BuildSides( supContactSkin* skin, supArena* scratch )
{
	size_t patches = (size_t)skin->patchCount;
	int32_t* marks = supArena_AllocArray( scratch, patches, sizeof( int32_t ) );
	int32_t* sides = supArena_AllocArray( scratch, patches, sizeof( int32_t ) );
	skin->sideStarts = supArena_AllocArray( &skin->arena, patches + 1, sizeof( int32_t ) );
	if ( marks == NULL || sides == NULL || skin->sideStarts == NULL )
	{
		return false;
	}
	memset( marks, 0, patches * sizeof( int32_t ) );
	SUP_ARRAY( int32_t ) all = { 0 };
	bool ok = true;
	for ( int32_t i = 0; i < skin->patchCount && ok; ++i )
	{
		skin->sideStarts[i] = all.count;
		int32_t count = ListSides( skin, i, marks, sides );
		for ( int32_t k = 0; k < count && ok; ++k )
		{
			ok = SUP_PUSH( &all, sides[k] );
		}
	}
	skin->sideStarts[patches] = all.count;
	skin->sides = ok ? supArena_CopyArray( &skin->arena, all.data, (size_t)all.count, sizeof( int32_t ) ) : NULL;
	SUP_FREE_ARRAY( &all );
	return skin->sides != NULL;
}

bool supContactSkin_BuildTopology( supContactSkin* skin )
{
	if ( BuildFans( skin ) == false )
	{
		return false;
	}
	FindNeighbours( skin );
	supArena scratch = { 0 };
	bool ok = BuildNears( skin, &scratch ) && BuildSides( skin, &scratch );
	supArena_Destroy( &scratch );
	return ok;
}

// Among sorted[begin .. end).
static bool Contains( const int32_t* sorted, int32_t begin, int32_t end, int32_t value )
{
	int32_t lower = begin, upper = end;
	while ( lower < upper )
	{
		int32_t middle = lower + ( upper - lower ) / 2;
		if ( sorted[middle] < value )
		{
			lower = middle + 1;
		}
		else
		{
			upper = middle;
		}
	}
	return lower < end && sorted[lower] == value;
}

bool supContactSkin_AreNear( const supContactSkin* skin, int32_t vertex, int32_t triangle )
{
	int32_t begin = skin->nearStarts[vertex], end = skin->nearStarts[vertex + 1];
	const int32_t* corners = skin->corners + 3 * (size_t)triangle;
	return Contains( skin->nears, begin, end, corners[0] ) || Contains( skin->nears, begin, end, corners[1] ) ||
		   Contains( skin->nears, begin, end, corners[2] );
}

bool supContactSkin_AreSideBySide( const supContactSkin* skin, int32_t patch, int32_t other )
{
	return Contains( skin->sides, skin->sideStarts[patch], skin->sideStarts[patch + 1], other );
}

bool supContactSkin_TouchAtRest( const supContactSkin* skin, int32_t cluster, int32_t other )
{
	return Contains( skin->touches, skin->touchStarts[cluster], skin->touchStarts[cluster + 1], other );
}
