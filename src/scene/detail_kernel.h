// SPDX-License-Identifier: MIT
// The inner loop of a surface at less than full detail; see detail.c. One vertex per lane; lanes never mix.
#pragma once

#include "core/kernel.h"
#include "supple/math.h"

typedef struct supDetailJob
{
	int32_t vertexCount;
	// in: skinned, out: what is seen
	supVec3* positions;
	supVec3* normals;
	// in: what is carried, as of the last frame; out: of this one
	supVec3* offsets;
	supVec3* normalOffsets;
	supVec3* skinNormals;
	// the surface of flesh that has moved; NULL where it has not
	const supVec3* freshPositions;
	const supVec3* freshNormals;
	// of the new offsets, the rest of what was carried
	float blend;
	// of the offsets that is seen
	float share;
} supDetailJob;

SUP_DECLARE_KERNEL( void, supDrawDetail, ( const supDetailJob* job ) );
