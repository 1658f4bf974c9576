// SPDX-License-Identifier: MIT
// Loops over the nodes of the skin, the longest of a substep after the solves with it.
#pragma once

#include "core/kernel.h"
#include "method/layered/layered.h"

// SUP_FRAME_SUMS of one frame, for displacements q and their velocities v.
SUP_DECLARE_KERNEL( void, supSumFrame,
					( const supLayeredFlesh* flesh, int32_t frame, const double* q, const double* v, double* sums ) );

// SUP_NODE_SUMS of the nodes of a pair of frames, by weight.
SUP_DECLARE_KERNEL( void, supSumPair,
					( const supLayeredFlesh* flesh, const supFramePair* pair, const double* nodeSums, double* sums ) );

// y := M_bsᵀ v for nodes [begin, end): m Σ w ( R_iᵀ ċ_i - ω_i x c0_i ) + m ( Σ w ω_i ) x p, of which the part in the
// first brackets and ω_i are those of each frame in `motions`.
SUP_DECLARE_KERNEL( void, supCarryToNodes,
					( const supLayeredFlesh* flesh, const double* q, const double* motions, double* y, int32_t begin,
					  int32_t end ) );

// Σ m w y and Σ m w p x y of the nodes of a frame.
SUP_DECLARE_KERNEL( void, supCarryToFrame,
					( const supLayeredFlesh* flesh, int32_t frame, const double* q, const double* y, double* sums ) );

// What pushes node a beside the skin's stress, as in free_motion.c, with p = u + q:
//
//     Σ w ( R_iᵀ ( g - a_i ) + ω_i x ( ω_i x c0_i ) + α_i x c0_i ) - ( Σ w [ω_i]x² ) p - ( Σ w α_i ) x p
//     - 2 ( Σ w ω_i ) x q̇ - drag q̇ + rest
//
// with a_i and α_i what velocities of a frame gain by themselves. f := m push - f. The first bracket, ω_i, the six
// numbers of [ω_i]x² and α_i of each frame are in `motions`.
typedef struct supNodePushes
{
	const supLayeredFlesh* flesh;
	const double* q;
	const double* v;
	const double* motions;
	supVec3d rest;
	double drag;
	double* f;
} supNodePushes;

SUP_DECLARE_KERNEL( void, supPushNodes, ( const supNodePushes* pushes, int32_t begin, int32_t end ) );

// Doubles of a frame in `motions`: vectors of four, of which the last is zero.
#define SUP_FRAME_MOTION 20
