// SPDX-License-Identifier: MIT
#include "scene/actor.h"

#include "core/clock.h"

static bool CreateSurfaces( supActor* actor )
{
	const supCharacter* character = actor->flesh->character;
	actor->surfaceCount = supCharacter_InstanceCount( character );
	actor->surfaces = supAllocZeroed( (size_t)actor->surfaceCount * sizeof( supActorSurface ) );
	bool ok = actor->surfaces != NULL;
	for ( int32_t i = 0; ok && i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		supActorSurface* surface = actor->surfaces + i;
		surface->vertexCount = mesh->vertexCount;
		surface->positions = supAllocZeroed( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		surface->normals = supAllocZeroed( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		ok = surface->positions != NULL && surface->normals != NULL;
	}
	return ok;
}

supActor* supCreateActor( supScene* scene, const supFlesh* flesh, supError* error )
{
	supActor* actor = supAllocZeroed( sizeof( supActor ) );
	if ( actor == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	const supMethod* method = flesh->method;
	actor->scene = scene;
	actor->flesh = flesh;
	actor->pose = supCreatePose( flesh->character );
	actor->previous = supCreatePose( flesh->character );
	actor->between = supCreatePose( flesh->character );
	actor->stateSize = method->stateSize != NULL ? method->stateSize( flesh->own ) : 0;
	actor->state = supAllocZeroed( actor->stateSize );
	bool ok = actor->pose != NULL && actor->previous != NULL && actor->between != NULL && actor->state != NULL &&
			  CreateSurfaces( actor );
	if ( ok )
	{
		supActor_Reset( actor );
		ok = supActor_RememberRest( actor );
	}
	if ( ok == false )
	{
		supSetMemoryError( error );
		supDestroyActor( actor );
		return NULL;
	}
	return actor;
}

void supDestroyActor( supActor* actor )
{
	for ( int32_t i = 0; actor->surfaces != NULL && i < actor->surfaceCount; ++i )
	{
		supFree( actor->surfaces[i].positions );
		supFree( actor->surfaces[i].normals );
	}
	supFree( actor->surfaces );
	supFree( actor->restLengths );
	supFree( actor->state );
	supDestroyPose( actor->pose );
	supDestroyPose( actor->previous );
	supDestroyPose( actor->between );
	supFree( actor );
}

const supFlesh* supActor_Flesh( const supActor* actor )
{
	return actor->flesh;
}

supPose* supActor_Pose( supActor* actor )
{
	return actor->pose;
}

void supActor_Reset( supActor* actor )
{
	const supMethod* method = actor->flesh->method;
	const supTasks* tasks = supScene_Tasks( actor->scene );
	supPose_Copy( actor->previous, actor->pose );
	if ( method->reset != NULL )
	{
		method->reset( actor->flesh->own, actor->state, actor->pose, tasks );
	}
	supActor_WriteSurface( actor, tasks );
}

static void RunPhase( void ( *phase )( const void* flesh, void* state, const supSubstep* step ), supActor* actor,
					  const supSubstep* step, double* milliseconds )
{
	if ( phase != NULL )
	{
		double start = supGetMilliseconds();
		phase( actor->flesh->own, actor->state, step );
		*milliseconds += supGetMilliseconds() - start;
	}
}

void supActor_Substep( supActor* actor, float weight, float dt, const supTasks* tasks, supSceneStats* stats )
{
	const supMethod* method = actor->flesh->method;
	if ( method->predict == NULL && method->solve == NULL && method->finish == NULL )
	{
		return;
	}
	supPose* pose = actor->pose;
	if ( weight < 1.0f )
	{
		pose = actor->between;
		supPose_Copy( pose, actor->previous );
		supPose_Blend( pose, actor->pose, weight, NULL );
	}
	supSubstep step = { .pose = pose,
						.dt = dt,
						.tasks = tasks,
						.trouble = &stats->trouble,
						.parameters = actor->flesh->parameters,
						.regions = actor->flesh->regions };
	RunPhase( method->predict, actor, &step, &stats->milliseconds.predict );
	RunPhase( method->solve, actor, &step, &stats->milliseconds.solve );
	RunPhase( method->finish, actor, &step, &stats->milliseconds.finish );
}

void supActor_WriteSurface( supActor* actor, const supTasks* tasks )
{
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supSkinOutput output = { .positions = actor->surfaces[i].positions, .normals = actor->surfaces[i].normals };
		actor->flesh->method->writeSurface( actor->flesh->own, actor->state, actor->pose, i, tasks, &output );
	}
}

const supVec3* supActor_Positions( const supActor* actor, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < actor->surfaceCount );
	return actor->surfaces[instance].positions;
}

const supVec3* supActor_Normals( const supActor* actor, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < actor->surfaceCount );
	return actor->surfaces[instance].normals;
}

// ---------------------------------------------------------------------------------------------------------------------
// State: the method's block, then the pose that was reached last (local transforms and morph weights)

static size_t PoseSize( const supActor* actor )
{
	const supCharacter* character = actor->flesh->character;
	size_t size = (size_t)supCharacter_NodeCount( character ) * sizeof( supTransform );
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		size += (size_t)mesh->targetCount * sizeof( float );
	}
	return size;
}

size_t supActor_StateSize( const supActor* actor )
{
	return actor->stateSize + PoseSize( actor );
}

void supActor_SaveState( const supActor* actor, void* bytes )
{
	uint8_t* out = bytes;
	memcpy( out, actor->state, actor->stateSize );
	out += actor->stateSize;
	const supCharacter* character = actor->flesh->character;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		supTransform local = supPose_GetLocal( actor->previous, i );
		memcpy( out, &local, sizeof( local ) );
		out += sizeof( local );
	}
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		memcpy( out, supPose_MorphWeights( actor->previous, i ), (size_t)mesh->targetCount * sizeof( float ) );
		out += (size_t)mesh->targetCount * sizeof( float );
	}
}

void supActor_RestoreState( supActor* actor, const void* bytes )
{
	const uint8_t* in = bytes;
	memcpy( actor->state, in, actor->stateSize );
	in += actor->stateSize;
	const supCharacter* character = actor->flesh->character;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		supTransform local;
		memcpy( &local, in, sizeof( local ) );
		supPose_SetLocal( actor->previous, i, local );
		in += sizeof( local );
	}
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		memcpy( supPose_MorphWeights( actor->previous, i ), in, (size_t)mesh->targetCount * sizeof( float ) );
		in += (size_t)mesh->targetCount * sizeof( float );
	}
	supPose_Copy( actor->pose, actor->previous );
	supActor_WriteSurface( actor, supScene_Tasks( actor->scene ) );
}
