// SPDX-License-Identifier: MIT
// Which triangles of a cluster are worth a closer look, eight at a time.
#pragma once

#include "contact/detection.h"
#include "contact/pair.h"

typedef struct supNearQuery
{
	supVec3 p;
	supVec3 normal;
	// farthest in front and behind, and what planes are off by rounding
	float margin;
	float depth;
	float rounding;
	// the normals' product must be below this: where the triangle is in front, and where it is behind
	float facingFront;
	float facingBehind;
	// A character with itself: where the vertex and the triangles' centres are at rest, eight x, y and z a block, and
	// the squares of the parts of their distance that they must be within. NULL without.
	const float* restCenters;
	supVec3 rest;
	float restFront;
	float restBehind;
} supNearQuery;

// Bit i: triangle i of the cluster may be within reach of the point, on the side that its plane says. Never misses.
// squared[i] is no more than the square of its distance.
// - at most SUP_CLUSTER_TRIANGLES
SUP_DECLARE_KERNEL( uint32_t, supMaskNear,
					( const supTriangleBlock* blocks, int32_t triangleCount, const supNearQuery* query,
					  float squared[SUP_CLUSTER_TRIANGLES] ) );

// Bit i: the box around triangle i touches the box.
SUP_DECLARE_KERNEL( uint32_t, supMaskInBox,
					( const supTriangleBlock* blocks, int32_t triangleCount, const supBox* box ) );

// Bit i: box i touches the box. count <= 32.
SUP_DECLARE_KERNEL( uint32_t, supMaskBoxes, ( const supBoxBlock* blocks, int32_t count, const supBox* box ) );

// Bit i: box i is within the distance of the point, whose square is given. count <= 32.
SUP_DECLARE_KERNEL( uint32_t, supMaskWithin, ( const supBoxBlock* blocks, int32_t count, supVec3 p, float squared ) );

// Clusters of the body among the 32 from `base` (a multiple of 8) on, not before `first` and before `end`, whose boxes
// touch the box: bit i is cluster base + i.
static inline uint32_t supMaskTouching( const supBodyState* b, int32_t base, int32_t first, int32_t end,
										const supBox* box )
{
	int32_t count = end - base < 32 ? end - base : 32;
	uint32_t bits = SUP_CALL_KERNEL( supMaskBoxes )( b->boxBlocks + base / 8, count, box );
	bits &= count < 32 ? ( 1u << count ) - 1u : UINT32_MAX;
	return first > base ? bits & ~( ( 1u << ( first - base ) ) - 1u ) : bits;
}
