// SPDX-License-Identifier: MIT
// Vertices at the same place become one.
#pragma once

#include "core/arena.h"
#include "supple/math.h"

// Sets that are joined: parents[i] <= i, roots are their own parents.
int32_t supFindRoot( int32_t* parents, int32_t i );
void supUnite( int32_t* parents, int32_t a, int32_t b );

// The place of each vertex: the smallest vertex within 1e-6 of the largest extent, directly or through others between.
// False only when out of memory.
// - positions are finite; places has room for count; what is taken from scratch stays there
SUP_SHARED_API bool supWeld( const supVec3* positions, int32_t count, supArena* scratch, int32_t* places );
