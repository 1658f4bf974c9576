// SPDX-License-Identifier: MIT
// Implicit Euler: v⁺ = v + h a( x + h v⁺, v⁺ ), by Newton from v⁺ = v. Each iteration solves
//     ( m + h D + h² K ) Δv = h F - m ( v⁺ - v )
// with conjugate gradients, the diagonal as preconditioner, without ever forming the matrix: a product costs about as
// much as an evaluation of the forces. K is the Gauss-Newton part of the second derivatives plus the stiffness of
// stretched edges across their direction, which is positive definite in every shape.
#include "core/reduce.h"
#include "method/points/implicit_kernel.h"
#include "method/points/solver_internal.h"

typedef double CgFcn( const supCgJob* job, int32_t begin, int32_t end );

typedef struct ReduceRun
{
	const supCgJob* job;
	CgFcn* function;
} ReduceRun;

static void ReduceBlock( int32_t begin, int32_t end, void* partial, void* context )
{
	const ReduceRun* run = context;
	*(double*)partial = run->function( run->job, begin, end );
}

static void AddPartial( void* total, const void* partial, void* context )
{
	(void)context;
	*(double*)total += *(const double*)partial;
}

static double Reduce( const supPointBody* body, const supCgJob* job, CgFcn* function, const supTasks* tasks )
{
	double total = 0.0;
	ReduceRun run = { job, function };
	supReduce( tasks, body->pointCount, sizeof( double ), ReduceBlock, AddPartial, &total, &run );
	return total;
}

static void TurnRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supCgTurn )( context, begin, end );
}

// Adds Δv to v. False where it did not converge in its iterations.
static bool SolveCg( const supPointBody* body, const supPointSettings* settings, supPointState* state, supCgJob* job,
					 const supPointStep* step )
{
	const supTasks* tasks = step->tasks;
	double rz = Reduce( body, job, SUP_CALL_KERNEL( supCgBegin ), tasks );
	double goal = rz * (double)settings->cgTolerance * (double)settings->cgTolerance;
	for ( int32_t i = 0; i < settings->cgIterations && rz > goal && rz > 1e-30; ++i )
	{
		supMultiplyStiffness( body, settings, state->x, job->direction, job->product, step->dt, tasks );
		double py = Reduce( body, job, SUP_CALL_KERNEL( supCgAddMass ), tasks );
		if ( ( py > 0.0 && py < (double)INFINITY ) == false )
		{
			return false;
		}
		job->step = (float)( rz / py );
		double next = Reduce( body, job, SUP_CALL_KERNEL( supCgAdvance ), tasks );
		job->turn = (float)( next / rz );
		rz = next;
		supParallelFor( tasks, body->pointCount, SUP_POINT_GRAIN, TurnRange, job );
	}
	return rz <= goal || rz <= 1e-30;
}

// x = oldX + h v
static void MoveAlong( const supPointBody* body, const supPointState* state, const supPointStep* step )
{
	supMoveJob job = { .x = state->oldX,
					   .v = state->v,
					   .u = state->v,
					   .now = state->v,
					   .f = state->v,
					   .xV = step->dt,
					   .vV = 1.0f,
					   .newX = state->x,
					   .newV = state->v };
	supRunMove( body, &job, step->tasks );
}

void supPredictImplicit( const supPointBody* body, const supPointSettings* settings, supPointState* state,
						 const supPointStep* step )
{
	size_t size = 4 * sizeof( float ) * (size_t)body->pointCount;
	memcpy( state->oldX, state->x, size );
	memcpy( state->history, state->v, size );
	supCgJob job = { .x = state->x,
					 .v = state->v,
					 .before = state->history,
					 .f = state->f,
					 .residual = state->cg[0],
					 .direction = state->cg[1],
					 .product = state->cg[2],
					 .inverse = state->cg[3],
					 .dt = step->dt,
					 .drag = settings->drag,
					 .gravity = { settings->gravity.x, settings->gravity.y, settings->gravity.z, 0.0f },
					 .wind = { settings->wind.x, settings->wind.y, settings->wind.z, 0.0f } };
	for ( int32_t k = 0; k < settings->newtonIterations; ++k )
	{
		MoveAlong( body, state, step );
		supEvaluateWithPushes( body, settings, state, step );
		supMultiplyStiffness( body, settings, state->x, NULL, job.inverse, step->dt, step->tasks );
		if ( SolveCg( body, settings, state, &job, step ) == false )
		{
			step->trouble->notConverged += 1;
		}
	}
	MoveAlong( body, state, step );
}
