// SPDX-License-Identifier: MIT
// Solving for a few nodes gives what solving for all gives there.
#include "support.h"

#include "linear/path.h"
#include "systems.h"

static void CheckNodes( const System* s, const supFactor* factor, supPath* path, const int32_t* nodes, int32_t count,
						int32_t columns )
{
	const supBlockMatrix* m = &s->matrix;
	size_t size = (size_t)m->unknownCount * (size_t)columns;
	double* all = calloc( size, sizeof( double ) );
	double* few = malloc( (size_t)count * 3 * (size_t)columns * sizeof( double ) + 1 );
	void* scratch = supAlloc( supFactor_ScratchSize( factor, columns, 1 ) );
	assert_true( all != NULL && few != NULL && scratch != NULL );
	// whatever was there before must not matter
	memset( scratch, 0xff, supFactor_ScratchSize( factor, columns, 1 ) );
	int32_t at = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		for ( int32_t k = m->offsets[nodes[i]] * columns; k < m->offsets[nodes[i] + 1] * columns; ++k )
		{
			few[at++] = all[k] = sin( 1.0 + k );
		}
	}
	supPath_SetNodes( path, nodes, count );
	supPath_Solve( path, factor, few, columns, scratch );
	supFactor_Solve( factor, all, columns, scratch, NULL );
	double tolerance = factor->precision == sup_precisionFloat ? 1.0e-5 : 1.0e-13, largest = 0.0;
	for ( size_t i = 0; i < size; ++i )
	{
		largest = fmax( largest, fabs( all[i] ) );
	}
	at = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		for ( int32_t k = m->offsets[nodes[i]] * columns; k < m->offsets[nodes[i] + 1] * columns; ++k )
		{
			assert_true( fabs( few[at++] - all[k] ) <= tolerance * largest );
		}
	}
	free( all );
	free( few );
	supFree( scratch );
}

static void TestPaths( void** state )
{
	(void)state;
	for ( int kind = 0; kind < 4; ++kind )
	{
		System s;
		// with subtrees and without
		systemMakeSkin( &s, kind < 2 ? 60 : 8, kind < 2 ? 25 : 6 );
		assert_true( systemMakeMatrix( &s, kind == 1 ? 1 : 3, 3.0e4, 1.0e5, 1.0 / 60.0 ) );
		supSymbolic symbolic;
		supFactor factor;
		supPath path;
		assert_true( supSymbolic_Create( &symbolic, &s.matrix, s.points, NULL, NULL ) );
		assert_true( kind >= 2 || symbolic.topCount > 0 );
		supFactorDef def = { kind == 3 ? sup_precisionFloat : sup_precisionDouble, kind == 2, 1 };
		assert_true( supFactor_Create( &factor, &symbolic, &def, NULL ) );
		assert_true( supFactor_Refactor( &factor, &s.matrix, NULL ).ok );
		assert_true( supPath_Create( &path, &symbolic, &s.matrix, 40, NULL ) );
		testRandom random = testMakeRandom( 3 );
		for ( int32_t count = 0; count <= 40; count += 8 )
		{
			int32_t nodes[40];
			int32_t first = (int32_t)testRandomInt( &random, (uint32_t)s.nodeCount );
			for ( int32_t i = 0; i < count; ++i )
			{
				// all over the body, or side by side
				nodes[i] = ( first + i * ( count == 16 ? 1 : s.nodeCount / 41 ) ) % s.nodeCount;
			}
			CheckNodes( &s, &factor, &path, nodes, count, 1 );
			CheckNodes( &s, &factor, &path, nodes, count, 9 );
		}
		int32_t one = 11;
		CheckNodes( &s, &factor, &path, &one, 1, 3 );
		assert_true( kind >= 2 || path.supernodeCount < symbolic.supernodeCount / 4 );
		supPath_Destroy( &path );
		supFactor_Destroy( &factor );
		supSymbolic_Destroy( &symbolic );
		systemDestroy( &s );
	}
}

typedef struct Pair
{
	const supSymbolic* symbolic;
	const supBlockMatrix* matrix;
} Pair;

static bool AttemptCreate( void* context )
{
	const Pair* pair = context;
	supPath path;
	supError error = { 0 };
	bool ok = supPath_Create( &path, pair->symbolic, pair->matrix, 10, &error );
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	supPath_Destroy( &path );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	System s;
	systemMakeSkin( &s, 8, 6 );
	assert_true( systemMakeMatrix( &s, 3, 3.0e4, 1.0e5, 1.0 / 60.0 ) );
	supSymbolic symbolic;
	assert_true( supSymbolic_Create( &symbolic, &s.matrix, s.points, NULL, NULL ) );
	Pair pair = { &symbolic, &s.matrix };
	testEachAllocationFailure( AttemptCreate, &pair, 50 );
	supSymbolic_Destroy( &symbolic );
	systemDestroy( &s );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestPaths ),
		cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
