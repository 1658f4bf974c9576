// SPDX-License-Identifier: MIT
// What the ways of solving share: scratch memory, and the buffers of subtrees.
//
//     work vector | x of each worker | sums of each worker, or of each piece of a large panel | residual
#pragma once

#include "linear/factor.h"

typedef struct supSolveLayout
{
	size_t numberSize;
	size_t xSize;
	size_t sumsSize;
	size_t xStart, sumsStart, residualStart, total;
} supSolveLayout;

supSolveLayout supMakeSolveLayout( const supFactor* factor, int32_t columns, int32_t workerCount );

// How many of the columns that are left are solved for next.
static inline int32_t supColumnsAtOnce( int32_t columns )
{
	return columns >= SUP_MAX_SOLVE_COLUMNS ? SUP_MAX_SOLVE_COLUMNS : ( columns < 4 ? columns : 4 );
}

// The buffer of a subtree: down, into the unknowns above it, or up, out of them.
void supMoveBuffer( const supFactor* factor, const supPanelJob* job, int32_t subtree, bool down );
