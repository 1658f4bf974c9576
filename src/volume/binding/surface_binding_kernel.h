// SPDX-License-Identifier: MIT
// The inner loops of a surface binding.
//
// Frames are gathered vertex by vertex (one cache line each), blended with the components side by side, and transposed
// once, so that the rest of the arithmetic has one vertex per lane, as in skinning. Lanes never mix.
#pragma once

#include "volume/binding/surface_binding.h"

typedef struct supBindJob
{
	int32_t vertexCount;
	int32_t width;
	float smoothness;
	const supBindFrame* frames;
	const int32_t* points;
	const float* weights;
	// of each vertex: part of what the flesh does. NULL: all of it.
	const float* shares;
	// the reference; may be the same arrays as the output
	const supVec3* positions;
	const supVec3* normals;
	const supVec4* tangents;
	// NULL: all zero
	const supVec3* offsets;
	// NULL where not wanted
	supVec3* outPositions;
	supVec3* outNormals;
	supVec4* outTangents;
} supBindJob;

// - outNormals only with normals, outTangents only with tangents and normals
SUP_DECLARE_KERNEL( void, supBindSurface, ( const supBindJob* job ) );
