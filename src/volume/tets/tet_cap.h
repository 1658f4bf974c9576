// SPDX-License-Identifier: MIT
// Adds tetrahedra on the boundary under places that stand out of it.
#pragma once

#include "volume/tets/tets.h"

typedef struct supTetCap
{
	// the new point
	supVec3 apex;
	// a tet, and the coordinates of the place in it that is nearest to the apex
	int32_t tet;
	float coordinates[4];
} supTetCap;

// Each cap becomes a point with a tet on every face of the boundary that holds its nearest place, where that tet is
// good (tet_move.h). Earlier caps come first: a face that has got a tet is no longer boundary, and caps on it are left
// out. Caps that get no tet are left out as well. New points and tets follow the old ones; `added` is the number of
// points. False and an error only where out of memory.
bool supAddTetCaps( supTets* tets, const supTetCap* caps, int32_t capCount, int32_t* added, supError* error );
