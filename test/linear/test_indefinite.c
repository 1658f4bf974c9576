// SPDX-License-Identifier: MIT
// Saddle points: bones with the multipliers of their joints, against LAPACK.
#include "support.h"

#include "linear/factor.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Skeleton
{
	int32_t boneCount;
	int32_t* parents;
	int32_t* sizes; // 6, and the rows of the joint to the parent
	supBlockMatrix matrix;
	int32_t multiplierCount;
} Skeleton;

// Bones with random inertia, joints of 3 (ball), 4, 5 (hinge) or 6 (fixed) rows with random Jacobians; `stiffness`
// couples neighbours as springs and control do.
static void MakeSkeleton( Skeleton* s, int32_t boneCount, int32_t branching, double stiffness, uint64_t seed )
{
	testRandom random = testMakeRandom( seed );
	*s = ( Skeleton ){ .boneCount = boneCount };
	s->parents = malloc( (size_t)boneCount * sizeof( int32_t ) );
	s->sizes = malloc( (size_t)boneCount * sizeof( int32_t ) );
	int32_t* pairs = malloc( 2 * (size_t)boneCount * sizeof( int32_t ) );
	assert_true( s->parents != NULL && s->sizes != NULL && pairs != NULL );
	for ( int32_t i = 0; i < boneCount; ++i )
	{
		int32_t reach = branching < i ? branching : i;
		s->parents[i] = i == 0 ? -1 : i - 1 - (int32_t)testRandomInt( &random, (uint32_t)reach );
		s->sizes[i] = 6 + ( i == 0 ? 0 : 3 + (int32_t)testRandomInt( &random, 4 ) );
		s->multiplierCount += s->sizes[i] - 6;
		pairs[2 * i] = i;
		pairs[2 * i + 1] = s->parents[i];
	}
	supElements elements = { boneCount, 2, NULL, pairs };
	assert_true( supBlockMatrix_Create( &s->matrix, boneCount, 0, s->sizes, &elements, NULL ) );
	for ( int32_t i = 0; i < boneCount; ++i )
	{
		int32_t n = s->sizes[i];
		double own[SUP_MAX_NODE_SIZE * SUP_MAX_NODE_SIZE] = { 0 }, other[SUP_MAX_NODE_SIZE * SUP_MAX_NODE_SIZE] = { 0 };
		for ( int32_t k = 0; k < 6; ++k )
		{
			own[k * n + k] = testRandomFloat( &random, k < 3 ? 0.5f : 0.001f, k < 3 ? 5.0f : 0.1f );
		}
		for ( int32_t row = 6; row < n; ++row )
		{
			for ( int32_t k = 0; k < 6; ++k )
			{
				own[k * n + row] = own[row * n + k] = testRandomFloat( &random, -1.0f, 1.0f );
				other[k * n + row] = testRandomFloat( &random, -1.0f, 1.0f );
			}
		}
		for ( int32_t k = 3; k < 6 && i > 0; ++k )
		{
			double spring[SUP_MAX_NODE_SIZE * SUP_MAX_NODE_SIZE] = { 0 };
			spring[k * s->sizes[s->parents[i]] + k] = stiffness;
			supBlockMatrix_AddBlock( &s->matrix, s->parents[i], s->parents[i], spring );
			own[k * n + k] += stiffness;
			other[k * n + k] -= stiffness;
		}
		supBlockMatrix_AddBlock( &s->matrix, i, i, own );
		if ( i > 0 )
		{
			supBlockMatrix_AddBlock( &s->matrix, i, s->parents[i], other );
		}
	}
	free( pairs );
}

static void DestroySkeleton( Skeleton* s )
{
	free( s->parents );
	free( s->sizes );
	supBlockMatrix_Destroy( &s->matrix );
}

static double* MakeDense( const supBlockMatrix* m )
{
	size_t n = (size_t)m->unknownCount;
	double* dense = calloc( n * n, sizeof( double ) );
	assert_non_null( dense );
	for ( int32_t row = 0; row < m->nodeCount; ++row )
	{
		int32_t rows = m->offsets[row + 1] - m->offsets[row];
		for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1]; ++k )
		{
			for ( int32_t i = 0; i < m->blockStarts[k + 1] - m->blockStarts[k]; ++i )
			{
				dense[(size_t)( m->offsets[m->columns[k]] + i / rows ) * n + (size_t)( m->offsets[row] + i % rows )] =
					supBlockMatrix_Block( m, k )[i];
			}
		}
	}
	return dense;
}

typedef struct Solution
{
	supFactorReport report;
	double change;
	double* x;
} Solution;

static Solution Solve( const supBlockMatrix* m, const int32_t* order, supPrecision precision, int32_t rounds )
{
	Solution solution = { 0 };
	supSymbolic symbolic;
	supFactor factor;
	supError error = { 0 };
	testRequire( supSymbolic_Create( &symbolic, m, NULL, order, &error ), &error );
	supFactorDef def = { precision, true, 1 };
	testRequire( supFactor_Create( &factor, &symbolic, &def, &error ), &error );
	solution.report = supFactor_Refactor( &factor, m, NULL );
	solution.x = malloc( (size_t)m->unknownCount * sizeof( double ) );
	double* b = malloc( (size_t)m->unknownCount * sizeof( double ) );
	void* scratch = supAlloc( supFactor_ScratchSize( &factor, 1, 1 ) );
	assert_true( solution.x != NULL && b != NULL && scratch != NULL );
	for ( int32_t i = 0; i < m->unknownCount; ++i )
	{
		b[i] = sin( 1.0 + i );
	}
	solution.change = supFactor_SolveRefined( &factor, m, b, solution.x, 1, rounds, scratch, NULL );
	supFree( scratch );
	free( b );
	supFactor_Destroy( &factor );
	supSymbolic_Destroy( &symbolic );
	return solution;
}

// Chains, trees and stars; every order of elimination will do, also roots first.
static void TestSkeletons( void** state )
{
	(void)state;
	const struct
	{
		int32_t bones, branching;
		double stiffness;
	} cases[] = { { 1, 1, 0.0 },    { 2, 1, 0.0 },     { 16, 1, 10.0 },  { 34, 4, 0.0 },
				  { 34, 6, 1.0e4 }, { 100, 1, 100.0 }, { 120, 50, 1.0 }, { 60, 60, 1.0e3 } };
	for ( int i = 0; i < SUP_COUNT( cases ); ++i )
	{
		Skeleton s;
		MakeSkeleton( &s, cases[i].bones, cases[i].branching, cases[i].stiffness, 20 + (uint64_t)i );
		int32_t n = s.matrix.unknownCount;
		double* dense = MakeDense( &s.matrix );
		double* expected = malloc( (size_t)n * sizeof( double ) );
		lapack_int* pivots = malloc( (size_t)n * sizeof( lapack_int ) );
		int32_t* rootsFirst = malloc( (size_t)cases[i].bones * sizeof( int32_t ) );
		assert_true( expected != NULL && pivots != NULL && rootsFirst != NULL );
		for ( int32_t k = 0; k < n; ++k )
		{
			expected[k] = sin( 1.0 + k );
		}
		for ( int32_t k = 0; k < cases[i].bones; ++k )
		{
			rootsFirst[k] = k;
		}
		assert_int_equal( LAPACKE_dsysv( LAPACK_COL_MAJOR, 'L', n, 1, dense, n, pivots, expected, n ), 0 );
		double size = 0.0;
		for ( int32_t k = 0; k < n; ++k )
		{
			size = fmax( size, fabs( expected[k] ) );
		}
		for ( int run = 0; run < 2; ++run )
		{
			Solution solution = Solve( &s.matrix, run == 0 ? NULL : rootsFirst, sup_precisionDouble, 1 );

			assert_true( solution.report.ok );
			// as many eigenvalues below zero as multipliers
			assert_int_equal( solution.report.negativeCount, s.multiplierCount );
			testLess( solution.change, 1.0e-9 );
			for ( int32_t k = 0; k < n; ++k )
			{
				testLess( fabs( solution.x[k] - expected[k] ), 1.0e-9 * size );
			}
			free( solution.x );
		}
		free( dense );
		free( expected );
		free( pivots );
		free( rootsFirst );
		DestroySkeleton( &s );
	}
}

// One node per unknown and the multiplier first: a zero pivot that no neighbour in the supernode can replace, or an
// order that puts them together; both solve.
static void TestTinySaddle( void** state )
{
	(void)state;
	int32_t pairs[] = { 0, 2, 1, 2 };
	supElements elements = { 2, 2, NULL, pairs };
	supBlockMatrix m;
	assert_true( supBlockMatrix_Create( &m, 3, 1, NULL, &elements, NULL ) );
	const double one = 1.0, two = 2.0;
	supBlockMatrix_AddBlock( &m, 0, 0, &two );
	supBlockMatrix_AddBlock( &m, 1, 1, &one );
	supBlockMatrix_AddBlock( &m, 2, 0, &one );
	supBlockMatrix_AddBlock( &m, 2, 1, &one );
	int32_t order[3] = { 2, 0, 1 };
	for ( int run = 0; run < 4; ++run )
	{
		Solution solution =
			Solve( &m, run < 2 ? NULL : order, run % 2 == 0 ? sup_precisionFloat : sup_precisionDouble, 4 );
		double b[3] = { sin( 1.0 ), sin( 2.0 ), sin( 3.0 ) };
		// 2 x + z = b0, y + z = b1, x + y = b2
		double x = ( b[0] - b[1] + b[2] ) / 3.0;
		testLess( fabs( solution.x[0] - x ), 1.0e-13 );
		testLess( fabs( solution.x[1] - ( b[2] - x ) ), 1.0e-13 );
		testLess( fabs( solution.x[2] - ( b[0] - 2.0 * x ) ), 1.0e-13 );
		assert_int_equal( solution.report.negativeCount, 1 );
		free( solution.x );
	}
	supBlockMatrix_Destroy( &m );
}

// A joint with the same row twice: reported, with the bone it belongs to, and nothing infinite comes out.
static void TestDependentJoint( void** state )
{
	(void)state;
	for ( int precision = 0; precision < 2; ++precision )
	{
		Skeleton s;
		MakeSkeleton( &s, 20, 3, 1.0, 4 );
		int32_t n = s.sizes[9], p = s.sizes[s.parents[9]];
		double* own = supBlockMatrix_Block( &s.matrix, supBlockMatrix_Find( &s.matrix, 9, 9 ) );
		double* above = supBlockMatrix_Block( &s.matrix, supBlockMatrix_Find( &s.matrix, 9, s.parents[9] ) );
		double* mirror = supBlockMatrix_Block( &s.matrix, supBlockMatrix_Find( &s.matrix, s.parents[9], 9 ) );
		for ( int32_t k = 0; k < n; ++k )
		{
			own[k * n + 7] = own[k * n + 6];
		}
		for ( int32_t k = 0; k < n; ++k )
		{
			own[7 * n + k] = own[6 * n + k];
		}
		for ( int32_t k = 0; k < p; ++k )
		{
			above[k * n + 7] = above[k * n + 6];
			mirror[7 * p + k] = mirror[6 * p + k];
		}
		Solution solution = Solve( &s.matrix, NULL, (supPrecision)precision, 1 );
		assert_false( solution.report.ok );
		assert_int_equal( solution.report.badCount, 1 );
		assert_int_equal( solution.report.badNode, 9 );
		for ( int32_t k = 0; k < s.matrix.unknownCount; ++k )
		{
			assert_true( isfinite( solution.x[k] ) );
		}
		free( solution.x );
		DestroySkeleton( &s );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSkeletons ),
		cmocka_unit_test( TestTinySaddle ),
		cmocka_unit_test( TestDependentJoint ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
