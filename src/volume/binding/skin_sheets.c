// SPDX-License-Identifier: MIT
#include "volume/binding/skin_sheets.h"

#include "core/sort.h"
#include "geometry/weld.h"

typedef struct Builder
{
	const supSkinLayerDef* def;
	supSkinSheets* sheets;
	supSkinLayerReport* report;
	supArena scratch;
	// of each vertex the smallest vertex at its place
	int32_t* places;
	// half edges by the places of their ends: opposite[3 t + k] is the half edge on the other side of the edge from
	// corner k to the next, -1 where the edge is open, not manifold or turned
	int32_t* opposite;
	uint64_t* keys;
	uint64_t* sortScratch;
	int32_t* parents;
} Builder;

// ---------------------------------------------------------------------------------------------------------------------
// Triangles

static void CopyTriangles( Builder* b )
{
	const supSkinLayerDef* def = b->def;
	supSkinSheets* sheets = b->sheets;
	for ( int32_t i = 0; i < def->triangleCount; ++i )
	{
		const uint32_t* from = def->indices + 3 * (ptrdiff_t)i;
		int32_t x = b->places[from[0]], y = b->places[from[1]], z = b->places[from[2]];
		if ( x == y || y == z || z == x )
		{
			b->report->degenerateTriangles += 1;
			continue;
		}
		int32_t* to = sheets->corners + 3 * (ptrdiff_t)sheets->triangleCount++;
		to[0] = x;
		to[1] = y;
		to[2] = z;
	}
}

static int32_t Least( int32_t a, int32_t b )
{
	return a < b ? a : b;
}

// A number that triangles on the same three places share, and few others.
static uint64_t TripleKey( const int32_t* c )
{
	uint64_t sum = (uint64_t)c[0] + (uint64_t)c[1] + (uint64_t)c[2];
	return (uint64_t)Least( c[0], Least( c[1], c[2] ) ) << 32 | ( sum & UINT32_MAX );
}

static bool StandOnSamePlaces( const int32_t* a, const int32_t* b )
{
	int32_t shared = 0;
	for ( int32_t i = 0; i < 3; ++i )
	{
		shared += a[i] == b[0] || a[i] == b[1] || a[i] == b[2];
	}
	return shared == 3;
}

// Marks every triangle that stands where an earlier one does: its first corner becomes -1. Two sheets back to back on
// the same vertices have no inside; the first is kept.
static void MarkDuplicates( Builder* b, uint64_t* order )
{
	int32_t* corners = b->sheets->corners;
	int32_t count = b->sheets->triangleCount;
	// the key is too long to be sorted together with the number: chains of equal keys through a sorted list of numbers
	for ( int32_t i = 0; i < count; ++i )
	{
		uint64_t hash = TripleKey( corners + 3 * (ptrdiff_t)i ) * 0x9E3779B97F4A7C15ull;
		order[i] = hash >> 32 << 32 | (uint32_t)i;
	}
	supSortKeys( order, b->sortScratch, (size_t)count, 64 );
	for ( int32_t first = 0, end; first < count; first = end )
	{
		for ( end = first + 1; end < count && order[end] >> 32 == order[first] >> 32; ++end )
		{
			int32_t* own = corners + 3 * (ptrdiff_t)( order[end] & UINT32_MAX );
			// a run is a handful of triangles; very long ones are all alike
			for ( int32_t k = first; k < end && k < first + 64; ++k )
			{
				const int32_t* other = corners + 3 * (ptrdiff_t)( order[k] & UINT32_MAX );
				if ( other[0] >= 0 && StandOnSamePlaces( own, other ) )
				{
					own[0] = -1;
					b->report->duplicateTriangles += 1;
					break;
				}
			}
		}
	}
}

static void DropMarked( supSkinSheets* sheets )
{
	int32_t kept = 0;
	for ( int32_t i = 0; i < sheets->triangleCount; ++i )
	{
		if ( sheets->corners[3 * (ptrdiff_t)i] >= 0 )
		{
			memmove( sheets->corners + 3 * (ptrdiff_t)kept, sheets->corners + 3 * (ptrdiff_t)i, 3 * sizeof( int32_t ) );
			kept += 1;
		}
	}
	sheets->triangleCount = kept;
}

// ---------------------------------------------------------------------------------------------------------------------
// Edges

static int32_t Next( int32_t half )
{
	return half % 3 == 2 ? half - 2 : half + 1;
}

// Pairs half edges that run against each other on an edge that has no others.
static void PairEdges( Builder* b )
{
	const int32_t* corners = b->sheets->corners;
	int32_t count = 3 * b->sheets->triangleCount;
	// sorted by the larger end, then stably by the smaller one
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < count; ++i )
		{
			int32_t half = pass == 0 ? i : (int32_t)( b->keys[i] & UINT32_MAX );
			int32_t from = corners[half], to = corners[Next( half )];
			int32_t end = pass == 0 ? ( from > to ? from : to ) : ( from < to ? from : to );
			b->keys[i] = (uint64_t)end << 32 | (uint32_t)half;
		}
		// the number of the half edge is below the end, and sorting it along keeps the order of the first pass only
		// where it is left out
		for ( int32_t i = 0; i < count && pass == 1; ++i )
		{
			b->opposite[i] = (int32_t)( b->keys[i] & UINT32_MAX );
			b->keys[i] = ( b->keys[i] >> 32 ) << 32 | (uint32_t)i;
		}
		supSortKeys( b->keys, b->sortScratch, (size_t)count, 64 );
	}
	int32_t* halves = b->parents;
	for ( int32_t i = 0; i < count; ++i )
	{
		halves[i] = b->opposite[b->keys[i] & UINT32_MAX];
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		b->opposite[i] = -1;
	}
	for ( int32_t first = 0, end; first < count; first = end )
	{
		int32_t from = corners[halves[first]], to = corners[Next( halves[first] )];
		for ( end = first + 1; end < count; ++end )
		{
			int32_t x = corners[halves[end]], y = corners[Next( halves[end] )];
			if ( ( x != from || y != to ) && ( x != to || y != from ) )
			{
				break;
			}
		}
		if ( end - first == 2 && corners[halves[first + 1]] == to )
		{
			b->opposite[halves[first]] = halves[first + 1];
			b->opposite[halves[first + 1]] = halves[first];
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts that are inside out

static double SignedVolume( const Builder* b, int32_t triangle, supVec3 origin )
{
	const int32_t* c = b->sheets->corners + 3 * (ptrdiff_t)triangle;
	double v[3][3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		supVec3 p = b->def->positions[c[i]];
		v[i][0] = (double)p.x - (double)origin.x;
		v[i][1] = (double)p.y - (double)origin.y;
		v[i][2] = (double)p.z - (double)origin.z;
	}
	return v[0][0] * ( v[1][1] * v[2][2] - v[1][2] * v[2][1] ) + v[0][1] * ( v[1][2] * v[2][0] - v[1][0] * v[2][2] ) +
		   v[0][2] * ( v[1][0] * v[2][1] - v[1][1] * v[2][0] );
}

// Triangles that hang together across paired edges; where all their edges are paired and their volume is negative they
// are turned around.
static bool TurnParts( Builder* b )
{
	int32_t count = b->sheets->triangleCount;
	int32_t* corners = b->sheets->corners;
	double* volumes = supArena_AllocZeroed( &b->scratch, (size_t)count * sizeof( double ) );
	uint8_t* open = supArena_AllocZeroed( &b->scratch, (size_t)count );
	if ( volumes == NULL || open == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		b->parents[i] = i;
	}
	for ( int32_t half = 0; half < 3 * count; ++half )
	{
		if ( b->opposite[half] >= 0 )
		{
			supUnite( b->parents, half / 3, b->opposite[half] / 3 );
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t root = supFindRoot( b->parents, i );
		volumes[root] += SignedVolume( b, i, b->def->positions[corners[3 * (ptrdiff_t)root]] );
		for ( int32_t k = 0; k < 3; ++k )
		{
			open[root] |= b->opposite[3 * i + k] < 0;
		}
	}
	int32_t before = b->report->turnedTriangles;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t root = supFindRoot( b->parents, i );
		if ( open[root] == 0 && volumes[root] < 0.0 )
		{
			int32_t* c = corners + 3 * (ptrdiff_t)i;
			int32_t t = c[1];
			c[1] = c[2];
			c[2] = t;
			b->report->turnedTriangles += 1;
		}
	}
	if ( b->report->turnedTriangles > before )
	{
		PairEdges( b );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Fans: corners of triangles that belong together become points

// Corner i of a triangle and the corner at the same place across a paired edge.
static void JoinCorners( Builder* b )
{
	int32_t count = 3 * b->sheets->triangleCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		b->parents[i] = i;
	}
	for ( int32_t half = 0; half < count; ++half )
	{
		int32_t other = b->opposite[half];
		if ( other > half )
		{
			// this one runs from A to B, the other from B to A
			supUnite( b->parents, half, Next( other ) );
			supUnite( b->parents, Next( half ), other );
		}
	}
}

static bool MakePoints( Builder* b )
{
	supSkinSheets* sheets = b->sheets;
	int32_t vertexCount = b->def->vertexCount, cornerCount = 3 * sheets->triangleCount;
	int32_t* numbers = supArena_AllocArray( &b->scratch, (size_t)cornerCount, sizeof( int32_t ) );
	int32_t* firstPoints = supArena_AllocArray( &b->scratch, (size_t)vertexCount, sizeof( int32_t ) );
	uint8_t* split = supArena_AllocZeroed( &b->scratch, (size_t)vertexCount );
	if ( numbers == NULL || firstPoints == NULL || split == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < vertexCount; ++i )
	{
		firstPoints[i] = -1;
	}
	for ( int32_t i = 0; i < cornerCount; ++i )
	{
		int32_t root = supFindRoot( b->parents, i ), place = sheets->corners[i];
		if ( root == i )
		{
			numbers[i] = sheets->pointCount++;
			sheets->points[numbers[i]] = b->def->positions[place];
			b->report->addedPoints += firstPoints[place] >= 0;
			b->report->splitPlaces += firstPoints[place] >= 0 && split[place] == 0;
			split[place] = firstPoints[place] >= 0;
			firstPoints[place] = firstPoints[place] >= 0 ? firstPoints[place] : numbers[i];
		}
		numbers[i] = numbers[root];
	}
	memcpy( sheets->corners, numbers, (size_t)cornerCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < vertexCount; ++i )
	{
		sheets->vertexPoints[i] = firstPoints[b->places[i]];
	}
	return true;
}

// The triangles around each point, and what hangs together.
static bool MakeFans( supSkinSheets* sheets, supArena* arena )
{
	int32_t cornerCount = 3 * sheets->triangleCount;
	sheets->fanStarts = supArena_AllocZeroed( arena, ( (size_t)sheets->pointCount + 2 ) * sizeof( int32_t ) );
	sheets->fans = supArena_AllocArray( arena, (size_t)cornerCount, sizeof( int32_t ) );
	sheets->parts = supArena_AllocArray( arena, (size_t)sheets->pointCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < sheets->pointCount; ++i )
	{
		sheets->parts[i] = i;
	}
	for ( int32_t i = 0; i < cornerCount; ++i )
	{
		supUnite( sheets->parts, sheets->corners[i], sheets->corners[i - i % 3] );
	}
	for ( int32_t i = 0; i < sheets->pointCount; ++i )
	{
		sheets->parts[i] = supFindRoot( sheets->parts, i );
	}
	// counted two places on, so that filling moves each start to where the next begins
	int32_t* counts = sheets->fanStarts + 2;
	for ( int32_t i = 0; i < cornerCount; ++i )
	{
		counts[sheets->corners[i]] += 1;
	}
	for ( int32_t i = 1; i < sheets->pointCount; ++i )
	{
		counts[i] += counts[i - 1];
	}
	for ( int32_t i = 0; i < cornerCount; ++i )
	{
		sheets->fans[sheets->fanStarts[sheets->corners[i] + 1]++] = i / 3;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool Build( Builder* b, supArena* arena )
{
	const supSkinLayerDef* def = b->def;
	supSkinSheets* sheets = b->sheets;
	size_t vertices = (size_t)def->vertexCount, corners = 3 * (size_t)def->triangleCount;
	sheets->corners = supArena_AllocArray( arena, corners, sizeof( int32_t ) );
	sheets->points = supArena_AllocArray( arena, corners, sizeof( supVec3 ) );
	sheets->vertexPoints = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	b->places = supArena_AllocArray( &b->scratch, vertices, sizeof( int32_t ) );
	b->opposite = supArena_AllocArray( &b->scratch, corners, sizeof( int32_t ) );
	b->parents = supArena_AllocArray( &b->scratch, corners, sizeof( int32_t ) );
	b->keys = supArena_AllocArray( &b->scratch, corners, sizeof( uint64_t ) );
	b->sortScratch = supArena_AllocArray( &b->scratch, corners, sizeof( uint64_t ) );
	if ( arena->failed || b->scratch.failed ||
		 supWeld( def->positions, def->vertexCount, &b->scratch, b->places ) == false )
	{
		return false;
	}
	CopyTriangles( b );
	MarkDuplicates( b, b->keys );
	DropMarked( sheets );
	PairEdges( b );
	if ( TurnParts( b ) == false )
	{
		return false;
	}
	JoinCorners( b );
	return MakePoints( b ) && MakeFans( sheets, arena );
}

bool supBuildSkinSheets( const supSkinLayerDef* def, supArena* arena, supSkinSheets* sheets,
						 supSkinLayerReport* report )
{
	Builder builder = { .def = def, .sheets = sheets, .report = report };
	bool ok = Build( &builder, arena );
	supArena_Destroy( &builder.scratch );
	return ok;
}
