// SPDX-License-Identifier: MIT
// Which cells does the surface touch? Each triangle cuts its range of cells in halves until single cells are left, and
// drops the halves that it misses: large triangles cost what they cover, not the box around them.
#include "core/tasks.h"
#include "volume/voxels/voxels_build.h"

#include <stdatomic.h>

typedef struct SurfaceLoop
{
	const supVoxels* voxels;
	const supVoxelsDef* def;
	_Atomic( uint64_t )* bits;
} SurfaceLoop;

static void SetBit( const SurfaceLoop* loop, supVoxelCell cell )
{
	const supVoxels* v = loop->voxels;
	size_t word = (size_t)( ( cell.z + 1 ) * ( v->ny + 2 ) + cell.y + 1 ) * (size_t)v->wordsPerRow +
				  (size_t)( ( cell.x + 1 ) >> 6 );
	uint64_t bit = 1ull << ( ( cell.x + 1 ) & 63 );
	// most cells are touched by several triangles
	if ( ( atomic_load_explicit( loop->bits + word, memory_order_relaxed ) & bit ) == 0 )
	{
		atomic_fetch_or_explicit( loop->bits + word, bit, memory_order_relaxed );
	}
}

static void MarkRange( const SurfaceLoop* loop, const supTriangle* triangle, supVoxelCell lower, supVoxelCell upper )
{
	if ( supTriangleOverlapsBox( triangle, supVoxels_Box( loop->voxels, lower, upper ) ) == false )
	{
		return;
	}
	supVoxelCell middle, next;
	if ( supSplitCells( lower, upper, &middle, &next ) == false )
	{
		SetBit( loop, lower );
		return;
	}
	MarkRange( loop, triangle, lower, middle );
	MarkRange( loop, triangle, next, upper );
}

// The first cell that a coordinate touches: on a border the lower one.
static int16_t FirstCell( const supVoxels* voxels, int axis, int16_t cell, float value )
{
	return cell > 0 && value == supVoxels_Border( voxels, axis, cell ) ? (int16_t)( cell - 1 ) : cell;
}

static void MarkTriangles( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const SurfaceLoop* loop = context;
	const supVoxels* v = loop->voxels;
	for ( int32_t i = begin; i < end; ++i )
	{
		const uint32_t* corners = loop->def->indices + 3 * (size_t)i;
		supTriangle triangle = { loop->def->positions[corners[0]], loop->def->positions[corners[1]],
								 loop->def->positions[corners[2]] };
		supBox box = supTriangle_Bounds( &triangle );
		supVoxelCell lower = supVoxels_CellAt( v, box.lower );
		lower.x = FirstCell( v, 0, lower.x, box.lower.x );
		lower.y = FirstCell( v, 1, lower.y, box.lower.y );
		lower.z = FirstCell( v, 2, lower.z, box.lower.z );
		MarkRange( loop, &triangle, lower, supVoxels_CellAt( v, box.upper ) );
	}
}

void supMarkSurface( const supVoxels* voxels, const supVoxelsDef* def, uint64_t* bits )
{
	// setting bits commutes: the result is the same in whatever order
	SurfaceLoop loop = { voxels, def, (_Atomic( uint64_t )*)bits };
	supParallelFor( def->tasks, def->triangleCount, 16, MarkTriangles, &loop );
}
