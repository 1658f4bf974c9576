// SPDX-License-Identifier: MIT
// Implicit Euler: v⁺ = v + h a( x + h v⁺, v⁺ ), by Newton from v⁺ = v. Each iteration solves
//     ( m + h D + h² K ) Δv = h F - m ( v⁺ - v )
// by a factor of the matrix (prop_system.h, flesh_factor.c), or with conjugate gradients, the diagonal as
// preconditioner, without ever forming the matrix: a product costs about as much as an evaluation of the forces. K is
// the Gauss-Newton part of the second derivatives plus the stiffness of stretched edges across their direction, which
// is positive definite in every shape. About a given shape (supPointStep.shape) K is constant, forces are linear, and
// one iteration is exact.
#include "core/reduce.h"
#include "method/points/implicit_kernel.h"
#include "method/points/prop_system.h"
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
	supReduce( supShareLoop( body, tasks ), body->pointCount, sizeof( double ), ReduceBlock, AddPartial, &total, &run );
	return total;
}

static void TurnRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supCgTurn )( context, begin, end );
}

// ---------------------------------------------------------------------------------------------------------------------
// Ties: solutions are sought among velocities that are the same for all points of a group, and 0 for those that are
// nailed. P is the orthogonal projection onto them, and conjugate gradients solve P A P.

static supVec3 LoadVec3( const float* v )
{
	return supMakeVec3( v[0], v[1], v[2] );
}

static void Project( const supTies* ties, float* vector )
{
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		const supTieGroup* group = ties->groups + g;
		supVec3 sum = supVec3_zero;
		for ( int32_t k = group->first; k < group->first + group->count && group->isNailed == false; ++k )
		{
			sum = supAdd( sum, LoadVec3( vector + 4 * (int64_t)ties->members[k].particle ) );
		}
		sum = supScale( 1.0f / (float)group->count, sum );
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			memcpy( vector + 4 * (int64_t)ties->members[k].particle, &sum, sizeof( sum ) );
		}
	}
}

// The diagonal of P A P.
static void ProjectInverse( const supTies* ties, float* inverse )
{
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		const supTieGroup* group = ties->groups + g;
		float sums[3] = { 0 };
		for ( int32_t k = 3 * group->first; k < 3 * ( group->first + group->count ); ++k )
		{
			sums[k % 3] += 1.0f / inverse[4 * (int64_t)ties->members[k / 3].particle + k % 3];
		}
		for ( int32_t k = 3 * group->first; k < 3 * ( group->first + group->count ); ++k )
		{
			inverse[4 * (int64_t)ties->members[k / 3].particle + k % 3] = (float)group->count / sums[k % 3];
		}
	}
}

// Velocities that bring the points of a group together: where they go on average, or to their nail.
static void StartTies( const supTies* ties, const supPointState* state, float* velocities, float dt )
{
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		const supTieGroup* group = ties->groups + g;
		supVec3 base = LoadVec3( state->oldX + 4 * (int64_t)ties->members[group->first].particle ), sum = supVec3_zero;
		float mass = 0.0f;
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			int64_t at = 4 * (int64_t)ties->members[k].particle;
			float m = 1.0f / state->x[at + 3];
			supVec3 moved = supMulAdd( LoadVec3( state->oldX + at ), dt, LoadVec3( velocities + at ) );
			sum = supMulAdd( sum, m, supSub( moved, base ) );
			mass += m;
		}
		supVec3 goal = group->isNailed ? group->goal : supMulAdd( base, 1.0f / mass, sum );
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			int64_t at = 4 * (int64_t)ties->members[k].particle;
			supVec3 v = supScale( 1.0f / dt, supSub( goal, LoadVec3( state->oldX + at ) ) );
			memcpy( velocities + at, &v, sizeof( v ) );
		}
	}
}

// What rounding has left between them.
static void EndTies( const supTies* ties, const supPointState* state )
{
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		const supTieGroup* group = ties->groups + g;
		supVec3 place = LoadVec3( state->x + 4 * (int64_t)ties->members[group->first].particle );
		place = group->isNailed ? group->goal : place;
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			memcpy( state->x + 4 * (int64_t)ties->members[k].particle, &place, sizeof( place ) );
		}
	}
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
		Project( job->ties, job->product );
		job->step = (float)( rz / py );
		double next = Reduce( body, job, SUP_CALL_KERNEL( supCgAdvance ), tasks );
		job->turn = (float)( next / rz );
		rz = next;
		supParallelFor( supShareLoop( body, tasks ), body->pointCount, SUP_POINT_GRAIN, TurnRange, job );
	}
	return rz <= goal || rz <= 1e-30;
}

// r . z, and the first direction, from a residual and an inverse that are there.
static double StartCg( const supPointBody* body, supCgJob* job, const supTasks* tasks )
{
	// no way along no direction
	job->step = 0.0f;
	double rz = Reduce( body, job, SUP_CALL_KERNEL( supCgAdvance ), tasks );
	job->turn = 0.0f;
	supParallelFor( supShareLoop( body, tasks ), body->pointCount, SUP_POINT_GRAIN, TurnRange, job );
	return rz;
}

// What the residual is of which conjugate gradients see only the projection.
static void KeepResiduals( const supTies* ties, const float* residual )
{
	for ( int32_t k = 0; k < ties->memberCount; ++k )
	{
		ties->members[k].force = LoadVec3( residual + 4 * (int64_t)ties->members[k].particle );
	}
}

// And what is left of it: the momentum that ties have to add.
static void FindTieForces( const supPointBody* body, const supPointSettings* settings, const float* shape,
						   const float* start, const supPointStep* step, supCgJob* job )
{
	for ( int64_t i = 0; i < 4 * (int64_t)body->pointCount; ++i )
	{
		job->direction[i] = job->v[i] - start[i];
	}
	supMultiplyStiffness( body, settings, shape, job->direction, job->product, job->dt, step->tasks );
	Reduce( body, job, SUP_CALL_KERNEL( supCgAddMass ), step->tasks );
	for ( int32_t k = 0; k < step->ties->memberCount; ++k )
	{
		supTieMember* member = step->ties->members + k;
		supVec3 done = LoadVec3( job->product + 4 * (int64_t)member->particle );
		member->force = supScale( 1.0f / step->dt, supSub( done, member->force ) );
	}
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

// ---------------------------------------------------------------------------------------------------------------------
// By a factor: columns right-hand sides at once, x[unknown][column]

// Tied points add up in one unknown.
static void SolveStepDirect( const supPointDirect* direct, const supCgJob* job, int32_t pointCount )
{
	memset( direct->x, 0, 3 * (size_t)direct->nodeCount * sizeof( double ) );
	for ( int32_t i = 0; i < 3 * pointCount; ++i )
	{
		int32_t node = direct->nodes[i / 3];
		direct->x[node >= 0 ? 3 * node + i % 3 : 0] +=
			node >= 0 ? (double)job->residual[4 * (int64_t)( i / 3 ) + i % 3] : 0.0;
	}
	supFactor_Solve( direct->factor, direct->x, 1, direct->scratch, NULL );
	for ( int32_t i = 0; i < 3 * pointCount; ++i )
	{
		int32_t node = direct->nodes[i / 3];
		job->v[4 * (int64_t)( i / 3 ) + i % 3] += node >= 0 ? (float)direct->x[3 * node + i % 3] : 0.0f;
	}
}

// NULL: by conjugate gradients.
static const supPointDirect* FindDirect( const supPointBody* body, const supPointSettings* settings, const float* shape,
										 const supPointStep* step )
{
	if ( step->system == NULL )
	{
		return step->direct;
	}
	supPropSystem_Refactor( step->system, body, settings, shape, step );
	return supPropSystem_Direct( step->system );
}

static bool SolveStepCg( const supPointBody* body, const supPointSettings* settings, const float* shape, supCgJob* job,
						 double rz, const supPointStep* step )
{
	if ( step->ties != NULL )
	{
		Project( step->ties, job->residual );
		ProjectInverse( step->ties, job->inverse );
		rz = StartCg( body, job, step->tasks );
	}
	return SolveCg( body, settings, shape, job, rz, settings->cgTolerance, step->tasks );
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
					 .tethers = step->tethers,
					 .ties = step->ties,
					 .dt = step->dt,
					 .drag = settings->drag,
					 .gravity = { settings->gravity.x, settings->gravity.y, settings->gravity.z, 0.0f },
					 .wind = { settings->wind.x, settings->wind.y, settings->wind.z, 0.0f } };
	StartTies( step->ties, state, state->v, step->dt );
	const float* shape = step->shape != NULL ? step->shape : state->x;
	int32_t iterations = step->shape != NULL ? 1 : settings->newtonIterations;
	for ( int32_t k = 0; k < iterations; ++k )
	{
		MoveAlong( body, state, state->v, state->x, step );
		supEvaluateWithPushes( body, settings, state, step );
		const supPointDirect* direct = FindDirect( body, settings, shape, step );
		if ( direct == NULL )
		{
			supMultiplyStiffness( body, settings, shape, NULL, job.inverse, step->dt, step->tasks );
		}
		double rz = Reduce( body, &job, SUP_CALL_KERNEL( supCgBegin ), step->tasks );
		if ( step->ties != NULL )
		{
			KeepResiduals( step->ties, job.residual );
			memcpy( state->cg[4], state->v, size );
		}
		if ( direct != NULL )
		{
			SolveStepDirect( direct, &job, body->pointCount );
		}
		else if ( SolveStepCg( body, settings, shape, &job, rz, step ) == false )
		{
			step->trouble->notConverged += 1;
		}
		if ( step->ties != NULL )
		{
			FindTieForces( body, settings, shape, state->cg[4], step, &job );
		}
	}
	MoveAlong( body, state, state->v, state->x, step );
	EndTies( step->ties, state );
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

static bool HasNails( const supTies* ties )
{
	bool has = false;
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		has = has || ties->groups[g].isNailed;
	}
	return has;
}

static supVec3 Axis( int32_t axis )
{
	return supMakeVec3( axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f );
}

static supVec3 TurnBack( const supMat3* turn, supVec3 v )
{
	return supMakeVec3( supDot( turn->cx, v ), supDot( turn->cy, v ), supDot( turn->cz, v ) );
}

static bool SolveColumn( const supPointBody* body, const supPointSettings* settings, const supPointState* state,
						 const supPointStep* step, supCgJob* job, int32_t axis, int32_t count, const int32_t* points,
						 const float* weights )
{
	const supTasks* tasks = step->tasks;
	size_t size = 4 * sizeof( float ) * (size_t)body->pointCount;
	memset( job->v, 0, size );
	memset( job->residual, 0, size );
	memset( job->direction, 0, size );
	double force = 0.0;
	for ( int32_t k = 0; k < count; ++k )
	{
		int64_t at = 4 * (int64_t)points[k];
		float weight = state->x[at + 3] > 0.0f ? weights[k] : 0.0f;
		supVec3 push = step->shape != NULL ? TurnBack( step->turns + points[k], Axis( axis ) ) : Axis( axis );
		job->residual[at] += weight * push.x;
		job->residual[at + 1] += weight * push.y;
		job->residual[at + 2] += weight * push.z;
		force += (double)weights[k];
	}
	Project( step->ties, job->residual );
	double rz = StartCg( body, job, tasks );
	const float* shape = step->shape != NULL ? step->shape : state->f;
	bool converged = SolveCg( body, settings, shape, job, rz, RESPONSE_TOLERANCE, tasks );
	if ( body->fixedCount == 0 && HasNails( step->ties ) == false )
	{
		KeepMomentum( body, state, 1.0 + (double)job->dt * (double)job->drag, force, axis, job->v );
	}
	return converged;
}

// All three axes at once.
static void RespondDirect( const supPointDirect* direct, const supPointBody* body, const supPointStep* step,
						   int32_t count, const int32_t* points, const float* weights, supMat3* columns )
{
	const supMat3 unit = { { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f } };
	memset( direct->x, 0, 9 * (size_t)direct->nodeCount * sizeof( double ) );
	for ( int32_t k = 0; k < count; ++k )
	{
		int32_t node = direct->nodes[points[k]];
		const float* turn = step->shape != NULL ? &step->turns[points[k]].cx.x : &unit.cx.x;
		for ( int32_t c = 0; node >= 0 && c < 9; ++c )
		{
			// Rᵀ of axis c % 3, by rows of Rᵀ, which are columns of R
			direct->x[9 * (int64_t)node + c] += (double)weights[k] * (double)turn[c];
		}
	}
	supFactor_Solve( direct->factor, direct->x, 3, direct->scratch, NULL );
	float scale = step->dt * step->dt;
	for ( int32_t point = 0; point < body->pointCount; ++point )
	{
		int32_t node = direct->nodes[point];
		columns[point] = ( supMat3 ){ supVec3_zero, supVec3_zero, supVec3_zero };
		if ( node >= 0 )
		{
			const double* x = direct->x + 9 * (int64_t)node;
			supMat3 way = { { (float)x[0], (float)x[3], (float)x[6] },
							{ (float)x[1], (float)x[4], (float)x[7] },
							{ (float)x[2], (float)x[5], (float)x[8] } };
			way = step->shape != NULL ? supMulMM( step->turns[point], way ) : way;
			columns[point] =
				( supMat3 ){ supScale( scale, way.cx ), supScale( scale, way.cy ), supScale( scale, way.cz ) };
		}
	}
}

bool supPointSolver_ComputeResponse( const supPointBody* body, const supPointSettings* settings, supPointState* state,
									 const supPointStep* step, int32_t count, const int32_t* points,
									 const float* weights, supMat3* columns )
{
	SUP_ASSERT( settings->integrator == sup_integratorImplicit );
	const supPointDirect* direct = step->system != NULL ? supPropSystem_Direct( step->system ) : step->direct;
	if ( direct != NULL )
	{
		RespondDirect( direct, body, step, count, points, weights, columns );
		return true;
	}
	// where the step took its matrix, so that what it moved because of a missing force is exactly what that force moves
	// back; the forces there are not needed any more
	if ( step->shape == NULL )
	{
		memcpy( state->cg[4], state->history, 4 * sizeof( float ) * (size_t)body->pointCount );
		StartTies( step->ties, state, state->cg[4], step->dt );
		MoveAlong( body, state, state->cg[4], state->f, step );
		supRefreshCopies( body, state->f );
	}
	supCgJob job = { .x = state->x,
					 .v = state->cg[4],
					 .residual = state->cg[0],
					 .direction = state->cg[1],
					 .product = state->cg[2],
					 .inverse = state->cg[3],
					 .tethers = step->tethers,
					 .ties = step->ties,
					 .dt = step->dt,
					 .drag = settings->drag };
	bool converged = true;
	for ( int32_t axis = 0; axis < 3; ++axis )
	{
		converged = SolveColumn( body, settings, state, step, &job, axis, count, points, weights ) && converged;
		for ( int32_t i = 0; i < body->pointCount; ++i )
		{
			const float* y = job.v + 4 * (int64_t)i;
			supVec3* column = axis == 0 ? &columns[i].cx : axis == 1 ? &columns[i].cy : &columns[i].cz;
			supVec3 way = supScale( step->dt * step->dt, supMakeVec3( y[0], y[1], y[2] ) );
			*column = step->shape != NULL ? supMulMV( step->turns[i], way ) : way;
		}
	}
	return converged;
}
