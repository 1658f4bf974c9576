// SPDX-License-Identifier: MIT
// Supple inside an engine: the engine's own allocator and the engine's own threads. One character is loaded once and
// shared; each actor of the crowd has a pose of its own, out of step with the others.
//
//     crowd FILE [ACTORS [FRAMES]]
#include <supple/supple.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// The engine's allocator: here only one that counts.

typedef struct EngineHeap
{
	atomic_long calls;
	atomic_long live;
} EngineHeap;

static void* EngineAlloc( size_t size, size_t alignment, void* context )
{
	EngineHeap* heap = context;
	atomic_fetch_add( &heap->calls, 1 );
	atomic_fetch_add( &heap->live, 1 );
	return aligned_alloc( alignment, ( size + alignment - 1 ) / alignment * alignment );
}

static void EngineFree( void* memory, void* context )
{
	EngineHeap* heap = context;
	atomic_fetch_sub( &heap->live, 1 );
	free( memory );
}

// ---------------------------------------------------------------------------------------------------------------------
// The engine's task system: here threads that take the next piece of a loop until none is left. A real one would keep
// its threads between loops.

enum
{
	workerCount = 4,
};

typedef struct EngineLoop
{
	int32_t count;
	int32_t grain;
	supRangeFcn* function;
	void* functionContext;
	atomic_int next;
} EngineLoop;

typedef struct EngineWorker
{
	EngineLoop* loop;
	int32_t index;
} EngineWorker;

static void* WorkOnLoop( void* argument )
{
	EngineWorker* worker = argument;
	EngineLoop* loop = worker->loop;
	for ( ;; )
	{
		int32_t begin = atomic_fetch_add( &loop->next, loop->grain );
		if ( begin >= loop->count )
		{
			return NULL;
		}
		int32_t end = begin + loop->grain < loop->count ? begin + loop->grain : loop->count;
		loop->function( begin, end, worker->index, loop->functionContext );
	}
}

static void EngineParallelFor( int32_t count, int32_t grain, supRangeFcn* function, void* functionContext,
							   void* context )
{
	(void)context;
	EngineLoop loop = { .count = count, .grain = grain, .function = function, .functionContext = functionContext };
	EngineWorker workers[workerCount];
	pthread_t threads[workerCount];
	bool started[workerCount] = { false };
	for ( int32_t i = 0; i < workerCount; ++i )
	{
		workers[i] = ( EngineWorker ){ &loop, i };
		started[i] = i > 0 && pthread_create( &threads[i], NULL, WorkOnLoop, &workers[i] ) == 0;
	}
	// the caller works too, so that the loop ends even where no thread could be started
	WorkOnLoop( &workers[0] );
	for ( int32_t i = 1; i < workerCount; ++i )
	{
		if ( started[i] )
		{
			pthread_join( threads[i], NULL );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The crowd

typedef struct Crowd
{
	const supCharacter* character;
	const supClip* clip;
	int32_t actorCount;
	supPose** poses;
	// one after another: the vertices of each actor
	int32_t vertexCount;
	supVec3* positions;
	float time;
} Crowd;

// Each actor belongs to one worker at a time; the character is shared by all.
static void MoveActors( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Crowd* crowd = context;
	for ( int32_t actor = begin; actor < end; ++actor )
	{
		supPose* pose = crowd->poses[actor];
		if ( crowd->clip != NULL )
		{
			float length = crowd->clip->end - crowd->clip->start;
			float phase = length * (float)actor / (float)crowd->actorCount;
			float time = crowd->time + phase;
			supPose_ApplyClip( pose, crowd->clip, crowd->clip->start + ( time < length ? time : time - length ) );
		}
		supVec3* out = crowd->positions + (size_t)actor * (size_t)crowd->vertexCount;
		for ( int32_t i = 0; i < supCharacter_InstanceCount( crowd->character ); ++i )
		{
			// the loop over actors is parallel already: no tasks inside
			supSkinInstance( pose, i, sup_skinningDualQuaternion, NULL, &( supSkinOutput ){ .positions = out } );
			out +=
				supCharacter_Mesh( crowd->character, supCharacter_Instance( crowd->character, i )->mesh )->vertexCount;
		}
	}
}

static bool CreateCrowd( Crowd* crowd )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( crowd->character ); ++i )
	{
		crowd->vertexCount +=
			supCharacter_Mesh( crowd->character, supCharacter_Instance( crowd->character, i )->mesh )->vertexCount;
	}
	crowd->poses = calloc( (size_t)crowd->actorCount, sizeof( supPose* ) );
	crowd->positions = calloc( (size_t)crowd->actorCount * (size_t)crowd->vertexCount + 1, sizeof( supVec3 ) );
	if ( crowd->poses == NULL || crowd->positions == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < crowd->actorCount; ++i )
	{
		crowd->poses[i] = supCreatePose( crowd->character );
		if ( crowd->poses[i] == NULL )
		{
			return false;
		}
	}
	return true;
}

static void DestroyCrowd( Crowd* crowd )
{
	for ( int32_t i = 0; crowd->poses != NULL && i < crowd->actorCount; ++i )
	{
		supDestroyPose( crowd->poses[i] );
	}
	free( crowd->poses );
	free( crowd->positions );
}

int main( int argc, char** argv )
{
	if ( argc < 2 )
	{
		fprintf( stderr, "usage: crowd FILE [ACTORS [FRAMES]]\n" );
		return 2;
	}
	// hooks go in before anything of the library is alive
	EngineHeap heap = { 0 };
	supSetAllocator( &( supAllocator ){ EngineAlloc, EngineFree, &heap } );
	supTasks tasks = { .workerCount = workerCount, .parallelFor = EngineParallelFor };

	supError error = { 0 };
	supCharacter* character = supLoadCharacter( argv[1], &error );
	if ( character == NULL )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
		return 1;
	}
	Crowd crowd = { .character = character, .actorCount = argc > 2 ? atoi( argv[2] ) : 100 };
	crowd.clip = supCharacter_ClipCount( character ) > 0 ? supCharacter_Clip( character, 0 ) : NULL;
	int frameCount = argc > 3 ? atoi( argv[3] ) : 60;
	bool ok = crowd.actorCount > 0 && CreateCrowd( &crowd );

	long before = heap.calls;
	float length = crowd.clip != NULL ? crowd.clip->end - crowd.clip->start : 0.0f;
	for ( int frame = 0; ok && frame < frameCount; ++frame )
	{
		crowd.time = length * (float)frame / (float)frameCount;
		tasks.parallelFor( crowd.actorCount, 1, MoveActors, &crowd, tasks.context );
	}
	long during = heap.calls - before;
	if ( ok )
	{
		printf( "%d actors of %d vertices, %d frames, %ld allocations while moving\n", crowd.actorCount,
				crowd.vertexCount, frameCount, during );
	}
	DestroyCrowd( &crowd );

	// a single large character: the library cuts its vertices into pieces and hands them to the same task system
	supPose* pose = supCreatePose( character );
	ok = ok && pose != NULL;
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supVec3* positions = malloc( (size_t)count * sizeof( supVec3 ) );
		ok = positions != NULL;
		if ( ok )
		{
			supSkinInstance( pose, i, sup_skinningLinear, &tasks, &( supSkinOutput ){ .positions = positions } );
		}
		free( positions );
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
	supSetAllocator( NULL );
	if ( heap.live != 0 )
	{
		fprintf( stderr, "%ld allocations were not given back\n", (long)heap.live );
		return 1;
	}
	return ok && during == 0 ? 0 : 1;
}
