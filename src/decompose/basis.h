// SPDX-License-Identifier: MIT
// Principal components of moving vertices: few shapes whose weighted sums reproduce every frame.
//
// A frame is a row of offsets from a base shape, x_f. The Gram matrix x_f . x_g of all frames has eigenvectors u_k and
// eigenvalues l_k; the shapes c_k = sum_f u_kf x_f / sqrt(l_k) are orthonormal, and sqrt(l_k) u_kf is how much of shape
// k is in frame f. As many are kept as bring every vertex of every frame within the tolerance.
//
// Weights of morph targets are kept within 0 .. 1, because readers clamp them to that (Blender, Unity). So each shape
// is scaled to its range, and one more shape, of weight 1 in all frames, holds the sum of all smallest weights:
//     x_f = sum_k w_kf c_k = sum_k min_k c_k + sum_k (w_kf - min_k) / range_k * (range_k c_k)
#pragma once

#include "core/arena.h"
#include "supple/math.h"

// Offsets of one frame from the base, vertexCount of each; normals may be NULL.
typedef bool supReadOffsetsFcn( int32_t row, supVec3* positions, supVec3* normals, void* context, supError* error );

typedef struct supBasisDef
{
	int32_t vertexCount;
	int32_t rowCount; // frames
	bool withNormals;
	float tolerance;    // distance of any vertex in any frame
	int32_t mostShapes; // the constant one included
	supReadOffsetsFcn* read;
	void* context;
	const supTasks* tasks;
} supBasisDef;

typedef struct supBasis
{
	supArena arena;
	// The first shape is the constant one. 0: more than mostShapes would be needed.
	int32_t shapeCount;
	int32_t vertexCount;
	supVec3* positions; // shape * vertexCount + vertex
	supVec3* normals;   // likewise; NULL without
	float* weights;     // row * shapeCount + shape, 0 .. 1
} supBasis;

// False with an error where memory runs out or a frame cannot be read. Free with supArena_Destroy of its arena in any
// case. The same bits for any number of threads.
SUP_SHARED_API bool supFindBasis( supBasis* basis, const supBasisDef* def, supError* error );
