// SPDX-License-Identifier: MIT
// The built-in pool.
//
// The thread that starts a loop writes it down, opens its claim (see thread_pool.h), and takes part. It returns when
// the last piece is finished, by any thread, without waiting for workers that never woke up. Workers look for a claim
// for a while after the last one, since loops come in bursts, and then sleep.
//
// A worker that is late may read the loop's description while the next loop is being written down, therefore it
// consists of atomics; what it read is only used where the claim then succeeds.
#if defined( __linux__ )
#define _GNU_SOURCE // sched_getaffinity
#endif

#include "core/thread_pool.h"

#include "core/tasks.h"

#if ( defined( __EMSCRIPTEN__ ) && !defined( __EMSCRIPTEN_PTHREADS__ ) ) || defined( __wasi__ )
#define SUP_THREADS 0
#else
#define SUP_THREADS 1
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#endif

// About 50 us of pauses before a thread sleeps, a few before it gives its processor away.
#define SUP_SPINS_BEFORE_SLEEP 2000
#define SUP_SPINS_BEFORE_YIELD 200

static void Pause( void )
{
#if defined( __x86_64__ ) || defined( __i386__ )
	__builtin_ia32_pause();
#elif defined( __aarch64__ )
	__asm__ volatile( "yield" );
#endif
}

void supRelax( int32_t calls )
{
	if ( calls < SUP_SPINS_BEFORE_YIELD )
	{
		Pause();
	}
#if SUP_THREADS
	else
	{
		sched_yield();
	}
#endif
}

#if SUP_THREADS

typedef struct Worker
{
	supThreadPool* pool;
	pthread_t thread;
	int32_t index;
} Worker;

struct supThreadPool
{
	supTasks tasks;
	int32_t spins; // before sleeping; 0 where there are more threads than processors
	Worker workers[SUP_MAX_THREADS];

	// the loop
	_Atomic( supRangeFcn* ) function;
	_Atomic( void* ) context;
	_Atomic int32_t total;
	_Atomic int32_t pieceSize;
	_Atomic int32_t pieceCount;
	atomic_bool running;

	// sleeping; `lock` guards the conditions only
	pthread_mutex_t lock;
	pthread_cond_t wake;     // there is a claim, or the pool closes
	pthread_cond_t finished; // no piece is pending
	_Atomic int32_t sleepers;
	atomic_bool starterSleeps;
	atomic_bool closing;

	_Alignas( SUP_CACHE_LINE ) _Atomic supClaim claim;
	_Alignas( SUP_CACHE_LINE ) _Atomic int32_t pending; // pieces not finished
};

// Claims one piece and runs it. False if there is none.
static bool RunOnePiece( supThreadPool* pool, int32_t worker )
{
	supClaim claim = atomic_load_explicit( &pool->claim, memory_order_acquire );
	while ( supClaim_Remaining( claim ) > 0 )
	{
		supRangeFcn* function = atomic_load_explicit( &pool->function, memory_order_relaxed );
		void* context = atomic_load_explicit( &pool->context, memory_order_relaxed );
		supPieces pieces = { atomic_load_explicit( &pool->total, memory_order_relaxed ),
							 atomic_load_explicit( &pool->pieceSize, memory_order_relaxed ),
							 atomic_load_explicit( &pool->pieceCount, memory_order_relaxed ) };
		if ( atomic_compare_exchange_weak_explicit( &pool->claim, &claim, claim - 1, memory_order_acq_rel,
													memory_order_acquire ) )
		{
			supRange range = supPieces_Range( pieces, supClaim_Remaining( claim ) );
			function( range.begin, range.end, worker, context );
			if ( atomic_fetch_sub( &pool->pending, 1 ) == 1 && atomic_load( &pool->starterSleeps ) )
			{
				pthread_mutex_lock( &pool->lock );
				pthread_cond_signal( &pool->finished );
				pthread_mutex_unlock( &pool->lock );
			}
			return true;
		}
	}
	return false;
}

// Sleeps until there is a claim. A starter opens the claim and then looks for sleepers; a worker counts itself among
// them and then looks for a claim: one of the two sees the other.
static void SleepForClaim( supThreadPool* pool )
{
	pthread_mutex_lock( &pool->lock );
	atomic_fetch_add( &pool->sleepers, 1 );
	while ( supClaim_Remaining( atomic_load( &pool->claim ) ) == 0 && atomic_load( &pool->closing ) == false )
	{
		pthread_cond_wait( &pool->wake, &pool->lock );
	}
	atomic_fetch_sub( &pool->sleepers, 1 );
	pthread_mutex_unlock( &pool->lock );
}

static void* RunWorker( void* argument )
{
	const Worker* worker = argument;
	supThreadPool* pool = worker->pool;
	int32_t idle = 0;
	while ( atomic_load_explicit( &pool->closing, memory_order_relaxed ) == false )
	{
		if ( RunOnePiece( pool, worker->index ) )
		{
			idle = 0;
		}
		else if ( idle < pool->spins )
		{
			idle += 1;
			Pause();
		}
		else
		{
			SleepForClaim( pool );
			idle = 0;
		}
	}
	return NULL;
}

static void WakeSleepers( supThreadPool* pool, int32_t wanted )
{
	int32_t sleepers = atomic_load( &pool->sleepers );
	if ( sleepers == 0 )
	{
		return;
	}
	pthread_mutex_lock( &pool->lock );
	for ( int32_t i = 0; i < sleepers && i < wanted; ++i )
	{
		pthread_cond_signal( &pool->wake );
	}
	pthread_mutex_unlock( &pool->lock );
}

// The starter has found nothing left to claim; others are still running their pieces.
static void WaitForPieces( supThreadPool* pool )
{
	for ( int32_t i = 0; i < SUP_SPINS_BEFORE_SLEEP; ++i )
	{
		if ( atomic_load_explicit( &pool->pending, memory_order_acquire ) == 0 )
		{
			return;
		}
		supRelax( i );
	}
	pthread_mutex_lock( &pool->lock );
	atomic_store( &pool->starterSleeps, true );
	while ( atomic_load( &pool->pending ) > 0 )
	{
		pthread_cond_wait( &pool->finished, &pool->lock );
	}
	atomic_store( &pool->starterSleeps, false );
	pthread_mutex_unlock( &pool->lock );
}

static void ParallelFor( int32_t count, int32_t grain, supRangeFcn* function, void* functionContext, void* context )
{
	supThreadPool* pool = context;
	SUP_ASSERT( grain >= 1 );
	if ( count <= 0 )
	{
		return;
	}
	// two threads start a loop, or a piece of a loop starts another
	bool alreadyRunning = atomic_exchange_explicit( &pool->running, true, memory_order_acquire );
	SUP_ASSERT( alreadyRunning == false );
	if ( alreadyRunning )
	{
		function( 0, count, 0, functionContext );
		return;
	}

	supPieces pieces = supCutPieces( count, grain, pool->tasks.workerCount );
	uint64_t generation = supClaim_Generation( atomic_load_explicit( &pool->claim, memory_order_relaxed ) ) + 1;
	atomic_store_explicit( &pool->function, function, memory_order_relaxed );
	atomic_store_explicit( &pool->context, functionContext, memory_order_relaxed );
	atomic_store_explicit( &pool->total, pieces.total, memory_order_relaxed );
	atomic_store_explicit( &pool->pieceSize, pieces.size, memory_order_relaxed );
	atomic_store_explicit( &pool->pieceCount, pieces.count, memory_order_relaxed );
	atomic_store_explicit( &pool->pending, pieces.count, memory_order_relaxed );
	atomic_store( &pool->claim, supMakeClaim( generation, pieces.count ) );
	WakeSleepers( pool, pieces.count - 1 );
	while ( RunOnePiece( pool, 0 ) )
	{
	}
	WaitForPieces( pool );
	atomic_store_explicit( &pool->running, false, memory_order_release );
}

// Those that this process may use, which in a container are fewer than the machine has.
static int32_t CountProcessors( void )
{
#if defined( __linux__ )
	cpu_set_t set;
	if ( sched_getaffinity( 0, sizeof( set ), &set ) == 0 )
	{
		return CPU_COUNT( &set );
	}
#endif
	long count = sysconf( _SC_NPROCESSORS_ONLN );
	return count > 0 ? (int32_t)count : 1;
}

static void JoinWorkers( supThreadPool* pool, int32_t count )
{
	pthread_mutex_lock( &pool->lock );
	atomic_store( &pool->closing, true );
	pthread_cond_broadcast( &pool->wake );
	pthread_mutex_unlock( &pool->lock );
	for ( int32_t i = 1; i < count; ++i )
	{
		pthread_join( pool->workers[i].thread, NULL );
	}
}

static void FreePool( supThreadPool* pool )
{
	pthread_cond_destroy( &pool->finished );
	pthread_cond_destroy( &pool->wake );
	pthread_mutex_destroy( &pool->lock );
	supFree( pool );
}

supThreadPool* supCreateThreadPool( int32_t threadCount )
{
	SUP_ASSERT( threadCount >= 0 );
	int32_t processors = CountProcessors();
	threadCount = threadCount > 0 ? threadCount : processors;
	threadCount = threadCount < SUP_MAX_THREADS ? threadCount : SUP_MAX_THREADS;
	supThreadPool* pool = supAllocZeroed( sizeof( supThreadPool ) );
	if ( pool == NULL )
	{
		return NULL;
	}
	pool->tasks = ( supTasks ){ threadCount, ParallelFor, pool };
	pool->spins = threadCount <= processors ? SUP_SPINS_BEFORE_SLEEP : 0;
	pthread_mutex_init( &pool->lock, NULL );
	pthread_cond_init( &pool->wake, NULL );
	pthread_cond_init( &pool->finished, NULL );
	for ( int32_t i = 1; i < threadCount; ++i )
	{
		Worker* worker = pool->workers + i;
		worker->pool = pool;
		worker->index = i;
		if ( pthread_create( &worker->thread, NULL, RunWorker, worker ) != 0 )
		{
			JoinWorkers( pool, i );
			FreePool( pool );
			return NULL;
		}
	}
	return pool;
}

void supDestroyThreadPool( supThreadPool* pool )
{
	if ( pool == NULL )
	{
		return;
	}
	SUP_ASSERT( atomic_load( &pool->running ) == false );
	JoinWorkers( pool, pool->tasks.workerCount );
	FreePool( pool );
}

#else

// Without threads a pool is the calling thread.
struct supThreadPool
{
	supTasks tasks;
};

static void ParallelFor( int32_t count, int32_t grain, supRangeFcn* function, void* functionContext, void* context )
{
	(void)context;
	SUP_ASSERT( grain >= 1 );
	if ( count > 0 )
	{
		function( 0, count, 0, functionContext );
	}
}

supThreadPool* supCreateThreadPool( int32_t threadCount )
{
	SUP_ASSERT( threadCount >= 0 );
	supThreadPool* pool = supAllocZeroed( sizeof( supThreadPool ) );
	if ( pool != NULL )
	{
		pool->tasks = ( supTasks ){ 1, ParallelFor, pool };
	}
	return pool;
}

void supDestroyThreadPool( supThreadPool* pool )
{
	supFree( pool );
}

#endif

const supTasks* supThreadPool_Tasks( const supThreadPool* pool )
{
	return &pool->tasks;
}
