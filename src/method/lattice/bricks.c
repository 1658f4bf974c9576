// SPDX-License-Identifier: MIT
// The grid that sums run over: only those bricks in which some sum is not zero and of use to somebody.
//
// Along x the sum of a row reaches into cells without a voxel, and a region in another row may need it there. So beside
// bricks with voxels or regions there are those within reach of voxels along x and of regions along y and z, and those
// that the second sum (along y) adds. Everything else is zero, and is not there.
#include "core/array.h"
#include "method/lattice/lattice.h"
#include "volume/voxel_graph.h"

enum
{
	hasVoxel = 1,
	hasRegion = 2,
	// some row's sum is not zero here, and some region's column or stack comes by
	nearVoxelX = 4,
	nearRegionZ = 8,
	nearRegionYZ = 16,
	nearRowY = 32,
};

typedef struct Grid
{
	supLatticeBuilder* builder;
	uint8_t* flags;
	int32_t nx, ny, nz;
	int32_t reach;
} Grid;

static size_t GridIndex( const Grid* grid, int32_t x, int32_t y, int32_t z )
{
	return ( (size_t)z * (size_t)grid->ny + (size_t)y ) * (size_t)grid->nx + (size_t)x;
}

// The place of bricks along x that cuts the fewest of them out of the voxels.
static int32_t FindShift( const supVoxels* v )
{
	int32_t best = 0;
	int64_t fewest = INT64_MAX;
	for ( int32_t shift = 0; shift < 8; ++shift )
	{
		int64_t count = 0;
		for ( int32_t i = 0; i < v->count; ++i )
		{
			supVoxelCell c = v->cells[i], p = i > 0 ? v->cells[i - 1] : c;
			bool sameRow = i > 0 && c.y == p.y && c.z == p.z;
			count += sameRow == false || ( c.x + shift ) / 8 != ( p.x + shift ) / 8;
		}
		if ( count < fewest )
		{
			fewest = count;
			best = shift;
		}
	}
	return best;
}

static void MarkVoxels( Grid* grid )
{
	const supLatticeBuilder* b = grid->builder;
	bool isEven = b->flesh->window.width % 2 == 0;
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		supVoxelCell c = b->body.voxels.cells[i];
		int32_t x = c.x + b->shiftX, y = c.y + b->shift, z = c.z + b->shift;
		grid->flags[GridIndex( grid, x / 8, y, z )] |= hasVoxel;
		for ( int32_t reached = ( x - grid->reach ) / 8; reached <= ( x + grid->reach ) / 8; ++reached )
		{
			grid->flags[GridIndex( grid, reached, y, z )] |= nearVoxelX;
		}
		// a corner's region stands in the cell above it
		for ( int32_t k = 0; k < ( isEven ? 8 : 1 ); ++k )
		{
			grid->flags[GridIndex( grid, ( x + ( k & 1 ) ) / 8, y + ( k >> 1 & 1 ), z + ( k >> 2 ) )] |= hasRegion;
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

static bool IsWanted( uint8_t flags )
{
	return ( flags & ( hasVoxel | hasRegion ) ) != 0 ||
		   ( flags & ( nearVoxelX | nearRegionYZ ) ) == ( nearVoxelX | nearRegionYZ ) ||
		   ( flags & ( nearRowY | nearRegionZ ) ) == ( nearRowY | nearRegionZ );
}

static bool MakeGrid( Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	grid->reach = -b->flesh->window.lower;
	// so that every cell has whole bricks and reach around it
	b->shift = grid->reach + 1;
	b->shiftX = 16 + FindShift( &b->body.voxels );
	grid->nx = ( b->body.voxels.nx + b->shiftX ) / 8 + 3;
	grid->ny = b->body.voxels.ny + 2 * b->shift;
	grid->nz = b->body.voxels.nz + 2 * b->shift;
	size_t count = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
	grid->flags = supAllocZeroed( count );
	b->map = supAllocArray( count, sizeof( int32_t ) );
	b->mapX = grid->nx;
	b->mapY = grid->ny;
	b->mapZ = grid->nz;
	return grid->flags != NULL && b->map != NULL;
}

// Voxels first, then regions without one, then what only sums pass through: whoever has nothing to do with sums runs
// over as many bricks whatever the width of regions.
static void NumberBricks( Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	int32_t count = 0;
	size_t cells = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
	for ( int kind = 0; kind < 3; ++kind )
	{
		for ( size_t i = 0; i < cells; ++i )
		{
			uint8_t flags = grid->flags[i];
			int own = ( flags & hasVoxel ) != 0 ? 0 : ( ( flags & hasRegion ) != 0 ? 1 : 2 );
			if ( own == kind )
			{
				b->map[i] = IsWanted( flags ) ? count++ : -1;
			}
		}
		b->flesh->voxelBrickCount = kind == 0 ? count : b->flesh->voxelBrickCount;
		b->flesh->regionBrickCount = kind < 2 ? count : b->flesh->regionBrickCount;
	}
	b->flesh->brickCount = count;
}

int32_t supLattice_Slot( const supLatticeBuilder* builder, int32_t x, int32_t y, int32_t z )
{
	int32_t gx = x + builder->shiftX, gy = y + builder->shift, gz = z + builder->shift;
	size_t index = ( (size_t)gz * (size_t)builder->mapY + (size_t)gy ) * (size_t)builder->mapX + (size_t)( gx / 8 );
	SUP_DEBUG_ASSERT( builder->map[index] >= 0 );
	return 8 * builder->map[index] + gx % 8;
}

// ---------------------------------------------------------------------------------------------------------------------
// What is known of each brick

static int32_t BrickAt( const Grid* grid, int32_t x, int32_t y, int32_t z )
{
	bool inside = x >= 0 && x < grid->nx && y >= 0 && y < grid->ny && z >= 0 && z < grid->nz;
	int32_t brick = inside ? grid->builder->map[GridIndex( grid, x, y, z )] : -1;
	return brick >= 0 ? brick : grid->builder->flesh->brickCount;
}

static void FillBricks( Grid* grid )
{
	supLatticeFlesh* flesh = grid->builder->flesh;
	const supLatticeBuilder* b = grid->builder;
	for ( int32_t z = 0; z < grid->nz; ++z )
	{
		for ( int32_t y = 0; y < grid->ny; ++y )
		{
			for ( int32_t x = 0; x < grid->nx; ++x )
			{
				int32_t brick = b->map[GridIndex( grid, x, y, z )];
				if ( brick < 0 )
				{
					continue;
				}
				flesh->brickCells[brick] = ( supVoxelCell ){ (int16_t)( 8 * x - b->shiftX - flesh->middle.x ),
															 (int16_t)( y - b->shift - flesh->middle.y ),
															 (int16_t)( z - b->shift - flesh->middle.z ) };
				for ( int32_t k = 0; k < 27; ++k )
				{
					flesh->neighbours[27 * brick + k] =
						BrickAt( grid, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1 );
				}
			}
		}
	}
	for ( int32_t k = 0; k < 27; ++k )
	{
		flesh->neighbours[27 * flesh->brickCount + k] = flesh->brickCount;
	}
}

static void FillVoxels( const supLatticeBuilder* b )
{
	supLatticeFlesh* flesh = b->flesh;
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		supVoxelCell c = b->body.voxels.cells[i];
		int32_t slot = supLattice_Slot( b, c.x, c.y, c.z );
		int32_t brick = slot / 8, lane = slot % 8;
		flesh->voxelSlots[i] = slot;
		if ( flesh->masks[brick] == 0 )
		{
			flesh->firstVoxels[brick] = i;
		}
		flesh->masks[brick] |= (uint8_t)( 1u << lane );
		uint32_t steps = supVoxels_OpenSteps( &b->body.voxels, c );
		for ( int32_t k = 0; k < 26; ++k )
		{
			supVoxelCell o = supVoxelOffsets[k];
			int32_t direction = o.x + 1 + 3 * ( o.y + 1 ) + 9 * ( o.z + 1 );
			if ( ( steps >> k & 1 ) != 0 && ( b->closedCount == 0 || supLattice_IsStepOpen( b, c, o ) ) )
			{
				flesh->steps[27 * brick + direction] |= (uint8_t)( 1u << lane );
			}
		}
	}
	// what stands for sums only is nobody's neighbour
	for ( int32_t i = 0; i < 27 * flesh->brickCount; ++i )
	{
		int32_t next = flesh->neighbours[i];
		flesh->neighbours[i] = flesh->masks[next] != 0 ? next : flesh->brickCount;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines

typedef struct LineMaker
{
	SUP_ARRAY( int32_t ) starts;
	SUP_ARRAY( int32_t ) bricks;
	// missing bricks after which a new line begins
	int32_t gap;
	int32_t missing;
	bool ok;
} LineMaker;

static void AddToLine( LineMaker* maker, int32_t brick )
{
	if ( brick < 0 )
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

// Along axis 0, 1 or 2; a gap as long as a window parts a line.
static bool MakeLines( const Grid* grid, int axis, int32_t gap, supLatticeLines* lines )
{
	int32_t size[3] = { grid->nx, grid->ny, grid->nz };
	// the axis runs fastest, and of the others x, so that neighbouring lines lie together
	int inner = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2;
	LineMaker maker = { .gap = gap, .ok = true };
	int32_t at[3];
	for ( at[outer] = 0; at[outer] < size[outer]; ++at[outer] )
	{
		for ( at[inner] = 0; at[inner] < size[inner]; ++at[inner] )
		{
			maker.missing = gap;
			for ( at[axis] = 0; at[axis] < size[axis]; ++at[axis] )
			{
				AddToLine( &maker, grid->builder->map[GridIndex( grid, at[0], at[1], at[2] )] );
			}
		}
	}
	return KeepLines( &maker, grid->builder, lines );
}

// ---------------------------------------------------------------------------------------------------------------------

static bool Allocate( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	size_t bricks = (size_t)f->brickCount + 1;
	f->brickCells = supArena_AllocZeroed( b->arena, bricks * sizeof( supVoxelCell ) );
	f->masks = supArena_AllocZeroed( b->arena, bricks );
	f->firstVoxels = supArena_AllocZeroed( b->arena, bricks * sizeof( int32_t ) );
	f->neighbours = supArena_AllocArray( b->arena, bricks * 27, sizeof( int32_t ) );
	f->steps = supArena_AllocZeroed( b->arena, bricks * 27 );
	f->voxelSlots = supArena_AllocArray( b->arena, (size_t)b->body.voxels.count, sizeof( int32_t ) );
	return b->arena->failed ? supSetMemoryError( b->error ) : true;
}

bool supLattice_BuildBricks( supLatticeBuilder* b )
{
	Grid grid = { .builder = b };
	bool ok = MakeGrid( &grid ) || supSetMemoryError( b->error );
	if ( ok )
	{
		MarkVoxels( &grid );
		Dilate( &grid, hasRegion | hasVoxel, nearRegionZ, true );
		Dilate( &grid, nearRegionZ, nearRegionYZ, false );
		Dilate( &grid, nearVoxelX, nearRowY, false );
		NumberBricks( &grid );
		ok = Allocate( b );
	}
	if ( ok )
	{
		FillBricks( &grid );
		FillVoxels( b );
		ok = MakeLines( &grid, 0, 1, &b->flesh->rows ) &&
			 MakeLines( &grid, 1, b->flesh->window.width, &b->flesh->columns ) &&
			 MakeLines( &grid, 2, b->flesh->window.width, &b->flesh->stacks );
	}
	supFree( grid.flags );
	return ok;
}
