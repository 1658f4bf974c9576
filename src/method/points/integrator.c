// SPDX-License-Identifier: MIT
#include "method/points/solver_internal.h"

#include <stdatomic.h>

const char* const supIntegratorNames[sup_integratorCount + 1] = {
#define SUP_X( name, text ) text,
	SUP_INTEGRATOR_LIST( SUP_X )
#undef SUP_X
		NULL,
};

supPointSettings supDefaultPointSettings( void )
{
	return ( supPointSettings ){
		.integrator = sup_integratorVerlet,
		.edges = { 1e5f, 1e-3f },
		.triangles = { 0.0f, 0.0f },
		.tets = { 1e5f, 1e-3f },
		.gravity = { 0.0f, -9.81f, 0.0f },
		.newtonIterations = 1,
		.cgIterations = 200,
		.cgTolerance = 1e-4f,
	};
}

// ---------------------------------------------------------------------------------------------------------------------
// State

static int32_t ArrayCount( supIntegrator integrator )
{
	switch ( integrator )
	{
		case sup_integratorEuler:
		case sup_integratorCromer:
			return 4;
		case sup_integratorImplicit:
			return 10;
		default:
			return 5;
	}
}

static size_t ArraySize( const supPointBody* body )
{
	size_t size = 4 * sizeof( float ) * (size_t)body->slotCount;
	return ( size + SUP_CACHE_LINE - 1 ) & ~(size_t)( SUP_CACHE_LINE - 1 );
}

_Static_assert( sizeof( supPointHeader ) <= SUP_CACHE_LINE, "the header has one line of the state" );

size_t supPointState_Size( const supPointBody* body, supIntegrator integrator )
{
	return SUP_CACHE_LINE + (size_t)ArrayCount( integrator ) * ArraySize( body );
}

supPointState supPointState_View( const supPointBody* body, supIntegrator integrator, void* block )
{
	char* at = (char*)block + SUP_CACHE_LINE;
	float* arrays[10] = { 0 };
	for ( int32_t i = 0; i < ArrayCount( integrator ); ++i )
	{
		arrays[i] = (float*)at;
		at += ArraySize( body );
	}
	return ( supPointState ){ block,
							  arrays[0],
							  arrays[1],
							  arrays[2],
							  arrays[3],
							  arrays[4],
							  { arrays[5], arrays[6], arrays[7], arrays[8], arrays[9] } };
}

void supPointState_Reset( const supPointBody* body, supIntegrator integrator, void* block )
{
	memset( block, 0, supPointState_Size( body, integrator ) );
	supPointState state = supPointState_View( body, integrator, block );
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		float x[4] = { body->rest[i].x, body->rest[i].y, body->rest[i].z, body->inverseMasses[i] };
		memcpy( state.x + 4 * (int64_t)i, x, sizeof( x ) );
	}
}

void supPointState_Restart( supPointState* state )
{
	state->header->dt = 0.0f;
	state->header->hasForces = false;
}

bool supPointSolver_NeedsVelocities( supIntegrator integrator )
{
	return integrator != sup_integratorCromer && integrator != sup_integratorVerlet &&
		   integrator != sup_integratorImplicit;
}

// ---------------------------------------------------------------------------------------------------------------------
// Stages

typedef struct MoveRun
{
	const supMoveJob* job;
} MoveRun;

static void MoveRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const MoveRun* run = context;
	SUP_CALL_KERNEL( supMovePoints )( run->job, begin, end );
}

void supRunMove( const supPointBody* body, const supMoveJob* job, const supTasks* tasks )
{
	MoveRun run = { job };
	supParallelFor( supShareLoop( body, tasks ), body->pointCount, SUP_POINT_GRAIN, MoveRange, &run );
}

supMoveJob supMakeMoveJob( const supPointSettings* settings, const supPointState* state )
{
	return ( supMoveJob ){
		.x = state->x,
		.v = state->v,
		.u = state->v,
		.now = state->v,
		.f = state->f,
		.vV = 1.0f,
		.gravity = { settings->gravity.x, settings->gravity.y, settings->gravity.z, 0.0f },
		.wind = { settings->wind.x, settings->wind.y, settings->wind.z, 0.0f },
		.drag = settings->drag,
		.newX = state->x,
		.newV = state->v,
	};
}

// Fixed points get the velocity that takes them to their targets: without mass nothing else acts on them.
static void AimFixed( const supPointBody* body, const supPointSettings* settings, supPointState* state,
					  const supPointStep* step )
{
	for ( int32_t i = 0; i < body->fixedCount; ++i )
	{
		int64_t at = 4 * (int64_t)body->fixedPoints[i];
		const float* x = state->x + at;
		float v[4] = { 0 };
		if ( step->targets != NULL )
		{
			supVec3 target = step->targets[i];
			v[0] = ( target.x - x[0] ) / step->dt;
			v[1] = ( target.y - x[1] ) / step->dt;
			v[2] = ( target.z - x[2] ) / step->dt;
		}
		memcpy( state->v + at, v, sizeof( v ) );
		if ( settings->integrator == sup_integratorVerlet )
		{
			memcpy( state->history + at, v, sizeof( v ) );
		}
	}
}

static void PlaceFixed( const supPointBody* body, supPointState* state, const supPointStep* step )
{
	for ( int32_t i = 0; step->targets != NULL && i < body->fixedCount; ++i )
	{
		memcpy( state->x + 4 * (int64_t)body->fixedPoints[i], step->targets + i, sizeof( supVec3 ) );
	}
}

// Keeps the old positions and, for two-stage schemes, the old velocities.
static void RunTwoStages( const supPointBody* body, const supPointSettings* settings, supPointState* state,
						  const supPointStep* step, bool midpoint )
{
	float h = step->dt;
	supMoveJob first = supMakeMoveJob( settings, state );
	first.xV = midpoint ? 0.5f * h : h;
	first.vA = first.xV;
	first.keepX = state->oldX;
	first.keepV = state->history;
	supRunMove( body, &first, step->tasks );

	supEvaluateWithPushes( body, settings, state, step );
	supMoveJob second = supMakeMoveJob( settings, state );
	second.x = state->oldX;
	second.v = state->history;
	second.u = state->v;
	second.xV = midpoint ? 0.0f : 0.5f * h;
	second.xU = midpoint ? h : 0.5f * h;
	second.vV = midpoint ? 1.0f : 0.5f;
	second.vU = midpoint ? 0.0f : 0.5f;
	second.vA = midpoint ? h : 0.5f * h;
	supRunMove( body, &second, step->tasks );
}

static void RunOneStage( const supPointBody* body, const supPointSettings* settings, supPointState* state,
						 const supPointStep* step )
{
	const supPointHeader* header = state->header;
	float h = step->dt;
	supMoveJob job = supMakeMoveJob( settings, state );
	job.keepX = state->oldX;
	job.xV = h;
	job.vA = h;
	switch ( settings->integrator )
	{
		case sup_integratorCromer:
			job.xA = h * h;
			break;
		case sup_integratorVerlet:
		{
			// between the middles of two steps; the first has half a step behind it
			float between = 0.5f * ( header->dt + h );
			job.v = header->dt > 0.0f ? state->history : state->v;
			job.xA = h * between;
			job.vA = between;
			break;
		}
		case sup_integratorVelocityVerlet:
			job.keepA = state->history;
			job.xA = 0.5f * h * h;
			break;
		case sup_integratorBeeman:
			// the history is of steps of one length: otherwise, and at the start, a⁻ = a, which is velocity Verlet
			job.u = state->history;
			job.keepA = state->history;
			job.xA = h * h * ( 4.0f / 6.0f );
			job.xU = h * h * ( -1.0f / 6.0f );
			job.vA = h * ( 7.0f / 6.0f );
			job.vU = h * ( -1.0f / 6.0f );
			if ( header->dt != h )
			{
				job.u = state->v;
				job.xU = 0.0f;
				job.vU = 0.0f;
				job.xA = 0.5f * h * h;
				job.vA = h;
			}
			break;
		default:
			break;
	}
	supRunMove( body, &job, step->tasks );
}

// ---------------------------------------------------------------------------------------------------------------------
// Phases

static bool SameLaws( const supPointHeader* header, const supPointSettings* settings )
{
	const supMaterialLaw laws[3] = { settings->edges, settings->triangles, settings->tets };
	return header->integrator == (int32_t)settings->integrator && header->stableStep > 0.0f &&
		   memcmp( header->laws, laws, sizeof( laws ) ) == 0;
}

static bool IsStable( const supPointBody* body, const supPointSettings* settings, supPointState* state, float dt )
{
	supPointHeader* header = state->header;
	if ( SameLaws( header, settings ) == false )
	{
		const supMaterialLaw laws[3] = { settings->edges, settings->triangles, settings->tets };
		memcpy( header->laws, laws, sizeof( laws ) );
		header->integrator = (int32_t)settings->integrator;
		header->growth = 0.0f;
		header->stableStep = supPointSolver_StableStep( body, settings, 1.0f );
	}
	return dt <= header->stableStep;
}

// By steps of a twentieth, so that it is not asked for in each step.
float supPointSolver_GrownStep( const supPointBody* body, const supPointSettings* settings, supPointState* state,
								float growth )
{
	supPointHeader* header = state->header;
	bool isStable = IsStable( body, settings, state, 0.0f );
	if ( isStable == false || growth > header->growth || growth < 0.9f * header->growth )
	{
		header->growth = 1.05f * growth;
		header->grownStep = supPointSolver_StableStep( body, settings, header->growth );
	}
	return header->grownStep;
}

static bool KeepsForces( supIntegrator integrator )
{
	return integrator == sup_integratorVelocityVerlet || integrator == sup_integratorBeeman;
}

bool supPointSolver_Predict( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							 const supPointStep* step )
{
	if ( settings->allowUnstable == false && IsStable( body, settings, state, step->dt ) == false )
	{
		step->trouble->unstable += 1;
		return false;
	}
	state->header->piece = step->dt;
	AimFixed( body, settings, state, step );
	if ( settings->integrator == sup_integratorImplicit )
	{
		supPredictImplicit( body, settings, state, step );
	}
	else
	{
		if ( ( KeepsForces( settings->integrator ) && state->header->hasForces ) == false )
		{
			supEvaluateWithPushes( body, settings, state, step );
		}
		if ( settings->integrator == sup_integratorMidpoint || settings->integrator == sup_integratorRk2 )
		{
			RunTwoStages( body, settings, state, step, settings->integrator == sup_integratorMidpoint );
		}
		else
		{
			RunOneStage( body, settings, state, step );
		}
	}
	PlaceFixed( body, state, step );
	return true;
}

typedef struct FinishRun
{
	const supPointState* state;
	const supMoveJob* job;    // NULL: nothing but repair
	_Atomic int64_t repaired; // a sum of whole numbers does not depend on the order
} FinishRun;

// The last velocities and the repair in one go, while the points are in the cache.
static void FinishRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	FinishRun* run = context;
	const supPointState* state = run->state;
	if ( run->job != NULL )
	{
		SUP_CALL_KERNEL( supMovePoints )( run->job, begin, end );
	}
	int32_t repaired = SUP_CALL_KERNEL( supRepairPoints )( state->x, state->v, state->oldX, begin, end );
	if ( repaired > 0 )
	{
		atomic_fetch_add( &run->repaired, repaired );
	}
}

// Velocity Verlet and Beeman want the acceleration at the new positions. Their prediction took the old one for it, so
// that damping sees a whole velocity; now the difference is made good.
static supMoveJob MakeLastKick( const supPointSettings* settings, const supPointState* state, float dt )
{
	supMoveJob job = supMakeMoveJob( settings, state );
	job.u = state->history;
	job.vA = settings->integrator == sup_integratorBeeman ? dt / 3.0f : 0.5f * dt;
	job.vU = -job.vA;
	return job;
}

// v at the end of the step from u in the middles of this step and the one before: both as the constraints left them.
static supMoveJob MakeExtrapolation( const supPointState* state, float dt )
{
	float before = state->header->dt;
	float ratio = before > 0.0f ? dt / ( before + dt ) : 0.0f;
	return ( supMoveJob ){ .x = state->x,
						   .v = state->v,
						   .u = before > 0.0f ? state->history : state->v,
						   .now = state->v,
						   .f = state->v,
						   .vV = 1.0f + ratio,
						   .vU = -ratio,
						   .newX = state->x,
						   .newV = state->v,
						   .keepV = state->history };
}

void supPointSolver_Finish( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							const supPointStep* step )
{
	supMoveJob job = { 0 };
	bool moves = true;
	if ( KeepsForces( settings->integrator ) )
	{
		supEvaluateWithPushes( body, settings, state, step );
		state->header->hasForces = true;
		job = MakeLastKick( settings, state, step->dt );
	}
	else if ( settings->integrator == sup_integratorVerlet )
	{
		job = MakeExtrapolation( state, step->dt );
	}
	else
	{
		moves = false;
	}
	state->header->dt = step->dt;
	FinishRun run = { state, moves ? &job : NULL, 0 };
	supParallelFor( supShareLoop( body, step->tasks ), body->pointCount, SUP_POINT_GRAIN, FinishRange, &run );
	int64_t repaired = atomic_load( &run.repaired );
	if ( repaired > 0 )
	{
		step->trouble->notFinite += repaired;
		supPointState_Restart( state );
	}
}
