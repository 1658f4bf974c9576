// SPDX-License-Identifier: MIT
// What the ways to make a surface binding share.
#pragma once

#include "volume/binding/surface_binding.h"

// What the makers fill in.
typedef struct supBindArrays
{
	int32_t* points;
	float* weights;
	supVec4* restPoints;
} supBindArrays;

// Everything but what the vertices hang on: the skin at rest, morph targets, empty arrays of points and weights.
// - surface is the character's
bool supSurfaceBinding_Begin( supSurfaceBinding* binding, const supCharacter* character, const supRestSurface* surface,
							  int32_t pointCount, int32_t width, const supTasks* tasks, supBindArrays* arrays,
							  supError* error );
