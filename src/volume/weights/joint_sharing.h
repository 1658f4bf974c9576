// SPDX-License-Identifier: MIT
// Skin weights of bones as weights of frames between bones.
//
// Two frames that are turned against each other by an angle a blend to a body that has shrunk to cos( a / 2 ) halfway
// between. So the way from a bone to the next one is made in several smaller turns: `between` frames on the way turn
// about the joint, and a point is shared between the two frames that are nearest to it on that way.
#pragma once

#include "supple/character.h"

// What a frame has of a point: `straight` with the two bones of the pair alone, `turned` with the frames between them.
typedef struct supFrameShare
{
	int32_t frame;
	int32_t pair; // -1: a bone without a pair, the same in both
	float straight, turned;
} supFrameShare;

// Most shares of a point: each pair has its two bones and two frames between.
#define SUP_MOST_SHARES ( 5 * SUP_MAX_INFLUENCES )

// Frames are numbered: bones first, then `between` of each pair, from the upper bone to the lower one.
typedef struct supJointSharing
{
	int32_t boneCount;
	int32_t between;
	const int32_t* partners; // of each bone the one above that it shares flesh with, -1 for none
	const int32_t* pairOf;   // of each bone and its partner, -1 for none
} supJointSharing;

// Shares of a point with SUP_MAX_INFLUENCES bones; returns how many there are.
int32_t supShareJoints( const supJointSharing* sharing, const uint16_t* joints, const float* weights,
						supFrameShare shares[SUP_MOST_SHARES] );
