// SPDX-License-Identifier: MIT
// A body as cubes: every cube that the surface touches, and every cube whose centre lies inside.
//
// - Surface: exact triangle-box overlap, touching included. Every point of every triangle lies in some voxel, and no
//   chain of voxels that share faces leads through the surface without a surface voxel.
// - Inside: generalised winding number above 1/2 at the centre (Jacobson, Kavan & Sorkine-Hornung 2013). Holes are
//   closed by the surface of least fuss, overlapping parts count once. Orientation matters: a part that is inside out
//   stays a shell.
//
// The voxels are a list sorted by z, y, x. Beside it stands one bit for each cell of the grid, with a border of one
// empty cell all around: finding a voxel is a bit test and a population count, and neighbours need no bounds checks.
// At 512 x 512 x 512 that is 16 MiB of bits and 8 MiB of counts.
#pragma once

#include "core/arena.h"
#include "supple/math.h"

#define SUP_MAX_VOXEL_RESOLUTION 512

typedef struct supVoxelCell
{
	int16_t x, y, z;
} supVoxelCell;

// Offsets to the neighbours: 0..5 across faces (-x, +x, -y, +y, -z, +z), 6..17 across edges, 18..25 across corners.
extern const supVoxelCell supVoxelOffsets[26];

typedef struct supVoxels
{
	supArena arena;
	// cells along x, y, z
	int32_t nx, ny, nz;
	// edge length of a voxel in metres
	double size;
	// middle of the grid
	double center[3];
	int32_t count;
	// sorted by z, then y, then x
	supVoxelCell* cells;
	// 1 where a triangle touches the voxel
	uint8_t* isSurface;
	int32_t surfaceCount;

	// the bits: cell (x, y, z) is bit x + 1 of row (z + 1) * (ny + 2) + y + 1
	int32_t wordsPerRow;
	uint64_t* bits;
	// how many voxels come before each word
	int32_t* wordStarts;
} supVoxels;

typedef struct supVoxelsDef
{
	// Voxels along the longest axis, 1..512.
	int32_t resolution;
	int32_t vertexCount;
	const supVec3* positions;
	int32_t triangleCount;
	// three a triangle
	const uint32_t* indices;
	// may be NULL
	const supTasks* tasks;
} supVoxelsDef;

// Vertices that no triangle uses are not looked at. The grid is centred on the triangles' bounds, so that a mesh that
// is symmetric about a coordinate plane gives voxels that are. The result does not depend on the number of threads.
// False and an error, nothing left behind, where there is no triangle, where a vertex is not a number, where all
// vertices are at one place, or where floats cannot tell the voxels apart so far from the origin. Flat meshes are fine.
// - voxels is zero-initialised
bool supVoxels_Init( supVoxels* voxels, const supVoxelsDef* def, supError* error );
void supVoxels_Destroy( supVoxels* voxels );

// Lower border of cell i along an axis (0, 1, 2); the upper one is that of i + 1: cells share borders to the bit.
static inline float supVoxels_Border( const supVoxels* voxels, int axis, int32_t i )
{
	int32_t n = axis == 0 ? voxels->nx : ( axis == 1 ? voxels->ny : voxels->nz );
	return (float)( voxels->center[axis] + ( i - 0.5 * n ) * voxels->size );
}

// Halves a range of cells along its longest side: lower .. middle and next .. upper. False where it is one cell.
static inline bool supSplitCells( supVoxelCell lower, supVoxelCell upper, supVoxelCell* middle, supVoxelCell* next )
{
	int32_t sx = upper.x - lower.x, sy = upper.y - lower.y, sz = upper.z - lower.z;
	*middle = upper;
	*next = lower;
	if ( sx >= sy && sx >= sz )
	{
		middle->x = (int16_t)( lower.x + sx / 2 );
		next->x = (int16_t)( middle->x + 1 );
	}
	else if ( sy >= sz )
	{
		middle->y = (int16_t)( lower.y + sy / 2 );
		next->y = (int16_t)( middle->y + 1 );
	}
	else
	{
		middle->z = (int16_t)( lower.z + sz / 2 );
		next->z = (int16_t)( middle->z + 1 );
	}
	return sx > 0 || sy > 0 || sz > 0;
}

supBox supVoxels_Box( const supVoxels* voxels, supVoxelCell lower, supVoxelCell upper );
supVec3 supVoxels_CellCenter( const supVoxels* voxels, supVoxelCell cell );

// The cell that a point lies in; on a border the upper one; outside of the grid the nearest.
supVoxelCell supVoxels_CellAt( const supVoxels* voxels, supVec3 p );

// Number of voxels before a cell, in the order of the cells: a run of cells along x is a run of voxels. Sets *isVoxel
// where there is a voxel at the cell.
// - each coordinate lies in [-1, n]
static inline int32_t supVoxels_CountBefore( const supVoxels* voxels, int32_t x, int32_t y, int32_t z, bool* isVoxel )
{
	int32_t row = ( z + 1 ) * ( voxels->ny + 2 ) + y + 1;
	int32_t word = row * voxels->wordsPerRow + ( ( x + 1 ) >> 6 );
	uint64_t bit = 1ull << ( ( x + 1 ) & 63 );
	uint64_t bits = voxels->bits[word];
	*isVoxel = ( bits & bit ) != 0;
	return voxels->wordStarts[word] + supCountBits( bits & ( bit - 1 ) );
}

// Index of the voxel at a cell, -1 if there is none.
// - each coordinate lies in [-1, n]
static inline int32_t supVoxels_Find( const supVoxels* voxels, int32_t x, int32_t y, int32_t z )
{
	bool isVoxel;
	int32_t index = supVoxels_CountBefore( voxels, x, y, z, &isVoxel );
	return isVoxel ? index : -1;
}

// The voxel that holds a point: that of its cell, or on a border that of a neighbour with the same border. -1 where
// there is none. Every point of the triangles that the voxels were made of has one.
int32_t supVoxels_FindAt( const supVoxels* voxels, supVec3 p );

// The voxel whose middle is nearest to p, wherever that is; of equally near ones any, but always the same.
// - there is a voxel
int32_t supVoxels_FindNearest( const supVoxels* voxels, supVec3 p );

// Neighbours of all voxels in the order of supVoxelOffsets, -1 if there is none: `width` (6 or 26) each.
// - table has room for width * count
void supVoxels_FillNeighbours( const supVoxels* voxels, int32_t width, const supTasks* tasks, int32_t* table );

// Numbers the pieces that are connected across faces, in the order of their first voxels. Returns how many there are.
// - parts has room for count
int32_t supVoxels_FindParts( const supVoxels* voxels, int32_t* parts );
