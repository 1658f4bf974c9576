// SPDX-License-Identifier: MIT
// The loops of a decomposition that go over all frames of a vertex.
#pragma once

#include "core/kernel.h"
#include "supple/math.h"

// out[k] := M_k x - v over all frames, for `count` bones of 12 rows each; x y z rows of `stride` floats one after
// another.
SUP_DECLARE_KERNEL( void, supBoneResiduals,
					( const float* const* bones, int32_t count, int32_t stride, supVec3 x, const float* track,
					  float* out ) );

// blend := sum of weights[k] rows[k] for the first `blended` of `count` vectors of `size` floats; its square goes to
// products[0], and for each vector its square and its dot product with the blend to products[1 + 2 k] and the next.
SUP_DECLARE_KERNEL( void, supScreenResiduals,
					( const float* rows, int32_t count, int32_t size, const float* weights, int32_t blended,
					  float* blend, float* products ) );

// gram[a * count + b] := dot products of vectors of `size` floats.
SUP_DECLARE_KERNEL( void, supGramOfRows, ( const float* const* rows, int32_t count, int32_t size, float* gram ) );

// out := sum of weights[k] M_k x - v; the sum of its squares and its largest squared distance.
SUP_DECLARE_KERNEL( void, supBlendResidual,
					( const float* const* bones, const float* weights, int32_t count, int32_t stride, supVec3 x,
					  const float* track, float* out, float* sum, float* peak ) );

// moments[3 k + c] += w x_k v_c over all frames for k = 0 .. 3 (x_3 is 1): twelve rows of `stride` floats.
SUP_DECLARE_KERNEL( void, supAddMoments,
					( float* moments, int32_t stride, supVec3 x, float weight, const float* track ) );

// Dot products of d = M x - v and r: dd, dr, rr.
SUP_DECLARE_KERNEL( void, supCompareResidual,
					( const float* bone, int32_t stride, supVec3 x, const float* track, const float* residual,
					  float products[3] ) );
