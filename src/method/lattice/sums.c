// SPDX-License-Identifier: MIT
// The grids that sums run over, one for each sheet: only those bricks in which some sum is not zero and of use.
//
// Along x the sum of a row reaches into cells without a voxel, and a region in another row may need it there. So there
// are bricks within reach of voxels along x and of regions along y and z, for sums along x; and those within reach of
// these along y and of regions along z, for sums along x and y. Everything else is zero, and is not there. Bricks of
// voxels and regions are at home on the sheet that most of their regions want, and serve for its sums; for those of
// other sheets at the same cells there are others, which are joined to them (match_kernel.c).
#include "core/array.h"
#include "method/lattice/lattice.h"

enum
{
	hasVoxel = 1,
	hasRegion = 2,
	nearVoxelX = 4,
	nearRegionZ = 8,
	nearRegionYZ = 16,
	nearRowY = 32,
};

typedef struct Grid
{
	supLatticeBuilder* builder;
	int32_t nx, ny, nz;
	size_t cells;
	int32_t reach;
	uint8_t* flags;
	// of each sheet: brick of sums of each cell, -1 without
	int32_t* maps[SUP_LATTICE_MAX_SHEETS];
	// of each brick: its sheet
	uint8_t* homes;
	SUP_ARRAY( uint8_t ) roles;
	SUP_ARRAY( int32_t ) sources;
	bool ok;
} Grid;

static size_t GridIndex( const Grid* grid, int32_t x, int32_t y, int32_t z )
{
	return ( (size_t)z * (size_t)grid->ny + (size_t)y ) * (size_t)grid->nx + (size_t)x;
}

static int32_t SheetOf( const supLatticeBuilder* b, int32_t voxel )
{
	return b->sheets != NULL ? b->sheets[voxel] : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which bricks there are

static void MarkVoxels( Grid* grid, int32_t sheet )
{
	const supLatticeBuilder* b = grid->builder;
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		if ( SheetOf( b, i ) != sheet )
		{
			continue;
		}
		supVoxelCell c = b->body.voxels.cells[i];
		int32_t x = c.x + b->shiftX, y = c.y + b->shift, z = c.z + b->shift;
		grid->flags[GridIndex( grid, x / 8, y, z )] |= hasVoxel;
		for ( int32_t reached = ( x - grid->reach ) / 8; reached <= ( x + grid->reach ) / 8; ++reached )
		{
			grid->flags[GridIndex( grid, reached, y, z )] |= nearVoxelX;
		}
	}
}

static size_t IndexOfBrick( const Grid* grid, int32_t brick )
{
	const supLatticeBuilder* b = grid->builder;
	supVoxelCell c = b->flesh->brickCells[brick], middle = b->flesh->middle;
	return GridIndex( grid, ( c.x + middle.x + b->shiftX ) / 8, c.y + middle.y + b->shift, c.z + middle.z + b->shift );
}

// The brick that a region's sums are taken at.
static int32_t BaseOf( const supLatticeBuilder* b, int32_t brick )
{
	return brick <= b->flesh->brickCount ? brick : b->extraBases[brick - b->flesh->brickCount - 1];
}

static void MarkRegions( Grid* grid, int32_t sheet )
{
	const supLatticeFlesh* f = grid->builder->flesh;
	for ( int32_t i = 0; i < f->brickCount + 1 + f->extraBrickCount; ++i )
	{
		if ( grid->builder->wants[i][sheet] != 0 )
		{
			grid->flags[IndexOfBrick( grid, BaseOf( grid->builder, i ) )] |= hasRegion;
		}
	}
}

// Sets `to` wherever one of `from` is within reach along y (step nx) or z (step nx ny).
static void Dilate( Grid* grid, uint8_t from, uint8_t to, bool alongZ )
{
	size_t step = alongZ ? (size_t)grid->nx * (size_t)grid->ny : (size_t)grid->nx;
	for ( int32_t z = 0; z < grid->nz; ++z )
	{
		for ( int32_t y = 0; y < grid->ny; ++y )
		{
			int32_t at = alongZ ? z : y, end = alongZ ? grid->nz : grid->ny;
			int32_t lower = at - grid->reach > 0 ? at - grid->reach : 0;
			int32_t upper = at + grid->reach < end - 1 ? at + grid->reach : end - 1;
			for ( int32_t x = 0; x < grid->nx; ++x )
			{
				size_t index = GridIndex( grid, x, y, z );
				if ( ( grid->flags[index] & from ) != 0 )
				{
					for ( int32_t k = lower; k <= upper; ++k )
					{
						grid->flags[index + (size_t)( k - at ) * step] |= to;
					}
				}
			}
		}
	}
}

static bool Has( uint8_t flags, uint8_t all )
{
	return ( flags & all ) == all;
}

static uint8_t RolesOf( uint8_t flags )
{
	bool isRow = Has( flags, nearVoxelX | nearRegionYZ ), isColumn = Has( flags, nearRowY | nearRegionZ );
	return (uint8_t)( ( isRow && Has( flags, hasVoxel ) ? sup_latticeSumsVoxels : 0 ) |
					  ( isRow ? sup_latticeSumsRow : 0 ) | ( isColumn ? sup_latticeSumsColumn : 0 ) |
					  ( Has( flags, hasRegion ) ? sup_latticeSumsRegion : 0 ) );
}

static void ChooseHomes( Grid* grid )
{
	const supLatticeBuilder* b = grid->builder;
	for ( int32_t i = 0; i < b->flesh->brickCount; ++i )
	{
		int32_t home = 0;
		for ( int32_t k = 1; k < b->sheetCount; ++k )
		{
			bool isMore = __builtin_popcount( b->wants[i][k] ) > __builtin_popcount( b->wants[i][home] );
			home = isMore ? k : home;
		}
		grid->homes[i] = (uint8_t)home;
	}
}

static void NumberBricks( Grid* grid, int32_t sheet )
{
	const supLatticeBuilder* b = grid->builder;
	for ( size_t i = 0; i < grid->cells; ++i )
	{
		uint8_t roles = RolesOf( grid->flags[i] );
		int32_t own = b->map[i], brick = own >= 0 && grid->homes[own] == sheet ? own : -1;
		if ( brick >= 0 )
		{
			grid->roles.data[brick] = roles;
		}
		else if ( roles != 0 )
		{
			brick = grid->roles.count;
			bool hasSource = own >= 0 && own < b->flesh->voxelBrickCount;
			grid->ok = grid->ok && SUP_PUSH( &grid->roles, roles ) &&
					   SUP_PUSH( &grid->sources, hasSource ? own : b->flesh->brickCount );
		}
		grid->maps[sheet][i] = brick;
	}
}

static void MakeSheet( Grid* grid, int32_t sheet )
{
	grid->maps[sheet] = supAllocArray( grid->cells, sizeof( int32_t ) );
	grid->ok = grid->ok && grid->maps[sheet] != NULL;
	if ( grid->ok )
	{
		memset( grid->flags, 0, grid->cells );
		MarkVoxels( grid, sheet );
		MarkRegions( grid, sheet );
		Dilate( grid, hasRegion, nearRegionZ, true );
		Dilate( grid, nearRegionZ, nearRegionYZ, false );
		Dilate( grid, nearVoxelX, nearRowY, false );
		NumberBricks( grid, sheet );
	}
}

static bool MakeSheets( Grid* grid )
{
	const supLatticeBuilder* b = grid->builder;
	int32_t first = b->flesh->brickCount + 1 + b->flesh->extraBrickCount;
	grid->flags = supAlloc( grid->cells );
	grid->homes = supAlloc( (size_t)b->flesh->brickCount );
	grid->ok = grid->flags != NULL && grid->homes != NULL;
	if ( grid->ok )
	{
		ChooseHomes( grid );
	}
	for ( int32_t i = 0; i < first && grid->ok; ++i )
	{
		grid->ok = SUP_PUSH( &grid->roles, 0 ) &&
				   SUP_PUSH( &grid->sources, i < b->flesh->voxelBrickCount ? i : b->flesh->brickCount );
	}
	for ( int32_t i = 0; i < b->sheetCount && grid->ok; ++i )
	{
		MakeSheet( grid, i );
	}
	b->flesh->passBrickCount = grid->roles.count - first;
	return grid->ok || supSetMemoryError( b->error );
}

static bool KeepBricks( Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	supLatticeFlesh* f = b->flesh;
	size_t count = (size_t)grid->roles.count;
	f->roles = supArena_CopyArray( b->arena, grid->roles.data, count, 1 );
	f->sources = supArena_CopyArray( b->arena, grid->sources.data, count, sizeof( int32_t ) );
	f->rowShares = supArena_AllocZeroed( b->arena, 8 * count * sizeof( float ) );
	if ( b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		int32_t slot = f->voxelSlots[i];
		int32_t brick = grid->maps[SheetOf( b, i )][IndexOfBrick( grid, slot / 8 )];
		if ( brick >= 0 )
		{
			f->rowShares[8 * brick + slot % 8] = f->shares[slot];
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines

typedef struct LineMaker
{
	SUP_ARRAY( int32_t ) starts;
	SUP_ARRAY( int32_t ) bricks;
	// what a brick must be for, some of it
	uint8_t roles;
	// missing bricks after which a new line begins
	int32_t gap;
	int32_t missing;
	bool ok;
} LineMaker;

static void AddToLine( LineMaker* maker, const Grid* grid, int32_t brick )
{
	if ( brick < 0 || ( grid->roles.data[brick] & maker->roles ) == 0 )
	{
		maker->missing += 1;
		return;
	}
	bool isNew = maker->missing >= maker->gap;
	if ( isNew )
	{
		maker->ok = maker->ok && SUP_PUSH( &maker->starts, maker->bricks.count );
	}
	for ( int32_t i = 0; i < maker->missing && isNew == false; ++i )
	{
		maker->ok = maker->ok && SUP_PUSH( &maker->bricks, -1 );
	}
	maker->ok = maker->ok && SUP_PUSH( &maker->bricks, brick );
	maker->missing = 0;
}

static bool KeepLines( LineMaker* maker, supLatticeBuilder* b, supLatticeLines* lines )
{
	maker->ok = maker->ok && SUP_PUSH( &maker->starts, maker->bricks.count );
	lines->count = maker->starts.count - 1;
	if ( maker->ok )
	{
		lines->starts =
			supArena_CopyArray( b->arena, maker->starts.data, (size_t)maker->starts.count, sizeof( int32_t ) );
		lines->bricks =
			supArena_CopyArray( b->arena, maker->bricks.data, (size_t)maker->bricks.count, sizeof( int32_t ) );
	}
	bool ok = maker->ok && b->arena->failed == false;
	SUP_FREE_ARRAY( &maker->starts );
	SUP_FREE_ARRAY( &maker->bricks );
	return ok || supSetMemoryError( b->error );
}

// Along axis 0, 1 or 2, plane by plane across z (stacks: across y) and in each of them sheet by sheet; a gap as long as
// a window parts a line. First line of each plane.
static bool MakeLines( const Grid* grid, int axis, uint8_t roles, int32_t gap, supLatticeLines* lines,
					   int32_t* planeLines )
{
	int32_t size[3] = { grid->nx, grid->ny, grid->nz };
	int inner = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2;
	LineMaker maker = { .gap = gap, .roles = roles, .ok = true };
	int32_t at[3];
	for ( at[outer] = 0; at[outer] < size[outer]; ++at[outer] )
	{
		planeLines[at[outer]] = maker.starts.count;
		for ( int32_t sheet = 0; sheet < grid->builder->sheetCount; ++sheet )
		{
			for ( at[inner] = 0; at[inner] < size[inner]; ++at[inner] )
			{
				maker.missing = gap;
				for ( at[axis] = 0; at[axis] < size[axis]; ++at[axis] )
				{
					AddToLine( &maker, grid, grid->maps[sheet][GridIndex( grid, at[0], at[1], at[2] )] );
				}
			}
		}
	}
	planeLines[size[outer]] = maker.starts.count;
	return KeepLines( &maker, grid->builder, lines );
}

static bool MakeAllLines( const Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	supLatticeFlesh* f = b->flesh;
	size_t planes = (size_t)( grid->ny > grid->nz ? grid->ny : grid->nz ) + 1;
	f->planeCount = grid->nz;
	f->planeRows = supArena_AllocArray( b->arena, planes, sizeof( int32_t ) );
	f->planeColumns = supArena_AllocArray( b->arena, planes, sizeof( int32_t ) );
	// of stacks nobody wants to know
	f->planeBricks = supArena_AllocArray( b->arena, planes, sizeof( int32_t ) );
	if ( b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	int32_t width = f->window.width;
	bool ok = MakeLines( grid, 0, sup_latticeSumsRow, 1, &f->rows, f->planeRows ) &&
			  MakeLines( grid, 1, sup_latticeSumsRow | sup_latticeSumsColumn, width, &f->columns, f->planeColumns ) &&
			  MakeLines( grid, 2, sup_latticeSumsColumn | sup_latticeSumsRegion, width, &f->stacks, f->planeBricks );
	int32_t brick = 0;
	for ( int32_t z = 0; z <= f->planeCount; ++z )
	{
		while ( brick < f->voxelBrickCount && f->brickCells[brick].z + f->middle.z + b->shift < z )
		{
			brick += 1;
		}
		f->planeBricks[z] = brick;
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// From sheets to regions and back

// Does a brick with regions get the sums of this sheet from elsewhere?
static bool IsJoined( const Grid* grid, int32_t sheet, int32_t brick )
{
	bool isAtHome = brick < grid->builder->flesh->brickCount && grid->homes[brick] == sheet;
	return isAtHome == false && grid->builder->wants[brick][sheet] != 0;
}

static bool AllocateJoins( supLatticeBuilder* b, supLatticeJoins* joins, int32_t count, int32_t terms )
{
	joins->count = count;
	joins->starts = supArena_AllocZeroed( b->arena, ( (size_t)count + 2 ) * sizeof( int32_t ) );
	joins->bricks = supArena_AllocArray( b->arena, (size_t)terms, sizeof( int32_t ) );
	joins->lanes = supArena_AllocArray( b->arena, (size_t)terms, 1 );
	return b->arena->failed == false || supSetMemoryError( b->error );
}

// Bricks with regions: those that are in the grid, then the extra ones.
static int32_t RegionBrick( const supLatticeFlesh* f, int32_t i )
{
	return i < f->brickCount ? i : i + 1;
}

static bool MakeRegionJoins( const Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	supLatticeFlesh* f = b->flesh;
	int32_t count = f->brickCount + f->extraBrickCount, terms = 0;
	for ( int32_t i = 0; i < count * b->sheetCount; ++i )
	{
		terms += IsJoined( grid, i % b->sheetCount, RegionBrick( f, i / b->sheetCount ) );
	}
	if ( AllocateJoins( b, &f->regionJoins, count, terms ) == false )
	{
		return false;
	}
	terms = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t brick = RegionBrick( f, i );
		for ( int32_t sheet = 0; sheet < b->sheetCount; ++sheet )
		{
			if ( IsJoined( grid, sheet, brick ) )
			{
				f->regionJoins.bricks[terms] = grid->maps[sheet][IndexOfBrick( grid, BaseOf( b, brick ) )];
				f->regionJoins.lanes[terms++] = b->wants[brick][sheet];
			}
		}
		f->regionJoins.starts[i + 1] = terms;
	}
	return true;
}

// The transpose.
static bool MakeSheetJoins( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	const supLatticeJoins* from = &f->regionJoins;
	supLatticeJoins* to = &f->sheetJoins;
	int32_t extras = 1 + f->extraBrickCount, terms = from->starts[from->count];
	if ( AllocateJoins( b, to, f->brickCount + f->passBrickCount, terms ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < terms; ++i )
	{
		int32_t brick = from->bricks[i];
		to->starts[( brick < f->brickCount ? brick : brick - extras ) + 2] += 1;
	}
	for ( int32_t i = 0; i < to->count; ++i )
	{
		to->starts[i + 2] += to->starts[i + 1];
	}
	for ( int32_t i = 0; i < from->count; ++i )
	{
		for ( int32_t k = from->starts[i]; k < from->starts[i + 1]; ++k )
		{
			int32_t brick = from->bricks[k];
			int32_t at = to->starts[( brick < f->brickCount ? brick : brick - extras ) + 1]++;
			to->bricks[at] = RegionBrick( f, i );
			to->lanes[at] = from->lanes[k];
		}
	}
	return true;
}

// Voxels that are not at home in their brick.
static bool MakeVoxelJoins( const Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	supLatticeFlesh* f = b->flesh;
	supLatticeJoins* joins = &f->voxelJoins;
	int32_t first = f->brickCount + 1 + f->extraBrickCount, terms = 0;
	for ( int32_t i = first; i < grid->roles.count; ++i )
	{
		terms += ( f->roles[i] & sup_latticeSumsVoxels ) != 0;
	}
	if ( AllocateJoins( b, joins, f->voxelBrickCount, terms ) == false )
	{
		return false;
	}
	for ( int32_t i = first; i < grid->roles.count; ++i )
	{
		joins->starts[( f->roles[i] & sup_latticeSumsVoxels ) != 0 ? f->sources[i] + 2 : 0] += 1;
	}
	joins->starts[0] = 0;
	for ( int32_t i = 0; i < joins->count; ++i )
	{
		joins->starts[i + 2] += joins->starts[i + 1];
	}
	for ( int32_t i = first; i < grid->roles.count; ++i )
	{
		if ( ( f->roles[i] & sup_latticeSumsVoxels ) != 0 )
		{
			int32_t at = joins->starts[f->sources[i] + 1]++;
			joins->bricks[at] = i;
			joins->lanes[at] = 0;
			for ( uint32_t k = 0; k < 8; ++k )
			{
				joins->lanes[at] |= f->rowShares[8 * (size_t)i + k] > 0.0f ? (uint8_t)( 1u << k ) : 0;
			}
		}
	}
	return true;
}

// Lanes without a region may keep what they have.
static bool MakeHomeLanes( const Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	supLatticeFlesh* f = b->flesh;
	f->homeLanes = supArena_Alloc( b->arena, (size_t)f->brickCount );
	for ( int32_t i = 0; f->homeLanes != NULL && i < f->brickCount; ++i )
	{
		uint32_t lanes = 0;
		for ( uint32_t k = 0; k < 8; ++k )
		{
			lanes |= f->regions[40 * (size_t)i + k] > 0.0f ? 1u << k : 0u;
		}
		f->homeLanes[i] = (uint8_t)( b->wants[i][grid->homes[i]] | ~lanes );
	}
	return f->homeLanes != NULL || supSetMemoryError( b->error );
}

// Which bricks have something to put right, on the way to regions and back.
static bool ListParted( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	int32_t regions = f->brickCount + f->extraBrickCount;
	f->parted = supArena_AllocArray( b->arena, (size_t)regions, sizeof( int32_t ) );
	f->shared = supArena_AllocArray( b->arena, (size_t)f->sheetJoins.count, sizeof( int32_t ) );
	if ( b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < regions; ++i )
	{
		int32_t brick = RegionBrick( f, i );
		bool isParted = i >= f->brickCount || f->homeLanes[i] != 0xFF ||
						f->regionJoins.starts[i] < f->regionJoins.starts[i + 1] ||
						f->regionLists.brickStarts[brick] < f->regionLists.brickStarts[brick + 1];
		f->parted[f->partedCount] = i;
		f->partedCount += isParted;
		f->partedExtraCount += isParted && i >= f->brickCount;
	}
	for ( int32_t i = 0; i < f->sheetJoins.count; ++i )
	{
		bool isShared =
			( i < f->brickCount && f->homeLanes[i] != 0xFF ) || f->sheetJoins.starts[i] < f->sheetJoins.starts[i + 1];
		f->shared[f->sharedCount] = i;
		f->sharedCount += isShared;
		f->sharedPassCount += isShared && i >= f->brickCount;
	}
	return true;
}

bool supLattice_BuildSums( supLatticeBuilder* b )
{
	Grid grid = { .builder = b, .nx = b->mapX, .ny = b->mapY, .nz = b->mapZ, .reach = -b->flesh->window.lower };
	grid.cells = (size_t)grid.nx * (size_t)grid.ny * (size_t)grid.nz;
	bool ok = MakeSheets( &grid ) && KeepBricks( &grid ) && MakeAllLines( &grid ) && MakeRegionJoins( &grid ) &&
			  MakeSheetJoins( b ) && MakeVoxelJoins( &grid ) && MakeHomeLanes( &grid ) && ListParted( b );
	supFree( grid.flags );
	supFree( grid.homes );
	for ( int32_t i = 0; i < SUP_LATTICE_MAX_SHEETS; ++i )
	{
		supFree( grid.maps[i] );
	}
	SUP_FREE_ARRAY( &grid.roles );
	SUP_FREE_ARRAY( &grid.sources );
	return ok;
}
