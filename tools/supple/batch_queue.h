// SPDX-License-Identifier: MIT
// The jobs of one process of a batch: which ones wait, which it has claimed, and what became of them. Claims and
// results are shared with other processes through the folder of outputs (src/batch/).
//
//     waiting -> claimed by TakeJob -> done (EndBake), failed (FailJob), or waiting again (LoseJob)
//     waiting -> claimed by another process: elsewhere -> done, or waiting again when that process dies
#pragma once

#include "batch.h"

// The longest message of the library with the names of two files
#define REASON_LENGTH 1024

typedef struct JobQueue
{
	BatchState* state;
	const BatchPlan* plan;
	const RunSettings* settings;
	RunTimes* times;
	BatchTable table;
	int32_t* heads;  // per group: the first waiting job, -1 for none
	int32_t* nexts;  // per job
	int32_t* groups; // in the order in which this shard visits them
	int32_t cursor;  // into groups: nothing waits before it
	int32_t waiting; // jobs
	int32_t* generations;
	uint8_t* losses;
	SUP_ARRAY( int32_t ) elsewhere;
	SUP_ARRAY( int32_t ) unreleased; // done, but not yet synced to disk
	double flushed, refreshed;       // GetSeconds
	int32_t ended;
	int status;    // exit_ok, or why the batch itself failed
	bool stopping; // start no new jobs
} JobQueue;

// Queues every job that is missing, or that --retry and --force ask for. False when out of memory; close it either way.
bool OpenJobQueue( JobQueue* queue, BatchState* state, const RunSettings* settings, RunTimes* times );
void CloseJobQueue( JobQueue* queue );

TableCounts CountJobs( const JobQueue* queue );

// Claims the next job of a group; -1 when none is left.
int32_t TakeJob( JobQueue* queue, int32_t group );
void PushWaiting( JobQueue* queue, int32_t job );
// Gives the claim back.
void ReleaseJob( JobQueue* queue, int32_t job );

// The process of a bake has ended: done, failed, killed or taken over.
void EndBake( JobQueue* queue, const WorkerMessage* ended );
void FailJob( JobQueue* queue, int32_t job, const char* log, const char* reason );
// The job's process was killed: by a user, by the system for lack of memory, or because the node shuts down.
void LoseJob( JobQueue* queue, int32_t job, const char* log );
bool WasKilled( int status );
// Why a process failed, for people.
void DescribeEnd( const JobQueue* queue, const WorkerMessage* ended, const char* log, char reason[REASON_LENGTH] );

// The batch itself cannot go on; running bakes may finish.
void FailBatch( JobQueue* queue, int status );

// Syncs results to disk, then releases their claims.
void FlushJournal( JobQueue* queue );
// Looks at jobs of other processes: done by now, or abandoned.
void WatchElsewhere( JobQueue* queue );
// Removes what processes that were killed after finishing a job have left behind.
void SweepClaims( JobQueue* queue );
