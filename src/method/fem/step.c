// SPDX-License-Identifier: MIT
// The state, and the phases of a step.
#include "character/pose.h"
#include "character/skinning_kernel.h"
#include "core/tasks.h"
#include "method/fem/flesh.h"
#include "method/grab.h"
#include "method/inertia.h"

#include <math.h>

#define GRAIN 512

// Parts of the body's extent that flesh may move in a substep and still count as resting.
#define REST_MOTION_RATIO 3e-6f

// The most steps that a reset takes, and how long each is, in seconds.
#define SETTLE_STEPS 60
#define SETTLE_TIME ( 1.0 / 60.0 )

// Hz: flesh of no softness at all.
#define MAX_FREQUENCY 60.0f

// What swings by itself where nothing soft is, in rad/s: only for damping.
#define FALLBACK_FREQUENCY_RAD_S 12.0

static void* Take( char* base, size_t* offset, size_t bytes )
{
	void* place = base != NULL ? base + *offset : NULL;
	*offset += ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

supFemView supFemFlesh_View( const supFemFlesh* flesh, const void* block )
{
	// views of a state that nobody writes to are made through here too
	union
	{
		const void* read;
		char* write;
	} pointer = { .read = block };
	char* base = pointer.write;
	size_t n = (size_t)flesh->model.functionCount, nodes = (size_t)flesh->basis.nodeCount, at = 0;
	size_t bones = (size_t)flesh->boneCount;
	supFemView view = { 0 };
	view.particleCount =
		flesh->model.functionCount + ( flesh->detail.count < SUP_MAX_DETAIL ? flesh->detail.count : SUP_MAX_DETAIL );
	size_t particles = (size_t)view.particleCount;
	void* solver = Take( base, &at, supFemModel_View( &flesh->model, NULL ).size );
	void* detail = Take( base, &at, supFemDetail_View( &flesh->detail, flesh->model.functionCount, NULL ).size );
	view.particles = Take( base, &at, particles * sizeof( supVec4 ) );
	view.velocities = Take( base, &at, particles * sizeof( supVec4 ) );
	view.particlesTold = Take( base, &at, particles * sizeof( supVec4 ) );
	view.velocitiesTold = Take( base, &at, particles * sizeof( supVec4 ) );
	view.known = Take( base, &at, n * sizeof( supVec4 ) );
	view.frames = Take( base, &at, bones * sizeof( supFemFrame ) );
	view.tunings = Take( base, &at, (size_t)flesh->model.softRegionCount * sizeof( supFemTuning ) );
	view.columns = Take( base, &at, 9 * particles * sizeof( double ) );
	view.loads = Take( base, &at, 9 * n * sizeof( double ) );
	view.slots = Take( base, &at, ( particles - n ) * sizeof( int32_t ) );
	view.slotWeights = Take( base, &at, ( particles - n ) * sizeof( float ) );
	view.nodes = Take( base, &at, nodes * sizeof( supVec4 ) );
	view.reference = Take( base, &at, nodes * sizeof( supVec4 ) );
	view.skinned = Take( base, &at, nodes * sizeof( supVec3 ) );
	view.bindFrames = Take( base, &at, nodes * sizeof( supBindFrame ) );
	view.palette = Take( base, &at, bones * sizeof( supDualJoint ) );
	view.throws = Take( base, &at, bones * sizeof( supMat34 ) );
	view.size = at;
	if ( base != NULL )
	{
		view.solver = supFemModel_View( &flesh->model, solver );
		view.detail = supFemDetail_View( &flesh->detail, flesh->model.functionCount, detail );
	}
	return view;
}

size_t supFem_StateSize( const void* flesh )
{
	return supFemFlesh_View( flesh, NULL ).size;
}

// ---------------------------------------------------------------------------------------------------------------------
// The skeleton

typedef struct SkinRun
{
	const supFemFlesh* flesh;
	const supFemView* view;
	bool hasStretch;
} SkinRun;

static void SkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const SkinRun* run = context;
	size_t slot = SUP_MAX_INFLUENCES * (size_t)begin;
	supSkinJob job = { .vertexCount = end - begin,
					   .influences = SUP_MAX_INFLUENCES,
					   .joints = run->flesh->nodeJoints + slot,
					   .weights = run->flesh->nodeWeights + slot,
					   .duals = run->view->palette,
					   .hasStretch = run->hasStretch,
					   .positions = run->flesh->basis.nodes + begin,
					   .outPositions = run->view->skinned + begin };
	SUP_CALL_KERNEL( supSkinDual )( &job );
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = run->view->skinned[i];
		run->view->reference[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
}

static bool IsFiniteFrame( const supFemFrame* frame )
{
	double sum = frame->t[0] + frame->t[1] + frame->t[2];
	for ( int i = 0; i < 9; ++i )
	{
		sum += frame->a[i / 3][i % 3];
	}
	return sum - sum == 0.0;
}

static bool IsFiniteMatrix( supMat34 m )
{
	return supIsFiniteVec3( m.cx ) && supIsFiniteVec3( m.cy ) && supIsFiniteVec3( m.cz ) && supIsFiniteVec3( m.t );
}

// Frames of all bones, vertices on bones, and where skinning puts the nodes. A bone that is nowhere stays where it was.
// Returns how many did.
static int32_t FollowPose( const supFemFlesh* flesh, const supFemView* view, supPose* pose, const supTasks* tasks )
{
	SkinRun run = { flesh, view, false };
	const supMat34* worlds = supPose_Worlds( pose );
	int32_t lost = 0;
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		supMat34 m = supMulMat34( worlds[flesh->boneNodes[i]], flesh->boneInverses[i] );
		supFemFrame frame = supMakeFemFrame( m );
		if ( IsFiniteMatrix( m ) && IsFiniteFrame( &frame ) )
		{
			view->frames[i] = frame;
			bool stretched = supMakeDualJoint( m, (supDualJoint*)view->palette + i );
			run.hasStretch = run.hasStretch || stretched;
		}
		else
		{
			lost += 1;
		}
	}
	supControlLattice_PlaceBones( &flesh->lattice, worlds, view->known );
	for ( int32_t i = 0; i < flesh->model.functionCount; ++i )
	{
		const double* x = view->solver.x + 3 * (size_t)i;
		supVec4* known = view->known + i;
		if ( flesh->model.isKnown[i] &&
			 !( supIsFinite( known->x ) && supIsFinite( known->y ) && supIsFinite( known->z ) ) )
		{
			*known = ( supVec4 ){ (float)x[0], (float)x[1], (float)x[2], 0.0f };
			lost += 1;
		}
	}
	if ( flesh->skin == sup_femSkinned )
	{
		supParallelFor( tasks, flesh->basis.nodeCount, GRAIN, SkinRange, &run );
	}
	return lost;
}

// ---------------------------------------------------------------------------------------------------------------------
// Particles: what others may move between solve and finish

static void TellVertices( const supFemFlesh* flesh, const supFemView* view )
{
	for ( int32_t i = 0; i < flesh->model.functionCount; ++i )
	{
		const double* x = view->solver.x + 3 * (size_t)i;
		const double* v = view->solver.v + 3 * (size_t)i;
		const double* shift = view->solver.shifts + 3 * (size_t)i;
		bool moves = flesh->model.isKnown[i] == 0 && flesh->model.loads[i] > 0.0;
		float inverse = moves ? (float)( 1.0 / flesh->model.loads[i] ) : 0.0f;
		view->particles[i] =
			( supVec4 ){ (float)( x[0] + shift[0] ), (float)( x[1] + shift[1] ), (float)( x[2] + shift[2] ), inverse };
		view->velocities[i] = ( supVec4 ){ (float)v[0], (float)v[1], (float)v[2], 0.0f };
	}
}

// Those that take part, and those that did when they were told before.
static void TellDetail( const supFemFlesh* flesh, const supFemView* view )
{
	const supDetailState* state = &view->detail;
	int32_t activeCount = state->header->activeCount, first = flesh->model.functionCount;
	int32_t count = activeCount > state->header->toldCount ? activeCount : state->header->toldCount;
	for ( int32_t slot = 0; slot < count; ++slot )
	{
		double z[3] = { 0 }, w[3] = { 0 };
		float load = slot < activeCount ? flesh->detail.loads[state->functions[slot]] : 0.0f;
		if ( slot < activeCount )
		{
			supDetailState_Turn( state, slot, state->z + 3 * (size_t)slot, z );
			supDetailState_Turn( state, slot, state->w + 3 * (size_t)slot, w );
		}
		view->particles[first + slot] =
			( supVec4 ){ (float)z[0], (float)z[1], (float)z[2], load > 0.0f ? 1.0f / load : 0.0f };
		view->velocities[first + slot] = ( supVec4 ){ (float)w[0], (float)w[1], (float)w[2], 0.0f };
	}
	state->header->toldCount = activeCount;
}

static size_t ToldSize( const supFemFlesh* flesh, const supFemView* view )
{
	return ( (size_t)flesh->model.functionCount + (size_t)view->detail.header->toldCount ) * sizeof( supVec4 );
}

static void TellParticles( const supFemFlesh* flesh, const supFemView* view )
{
	TellVertices( flesh, view );
	TellDetail( flesh, view );
	memcpy( view->particlesTold, view->particles, ToldSize( flesh, view ) );
	memcpy( view->velocitiesTold, view->velocities, ToldSize( flesh, view ) );
}

static void Subtract( const supVec4* now, const supVec4* told, double out[3] )
{
	out[0] = (double)now->x - (double)told->x;
	out[1] = (double)now->y - (double)told->y;
	out[2] = (double)now->z - (double)told->z;
}

// Differences only: what nobody touched keeps all its digits. False where nobody touched anything.
static bool TakeParticles( const supFemFlesh* flesh, const supFemView* view )
{
	size_t size = ToldSize( flesh, view );
	if ( memcmp( view->particles, view->particlesTold, size ) == 0 &&
		 memcmp( view->velocities, view->velocitiesTold, size ) == 0 )
	{
		return false;
	}
	int32_t vertexCount = flesh->model.functionCount;
	for ( int32_t i = 0; i < vertexCount + view->detail.header->toldCount; ++i )
	{
		int32_t slot = i - vertexCount;
		double* x = slot < 0 ? view->solver.x + 3 * (size_t)i : view->detail.z + 3 * (size_t)slot;
		double* v = slot < 0 ? view->solver.v + 3 * (size_t)i : view->detail.w + 3 * (size_t)slot;
		double moved[3], sped[3];
		Subtract( view->particles + i, view->particlesTold + i, moved );
		Subtract( view->velocities + i, view->velocitiesTold + i, sped );
		if ( slot >= 0 )
		{
			supDetailState_TurnBack( &view->detail, slot, ( double[3] ){ moved[0], moved[1], moved[2] }, moved );
			supDetailState_TurnBack( &view->detail, slot, ( double[3] ){ sped[0], sped[1], sped[2] }, sped );
		}
		for ( int k = 0; k < 3; ++k )
		{
			x[k] += moved[k];
			v[k] += sped[k];
		}
	}
	return true;
}

supParticles supFem_GetParticles( const void* fleshPointer, void* block )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	return ( supParticles ){ view.particleCount, &view.particles->x, 1.0f, &view.velocities->x };
}

// ---------------------------------------------------------------------------------------------------------------------
// Phases

// What the moduli of a soft region are multiplied with so that its slowest swing is that of the parameters.
static double StiffnessOf( const supFemFlesh* flesh, int32_t region, float frequency, const float* parameters )
{
	double scale = (double)parameters[sup_femStiffness], pulse = flesh->model.pulses[region];
	float slowest = frequency > 0.0f ? frequency : parameters[sup_femSlowest];
	slowest = supSoftFrequency( slowest, flesh->softest[region], parameters[sup_femSoftness] );
	slowest = supMinFloat( slowest, MAX_FREQUENCY );
	double wanted = pulse > 0.0 ? 2.0 * (double)SUP_PI / pulse * (double)slowest : 0.0;
	bool isSet = pulse > 0.0 && ( frequency > 0.0f || wanted * wanted > scale );
	// the tissues' own moduli are those of a softness of a half
	double share = 4.0 * (double)parameters[sup_femSoftness] * (double)parameters[sup_femSoftness];
	return isSet ? wanted * wanted : scale / fmax( share, 1e-4 );
}

static void Tune( const supFemFlesh* flesh, const supFemView* view, const supRegionTuning* regions,
				  const float* parameters )
{
	for ( int32_t i = 0; i < flesh->model.softRegionCount; ++i )
	{
		supRegionTuning own = regions != NULL ? regions[i] : ( supRegionTuning ){ 0 };
		float frequency = own.frequency > 0.0f ? own.frequency : parameters[sup_femFrequency];
		float ratio = own.damping > 0.0f ? own.damping : parameters[sup_femDamping];
		ratio = ratio > 0.0f ? ratio : flesh->tissueDampings[i];
		double pulse = flesh->model.pulses[i] > 0.0 ? flesh->model.pulses[i] : FALLBACK_FREQUENCY_RAD_S;
		double scale = StiffnessOf( flesh, i, frequency, parameters );
		view->tunings[i] = ( supFemTuning ){ scale, 2.0 * (double)ratio * pulse * sqrt( scale ) };
	}
}

static supFemStep MakeStep( const supFemView* view, const supSubstep* step )
{
	const float* parameters = step->parameters;
	return ( supFemStep ){ .dt = (double)step->dt,
						   .tasks = step->tasks,
						   .trouble = step->trouble,
						   .frames = view->frames,
						   .known = view->known,
						   .tunings = view->tunings,
						   .gravity = step->gravity,
						   .wind = step->wind,
						   .sag = (double)parameters[sup_femSag],
						   .air = (double)parameters[sup_femAir],
						   .iterations = (int32_t)parameters[sup_femIterations],
						   .hold = (double)parameters[sup_femHold],
						   .bones = (double)parameters[sup_femBones],
						   .reach = (double)parameters[sup_femReach],
						   .conservation = 1.0 - (double)parameters[sup_femDissipation] };
}

// Where flesh comes to rest around bones that are bent already. In steps as they will be: what regions agree on where
// they overlap depends on the step.
static void Settle( const supFemFlesh* flesh, const supFemView* view, const supTasks* tasks )
{
	supTrouble trouble = { 0 };
	float parameters[sup_femParameterCount];
	for ( int32_t i = 0; i < sup_femParameterCount; ++i )
	{
		parameters[i] = supMethod_fem.parameters[i].standard;
	}
	// as stiff as it is going to be with standard parameters, so that nothing gives way when the first step comes, but
	// without a swing
	parameters[sup_femDamping] = 1.0f;
	Tune( flesh, view, NULL, parameters );
	supFemStep step = { .dt = SETTLE_TIME,
						.tasks = tasks,
						.trouble = &trouble,
						.frames = view->frames,
						.known = view->known,
						.tunings = view->tunings,
						.iterations = 10,
						.hold = (double)parameters[sup_femHold],
						.reach = (double)supMethod_fem.parameters[sup_femReach].standard };
	float moved = INFINITY;
	for ( int i = 0; i < SETTLE_STEPS && moved > 1e-4f * flesh->model.extent; ++i )
	{
		supFemSolver_Advance( &flesh->model, &view->solver, &step );
		supFemSolver_Repair( &flesh->model, &view->solver, &step );
		moved = view->solver.header->moved;
	}
	memset( view->solver.v, 0, 3 * (size_t)flesh->model.functionCount * sizeof( double ) );
}

void supFem_Reset( const void* fleshPointer, void* block, supPose* pose, const supTasks* tasks )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	memset( block, 0, view.size );
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		view.frames[i] = supMakeFemFrame( supMat34_identity );
		supMakeDualJoint( supMat34_identity, (supDualJoint*)view.palette + i );
	}
	FollowPose( flesh, &view, pose, tasks );
	supFemSolver_Reset( &flesh->model, &view.solver, view.frames, view.known );
	supFemDetail_Reset( &flesh->detail, &view.detail );
	Settle( flesh, &view, tasks );
	supFemSolver_KeepVolume( &flesh->model, &view.solver, (double)supMethod_fem.parameters[sup_femVolume].standard );
	TellParticles( flesh, &view );
	supFem_Frame( flesh, block, tasks );
}

// Exaggerated inertia, as an impulse at the beginning of the step.
static void Throw( const supFemFlesh* flesh, const supFemView* view, const supSubstep* step )
{
	const supFemModel* model = &flesh->model;
	if ( supFillThrows( step, step->parameters[sup_femExaggeration], flesh->boneCount, flesh->boneNodes,
						flesh->boneInverses, view->throws ) == false )
	{
		return;
	}
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		size_t slot = SUP_MAX_INFLUENCES * (size_t)i;
		supVec3 thrown = supThrowPoint( view->throws, SUP_MAX_INFLUENCES, model->joints + slot, model->weights + slot,
										model->rests[i] );
		double* v = view->solver.v + 3 * (size_t)i;
		bool moves = model->isKnown[i] == 0;
		v[0] += moves ? (double)( step->dt * thrown.x ) : 0.0;
		v[1] += moves ? (double)( step->dt * thrown.y ) : 0.0;
		v[2] += moves ? (double)( step->dt * thrown.z ) : 0.0;
	}
}

void supFem_Predict( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	step->trouble->notFinite += FollowPose( flesh, &view, step->pose, step->tasks );
	Tune( flesh, &view, step->regions, step->parameters );
	Throw( flesh, &view, step );
	supFemStep femStep = MakeStep( &view, step );
	femStep.pushes = supFemDetail_Push( &flesh->detail, &view.detail, &flesh->model, &view.solver, &femStep );
	supFemSolver_Advance( &flesh->model, &view.solver, &femStep );
	supFemSolver_Repair( &flesh->model, &view.solver, &femStep );
	supFemDetail_Advance( &flesh->detail, &view.detail, &flesh->model, &view.solver, &femStep );
	supFemSolver_KeepVolume( &flesh->model, &view.solver, (double)step->parameters[sup_femVolume] );
	TellParticles( flesh, &view );
}

// Forces along x, y and z on a place: nine doubles a vertex.
static void LoadPlace( double* loads, int32_t vertexCount, int32_t count, const int32_t* particles,
					   const float* weights )
{
	memset( loads, 0, 9 * (size_t)vertexCount * sizeof( double ) );
	for ( int32_t k = 0; k < count; ++k )
	{
		for ( size_t c = 0; particles[k] < vertexCount && c < 3; ++c )
		{
			loads[9 * (size_t)particles[k] + 4 * c] += (double)weights[k];
		}
	}
}

// A critically damped spring on the place that is held, implicit: x'' = ω² ( target - x ) - 2 ω x', both at the end of
// the step. The force that this takes moves the body as its own system answers.
static void ApplyPull( const supFemFlesh* flesh, const supFemView* view, const supPull* pull, double dt )
{
	const supGrab* grab = pull->grab;
	float h = (float)dt, omega = 2.0f * SUP_PI * pull->frequency;
	supVec3 way = supSub( pull->target, supGrab_Place( grab, &view->particles->x, 4 ) );
	supVec3 change = supSub( supScale( omega, way ), supScale( 2.0f, supGrab_Place( grab, &view->velocities->x, 4 ) ) );
	change = supScale( h * h * omega / ( 1.0f + h * omega * ( h * omega + 2.0f ) ), change );
	LoadPlace( view->loads, flesh->model.functionCount, grab->count, grab->particles, grab->shares );
	supFemSolver_Respond( &flesh->model, &view->solver, dt, view->loads, view->columns );
	supMat3 compliance = { supVec3_zero, supVec3_zero, supVec3_zero }, inverse;
	for ( int32_t k = 0; k < grab->count; ++k )
	{
		const double* c = view->columns + 9 * (size_t)grab->particles[k];
		float share = grab->shares[k];
		compliance.cx = supMulAdd( compliance.cx, share, supMakeVec3( (float)c[0], (float)c[1], (float)c[2] ) );
		compliance.cy = supMulAdd( compliance.cy, share, supMakeVec3( (float)c[3], (float)c[4], (float)c[5] ) );
		compliance.cz = supMulAdd( compliance.cz, share, supMakeVec3( (float)c[6], (float)c[7], (float)c[8] ) );
	}
	if ( supInvertMat3( compliance, &inverse ) == false )
	{
		return;
	}
	supVec3 force = supMulMV( inverse, change );
	for ( int32_t i = 0; i < flesh->model.functionCount; ++i )
	{
		const double* c = view->columns + 9 * (size_t)i;
		float* x = &view->particles[i].x;
		float* v = &view->velocities[i].x;
		for ( int k = 0; k < 3; ++k )
		{
			float move = (float)( c[k] * (double)force.x + c[3 + k] * (double)force.y + c[6 + k] * (double)force.z );
			x[k] += move;
			v[k] += move / h;
		}
	}
}

static supMat3 LoadColumn( const double c[9] )
{
	return ( supMat3 ){ { (float)c[0], (float)c[1], (float)c[2] },
						{ (float)c[3], (float)c[4], (float)c[5] },
						{ (float)c[6], (float)c[7], (float)c[8] } };
}

bool supFem_ComputeResponse( const void* fleshPointer, void* block, const supSubstep* step, int32_t count,
							 const int32_t* particles, const float* weights, supMat3* columns )
{
	const supFemFlesh* flesh = fleshPointer;
	if ( columns == NULL )
	{
		return true;
	}
	supFemView view = supFemFlesh_View( flesh, block );
	supFemStep femStep = MakeStep( &view, step );
	int32_t vertexCount = flesh->model.functionCount, slotCount = 0, activeCount = view.detail.header->activeCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( particles[i] >= vertexCount && particles[i] < vertexCount + activeCount )
		{
			view.slots[slotCount] = particles[i] - vertexCount;
			view.slotWeights[slotCount++] = weights[i];
		}
	}
	LoadPlace( view.loads, vertexCount, count, particles, weights );
	supFemDetail_BeginResponse( &flesh->detail, &view.detail, &flesh->model, &femStep, slotCount, view.slots,
								view.slotWeights, view.loads );
	supFemSolver_Respond( &flesh->model, &view.solver, (double)step->dt, view.loads, view.columns );
	supFemDetail_EndResponse( &flesh->detail, &view.detail, &flesh->model, &femStep, slotCount, view.slots,
							  view.slotWeights, view.columns );
	memset( columns, 0, (size_t)view.particleCount * sizeof( supMat3 ) );
	for ( int32_t i = 0; i < vertexCount + activeCount; ++i )
	{
		columns[i] = LoadColumn( view.columns + 9 * (size_t)i );
	}
	return true;
}

void supFem_Solve( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	// the systems were solved in predict: one pass is enough
	for ( int32_t i = 0; step->pass == 0 && i < step->pullCount; ++i )
	{
		ApplyPull( flesh, &view, step->pulls + i, (double)step->dt );
	}
}

void supFem_Finish( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	bool isTouched = TakeParticles( flesh, &view );
	if ( isTouched )
	{
		supFemStep femStep = MakeStep( &view, step );
		// what contacts and attachments moved is not pulled back into them
		femStep.reach = (double)INFINITY;
		supFemSolver_Repair( &flesh->model, &view.solver, &femStep );
	}
	bool isChanged = supFemDetail_Adapt( &flesh->detail, &view.detail, &flesh->model, &view.solver, view.tunings,
										 step->parameters + sup_femRefine );
	supDetailState_Measure( &view.detail, (double)step->dt );
	if ( isTouched || isChanged )
	{
		TellParticles( flesh, &view );
	}
	supFem_Frame( flesh, block, step->tasks );
}

bool supFem_IsSettled( const void* fleshPointer, const void* block )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	return supMaxFloat( view.solver.header->moved, view.detail.header->moved ) <=
		   REST_MOTION_RATIO * flesh->model.extent;
}
