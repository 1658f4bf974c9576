// SPDX-License-Identifier: MIT
#include "core/reduce.h"

#include "core/tasks.h"

// Partial results live on the stack, so blocks are reduced in batches that fit. A batch of sums is 4 million items.
#define SUP_BATCH_BYTES 16384

typedef struct Batch
{
	supReduceFcn* reduce;
	void* context;
	int32_t first; // item
	size_t stride; // of partials
	unsigned char* partials;
} Batch;

static void ReduceBlocks( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Batch* batch = context;
	void* partial = batch->partials + (size_t)( begin / SUP_REDUCE_BLOCK ) * batch->stride;
	batch->reduce( batch->first + begin, batch->first + end, partial, batch->context );
}

void supReduce( const supTasks* tasks, int32_t count, size_t partialSize, supReduceFcn* reduce, supCombineFcn* combine,
				void* total, void* context )
{
	SUP_ASSERT( partialSize > 0 && partialSize <= SUP_REDUCE_PARTIAL );
	_Alignas( SUP_CACHE_LINE ) unsigned char partials[SUP_BATCH_BYTES];
	Batch batch = { reduce, context, 0, ( partialSize + 15 ) / 16 * 16, partials };
	int32_t batchItems = (int32_t)( sizeof( partials ) / batch.stride ) * SUP_REDUCE_BLOCK;
	while ( batch.first < count )
	{
		int32_t left = count - batch.first;
		int32_t items = left < batchItems ? left : batchItems;
		size_t blocks = ( (size_t)items + SUP_REDUCE_BLOCK - 1 ) / SUP_REDUCE_BLOCK;
		memset( partials, 0, blocks * batch.stride );
		supParallelFor( tasks, items, SUP_REDUCE_BLOCK, ReduceBlocks, &batch );
		for ( size_t i = 0; i < blocks; ++i )
		{
			combine( total, partials + i * batch.stride, context );
		}
		if ( items == left )
		{
			break;
		}
		batch.first += items;
	}
}
