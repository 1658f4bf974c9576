// SPDX-License-Identifier: MIT
// Phases of a substep.
#include "character/pose.h"
#include "character/skinning_kernel.h"
#include "core/tasks.h"
#include "method/grab.h"
#include "method/inertia.h"
#include "method/points/flesh.h"
#include "method/points/prop_system.h"

#include <math.h>

#define GRAIN 512

// Part of the body's size that a point may move in a substep and still count as resting.
#define SETTLED 1e-6f

// What tets may have grown by before the largest stable step is that of the body as it is, and how many pieces a step
// may have.
#define LEAST_GROWTH 1.5f
#define MOST_PIECES 32

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
	view.oldSkinned = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supVec4 ) );
	view.oldPlaces = Take( base, &at, flesh->isPosed ? n * sizeof( supVec4 ) : 0 );
	view.turns = Take( base, &at, flesh->isPosed ? n * sizeof( supMat3 ) : 0 );
	view.tangents = Take( base, &at, flesh->isPosed ? n * sizeof( supVec4 ) : 0 );
	view.targets = Take( base, &at, (size_t)flesh->body.fixedCount * sizeof( supVec3 ) );
	view.fresh = Take( base, &at, n * sizeof( supVec3 ) );
	view.downs = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supVec3 ) );
	view.pushes = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supPush ) );
	view.tethers = Take( base, &at, flesh->isProp ? 0 : n * sizeof( supPointTether ) );
	view.system = Take( base, &at, flesh->isPosed ? sizeof( uint64_t ) : 0 );
	view.directX = Take( base, &at, supPoints_DirectSize( flesh ) );
	view.directScratch = Take( base, &at, supPoints_DirectScratchSize( flesh ) );
	view.palette = Take( base, &at, (size_t)flesh->boneCount * sizeof( supDualJoint ) );
	view.throws = Take( base, &at, flesh->isProp ? 0 : (size_t)flesh->boneCount * sizeof( supMat34 ) );
	view.rolls = Take( base, &at, flesh->isProp ? 0 : (size_t)flesh->boneCount * sizeof( supBoneRoll ) );
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
	supVec3 turned; // of unit length: turned along with each point into downs; zero: not wanted
} SkinRun;

// Frames that turn with the points, from two of their axes.
static void FillTurns( const supPointsView* view, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec4 t = view->tangents[i];
		supVec3 x = supNormalize( view->downs[i] );
		supVec3 y = supMakeVec3( t.x, t.y, t.z );
		y = supNormalize( supMulAdd( y, -supDot( x, y ), x ) );
		view->turns[i] = ( supMat3 ){ x, y, supCross( x, y ) };
	}
}

static void SkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const SkinRun* run = context;
	const supPointsFlesh* flesh = run->flesh;
	const supPointsView* view = run->view;
	size_t slot = SUP_MAX_INFLUENCES * (size_t)begin;
	supSkinJob job = { .vertexCount = end - begin,
					   .influences = SUP_MAX_INFLUENCES,
					   .joints = flesh->joints + slot,
					   .weights = flesh->weights + slot,
					   .duals = view->palette,
					   .hasStretch = run->hasStretch,
					   .positions = flesh->points + begin,
					   .outPositions = view->fresh + begin };
	// turned along as if they were a normal and a tangent
	bool wantTurned = supLengthSquared( run->turned ) > 0.0f;
	for ( int32_t i = begin; wantTurned && i < end; ++i )
	{
		view->downs[i] = flesh->isPosed ? supMakeVec3( 1.0f, 0.0f, 0.0f ) : run->turned;
	}
	for ( int32_t i = begin; wantTurned && flesh->isPosed && i < end; ++i )
	{
		view->tangents[i] = ( supVec4 ){ 0.0f, 1.0f, 0.0f, 0.0f };
	}
	job.normals = wantTurned ? view->downs + begin : NULL;
	job.outNormals = wantTurned ? view->downs + begin : NULL;
	job.tangents = wantTurned && flesh->isPosed ? view->tangents + begin : NULL;
	job.outTangents = wantTurned && flesh->isPosed ? view->tangents + begin : NULL;
	SUP_CALL_KERNEL( supSkinDual )( &job );
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = view->fresh[i];
		view->skinned[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
	if ( wantTurned && flesh->isPosed )
	{
		FillTurns( view, begin, end );
	}
}

// Where the skeleton alone would put all points.
static void SkinPoints( const supPointsFlesh* flesh, const supPointsView* view, supPose* pose, supVec3 turned,
						const supTasks* tasks )
{
	SkinRun run = { flesh, view, false, turned };
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
							 .targets = flesh->isPosed ? NULL : view->targets,
							 .pushCount = flesh->isProp ? 0 : flesh->pointCount,
							 .pushes = view->pushes,
							 .tethers = supPoints_HasTethers( flesh, step ) ? view->tethers : NULL,
							 .shape = flesh->isPosed ? flesh->shape : NULL,
							 .turns = view->turns,
							 .ties = flesh->integrator == sup_integratorImplicit ? step->ties : NULL,
							 .system = step->system,
							 .trouble = step->trouble };
}

static supPointSettings MakeSettings( const supPointsFlesh* flesh, const supSubstep* step )
{
	supPointSettings settings = supPoints_Settings( flesh, step->parameters );
	// posed: among the pushes, which turn
	settings.gravity = flesh->isPosed ? supVec3_zero : step->gravity;
	settings.wind = flesh->isPosed ? supVec3_zero : step->wind;
	return settings;
}

// A step that was not made, or not to its end.
static void ReportUnstable( const supPointsFlesh* flesh, const supPointSettings* settings, float growth, bool isRefused,
							const supSubstep* step )
{
	float stable = supPointSolver_StableStep( &flesh->body, settings, growth );
	const char* name = supIntegratorNames[settings->integrator];
	if ( stable > 0.0f )
	{
		supLog( sup_logWarning,
				"points: a step of %g s is too long for %s (largest stable step: %g s), so %s: use %d times as many "
				"substeps, a softer material or integrator=implicit",
				(double)step->dt, name, (double)stable, isRefused ? "nothing moves" : "the stretched body falls behind",
				(int)fminf( ceilf( step->dt / stable ), 1e6f ) );
	}
	else
	{
		supLog( sup_logWarning, "points: %s is unstable without damping, so nothing moves: use another integrator",
				name );
	}
}

static supVec3 TurnBack( const supMat3* turn, supVec3 v )
{
	return supMakeVec3( supDot( turn->cx, v ), supDot( turn->cy, v ), supDot( turn->cz, v ) );
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

typedef struct ThrowRun
{
	const supPointsFlesh* flesh;
	const supPointsView* view;
} ThrowRun;

static void ThrowRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const ThrowRun* run = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		float w = run->flesh->body.inverseMasses[i];
		size_t slot = SUP_MAX_INFLUENCES * (size_t)i;
		supVec3 thrown = supThrowPoint( run->view->throws, SUP_MAX_INFLUENCES, run->flesh->joints + slot,
										run->flesh->weights + slot, run->flesh->points[i] );
		thrown = run->flesh->isPosed ? TurnBack( run->view->turns + i, thrown ) : thrown;
		supPush* push = run->view->pushes + i;
		push->force = w > 0.0f ? supMulAdd( push->force, 1.0f / w, thrown ) : push->force;
	}
}

// Adds exaggerated inertia to the pushes.
static void Throw( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step )
{
	ThrowRun run = { flesh, view };
	if ( supFillThrows( step, step->parameters[sup_pointsExaggeration], flesh->boneCount, flesh->boneNodes,
						flesh->boneInverses, view->throws ) )
	{
		supParallelFor( step->tasks, flesh->pointCount, GRAIN, ThrowRange, &run );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Posed flesh: from the world into the frames of the points at the end of the step, and back

static supVec3 Load( const supVec4* v )
{
	return supMakeVec3( v->x, v->y, v->z );
}

typedef struct PosedRun
{
	const supPointsFlesh* flesh;
	const supPointsView* view;
	const supSubstep* step;
} PosedRun;

// u = Rᵀ ( x - s ) with s before the step and R after it, and the velocity against the skin: a point that goes on as it
// did is where it would be in the world. Gravity is what it differs from the one that the rest pose is in balance with.
static void EnterRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const PosedRun* run = context;
	const supPointsView* view = run->view;
	const supSubstep* step = run->step;
	float air = step->parameters[sup_pointsAir], held = 1.0f - step->parameters[sup_pointsSag];
	for ( int32_t i = begin; i < end; ++i )
	{
		const supMat3* turn = view->turns + i;
		float *x = view->state.x + 4 * (int64_t)i, *v = view->state.v + 4 * (int64_t)i, w = x[3];
		supVec3 place = supMakeVec3( x[0], x[1], x[2] ), speed = supMakeVec3( v[0], v[1], v[2] );
		supVec3 skinSpeed =
			supScale( 1.0f / step->dt, supSub( Load( view->skinned + i ), Load( view->oldSkinned + i ) ) );
		supVec3 u = TurnBack( turn, supSub( place, Load( view->oldSkinned + i ) ) );
		supVec3 relative = TurnBack( turn, supSub( speed, skinSpeed ) );
		view->oldPlaces[i] = ( supVec4 ){ place.x, place.y, place.z, w };
		memcpy( x, w > 0.0f ? &u : &supVec3_zero, sizeof( supVec3 ) );
		memcpy( v, w > 0.0f ? &relative : &supVec3_zero, sizeof( supVec3 ) );
		supVec3 pull = supMulAdd( step->gravity, air, supSub( step->wind, skinSpeed ) );
		pull = supMulAdd( TurnBack( turn, pull ), -held, step->gravity );
		view->pushes[i] = ( supPush ){ i, w > 0.0f ? supScale( 1.0f / w, pull ) : supVec3_zero };
	}
}

static void LeaveRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const PosedRun* run = context;
	const supPointsView* view = run->view;
	for ( int32_t i = begin; i < end; ++i )
	{
		float *x = view->state.x + 4 * (int64_t)i, *v = view->state.v + 4 * (int64_t)i;
		supVec3 u = supMakeVec3( x[0], x[1], x[2] ), before = Load( view->oldPlaces + i );
		supVec3 place = supAdd( Load( view->skinned + i ), supMulMV( view->turns[i], u ) );
		supVec3 speed = supScale( 1.0f / run->step->dt, supSub( place, before ) );
		memcpy( x, &place, sizeof( supVec3 ) );
		memcpy( v, &speed, sizeof( supVec3 ) );
		memcpy( view->state.oldX + 4 * (int64_t)i, view->oldPlaces + i, sizeof( supVec4 ) );
	}
}

static bool PredictPosed( const supPointsFlesh* flesh, supPointsView* view, const supSubstep* step )
{
	PosedRun run = { flesh, view, step };
	supPointSettings settings = MakeSettings( flesh, step );
	supPointStep pointStep = MakeStep( flesh, view, step );
	supPointDirect direct;
	uint64_t system = supPoints_HashSystem( flesh, &settings, &pointStep );
	// steps of ever another length are better off without, unless attachments need three solves for each place
	bool isWorthIt = system == *view->system || step->isHeld;
	bool hasFactor =
		isWorthIt && supPoints_AskFactor( flesh, &settings, &pointStep, view->directX, view->directScratch, &direct );
	*view->system = system;
	*view->flags = hasFactor ? *view->flags | SUP_POINTS_DIRECT : *view->flags & ~SUP_POINTS_DIRECT;
	pointStep.direct = hasFactor ? &direct : NULL;
	supParallelFor( step->tasks, flesh->pointCount, GRAIN, EnterRange, &run );
	Throw( flesh, view, step );
	bool made = supPointSolver_Predict( &flesh->body, &settings, &view->state, &pointStep );
	if ( hasFactor )
	{
		supPoints_ReleaseFactor( flesh, &direct );
	}
	supParallelFor( step->tasks, flesh->pointCount, GRAIN, LeaveRange, &run );
	return made;
}

// Part of the way of fixed points and nails that a piece of a step goes; the rest is put back by the caller.
static void GoPart( const supPointsView* view, const supPointBody* body, supTies* ties, float part )
{
	for ( int32_t i = 0; i < body->fixedCount; ++i )
	{
		const float* x = view->state.x + 4 * (int64_t)body->fixedPoints[i];
		view->targets[i] =
			supLerp( supMakeVec3( x[0], x[1], x[2] ), Load( view->skinned + body->fixedPoints[i] ), part );
	}
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		supTieGroup* group = ties->groups + g;
		const float* x = view->state.x + 4 * (int64_t)ties->members[group->first].particle;
		supVec3 goal = group->goal;
		group->goal = supLerp( supMakeVec3( x[0], x[1], x[2] ), goal, part );
		group->finalGoal = goal;
	}
}

static void GoOn( supTies* ties )
{
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		ties->groups[g].goal = ties->groups[g].finalGoal;
	}
}

// Explicit integrators: bodies that are pulled out are stiffer than at rest, and a step that they would not bear is
// made in pieces that they do. Where that takes too many the body falls behind, which is counted, but comes to no harm.
static bool PredictPieces( const supPointsFlesh* flesh, supPointsView* view, const supPointSettings* settings,
						   const supSubstep* step, float* growth, bool* fallsBehind )
{
	supPointStep piece = MakeStep( flesh, view, step );
	float left = step->dt;
	for ( int32_t made = 0; made < MOST_PIECES && settings->integrator != sup_integratorImplicit; ++made )
	{
		*growth = supPointSolver_FindGrowth( &flesh->body, &view->state, step->tasks );
		float stable = supPointSolver_GrownStep( &flesh->body, settings, &view->state, *growth );
		if ( stable >= left || *growth <= LEAST_GROWTH )
		{
			break;
		}
		bool isLast = made + 1 == MOST_PIECES;
		piece.dt = stable;
		step->trouble->unstable += isLast;
		*fallsBehind = isLast;
		GoPart( view, &flesh->body, step->ties, piece.dt / left );
		bool ok = piece.dt > 0.0f && supPointSolver_Predict( &flesh->body, settings, &view->state, &piece );
		if ( ok && isLast == false )
		{
			supTiedPoints points = { view->state.x, view->state.v, 1.0f };
			supSolveTies( step->ties, &points, piece.dt, false, step->tasks );
			supPointSolver_Finish( &flesh->body, settings, &view->state, &piece );
		}
		GoOn( step->ties );
		if ( ok == false || isLast )
		{
			return ok || made > 0;
		}
		left -= piece.dt;
	}
	for ( int32_t i = 0; i < flesh->body.fixedCount; ++i )
	{
		view->targets[i] = Load( view->skinned + flesh->body.fixedPoints[i] );
	}
	piece.dt = left;
	return supPointSolver_Predict( &flesh->body, settings, &view->state, &piece );
}

static bool PredictPlain( const supPointsFlesh* flesh, supPointsView* view, const supSubstep* step )
{
	supPointSettings settings = MakeSettings( flesh, step );
	float growth = 1.0f;
	bool fallsBehind = false;
	bool made = PredictPieces( flesh, view, &settings, step, &growth, &fallsBehind );
	if ( ( made == false || fallsBehind ) && ( *view->flags & SUP_POINTS_TOLD ) == 0 )
	{
		*view->flags |= SUP_POINTS_TOLD;
		ReportUnstable( flesh, &settings, growth, made == false, step );
	}
	return made;
}

void supPoints_Predict( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	if ( flesh->isProp == false )
	{
		float weight = supLength( step->gravity );
		supVec3 down = weight > 0.0f ? supScale( 1.0f / weight, step->gravity ) : supMakeVec3( 0.0f, -1.0f, 0.0f );
		memcpy( view.oldSkinned, view.skinned, (size_t)flesh->pointCount * sizeof( supVec4 ) );
		SkinPoints( flesh, &view, step->pose, down, step->tasks );
		if ( supPoints_HasTethers( flesh, step ) )
		{
			supPoints_FillTethers( flesh, &view, step );
		}
		if ( flesh->isPosed == false )
		{
			HoldUp( flesh, &view, ( 1.0f - step->parameters[sup_pointsSag] ) * weight );
			Throw( flesh, &view, step );
		}
	}
	bool made = flesh->isPosed ? PredictPosed( flesh, &view, step ) : PredictPlain( flesh, &view, step );
	*view.flags = made ? *view.flags & ~SUP_POINTS_REFUSED : *view.flags | SUP_POINTS_REFUSED;
	// what attachments hold may be turned as they will
	if ( made && flesh->isProp == false && step->isHeld == false && step->pullCount == 0 )
	{
		supPoints_TakeBackRoll( flesh, &view, step );
	}
	if ( made && flesh->isProp == false )
	{
		supPoints_KeepWithinReach( flesh, &view, step );
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
		pointStep.dt = view.state.header->piece;
		supPointSolver_Finish( &flesh->body, &settings, &view.state, &pointStep );
		if ( supPointSolver_NeedsVelocities( flesh->integrator ) )
		{
			supTiedPoints points = { view.state.x, view.state.v, 1.0f };
			supSolveTiedVelocities( step->ties, &points, view.state.oldX, pointStep.dt );
		}
	}
	if ( step->isBetween == false )
	{
		supPoints_FrameSurface( flesh, &view, step->tasks );
	}
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

bool supPoints_TakesTies( const void* fleshPointer )
{
	const supPointsFlesh* flesh = fleshPointer;
	return flesh->integrator == sup_integratorImplicit && flesh->isPosed == false;
}

bool supPoints_CreateSystem( const void* fleshPointer, const supTies* ties, int32_t placeCount, int32_t workerCount,
							 void** system )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPropSystem* made = NULL;
	bool ok = supPoints_TakesTies( flesh ) == false ||
			  supCreatePropSystem( &flesh->body, ties, placeCount, workerCount, &made );
	*system = made;
	return ok;
}

void supPoints_DestroySystem( void* system )
{
	supDestroyPropSystem( system );
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
		supPointDirect direct;
		bool hasFactor = ( *view.flags & SUP_POINTS_DIRECT ) != 0 &&
						 supPoints_AskFactor( flesh, &settings, &pointStep, view.directX, view.directScratch, &direct );
		pointStep.direct = hasFactor ? &direct : NULL;
		if ( supPointSolver_ComputeResponse( &flesh->body, &settings, &view.state, &pointStep, count, particles,
											 weights, columns ) == false )
		{
			step->trouble->notConverged += 1;
		}
		if ( hasFactor )
		{
			supPoints_ReleaseFactor( flesh, &direct );
		}
	}
	return true;
}
