// SPDX-License-Identifier: MIT
// The passes that fill the bits of a grid, for voxels and other ways to fill space.
#pragma once

#include "geometry/winding.h"
#include "volume/voxels/voxels.h"

// What makes a list of triangles one that can be filled: some triangles, corners that exist and are numbers. False and
// an error at `where` otherwise.
// - bounds: of all corners
bool supCheckSoup( const char* where, const supVec3* positions, int32_t vertexCount, const uint32_t* indices,
				   int32_t triangleCount, supBox* bounds, supError* error );

// Sets the bit of every cell that a triangle touches.
// - the grid of voxels is placed; bits are zero, laid out as those of voxels
void supMarkSurface( const supVoxels* voxels, const supVoxelsDef* def, uint64_t* bits );

// Adds the bits of all other cells with a winding number above 1/2 to voxels->bits.
void supMarkInside( supVoxels* voxels, const supWinding* winding, const supTasks* tasks, const uint64_t* surfaceBits );
