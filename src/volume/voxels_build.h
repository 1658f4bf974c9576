// SPDX-License-Identifier: MIT
// The two passes that fill the bits of a grid.
#pragma once

#include "geometry/overlap.h"
#include "volume/voxels.h"

// Sets the bit of every cell that a triangle touches.
// - the grid of voxels is placed; bits are zero, laid out as those of voxels
void supMarkSurface( const supVoxels* voxels, const supVoxelsDef* def, uint64_t* bits );

// Adds the bits of all other cells with a winding number above 1/2 to voxels->bits. False only when out of memory.
bool supMarkInside( supVoxels* voxels, const supVoxelsDef* def, const uint64_t* surfaceBits, supError* error );
