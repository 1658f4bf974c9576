// SPDX-License-Identifier: MIT
// What happens before and after the iterations: skinning, prediction, velocities, repair.
#include "character/skinning_kernel.h"
#include "core/hash.h"
#include "core/tasks.h"
#include "core/wide.h"
#include "math/exponential.h"
#include "method/inertia.h"
#include "method/position/position.h"
#include "method/position/step_math.h"
#include "method/position/tether.h"
#include "method/position/volume_math.h"

#include <math.h>
#include <stdatomic.h>

// Particles per piece of a parallel loop.
#define GRAIN 512

// Steps that a reset takes.
#define SETTLE_STEPS 8

// ---------------------------------------------------------------------------------------------------------------------
// The state's arrays, one after another, each on a cache line

static void* Take( char* base, size_t* offset, size_t bytes )
{
	void* place = base != NULL ? base + *offset : NULL;
	*offset += ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

int32_t supPositionFlesh_CrowdShift( const supPositionFlesh* flesh )
{
	int32_t shift = 0;
	while ( SUP_PACK << shift < flesh->paddedCount )
	{
		shift += 1;
	}
	return shift;
}

supPositionView supPositionFlesh_View( const supPositionFlesh* flesh, void* state )
{
	char* base = state;
	size_t at = 0;
	size_t n = (size_t)flesh->paddedCount;
	size_t lanes = SUP_PACK * ( (size_t)flesh->stretch.packCount + (size_t)flesh->bind.packCount +
								(size_t)flesh->volume.packCount );
	supPositionView view;
	view.header = Take( base, &at, sizeof( supPositionHeader ) );
	// room for an eighth of a crowd
	view.positions = Take( base, &at, (size_t)128 << supPositionFlesh_CrowdShift( flesh ) );
	view.velocities = Take( base, &at, 16 * n );
	view.predicted = Take( base, &at, 16 * n );
	view.predictedVelocities = Take( base, &at, 16 * n );
	view.skinned = Take( base, &at, 16 * n );
	view.tethers = Take( base, &at, 16 * n );
	view.tetherForces = Take( base, &at, 4 * n );
	view.bones = Take( base, &at, sizeof( supMat34 ) * (size_t)flesh->boneCount );
	view.multipliers = Take( base, &at, flesh->mode == sup_positionCompliant ? 4 * lanes : 0 );
	view.partGrowths = Take( base, &at, 4 * (size_t)flesh->partCount );
	view.downs = Take( base, &at, 12 * n );
	view.anchors = Take( base, &at, 16 * SUP_PACK * (size_t)flesh->bind.packCount );
	size_t scratch = at;
	view.before = Take( base, &at, 16 * n );
	view.freshSkinned = (supVec3*)(void*)view.before;
	view.palette = Take( base, &at, SUP_CACHE_LINE * (size_t)flesh->boneCount );
	view.bonesBefore = Take( base, &at, sizeof( supMat34 ) * (size_t)flesh->boneCount );
	view.throws = Take( base, &at, sizeof( supMat34 ) * (size_t)flesh->boneCount );
	view.scaledNodes = Take( base, &at, sizeof( supMat34 ) * (size_t)flesh->nodeCount );
	view.scaledBones = Take( base, &at, sizeof( supMat34 ) * (size_t)flesh->boneCount );
	view.scaledRest = Take( base, &at, 12 * n );
	view.scales = Take( base, &at, 4 * lanes );
	// what the end needs is made when the beginning has served
	size_t end = at;
	at = scratch;
	view.frames = Take( base, &at, sizeof( supBindFrame ) * (size_t)flesh->binding.pointCount );
	view.gradients = Take( base, &at, 12 * n );
	view.surface = Take( base, &at, 12 * (size_t)flesh->surfaceSize );
	view.size = at > end ? at : end;
	return view;
}

// ---------------------------------------------------------------------------------------------------------------------
// Skinning

typedef struct Step
{
	const supPositionFlesh* flesh;
	supPositionView view;
	const supSubstep* step;
	supSkinJob job;
	bool dual;
	float inverseDt;
	supPositionForces forces;
	bool isExaggerated;
	// of finish: float bits, which sort as numbers do where none is negative
	_Atomic uint32_t moved;
	_Atomic int32_t notFinite;
} Step;

// From the rest pose to this one, for each bone, as the kernels of skinning want it.
static void FillPalette( Step* s, supPose* pose )
{
	const supPositionFlesh* flesh = s->flesh;
	const supMat34* worlds = supPose_Worlds( pose );
	bool hasStretch = false;
	memcpy( s->view.bonesBefore, s->view.bones, (size_t)flesh->boneCount * sizeof( supMat34 ) );
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		supMat34 m = supMulMat34( worlds[flesh->boneNodes[i]], flesh->boneInverses[i] );
		s->view.bones[i] = m;
		if ( s->dual )
		{
			bool stretched = supMakeDualJoint( m, (supDualJoint*)s->view.palette + i );
			hasStretch = hasStretch || stretched;
		}
		else
		{
			( (supWideMatrix*)s->view.palette )[i].matrix = m;
		}
	}
	s->job = ( supSkinJob ){ .influences = flesh->influences,
							 .palette = s->dual ? NULL : s->view.palette,
							 .duals = s->dual ? s->view.palette : NULL,
							 .hasStretch = hasStretch };
}

static void SkinParticles( const Step* s, int32_t begin, int32_t end, bool wantDowns )
{
	const supPositionFlesh* flesh = s->flesh;
	size_t slot = (size_t)begin * (size_t)flesh->influences;
	supSkinJob job = s->job;
	job.vertexCount = end - begin;
	job.joints = flesh->joints + slot;
	job.weights = flesh->weights + slot;
	job.positions = flesh->rest + begin;
	job.outPositions = s->view.freshSkinned + begin;
	// gravity is turned along as if it were a normal
	for ( int32_t i = begin; wantDowns && i < end; ++i )
	{
		s->view.downs[i] = s->forces.down;
	}
	job.normals = wantDowns ? s->view.downs + begin : NULL;
	job.outNormals = wantDowns ? s->view.downs + begin : NULL;
	if ( s->dual )
	{
		SUP_CALL_KERNEL( supSkinDual )( &job );
	}
	else
	{
		SUP_CALL_KERNEL( supSkinLinear )( &job );
	}
}

static supVec3 MoveAnchor( const Step* s, size_t lane )
{
	int32_t bone = s->flesh->bindBones[lane];
	supVec3 anchor = s->flesh->bindAnchors[lane];
	if ( s->dual == false )
	{
		return supTransformPoint( ( (supWideMatrix*)s->view.palette )[bone].matrix, anchor );
	}
	const supDualJoint* joint = (supDualJoint*)s->view.palette + bone;
	return MoveBindAnchor( joint->motion, joint->stretch, anchor );
}

static void AnchorRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Step* s = context;
	for ( size_t i = SUP_PACK * (size_t)begin; i < SUP_PACK * (size_t)end; ++i )
	{
		supVec3 anchor = MoveAnchor( s, i );
		supStore4( s->view.anchors + 4 * i, ( supFloat4 ){ anchor.x, anchor.y, anchor.z, 0.0f } );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Tethers: the softer, the slower, so that flesh swings as far as it is soft. Softness 0 has no spring at all: it stays
// with the skin, but for `carry`.

void supPosition_FillTethers( const supPositionFlesh* flesh, const supSubstep* step, supVec4* tethers, float* forces )
{
	for ( int32_t i = 0; i < flesh->particleCount; ++i )
	{
		float softness = flesh->softness[i];
		const supRegionTuning* region = step->regions + flesh->regions[i];
		float frequency = region->frequency > 0.0f ? region->frequency : step->parameters[sup_positionFrequency];
		float damping = region->damping > 0.0f ? region->damping : step->parameters[sup_positionDamping];
		supTether tether = { step->parameters[sup_positionCarry], 0.0f, 0.0f, 0.0f, 0.0f };
		frequency = supSoftFrequency( frequency, softness, step->parameters[sup_positionSoftness] );
		if ( frequency < INFINITY )
		{
			// what is nearly stiff does not ring
			damping = supLerpFloat( 1.0f, damping, supMinFloat( 2.0f * softness, 1.0f ) );
			tether = supMakeTether( frequency, damping, step->dt );
		}
		tethers[i] = ( supVec4 ){ tether.yy, tether.yu, tether.uy, tether.uu };
		forces[i] = tether.ya;
	}
}

uint64_t supPosition_HashTuning( const supPositionFlesh* flesh, const supSubstep* step )
{
	uint64_t tuning = SUP_HASH_SEED;
	tuning = supHashBytes( tuning, step->regions, (size_t)flesh->regionCount * sizeof( supRegionTuning ) );
	return supHashBytes( tuning, step->parameters, sup_positionParameterCount * sizeof( float ) );
}

static void UpdateTethers( const Step* s )
{
	supPositionHeader* header = s->view.header;
	uint64_t tuning = supPosition_HashTuning( s->flesh, s->step );
	if ( header->dt != s->step->dt || header->tuning != tuning )
	{
		supPosition_FillTethers( s->flesh, s->step, s->view.tethers, s->view.tetherForces );
		header->dt = s->step->dt;
		header->tuning = tuning;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Prediction

SUP_WIDE supFloat4 Load3( const supVec3* v )
{
	return ( supFloat4 ){ v->x, v->y, v->z, 0.0f };
}

// How far the bones of a particle carry it, in the mean.
static supFloat4 CarryByBones( const Step* s, int32_t i )
{
	const supPositionFlesh* flesh = s->flesh;
	supFloat4 sum = { 0 };
	for ( int32_t k = 0; k < flesh->influences; ++k )
	{
		size_t slot = (size_t)i * (size_t)flesh->influences + (size_t)k;
		supVec3 after = supTransformPoint( s->view.bones[flesh->joints[slot]], flesh->rest[i] );
		supVec3 before = supTransformPoint( s->view.bonesBefore[flesh->joints[slot]], flesh->rest[i] );
		supVec3 way = supSub( after, before );
		sum += Load3( &way ) * flesh->weights[slot];
	}
	return sum;
}

static void PredictParticle( const Step* s, int32_t i )
{
	const supPositionView* view = &s->view;
	const supSubstep* step = s->step;
	size_t k = 4 * (size_t)i;
	supFloat4 before = supLoad4( &view->skinned[i].x );
	supFloat4 after = Load3( view->freshSkinned + i );
	supFloat4 y = supLoad4( view->positions + k ) - before;
	supFloat4 way = after - before;
	if ( Length4( way ) > JUMP * s->flesh->edge )
	{
		way -= FindJump( way, CarryByBones( s, i ), s->flesh->edge );
	}
	supFloat4 carried = way * s->inverseDt;
	supFloat4 velocity = supLoad4( view->velocities + k );
	supFloat4 u = velocity - carried;
	supFloat4 push = PushOf( Load3( &step->gravity ), Load3( view->downs + i ), s->forces.balance, Load3( &step->wind ),
							 velocity, s->forces.drag );
	if ( s->isExaggerated )
	{
		size_t slot = (size_t)i * (size_t)s->flesh->influences;
		supVec3 thrown = supThrowPoint( view->throws, s->flesh->influences, s->flesh->joints + slot,
										s->flesh->weights + slot, s->flesh->rest[i] );
		push += Load3( &thrown );
	}
	// kept for finish, which asks how far the particle went
	view->downs[i] = supMakeVec3( view->positions[k], view->positions[k + 1], view->positions[k + 2] );
	float most = s->flesh->reaches[i] * step->parameters[sup_positionReach];
	Swing swing = SwingOn( y, u, push, view->tethers[i], view->tetherForces[i], most );
	supFloat4 p = after + swing.y;
	p[3] = s->flesh->inverseMasses[i];
	supStore4( view->predicted + k, p );
	supStore4( view->positions + k, p );
	supFloat4 v = carried + swing.u;
	v[3] = 0.0f;
	supStore4( view->predictedVelocities + k, v );
	after[3] = 0.0f;
	supStore4( &view->skinned[i].x, after );
}

static void PredictRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Step* s = context;
	SkinParticles( s, begin, end, true );
	for ( int32_t i = begin; i < end; ++i )
	{
		PredictParticle( s, i );
	}
}

static Step MakeStep( const supPositionFlesh* flesh, void* state, const supSubstep* step )
{
	return ( Step ){ .flesh = flesh,
					 .view = supPositionFlesh_View( flesh, state ),
					 .step = step,
					 .dual = flesh->start == sup_skinningDualQuaternion };
}

supPositionForces supPosition_MakeForces( const supSubstep* step )
{
	// flesh at rest is in balance with gravity as it acts on it at rest; that part turns with the body
	float weight = supLength( step->gravity );
	// exact for the air alone, so that a storm does not explode
	float drag = step->parameters[sup_positionAir];
	return ( supPositionForces ){
		.down = weight > 0.0f ? supScale( 1.0f / weight, step->gravity ) : supMakeVec3( 0.0f, -1.0f, 0.0f ),
		.balance = ( 1.0f - step->parameters[sup_positionSag] ) * weight,
		.drag = (float)( 1.0 - supExpNegative( -(double)( drag * step->dt ) ) ) * ( 1.0f / step->dt )
	};
}

void supPosition_Predict( const void* fleshPointer, void* state, const supSubstep* step )
{
	const supPositionFlesh* flesh = fleshPointer;
	Step s = MakeStep( flesh, state, step );
	s.inverseDt = 1.0f / step->dt;
	s.forces = supPosition_MakeForces( step );
	s.view.header->inverted = 0;
	UpdateTethers( &s );
	FillPalette( &s, step->pose );
	s.isExaggerated = supFillThrows( step, step->parameters[sup_positionExaggeration], flesh->boneCount,
									 flesh->boneNodes, flesh->boneInverses, s.view.throws );
	supParallelFor( step->tasks, flesh->particleCount, GRAIN, PredictRange, &s );
	supParallelFor( step->tasks, flesh->bind.packCount, GRAIN / SUP_PACK, AnchorRange, &s );
	s.view.header->scaled = supPosition_ScaleRest( flesh, &s.view, step->pose, step->tasks );
}

// ---------------------------------------------------------------------------------------------------------------------
// Afterwards

// Tets that are still inside out are counted. One whose corners lie on a line has no direction to recover in: its
// corners go back to the skin. So do, by little and little, those of one that the skin has the right way round: tangled
// flesh may hold itself up for ever, each tet kept inside out by its neighbours.

static float TetVolume( const float* places, const int32_t* corners, supVec3 edges[3] )
{
	const float* o = places + 4 * (size_t)corners[0];
	for ( int32_t k = 0; k < 3; ++k )
	{
		const float* p = places + 4 * (size_t)corners[k + 1];
		edges[k] = supMakeVec3( p[0] - o[0], p[1] - o[1], p[2] - o[2] );
	}
	return EdgesVolume( edges[0], edges[1], edges[2] );
}

static void MoveToSkin( const Step* s, const int32_t* corners, float part )
{
	for ( int32_t k = 0; k < 4; ++k )
	{
		float* p = s->view.positions + 4 * (size_t)corners[k];
		supFloat4 place = supLoad4( p );
		place += ( supLoad4( &s->view.skinned[corners[k]].x ) - place ) * part;
		place[3] = s->flesh->inverseMasses[corners[k]];
		supStore4( p, place );
	}
}

static void RightInverted( const Step* s )
{
	const supPositionFlesh* flesh = s->flesh;
	for ( int32_t i = 0; i < flesh->solidCount; ++i )
	{
		const int32_t* corners = flesh->tets + 4 * (size_t)i;
		supVec3 e[3], skinned[3];
		if ( TetVolume( s->view.positions, corners, e ) > 0.0f )
		{
			continue;
		}
		s->step->trouble->inverted += 1;
		// nor has what was scaled to nothing
		if ( IsOnLine( e[0], e[1], e[2] ) || s->view.header->scaled != 0 )
		{
			MoveToSkin( s, corners, 1.0f );
		}
		else if ( TetVolume( &s->view.skinned[0].x, corners, skinned ) > 0.0f )
		{
			MoveToSkin( s, corners, UNTANGLE );
		}
	}
}

static bool IsFinite4( supFloat4 v )
{
	return supIsFinite( v[0] ) && supIsFinite( v[1] ) && supIsFinite( v[2] );
}

static void FinishRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Step* s = context;
	float moved = 0.0f;
	int32_t notFinite = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		size_t k = 4 * (size_t)i;
		supFloat4 p = supLoad4( s->view.positions + k );
		supFloat4 shift = ( p - supLoad4( s->view.predicted + k ) ) * s->inverseDt;
		supFloat4 v = supLoad4( s->view.predictedVelocities + k ) + shift;
		if ( IsFinite4( p ) == false || IsFinite4( v ) == false )
		{
			p = supLoad4( &s->view.skinned[i].x );
			v = ( supFloat4 ){ 0 };
			notFinite += 1;
		}
		p[3] = s->flesh->inverseMasses[i];
		v[3] = 0.0f;
		supStore4( s->view.positions + k, p );
		supStore4( s->view.velocities + k, v );
		supFloat4 way = p - Load3( s->view.downs + i );
		way[3] = 0.0f;
		moved = supMaxFloat( moved, Length4( way ) );
	}
	uint32_t bits;
	memcpy( &bits, &moved, sizeof( bits ) );
	uint32_t before = atomic_load_explicit( &s->moved, memory_order_relaxed );
	while ( bits > before && atomic_compare_exchange_weak( &s->moved, &before, bits ) == false )
	{
	}
	atomic_fetch_add( &s->notFinite, notFinite );
}

static void ShiftRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Step* s = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supFloat4 shift = supLoad4( s->view.positions + 4 * (size_t)i ) - supLoad4( &s->view.skinned[i].x );
		s->view.frames[i].shift = supMakeVec3( shift[0], shift[1], shift[2] );
	}
}

static void ShiftFrames( Step* s )
{
	supParallelFor( s->step->tasks, s->flesh->particleCount, GRAIN, ShiftRange, s );
}

// First the tets, which are exact about their own volume; then what the render mesh, which is finer, differs from it.
// Returns whether frames were made, which are then as good as new but for the shifts: what is moved after them is moved
// evenly and by very little.
static bool KeepVolumes( Step* s )
{
	const supPositionFlesh* flesh = s->flesh;
	bool scaled = s->view.header->scaled != 0;
	supPosition_KeepVolume( flesh, scaled ? s->view.partGrowths : NULL, s->view.positions, s->view.gradients );
	double wanted = flesh->surfaceVolume * ( scaled ? (double)s->view.header->growth : 1.0 );
	bool framed = flesh->surfaceVolume > 0.0;
	if ( framed )
	{
		supPosition_FrameSurface( flesh, &s->view, s->step->tasks );
	}
	double missing = 1.0;
	for ( int32_t i = 0;
		  framed && i < MOST_SURFACE_STEPS && ( i == 0 || missing > MUCH_MISSING || missing < -MUCH_MISSING ); ++i )
	{
		double volume = supPosition_SurfaceVolume( flesh, &s->view, s->step->pose, s->step->tasks );
		missing = 1.0 - volume / wanted;
		if ( IsWorthInflating( missing ) )
		{
			supPosition_Inflate( flesh, s->view.positions, s->view.gradients,
								 missing / (double)flesh->surfaceResponse );
		}
		ShiftFrames( s );
	}
	return framed;
}

// What moves particles after the iterations. Returns whether frames were made.
static bool MendShape( Step* s )
{
	if ( s->view.header->inverted != 0 )
	{
		RightInverted( s );
	}
	return s->step->parameters[sup_positionKeep] > 0.5f && KeepVolumes( s );
}

void supPosition_MendShape( const supPositionFlesh* flesh, void* state, const supSubstep* step )
{
	Step s = MakeStep( flesh, state, step );
	MendShape( &s );
}

// What was moved without getting faster by it.
static void TakeShifts( const Step* s )
{
	for ( size_t i = 0; i < 4 * (size_t)s->flesh->particleCount; ++i )
	{
		s->view.predictedVelocities[i] -= s->step->shifts[i] * s->inverseDt;
	}
}

void supPosition_Finish( const void* fleshPointer, void* state, const supSubstep* step )
{
	const supPositionFlesh* flesh = fleshPointer;
	Step s = MakeStep( flesh, state, step );
	s.inverseDt = 1.0f / step->dt;
	bool framed = supPosition_MendsInSolve( step ) == false && MendShape( &s );
	if ( step->shifts != NULL )
	{
		TakeShifts( &s );
	}
	supParallelFor( step->tasks, flesh->particleCount, GRAIN, FinishRange, &s );
	uint32_t bits = atomic_load( &s.moved );
	memcpy( &s.view.header->moved, &bits, sizeof( bits ) );
	s.view.header->moved /= flesh->edge;
	int32_t notFinite = atomic_load( &s.notFinite );
	step->trouble->notFinite += notFinite;
	if ( framed && notFinite == 0 )
	{
		ShiftFrames( &s );
	}
	else
	{
		supPosition_FrameSurface( flesh, &s.view, step->tasks );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// At rest in a pose

static void ResetRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Step* s = context;
	SkinParticles( s, begin, end, false );
	for ( int32_t i = begin; i < end; ++i )
	{
		size_t k = 4 * (size_t)i;
		supFloat4 p = Load3( s->view.freshSkinned + i );
		supStore4( &s->view.skinned[i].x, p );
		p[3] = s->flesh->inverseMasses[i];
		supStore4( s->view.positions + k, p );
		supStore4( s->view.velocities + k, ( supFloat4 ){ 0 } );
	}
}

// As if it had been there for ever: a few steps in which nothing keeps its speed.
static void Settle( const supPositionFlesh* flesh, void* state, supPose* pose, const supTasks* tasks )
{
	supTrouble trouble = { 0 };
	supPositionView view = supPositionFlesh_View( flesh, state );
	supSubstep step = { .pose = pose,
						.dt = 1.0f / 60.0f,
						.tasks = tasks,
						.trouble = &trouble,
						.parameters = flesh->parameters,
						.regions = flesh->tunings };
	for ( int32_t i = 0; i < SETTLE_STEPS; ++i )
	{
		supPosition_Predict( flesh, state, &step );
		supPosition_Solve( flesh, state, &step );
		supPosition_Finish( flesh, state, &step );
		memset( view.velocities, 0, 16 * (size_t)flesh->paddedCount );
	}
	view.header->moved = 1.0f;
}

void supPosition_Reset( const void* fleshPointer, void* state, supPose* pose, const supTasks* tasks )
{
	const supPositionFlesh* flesh = fleshPointer;
	Step s = MakeStep( flesh, state, NULL );
	memset( state, 0, s.view.size );
	FillPalette( &s, pose );
	supParallelFor( tasks, flesh->particleCount, GRAIN, ResetRange, &s );
	Settle( flesh, state, pose, tasks );
}
