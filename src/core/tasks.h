// SPDX-License-Identifier: MIT
// Loops on several threads, independent of who provides the threads.
//
// Two shapes of parallel work:
// - supParallelFor: one loop. An empty one costs 0.3 us on two warm threads (Xeon 2.8 GHz).
// - supRunStages: many short loops one after another inside one parallel region, each starting when the one before it
//   is done (colours of a constraint graph, iterations of a solver). Passing from one to the next costs 0.1 us.
//
// There is no barrier for all workers to meet at: an engine's task system need not run all pieces of a loop at the same
// time, and whoever waited for the missing ones would wait forever. Instead pieces are claimed from a counter, and who
// finishes the last piece of a stage opens the next. A worker only ever waits for pieces that another one is running at
// that moment, so a region finishes with any number of workers present, one included.
#pragma once

#include "core/core.h"

// The most threads that a pool has.
#define SUP_MAX_THREADS 64

// Calls `function` for [0, count) in pieces of exactly `grain` items (the last may be smaller), on any worker and in
// any order. The pieces are the same for every task system and number of threads, so a result kept per piece is too.
// - `tasks` may be NULL: everything runs here, as worker 0
// - choose `grain` for about 2 us of work or more
// - does not nest
void supParallelFor( const supTasks* tasks, int32_t count, int32_t grain, supRangeFcn* function, void* context );

// How many values `worker` takes: the size of an array of scratch space per worker.
int32_t supGetWorkerCount( const supTasks* tasks );

// One loop of several; see supParallelFor.
typedef struct supStage
{
	supRangeFcn* function;
	int32_t count; // may be 0
	int32_t grain;
} supStage;

// Runs stages[0], stages[1], ... in order, `rounds` times over. All that a stage wrote is seen by the next.
// - `tasks` may be NULL
// - does not nest
void supRunStages( const supTasks* tasks, const supStage* stages, int32_t stageCount, int32_t rounds, void* context );
