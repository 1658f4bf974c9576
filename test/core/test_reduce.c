// SPDX-License-Identifier: MIT
// Reductions: right, and the same bits for every number of threads.
// labels: threads
#include "support.h"

#include "core/reduce.h"

#include <stdlib.h>
#include <string.h>

static const int32_t s_threadCounts[] = { 1, 2, 3, 8 };
static const int32_t s_counts[] = { 0, 1, 15, 16, 17, 4095, 4096, 4097, 8191, 100003 };

static void SumBlock( int32_t begin, int32_t end, void* partial, void* context )
{
	const float* values = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		*(double*)partial += (double)values[i];
	}
}

static void AddSum( void* total, const void* partial, void* context )
{
	(void)context;
	*(double*)total += *(const double*)partial;
}

// 0 is no task system at all.
static double SumWith( float* values, int32_t count, int32_t threads )
{
	supThreadPool* pool = threads > 0 ? supCreateThreadPool( threads ) : NULL;
	double sum = 0.0;
	supReduce( pool != NULL ? supThreadPool_Tasks( pool ) : NULL, count, sizeof( double ), SumBlock, AddSum, &sum,
			   values );
	supDestroyThreadPool( pool );
	return sum;
}

static void CheckSum( float* values, int32_t count )
{
	double expected = SumWith( values, count, 0 );
	for ( int32_t t = 0; t < SUP_COUNT( s_threadCounts ); ++t )
	{
		double sum = SumWith( values, count, s_threadCounts[t] );
		assert_memory_equal( &sum, &expected, sizeof( sum ) );
	}

	// 64 bits of precision
	long double exact = 0.0L;
	long double sizes = 0.0L;
	for ( int32_t i = 0; i < count; ++i )
	{
		exact += values[i];
		sizes += values[i] < 0.0f ? -values[i] : values[i];
	}
	testLessEqual( fabsl( exact - (long double)expected ), 1.0e-14L * sizes );
}

static void TestSums( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 11 );
	// one more than a batch of blocks, so that the last path of all is taken too
	int32_t most = 1024 * SUP_REDUCE_BLOCK + 4099;
	float* values = malloc( (size_t)most * sizeof( float ) );
	assert_non_null( values );
	for ( int32_t i = 0; i < most; ++i )
	{
		// sizes over nine decades and both signs: the order of additions shows in the last bits
		float size = testRandomFloat( &random, -1.0f, 1.0f );
		values[i] = size * size * size * ( testRandomInt( &random, 2 ) == 0 ? 1.0e6f : 1.0e-3f );
	}
	for ( int32_t i = 0; i < SUP_COUNT( s_counts ); ++i )
	{
		CheckSum( values, s_counts[i] );
		CheckSum( values + 3, s_counts[i] );
	}
	CheckSum( values, most );
	free( values );
}

typedef struct Blocks
{
	int32_t count;
	int32_t next; // the block that is to be combined next
	int64_t items;
} Blocks;

typedef struct BlockPartial
{
	int32_t begin, end;
	unsigned char rest[SUP_REDUCE_PARTIAL - 8];
} BlockPartial;

static void NoteBlock( int32_t begin, int32_t end, void* partial, void* context )
{
	(void)context;
	BlockPartial* block = partial;
	bool clean = block->begin == 0 && block->end == 0 && (uintptr_t)partial % 16 == 0;
	for ( size_t i = 0; i < sizeof( block->rest ); ++i )
	{
		clean = clean && block->rest[i] == 0;
	}
	memset( block->rest, 0xAB, sizeof( block->rest ) );
	block->begin = clean ? begin : -1;
	block->end = end;
}

static void CheckBlock( void* total, const void* partial, void* context )
{
	Blocks* blocks = context;
	const BlockPartial* block = partial;
	assert_ptr_equal( total, &blocks->items );
	int64_t begin = (int64_t)blocks->next * SUP_REDUCE_BLOCK;
	int64_t end = begin + SUP_REDUCE_BLOCK;
	assert_int_equal( block->begin, begin );
	assert_int_equal( block->end, end < blocks->count ? end : blocks->count );
	blocks->items += block->end - block->begin;
	blocks->next += 1;
}

static void TestBlocksAreFixedAndInOrder( void** state )
{
	(void)state;
	for ( int32_t t = 0; t < SUP_COUNT( s_threadCounts ); ++t )
	{
		supThreadPool* pool = supCreateThreadPool( s_threadCounts[t] );
		for ( int32_t i = 0; i < SUP_COUNT( s_counts ); ++i )
		{
			Blocks blocks = { s_counts[i], 0, 0 };
			supReduce( supThreadPool_Tasks( pool ), s_counts[i], sizeof( BlockPartial ), NoteBlock, CheckBlock,
					   &blocks.items, &blocks );
			assert_int_equal( blocks.items, s_counts[i] );
		}
		supDestroyThreadPool( pool );
	}
}

static void NoteRange( int32_t begin, int32_t end, void* partial, void* context )
{
	(void)context;
	*(int32_t*)partial = end - begin;
}

static void AddRange( void* total, const void* partial, void* context )
{
	(void)context;
	*(int64_t*)total += *(const int32_t*)partial;
}

static void TestLargestReduction( void** state )
{
	(void)state;
	int64_t total = 0;
	supReduce( NULL, INT32_MAX, sizeof( int32_t ), NoteRange, AddRange, &total, NULL );
	assert_int_equal( total, INT32_MAX );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSums ),
		cmocka_unit_test( TestBlocksAreFixedAndInOrder ),
		cmocka_unit_test( TestLargestReduction ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
