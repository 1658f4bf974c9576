// SPDX-License-Identifier: MIT
// The inner loops of a step. Vectors lie in registers of four doubles, whose last lane is whatever was read there and
// is never used: what has three doubles a vector needs room for one more at its end.
#pragma once

#include "core/kernel.h"
#include "method/fem/solver.h"

// One region's right-hand side.
typedef struct supFemSum
{
	const supFemModel* model;
	const supFemState* state;
	const supFemStep* step;
	const supFemRegion* region;
	double* parts; // scratch: supFemSum_PartSize each
	double* away;  // scratch: four of each known node
	double* out;   // three of each unknown
} supFemSum;

#define SUP_FEM_COLUMNS 32

static inline size_t supFemSum_PartSize( const supFemRegion* region )
{
	return SUP_FEM_COLUMNS + 4 * (size_t)region->nodeCount;
}

// Where bones and the frames between them put functions that are not known.
SUP_DECLARE_KERNEL( void, supFemAim, ( const supFemModel* model, const supFemState* state ) );

SUP_DECLARE_KERNEL( void, supFemPushAll,
					( const supFemModel* model, const supFemState* state, const supFemStep* step ) );

SUP_DECLARE_KERNEL( void, supFemSumRegion, ( const supFemSum* sum ) );

// What the regions found, blended: x and v at the end of the step.
SUP_DECLARE_KERNEL( void, supFemBlend, ( const supFemModel* model, const supFemState* state, double h ) );
