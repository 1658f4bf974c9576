// SPDX-License-Identifier: MIT
// The bricks that voxels and regions stand in.
#include "method/lattice/lattice.h"
#include "volume/voxels/voxel_graph.h"

enum
{
	hasVoxel = 1,
	hasRegion = 2,
};

typedef struct Grid
{
	supLatticeBuilder* builder;
	uint8_t* flags;
	int32_t nx, ny, nz;
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
		// a corner's region stands in the cell above it
		for ( int32_t k = 0; k < ( isEven ? 8 : 1 ); ++k )
		{
			grid->flags[GridIndex( grid, ( x + ( k & 1 ) ) / 8, y + ( k >> 1 & 1 ), z + ( k >> 2 ) )] |= hasRegion;
		}
	}
}

static bool MakeGrid( Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	// so that every cell has whole bricks and what a region reaches around it
	b->shift = 1 - b->flesh->window.lower;
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

// Voxels first, then regions without one: stages without regions run over the same bricks whatever
// their width.
static void NumberBricks( Grid* grid )
{
	supLatticeBuilder* b = grid->builder;
	int32_t count = 0;
	size_t cells = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
	for ( size_t i = 0; i < cells; ++i )
	{
		b->map[i] = ( grid->flags[i] & hasVoxel ) != 0 ? count++ : -1;
	}
	b->flesh->voxelBrickCount = count;
	for ( size_t i = 0; i < cells; ++i )
	{
		b->map[i] = grid->flags[i] == hasRegion ? count++ : b->map[i];
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
	// what stands for regions only is nobody's neighbour
	for ( int32_t i = 0; i < 27 * flesh->brickCount; ++i )
	{
		int32_t next = flesh->neighbours[i];
		flesh->neighbours[i] = flesh->masks[next] != 0 ? next : flesh->brickCount;
	}
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
		NumberBricks( &grid );
		ok = Allocate( b );
	}
	if ( ok )
	{
		FillBricks( &grid );
		FillVoxels( b );
	}
	supFree( grid.flags );
	return ok;
}
