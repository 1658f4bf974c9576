// SPDX-License-Identifier: MIT
// Is the skin closed? Vertices at the same place are welded, then edges and triangles are counted.
#include "core/arena.h"
#include "core/sort.h"
#include "supple/character.h"

// Part of the largest extent within which vertices count as one.
#define WELD_TOLERANCE 1e-6

// More different places than this in a cell of twice the tolerance are noise, and become one. Without a bound a file
// with very many vertices around one point would take forever.
#define MOST_PLACES_PER_CELL 64

#define NONE ( -1 )

typedef struct Surface
{
	int32_t vertexCount;
	int32_t triangleCount;
	supVec3* positions;
	// place of each vertex once welded: the smallest vertex there
	int32_t* places;
	// three vertices each; after welding, three places
	int32_t* corners;
	supBox bounds;
} Surface;

// ---------------------------------------------------------------------------------------------------------------------
// Sets that are joined: parent[i] <= i, roots are their own parents

static int32_t FindRoot( int32_t* parents, int32_t i )
{
	while ( parents[i] != i )
	{
		parents[i] = parents[parents[i]];
		i = parents[i];
	}
	return i;
}

static void Unite( int32_t* parents, int32_t a, int32_t b )
{
	a = FindRoot( parents, a );
	b = FindRoot( parents, b );
	if ( a < b )
	{
		parents[b] = a;
	}
	else
	{
		parents[a] = b;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Gathering

// Meshes that some instance shows, each once. The mark of a mesh is set when it has been counted.
static void CountMeshes( const supCharacter* character, bool* shown, Surface* surface )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t index = supCharacter_Instance( character, i )->mesh;
		if ( shown[index] == false )
		{
			const supMesh* mesh = supCharacter_Mesh( character, index );
			surface->vertexCount += mesh->vertexCount;
			surface->triangleCount += mesh->indexCount / 3;
			shown[index] = true;
		}
	}
}

static void CopyMeshes( const supCharacter* character, const bool* shown, Surface* surface )
{
	int32_t vertex = 0;
	int32_t corner = 0;
	surface->bounds = supBox_empty;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, i );
		if ( shown[i] == false )
		{
			continue;
		}
		for ( int32_t k = 0; k < mesh->indexCount; ++k )
		{
			surface->corners[corner++] = vertex + (int32_t)mesh->indices[k];
		}
		for ( int32_t k = 0; k < mesh->vertexCount; ++k )
		{
			surface->positions[vertex++] = mesh->positions[k];
			surface->bounds = supBox_Include( surface->bounds, mesh->positions[k] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Welding: a hash table of cells of twice the tolerance. A vertex looks into the cells that it is within the tolerance
// of, eight of them, so that cell borders cannot part what belongs together.

typedef struct Cell
{
	int64_t x, y, z;
} Cell;

typedef struct Grid
{
	const Surface* surface;
	double tolerance;
	double inverseCellSize;
	// first place in the cell, by hash of the cell; the next in the same cell
	int32_t* table;
	uint64_t tableMask;
	int32_t* nextInCell;
} Grid;

static double GridCoordinate( const Grid* grid, float value, float lower )
{
	return ( (double)value - (double)lower ) * grid->inverseCellSize;
}

static Cell CellOf( const Grid* grid, int32_t vertex )
{
	supVec3 p = grid->surface->positions[vertex];
	supVec3 lower = grid->surface->bounds.lower;
	// never negative, so that rounding towards zero is rounding down
	return ( Cell ){ (int64_t)GridCoordinate( grid, p.x, lower.x ), (int64_t)GridCoordinate( grid, p.y, lower.y ),
					 (int64_t)GridCoordinate( grid, p.z, lower.z ) };
}

// The slot of a cell: the one that holds it, or the empty one where it belongs.
static int32_t* FindSlot( Grid* grid, Cell cell )
{
	uint64_t hash = (uint64_t)cell.x * 0x9E3779B97F4A7C15ull ^ (uint64_t)cell.y * 0xC2B2AE3D27D4EB4Full ^
					(uint64_t)cell.z * 0x165667B19E3779F9ull;
	hash ^= hash >> 29;
	hash *= 0xBF58476D1CE4E5B9ull;
	hash ^= hash >> 32;
	for ( uint64_t i = hash & grid->tableMask;; i = ( i + 1 ) & grid->tableMask )
	{
		if ( grid->table[i] == NONE )
		{
			return grid->table + i;
		}
		Cell other = CellOf( grid, grid->table[i] );
		if ( other.x == cell.x && other.y == cell.y && other.z == cell.z )
		{
			return grid->table + i;
		}
	}
}

static double DistanceSquared( supVec3 a, supVec3 b )
{
	double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
	return x * x + y * y + z * z;
}

// Joins the vertex with everything near it in one cell.
static void JoinInCell( Grid* grid, Cell cell, int32_t vertex )
{
	const Surface* surface = grid->surface;
	for ( int32_t i = *FindSlot( grid, cell ); i != NONE; i = grid->nextInCell[i] )
	{
		double squared = DistanceSquared( surface->positions[i], surface->positions[vertex] );
		if ( squared <= grid->tolerance * grid->tolerance )
		{
			Unite( surface->places, i, vertex );
		}
	}
}

// Puts the vertex into its own cell, unless it adds nothing there.
static void InsertIntoCell( Grid* grid, Cell cell, int32_t vertex )
{
	const Surface* surface = grid->surface;
	int32_t* slot = FindSlot( grid, cell );
	int32_t count = 0;
	for ( int32_t i = *slot; i != NONE; i = grid->nextInCell[i] )
	{
		if ( DistanceSquared( surface->positions[i], surface->positions[vertex] ) == 0.0 )
		{
			return;
		}
		count += 1;
	}
	if ( count >= MOST_PLACES_PER_CELL )
	{
		Unite( surface->places, *slot, vertex );
		return;
	}
	grid->nextInCell[vertex] = *slot;
	*slot = vertex;
}

// The neighbour on the nearer side, along one axis.
static int64_t NearerNeighbour( double coordinate, int64_t cell )
{
	return coordinate - (double)cell < 0.5 ? cell - 1 : cell + 1;
}

static void WeldVertex( Grid* grid, int32_t vertex )
{
	supVec3 p = grid->surface->positions[vertex];
	supVec3 lower = grid->surface->bounds.lower;
	Cell own = CellOf( grid, vertex );
	int64_t x[2] = { own.x, NearerNeighbour( GridCoordinate( grid, p.x, lower.x ), own.x ) };
	int64_t y[2] = { own.y, NearerNeighbour( GridCoordinate( grid, p.y, lower.y ), own.y ) };
	int64_t z[2] = { own.z, NearerNeighbour( GridCoordinate( grid, p.z, lower.z ), own.z ) };
	for ( int i = 0; i < 8; ++i )
	{
		JoinInCell( grid, ( Cell ){ x[i & 1], y[( i >> 1 ) & 1], z[i >> 2] }, vertex );
	}
	InsertIntoCell( grid, own, vertex );
}

static double LargestExtent( supBox bounds )
{
	double x = (double)bounds.upper.x - (double)bounds.lower.x;
	double y = (double)bounds.upper.y - (double)bounds.lower.y;
	double z = (double)bounds.upper.z - (double)bounds.lower.z;
	double xy = x > y ? x : y;
	return xy > z ? xy : z;
}

// Fills `places`. Returns false when out of memory.
static bool Weld( Surface* surface, supArena* arena )
{
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		surface->places[i] = i;
	}
	double extent = surface->vertexCount > 0 ? LargestExtent( surface->bounds ) : 0.0;
	if ( extent == 0.0 )
	{
		memset( surface->places, 0, (size_t)surface->vertexCount * sizeof( int32_t ) );
		return true;
	}
	size_t tableSize = 16;
	while ( tableSize < 2 * (size_t)surface->vertexCount )
	{
		tableSize *= 2;
	}
	Grid grid = { .surface = surface, .tolerance = WELD_TOLERANCE * extent, .tableMask = tableSize - 1 };
	// a hair more than twice the tolerance, for the rounding of coordinates
	grid.inverseCellSize = 1.0 / ( 2.0001 * grid.tolerance );
	grid.table = supArena_AllocArray( arena, tableSize, sizeof( int32_t ) );
	grid.nextInCell = supArena_AllocArray( arena, (size_t)surface->vertexCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	memset( grid.table, 0xFF, tableSize * sizeof( int32_t ) );
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		WeldVertex( &grid, i );
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		surface->places[i] = FindRoot( surface->places, i );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Counting

// Drops triangles with two corners at one place; the others stand on places from here on.
static void DropDegenerate( Surface* surface, supSurfaceReport* report )
{
	int32_t kept = 0;
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		int32_t a = surface->places[surface->corners[3 * i]];
		int32_t b = surface->places[surface->corners[3 * i + 1]];
		int32_t c = surface->places[surface->corners[3 * i + 2]];
		if ( a == b || b == c || c == a )
		{
			report->degenerateTriangles += 1;
			continue;
		}
		surface->corners[3 * kept] = a;
		surface->corners[3 * kept + 1] = b;
		surface->corners[3 * kept + 2] = c;
		kept += 1;
	}
	surface->triangleCount = kept;
}

// An edge as one number: smaller place, larger place, and whether the triangle runs from large to small.
#define PLACE_BITS 27
#define EDGE_BITS ( 2 * PLACE_BITS + 1 )

static uint64_t EdgeKey( int32_t from, int32_t to )
{
	uint64_t lower = (uint64_t)( from < to ? from : to );
	uint64_t upper = (uint64_t)( from < to ? to : from );
	return lower << ( PLACE_BITS + 1 ) | upper << 1 | ( from > to ? 1u : 0u );
}

static bool CountEdges( const Surface* surface, supArena* arena, supSurfaceReport* report )
{
	size_t count = 3 * (size_t)surface->triangleCount;
	uint64_t* keys = supArena_AllocArray( arena, count, sizeof( uint64_t ) );
	uint64_t* scratch = supArena_AllocArray( arena, count, sizeof( uint64_t ) );
	if ( keys == NULL || scratch == NULL )
	{
		return false;
	}
	for ( size_t i = 0; i < count; i += 3 )
	{
		const int32_t* corners = surface->corners + i;
		keys[i] = EdgeKey( corners[0], corners[1] );
		keys[i + 1] = EdgeKey( corners[1], corners[2] );
		keys[i + 2] = EdgeKey( corners[2], corners[0] );
	}
	supSortKeys( keys, scratch, count, EDGE_BITS );
	for ( size_t i = 0; i < count; )
	{
		size_t end = i + 1;
		while ( end < count && keys[end] >> 1 == keys[i] >> 1 )
		{
			end += 1;
		}
		size_t uses = end - i;
		report->boundaryEdges += uses == 1 ? 1 : 0;
		report->nonManifoldEdges += uses > 2 ? 1 : 0;
		report->misorientedEdges += uses == 2 && keys[i] == keys[i + 1] ? 1 : 0;
		i = end;
	}
	return true;
}

static void SortCorners( const int32_t* corners, int32_t sorted[3] )
{
	int32_t a = corners[0], b = corners[1], c = corners[2];
	int32_t lower = a < b ? a : b;
	int32_t upper = a < b ? b : a;
	sorted[0] = lower < c ? lower : c;
	sorted[2] = upper > c ? upper : c;
	sorted[1] = (int32_t)( (int64_t)a + b + c - sorted[0] - sorted[2] );
}

static bool CountDuplicates( const Surface* surface, supArena* arena, supSurfaceReport* report )
{
	size_t tableSize = 16;
	while ( tableSize < 2 * (size_t)surface->triangleCount )
	{
		tableSize *= 2;
	}
	int32_t* table = supArena_AllocArray( arena, tableSize, sizeof( int32_t ) );
	if ( table == NULL )
	{
		return false;
	}
	memset( table, 0xFF, tableSize * sizeof( int32_t ) );
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		int32_t sorted[3];
		SortCorners( surface->corners + 3 * i, sorted );
		uint64_t hash = (uint64_t)sorted[0] * 0x9E3779B97F4A7C15ull ^ (uint64_t)sorted[1] * 0xC2B2AE3D27D4EB4Full ^
						(uint64_t)sorted[2] * 0x165667B19E3779F9ull;
		hash ^= hash >> 31;
		for ( size_t slot = (size_t)hash & ( tableSize - 1 );; slot = ( slot + 1 ) & ( tableSize - 1 ) )
		{
			if ( table[slot] == NONE )
			{
				table[slot] = i;
				break;
			}
			int32_t other[3];
			SortCorners( surface->corners + 3 * table[slot], other );
			if ( memcmp( sorted, other, sizeof( sorted ) ) == 0 )
			{
				report->duplicateTriangles += 1;
				break;
			}
		}
	}
	return true;
}

static bool CountParts( const Surface* surface, supArena* arena, supSurfaceReport* report )
{
	int32_t* parents = supArena_AllocArray( arena, (size_t)surface->vertexCount, sizeof( int32_t ) );
	bool* used = supArena_AllocZeroed( arena, (size_t)surface->vertexCount * sizeof( bool ) );
	if ( parents == NULL || used == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		parents[i] = i;
	}
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		used[surface->corners[i]] = true;
		Unite( parents, surface->corners[i], surface->corners[i - i % 3] );
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		report->weldedVertexCount += surface->places[i] == i ? 1 : 0;
		report->parts += used[i] && parents[i] == i ? 1 : 0;
	}
	return true;
}

// Signed volumes of the tetrahedra from the middle of the box, so that a mesh far from the origin loses no digits.
static float ComputeVolume( const Surface* surface )
{
	supBox b = surface->bounds;
	double middle[3] = { 0.5 * ( (double)b.lower.x + (double)b.upper.x ),
						 0.5 * ( (double)b.lower.y + (double)b.upper.y ),
						 0.5 * ( (double)b.lower.z + (double)b.upper.z ) };
	double sum = 0.0;
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		double p[3][3];
		for ( int k = 0; k < 3; ++k )
		{
			supVec3 corner = surface->positions[surface->corners[3 * i + k]];
			p[k][0] = (double)corner.x - middle[0];
			p[k][1] = (double)corner.y - middle[1];
			p[k][2] = (double)corner.z - middle[2];
		}
		sum += p[0][0] * ( p[1][1] * p[2][2] - p[1][2] * p[2][1] ) +
			   p[0][1] * ( p[1][2] * p[2][0] - p[1][0] * p[2][2] ) +
			   p[0][2] * ( p[1][0] * p[2][1] - p[1][1] * p[2][0] );
	}
	return (float)( sum / 6.0 );
}

static bool Check( const supCharacter* character, supArena* arena, supSurfaceReport* report )
{
	Surface surface = { 0 };
	bool* shown = supArena_AllocZeroed( arena, (size_t)supCharacter_MeshCount( character ) * sizeof( bool ) );
	if ( shown == NULL )
	{
		return false;
	}
	CountMeshes( character, shown, &surface );
	surface.positions = supArena_AllocArray( arena, (size_t)surface.vertexCount, sizeof( supVec3 ) );
	surface.places = supArena_AllocArray( arena, (size_t)surface.vertexCount, sizeof( int32_t ) );
	surface.corners = supArena_AllocArray( arena, 3 * (size_t)surface.triangleCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	CopyMeshes( character, shown, &surface );
	report->vertexCount = surface.vertexCount;
	report->triangleCount = surface.triangleCount;
	report->bounds = surface.bounds;
	if ( Weld( &surface, arena ) == false )
	{
		return false;
	}
	DropDegenerate( &surface, report );
	bool ok = CountEdges( &surface, arena, report ) && CountDuplicates( &surface, arena, report ) &&
			  CountParts( &surface, arena, report );
	report->watertight = surface.triangleCount > 0 && report->boundaryEdges == 0 && report->nonManifoldEdges == 0;
	report->volume = ComputeVolume( &surface );
	return ok;
}

bool supCheckSurface( const supCharacter* character, supSurfaceReport* report, supError* error )
{
	supClearError( error );
	*report = ( supSurfaceReport ){ .bounds = supBox_empty };
	supArena arena = { 0 };
	bool ok = Check( character, &arena, report );
	supArena_Destroy( &arena );
	return ok || supSetMemoryError( error );
}
