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

typedef struct Region
{
	const supStage* stages;
	int32_t stageCount;
	int64_t turnCount; // stages times rounds
	void* context;
	int32_t workerCount;

	// the current stage's turn and its pieces not yet claimed
	_Alignas( SUP_CACHE_LINE ) _Atomic supClaim claim;
	// pieces of the current stage not yet finished
	_Alignas( SUP_CACHE_LINE ) _Atomic int32_t pending;
} Region;

// Opens the first stage from `turn` on that has any pieces, or closes the region.
static void OpenStage( Region* region, int64_t turn )
{
	int32_t pieceCount = 0;
	for ( ; turn < region->turnCount; ++turn )
	{
		const supStage* stage = region->stages + turn % region->stageCount;
		pieceCount = supCutPieces( stage->count, stage->grain, region->workerCount ).count;
		if ( pieceCount > 0 )
		{
			break;
		}
	}
	atomic_store_explicit( &region->pending, pieceCount, memory_order_relaxed );
	atomic_store_explicit( &region->claim, supMakeClaim( (uint64_t)turn, pieceCount ), memory_order_release );
}

static void RunPiece( Region* region, supClaim claim, int32_t worker )
{
	int64_t turn = (int64_t)supClaim_Generation( claim );
	const supStage* stage = region->stages + turn % region->stageCount;
	supPieces pieces = supCutPieces( stage->count, stage->grain, region->workerCount );
	supRange range = supPieces_Range( pieces, supClaim_Remaining( claim ) );
	CutJob job = { stage->function, region->context, stage->grain };
	RunCut( range.begin, range.end, worker, &job );
	if ( atomic_fetch_sub_explicit( &region->pending, 1, memory_order_acq_rel ) == 1 )
	{
		OpenStage( region, turn + 1 );
	}
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
		supClaim claim = atomic_load_explicit( &region->claim, memory_order_acquire );
		if ( supClaim_Remaining( claim ) > 0 )
		{
			idle = 0;
			if ( atomic_compare_exchange_weak_explicit( &region->claim, &claim, claim - 1, memory_order_acq_rel,
														memory_order_relaxed ) )
			{
				RunPiece( region, claim, worker );
			}
		}
		else if ( (int64_t)supClaim_Generation( claim ) >= region->turnCount )
		{
			return;
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
