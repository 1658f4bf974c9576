// SPDX-License-Identifier: MIT
// Work on the panels of a factor (see symbolic.h for their layout), once in float and once in double.
//
// Numeric factorisation of one supernode, looking left:
//
//     assemble     the matrix's blocks into the panel
//     update       minus L D Lt of every earlier supernode with rows here, in a fixed order: each number of the panel
//     is
//                  a sum in the same order on any thread, so that rows may be shared out among threads
//     diagonal     L D Lt of the diagonal block; tiles on its diagonal are stored inverted, which turns the short
//                  triangular solves inside into products
//     rows         the rows below, times L^-t D^-1
//
// Solving is a pass over all panels down (L) and one up (D^-1, Lt).
#pragma once

#include "core/kernel.h"
#include "linear/symbolic.h"

// Right-hand sides that are solved for at once.
#define SUP_MAX_SOLVE_COLUMNS 8

// What went wrong on one worker. Merging takes minima and sums, so that the order does not matter.
typedef struct supPanelReport
{
	int32_t firstBad; // in the order of elimination, INT32_MAX for none
	int32_t badCount;
	int32_t negativeCount;
	double smallestPivot; // as a part of the matrix's entry there
} supPanelReport;

// One per worker.
typedef struct supPanelScratch
{
	int32_t* offsets; // of each unknown's row in the panel that is being updated
	int32_t* rowOffsets;
	void* packed;
	double* dense; // indefinite only
	supPanelReport report;
} supPanelScratch;

typedef struct supPanelJob
{
	const supSymbolic* symbolic;
	const supBlockMatrix* matrix;
	bool indefinite;
	void* values;
	// per unknown: D, its entry beside the diagonal, and the same of its inverse
	void* pivots[4];
	// row of the supernode's diagonal block, indefinite only
	int32_t* pivotOrder;
	// per unknown: size of the matrix's entries, and the largest of all
	double* scales;
	double largestScale;
	// a solve: [place * columns + column], and per worker [column][row of the supernode], [column][column of the panel]
	void* work;
	int32_t columns;
} supPanelJob;

#define SUP_DECLARE_PANEL_KERNELS( type )                                                                              \
	SUP_DECLARE_KERNEL( void, supAssemblePanel##type,                                                                  \
						( const supPanelJob* job, int32_t supernode, const supPanelScratch* scratch ) );               \
	/* rows of the panel whose unknowns lie in [begin, end); `offsets` as left by assembling */                        \
	SUP_DECLARE_KERNEL( void, supUpdatePanel##type,                                                                    \
						( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end,                       \
						  const int32_t* offsets, const supPanelScratch* scratch ) );                                  \
	SUP_DECLARE_KERNEL( void, supFactorDiagonal##type,                                                                 \
						( const supPanelJob* job, int32_t supernode, supPanelScratch* scratch ) );                     \
	/* tiles [begin, end) of the rows below */                                                                         \
	SUP_DECLARE_KERNEL(                                                                                                \
		void, supSolvePanelRows##type,                                                                                 \
		( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end, const supPanelScratch* scratch ) );   \
	/* `x` has room for columns * SUP_MAX_PANEL_WIDTH numbers */                                                       \
	SUP_DECLARE_KERNEL( void, supForwardDiagonal##type, ( const supPanelJob* job, int32_t supernode, void* x ) );      \
	SUP_DECLARE_KERNEL( void, supForwardRows##type,                                                                    \
						( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end, void* x ) );          \
	/* `sums` has room for columns * SUP_MAX_PANEL_WIDTH tiles' rows, and is set */                                    \
	SUP_DECLARE_KERNEL( void, supBackwardRows##type,                                                                   \
						( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end, void* sums ) );       \
	SUP_DECLARE_KERNEL( void, supBackwardDiagonal##type,                                                               \
						( const supPanelJob* job, int32_t supernode, void* sums, void* x ) );                          \
	/* supernodes [first, last], in this order and in the opposite one */                                              \
	SUP_DECLARE_KERNEL( void, supForwardPanels##type,                                                                  \
						( const supPanelJob* job, int32_t first, int32_t last, void* x ) );                            \
	SUP_DECLARE_KERNEL( void, supBackwardPanels##type,                                                                 \
						( const supPanelJob* job, int32_t first, int32_t last, void* sums, void* x ) )

SUP_DECLARE_PANEL_KERNELS( Float );
SUP_DECLARE_PANEL_KERNELS( Double );
