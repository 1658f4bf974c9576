// SPDX-License-Identifier: MIT
// Implicit Euler: v⁺ = v + h a( x + h v⁺, v⁺ ), by Newton from v⁺ = v, or from a guess: where nails take flesh along by
// more than its thickness in a step, forces of the shape that it would have without them say nothing. Each iteration
// solves
//     ( m + h D + h² K ) Δv = h F - m ( v⁺ - v )
// with conjugate gradients, the diagonal as preconditioner, without ever forming the matrix: a product costs about as
// much as an evaluation of the forces. K is the Gauss-Newton part of the second derivatives plus the stiffness of
// stretched edges across their direction, which is positive definite in every shape.
#include "core/reduce.h"
#include "method/points/implicit_kernel.h"
#include "method/points/solver_internal.h"

// Tighter than steps: what a response lacks is a force that is not there, in every step the same.
#define RESPONSE_TOLERANCE 1e-5f

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

// From the residual and the direction that are there; the solution is added to v. x is where the matrix is taken,
// copies included. False where it did not converge in its iterations.
static bool SolveCg( const supPointBody* body, const supPointSettings* settings, const float* x, supCgJob* job,
					 double rz, float tolerance, const supTasks* tasks )
{
	double goal = rz * (double)tolerance * (double)tolerance;
	for ( int32_t i = 0; i < settings->cgIterations && rz > goal && rz > 1e-30; ++i )
	{
		supMultiplyStiffness( body, settings, x, job->direction, job->product, job->dt, tasks );
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
static void MoveAlong( const supPointBody* body, const supPointState* state, float* v, float* x,
					   const supPointStep* step )
{
	supMoveJob job = {
		.x = state->oldX, .v = v, .u = v, .now = v, .f = v, .xV = step->dt, .vV = 1.0f, .newX = x, .newV = v
	};
	supRunMove( body, &job, step->tasks );
}

// Velocities that Newton starts from: of nailed points those that they have.
static void FillStart( const supPointBody* body, const supPointState* state, const supPointStep* step, float* start )
{
	for ( int64_t i = 0; i < (int64_t)body->pointCount; ++i )
	{
		bool isGuessed = step->guess != NULL && body->inverseMasses[i] > 0.0f;
		memcpy( start + 4 * i, ( isGuessed ? step->guess : state->history ) + 4 * i, 4 * sizeof( float ) );
	}
}

void supPredictImplicit( const supPointBody* body, const supPointSettings* settings, supPointState* state,
						 const supPointStep* step )
{
	size_t size = 4 * sizeof( float ) * (size_t)body->pointCount;
	memcpy( state->oldX, state->x, size );
	memcpy( state->history, state->v, size );
	FillStart( body, state, step, state->v );
	supCgJob job = { .x = state->x,
					 .v = state->v,
					 .before = state->history,
					 .f = state->f,
					 .residual = state->cg[0],
					 .direction = state->cg[1],
					 .product = state->cg[2],
					 .inverse = state->cg[3],
					 .tethers = step->tethers,
					 .dt = step->dt,
					 .drag = settings->drag,
					 .gravity = { settings->gravity.x, settings->gravity.y, settings->gravity.z, 0.0f },
					 .wind = { settings->wind.x, settings->wind.y, settings->wind.z, 0.0f } };
	double first = 0.0;
	for ( int32_t k = 0; k < settings->newtonIterations; ++k )
	{
		MoveAlong( body, state, state->v, state->x, step );
		supEvaluateWithPushes( body, settings, state, step );
		supMultiplyStiffness( body, settings, state->x, NULL, job.inverse, step->dt, step->tasks );
		double rz = Reduce( body, &job, SUP_CALL_KERNEL( supCgBegin ), step->tasks );
		first = k == 0 ? rz : first;
		double settled = (double)settings->newtonTolerance;
		if ( k > 0 && rz <= settled * settled * first )
		{
			return;
		}
		if ( SolveCg( body, settings, state->x, &job, rz, settings->cgTolerance, step->tasks ) == false )
		{
			step->trouble->notConverged += 1;
		}
	}
	MoveAlong( body, state, state->v, state->x, step );
}

// ---------------------------------------------------------------------------------------------------------------------
// Response to a force on a place

// What a force gives a body that nothing holds, the sum of momenta says; conjugate gradients stop before they have it
// to the last digit.
static void KeepMomentum( const supPointBody* body, const supPointState* state, double massFactor, double force,
						  int32_t axis, float* solution )
{
	double momentum = 0.0, mass = 0.0;
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		double m = massFactor / (double)state->x[4 * (int64_t)i + 3];
		momentum += m * (double)solution[4 * (int64_t)i + axis];
		mass += m;
	}
	float move = (float)( ( force - momentum ) / mass );
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		solution[4 * (int64_t)i + axis] += move;
	}
}

static bool SolveColumn( const supPointBody* body, const supPointSettings* settings, const supPointState* state,
						 supCgJob* job, int32_t axis, int32_t count, const int32_t* points, const float* weights,
						 const supTasks* tasks )
{
	size_t size = 4 * sizeof( float ) * (size_t)body->pointCount;
	memset( job->v, 0, size );
	memset( job->residual, 0, size );
	memset( job->direction, 0, size );
	double force = 0.0;
	for ( int32_t k = 0; k < count; ++k )
	{
		int64_t at = 4 * (int64_t)points[k];
		job->residual[at + axis] += state->x[at + 3] > 0.0f ? weights[k] : 0.0f;
		force += (double)weights[k];
	}
	// no way along no direction: r . z, and then the first direction
	job->step = 0.0f;
	double rz = Reduce( body, job, SUP_CALL_KERNEL( supCgAdvance ), tasks );
	job->turn = 0.0f;
	supParallelFor( tasks, body->pointCount, SUP_POINT_GRAIN, TurnRange, job );
	bool converged = SolveCg( body, settings, state->f, job, rz, RESPONSE_TOLERANCE, tasks );
	if ( body->fixedCount == 0 )
	{
		KeepMomentum( body, state, 1.0 + (double)job->dt * (double)job->drag, force, axis, job->v );
	}
	return converged;
}

bool supPointSolver_ComputeResponse( const supPointBody* body, const supPointSettings* settings, supPointState* state,
									 const supPointStep* step, int32_t count, const int32_t* points,
									 const float* weights, supMat3* columns )
{
	SUP_ASSERT( settings->integrator == sup_integratorImplicit );
	// where the step took its matrix, so that what it moved because of a missing force is exactly what that force moves
	// back; the forces there are not needed any more
	FillStart( body, state, step, state->cg[4] );
	MoveAlong( body, state, state->cg[4], state->f, step );
	supRefreshCopies( body, state->f );
	supCgJob job = { .x = state->x,
					 .v = state->cg[4],
					 .residual = state->cg[0],
					 .direction = state->cg[1],
					 .product = state->cg[2],
					 .inverse = state->cg[3],
					 .tethers = step->tethers,
					 .dt = step->dt,
					 .drag = settings->drag };
	bool converged = true;
	for ( int32_t axis = 0; axis < 3; ++axis )
	{
		converged = SolveColumn( body, settings, state, &job, axis, count, points, weights, step->tasks ) && converged;
		for ( int32_t i = 0; i < body->pointCount; ++i )
		{
			const float* y = job.v + 4 * (int64_t)i;
			supVec3* column = axis == 0 ? &columns[i].cx : axis == 1 ? &columns[i].cy : &columns[i].cz;
			*column = supScale( step->dt * step->dt, supMakeVec3( y[0], y[1], y[2] ) );
		}
	}
	return converged;
}
