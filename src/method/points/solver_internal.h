// SPDX-License-Identifier: MIT
// What the files of the solver share.
#pragma once

#include "core/tasks.h"
#include "method/points/elements_kernel.h"
#include "method/points/move_kernel.h"
#include "method/points/solver.h"

// Points a piece of a loop over points has, about 2 us; a few arrays of them fit the smallest cache.
#define SUP_POINT_GRAIN 512

// Loops over fewer points, and over elements of fewer chunks, are over before another thread has woken up.
#define SUP_LEAST_SHARED_POINTS 8192
#define SUP_LEAST_SHARED_CHUNKS 24

static inline const supTasks* supShareLoop( const supPointBody* body, const supTasks* tasks )
{
	return body->pointCount >= SUP_LEAST_SHARED_POINTS ? tasks : NULL;
}

static inline const supTasks* supShareElements( const supPointBody* body, const supTasks* tasks )
{
	return body->chunkCount >= SUP_LEAST_SHARED_CHUNKS ? tasks : NULL;
}

// Gravity, wind, drag and the force; everything else as zero.
supMoveJob supMakeMoveJob( const supPointSettings* settings, const supPointState* state );

void supRunMove( const supPointBody* body, const supMoveJob* job, const supTasks* tasks );

// As supPointSolver_Evaluate, with pushes.
void supEvaluateWithPushes( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							const supPointStep* step );

// implicit.c
void supPredictImplicit( const supPointBody* body, const supPointSettings* settings, supPointState* state,
						 const supPointStep* step );

// forces.c: copies of shared points, as the points themselves.
void supRefreshCopies( const supPointBody* body, float* array );

// forces.c: y = matrix times p, or its diagonal where p is NULL; the mass is not in it. Copies in
// x are up to date, those in p are made so.
void supMultiplyStiffness( const supPointBody* body, const supPointSettings* settings, const float* x, float* p,
						   float* y, float dt, const supTasks* tasks );
