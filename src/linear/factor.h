// SPDX-License-Identifier: MIT
// Our own sparse L D Lt: the pattern is analysed once (symbolic.h), numbers are factored as often as they change, and
// neither factoring nor solving allocates.
//
//     supBlockMatrix_Create( &matrix, ... );                     pattern, then values
//     supSymbolic_Create( &symbolic, &matrix, points, NULL, &error );
//     supFactor_Create( &factor, &symbolic, &def, &error );
//     supFactor_Refactor( &factor, &matrix, tasks );             whenever values changed
//     supFactor_Solve( &factor, x, columns, scratch, tasks );    right-hand sides in, solutions out
//
// A factor that is not being refactored is constant: any number of threads may solve with it, each with scratch of its
// own. The same bits come out for every number of threads and instruction set.
//
// Definite or not: a definite matrix takes pivots as they come. An indefinite one (joints with multipliers) chooses
// pivots of one or two rows inside each supernode; nodes are never torn apart, so a bone and the multipliers of its
// joint in one node always have a pivot. Pivots that are nothing but rounding are replaced and reported, with the node.
//
// Float or double: double unless memory or the time of a single solve counts more than digits (README.md has figures).
// A solve is bound by reading L, and floats are half of it; but they are right to 4 digits for a soft body, to 1 or 2
// where some of it is 10^4 times stiffer, and not at all beyond. A round of refinement (supFactor_SolveRefined) brings
// back 3 to 4 digits of these 4 and costs more than having solved in double; it is meant for indefinite systems and for
// finding out what a solution is worth.
#pragma once

#include "linear/panel.h"

typedef struct supFactorDef
{
	supPrecision precision;
	bool indefinite;
	// the most workers that will ever refactor
	int32_t workerCount;
} supFactorDef;

typedef struct supFactor
{
	supArena arena;
	const supSymbolic* symbolic;
	supPrecision precision;
	supPanelJob job;
	int32_t workerCount;
	supPanelScratch* workers;
} supFactor;

typedef struct supFactorReport
{
	// every pivot was usable, and positive where the matrix should be definite
	bool ok;
	// node of the matrix with the first pivot that was not, in the order of elimination; -1 for none
	int32_t badNode;
	int32_t badCount;
	// eigenvalues below zero (indefinite), or negative pivots (definite)
	int32_t negativeCount;
	// the smallest pivot by size, as a part of the matrix's own entry: below about 1e-6 a factor in floats is not worth
	// much, below 1e-14 one in doubles
	double smallestPivot;
} supFactorReport;

// - `symbolic` must outlive the factor
bool supFactor_Create( supFactor* factor, const supSymbolic* symbolic, const supFactorDef* def, supError* error );
void supFactor_Destroy( supFactor* factor );

// A factor in memory of the caller's, 64-byte aligned: a view, to be made again wherever the block is copied to.
// Numbers stay as they are. Nothing to destroy. Without memory it only serves to ask for the size of scratch.
size_t supFactor_MemorySize( const supSymbolic* symbolic, const supFactorDef* def );
void supFactor_InitAt( supFactor* factor, const supSymbolic* symbolic, const supFactorDef* def, void* memory );

// The same with numbers, and what refactoring needs beside them, in two blocks: many factors that are made one after
// the other share one `work`, which may be NULL for those that are only solved with.
size_t supFactor_NumbersSize( const supSymbolic* symbolic, const supFactorDef* def );
size_t supFactor_WorkSize( const supSymbolic* symbolic, const supFactorDef* def );
supFactor supFactor_Place( const supSymbolic* symbolic, const supFactorDef* def, void* numbers, void* work );

// - `matrix` has the pattern that `symbolic` was made for
// - `tasks` may be NULL, and has no more workers than the def said
supFactorReport supFactor_Refactor( supFactor* factor, const supBlockMatrix* matrix, const supTasks* tasks );

// Bytes of scratch that a solve needs, 64-byte aligned.
size_t supFactor_ScratchSize( const supFactor* factor, int32_t columns, int32_t workerCount );

// x := A^-1 x for several right-hand sides: x[unknown * columns + c]. For x, y and z with one scalar matrix, columns is
// 3 and x an array of vectors.
// - the factor has been refactored
// - `scratch` as large as supFactor_ScratchSize says for `columns` and the workers of `tasks`, which may be NULL
void supFactor_Solve( const supFactor* factor, double* x, int32_t columns, void* scratch, const supTasks* tasks );

// x := A^-1 b, then `rounds` times x += A^-1 ( b - A x ) with the residual in double. Returns the size of the last
// correction as a part of the solution (largest entries): an estimate of the error before it. Where it is not small the
// factor does not fit the matrix or the matrix is singular.
// - b and x do not overlap
double supFactor_SolveRefined( const supFactor* factor, const supBlockMatrix* matrix, const double* b, double* x,
							   int32_t columns, int32_t rounds, void* scratch, const supTasks* tasks );
