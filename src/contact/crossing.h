// SPDX-License-Identifier: MIT
// Where a ray goes through a triangle, so that of triangles which share an edge exactly one is gone through there.
#pragma once

#include "supple/math.h"

typedef struct supRayCrossing
{
	float at;        // along the ray
	int32_t leaving; // 1, or -1: entering
	float bary[3];
} supRayCrossing;

// Twice the area of 0, a, b. Where it is 0 the ray is on the edge, and which side that counts as depends on the edge
// alone: of the two triangles at it exactly one has it.
static inline float supRayEdgeArea( supVec3 a, supVec3 b, int32_t first, int32_t second, bool* isLeft )
{
	float area = a.x * b.y - a.y * b.x;
	*isLeft = area > 0.0f || ( area == 0.0f && first < second );
	return area;
}

// - corners as seen along the ray from where it begins (right, up, along), and their numbers
static inline bool supCrossTriangle( const supVec3 p[3], const int32_t numbers[3], supRayCrossing* crossing )
{
	bool isLeft[3];
	float area[3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		area[k] = supRayEdgeArea( p[i], p[j], numbers[i], numbers[j], isLeft + k );
	}
	float sum = area[0] + area[1] + area[2];
	// not for NaN
	if ( isLeft[0] != isLeft[1] || isLeft[1] != isLeft[2] || !( fabsf( sum ) > 0.0f ) )
	{
		return false;
	}
	*crossing =
		( supRayCrossing ){ .leaving = sum > 0.0f ? 1 : -1, .bary = { area[0] / sum, area[1] / sum, area[2] / sum } };
	crossing->at = crossing->bary[0] * p[0].z + crossing->bary[1] * p[1].z + crossing->bary[2] * p[2].z;
	return crossing->at > 0.0f;
}
