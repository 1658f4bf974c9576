// SPDX-License-Identifier: MIT
#include "geometry/coloring.h"

#include "support.h"

#include <stdlib.h>

static bool Share( const int32_t* points, int32_t arity, int32_t a, int32_t b )
{
	for ( int32_t i = 0; i < arity * arity; ++i )
	{
		if ( points[a * arity + i / arity] == points[b * arity + i % arity] )
		{
			return true;
		}
	}
	return false;
}

static void Check( int32_t count, int32_t arity, const int32_t* points, const int32_t* colors, int32_t colorCount )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		assert_in_range( colors[i], 0, colorCount - 1 );
		int32_t neighbours = 0;
		for ( int32_t k = 0; k < count; ++k )
		{
			if ( k != i && Share( points, arity, i, k ) )
			{
				assert_int_not_equal( colors[i], colors[k] );
				neighbours += 1;
			}
		}
		testLessEqual( colors[i], neighbours );
	}
}

static void test_random_items( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int32_t arity = 1; arity <= 4; ++arity )
	{
		int32_t points[4 * 400];
		int32_t colors[400];
		for ( int32_t i = 0; i < 400 * arity; ++i )
		{
			points[i] = (int32_t)testRandomInt( &random, 150 );
		}
		int32_t count = supColorItems( 400, arity, points, 150, colors );
		Check( 400, arity, points, colors, count );
	}
}

// More items around one point than a word has bits.
static void test_fan( void** state )
{
	(void)state;
	int32_t points[2 * 300];
	int32_t colors[300];
	for ( int32_t i = 0; i < 300; ++i )
	{
		points[2 * i] = 0;
		points[2 * i + 1] = 1 + i;
	}
	assert_int_equal( supColorItems( 300, 2, points, 301, colors ), 300 );
	Check( 300, 2, points, colors, 300 );
}

// The paper's figure 7: 9 particles, 12 constraints, 4 colours.
static void test_grid( void** state )
{
	(void)state;
	static const int32_t points[24] = { 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 0, 3, 3, 6, 1, 4, 4, 7, 2, 5, 5, 8 };
	int32_t colors[12];
	assert_int_equal( supColorItems( 12, 2, points, 9, colors ), 4 );
	Check( 12, 2, points, colors, 4 );
}

static void test_nothing( void** state )
{
	(void)state;
	assert_int_equal( supColorItems( 0, 4, NULL, 0, NULL ), 0 );
}

static bool Attempt( void* context )
{
	(void)context;
	static const int32_t points[4] = { 0, 1, 1, 2 };
	int32_t colors[2];
	return supColorItems( 2, 2, points, 3, colors ) == 2;
}

static void test_out_of_memory( void** state )
{
	(void)state;
	testEachAllocationFailure( Attempt, NULL, 10 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( test_random_items ), cmocka_unit_test( test_fan ),           cmocka_unit_test( test_grid ),
		cmocka_unit_test( test_nothing ),      cmocka_unit_test( test_out_of_memory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
