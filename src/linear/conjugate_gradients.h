// SPDX-License-Identifier: MIT
// Preconditioned conjugate gradients, with a projection for constraints. Allocates nothing; dot products are summed in
// fixed blocks, so that the result does not depend on threads.
#pragma once

#include "linear/block_matrix.h"

// y := something linear and symmetric of x, both [unknownCount].
typedef void supApplyFcn( const double* x, double* y, const supTasks* tasks, void* context );

typedef struct supGradientsDef
{
	int32_t unknownCount;
	// definite, on the space that `project` leaves
	supApplyFcn* apply;
	void* applyContext;
	// definite; NULL for none. With `project` it is used as P D^-1 P.
	supApplyFcn* precondition;
	void* preconditionContext;
	// takes out of x, in place, what constraints forbid (I - Q Qt); NULL for none
	void ( *project )( double* x, void* context );
	void* projectContext;
	// stops where the residual's length is below this part of the right-hand side's
	double tolerance;
	int32_t maxIterations;
	const supTasks* tasks;
} supGradientsDef;

typedef struct supGradientsReport
{
	bool converged;
	int32_t iterations;
	// of the recurrence, as a part of the right-hand side's length
	double residual;
	// a direction along which the matrix is not positive: x is the best up to there
	bool indefinite;
} supGradientsReport;

// Numbers of scratch space.
static inline size_t supGradientsScratchCount( int32_t unknownCount )
{
	return 4 * (size_t)unknownCount;
}

// Solves A x = b from the x that is there, which fulfils the constraints.
supGradientsReport supSolveGradients( const supGradientsDef* def, const double* b, double* x, double* scratch );

// An `apply` that multiplies by a supBlockMatrix, the context.
void supApplyMatrix( const double* x, double* y, const supTasks* tasks, void* context );

// ---------------------------------------------------------------------------------------------------------------------
// The inverse of the diagonal blocks as a preconditioner.

typedef struct supBlockJacobi
{
	supArena arena;
	const supBlockMatrix* matrix;
	int32_t* starts; // of each node's inverse
	double* inverses;
} supBlockJacobi;

bool supBlockJacobi_Create( supBlockJacobi* jacobi, const supBlockMatrix* matrix, supError* error );
void supBlockJacobi_Destroy( supBlockJacobi* jacobi );

// After the matrix's values changed. Blocks that are not definite are replaced by their diagonal, and that by 1 where
// it is not positive. Returns how many were.
int32_t supBlockJacobi_Update( supBlockJacobi* jacobi );

// A `precondition`; the context is the supBlockJacobi.
void supApplyBlockJacobi( const double* x, double* y, const supTasks* tasks, void* context );
