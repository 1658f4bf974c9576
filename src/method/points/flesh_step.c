// SPDX-License-Identifier: MIT
// Phases of a substep.
#include "character/pose.h"
#include "character/skinning_kernel.h"
#include "core/tasks.h"
#include "method/grab.h"
#include "method/points/flesh.h"

#include <math.h>

#define GRAIN 512

// Part of the body's size that a point may move in a substep and still count as resting.
#define SETTLED 1e-6f

// Of an edge of a tet.
#define JERK 0.5f

// Newton iterations of a step in which the skeleton jerks, at least: forces that are linear about one shape turn flesh
// the wrong way round a bone that has turned by a right angle. Fewer where the residual has become a small part of the
// first.
#define JERK_ITERATIONS 4
#define JERK_TOLERANCE 0.05f

// ---------------------------------------------------------------------------------------------------------------------
// State

static void* Take( char* base, size_t* at, size_t bytes )
{
	void* place = base != NULL ? base + *at : NULL;
	*at += ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

supPointsView supPointsFlesh_View( const supPointsFlesh* flesh, const void* block )
{
	// views of a state that nobody writes to are made through here too
	union
	{
		const void* read;
		char* write;
	} pointer = { .read = block };
	char* base = pointer.write;
	size_t n = (size_t)flesh->pointCount, at = 0;
	supPointsView view = { 0 };
	void* solver = Take( base, &at, supPointState_Size( &flesh->body, flesh->integrator ) );
	view.flags = Take( base, &at, sizeof( int32_t ) );
	view.skinned = Take( base, &at, n * sizeof( supVec4 ) );
	view.speeds = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supVec4 ) );
	view.guess = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supVec4 ) );
	view.targets = Take( base, &at, (size_t)flesh->body.fixedCount * sizeof( supVec3 ) );
	view.fresh = Take( base, &at, n * sizeof( supVec3 ) );
	view.downs = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supVec3 ) );
	view.pushes = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supPush ) );
	view.tethers = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supPointTether ) );
	view.palette = Take( base, &at, (size_t)flesh->boneCount * sizeof( supDualJoint ) );
	view.faceNormals = Take( base, &at, flesh->isDirect ? (size_t)flesh->triangleCount * sizeof( supVec3 ) : 0 );
	view.frames = Take( base, &at, flesh->isDirect ? 0 : n * sizeof( supBindFrame ) );
	view.size = at;
	if ( base != NULL )
	{
		view.state = supPointState_View( &flesh->body, flesh->integrator, solver );
	}
	return view;
}

size_t supPoints_StateSize( const void* flesh )
{
	return supPointsFlesh_View( flesh, NULL ).size;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skinning

typedef struct SkinRun
{
	const supPointsFlesh* flesh;
	const supPointsView* view;
	bool hasStretch;
	supVec3 down; // of unit length, or zero: not wanted
} SkinRun;

static void SkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const SkinRun* run = context;
	const supPointsFlesh* flesh = run->flesh;
	size_t slot = SUP_MAX_INFLUENCES * (size_t)begin;
	supSkinJob job = { .vertexCount = end - begin,
					   .influences = SUP_MAX_INFLUENCES,
					   .joints = flesh->joints + slot,
					   .weights = flesh->weights + slot,
					   .duals = run->view->palette,
					   .hasStretch = run->hasStretch,
					   .positions = flesh->points + begin,
					   .outPositions = run->view->fresh + begin };
	// gravity is turned along as if it were a normal
	bool wantDowns = supLengthSquared( run->down ) > 0.0f;
	for ( int32_t i = begin; wantDowns && i < end; ++i )
	{
		run->view->downs[i] = run->down;
	}
	job.normals = wantDowns ? run->view->downs + begin : NULL;
	job.outNormals = wantDowns ? run->view->downs + begin : NULL;
	SUP_CALL_KERNEL( supSkinDual )( &job );
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = run->view->fresh[i];
		run->view->skinned[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
}

// Where the skeleton alone would put all points.
static void SkinPoints( const supPointsFlesh* flesh, const supPointsView* view, supPose* pose, supVec3 down,
						const supTasks* tasks )
{
	SkinRun run = { flesh, view, false, down };
	const supMat34* worlds = supPose_Worlds( pose );
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		supMat34 m = supMulMat34( worlds[flesh->boneNodes[i]], flesh->boneInverses[i] );
		bool stretched = supMakeDualJoint( m, (supDualJoint*)view->palette + i );
		run.hasStretch = run.hasStretch || stretched;
	}
	supParallelFor( tasks, flesh->pointCount, GRAIN, SkinRange, &run );
}

void supPoints_Reset( const void* fleshPointer, void* block, supPose* pose, const supTasks* tasks )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	memset( block, 0, view.size );
	supPointState_Reset( &flesh->body, flesh->integrator, view.state.header );
	SkinPoints( flesh, &view, pose, supVec3_zero, tasks );
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		memcpy( view.state.x + 4 * (int64_t)i, view.skinned + i, sizeof( supVec3 ) );
	}
	memcpy( view.state.oldX, view.state.x, 4 * sizeof( float ) * (size_t)flesh->pointCount );
	supPoints_FrameSurface( flesh, &view, tasks );
}

// ---------------------------------------------------------------------------------------------------------------------
// Phases

static supPointStep MakeStep( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step )
{
	return ( supPointStep ){ .dt = step->dt,
							 .tasks = step->tasks,
							 .targets = view->targets,
							 .pushCount = flesh->isProp ? 0 : flesh->pointCount,
							 .pushes = view->pushes,
							 .tethers = supPoints_HasTethers( flesh, step ) ? view->tethers : NULL,
							 .guess = ( *view->flags & SUP_POINTS_JERKED ) != 0 ? &view->guess->x : NULL,
							 .trouble = step->trouble };
}

static supPointSettings MakeSettings( const supPointsFlesh* flesh, const supSubstep* step )
{
	supPointSettings settings = supPoints_Settings( flesh, step->parameters );
	settings.gravity = step->gravity;
	settings.wind = step->wind;
	return settings;
}

static void TellRefused( const supPointsFlesh* flesh, const supPointSettings* settings, const supSubstep* step )
{
	float stable = supPointSolver_StableStep( &flesh->body, settings );
	const char* name = supIntegratorNames[settings->integrator];
	if ( stable > 0.0f )
	{
		supLog(
			sup_logWarning,
			"points: a step of %g s is too long for %s, which bears %g s at most here, so nothing moves: use %d times "
			"as many substeps, a softer material or the integrator implicit",
			(double)step->dt, name, (double)stable, (int)ceilf( step->dt / stable ) );
	}
	else
	{
		supLog( sup_logWarning,
				"points: %s bears no step at all without damping, so nothing moves: use another integrator", name );
	}
}

// The shape at rest is what flesh has under its own weight: a force that turns with the body holds it up.
static void HoldUp( const supPointsFlesh* flesh, const supPointsView* view, float weight )
{
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		float w = flesh->body.inverseMasses[i];
		view->pushes[i] =
			( supPush ){ i, w > 0.0f && weight > 0.0f ? supScale( -weight / w, view->downs[i] ) : supVec3_zero };
	}
}

// As the skeleton's velocities change, so do those of the flesh around it, more or less. That is worth knowing only
// where nails come by a part of a tet from where they would have gone on to.
// - oldSkinned: where skinning had the points before; becomes the guess
static void FillGuess( const supPointsFlesh* flesh, const supPointsView* view, float dt, supVec4* oldSkinned )
{
	float *guess = &oldSkinned->x, *speeds = &view->speeds->x, most = 0.0f;
	const float *skinned = &view->skinned->x, *v = view->state.v;
	for ( int64_t i = 0; i < 4 * (int64_t)flesh->pointCount; ++i )
	{
		float speed = ( skinned[i] - guess[i] ) / dt, change = speed - speeds[i];
		most = supMaxFloat( most, fabsf( change ) );
		guess[i] = v[i] + change;
		speeds[i] = speed;
	}
	bool isJerked = most * dt > JERK * flesh->edge;
	*view->flags = isJerked ? *view->flags | SUP_POINTS_JERKED : *view->flags & ~SUP_POINTS_JERKED;
}

void supPoints_Predict( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	if ( flesh->isProp == false )
	{
		float weight = supLength( step->gravity );
		supVec3 down = weight > 0.0f ? supScale( 1.0f / weight, step->gravity ) : supVec3_zero;
		bool tethered = supPoints_HasTethers( flesh, step );
		if ( tethered )
		{
			supPoints_KeepSkinned( flesh, &view );
		}
		memcpy( view.guess, view.skinned, (size_t)flesh->pointCount * sizeof( supVec4 ) );
		SkinPoints( flesh, &view, step->pose, down, step->tasks );
		FillGuess( flesh, &view, step->dt, view.guess );
		if ( tethered )
		{
			supPoints_FillTethers( flesh, &view, step );
		}
		HoldUp( flesh, &view, ( 1.0f - step->parameters[sup_pointsSag] ) * weight );
	}
	for ( int32_t i = 0; i < flesh->body.fixedCount; ++i )
	{
		memcpy( view.targets + i, view.skinned + flesh->body.fixedPoints[i], sizeof( supVec3 ) );
	}
	supPointSettings settings = MakeSettings( flesh, step );
	if ( ( *view.flags & SUP_POINTS_JERKED ) != 0 && settings.newtonIterations < JERK_ITERATIONS )
	{
		settings.newtonIterations = JERK_ITERATIONS;
		settings.newtonTolerance = JERK_TOLERANCE;
	}
	supPointStep pointStep = MakeStep( flesh, &view, step );
	bool made = supPointSolver_Predict( &flesh->body, &settings, &view.state, &pointStep );
	*view.flags = made ? *view.flags & ~SUP_POINTS_REFUSED : *view.flags | SUP_POINTS_REFUSED;
	if ( made && flesh->isProp == false )
	{
		supPoints_KeepWithinReach( flesh, &view, step );
	}
	if ( made == false && ( *view.flags & SUP_POINTS_TOLD ) == 0 )
	{
		*view.flags |= SUP_POINTS_TOLD;
		TellRefused( flesh, &settings, step );
	}
}

// A critically damped spring on the place that is held, implicit: x'' = ω² ( target - x ) - 2 ω x', both at the end of
// the step; points take part in it by their weights.
static void ApplyPull( const supPull* pull, float* x, float* v, float dt )
{
	const supGrab* grab = pull->grab;
	float omega = 2.0f * SUP_PI * pull->frequency;
	supVec3 way = supSub( pull->target, supGrab_Place( grab, x, 4 ) );
	supVec3 force = supSub( supScale( omega, way ), supScale( 2.0f, supGrab_Place( grab, v, 4 ) ) );
	float scale = dt * omega / ( ( 1.0f + dt * omega * ( dt * omega + 2.0f ) ) * grab->response );
	for ( int32_t k = 0; k < grab->count; ++k )
	{
		size_t at = 4 * (size_t)grab->particles[k];
		if ( x[at + 3] > 0.0f )
		{
			supVec3 change = supScale( scale * grab->weights[k], force );
			const float changes[3] = { change.x, change.y, change.z };
			for ( size_t c = 0; c < 3; ++c )
			{
				v[at + c] += changes[c];
				x[at + c] += dt * changes[c];
			}
		}
	}
}

void supPoints_Solve( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	// the integrator has solved in predict: one pass is enough
	if ( ( *view.flags & SUP_POINTS_REFUSED ) != 0 || step->pass > 0 )
	{
		return;
	}
	for ( int32_t i = 0; i < step->pullCount; ++i )
	{
		ApplyPull( step->pulls + i, view.state.x, view.state.v, step->dt );
	}
}

void supPoints_Finish( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	if ( ( *view.flags & SUP_POINTS_REFUSED ) == 0 )
	{
		supPointSettings settings = MakeSettings( flesh, step );
		supPointStep pointStep = MakeStep( flesh, &view, step );
		supPointSolver_Finish( &flesh->body, &settings, &view.state, &pointStep );
	}
	supPoints_FrameSurface( flesh, &view, step->tasks );
}

bool supPoints_IsSettled( const void* fleshPointer, const void* block )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	float lower = INFINITY, upper = -INFINITY, moved = 0.0f;
	for ( int64_t i = 0; i < 4 * (int64_t)flesh->pointCount; ++i )
	{
		if ( i % 4 != 3 )
		{
			lower = supMinFloat( lower, view.state.x[i] );
			upper = supMaxFloat( upper, view.state.x[i] );
			moved = supMaxFloat( moved, fabsf( view.state.x[i] - view.state.oldX[i] ) );
		}
	}
	return moved <= SETTLED * ( upper - lower );
}

supParticles supPoints_GetParticles( const void* fleshPointer, void* block )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	return ( supParticles ){ flesh->pointCount, view.state.x, 1.0f, view.state.v };
}

bool supPoints_ComputeResponse( const void* fleshPointer, void* block, const supSubstep* step, int32_t count,
								const int32_t* particles, const float* weights, supMat3* columns )
{
	const supPointsFlesh* flesh = fleshPointer;
	if ( flesh->integrator != sup_integratorImplicit )
	{
		return false;
	}
	if ( columns != NULL )
	{
		supPointsView view = supPointsFlesh_View( flesh, block );
		supPointSettings settings = MakeSettings( flesh, step );
		supPointStep pointStep = MakeStep( flesh, &view, step );
		if ( supPointSolver_ComputeResponse( &flesh->body, &settings, &view.state, &pointStep, count, particles,
											 weights, columns ) == false )
		{
			step->trouble->notConverged += 1;
		}
	}
	return true;
}
