// SPDX-License-Identifier: MIT
// The factor of definite matrices against CHOLMOD and against the matrix itself.
#include "support.h"

#include "core/tasks.h"
#include "linear/factor.h"
#include "oracle.h"
#include "systems.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------------------
// Random matrices

// Pairs of random nodes; each block random, the diagonal heavy enough to be definite.
static void MakeRandom( System* s, uint64_t seed, int32_t nodeCount, int32_t pairCount, int32_t largestNode )
{
	testRandom random = testMakeRandom( seed );
	*s = ( System ){ .nodeCount = nodeCount };
	int32_t* sizes = malloc( ( (size_t)nodeCount + 1 ) * sizeof( int32_t ) );
	int32_t* pairs = malloc( ( 2 * (size_t)pairCount + 1 ) * sizeof( int32_t ) );
	s->points = malloc( ( (size_t)nodeCount + 1 ) * sizeof( supVec3 ) );
	assert_true( sizes != NULL && pairs != NULL && s->points != NULL );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		sizes[i] = 1 + (int32_t)testRandomInt( &random, (uint32_t)largestNode );
		s->points[i] = testRandomVec3( &random, 1.0f );
	}
	for ( int32_t i = 0; i < 2 * pairCount; ++i )
	{
		pairs[i] = (int32_t)testRandomInt( &random, (uint32_t)nodeCount );
	}
	supElements elements = { pairCount, 2, NULL, pairs };
	assert_true( supBlockMatrix_Create( &s->matrix, nodeCount, 0, sizes, &elements, NULL ) );
	for ( int32_t row = 0; row < nodeCount; ++row )
	{
		for ( int32_t k = s->matrix.rowStarts[row]; k < s->matrix.rowStarts[row + 1]; ++k )
		{
			int32_t column = s->matrix.columns[k];
			double block[SUP_MAX_NODE_SIZE * SUP_MAX_NODE_SIZE] = { 0 };
			int32_t count = s->matrix.blockStarts[k + 1] - s->matrix.blockStarts[k];
			for ( int32_t i = 0; i < count && column < row; ++i )
			{
				block[i] = testRandomFloat( &random, -1.0f, 1.0f );
			}
			for ( int32_t i = 0; i < sizes[row] && column == row; ++i )
			{
				int32_t degree = s->matrix.rowStarts[row + 1] - s->matrix.rowStarts[row];
				block[i * sizes[row] + i] = 1.0 + largestNode * degree * testRandomFloat( &random, 0.8f, 1.2f );
			}
			if ( column <= row )
			{
				supBlockMatrix_AddBlock( &s->matrix, row, column, block );
			}
		}
	}
	free( sizes );
	free( pairs );
}

// ---------------------------------------------------------------------------------------------------------------------
// Checks

static double* MakeRightSide( const supBlockMatrix* m, int32_t columns, uint64_t seed )
{
	testRandom random = testMakeRandom( seed );
	size_t count = (size_t)m->unknownCount * (size_t)columns;
	double* b = malloc( ( count + 1 ) * sizeof( double ) );
	assert_non_null( b );
	for ( size_t i = 0; i < count; ++i )
	{
		b[i] = testRandomFloat( &random, -1.0f, 1.0f );
	}
	return b;
}

static double Largest( const double* x, size_t count )
{
	double largest = 0.0;
	for ( size_t i = 0; i < count; ++i )
	{
		assert_true( isfinite( x[i] ) );
		largest = fmax( largest, fabs( x[i] ) );
	}
	return largest;
}

// The largest row of | A |.
static double RowNorm( const supBlockMatrix* m )
{
	double largest = 0.0;
	for ( int32_t row = 0; row < m->nodeCount; ++row )
	{
		int32_t rowCount = m->offsets[row + 1] - m->offsets[row];
		double sums[SUP_MAX_NODE_SIZE] = { 0 };
		for ( int32_t i = m->blockStarts[m->rowStarts[row]]; i < m->blockStarts[m->rowStarts[row + 1]]; ++i )
		{
			sums[( i - m->blockStarts[m->rowStarts[row]] ) % rowCount] += fabs( m->values[i] );
		}
		largest = fmax( largest, Largest( sums, (size_t)rowCount ) );
	}
	return largest;
}

// | b - A x | / ( | A | | x | + | b | ): the size of the smallest change of A and b that makes x exact.
static double BackwardError( const supBlockMatrix* m, const double* x, const double* b, int32_t columns )
{
	size_t count = (size_t)m->unknownCount * (size_t)columns;
	double* residual = malloc( ( count + 1 ) * sizeof( double ) );
	assert_non_null( residual );
	supBlockMatrix_Multiply( m, x, residual, columns, NULL );
	for ( size_t i = 0; i < count; ++i )
	{
		residual[i] -= b[i];
	}
	double error = Largest( residual, count ) / ( RowNorm( m ) * Largest( x, count ) + Largest( b, count ) );
	free( residual );
	return error;
}

static void* MakeScratch( const supFactor* factor, int32_t columns )
{
	void* scratch = supAlloc( supFactor_ScratchSize( factor, columns, 1 ) );
	assert_non_null( scratch );
	return scratch;
}

static void CheckPrecision( const System* s, const supSymbolic* symbolic, supPrecision precision, int32_t columns )
{
	const supBlockMatrix* m = &s->matrix;
	double tolerance = precision == sup_precisionFloat ? 1.0e-6 : 1.0e-15;
	supFactorDef def = { precision, false, 1 };
	supFactor factor;
	supError error = { 0 };
	testRequire( supFactor_Create( &factor, symbolic, &def, &error ), &error );
	supFactorReport report = supFactor_Refactor( &factor, m, NULL );
	assert_true( report.ok && report.badNode == -1 && report.badCount == 0 && report.negativeCount == 0 );
	testGreater( report.smallestPivot, 0.0 );
	testLessEqual( report.smallestPivot, 1.0 );

	size_t count = (size_t)m->unknownCount * (size_t)columns;
	double* b = MakeRightSide( m, columns, 77 );
	double* x = malloc( ( count + 1 ) * sizeof( double ) );
	assert_non_null( x );
	void* scratch = MakeScratch( &factor, columns );
	memcpy( x, b, count * sizeof( double ) );
	supFactor_Solve( &factor, x, columns, scratch, NULL );
	testLess( BackwardError( m, x, b, columns ), tolerance );
	double change = supFactor_SolveRefined( &factor, m, b, x, columns, 3, scratch, NULL );
	testLess( change, 1.0e-11 );
	testLess( BackwardError( m, x, b, columns ), 1.0e-15 );
	supFree( scratch );
	free( x );
	free( b );
	supFactor_Destroy( &factor );
}

static void CheckCholmod( const System* s, const supSymbolic* symbolic )
{
	const supBlockMatrix* m = &s->matrix;
	cholmod_common common;
	cholmod_start( &common );
	cholmod_sparse* a = oracleMakeSparse( m, &common );
	cholmod_factor* l = cholmod_analyze( a, &common );
	assert_int_equal( cholmod_factorize( a, l, &common ), 1 );
	double* b = MakeRightSide( m, 1, 5 );
	cholmod_dense* right = oracleMakeDense( b, m->unknownCount, 1, &common );
	cholmod_dense* expected = cholmod_solve( CHOLMOD_A, l, right, &common );
	double condition = 1.0 / cholmod_rcond( l, &common );

	supFactorDef def = { sup_precisionDouble, false, 1 };
	supFactor factor;
	assert_true( supFactor_Create( &factor, symbolic, &def, NULL ) );
	supFactor_Refactor( &factor, m, NULL );
	void* scratch = MakeScratch( &factor, 1 );
	supFactor_Solve( &factor, b, 1, scratch, NULL );
	double size = Largest( b, (size_t)m->unknownCount );
	for ( int32_t i = 0; i < m->unknownCount; ++i )
	{
		testLessEqual( fabs( b[i] - ( (double*)expected->x )[i] ), 1.0e-14 * ( 10.0 + condition ) * size );
	}
	supFree( scratch );
	free( b );
	supFactor_Destroy( &factor );
	cholmod_free_dense( &right, &common );
	cholmod_free_dense( &expected, &common );
	cholmod_free_factor( &l, &common );
	cholmod_free_sparse( &a, &common );
	cholmod_finish( &common );
}

static void CheckSystem( const System* s, bool withPoints )
{
	supSymbolic symbolic;
	supError error = { 0 };
	testRequire( supSymbolic_Create( &symbolic, &s->matrix, withPoints ? s->points : NULL, NULL, &error ), &error );
	CheckPrecision( s, &symbolic, sup_precisionFloat, 1 );
	CheckPrecision( s, &symbolic, sup_precisionDouble, 1 );
	CheckPrecision( s, &symbolic, sup_precisionDouble, 3 );
	CheckCholmod( s, &symbolic );
	supSymbolic_Destroy( &symbolic );
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestRandomPatterns( void** state )
{
	(void)state;
	const struct
	{
		int32_t nodes, pairs, largest;
	} cases[] = { { 1, 0, 1 },      { 1, 0, 32 },    { 2, 1, 3 },      { 7, 3, 1 },       { 40, 60, 5 },
				  { 100, 0, 2 },    { 97, 300, 1 },  { 150, 8000, 2 }, { 300, 200, 3 },   { 400, 700, 1 },
				  { 500, 1200, 3 }, { 90, 500, 32 }, { 1000, 900, 1 }, { 200, 20000, 1 }, { 30, 200, 7 } };
	for ( int i = 0; i < SUP_COUNT( cases ); ++i )
	{
		System s;
		MakeRandom( &s, 100 + (uint64_t)i, cases[i].nodes, cases[i].pairs, cases[i].largest );
		CheckSystem( &s, i % 2 == 0 );
		systemDestroy( &s );
	}
}

static void TestBodies( void** state )
{
	(void)state;
	for ( int kind = 0; kind < 4; ++kind )
	{
		System s;
		if ( kind % 2 == 0 )
		{
			systemMakeSkin( &s, 24, 16 );
		}
		else
		{
			systemMakeBlock( &s, 5, 6, 9 );
		}
		assert_true( systemMakeMatrix( &s, kind < 2 ? 3 : 1, 3.0e4, 2.0e5, 1.0 / 60.0 ) );
		CheckSystem( &s, true );
		CheckSystem( &s, false );
		systemDestroy( &s );
	}
}

// Every number of columns that the panels are cut into, and a factor that is used again with other numbers.
static void TestColumnsAndRefactor( void** state )
{
	(void)state;
	System s;
	systemMakeSkin( &s, 20, 12 );
	assert_true( systemMakeMatrix( &s, 1, 3.0e4, 0.0, 1.0 / 60.0 ) );
	supSymbolic symbolic;
	assert_true( supSymbolic_Create( &symbolic, &s.matrix, s.points, NULL, NULL ) );
	supFactorDef def = { sup_precisionDouble, false, 1 };
	supFactor factor;
	assert_true( supFactor_Create( &factor, &symbolic, &def, NULL ) );
	for ( int32_t columns = 1; columns <= 19; ++columns )
	{
		for ( int32_t i = 0; i < s.nodeCount; ++i )
		{
			s.matrix.values[supBlockMatrix_Find( &s.matrix, i, i )] *= 1.0 + 0.01 * columns;
		}
		assert_true( supFactor_Refactor( &factor, &s.matrix, NULL ).ok );
		double* b = MakeRightSide( &s.matrix, columns, (uint64_t)columns );
		double* x = MakeRightSide( &s.matrix, columns, (uint64_t)columns );
		void* scratch = MakeScratch( &factor, columns );
		supFactor_Solve( &factor, x, columns, scratch, NULL );
		testLess( BackwardError( &s.matrix, x, b, columns ), 1.0e-15 );
		// one by one they come out the same
		for ( int32_t c = 0; c < columns; ++c )
		{
			double one[1000];
			for ( int32_t i = 0; i < s.nodeCount; ++i )
			{
				one[i] = b[i * columns + c];
			}
			supFactor_Solve( &factor, one, 1, scratch, NULL );
			for ( int32_t i = 0; i < s.nodeCount; ++i )
			{
				testLess( fabs( one[i] - x[i * columns + c] ), 1.0e-11 * Largest( one, (size_t)s.nodeCount ) );
			}
		}
		supFree( scratch );
		free( b );
		free( x );
	}
	supFactor_Destroy( &factor );
	supSymbolic_Destroy( &symbolic );
	systemDestroy( &s );
}

// A given order is kept, up to what does not matter; a bad one is refused.
static void TestGivenOrder( void** state )
{
	(void)state;
	System s;
	MakeRandom( &s, 3, 60, 100, 2 );
	int32_t order[60];
	for ( int32_t i = 0; i < 60; ++i )
	{
		order[i] = 59 - i;
	}
	supSymbolic symbolic;
	supError error = { 0 };
	testRequire( supSymbolic_Create( &symbolic, &s.matrix, NULL, order, &error ), &error );
	CheckPrecision( &s, &symbolic, sup_precisionDouble, 1 );
	supSymbolic_Destroy( &symbolic );
	order[7] = 3;
	assert_false( supSymbolic_Create( &symbolic, &s.matrix, NULL, order, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_string_equal( error.message, "entry 56 of the order, 3, is no permutation of 60 nodes" );
	systemDestroy( &s );
}

static supFactorReport FactorOnce( const System* s, supPrecision precision, double* x )
{
	supSymbolic symbolic;
	assert_true( supSymbolic_Create( &symbolic, &s->matrix, s->points, NULL, NULL ) );
	supFactorDef def = { precision, false, 1 };
	supFactor factor;
	assert_true( supFactor_Create( &factor, &symbolic, &def, NULL ) );
	supFactorReport report = supFactor_Refactor( &factor, &s->matrix, NULL );
	void* scratch = MakeScratch( &factor, 1 );
	supFactor_Solve( &factor, x, 1, scratch, NULL );
	supFree( scratch );
	supFactor_Destroy( &factor );
	supSymbolic_Destroy( &symbolic );
	return report;
}

// Stiffness without mass: six motions cost nothing. One part of the body floats, the other is held.
static void TestSingular( void** state )
{
	(void)state;
	for ( int precision = 0; precision < 2; ++precision )
	{
		System s;
		systemMakeBlock( &s, 3, 3, 3 );
		assert_true( systemMakeMatrix( &s, 3, 3.0e4, 2.0e5, 1.0 ) );
		for ( int32_t i = 0; i < s.nodeCount; ++i )
		{
			// rows of K sum to zero, those of M + K to the mass
			double* block = supBlockMatrix_Block( &s.matrix, supBlockMatrix_Find( &s.matrix, i, i ) );
			double sums[9] = { 0 };
			for ( int32_t k = s.matrix.rowStarts[i]; k < s.matrix.rowStarts[i + 1]; ++k )
			{
				for ( int j = 0; j < 9; ++j )
				{
					sums[j] += supBlockMatrix_Block( &s.matrix, k )[j];
				}
			}
			for ( int j = 0; j < 9; ++j )
			{
				block[j] -= sums[j];
			}
		}
		double* x = MakeRightSide( &s.matrix, 1, 4 );
		supFactorReport report = FactorOnce( &s, (supPrecision)precision, x );
		assert_true( report.ok == false && report.badNode >= 0 && report.badNode < s.nodeCount );
		testGreaterEqual( report.badCount, 1 );
		testLessEqual( report.badCount, 6 );
		Largest( x, (size_t)s.matrix.unknownCount );
		free( x );
		systemDestroy( &s );
	}
}

// The node is named, and what comes out is finite.
static void TestBadNumbers( void** state )
{
	(void)state;
	const double values[] = { 0.0, -5.0, NAN, INFINITY, -INFINITY };
	for ( int precision = 0; precision < 2; ++precision )
	{
		for ( int i = 0; i < SUP_COUNT( values ); ++i )
		{
			System s;
			MakeRandom( &s, 8, 50, 0, 3 );
			int32_t k = supBlockMatrix_Find( &s.matrix, 17, 17 );
			supBlockMatrix_Block( &s.matrix, k )[0] = values[i];
			double* x = MakeRightSide( &s.matrix, 1, 4 );
			supFactorReport report = FactorOnce( &s, (supPrecision)precision, x );
			assert_false( report.ok );
			assert_int_equal( report.badNode, 17 );
			assert_int_equal( report.negativeCount, values[i] < 0.0 );
			assert_true( report.smallestPivot == 0.0 );
			for ( int32_t j = 0; j < s.matrix.unknownCount; ++j )
			{
				assert_true( isfinite( x[j] ) );
			}
			free( x );
			systemDestroy( &s );
		}
	}
}

static void TestEmpty( void** state )
{
	(void)state;
	System s = { 0 };
	assert_true( supBlockMatrix_Create( &s.matrix, 0, 3, NULL, NULL, NULL ) );
	double x[1] = { 1.0 };
	assert_true( FactorOnce( &s, sup_precisionDouble, x ).ok );
	systemDestroy( &s );
}

// A heavy, stiff part beside a light, soft one: eight orders of magnitude between them change nothing, since every
// pivot is held against its own row.
static void TestScales( void** state )
{
	(void)state;
	System s;
	systemMakeBlock( &s, 4, 4, 8 );
	assert_true( systemMakeMatrix( &s, 3, 3.0e4, 2.0e5, 1.0 / 60.0 ) );
	for ( int32_t row = 0; row < s.nodeCount; ++row )
	{
		for ( int32_t k = s.matrix.rowStarts[row]; k < s.matrix.rowStarts[row + 1]; ++k )
		{
			double scale =
				( s.points[row].z > 0.4f ? 1.0e4 : 1.0 ) * ( s.points[s.matrix.columns[k]].z > 0.4f ? 1.0e4 : 1.0 );
			for ( int i = 0; i < 9; ++i )
			{
				supBlockMatrix_Block( &s.matrix, k )[i] *= scale;
			}
		}
	}
	double* b = MakeRightSide( &s.matrix, 1, 4 );
	double* x = MakeRightSide( &s.matrix, 1, 4 );
	assert_true( FactorOnce( &s, sup_precisionFloat, x ).ok );
	memcpy( x, b, (size_t)s.matrix.unknownCount * sizeof( double ) );
	assert_true( FactorOnce( &s, sup_precisionDouble, x ).ok );
	testLess( BackwardError( &s.matrix, x, b, 1 ), 1.0e-15 );
	free( x );
	free( b );
	systemDestroy( &s );
}

static bool AttemptAll( void* context )
{
	const System* s = context;
	supSymbolic symbolic = { 0 };
	supFactor factor = { 0 };
	supError error = { 0 };
	supFactorDef def = { sup_precisionFloat, true, 3 };
	bool ok = supSymbolic_Create( &symbolic, &s->matrix, s->points, NULL, &error ) &&
			  supFactor_Create( &factor, &symbolic, &def, &error );
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	supFactor_Destroy( &factor );
	supSymbolic_Destroy( &symbolic );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	System s;
	systemMakeSkin( &s, 30, 12 );
	assert_true( systemMakeMatrix( &s, 3, 3.0e4, 2.0e5, 1.0 / 60.0 ) );
	testEachAllocationFailure( AttemptAll, &s, 200 );
	// neither refactoring nor solving allocates
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	supSymbolic symbolic;
	supFactor factor;
	assert_true( supSymbolic_Create( &symbolic, &s.matrix, s.points, NULL, NULL ) );
	supFactorDef def = { sup_precisionDouble, false, 1 };
	assert_true( supFactor_Create( &factor, &symbolic, &def, NULL ) );
	void* scratch = MakeScratch( &factor, 3 );
	double* x = MakeRightSide( &s.matrix, 3, 4 );
	double* b = MakeRightSide( &s.matrix, 3, 4 );
	heap.allocations = 0;
	supFactor_Refactor( &factor, &s.matrix, NULL );
	supFactor_Solve( &factor, x, 3, scratch, NULL );
	supFactor_SolveRefined( &factor, &s.matrix, b, x, 3, 1, scratch, NULL );
	assert_int_equal( heap.allocations, 0 );
	free( b );
	free( x );
	supFree( scratch );
	supFactor_Destroy( &factor );
	supSymbolic_Destroy( &symbolic );
	testUninstallHeap( &heap );
	systemDestroy( &s );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRandomPatterns ),
		cmocka_unit_test( TestBodies ),
		cmocka_unit_test( TestColumnsAndRefactor ),
		cmocka_unit_test( TestGivenOrder ),
		cmocka_unit_test( TestSingular ),
		cmocka_unit_test( TestBadNumbers ),
		cmocka_unit_test( TestEmpty ),
		cmocka_unit_test( TestScales ),
		cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
