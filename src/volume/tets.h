// SPDX-License-Identifier: MIT
// A body as tetrahedra.
#pragma once

#include "core/arena.h"
#include "supple/math.h"

typedef struct supTets
{
	supArena arena;
	int32_t pointCount;
	supVec3* points;
	int32_t tetCount;
	// four a tet, oriented so that ( p1 - p0 ) x ( p2 - p0 ) . ( p3 - p0 ) is positive
	int32_t* indices;
} supTets;

void supTets_Destroy( supTets* tets );

// Signed, in cubic metres.
double supTets_Volume( const supTets* tets, int32_t tet );
