// SPDX-License-Identifier: MIT
#include "core/tasks.h"

#include "core/thread_pool.h"

int32_t supGetWorkerCount( const supTasks* tasks )
{
	return tasks != NULL && tasks->workerCount > 1 ? tasks->workerCount : 1;
}

// ---------------------------------------------------------------------------------------------------------------------
// One loop

typedef struct CutJob
{
	supRangeFcn* function;
	void* context;
	int32_t grain;
} CutJob;

// A task system may hand out several grains at once.
static void RunCut( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const CutJob* job = context;
	while ( end - begin > job->grain )
	{
		job->function( begin, begin + job->grain, worker, job->context );
		begin += job->grain;
	}
	job->function( begin, end, worker, job->context );
}

void supParallelFor( const supTasks* tasks, int32_t count, int32_t grain, supRangeFcn* function, void* context )
{
	SUP_ASSERT( grain >= 1 );
	if ( count <= 0 )
	{
		return;
	}
	CutJob job = { function, context, grain };
	if ( supGetWorkerCount( tasks ) == 1 || count <= grain )
	{
		RunCut( 0, count, 0, &job );
		return;
	}
	tasks->parallelFor( count, grain, RunCut, &job, tasks->context );
}

// ---------------------------------------------------------------------------------------------------------------------
// Stages

// Which stage, and how many of its pieces are claimed from its front and from its back. Workers with even numbers claim
// from the front, the others from the back: what a worker wrote in one stage it then finds in its own cache in the
// next, where stages go over the same things. Several pieces are claimed at once, fewer towards the end.
typedef uint64_t Claim;

static Claim MakeClaim( int64_t turn, int32_t front, int32_t back )
{
	return (uint64_t)turn << 32 | (uint64_t)front << 16 | (uint64_t)back;
}

static int64_t ClaimTurn( Claim claim )
{
	return (int64_t)( claim >> 32 );
}

static int32_t ClaimFront( Claim claim )
{
	return (int32_t)( claim >> 16 & 0xFFFF );
}

static int32_t ClaimBack( Claim claim )
{
	return (int32_t)( claim & 0xFFFF );
}

typedef struct Region
{
	const supStage* stages;
	int32_t stageCount;
	int64_t turnCount; // stages times rounds
	void* context;
	int32_t workerCount;

	_Alignas( SUP_CACHE_LINE ) _Atomic Claim claim;
	// pieces of the current stage not yet finished
	_Alignas( SUP_CACHE_LINE ) _Atomic int32_t pending;
} Region;

static supPieces CutStage( const Region* region, int64_t turn )
{
	const supStage* stage = region->stages + turn % region->stageCount;
	return supCutPieces( stage->count, stage->grain, region->workerCount );
}

// Opens the first stage from `turn` on that has any pieces, or closes the region.
static void OpenStage( Region* region, int64_t turn )
{
	int32_t pieceCount = 0;
	for ( ; turn < region->turnCount && pieceCount == 0; ++turn )
	{
		pieceCount = CutStage( region, turn ).count;
	}
	turn -= pieceCount > 0;
	atomic_store_explicit( &region->pending, pieceCount, memory_order_relaxed );
	atomic_store_explicit( &region->claim, MakeClaim( turn, 0, 0 ), memory_order_release );
}

static void RunPieces( Region* region, int64_t turn, supPieces pieces, int32_t first, int32_t count, int32_t worker )
{
	const supStage* stage = region->stages + turn % region->stageCount;
	int64_t begin = (int64_t)first * pieces.size, end = begin + (int64_t)count * pieces.size;
	CutJob job = { stage->function, region->context, stage->grain };
	RunCut( (int32_t)begin, end < pieces.total ? (int32_t)end : pieces.total, worker, &job );
	if ( atomic_fetch_sub_explicit( &region->pending, count, memory_order_acq_rel ) == count )
	{
		OpenStage( region, turn + 1 );
	}
}

// Three quarters of a worker's share at first, then what is fair of the rest.
static int32_t ChooseCount( const Region* region, int32_t pieceCount, int32_t remaining )
{
	int32_t most = 3 * pieceCount / ( 4 * region->workerCount );
	int32_t fair = ( remaining + region->workerCount - 1 ) / region->workerCount;
	int32_t count = most < fair ? most : fair;
	return count > 1 ? count : 1;
}

// Claims some pieces of the current stage and runs them. False if there are none.
static bool RunSome( Region* region, Claim claim, int32_t worker )
{
	int64_t turn = ClaimTurn( claim );
	supPieces pieces = CutStage( region, turn );
	int32_t front = ClaimFront( claim ), back = ClaimBack( claim );
	int32_t remaining = pieces.count - front - back;
	if ( remaining == 0 )
	{
		return false;
	}
	int32_t count = ChooseCount( region, pieces.count, remaining );
	bool fromBack = worker % 2 == 1;
	Claim next = fromBack ? MakeClaim( turn, front, back + count ) : MakeClaim( turn, front + count, back );
	if ( atomic_compare_exchange_weak_explicit( &region->claim, &claim, next, memory_order_acq_rel,
												memory_order_relaxed ) )
	{
		RunPieces( region, turn, pieces, fromBack ? pieces.count - back - count : front, count, worker );
	}
	return true;
}

// What each worker that turns up does, until no stage is left.
static void Participate( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)begin;
	(void)end;
	Region* region = context;
	int32_t idle = 0;
	for ( ;; )
	{
		Claim claim = atomic_load_explicit( &region->claim, memory_order_acquire );
		if ( ClaimTurn( claim ) >= region->turnCount )
		{
			return;
		}
		if ( RunSome( region, claim, worker ) )
		{
			idle = 0;
		}
		else
		{
			supRelax( idle++ );
		}
	}
}

void supRunStages( const supTasks* tasks, const supStage* stages, int32_t stageCount, int32_t rounds, void* context )
{
	int32_t workerCount = supGetWorkerCount( tasks );
	int64_t turnCount = stageCount > 0 && rounds > 0 ? (int64_t)stageCount * rounds : 0;
	SUP_ASSERT( turnCount < INT32_MAX );
	if ( workerCount == 1 )
	{
		for ( int64_t turn = 0; turn < turnCount; ++turn )
		{
			const supStage* stage = stages + turn % stageCount;
			supParallelFor( NULL, stage->count, stage->grain, stage->function, context );
		}
		return;
	}
	Region region = { stages, stageCount, turnCount, context, workerCount, 0, 0 };
	OpenStage( &region, 0 );
	tasks->parallelFor( workerCount, 1, Participate, &region, tasks->context );
}
