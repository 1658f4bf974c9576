// SPDX-License-Identifier: MIT
// Reductions whose result does not depend on the number of threads: fixed blocks, partial results combined in order.
#pragma once

#include "core/core.h"

// Items per block; every threaded reduction of the library is cut at multiples of this.
#define SUP_REDUCE_BLOCK 4096

// The largest partial result, in bytes.
#define SUP_REDUCE_PARTIAL 1024

// Reduces the items [begin, end) of one block into `partial`: zero bytes before, 16-byte aligned.
typedef void supReduceFcn( int32_t begin, int32_t end, void* partial, void* context );

// Adds one block's result to `total`. Called here, not on the workers, in the order of the blocks.
typedef void supCombineFcn( void* total, const void* partial, void* context );

// Reduces [0, count) into `total`, which the caller has set to the result of nothing. Allocates nothing.
// - `partialSize` <= SUP_REDUCE_PARTIAL
// - `tasks` may be NULL
void supReduce( const supTasks* tasks, int32_t count, size_t partialSize, supReduceFcn* reduce, supCombineFcn* combine,
				void* total, void* context );
