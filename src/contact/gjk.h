// SPDX-License-Identifier: MIT
// How far apart two convex bodies are (Gilbert, Johnson & Keerthi 1988).
//
// A body is the convex hull of points, grown by a radius: one point is a sphere, two are a capsule, eight a box. The
// algorithm walks over the difference of the two hulls towards the origin, keeping a simplex of up to four of its
// vertices; the nearest point of the simplex is found by Ericson's regions, in double, so that flat and thin bodies
// need no special care.
#pragma once

#include "supple/math.h"

typedef struct supConvex
{
	const supVec3* points;
	int32_t count; // at least 1
	float radius;
} supConvex;

typedef struct supGjkResult
{
	// between the grown bodies, negative where they overlap by no more than their radii; -radii where the hulls
	// themselves overlap
	float distance;
	// nearest points of the hulls themselves; they coincide where the hulls overlap
	supVec3 a, b;
	// unit length from a to b; zero where the hulls overlap
	supVec3 normal;
} supGjkResult;

supGjkResult supMeasureConvexDistance( const supConvex* a, const supConvex* b );

// The point of the hull that is nearest to `point` (itself where it is inside) as a mix of up to four of its points:
// weights are >= 0 with sum 1, to rounding.
void supMixConvex( const supConvex* body, supVec3 point, int32_t indices[4], float weights[4] );
