// SPDX-License-Identifier: MIT
// The scene and the order of a step.
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
#include "scene/attachment.h"
#include "scene/contact.h"
#include "scene/device_crowd.h"

#define SCENE_COOKIE 0x5363656E

// The most that a step is cut into.
#define MAX_SUBSTEPS 1000

// Actors that are solved together: 1 or SUP_CROWD of the same flesh, from `first` among those awake.
typedef struct Group
{
	int32_t first;
	int32_t count;
} Group;

struct supScene
{
	supSceneDef def;
	// in the order in which they were added, but those of one flesh together
	supActor** actors;
	int32_t actorCount;
	supAttachments attachments;
	supContactWorld* contacts; // NULL before there is anything to touch
	supSceneCrowds crowds;
	supSceneStats stats;
	int64_t addedCount; // actors ever added
	bool hasViewer;
	supViewer viewer;
	uint8_t* scratch; // of each worker so many bytes
	size_t scratchSize;

	// of the step at hand; room for actorCount
	int32_t capacity;
	int32_t awakeCount;
	supActor** awake;    // those whose flesh moves first, of these those that move on the CPU
	int32_t hostCount;   // and how many they are,
	int32_t movingCount; // together with those that move on the device
	supSubstep* steps;
	int32_t groupCount;
	Group* groups;
	// each actor on one thread
	bool across;
	bool touches;
	int32_t pass;
	float dt;
	float weight;
	int32_t substeps;
	int64_t turn; // substeps so far
};

supSceneDef supDefaultSceneDef( void )
{
	return ( supSceneDef ){ .substeps = 1,
							.attachmentSweeps = 4,
							.gravity = { 0.0f, -9.81f, 0.0f },
							.sleeping = true,
							.guard = true,
							.contactPasses = 4,
							.contactSweeps = 4,
							.recoverySpeed = 1.0f,
							.cookie = SCENE_COOKIE };
}

int32_t supChooseSubsteps( float dt )
{
	// a little less, so that 30 frames a second are not three because of rounding
	float steps = 60.0f * dt - 0.01f;
	return steps < 1.0f ? 1 : ( steps < 999.0f ? (int32_t)steps + 1 : 1000 );
}

supScene* supCreateScene( const supSceneDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == SCENE_COOKIE );
	supClearError( error );
	if ( def->substeps < 1 || def->substeps > MAX_SUBSTEPS )
	{
		supSetError( error, sup_errorArgument, "substeps", "must be 1 to %d (got %d)", MAX_SUBSTEPS, def->substeps );
		return NULL;
	}
	if ( def->attachmentSweeps < 1 || def->attachmentSweeps > 1000 )
	{
		supSetError( error, sup_errorArgument, "attachmentSweeps", "must be 1 to 1000 (got %d)",
					 def->attachmentSweeps );
		return NULL;
	}
	if ( def->contactPasses < 1 || def->contactPasses > 100 || def->contactSweeps < 1 || def->contactSweeps > 1000 )
	{
		supSetError( error, sup_errorArgument, "contactPasses",
					 "passes must be 1 to 100 and sweeps 1 to 1000 (got %d and %d)", def->contactPasses,
					 def->contactSweeps );
		return NULL;
	}
	if ( supIsFiniteVec3( def->origin ) == false )
	{
		supSetError( error, sup_errorArgument, "origin", "must be finite (got %g, %g, %g)", (double)def->origin.x,
					 (double)def->origin.y, (double)def->origin.z );
		return NULL;
	}
	if ( !( def->recoverySpeed > 0.0f && supIsFinite( def->recoverySpeed ) ) )
	{
		supSetError( error, sup_errorArgument, "recoverySpeed", "must be above 0 m/s (got %g)",
					 (double)def->recoverySpeed );
		return NULL;
	}
	if ( def->detection != sup_detectExact && def->detection != sup_detectImages )
	{
		supSetError( error, sup_errorArgument, "detection", "expected sup_detectExact or sup_detectImages (got %d)",
					 (int)def->detection );
		return NULL;
	}
	supScene* scene = supAllocZeroed( sizeof( supScene ) );
	if ( scene == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	scene->def = *def;
	scene->crowds.device = def->device;
	return scene;
}

void supDestroyScene( supScene* scene )
{
	if ( scene == NULL )
	{
		return;
	}
	supAttachments_Destroy( &scene->attachments );
	supSceneCrowds_Destroy( &scene->crowds );
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		supContactWorld_RemoveActor( scene->contacts, scene->actors[i] );
		supDestroyActor( scene->actors[i] );
	}
	supDestroyContactWorld( scene->contacts );
	supFree( scene->actors );
	supFree( scene->awake );
	supFree( scene->steps );
	supFree( scene->groups );
	supFree( scene->scratch );
	supFree( scene );
}

supSceneCrowds* supScene_Crowds( supScene* scene )
{
	return &scene->crowds;
}

const supSceneCrowds* supScene_ReadCrowds( const supScene* scene )
{
	return &scene->crowds;
}

const supTasks* supScene_Tasks( const supScene* scene )
{
	return scene->def.tasks;
}

supVec3 supScene_Origin( const supScene* scene )
{
	return scene->def.origin;
}

bool supScene_ReserveScratch( supScene* scene, size_t size )
{
	if ( size <= scene->scratchSize )
	{
		return true;
	}
	size = ( size + 63 ) / 64 * 64;
	uint8_t* scratch = supAllocArray( (size_t)supGetWorkerCount( scene->def.tasks ), size );
	if ( scratch == NULL )
	{
		return false;
	}
	supFree( scene->scratch );
	scene->scratch = scratch;
	scene->scratchSize = size;
	return true;
}

void* supScene_Scratch( const supScene* scene, int32_t worker )
{
	return scene->scratch + scene->scratchSize * (size_t)worker;
}

bool supScene_HasGuard( const supScene* scene )
{
	return scene->def.guard;
}

const supViewer* supScene_Viewer( const supScene* scene )
{
	return scene->hasViewer ? &scene->viewer : NULL;
}

static void WakeAll( supScene* scene )
{
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		supActor_WakeUp( scene->actors[i] );
	}
	supContactWorld_WakeUp( scene->contacts );
}

static bool IsFiniteVec3( supVec3 v )
{
	return supIsFinite( v.x ) && supIsFinite( v.y ) && supIsFinite( v.z );
}

void supScene_SetGravity( supScene* scene, supVec3 gravity )
{
	SUP_ASSERT( IsFiniteVec3( gravity ) );
	scene->def.gravity = gravity;
	WakeAll( scene );
}

void supScene_SetWind( supScene* scene, supVec3 wind )
{
	SUP_ASSERT( IsFiniteVec3( wind ) );
	scene->def.wind = wind;
	WakeAll( scene );
}

// ---------------------------------------------------------------------------------------------------------------------
// Actors

// Only `actors` holds anything between steps.
static bool Reserve( supScene* scene )
{
	if ( scene->actorCount < scene->capacity )
	{
		return true;
	}
	size_t capacity = 2 * (size_t)scene->capacity + 4;
	supActor** actors = supAllocArray( capacity, sizeof( supActor* ) );
	supActor** awake = supAllocArray( capacity, sizeof( supActor* ) );
	supSubstep* steps = supAllocArray( capacity, sizeof( supSubstep ) );
	Group* groups = supAllocArray( capacity, sizeof( Group ) );
	if ( actors == NULL || awake == NULL || steps == NULL || groups == NULL )
	{
		supFree( actors );
		supFree( awake );
		supFree( steps );
		supFree( groups );
		return false;
	}
	if ( scene->actorCount > 0 )
	{
		memcpy( actors, scene->actors, (size_t)scene->actorCount * sizeof( supActor* ) );
	}
	supFree( scene->actors );
	supFree( scene->awake );
	supFree( scene->steps );
	supFree( scene->groups );
	scene->actors = actors;
	scene->awake = awake;
	scene->steps = steps;
	scene->groups = groups;
	scene->capacity = (int32_t)capacity;
	return true;
}

// The particles of vertices are found once for all actors of a flesh.
static bool AddContact( supScene* scene, supActor* actor, supError* error )
{
	supContactBinding* binding = NULL;
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		const supActor* other = scene->actors[i];
		binding = other->flesh == actor->flesh && other->contact != NULL ? other->contact->binding : binding;
	}
	return supContactWorld_AddActor( scene->contacts, actor, binding, error );
}

supActor* supScene_AddActor( supScene* scene, const supFlesh* flesh, supError* error )
{
	supClearError( error );
	if ( Reserve( scene ) == false )
	{
		supSetMemoryError( error );
		return NULL;
	}
	// after the last of its flesh, or of all
	int32_t place = scene->actorCount;
	const supActor* sibling = NULL;
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		if ( scene->actors[i]->flesh == flesh )
		{
			place = i + 1;
			sibling = scene->actors[i];
		}
	}
	supActor* actor = supCreateActor( scene, flesh, sibling, error );
	if ( actor == NULL )
	{
		return NULL;
	}
	actor->clock.parity = (int32_t)( scene->addedCount & 1 );
	if ( supActor_RefreshSystem( actor, supGetWorkerCount( scene->def.tasks ) ) == false ||
		 ( scene->hasViewer && supActor_CreateOffsets( actor ) == false ) )
	{
		supSetMemoryError( error );
		supDestroyActor( actor );
		return NULL;
	}
	if ( scene->contacts != NULL && AddContact( scene, actor, error ) == false )
	{
		supDestroyActor( actor );
		return NULL;
	}
	scene->addedCount += 1;
	memmove( scene->actors + place + 1, scene->actors + place,
			 (size_t)( scene->actorCount - place ) * sizeof( supActor* ) );
	scene->actors[place] = actor;
	scene->actorCount += 1;
	supSceneCrowds_AddActor( &scene->crowds, actor );
	return actor;
}

void supScene_RemoveActor( supScene* scene, supActor* actor )
{
	int32_t place = 0;
	while ( place < scene->actorCount && scene->actors[place] != actor )
	{
		place += 1;
	}
	SUP_ASSERT( place < scene->actorCount );
	supAttachments_RemoveActor( &scene->attachments, actor );
	scene->actorCount -= 1;
	memmove( scene->actors + place, scene->actors + place + 1,
			 (size_t)( scene->actorCount - place ) * sizeof( supActor* ) );
	supContactWorld_RemoveActor( scene->contacts, actor );
	supSceneCrowds_RemoveActor( &scene->crowds, actor );
	supDestroyActor( actor );
}

bool supScene_SetViewer( supScene* scene, const supViewer* viewer, supError* error )
{
	supClearError( error );
	if ( viewer == NULL )
	{
		scene->hasViewer = false;
		return true;
	}
	SUP_ASSERT( IsFiniteVec3( viewer->position ) );
	SUP_ASSERT( viewer->fullDistance >= 0.0f && viewer->reducedDistance >= viewer->fullDistance );
	SUP_ASSERT( viewer->skinnedDistance == 0.0f || viewer->skinnedDistance >= viewer->reducedDistance );
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		if ( supActor_CreateOffsets( scene->actors[i] ) == false )
		{
			return supSetMemoryError( error );
		}
	}
	scene->viewer = *viewer;
	scene->hasViewer = true;
	return true;
}

supAttachment* supScene_Attach( supScene* scene, const supAttachmentDef* def, supError* error )
{
	supClearError( error );
	for ( int32_t i = 0; i < def->placeCount && i < SUP_MAX_ATTACHED_PLACES; ++i )
	{
		supActor* actor = def->places[i].kind != sup_placeWorld ? def->places[i].actor : NULL;
		if ( actor != NULL && actor->scene != scene )
		{
			supSetError( error, sup_errorArgument, def->name != NULL ? def->name : "attachment",
						 "place %d is on an actor of another scene", i );
			return NULL;
		}
		if ( actor != NULL )
		{
			supActor_Recall( actor );
		}
	}
	return supAttachments_Add( &scene->attachments, def, error );
}

void supScene_Detach( supScene* scene, supAttachment* attachment )
{
	supAttachments_Remove( &scene->attachments, attachment );
}

// ---------------------------------------------------------------------------------------------------------------------
// Contact

// The first that has something to touch brings contact to all.
static bool PrepareContacts( supScene* scene, supError* error )
{
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		supActor_Recall( scene->actors[i] );
	}
	if ( scene->contacts == NULL && ( scene->contacts = supCreateContactWorld() ) == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < scene->actorCount; ++i )
	{
		if ( scene->actors[i]->contact == NULL && AddContact( scene, scene->actors[i], error ) == false )
		{
			return false;
		}
	}
	return true;
}

supCollider* supScene_AddCollider( supScene* scene, const supColliderDef* def, supError* error )
{
	supCollider* collider = supCreateCollider( scene, def, error );
	if ( collider == NULL )
	{
		return NULL;
	}
	if ( PrepareContacts( scene, error ) == false ||
		 supContactWorld_AddCollider( scene->contacts, collider, error ) == false )
	{
		supDestroyCollider( collider );
		return NULL;
	}
	WakeAll( scene );
	return collider;
}

void supScene_RemoveCollider( supScene* scene, supCollider* collider )
{
	SUP_ASSERT( scene->contacts != NULL );
	supContactWorld_RemoveCollider( scene->contacts, collider );
	WakeAll( scene );
}

int32_t supScene_ColliderCount( const supScene* scene )
{
	return supContactWorld_ColliderCount( scene->contacts );
}

supCollider* supScene_Collider( const supScene* scene, int32_t index )
{
	SUP_ASSERT( 0 <= index && index < supScene_ColliderCount( scene ) );
	return supContactWorld_Collider( scene->contacts, index );
}

const supContactWorld* supScene_ContactWorld( const supScene* scene )
{
	return scene->contacts;
}

const supContact* supScene_Contacts( const supScene* scene, int32_t* count )
{
	return supContactWorld_List( scene->contacts, count );
}

supContactSettings supActor_GetContact( const supActor* actor )
{
	return actor->contactSettings;
}

bool supActor_SetContact( supActor* actor, const supContactSettings* settings, supError* error )
{
	SUP_ASSERT( supIsFinite( settings->friction ) && settings->friction >= 0.0f );
	SUP_ASSERT( supIsFinite( settings->restitution ) && settings->restitution >= 0.0f );
	SUP_ASSERT( supIsFinite( settings->thickness ) && settings->thickness >= 0.0f );
	supClearError( error );
	supScene* scene = actor->scene;
	supActor_Recall( actor );
	actor->contactSettings = *settings;
	supContactWorld_RemoveActor( scene->contacts, actor );
	supActor_WakeUp( actor );
	bool touches = settings->withActors || settings->withItself;
	return ( scene->contacts == NULL && touches == false ) || PrepareContacts( scene, error );
}

// ---------------------------------------------------------------------------------------------------------------------
// A step

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

supSceneStats supScene_GetStats( const supScene* scene )
{
	return scene->stats;
}
