// SPDX-License-Identifier: MIT
// Which triangles of a cluster are worth a closer look, eight at a time.
#pragma once

#include "contact/detection.h"

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
} supNearQuery;

// Bit i: triangle i of the cluster may be within reach of the point, on the side that its plane says. Never misses.
// - at most SUP_CLUSTER_TRIANGLES
SUP_DECLARE_KERNEL( uint32_t, supMaskNear,
					( const supTriangleBlock* blocks, int32_t triangleCount, const supNearQuery* query ) );

// Bit i: the box around triangle i touches the box.
SUP_DECLARE_KERNEL( uint32_t, supMaskInBox,
					( const supTriangleBlock* blocks, int32_t triangleCount, const supBox* box ) );
