// SPDX-License-Identifier: MIT
#include "geometry/weld.h"

// Part of the largest extent within which vertices count as one.
#define WELD_TOLERANCE 1e-6

// More different places than this in a cell of twice the tolerance are noise, and become one. Without a bound a file
// with very many vertices around one point would take forever.
#define MOST_PLACES_PER_CELL 64

#define NONE ( -1 )

int32_t supFindRoot( int32_t* parents, int32_t i )
{
	while ( parents[i] != i )
	{
		parents[i] = parents[parents[i]];
		i = parents[i];
	}
	return i;
}

void supUnite( int32_t* parents, int32_t a, int32_t b )
{
	a = supFindRoot( parents, a );
	b = supFindRoot( parents, b );
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
// Welding: a hash table of cells of twice the tolerance. A vertex looks into the cells that it is within the tolerance
// of, eight of them, so that cell borders cannot part what belongs together.

typedef struct Cell
{
	int64_t x, y, z;
} Cell;

typedef struct Grid
{
	const supVec3* positions;
	int32_t* places;
	supVec3 lower;
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
	supVec3 p = grid->positions[vertex];
	supVec3 lower = grid->lower;
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
	for ( int32_t i = *FindSlot( grid, cell ); i != NONE; i = grid->nextInCell[i] )
	{
		double squared = DistanceSquared( grid->positions[i], grid->positions[vertex] );
		if ( squared <= grid->tolerance * grid->tolerance )
		{
			supUnite( grid->places, i, vertex );
		}
	}
}

// Puts the vertex into its own cell, unless it adds nothing there.
static void InsertIntoCell( Grid* grid, Cell cell, int32_t vertex )
{
	int32_t* slot = FindSlot( grid, cell );
	int32_t count = 0;
	for ( int32_t i = *slot; i != NONE; i = grid->nextInCell[i] )
	{
		if ( DistanceSquared( grid->positions[i], grid->positions[vertex] ) == 0.0 )
		{
			return;
		}
		count += 1;
	}
	if ( count >= MOST_PLACES_PER_CELL )
	{
		supUnite( grid->places, *slot, vertex );
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
	supVec3 p = grid->positions[vertex];
	supVec3 lower = grid->lower;
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

bool supWeld( const supVec3* positions, int32_t count, supArena* scratch, int32_t* places )
{
	supBox bounds = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		places[i] = i;
		bounds = supBox_Include( bounds, positions[i] );
	}
	double extent = count > 0 ? LargestExtent( bounds ) : 0.0;
	if ( extent == 0.0 )
	{
		memset( places, 0, (size_t)count * sizeof( int32_t ) );
		return true;
	}
	size_t tableSize = 16;
	while ( tableSize < 2 * (size_t)count )
	{
		tableSize *= 2;
	}
	Grid grid = { .positions = positions,
				  .places = places,
				  .lower = bounds.lower,
				  .tolerance = WELD_TOLERANCE * extent,
				  .tableMask = tableSize - 1 };
	// a hair more than twice the tolerance, for the rounding of coordinates
	grid.inverseCellSize = 1.0 / ( 2.0001 * grid.tolerance );
	grid.table = supArena_AllocArray( scratch, tableSize, sizeof( int32_t ) );
	grid.nextInCell = supArena_AllocArray( scratch, (size_t)count, sizeof( int32_t ) );
	if ( grid.table == NULL || grid.nextInCell == NULL )
	{
		return false;
	}
	memset( grid.table, 0xFF, tableSize * sizeof( int32_t ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		WeldVertex( &grid, i );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		places[i] = supFindRoot( places, i );
	}
	return true;
}
