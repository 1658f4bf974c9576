// SPDX-License-Identifier: MIT
// Distances through a body, from voxel to voxel.
//
// Manhattan: steps of 1 across faces. Euclidean: steps of 1, sqrt 2 and sqrt 3 across faces, edges and corners, but
// only where the same step could be made across faces within the 2 x 2 x 2 cells around it: what does not touch across
// a face (two fingers that meet along an edge of voxels) is not connected in either.
#pragma once

#include "volume/voxels/voxels.h"

typedef enum supVoxelMetric
{
	sup_voxelManhattan,
	sup_voxelEuclidean,
} supVoxelMetric;

// Where a distance starts. Several sources may start from one voxel.
typedef struct supVoxelSource
{
	int32_t voxel;
	// what is handed on to the voxels that are nearest to this source; of equally near ones the smallest
	int32_t owner;
	// the distance at the source itself, in voxels, at least 0
	float start;
} supVoxelSource;

// Distance of each voxel from the nearest source, in voxels; FLT_MAX where none can be reached. Linear time.
// - sources are sorted by start
// - distances has room for count, owners too or is NULL; owners are -1 where no source can be reached
// False only when out of memory.
bool supComputeVoxelDistances( const supVoxels* voxels, supVoxelMetric metric, const supVoxelSource* sources,
							   int32_t sourceCount, float* distances, int32_t* owners );

// Which of the 26 neighbours of a voxel does a Euclidean step lead to? Bit k is that of supVoxelOffsets[k].
uint32_t supVoxels_OpenSteps( const supVoxels* voxels, supVoxelCell cell );

// The voxels whose centres are around a point, with trilinear weights that sum to 1: those of the 2 x 2 x 2 cells that
// are connected within these cells with the one that holds the point. Returns how many; 0 where no voxel holds it.
int32_t supVoxels_Around( const supVoxels* voxels, supVec3 p, int32_t around[8], float weights[8] );
