// SPDX-License-Identifier: MIT
// Keys of a bone's motion: as few as reproduce it.
#pragma once

#include "core/core.h"
#include "supple/math.h"

// A run of local transforms at an even rate and what they move.
typedef struct supBoneMotion
{
	int32_t frameCount;
	const supTransform* frames; // frame f at f * stride
	int32_t stride;
	// Points within this distance of the origin of the bone, in its own space, follow it within `tolerance`, in the
	// space of its parent.
	float reach;
	float tolerance;
} supBoneMotion;

// The frames to keep, the first and the last among them; one alone where the bone stays where it was in the first.
// `keys` has room for frameCount. Between keys translation and scale go along lines, rotation along great arcs.
int32_t supChooseBoneKeys( const supBoneMotion* motion, int32_t* keys );

// Whether the bone stays within tolerance of `rest` in all frames.
bool supIsBoneAtRest( const supBoneMotion* motion, supTransform rest );
