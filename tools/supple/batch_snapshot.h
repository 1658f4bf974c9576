// SPDX-License-Identifier: MIT
// The worst frame of a bake, kept for a picture.
#pragma once

#include "batch.h"
#include "draw/picture.h"

// Finds the frame, and keeps it where that is possible.
void SaveSnapshot( const BatchPlan* plan, const BatchJob* job, const BakeJob* bake, float* worstTime );

// A square picture of it, seen from `azimuth` degrees around. False where nothing was kept, or of other inputs.
bool DrawSnapshot( const BatchPlan* plan, const BatchJob* job, const supCharacter* character, float azimuth,
				   int32_t size, supPicture* picture );
