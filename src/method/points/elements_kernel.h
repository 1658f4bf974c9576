// SPDX-License-Identifier: MIT
// Forces of elements, and products with the matrix of their derivatives. Pure: points in, forces added.
//
// For an element of energy ½ k C², damped with k_d = k T:
//     F_i = -k ( C + T Σ_j ∇_j C · v_j ) ∇_i C                                   (Teschner et al. 2004)
// and for a direction p, with the parts that keep the matrix positive definite,
//     y_i = s k ∇_i C Σ_j ∇_j C · p_j                                            (Gauss-Newton)
// plus, for an edge that is stretched, g k max( 0, C ) ∇²C p.
#pragma once

#include "core/kernel.h"
#include "method/points/body.h"

typedef struct supElementForce
{
	const float* x; // slots: x, y, z, anything
	const float* v;
	float* f;        // added to; the fourth number is left alone
	float stiffness; // k = stiffness x weight
	float damping;   // T, seconds
} supElementForce;

SUP_DECLARE_KERNEL( void, supAddEdgeForces, ( const supEdgeBlock* blocks, int32_t count, const supElementForce* job ) );
SUP_DECLARE_KERNEL( void, supAddTriangleForces,
					( const supTriangleBlock* blocks, int32_t count, const supElementForce* job ) );
SUP_DECLARE_KERNEL( void, supAddTetForces, ( const supTetBlock* blocks, int32_t count, const supElementForce* job ) );

// How many times as much as at rest the tet that is pulled out most resists a change of its volume, at least 1: by its
// faces, ( Σ |∇C| )² against that at rest, and by as much again as it is bent, |C ∇²C|.
SUP_DECLARE_KERNEL( float, supFindGrowth, ( const supTetBlock* blocks, int32_t count, const float* x ) );

typedef struct supElementProduct
{
	const float* x;
	const float* p; // NULL: the diagonal of the matrix is added to y
	float* y;       // added to
	float along;    // s x stiffness
	float across;   // g x stiffness
} supElementProduct;

SUP_DECLARE_KERNEL( void, supAddEdgeProducts,
					( const supEdgeBlock* blocks, int32_t count, const supElementProduct* job ) );
SUP_DECLARE_KERNEL( void, supAddTriangleProducts,
					( const supTriangleBlock* blocks, int32_t count, const supElementProduct* job ) );
SUP_DECLARE_KERNEL( void, supAddTetProducts,
					( const supTetBlock* blocks, int32_t count, const supElementProduct* job ) );
