// SPDX-License-Identifier: MIT
// The simple weights of Abu Rumman & Fratarcangeli 2015 (equation 2): by the nearest bone in a straight line.
//
// With the end points s and d of the nearest segment and t = (v - s) . (d - s) / |d - s|^2:
// - 1/6 <= t <= 5/6: the bone of that segment alone;
// - otherwise equal shares of the bones that meet at the nearer end point. At a joint these are its own bone and its
//   parent's; where bones of no length join several joints at one place, the bones of all of them. At the tip of a stub
//   there is the bone alone.
//
// Cheap and without voxels, but it jumps where t does and sees through gaps: fingers side by side stick together. It is
// here since the paper's own figures rest on it; volume/weights/geodesic_weights.h is the better choice.
#pragma once

#include "supple/character.h"
#include "volume/body/bones.h"

typedef struct supHeuristicDef
{
	const supBones* bones;
	// One for each bone: false leaves it out, as a root between the feet (supBoneVoxels.lost). NULL: all are used.
	const bool* isUsed;
	int32_t pointCount;
	const supVec3* points;
	// may be NULL
	const supTasks* tasks;
} supHeuristicDef;

// SUP_MAX_INFLUENCES a point, as supComputeGeodesicWeights writes them. Of equally near bones the first counts; where
// more bones than SUP_MAX_INFLUENCES meet, the first of them do. False and an error where out of memory, where no bone
// is used or where there are more than 65535.
// - joints and weights have room for SUP_MAX_INFLUENCES * pointCount
bool supComputeHeuristicWeights( const supHeuristicDef* def, uint16_t* joints, float* weights, supError* error );
