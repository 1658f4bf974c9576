// SPDX-License-Identifier: MIT
// The convex hull of points: its vertices and its faces as triangles with planes.
#pragma once

#include "core/arena.h"
#include "supple/math.h"

// Vertices are taken farthest first; where there are more, those that matter least are left out.
#define SUP_MAX_HULL_VERTICES 256

typedef struct supHull
{
	supArena arena;
	int32_t vertexCount;
	supVec3* vertices;
	int32_t faceCount;
	// three a face, counter-clockwise from outside
	int32_t* indices;
	// unit normals outwards
	supVec3* normals;
	// normal . x <= offset inside
	float* offsets;
} supHull;

// Points within 1e-5 of the largest extent of a face do not become vertices. False and an error where there are fewer
// than four points, where they all lie in one plane, where one is not a number, or out of memory.
// - hull is zero-initialised
bool supHull_Init( supHull* hull, const supVec3* points, int32_t count, supError* error );
void supHull_Destroy( supHull* hull );
