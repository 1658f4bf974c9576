// SPDX-License-Identifier: MIT
// What is in a scene: actors, colliders, attachments, settings.
#include "scene/scene_data.h"

#define SCENE_COOKIE 0x5363656E

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

supSceneStats supScene_GetStats( const supScene* scene )
{
	return scene->stats;
}
