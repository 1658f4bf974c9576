// SPDX-License-Identifier: MIT
// The order of a step.
//
//   begin     poses from clips; sleeping actors
//   substeps  predict, solve, attachments, contacts, finish: each for all actors before the next begins; where there is
//             something to touch solve comes in passes, with contacts after each
//   end       surfaces; actors that may fall asleep
//
// Actors on a device (device_crowd.h) go through the same phases there, while the CPU computes the others.
//
// Few actors: one after another, each on all threads. Many: each on one thread, all threads at once, and actors that
// share a flesh are solved eight at a time where the method can (one actor per lane). Methods give the same bits in all
// three ways, so that the number of threads and of actors changes nothing but the time.
#include "core/clock.h"
#include "core/tasks.h"
#include "scene/scene_data.h"

// Of the actors from begin to end those that are awake and go as far as the step (or farther, or not at all).
typedef enum Gait
{
	gaitStep,
	gaitLonger,
	gaitNone,
} Gait;

static void TakeAwake( supScene* scene, int32_t begin, int32_t end, Gait gait, bool onDevice )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		supActor* actor = scene->actors[i];
		Gait own = actor->steps == false ? gaitNone : ( actor->span == scene->dt ? gaitStep : gaitLonger );
		if ( own == gait && actor->usesDevice == onDevice && supActor_IsAsleep( actor ) == false )
		{
			scene->awake[scene->awakeCount++] = actor;
		}
	}
}

// Flesh by flesh, and those together that go equally far: they make crowds.
static void TakeMoving( supScene* scene, bool onDevice )
{
	for ( int32_t begin = 0, end = 0; begin < scene->actorCount; begin = end )
	{
		while ( end < scene->actorCount && scene->actors[end]->flesh == scene->actors[begin]->flesh )
		{
			end += 1;
		}
		TakeAwake( scene, begin, end, gaitStep, onDevice );
		TakeAwake( scene, begin, end, gaitLonger, onDevice );
	}
}

static void FindAwake( supScene* scene )
{
	scene->awakeCount = 0;
	TakeMoving( scene, false );
	scene->hostCount = scene->awakeCount;
	TakeMoving( scene, true );
	scene->movingCount = scene->awakeCount;
	TakeAwake( scene, 0, scene->actorCount, gaitNone, false );
	scene->stats.actors = scene->actorCount;
	scene->stats.sleepers = scene->actorCount - scene->awakeCount;
}

static void MakeGroups( supScene* scene )
{
	scene->groupCount = 0;
	for ( int32_t first = 0; first < scene->hostCount; )
	{
		const supFlesh* flesh = scene->awake[first]->flesh;
		float span = scene->awake[first]->span;
		int32_t count = 1;
		while ( count < SUP_CROWD && first + count < scene->hostCount && scene->awake[first + count]->flesh == flesh &&
				scene->awake[first + count]->span == span )
		{
			count += 1;
		}
		// a crowd is solved in one go, and contacts want a word in between
		if ( flesh->method->solveMany == NULL || count < SUP_CROWD || scene->touches )
		{
			count = 1;
		}
		scene->groups[scene->groupCount++] = ( Group ){ first, count };
		first += count;
	}
}

static void BeginRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supScene* scene = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supActor_Begin( scene->actors[i], scene->dt, scene->def.sleeping, scene->touches,
						scene->across ? NULL : scene->def.tasks );
		supActor_ChooseDevice( scene->actors[i], scene->touches );
	}
}

static void PrepareRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supScene* scene = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		scene->steps[i] = ( supSubstep ){ .dt = scene->awake[i]->span / (float)scene->substeps,
										  .tasks = scene->across ? NULL : scene->def.tasks,
										  .gravity = scene->def.gravity,
										  .wind = scene->def.wind,
										  .passCount = scene->touches ? scene->def.contactPasses : 1,
										  .isBetween = scene->touches == false && scene->weight < 1.0f };
		supActor_PrepareSubstep( scene->awake[i], scene->weight, scene->steps + i );
	}
}

static void PredictRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supScene* scene = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supFlesh* flesh = scene->awake[i]->flesh;
		if ( flesh->method->predict != NULL )
		{
			flesh->method->predict( flesh->own, scene->awake[i]->state, scene->steps + i );
		}
	}
}

static void SolveMany( supScene* scene, int32_t first )
{
	void* states[SUP_CROWD];
	const supSubstep* steps[SUP_CROWD];
	for ( int32_t k = 0; k < SUP_CROWD; ++k )
	{
		states[k] = scene->awake[first + k]->state;
		steps[k] = scene->steps + first + k;
	}
	const supFlesh* flesh = scene->awake[first]->flesh;
	flesh->method->solveMany( flesh->own, states, steps );
}

static void SolveRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supScene* scene = context;
	for ( int32_t g = begin; g < end; ++g )
	{
		int32_t i = scene->groups[g].first;
		const supFlesh* flesh = scene->awake[i]->flesh;
		scene->steps[i].pass = scene->pass;
		if ( scene->groups[g].count > 1 )
		{
			SolveMany( scene, i );
		}
		else if ( flesh->method->solve != NULL )
		{
			flesh->method->solve( flesh->own, scene->awake[i]->state, scene->steps + i );
		}
	}
}

static void FinishRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supScene* scene = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supFlesh* flesh = scene->awake[i]->flesh;
		if ( scene->touches && scene->awake[i]->contact != NULL )
		{
			scene->steps[i].shifts = scene->awake[i]->contact->shifts;
		}
		if ( flesh->method->finish != NULL )
		{
			flesh->method->finish( flesh->own, scene->awake[i]->state, scene->steps + i );
		}
	}
}

static void EndRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	supScene* scene = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supActor_End( scene->awake[i], scene->dt, scene->across ? NULL : scene->def.tasks, worker );
	}
}

// On all threads at once, or here, one after another, each with all threads.
static void RunPhase( supScene* scene, int32_t count, supRangeFcn* function, double* milliseconds )
{
	double start = supGetMilliseconds();
	if ( scene->across )
	{
		supParallelFor( scene->def.tasks, count, 1, function, scene );
	}
	else
	{
		function( 0, count, 0, scene );
	}
	*milliseconds += supGetMilliseconds() - start;
}

static void RunAttachments( supScene* scene )
{
	if ( scene->attachments.first != NULL )
	{
		double start = supGetMilliseconds();
		supAttachments_Solve( &scene->attachments, scene->def.attachmentSweeps, scene->weight, scene->dt,
							  scene->def.tasks );
		scene->stats.milliseconds.attachments += supGetMilliseconds() - start;
	}
}

// What actors of the same flesh have in common is made by one after another.
static void PrepareShared( supScene* scene )
{
	double start = supGetMilliseconds();
	scene->turn += 1;
	for ( int32_t i = 0; i < scene->movingCount; ++i )
	{
		supActor* actor = scene->awake[i];
		const supMethod* method = actor->flesh->method;
		const supSubstep* step = scene->steps + i;
		if ( step->shared != NULL &&
			 method->prepareShared( actor->flesh->own, step->shared, actor->state, step, scene->turn ) == false )
		{
			step->trouble->notConverged += 1;
		}
	}
	scene->stats.milliseconds.predict += supGetMilliseconds() - start;
}

// Poses of the substep, and from them what the ends of ties are nailed to.
static void RunPrepare( supScene* scene )
{
	supPhaseTimes* times = &scene->stats.milliseconds;
	RunPhase( scene, scene->movingCount, PrepareRange, &times->predict );
	PrepareShared( scene );
	if ( scene->attachments.first != NULL )
	{
		double start = supGetMilliseconds();
		supAttachments_PrepareTies( &scene->attachments, scene->weight, scene->dt );
		times->attachments += supGetMilliseconds() - start;
	}
}

// The device has failed: its actors are computed here, from what they had before the substep.
static void RunOnHost( supScene* scene )
{
	for ( int32_t i = scene->hostCount; i < scene->movingCount; ++i )
	{
		const supFlesh* flesh = scene->awake[i]->flesh;
		scene->awake[i]->usesDevice = false;
		flesh->method->predict( flesh->own, scene->awake[i]->state, scene->steps + i );
		flesh->method->solve( flesh->own, scene->awake[i]->state, scene->steps + i );
		flesh->method->finish( flesh->own, scene->awake[i]->state, scene->steps + i );
	}
}

static void RunSubstep( supScene* scene )
{
	supPhaseTimes* times = &scene->stats.milliseconds;
	RunPrepare( scene );
	supActor** actors = scene->awake + scene->hostCount;
	int32_t count = scene->crowds.device != NULL ? scene->movingCount - scene->hostCount : 0;
	bool isLast = scene->weight >= 1.0f;
	bool isLost = scene->hostCount + count < scene->movingCount;
	double start = supGetMilliseconds();
	if ( count > 0 )
	{
		isLost = supSceneCrowds_Start( &scene->crowds, actors, scene->steps + scene->hostCount, count, isLast,
									   scene->def.tasks ) == false;
		times->predict += supGetMilliseconds() - start;
	}
	RunPhase( scene, scene->hostCount, PredictRange, &times->predict );
	RunPhase( scene, scene->groupCount, SolveRange, &times->solve );
	RunAttachments( scene );
	RunPhase( scene, scene->hostCount, FinishRange, &times->finish );
	start = supGetMilliseconds();
	if ( count > 0 && isLost == false )
	{
		isLost = supSceneCrowds_Wait( &scene->crowds, actors, count, isLast ) == false;
	}
	if ( isLost )
	{
		RunOnHost( scene );
	}
	times->solve += supGetMilliseconds() - start;
}

typedef void ContactPhaseFcn( supContactWorld* world, const supContactStep* step );

static void RunContacts( supScene* scene, const supContactStep* step, ContactPhaseFcn* phase )
{
	double start = supGetMilliseconds();
	phase( scene->contacts, step );
	scene->stats.milliseconds.contacts += supGetMilliseconds() - start;
}

static void RunTouchingSubstep( supScene* scene, float weightBefore )
{
	supPhaseTimes* times = &scene->stats.milliseconds;
	supContactStep step = { .actorCount = scene->movingCount,
							.actors = scene->awake,
							.steps = scene->steps,
							.tasks = scene->def.tasks,
							.across = scene->across,
							.dt = scene->dt,
							.weightBefore = weightBefore,
							.weight = scene->weight,
							.gravity = scene->def.gravity,
							.sweeps = scene->def.contactSweeps,
							.recoverySpeed = scene->def.recoverySpeed,
							.detection = scene->def.detection };
	RunContacts( scene, &step, supContactWorld_Start );
	RunPrepare( scene );
	RunPhase( scene, scene->movingCount, PredictRange, &times->predict );
	RunContacts( scene, &step, supContactWorld_Detect );
	for ( scene->pass = 0; scene->pass < scene->def.contactPasses; ++scene->pass )
	{
		step.isLastPass = scene->pass + 1 == scene->def.contactPasses;
		RunPhase( scene, scene->groupCount, SolveRange, &times->solve );
		RunContacts( scene, &step, supContactWorld_Sweep );
	}
	scene->pass = 0;
	RunAttachments( scene );
	RunContacts( scene, &step, supContactWorld_Finish );
	RunPhase( scene, scene->movingCount, FinishRange, &times->finish );
}

// As many as the scene has, or more where flesh that is awake asks for shorter steps (SUP_RATE_PARAMETER).
static int32_t CountSubsteps( const supScene* scene )
{
	int32_t count = scene->def.substeps;
	for ( int32_t i = 0; i < scene->movingCount; ++i )
	{
		const supActor* actor = scene->awake[i];
		int32_t index = actor->flesh->method->rateParameter;
		// a little less, so that rounding does not add a step
		float wanted = index > 0 ? actor->parameters[index] * actor->span - 0.01f : 0.0f;
		int32_t own = wanted > 0.0f ? 1 + (int32_t)supMinFloat( wanted, (float)( MAX_SUBSTEPS - 1 ) ) : 1;
		count = own > count ? own : count;
	}
	return count;
}

static void RunSubsteps( supScene* scene, float dt )
{
	int32_t substeps = CountSubsteps( scene );
	scene->substeps = substeps;
	scene->dt = dt / (float)substeps;
	for ( int32_t i = 1; i <= substeps; ++i )
	{
		scene->weight = (float)i / (float)substeps;
		if ( scene->touches )
		{
			RunTouchingSubstep( scene, (float)( i - 1 ) / (float)substeps );
		}
		else
		{
			RunSubstep( scene );
		}
	}
	scene->dt = dt;
}

static void CollectTrouble( supScene* scene )
{
	supTrouble* sum = &scene->stats.trouble;
	for ( int32_t i = 0; i < scene->awakeCount; ++i )
	{
		supTrouble* own = &scene->awake[i]->trouble;
		sum->notFinite += own->notFinite;
		sum->inverted += own->inverted;
		sum->notConverged += own->notConverged;
		sum->unstable += own->unstable;
		sum->guarded += own->guarded;
		*own = ( supTrouble ){ 0 };
	}
}

static void CountDetail( supScene* scene )
{
	scene->stats.reduced = 0;
	scene->stats.skinned = 0;
	scene->stats.posed = 0;
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		supDetail detail = supActor_GetDetail( scene->actors[i] );
		scene->stats.reduced += detail == sup_detailReduced;
		scene->stats.skinned += detail == sup_detailSkinned;
		scene->stats.posed += detail == sup_detailPosed;
	}
}

void supScene_Step( supScene* scene, float dt )
{
	SUP_ASSERT( supIsFinite( dt ) && dt >= 0.0f );
	supPhaseTimes* times = &scene->stats.milliseconds;
	int32_t workers = supGetWorkerCount( scene->def.tasks );
	scene->dt = dt;
	scene->across = workers > 1 && scene->actorCount >= 2 * workers;
	scene->touches = supContactWorld_IsActive( scene->contacts );
	// kept until the next step: contacts and the guard ask for it as well
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		scene->actors[i]->isHeld = false;
		supActor_AdvanceDrags( scene->actors[i], dt );
	}
	supAttachments_Begin( &scene->attachments );
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		supActor_RefreshSystem( scene->actors[i], workers );
	}
	RunPhase( scene, scene->actorCount, BeginRange, &times->poses );
	if ( scene->touches )
	{
		supContactWorld_Begin( scene->contacts, scene->actors, scene->actorCount, dt );
	}
	supSceneCrowds_Begin( &scene->crowds, scene->actors, scene->actorCount );
	FindAwake( scene );
	MakeGroups( scene );
	bool crowded = scene->groupCount < scene->hostCount;
	scene->across = workers > 1 && scene->groupCount >= ( crowded ? workers : 2 * workers );
	if ( dt > 0.0f )
	{
		RunSubsteps( scene, dt );
	}
	// a surface that is only skinned is made by one thread sooner than by many
	scene->across = scene->across || ( workers > 1 && scene->awakeCount - scene->movingCount >= 2 * workers );
	RunPhase( scene, scene->awakeCount, EndRange, &times->surface );
	if ( scene->touches )
	{
		supContactWorld_End( scene->contacts, dt, scene->def.sleeping );
		scene->stats.contact = *supContactWorld_Stats( scene->contacts );
	}
	supAttachments_End( &scene->attachments );
	CollectTrouble( scene );
	CountDetail( scene );
	scene->stats.steps += 1;
}
