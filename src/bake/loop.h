// SPDX-License-Identifier: MIT
// How a clip repeats. Frames of a cycle are 0 .. N-1; frame N is frame 0 again, one cycle later. A clip that walks away
// begins each cycle where the last one ended: its frame N is frame 0, carried by `travel`.
#pragma once

#include "supple/bake.h"

typedef struct supLoop
{
	// The clip is a cycle, and frames are those of one.
	bool closes;
	bool travels;
	// From the beginning of one cycle to that of the next: a turn about +Y and a shift.
	supTransform travel;
	// Seconds before the clip's first key in which the pose goes from the last key to it; 0: none.
	float lead;
	// Metres between the skinned surface at both ends of the clip, less the travel.
	float clipGap;
	// Largest side of the skinned surface's box in the first pose, in metres.
	float size;
} supLoop;

// Whether the clip of `def` (NULL: the rest pose), from `from` to `to`, is a cycle. False with an error of memory.
bool supFindLoop( const supCharacter* character, const supBakeDef* def, supLoop* loop, supError* error );

// The pose at a time in the clip.
void supLoop_SetPose( const supLoop* loop, const supBakeDef* def, float time, supPose* pose, supPose* scratch );

// How many frames a cycle has at about this rate, at least one. Sets the rate at which they fill it exactly.
int32_t supRetimeLoop( float seconds, float* framesPerSecond );

// First `b`, then `a`. Neither scales.
supTransform supMulPlace( supTransform a, supTransform b );
supTransform supInvertPlace( supTransform a );

// Moves positions and normals; either may be NULL.
void supMovePlace( supTransform place, supVec3* positions, supVec3* normals, int64_t count );
