// SPDX-License-Identifier: MIT
// Dense factorisations for up to a few hundred unknowns, in double precision, in place, column after column:
// a[column * n + row]. None of them allocates.
#pragma once

#include "core/core.h"

// A = L Lt; only the lower triangle is read and written. Returns -1, or the first column where A is not positive
// definite.
int32_t supDense_FactorCholesky( double* a, int32_t n );
void supDense_SolveCholesky( const double* factor, int32_t n, double* x );

// P A = L U with row exchanges. Returns -1, or the first column without a pivot.
int32_t supDense_FactorLu( double* a, int32_t n, int32_t* exchanges );
void supDense_SolveLu( const double* factor, int32_t n, const int32_t* exchanges, double* x );

// ---------------------------------------------------------------------------------------------------------------------
// P A Pt = L D Lt of a symmetric matrix that need not be definite, with pivots of one or two rows chosen so that no
// entry of L is large (bounded Bunch-Kaufman: Ashcraft, Grimes & Lewis 1998).

typedef struct supPivots
{
	int32_t negative; // eigenvalues below zero, by Sylvester's law
	int32_t repaired; // pivots so small that they were replaced
	int32_t firstBad; // row of A of the first of these, -1 for none
	double smallest;  // pivot, by size, as a part of `scale`
} supPivots;

// Where the largest entry left in a column is no larger than `tiny`, the pivot is replaced by `repair`.
// - a: lower triangle in; unit lower triangle L out, ones not written
// - order[i]: the row of A that is row i of P A
// - diagonal[i], and offDiagonal[i] != 0 where rows i and i + 1 share a pivot
supPivots supDense_FactorIndefinite( double* a, int32_t n, int32_t* order, double* diagonal, double* offDiagonal,
									 double scale, double tiny, double repair );

// The inverse of the pivot at i and i + 1: diagonal entries in inverse[0] and inverse[2], off-diagonal in inverse[1].
void supInvertPivot( double a, double b, double c, double inverse[3] );
