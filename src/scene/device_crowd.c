// SPDX-License-Identifier: MIT
#include "scene/device_crowd.h"

#include "scene/additive.h"
#include "scene/attachment.h"

// Actors of one flesh.
struct supFleshCrowd
{
	supFleshCrowd* next;
	const supFlesh* flesh;
	void* crowd; // the method's
	int32_t actorCount;
	supActor** actors;
	int32_t capacity;
	// of the substep at hand; room for capacity
	bool isRunning;
	int32_t entryCount;
	supDeviceEntry* entries;
	int32_t* slots;
	supSkinOutput** outputs;
	// of each place in `outputs`, all instances
	supSkinOutput* surfaces;
};

static const supDeviceMethod* MethodOf( const supFleshCrowd* crowd )
{
	return crowd->flesh->method->device;
}

// ---------------------------------------------------------------------------------------------------------------------
// When a device fails

static void KeepError( supSceneCrowds* crowds, const supError* error )
{
	if ( crowds->hasError == false )
	{
		crowds->hasError = true;
		crowds->error = *error;
		supLog( sup_logWarning, "%s", error->message );
	}
}

static void DestroyCrowd( supFleshCrowd* crowd )
{
	MethodOf( crowd )->destroyCrowd( crowd->crowd );
	supFree( crowd->actors );
	supFree( crowd->entries );
	supFree( crowd->slots );
	supFree( crowd->outputs );
	supFree( crowd->surfaces );
	supFree( crowd );
}

// What can still be read is read. Flesh whose state is lost starts at rest in the pose that it was in.
static void SalvageActor( supFleshCrowd* crowd, supActor* actor, bool before )
{
	supError ignored = { 0 };
	const supMethod* method = actor->flesh->method;
	if ( actor->isStale &&
		 method->device->readState( crowd->crowd, actor->slot, before, actor->state, &ignored ) == false )
	{
		method->reset( actor->flesh->own, actor->state, actor->previous, supScene_Tasks( actor->scene ) );
	}
	// all that has a surface on the device only can be drawn from the state
	if ( actor->arePositionsStale || actor->areNormalsStale )
	{
		for ( int32_t i = 0; i < actor->surfaceCount; ++i )
		{
			supSkinOutput output = { .positions = actor->surfaces[i].positions, .normals = actor->surfaces[i].normals };
			method->writeSurface( actor->flesh->own, actor->state, actor->previous, i, NULL, &output );
		}
	}
	supActor_LeaveDevice( actor );
	actor->crowd = NULL;
}

// Everything continues on the CPU.
static void GiveUp( supSceneCrowds* crowds, const supError* error )
{
	KeepError( crowds, error );
	crowds->stats.isLost = true;
	crowds->device = NULL;
	while ( crowds->first != NULL )
	{
		supFleshCrowd* crowd = crowds->first;
		crowds->first = crowd->next;
		for ( int32_t i = 0; i < crowd->actorCount; ++i )
		{
			supActor* actor = crowd->actors[i];
			bool isMoving = false;
			for ( int32_t k = 0; crowd->isRunning && k < crowd->entryCount; ++k )
			{
				isMoving = isMoving || crowd->entries[k].slot == actor->slot;
			}
			SalvageActor( crowd, actor, isMoving );
		}
		DestroyCrowd( crowd );
	}
	crowds->stats.actors = 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Actors come and go

static bool ReserveActor( supFleshCrowd* crowd, int32_t instanceCount )
{
	if ( crowd->actorCount < crowd->capacity )
	{
		return true;
	}
	size_t capacity = 2 * (size_t)crowd->capacity + 4;
	supActor** actors = supAllocArray( capacity, sizeof( supActor* ) );
	supDeviceEntry* entries = supAllocArray( capacity, sizeof( supDeviceEntry ) );
	int32_t* slots = supAllocArray( capacity, sizeof( int32_t ) );
	supSkinOutput** outputs = supAllocArray( capacity, sizeof( supSkinOutput* ) );
	supSkinOutput* surfaces = supAllocArray( capacity * (size_t)instanceCount, sizeof( supSkinOutput ) );
	bool ok = actors != NULL && entries != NULL && slots != NULL && outputs != NULL && surfaces != NULL;
	if ( ok && crowd->actorCount > 0 )
	{
		memcpy( actors, crowd->actors, (size_t)crowd->actorCount * sizeof( supActor* ) );
	}
	supFree( ok ? crowd->actors : actors );
	supFree( ok ? crowd->entries : entries );
	supFree( ok ? crowd->slots : slots );
	supFree( ok ? crowd->outputs : outputs );
	supFree( ok ? crowd->surfaces : surfaces );
	if ( ok )
	{
		crowd->actors = actors;
		crowd->entries = entries;
		crowd->slots = slots;
		crowd->outputs = outputs;
		crowd->surfaces = surfaces;
		crowd->capacity = (int32_t)capacity;
		for ( size_t i = 0; i < capacity; ++i )
		{
			outputs[i] = surfaces + i * (size_t)instanceCount;
		}
	}
	return ok;
}

static supFleshCrowd* FindCrowd( supSceneCrowds* crowds, const supFlesh* flesh, supError* error )
{
	for ( supFleshCrowd* crowd = crowds->first; crowd != NULL; crowd = crowd->next )
	{
		if ( crowd->flesh == flesh )
		{
			return crowd;
		}
	}
	supFleshCrowd* crowd = supAllocZeroed( sizeof( supFleshCrowd ) );
	if ( crowd == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	crowd->flesh = flesh;
	crowd->crowd = flesh->method->device->createCrowd( crowds->device, flesh->own, flesh->character, error );
	if ( crowd->crowd == NULL )
	{
		supFree( crowd );
		return NULL;
	}
	crowd->next = crowds->first;
	crowds->first = crowd;
	return crowd;
}

void supSceneCrowds_AddActor( supSceneCrowds* crowds, supActor* actor )
{
	const supFlesh* flesh = actor->flesh;
	if ( crowds->device == NULL || flesh->method->device == NULL ||
		 flesh->method->device->canReach( flesh->own, actor->pose ) == false )
	{
		return;
	}
	supError error = { 0 };
	supFleshCrowd* crowd = FindCrowd( crowds, flesh, &error );
	int32_t slot = -1;
	if ( crowd != NULL && ( ReserveActor( crowd, actor->surfaceCount ) || supSetMemoryError( &error ) ) )
	{
		slot = MethodOf( crowd )->addActor( crowd->crowd, &error );
	}
	if ( slot < 0 )
	{
		KeepError( crowds, &error );
		return;
	}
	actor->crowd = crowd;
	actor->slot = slot;
	crowd->actors[crowd->actorCount++] = actor;
}

void supSceneCrowds_RemoveActor( supSceneCrowds* crowds, supActor* actor )
{
	(void)crowds;
	supFleshCrowd* crowd = actor->crowd;
	if ( crowd == NULL )
	{
		return;
	}
	int32_t place = 0;
	while ( crowd->actors[place] != actor )
	{
		place += 1;
	}
	crowd->actors[place] = crowd->actors[--crowd->actorCount];
	MethodOf( crowd )->removeActor( crowd->crowd, actor->slot );
	actor->crowd = NULL;
}

void supSceneCrowds_Destroy( supSceneCrowds* crowds )
{
	while ( crowds->first != NULL )
	{
		supFleshCrowd* crowd = crowds->first;
		crowds->first = crowd->next;
		DestroyCrowd( crowd );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// To the CPU and back

void supActor_LeaveDevice( supActor* actor )
{
	actor->isOnDevice = false;
	actor->isStale = false;
	actor->arePositionsStale = false;
	actor->areNormalsStale = false;
}

// The flag that a part of an actor's surface is out of date.
static bool* StaleOf( supActor* actor, bool normals )
{
	return normals ? &actor->areNormalsStale : &actor->arePositionsStale;
}

// Positions or normals of all actors of a crowd: a caller of one will ask for others.
static bool ReadSurfaces( supFleshCrowd* crowd, bool normals, const supTasks* tasks, supError* error )
{
	int32_t stale = 0;
	for ( int32_t i = 0; i < crowd->actorCount; ++i )
	{
		supActor* actor = crowd->actors[i];
		for ( int32_t k = 0; *StaleOf( actor, normals ) && k < actor->surfaceCount; ++k )
		{
			crowd->outputs[stale][k] = ( supSkinOutput ){ .positions = normals ? NULL : actor->surfaces[k].positions,
														  .normals = normals ? actor->surfaces[k].normals : NULL };
		}
		if ( *StaleOf( actor, normals ) )
		{
			crowd->slots[stale++] = actor->slot;
		}
	}
	if ( stale > 0 &&
		 MethodOf( crowd )->readSurfaces( crowd->crowd, crowd->slots, stale, crowd->outputs, tasks, error ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < crowd->actorCount; ++i )
	{
		*StaleOf( crowd->actors[i], normals ) = false;
	}
	return true;
}

static void RecallPart( supActor* actor, bool normals )
{
	supError error = { 0 };
	if ( *StaleOf( actor, normals ) &&
		 ReadSurfaces( actor->crowd, normals, supScene_Tasks( actor->scene ), &error ) == false )
	{
		GiveUp( supScene_Crowds( actor->scene ), &error );
	}
}

void supActor_RecallPositions( supActor* actor )
{
	RecallPart( actor, false );
}

void supActor_RecallNormals( supActor* actor )
{
	RecallPart( actor, true );
}

void supActor_Recall( supActor* actor )
{
	supError error = { 0 };
	supActor_RecallPositions( actor );
	supActor_RecallNormals( actor );
	if ( actor->isStale )
	{
		supFleshCrowd* crowd = actor->crowd;
		if ( MethodOf( crowd )->readState( crowd->crowd, actor->slot, false, actor->state, &error ) )
		{
			actor->isStale = false;
		}
		else
		{
			GiveUp( supScene_Crowds( actor->scene ), &error );
		}
	}
}

bool supActor_ChooseDevice( supActor* actor, bool touches )
{
	const supMethod* method = actor->flesh->method;
	actor->usesDevice = actor->crowd != NULL && touches == false && actor->span > 0.0f && actor->isDirect &&
						actor->steps && actor->activePullCount == 0 && actor->isHeld == false &&
						supActor_Ties( actor ) == NULL && actor->additive == NULL &&
						method->device->canReach( actor->flesh->own, actor->pose ) &&
						method->device->canReach( actor->flesh->own, actor->previous );
	return actor->usesDevice;
}

void supSceneCrowds_Begin( supSceneCrowds* crowds, supActor** actors, int32_t count )
{
	crowds->stats.actors = 0;
	for ( int32_t i = 0; i < count && crowds->device != NULL; ++i )
	{
		if ( actors[i]->usesDevice == false )
		{
			// the step writes to the block
			supActor_Recall( actors[i] );
			supActor_LeaveDevice( actors[i] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// A substep

static void ListEntries( supFleshCrowd* crowd, supActor** actors, const supSubstep* steps, int32_t count )
{
	crowd->entryCount = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		supActor* actor = actors[i];
		if ( actor->crowd == crowd )
		{
			crowd->entries[crowd->entryCount++] = ( supDeviceEntry ){
				.slot = actor->slot, .state = actor->state, .step = steps + i, .upload = actor->isOnDevice == false
			};
		}
	}
}

bool supSceneCrowds_Start( supSceneCrowds* crowds, supActor** actors, const supSubstep* steps, int32_t count,
						   bool isLast, const supTasks* tasks )
{
	for ( supFleshCrowd* crowd = crowds->first; crowd != NULL; crowd = crowd->next )
	{
		crowd->isRunning = false;
		ListEntries( crowd, actors, steps, count );
	}
	for ( supFleshCrowd* crowd = crowds->first; crowd != NULL; crowd = crowd->next )
	{
		supError error = { 0 };
		if ( crowd->entryCount == 0 )
		{
			continue;
		}
		crowd->isRunning = true;
		if ( MethodOf( crowd )->start( crowd->crowd, crowd->entries, crowd->entryCount, isLast, tasks, &error ) ==
			 false )
		{
			GiveUp( crowds, &error );
			return false;
		}
	}
	return true;
}

bool supSceneCrowds_Wait( supSceneCrowds* crowds, supActor** actors, int32_t count, bool isLast )
{
	supDeviceTimes times = { 0 };
	for ( supFleshCrowd* crowd = crowds->first; crowd != NULL; crowd = crowd->next )
	{
		supError error = { 0 };
		if ( crowd->isRunning && MethodOf( crowd )->wait( crowd->crowd, &times, &error ) == false )
		{
			GiveUp( crowds, &error );
			return false;
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		actors[i]->isOnDevice = true;
		actors[i]->isStale = true;
		actors[i]->arePositionsStale = actors[i]->arePositionsStale || isLast;
		actors[i]->areNormalsStale = actors[i]->areNormalsStale || isLast;
	}
	for ( supFleshCrowd* crowd = crowds->first; crowd != NULL; crowd = crowd->next )
	{
		crowd->isRunning = false;
	}
	crowds->stats.actors = count;
	crowds->stats.predict += times.predict;
	crowds->stats.solve += times.solve;
	crowds->stats.finish += times.finish;
	crowds->stats.surface += times.surface;
	// the guard looks at surfaces on the CPU
	if ( isLast && count > 0 && supScene_HasGuard( actors[0]->scene ) )
	{
		for ( int32_t i = 0; i < count; ++i )
		{
			supActor_RecallPositions( actors[i] );
			supActor_RecallNormals( actors[i] );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// For programs

supDeviceStats supScene_GetDeviceStats( const supScene* scene )
{
	return supScene_ReadCrowds( scene )->stats;
}

const supError* supScene_GetDeviceError( const supScene* scene )
{
	const supSceneCrowds* crowds = supScene_ReadCrowds( scene );
	return crowds->hasError ? &crowds->error : NULL;
}

bool supFlesh_GetDeviceMemory( const supFlesh* flesh, int64_t* fleshBytes, int64_t* actorBytes )
{
	*fleshBytes = *actorBytes = 0;
	return flesh->method->device != NULL &&
		   flesh->method->device->findMemory( flesh->own, flesh->character, fleshBytes, actorBytes );
}

bool supActor_GetDeviceBuffer( const supActor* actor, int32_t instance, supDeviceBuffer* buffer )
{
	SUP_ASSERT( 0 <= instance && instance < actor->surfaceCount );
	if ( actor->crowd == NULL || actor->isOnDevice == false )
	{
		return false;
	}
	supDevicePlace place = MethodOf( actor->crowd )->findSurface( actor->crowd->crowd, actor->slot, instance );
	*buffer = ( supDeviceBuffer ){ .memory = place.buffer,
								   .queue = place.queue,
								   .positions = place.positions,
								   .normals = place.normals,
								   .stride = sizeof( supVec3 ),
								   .vertexCount = actor->surfaces[instance].vertexCount };
	return true;
}
