// SPDX-License-Identifier: MIT
// Skinning of a run of vertices.
//
// Vertices lie in memory one after another (x y z x y z ...), bones are chosen per vertex, and nearly all arithmetic
// after the bones are blended is the same for every vertex. So a block of eight vertices (four where registers
// hold four floats) goes through three stages:
//
//     gather        for each vertex: read its bones, blend them (linear), neighbouring components in a register
//     transpose     the vertices side by side: one register per component (m00 of all, m10 of all, ...)
//     move          positions, normals, tangents of all at once; transposed back and stored
//
// Dual quaternions are transposed before they are blended, since the sign of each depends on a dot product with the
// first. Lanes never mix, so that a vertex comes out the same whatever block, thread or instruction set it falls to.
#pragma once

#include "character/pose.h"
#include "core/kernel.h"

typedef struct supSkinJob
{
	int32_t vertexCount;
	// 0: all vertices follow palette[0]; else 1, 2, 4 or 8
	int32_t influences;
	const uint16_t* joints;
	const float* weights;
	// one of the two
	const supWideMatrix* palette;
	const supDualJoint* duals;
	bool hasStretch;
	// duals are blended as they are; otherwise each is taken on the side of the heaviest joint
	bool keepsSides;
	const supVec3* positions;
	// NULL where the output is not wanted
	const supVec3* normals;
	const supVec4* tangents;
	supVec3* outPositions;
	supVec3* outNormals;
	supVec4* outTangents;
} supSkinJob;

// - outNormals only with normals, outTangents only with tangents
SUP_DECLARE_KERNEL( void, supSkinLinear, ( const supSkinJob* job ) );

// - influences > 0
SUP_DECLARE_KERNEL( void, supSkinDual, ( const supSkinJob* job ) );

// out := out + weight offsets, over `count` floats.
SUP_DECLARE_KERNEL( void, supAddScaled, ( float* out, const float* offsets, float weight, int32_t count ) );

// Some vertices as supSkinInstance moves them; the output has room for those alone.
void supSkinVertices( supPose* pose, int32_t instance, supSkinning skinning, int32_t begin, int32_t end,
					  const supSkinOutput* output );

// The same by dual quaternions of the caller's, blended as they are.
// - duals: of each joint of the skin, as supPose_DualPalette has them but for their signs
void supSkinVerticesBySides( supPose* pose, int32_t instance, const supDualJoint* duals, int32_t begin, int32_t end,
							 const supSkinOutput* output );

// One vertex of them.
supVec3 supSkinVertex( supPose* pose, int32_t instance, supSkinning skinning, int32_t vertex );
