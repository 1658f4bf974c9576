// SPDX-License-Identifier: MIT
// Orders of elimination: permutations, deterministic, and with little more fill than AMD's.
#include "support.h"

#include "linear/ordering.h"
#include "linear/symbolic.h"
#include "oracle.h"
#include "systems.h"

static void CheckPermutation( const supGraph* graph, const supVec3* points )
{
	int32_t* order = malloc( ( (size_t)graph->nodeCount + 1 ) * sizeof( int32_t ) );
	int32_t* again = malloc( ( (size_t)graph->nodeCount + 1 ) * sizeof( int32_t ) );
	uint8_t* seen = calloc( (size_t)graph->nodeCount + 1, 1 );
	assert_true( order != NULL && again != NULL && seen != NULL );
	assert_true( supOrderNodes( graph, points, order ) );
	assert_true( supOrderNodes( graph, points, again ) );
	assert_memory_equal( order, again, (size_t)graph->nodeCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < graph->nodeCount; ++i )
	{
		assert_true( order[i] >= 0 && order[i] < graph->nodeCount && seen[order[i]] == 0 );
		seen[order[i]] = 1;
	}
	free( order );
	free( again );
	free( seen );
}

// Graphs without shape: none, everything with everything, a star, points all in one place or nowhere.
static void TestOddGraphs( void** state )
{
	(void)state;
	const int32_t n = 400;
	int32_t* pairs = malloc( 2 * (size_t)n * (size_t)n * sizeof( int32_t ) );
	supVec3* points = calloc( (size_t)n, sizeof( supVec3 ) );
	assert_true( pairs != NULL && points != NULL );
	for ( int kind = 0; kind < 4; ++kind )
	{
		int32_t count = 0;
		for ( int32_t i = 0; i < n; ++i )
		{
			for ( int32_t k = 0; k < i; ++k )
			{
				bool coupled = kind == 1 || ( kind == 2 && k == 0 ) || ( kind == 3 && k + 1 == i );
				pairs[2 * count] = i;
				pairs[2 * count + 1] = k;
				count += coupled;
			}
		}
		supElements elements = { count, 2, NULL, pairs };
		supBlockMatrix m;
		assert_true( supBlockMatrix_Create( &m, n, 1, NULL, &elements, NULL ) );
		supGraph graph = { n, m.rowStarts, m.columns };
		CheckPermutation( &graph, NULL );
		CheckPermutation( &graph, points );
		points[7].x = NAN;
		points[8].y = INFINITY;
		CheckPermutation( &graph, points );
		// a chain or a star needs no fill at all
		supSymbolic symbolic;
		assert_true( supSymbolic_Create( &symbolic, &m, NULL, NULL, NULL ) );
		testGreaterEqual( symbolic.factorCount, ( kind == 1 ? n * ( n + 1 ) / 2 : n ) );
		supSymbolic_Destroy( &symbolic );
		supBlockMatrix_Destroy( &m );
	}
	supGraph empty = { 0, NULL, NULL };
	CheckPermutation( &empty, NULL );
	free( pairs );
	free( points );
}

// Entries of L with our order and with AMD's, both counted by CHOLMOD.
static void CompareFill( const System* s, const supVec3* points, double* ours, double* amd )
{
	cholmod_common common;
	cholmod_start( &common );
	cholmod_sparse* a = oracleMakeSparse( &s->matrix, &common );
	int32_t* order = malloc( (size_t)s->nodeCount * sizeof( int32_t ) );
	assert_non_null( order );
	supGraph graph = { s->nodeCount, s->matrix.rowStarts, s->matrix.columns };
	assert_true( supOrderNodes( &graph, points, order ) );
	for ( int run = 0; run < 2; ++run )
	{
		common.nmethods = 1;
		common.method[0].ordering = run == 0 ? CHOLMOD_GIVEN : CHOLMOD_AMD;
		cholmod_factor* l = cholmod_analyze_p( a, run == 0 ? order : NULL, NULL, 0, &common );
		*( run == 0 ? ours : amd ) = common.lnz;
		cholmod_free_factor( &l, &common );
	}
	free( order );
	cholmod_free_sparse( &a, &common );
	cholmod_finish( &common );
}

static void TestFill( void** state )
{
	(void)state;
	for ( int kind = 0; kind < 3; ++kind )
	{
		System s;
		if ( kind == 0 )
		{
			systemMakeSkin( &s, 60, 25 );
		}
		else if ( kind == 1 )
		{
			systemMakeBlock( &s, 12, 12, 12 );
		}
		else
		{
			systemMakeBlock( &s, 1, 40, 40 );
		}
		assert_true( systemMakeMatrix( &s, 1, 3.0e4, 0.0, 1.0 / 60.0 ) );
		double ours, withoutPoints, amd;
		CompareFill( &s, s.points, &ours, &amd );
		CompareFill( &s, NULL, &withoutPoints, &amd );
		print_message( "fill: %.0f with points, %.0f without, %.0f by AMD\n", ours, withoutPoints, amd );
		testLess( ours, 1.1 * amd );
		testLess( withoutPoints, 1.5 * amd );
		systemDestroy( &s );
	}
}

// What CHOLMOD counts for our order is what our own analysis counts, but for the zeros that merging adds.
static void TestCounts( void** state )
{
	(void)state;
	System s;
	systemMakeSkin( &s, 30, 20 );
	assert_true( systemMakeMatrix( &s, 3, 3.0e4, 1.0e5, 1.0 / 60.0 ) );
	supSymbolic symbolic;
	assert_true( supSymbolic_Create( &symbolic, &s.matrix, s.points, NULL, NULL ) );
	cholmod_common common;
	cholmod_start( &common );
	cholmod_sparse* a = oracleMakeSparse( &s.matrix, &common );
	common.nmethods = 1;
	common.method[0].ordering = CHOLMOD_GIVEN;
	cholmod_factor* l = cholmod_analyze_p( a, symbolic.unknownOrder, NULL, 0, &common );
	testGreaterEqual( (double)symbolic.factorCount, common.lnz );
	testLess( (double)symbolic.factorCount, 1.3 * common.lnz );
	testGreaterEqual( symbolic.flops, common.fl );
	testLess( symbolic.flops, 1.3 * common.fl );
	cholmod_free_factor( &l, &common );
	cholmod_free_sparse( &a, &common );
	cholmod_finish( &common );
	supSymbolic_Destroy( &symbolic );
	systemDestroy( &s );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestOddGraphs ),
		cmocka_unit_test( TestFill ),
		cmocka_unit_test( TestCounts ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
