// SPDX-License-Identifier: MIT
// Which cell holds a point, and which is nearest. Cells are cut into tets, whose tree is asked first; where faces are
// not flat the tets do not fill a cell to the last, so cells beside the one that was found are tried as well.
#include "volume/lattice/cell_basis_internal.h"
#include "volume/lattice/cell_map.h"
#include "volume/tets/tet_finder.h"

// A place so little outside of the reference cell is still in it: about the rounding of coordinates.
#define TOLERANCE 1e-6

#define MOST_PARTS 6

static const int8_t s_prismTets[3][4] = { { 0, 1, 2, 5 }, { 0, 1, 5, 4 }, { 0, 4, 5, 3 } };
static const int8_t s_hexTets[6][4] = { { 0, 1, 2, 6 }, { 0, 3, 7, 6 }, { 0, 4, 5, 6 },
										{ 0, 2, 3, 6 }, { 0, 7, 4, 6 }, { 0, 5, 1, 6 } };

struct supCellFinder
{
	supArena arena;
	const supControlLattice* lattice;
	supTets tets;
	// the cell of each tet, and its corners in the cell
	int32_t* cells;
	const int8_t ( **parts )[4];
	supTetFinder* finder;
};

int32_t supSplitCell( supCellKind kind, const int8_t ( **parts )[4] )
{
	static const int8_t whole[1][4] = { { 0, 1, 2, 3 } };
	*parts = kind == sup_cellTet ? whole : ( kind == sup_cellPrism ? s_prismTets : s_hexTets );
	return kind == sup_cellTet ? 1 : ( kind == sup_cellPrism ? 3 : 6 );
}

supCellFinder* supCreateCellFinder( const supControlLattice* lattice, supError* error )
{
	supClearError( error );
	supCellFinder* finder = supAllocZeroed( sizeof( *finder ) );
	if ( finder == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	size_t most = MOST_PARTS * (size_t)lattice->cellCount;
	finder->lattice = lattice;
	finder->tets.pointCount = lattice->vertexCount;
	finder->tets.points = lattice->vertices;
	finder->tets.indices = supArena_AllocArray( &finder->arena, 4 * most, sizeof( int32_t ) );
	finder->cells = supArena_AllocArray( &finder->arena, most, sizeof( int32_t ) );
	finder->parts = supArena_AllocArray( &finder->arena, most, sizeof( *finder->parts ) );
	if ( finder->arena.failed )
	{
		supSetMemoryError( error );
		supDestroyCellFinder( finder );
		return NULL;
	}
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		const int8_t( *parts )[4];
		int32_t count = supSplitCell( lattice->kinds[cell], &parts );
		for ( int32_t i = 0; i < count; ++i )
		{
			for ( int32_t k = 0; k < 4; ++k )
			{
				finder->tets.indices[4 * finder->tets.tetCount + k] =
					lattice->corners[lattice->cornerStarts[cell] + parts[i][k]];
			}
			finder->parts[finder->tets.tetCount] = parts + i;
			finder->cells[finder->tets.tetCount++] = cell;
		}
	}
	finder->finder = supCreateTetFinder( &finder->tets, error );
	if ( finder->finder == NULL )
	{
		supDestroyCellFinder( finder );
		return NULL;
	}
	return finder;
}

void supDestroyCellFinder( supCellFinder* finder )
{
	if ( finder != NULL )
	{
		supDestroyTetFinder( finder->finder );
		supArena_Destroy( &finder->arena );
		supFree( finder );
	}
}

static bool TryCell( const supControlLattice* lattice, int32_t cell, supVec3 p, supCellPlace* place )
{
	double at[3];
	if ( supCellMap_Invert( lattice, cell, p, at ) == false ||
		 supCellMap_Outside( lattice->kinds[cell], at ) > TOLERANCE )
	{
		return false;
	}
	supCellMap_Clamp( lattice->kinds[cell], at );
	*place = ( supCellPlace ){ cell, { at[0], at[1], at[2] }, p };
	return true;
}

// The cell itself, then those behind its faces, the first of which wins.
static bool TryCells( const supControlLattice* lattice, int32_t cell, supVec3 p, supCellPlace* place )
{
	if ( TryCell( lattice, cell, p, place ) )
	{
		return true;
	}
	for ( int32_t face = 0; face < supCellShapes[lattice->kinds[cell]].faceCount; ++face )
	{
		int32_t other = lattice->neighbours[SUP_MAX_CELL_FACES * cell + face];
		if ( other >= 0 && TryCell( lattice, other, p, place ) )
		{
			return true;
		}
	}
	return false;
}

static void FillPlace( const supControlLattice* lattice, int32_t cell, double at[3], supCellPlace* place )
{
	double p[3], jacobian[3][3];
	supCellMap_Clamp( lattice->kinds[cell], at );
	supCellMap_Differentiate( lattice, cell, at, p, jacobian );
	*place = ( supCellPlace ){ cell, { at[0], at[1], at[2] }, supMakeVec3( (float)p[0], (float)p[1], (float)p[2] ) };
}

// No cell holds the point: the nearest place of the nearest tet of a cell, or where that is nearer, what is left of
// the point's own coordinates in the cell.
static void PlaceOutside( const supCellFinder* finder, supVec3 p, const supTetPlace* found, supCellPlace* place )
{
	int32_t cell = finder->cells[found->tet];
	const supCellShape* shape = supCellShapes + finder->lattice->kinds[cell];
	double at[3] = { 0 };
	for ( int32_t i = 0; i < 12; ++i )
	{
		const int8_t* corner = shape->places[( *finder->parts[found->tet] )[i / 3]];
		at[i % 3] += (double)found->coordinates[i / 3] * corner[i % 3];
	}
	FillPlace( finder->lattice, cell, at, place );
	if ( shape->cornerCount > 4 && supCellMap_Invert( finder->lattice, cell, p, at ) )
	{
		supCellPlace other;
		FillPlace( finder->lattice, cell, at, &other );
		*place = supDistance( other.point, p ) < supDistance( place->point, p ) ? other : *place;
	}
}

bool supCellFinder_Find( const supCellFinder* finder, supVec3 p, supCellPlace* place )
{
	supTetPlace found;
	*place = ( supCellPlace ){ .cell = -1 };
	bool near = supTetFinder_FindNearest( finder->finder, p, &found );
	return near && TryCells( finder->lattice, finder->cells[found.tet], p, place );
}

bool supCellFinder_FindNearest( const supCellFinder* finder, supVec3 p, supCellPlace* place )
{
	supTetPlace found;
	*place = ( supCellPlace ){ .cell = -1 };
	if ( supTetFinder_FindNearest( finder->finder, p, &found ) == false )
	{
		return false;
	}
	if ( TryCells( finder->lattice, finder->cells[found.tet], p, place ) == false )
	{
		PlaceOutside( finder, p, &found, place );
	}
	return true;
}
