// SPDX-License-Identifier: MIT
// Moves the boundary of tetrahedra outwards where the surface that they were made from stands out of them.
//
// Between points of a lattice the boundary is flat. Tips, ridges and limbs as thin as a tet stand out of it by up to
// half a cube, and skin there would follow flesh that is not around it.
#pragma once

#include "geometry/winding.h"
#include "volume/tets/tets.h"

typedef struct supTetCoverDef
{
	int32_t vertexCount;
	const supVec3* positions;
	// of the same surface
	const supWinding* winding;
	// edge of the lattice's cubes in metres
	float size;
	// how far a vertex may be outside of the tets, in metres
	float tolerance;
	// may be NULL
	const supTasks* tasks;
} supTetCoverDef;

// Points move only as far as tets stay good (tet_move.h), so some vertices may stay out farther than the tolerance.
// `farthest` is how far the farthest is, in metres. False and an error only where out of memory.
bool supCoverSurface( supTets* tets, const supTetCoverDef* def, float* farthest, supError* error );
