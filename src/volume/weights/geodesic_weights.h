// SPDX-License-Identifier: MIT
// Automatic weights: geodesic voxel binding (Dionne & de Lasa 2013; Iwamoto et al. 2015, equation 1).
//
// d is the distance through the body from the voxels that a bone touches, taken between voxel centres trilinearly so
// that weights are smooth; w = [1 / ((1 - a) d' + a d'^2)]^2 with d' = d + epsilon, the eight largest less the ninth
// (so that a bone fades in and out of the eight), normalised to 1. d counts in `unit`, so that weights do not change
// with the resolution but for detail.
//
// That formula alone lets far bones pull: inside a thick head the neck is not much farther than the skull, and weights
// painted by hand know nothing of it. So bones farther than `reach` times the nearest's distance get nothing, and the
// weight of the others fades towards that. Around a joint in a limb of radius r the two bones then blend over
// sqrt( reach^2 - 1 ) r on either side.
#pragma once

#include "supple/character.h"
#include "volume/body/bones.h"
#include "volume/voxels/voxel_graph.h"

typedef struct supGeodesicDef
{
	const supVoxels* voxels;
	const supBoneVoxels* bones;
	// Places to bind: vertices, or the centres of voxels.
	int32_t pointCount;
	const supVec3* points;
	// Default Euclidean; Manhattan is the paper's.
	supVoxelMetric metric;
	// 0..1: 0 falls off with the square of the distance, 1 with the fourth power where d is beyond the unit. Default
	// 0.5.
	float alpha;
	// Above 1, up to 100; 0 is the paper's formula as it stands. Default 1.5.
	float reach;
	// The distance that counts as 1, in metres. 0 (default): 1/100 of the longest axis of the grid.
	float unit;
	// may be NULL
	const supTasks* tasks;
} supGeodesicDef;

supGeodesicDef supDefaultGeodesicDef( void );

// SUP_MAX_INFLUENCES a point: bones, heaviest first, and weights of sum 1, 0 in slots that are not used (bone 0 there).
// A point in no voxel takes those of a voxel near it.
// The result does not depend on the number of threads. False and an error where out of memory or a setting is out of
// range. Memory: 192 bytes for each point, and 12 for each voxel and thread.
// - joints and weights have room for SUP_MAX_INFLUENCES * pointCount
bool supComputeGeodesicWeights( const supGeodesicDef* def, uint16_t* joints, float* weights, supError* error );
