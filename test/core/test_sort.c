// SPDX-License-Identifier: MIT
#include "support.h"

#include "core/sort.h"

#include <stdlib.h>

static int CompareKeys( const void* a, const void* b )
{
	uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
	return x < y ? -1 : ( x > y ? 1 : 0 );
}

static void TestSortsLikeQsort( void** state )
{
	(void)state;
	enum
	{
		MOST = 5000
	};
	static uint64_t keys[MOST], expected[MOST], scratch[MOST];
	testRandom random = testMakeRandom( 1 );
	const size_t counts[] = { 0, 1, 2, 100, MOST };
	const int bits[] = { 1, 11, 12, 33, 55, 64 };
	for ( int c = 0; c < 5; ++c )
	{
		for ( int b = 0; b < 6; ++b )
		{
			for ( size_t i = 0; i < counts[c]; ++i )
			{
				uint64_t key =
					(uint64_t)testRandomInt( &random, UINT32_MAX ) << 32 | testRandomInt( &random, UINT32_MAX );
				keys[i] = expected[i] = key >> ( 64 - bits[b] );
			}
			qsort( expected, counts[c], sizeof( uint64_t ), CompareKeys );
			supSortKeys( keys, scratch, counts[c], bits[b] );
			assert_memory_equal( keys, expected, counts[c] * sizeof( uint64_t ) );
		}
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestSortsLikeQsort ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
