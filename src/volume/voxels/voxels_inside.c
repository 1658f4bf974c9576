// SPDX-License-Identifier: MIT
// Which cells lie inside? Away from the surface the winding number is harmonic: it has no maximum and no minimum within
// a block of cells that no triangle touches, and changes little across it. Such a block is decided by its corners and
// its middle where all are clearly on one side, and cut in halves where they are not.
#include "core/tasks.h"
#include "geometry/winding.h"
#include "volume/voxels/voxels_build.h"

#include <stdatomic.h>

// Cells along the edge of the blocks to begin with.
#define BLOCK 16

// How far from 1/2 is clear.
#define CLEAR_WINDING_MARGIN 0.2f

typedef struct InsideLoop
{
	const supVoxels* voxels;
	const uint64_t* surfaceBits;
	_Atomic( uint64_t )* bits;
	const supWinding* winding;
	int32_t blocksX, blocksY;
} InsideLoop;

// Cells lower.x .. upper.x and so on, both ends included.
typedef struct Block
{
	supVoxelCell lower, upper;
} Block;

static size_t RowStart( const supVoxels* v, int32_t y, int32_t z )
{
	return (size_t)( ( z + 1 ) * ( v->ny + 2 ) + y + 1 ) * (size_t)v->wordsPerRow;
}

// The bits first..last of a row that lie in its word k.
static uint64_t MaskOfWord( int32_t k, int32_t first, int32_t last )
{
	int32_t from = first - 64 * k, to = last - 64 * k;
	uint64_t upper = from <= 0 ? ~0ull : ~0ull << from;
	uint64_t lower = to >= 63 ? ~0ull : ( 2ull << to ) - 1;
	return upper & lower;
}

static bool TouchesSurface( const InsideLoop* loop, const Block* block )
{
	int32_t first = block->lower.x + 1, last = block->upper.x + 1;
	for ( int32_t z = block->lower.z; z <= block->upper.z; ++z )
	{
		for ( int32_t y = block->lower.y; y <= block->upper.y; ++y )
		{
			const uint64_t* row = loop->surfaceBits + RowStart( loop->voxels, y, z );
			for ( int32_t k = first >> 6; k <= last >> 6; ++k )
			{
				if ( ( row[k] & MaskOfWord( k, first, last ) ) != 0 )
				{
					return true;
				}
			}
		}
	}
	return false;
}

static void Fill( const InsideLoop* loop, const Block* block )
{
	int32_t first = block->lower.x + 1, last = block->upper.x + 1;
	for ( int32_t z = block->lower.z; z <= block->upper.z; ++z )
	{
		for ( int32_t y = block->lower.y; y <= block->upper.y; ++y )
		{
			_Atomic( uint64_t )* row = loop->bits + RowStart( loop->voxels, y, z );
			for ( int32_t k = first >> 6; k <= last >> 6; ++k )
			{
				atomic_fetch_or_explicit( row + k, MaskOfWord( k, first, last ), memory_order_relaxed );
			}
		}
	}
}

static float Evaluate( const InsideLoop* loop, supVoxelCell cell )
{
	return supWinding_Evaluate( loop->winding, supVoxels_CellCenter( loop->voxels, cell ) );
}

typedef enum Side
{
	sideOutside,
	sideInside,
	sideUnclear,
} Side;

static Side DecideBlock( const InsideLoop* loop, const Block* block )
{
	supVoxelCell a = block->lower, b = block->upper;
	supVoxelCell middle = { (int16_t)( ( a.x + b.x ) / 2 ), (int16_t)( ( a.y + b.y ) / 2 ),
							(int16_t)( ( a.z + b.z ) / 2 ) };
	Side side = Evaluate( loop, middle ) > 0.5f ? sideInside : sideOutside;
	for ( int32_t i = 0; i < 8; ++i )
	{
		supVoxelCell corner = { ( i & 1 ) != 0 ? b.x : a.x, ( i & 2 ) != 0 ? b.y : a.y, ( i & 4 ) != 0 ? b.z : a.z };
		float w = Evaluate( loop, corner );
		if ( side == sideInside ? w < 0.5f + CLEAR_WINDING_MARGIN : w > 0.5f - CLEAR_WINDING_MARGIN )
		{
			return sideUnclear;
		}
	}
	return side;
}

static void ClassifyBlock( const InsideLoop* loop, const Block* block );

static void ClassifyHalves( const InsideLoop* loop, const Block* block )
{
	supVoxelCell a = block->lower, b = block->upper;
	int32_t sx = b.x - a.x, sy = b.y - a.y, sz = b.z - a.z;
	Block first = *block, second = *block;
	if ( sx >= sy && sx >= sz )
	{
		first.upper.x = (int16_t)( a.x + sx / 2 );
		second.lower.x = (int16_t)( first.upper.x + 1 );
	}
	else if ( sy >= sz )
	{
		first.upper.y = (int16_t)( a.y + sy / 2 );
		second.lower.y = (int16_t)( first.upper.y + 1 );
	}
	else
	{
		first.upper.z = (int16_t)( a.z + sz / 2 );
		second.lower.z = (int16_t)( first.upper.z + 1 );
	}
	ClassifyBlock( loop, &first );
	ClassifyBlock( loop, &second );
}

static void ClassifyBlock( const InsideLoop* loop, const Block* block )
{
	supVoxelCell a = block->lower, b = block->upper;
	int32_t cells = ( b.x - a.x + 1 ) * ( b.y - a.y + 1 ) * ( b.z - a.z + 1 );
	bool touches = TouchesSurface( loop, block );
	if ( cells == 1 )
	{
		if ( touches == false && Evaluate( loop, a ) > 0.5f )
		{
			Fill( loop, block );
		}
		return;
	}
	// below this number of cells, asking nine times decides nothing sooner
	Side side = touches || cells < 16 ? sideUnclear : DecideBlock( loop, block );
	if ( side == sideUnclear )
	{
		ClassifyHalves( loop, block );
	}
	else if ( side == sideInside )
	{
		Fill( loop, block );
	}
}

static int16_t LastCell( int32_t first, int32_t n )
{
	return (int16_t)( first + BLOCK <= n ? first + BLOCK - 1 : n - 1 );
}

static void ClassifyRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const InsideLoop* loop = context;
	const supVoxels* v = loop->voxels;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t x = i % loop->blocksX * BLOCK, y = i / loop->blocksX % loop->blocksY * BLOCK;
		int32_t z = i / loop->blocksX / loop->blocksY * BLOCK;
		Block block = { { (int16_t)x, (int16_t)y, (int16_t)z },
						{ LastCell( x, v->nx ), LastCell( y, v->ny ), LastCell( z, v->nz ) } };
		ClassifyBlock( loop, &block );
	}
}

void supMarkInside( supVoxels* voxels, const supWinding* winding, const supTasks* tasks, const uint64_t* surfaceBits )
{
	InsideLoop loop = { .voxels = voxels,
						.surfaceBits = surfaceBits,
						.bits = (_Atomic( uint64_t )*)voxels->bits,
						.winding = winding,
						.blocksX = ( voxels->nx + BLOCK - 1 ) / BLOCK,
						.blocksY = ( voxels->ny + BLOCK - 1 ) / BLOCK };
	int32_t blocksZ = ( voxels->nz + BLOCK - 1 ) / BLOCK;
	supParallelFor( tasks, loop.blocksX * loop.blocksY * blocksZ, 1, ClassifyRange, &loop );
}
