// SPDX-License-Identifier: MIT
// labels: threads
// The same bits with every number of threads and instruction set.
#include "support.h"

#include "core/hash.h"
#include "core/tasks.h"
#include "linear/factor.h"
#include "systems.h"

typedef struct Case
{
	System system;
	supSymbolic symbolic;
	supPrecision precision;
	bool indefinite;
	int32_t columns;
} Case;

static uint64_t HashRun( const Case* c, int32_t threads )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	assert_non_null( pool );
	const supTasks* tasks = threads == 1 ? NULL : supThreadPool_Tasks( pool );
	const supBlockMatrix* m = &c->system.matrix;
	supFactorDef def = { c->precision, c->indefinite, threads };
	supFactor factor;
	assert_true( supFactor_Create( &factor, &c->symbolic, &def, NULL ) );
	// twice: nothing is left over from the first time
	supFactor_Refactor( &factor, m, tasks );
	supFactorReport report = supFactor_Refactor( &factor, m, tasks );
	assert_true( report.ok );
	size_t count = (size_t)m->unknownCount * (size_t)c->columns;
	double* b = malloc( count * sizeof( double ) );
	double* x = malloc( count * sizeof( double ) );
	void* scratch = supAlloc( supFactor_ScratchSize( &factor, c->columns, supGetWorkerCount( tasks ) ) );
	assert_true( b != NULL && x != NULL && scratch != NULL );
	testRandom random = testMakeRandom( 9 );
	for ( size_t i = 0; i < count; ++i )
	{
		b[i] = testRandomFloat( &random, -1.0f, 1.0f );
	}
	double change = supFactor_SolveRefined( &factor, m, b, x, c->columns, 1, scratch, tasks );
	uint64_t hash = supHashBytes( SUP_HASH_SEED, x, count * sizeof( double ) );
	hash = supHashBytes( hash, &change, sizeof( change ) );
	hash = supHashBytes( hash, &report.smallestPivot, sizeof( double ) );
	hash = supHashBytes( hash, &report.negativeCount, sizeof( int32_t ) );
	supFree( scratch );
	free( b );
	free( x );
	supFactor_Destroy( &factor );
	supDestroyThreadPool( pool );
	return hash;
}

static void CheckCase( Case* c )
{
	supInstructionSet before = supGetInstructionSet();
	uint64_t expected = 0;
	for ( int set = 0; set < 2; ++set )
	{
		if ( supSetInstructionSet( (supInstructionSet)set ) == false )
		{
			continue;
		}
		// one thread, then the most, then those between
		for ( int32_t i = 0; i < testRounds( 4, 2 ); ++i )
		{
			int32_t threads = i == 0 ? 1 : 5 - i;
			uint64_t hash = HashRun( c, threads );
			assert_true( expected == 0 || hash == expected );
			expected = hash;
		}
	}
	assert_true( supSetInstructionSet( before ) );
}

static void TestBits( void** state )
{
	(void)state;
	for ( int i = 0; i < 4; ++i )
	{
		Case c = { .precision = i % 2 == 0 ? sup_precisionFloat : sup_precisionDouble,
				   .indefinite = i >= 2,
				   .columns = i == 1 ? 3 : 1 };
		// large enough for subtrees with panels above them that are shared out
		systemMakeBlock( &c.system, i == 1 ? 12 : 7, i == 1 ? 12 : 7, i == 1 ? 24 : 16 );
		assert_true( systemMakeMatrix( &c.system, i == 1 ? 1 : 3, 3.0e4, 2.0e5, 1.0 / 60.0 ) );
		assert_true( supSymbolic_Create( &c.symbolic, &c.system.matrix, c.system.points, NULL, NULL ) );
		testGreater( c.symbolic.topCount, 2 );
		testGreater( c.symbolic.subtreeCount, 8 );
		CheckCase( &c );
		supSymbolic_Destroy( &c.symbolic );
		systemDestroy( &c.system );
	}
}

// Assembly and product.
static void TestMatrixBits( void** state )
{
	(void)state;
	supInstructionSet before = supGetInstructionSet();
	for ( int32_t nodeSize = 1; nodeSize <= 3; nodeSize += 2 )
	{
		System s;
		systemMakeSkin( &s, 30, 20 );
		assert_true( systemMakeMatrix( &s, nodeSize, 3.0e4, 2.0e5, 1.0 / 60.0 ) );
		supElements elements = { s.tetCount, 4, NULL, s.tets };
		supAssembly assembly;
		assert_true( supAssembly_Create( &assembly, &s.matrix, &elements, NULL ) );
		double* matrices = systemElementMatrices( &s, nodeSize, 3.0e4, 2.0e5, 1.0 / 60.0 );
		size_t count = 3 * (size_t)s.nodeCount;
		double* x = malloc( count * sizeof( double ) );
		double* y = malloc( count * sizeof( double ) );
		assert_true( x != NULL && y != NULL );
		for ( size_t i = 0; i < count; ++i )
		{
			x[i] = 1.0 / (double)( i + 3 );
		}
		uint64_t expected = 0;
		for ( int run = 0; run < 6; ++run )
		{
			if ( supSetInstructionSet( (supInstructionSet)( run / 3 ) ) == false )
			{
				continue;
			}
			supThreadPool* pool = supCreateThreadPool( run % 3 + 1 );
			supBlockMatrix_SetZero( &s.matrix );
			supBlockMatrix_AddElements( &s.matrix, &assembly, matrices, supThreadPool_Tasks( pool ) );
			supBlockMatrix_Multiply( &s.matrix, x, y, nodeSize == 3 ? 1 : 3, supThreadPool_Tasks( pool ) );
			uint64_t hash = supHashBytes( SUP_HASH_SEED, y, count * sizeof( double ) );
			assert_true( run == 0 || hash == expected );
			expected = hash;
			supDestroyThreadPool( pool );
		}
		free( x );
		free( y );
		free( matrices );
		supAssembly_Destroy( &assembly );
		systemDestroy( &s );
	}
	assert_true( supSetInstructionSet( before ) );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestBits ),
		cmocka_unit_test( TestMatrixBits ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
