// SPDX-License-Identifier: MIT
// The pool, loops and stages. Workers only count; what they counted is judged on the test's own thread.
// labels: threads
#define _GNU_SOURCE
#include "support.h"

#include "core/tasks.h"
#include "core/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const int32_t s_threadCounts[] = { 1, 2, 3, 8 };

static double Now( void )
{
	struct timespec time;
	clock_gettime( CLOCK_MONOTONIC, &time );
	return (double)time.tv_sec + 1.0e-9 * (double)time.tv_nsec;
}

// ---------------------------------------------------------------------------------------------------------------------
// Pieces

typedef struct Visit
{
	int32_t count;
	int32_t grain;
	int32_t workerCount;
	bool exactPieces;      // each piece is one grain
	int32_t* visits;       // plain: the pool must order them before its return
	_Atomic int32_t* busy; // one for each worker
	_Atomic int32_t mistakes;
	_Atomic int32_t pieces;
} Visit;

static void VisitRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	Visit* visit = context;
	bool good = 0 <= begin && begin < end && end <= visit->count && begin % visit->grain == 0 &&
				( end % visit->grain == 0 || end == visit->count ) && 0 <= worker && worker < visit->workerCount;
	if ( visit->exactPieces )
	{
		good = good && end - begin <= visit->grain;
	}
	if ( good == false || atomic_exchange( &visit->busy[worker], 1 ) != 0 )
	{
		atomic_fetch_add( &visit->mistakes, 1 );
		return;
	}
	for ( int32_t i = begin; i < end; ++i )
	{
		visit->visits[i] += 1;
	}
	atomic_fetch_add( &visit->pieces, 1 );
	atomic_store( &visit->busy[worker], 0 );
}

static void CheckLoop( const supTasks* tasks, int32_t count, int32_t grain, bool direct )
{
	_Atomic int32_t busy[SUP_MAX_THREADS] = { 0 };
	Visit visit = { count, grain, supGetWorkerCount( tasks ), direct == false, NULL, busy, 0, 0 };
	visit.visits = calloc( (size_t)count + 1, sizeof( int32_t ) );
	assert_non_null( visit.visits );
	if ( direct )
	{
		tasks->parallelFor( count, grain, VisitRange, &visit, tasks->context );
	}
	else
	{
		supParallelFor( tasks, count, grain, VisitRange, &visit );
		assert_int_equal( visit.pieces, ( (int64_t)count + grain - 1 ) / grain );
	}
	assert_int_equal( visit.mistakes, 0 );
	for ( int32_t i = 0; i < count; ++i )
	{
		assert_int_equal( visit.visits[i], 1 );
	}
	assert_int_equal( visit.visits[count], 0 );
	free( visit.visits );
}

static void TestEveryItemOnce( void** state )
{
	(void)state;
	static const int32_t counts[] = { 0, 1, 2, 7, 100, 4096, 100003 };
	static const int32_t grains[] = { 1, 3, 64, 5000, INT32_MAX };
	for ( int32_t t = 0; t < SUP_COUNT( s_threadCounts ); ++t )
	{
		supThreadPool* pool = supCreateThreadPool( s_threadCounts[t] );
		assert_non_null( pool );
		const supTasks* tasks = supThreadPool_Tasks( pool );
		assert_int_equal( tasks->workerCount, s_threadCounts[t] );
		for ( int32_t c = 0; c < SUP_COUNT( counts ); ++c )
		{
			for ( int32_t g = 0; g < SUP_COUNT( grains ); ++g )
			{
				CheckLoop( tasks, counts[c], grains[g], false );
				CheckLoop( tasks, counts[c], grains[g], true );
				CheckLoop( NULL, counts[c], grains[g], false );
			}
		}
		supDestroyThreadPool( pool );
	}
}

static void CountItems( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	atomic_fetch_add( (_Atomic int64_t*)context, end - begin );
}

static void TestLargestLoop( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 2 );
	_Atomic int64_t items = 0;
	supParallelFor( supThreadPool_Tasks( pool ), INT32_MAX, 1 << 20, CountItems, &items );
	assert_int_equal( items, INT32_MAX );
	items = 0;
	supParallelFor( NULL, INT32_MAX, INT32_MAX - 1, CountItems, &items );
	assert_int_equal( items, INT32_MAX );
	items = 0;
	supParallelFor( supThreadPool_Tasks( pool ), -5, 1, CountItems, &items );
	assert_int_equal( items, 0 );
	supDestroyThreadPool( pool );
}

// A claim holds 16 bits of pieces, whatever the numbers of items and workers are.
static void TestPiecesFitAClaim( void** state )
{
	(void)state;
	static const int32_t numbers[] = { 1, 2, 3, 63, 64, 65, 1000, 65535, 65536, 1 << 20, INT32_MAX - 1, INT32_MAX };
	for ( int32_t i = 0; i < SUP_COUNT( numbers ) * SUP_COUNT( numbers ) * SUP_COUNT( numbers ); ++i )
	{
		int32_t total = numbers[i % 12];
		int32_t grain = numbers[i / 12 % 12];
		int32_t workers = numbers[i / 144];
		supPieces pieces = supCutPieces( total, grain, workers );
		assert_in_range( pieces.count, 1, SUP_MAX_PIECES );
		assert_true( pieces.size % grain == 0 || pieces.count == 1 );
		int32_t end = 0;
		for ( int32_t left = pieces.count; left > 0; --left )
		{
			supRange range = supPieces_Range( pieces, left );
			if ( range.begin != end || range.end <= range.begin )
			{
				fail_msg( "pieces of %d by %d for %d workers do not meet", total, grain, workers );
			}
			end = range.end;
		}
		assert_int_equal( end, total );
		supClaim claim = supMakeClaim( 1ull << 47, pieces.count );
		assert_true( supClaim_Generation( claim ) == 1ull << 47 );
		assert_int_equal( supClaim_Remaining( claim ), pieces.count );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

typedef struct Meeting
{
	_Atomic uint64_t seen; // a bit for each worker
	int32_t wanted;
	double deadline;
} Meeting;

// A piece does not end before the wanted number of workers have each come to one.
static void Meet( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)begin;
	(void)end;
	Meeting* meeting = context;
	atomic_fetch_or( &meeting->seen, 1ull << worker );
	while ( __builtin_popcountll( atomic_load( &meeting->seen ) ) < meeting->wanted && Now() < meeting->deadline )
	{
		sched_yield();
	}
}

static void TestWorkersRunAtTheSameTime( void** state )
{
	(void)state;
	for ( int32_t t = 1; t < SUP_COUNT( s_threadCounts ); ++t )
	{
		supThreadPool* pool = supCreateThreadPool( s_threadCounts[t] );
		for ( int round = 0; round < 20; ++round )
		{
			// let the workers fall asleep sometimes
			if ( round % 5 == 4 )
			{
				nanosleep( &( struct timespec ){ 0, 5000000 }, NULL );
			}
			Meeting meeting = { 0, s_threadCounts[t], Now() + 20.0 };
			supParallelFor( supThreadPool_Tasks( pool ), s_threadCounts[t], 1, Meet, &meeting );
			assert_int_equal( meeting.seen, ( 1ull << s_threadCounts[t] ) - 1 );
		}
		supDestroyThreadPool( pool );
	}
}

static void AddOne( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	int32_t* values = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		values[i] += 1;
	}
}

// Loops follow each other at every distance, so that workers are met awake, falling asleep and late.
static void TestManyShortLoops( void** state )
{
	(void)state;
	for ( int32_t t = 1; t < SUP_COUNT( s_threadCounts ); ++t )
	{
		supThreadPool* pool = supCreateThreadPool( s_threadCounts[t] );
		int32_t values[64] = { 0 };
		int32_t loops = 3000;
		volatile uint32_t sink = 0;
		for ( int32_t i = 0; i < loops; ++i )
		{
			supParallelFor( supThreadPool_Tasks( pool ), 1 + i % 64, 1 + i % 3, AddOne, values );
			for ( uint32_t k = 0; k < (uint32_t)( i * 7919 ) % 20000; ++k )
			{
				sink += k;
			}
		}
		for ( int32_t k = 0; k < 64; ++k )
		{
			int32_t expected = 0;
			for ( int32_t i = 0; i < loops; ++i )
			{
				expected += k < 1 + i % 64;
			}
			assert_int_equal( values[k], expected );
		}
		supDestroyThreadPool( pool );
	}
}

static void SleepInPiece( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)end;
	(void)worker;
	nanosleep( &( struct timespec ){ 0, begin == 0 ? 0 : 3000000 }, NULL );
	atomic_fetch_add( (_Atomic int64_t*)context, 1 );
}

// The starter has to sleep until the others' long pieces are done.
static void TestStarterWaitsForLongPieces( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 3 );
	for ( int i = 0; i < 10; ++i )
	{
		_Atomic int64_t done = 0;
		supParallelFor( supThreadPool_Tasks( pool ), 3, 1, SleepInPiece, &done );
		assert_int_equal( done, 3 );
	}
	supDestroyThreadPool( pool );
}

static void TestPoolSizes( void** state )
{
	(void)state;
	cpu_set_t set;
	assert_int_equal( sched_getaffinity( 0, sizeof( set ), &set ), 0 );
	supThreadPool* pool = supCreateThreadPool( 0 );
	int32_t processors = CPU_COUNT( &set );
	assert_int_equal( supThreadPool_Tasks( pool )->workerCount,
					  processors < SUP_MAX_THREADS ? processors : SUP_MAX_THREADS );
	supDestroyThreadPool( pool );
	pool = supCreateThreadPool( 100000 );
	assert_int_equal( supThreadPool_Tasks( pool )->workerCount, SUP_MAX_THREADS );
	CheckLoop( supThreadPool_Tasks( pool ), 1000, 1, false );
	supDestroyThreadPool( pool );
	supDestroyThreadPool( NULL );
	// destroyed before its threads have begun
	for ( int i = 0; i < 50; ++i )
	{
		supDestroyThreadPool( supCreateThreadPool( 4 ) );
	}
}

static bool AttemptPool( void* context )
{
	(void)context;
	supThreadPool* pool = supCreateThreadPool( 2 );
	supDestroyThreadPool( pool );
	return pool != NULL;
}

static void TestPoolSurvivesFailures( void** state )
{
	(void)state;
	testEachAllocationFailure( AttemptPool, NULL, 10 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Misuse

static _Atomic int32_t s_asserted;

static bool CountAssert( const char* condition, const char* file, int line, void* context )
{
	(void)condition;
	(void)file;
	(void)line;
	(void)context;
	atomic_fetch_add( &s_asserted, 1 );
	return false;
}

typedef struct Nest
{
	const supTasks* tasks;
	_Atomic int64_t items;
} Nest;

static void StartInner( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Nest* nest = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supParallelFor( nest->tasks, 100, 1, CountItems, &nest->items );
	}
}

static void TestNestingIsAMistake( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 2 );
	Nest nest = { supThreadPool_Tasks( pool ), 0 };
	s_asserted = 0;
	supSetAssertHandler( CountAssert, NULL );
	supParallelFor( nest.tasks, 8, 1, StartInner, &nest );
	supSetAssertHandler( NULL, NULL );
	assert_int_equal( s_asserted, 8 );
	// a program that goes on has lost nothing
	assert_int_equal( nest.items, 800 );
	CheckLoop( nest.tasks, 1000, 1, false );
	supDestroyThreadPool( pool );
}

// ---------------------------------------------------------------------------------------------------------------------
// Stages

#define STAGE_ITEMS 37

typedef struct Relay
{
	float cells[2][STAGE_ITEMS];
	_Atomic int64_t calls;
} Relay;

// Each stage reads what the whole of the one before it wrote: any overlap changes the result, and is a race.
static void Pass( const float* from, float* to, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		to[i] = 0.25f * from[( i + STAGE_ITEMS - 1 ) % STAGE_ITEMS] + 0.5f * from[i] +
				0.25f * from[( i + 11 ) % STAGE_ITEMS];
	}
}

static void PassForth( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Relay* relay = context;
	Pass( relay->cells[0], relay->cells[1], begin, end );
	atomic_fetch_add( &relay->calls, 1 );
}

static void PassBack( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Relay* relay = context;
	Pass( relay->cells[1], relay->cells[0], begin, end );
	atomic_fetch_add( &relay->calls, 1 );
}

static Relay RunRelay( const supTasks* tasks, int32_t rounds )
{
	static const supStage stages[] = {
		{ PassForth, 0, 5 }, { PassForth, STAGE_ITEMS, 1 },  { PassBack, STAGE_ITEMS, 4 },
		{ PassBack, -1, 1 }, { PassForth, STAGE_ITEMS, 64 }, { PassBack, STAGE_ITEMS, 2 },
		{ PassBack, 0, 1 },
	};
	Relay relay = { 0 };
	for ( int32_t i = 0; i < STAGE_ITEMS; ++i )
	{
		relay.cells[0][i] = (float)( i * i % 29 ) / 7.0f;
	}
	supRunStages( tasks, stages, SUP_COUNT( stages ), rounds, &relay );
	assert_int_equal( relay.calls, ( STAGE_ITEMS + 10 + 1 + 19 ) * rounds );
	return relay;
}

static void TestStagesFollowEachOther( void** state )
{
	(void)state;
	Relay expected = RunRelay( NULL, 300 );
	for ( int32_t t = 0; t < SUP_COUNT( s_threadCounts ); ++t )
	{
		supThreadPool* pool = supCreateThreadPool( s_threadCounts[t] );
		for ( int repeat = 0; repeat < 3; ++repeat )
		{
			Relay relay = RunRelay( supThreadPool_Tasks( pool ), 300 );
			assert_memory_equal( relay.cells, expected.cells, sizeof( relay.cells ) );
		}
		RunRelay( supThreadPool_Tasks( pool ), 0 );
		supRunStages( supThreadPool_Tasks( pool ), NULL, 0, 5, NULL );
		supDestroyThreadPool( pool );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Task systems as engines might have them

// Says four workers, has one, and starts from the end.
static void RunBackwards( int32_t count, int32_t grain, supRangeFcn* function, void* functionContext, void* context )
{
	(void)context;
	for ( int32_t begin = ( count - 1 ) / grain * grain; begin >= 0; begin -= grain )
	{
		function( begin, begin + grain < count ? begin + grain : count, 3, functionContext );
	}
}

// Hands out everything in one piece.
static void RunWhole( int32_t count, int32_t grain, supRangeFcn* function, void* functionContext, void* context )
{
	(void)grain;
	(void)context;
	function( 0, count, 2, functionContext );
}

typedef struct Slice
{
	supRangeFcn* function;
	void* context;
	int32_t begin, end, worker;
} Slice;

static void* RunSlice( void* argument )
{
	const Slice* slice = argument;
	slice->function( slice->begin, slice->end, slice->worker, slice->context );
	return NULL;
}

// A thread of its own for each half, started one after the other.
static void RunHalves( int32_t count, int32_t grain, supRangeFcn* function, void* functionContext, void* context )
{
	(void)context;
	int32_t middle = count / 2 / grain * grain;
	Slice slices[2] = { { function, functionContext, 0, middle, 1 }, { function, functionContext, middle, count, 0 } };
	pthread_t thread;
	bool both = middle > 0 && pthread_create( &thread, NULL, RunSlice, slices ) == 0;
	RunSlice( slices + 1 );
	if ( both )
	{
		pthread_join( thread, NULL );
	}
}

static void TestForeignTaskSystems( void** state )
{
	(void)state;
	static const supTasks systems[] = { { 4, RunBackwards, NULL }, { 3, RunWhole, NULL }, { 2, RunHalves, NULL } };
	Relay expected = RunRelay( NULL, 30 );
	for ( int32_t i = 0; i < SUP_COUNT( systems ); ++i )
	{
		CheckLoop( systems + i, 1000, 7, false );
		CheckLoop( systems + i, 1, 7, false );
		Relay relay = RunRelay( systems + i, 30 );
		assert_memory_equal( relay.cells, expected.cells, sizeof( relay.cells ) );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEveryItemOnce ),      cmocka_unit_test( TestLargestLoop ),
		cmocka_unit_test( TestPiecesFitAClaim ),    cmocka_unit_test( TestWorkersRunAtTheSameTime ),
		cmocka_unit_test( TestManyShortLoops ),     cmocka_unit_test( TestStarterWaitsForLongPieces ),
		cmocka_unit_test( TestPoolSizes ),          cmocka_unit_test( TestPoolSurvivesFailures ),
		cmocka_unit_test( TestNestingIsAMistake ),  cmocka_unit_test( TestStagesFollowEachOther ),
		cmocka_unit_test( TestForeignTaskSystems ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
