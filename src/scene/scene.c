// SPDX-License-Identifier: MIT
#include "scene/actor.h"

#include "core/clock.h"

#define SCENE_COOKIE 0x5363656E

struct supScene
{
	supSceneDef def;
	supActor* first; // in the order in which they were added
	supSceneStats stats;
};

supSceneDef supDefaultSceneDef( void )
{
	return ( supSceneDef ){ .substeps = 1, .cookie = SCENE_COOKIE };
}

supScene* supCreateScene( const supSceneDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == SCENE_COOKIE );
	supClearError( error );
	if ( def->substeps < 1 || def->substeps > 1000 )
	{
		supSetError( error, sup_errorArgument, "substeps", "%d substeps are not in 1 .. 1000", def->substeps );
		return NULL;
	}
	supScene* scene = supAllocZeroed( sizeof( supScene ) );
	if ( scene == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	scene->def = *def;
	return scene;
}

void supDestroyScene( supScene* scene )
{
	if ( scene == NULL )
	{
		return;
	}
	while ( scene->first != NULL )
	{
		supScene_RemoveActor( scene, scene->first );
	}
	supFree( scene );
}

const supTasks* supScene_Tasks( const supScene* scene )
{
	return scene->def.tasks;
}

supActor* supScene_AddActor( supScene* scene, const supFlesh* flesh, supError* error )
{
	supClearError( error );
	supActor* actor = supCreateActor( scene, flesh, error );
	if ( actor == NULL )
	{
		return NULL;
	}
	supActor** link = &scene->first;
	while ( *link != NULL )
	{
		link = &( *link )->next;
	}
	*link = actor;
	return actor;
}

void supScene_RemoveActor( supScene* scene, supActor* actor )
{
	supActor** link = &scene->first;
	while ( *link != NULL && *link != actor )
	{
		link = &( *link )->next;
	}
	SUP_ASSERT( *link == actor && actor != NULL );
	*link = actor->next;
	supDestroyActor( actor );
}

void supScene_Step( supScene* scene, float dt )
{
	SUP_ASSERT( supIsFinite( dt ) && dt >= 0.0f );
	const supTasks* tasks = scene->def.tasks;
	int32_t substeps = scene->def.substeps;
	for ( int32_t i = 1; i <= substeps && dt > 0.0f; ++i )
	{
		float weight = (float)i / (float)substeps;
		for ( supActor* actor = scene->first; actor != NULL; actor = actor->next )
		{
			supActor_Substep( actor, weight, dt / (float)substeps, tasks, &scene->stats );
		}
	}
	double start = supGetMilliseconds();
	for ( supActor* actor = scene->first; actor != NULL; actor = actor->next )
	{
		supPose_Copy( actor->previous, actor->pose );
		supActor_WriteSurface( actor, tasks );
	}
	scene->stats.milliseconds.surface += supGetMilliseconds() - start;
	scene->stats.steps += 1;
}

supSceneStats supScene_GetStats( const supScene* scene )
{
	return scene->stats;
}
