// SPDX-License-Identifier: MIT
// Which frames of an animation must stay so that straight lines between them give back all others.
#pragma once

#include "io/common/frames.h"

// Seconds of a frame in its clip, as a baked clip was sampled.
float supFrameTime( const supFrames* frames, int32_t frame );

// Fills `keys` (room for frameCount) with rising frame numbers, first and last among them, and sets `keyCount`. At each
// frame in between, every vertex of the listed instances lies within `tolerance` of the line between the keys around
// it, the rounding of a reader's 32-bit arithmetic included. With 0 only frames go that are reproduced exactly.
bool supChooseKeyFrames( const supFrames* frames, const int32_t* instances, int32_t instanceCount, float tolerance,
						 int32_t* keys, int32_t* keyCount, supError* error );
