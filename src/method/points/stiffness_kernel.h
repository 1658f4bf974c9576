// SPDX-License-Identifier: MIT
// Second derivatives of elements into the blocks of a matrix.
#pragma once

#include "core/kernel.h"
#include "method/points/body.h"

// Where a pair of points goes: block * 4 + one of these.
enum
{
	sup_slotNone,
	sup_slotStraight,   // the first point's rows
	sup_slotTransposed, // the second point's rows
	sup_slotBoth,       // two points of one node
};

// Pairs of an element's points, each with itself included.
#define SUP_EDGE_PAIRS 3
#define SUP_TRIANGLE_PAIRS 6
#define SUP_TET_PAIRS 10

typedef struct supStiffnessJob
{
	double* values;       // 3x3 blocks, column by column, and room for one number behind them
	const int32_t* slots; // of the first pair of the first element
	const float* x;       // points, copies included, 16 bytes each
} supStiffnessJob;

// along n nᵀ + across ( I - n nᵀ ), see supAddEdgeProducts
SUP_DECLARE_KERNEL( void, supAddEdgeStiffness,
					( const supStiffnessJob* job, const supEdgeBlock* blocks, int32_t count, double along,
					  double across ) );
SUP_DECLARE_KERNEL( void, supAddTriangleStiffness,
					( const supStiffnessJob* job, const supTriangleBlock* blocks, int32_t count, double along ) );
SUP_DECLARE_KERNEL( void, supAddTetStiffness,
					( const supStiffnessJob* job, const supTetBlock* blocks, int32_t count, double along ) );
