// SPDX-License-Identifier: MIT
// Dense factorisations against LAPACK and against the matrix itself.
#include "support.h"

#include "linear/dense.h"
#include "linear/symmetric_eigen.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200

typedef struct Dense
{
	int32_t n;
	double a[MOST * MOST];
	double factor[MOST * MOST];
	double b[MOST];
	double x[MOST];
} Dense;

static Dense s_dense;

typedef enum Kind
{
	sup_kindGeneral,
	sup_kindSymmetric,
	sup_kindDefinite,
	sup_kindSaddle, // the second half of the diagonal is zero
} Kind;

static Dense* MakeDense( int32_t n, Kind kind, uint64_t seed )
{
	Dense* d = &s_dense;
	testRandom random = testMakeRandom( seed );
	d->n = n;
	for ( int32_t i = 0; i < n * n; ++i )
	{
		d->a[i] = testRandomFloat( &random, -1.0f, 1.0f );
	}
	for ( int32_t j = 0; j < n && kind != sup_kindGeneral; ++j )
	{
		for ( int32_t i = 0; i < j; ++i )
		{
			d->a[j * n + i] = d->a[i * n + j];
		}
		d->a[j * n + j] += kind == sup_kindDefinite ? n : 0.0;
		for ( int32_t i = ( n + 1 ) / 2; i < n && j >= ( n + 1 ) / 2 && kind == sup_kindSaddle; ++i )
		{
			d->a[j * n + i] = d->a[i * n + j] = 0.0;
		}
	}
	for ( int32_t i = 0; i < n; ++i )
	{
		d->b[i] = d->x[i] = testRandomFloat( &random, -1.0f, 1.0f );
	}
	memcpy( d->factor, d->a, (size_t)( n * n ) * sizeof( double ) );
	return d;
}

// How far A x is from b, against | A | | x |.
static double BackwardError( const Dense* d )
{
	double error = 0.0, largest = 0.0, norm = 0.0;
	for ( int32_t i = 0; i < d->n; ++i )
	{
		double sum = -d->b[i], size = 0.0;
		for ( int32_t j = 0; j < d->n; ++j )
		{
			sum += d->a[j * d->n + i] * d->x[j];
			size += fabs( d->a[j * d->n + i] );
		}
		assert_true( isfinite( sum ) );
		error = fmax( error, fabs( sum ) );
		norm = fmax( norm, size );
		largest = fmax( largest, fabs( d->x[i] ) );
	}
	return error / ( norm * largest + 1.0e-300 );
}

static const int32_t s_sizes[] = { 1, 2, 3, 4, 7, 16, 33, 100, 200 };

static void TestCholesky( void** state )
{
	(void)state;
	for ( int i = 0; i < SUP_COUNT( s_sizes ); ++i )
	{
		Dense* d = MakeDense( s_sizes[i], sup_kindDefinite, 1 + (uint64_t)i );
		static double expected[MOST * MOST];
		memcpy( expected, d->a, sizeof( expected ) );
		assert_int_equal( LAPACKE_dpotrf( LAPACK_COL_MAJOR, 'L', d->n, expected, d->n ), 0 );
		assert_int_equal( supDense_FactorCholesky( d->factor, d->n ), -1 );
		for ( int32_t j = 0; j < d->n; ++j )
		{
			for ( int32_t k = j; k < d->n; ++k )
			{
				testLess( fabs( expected[j * d->n + k] - d->factor[j * d->n + k] ), 1.0e-13 * d->n );
			}
		}
		supDense_SolveCholesky( d->factor, d->n, d->x );
		// Higham 2002, theorem 10.4
		testLess( BackwardError( d ), 1.2e-16 * ( 3 * d->n + 1 ) );
	}
	Dense* d = MakeDense( 10, sup_kindDefinite, 1 );
	d->factor[6 * 10 + 6] = -1.0;
	assert_int_equal( supDense_FactorCholesky( d->factor, 10 ), 6 );
	MakeDense( 10, sup_kindDefinite, 1 )->factor[4 * 10 + 4] = NAN;
	assert_int_equal( supDense_FactorCholesky( d->factor, 10 ), 4 );
}

static void TestLu( void** state )
{
	(void)state;
	int32_t exchanges[MOST];
	for ( int i = 0; i < SUP_COUNT( s_sizes ); ++i )
	{
		Dense* d = MakeDense( s_sizes[i], sup_kindGeneral, 1 + (uint64_t)i );
		static double expected[MOST * MOST];
		lapack_int pivots[MOST];
		memcpy( expected, d->a, sizeof( expected ) );
		assert_int_equal( LAPACKE_dgetrf( LAPACK_COL_MAJOR, d->n, d->n, expected, d->n, pivots ), 0 );
		assert_int_equal( supDense_FactorLu( d->factor, d->n, exchanges ), -1 );
		for ( int32_t j = 0; j < d->n; ++j )
		{
			assert_int_equal( exchanges[j] + 1, pivots[j] );
		}
		supDense_SolveLu( d->factor, d->n, exchanges, d->x );
		testLess( BackwardError( d ), 1.0e-13 );
	}
	Dense* d = MakeDense( 10, sup_kindGeneral, 1 );
	memset( d->factor + 30, 0, 10 * sizeof( double ) );
	assert_int_equal( supDense_FactorLu( d->factor, 10, exchanges ), 3 );
}

static void SolveIndefinite( const double* factor, int32_t n, const int32_t* order, const double* diagonal,
							 const double* offDiagonal, double* x )
{
	double work[MOST];
	for ( int32_t i = 0; i < n; ++i )
	{
		work[i] = x[order[i]];
	}
	for ( int32_t j = 0; j < n; ++j )
	{
		const double* column = factor + (size_t)j * (size_t)n;
		for ( int32_t i = j + 1; i < n; ++i )
		{
			work[i] -= column[i] * work[j];
		}
	}
	for ( int32_t i = 0; i < n; ++i )
	{
		if ( offDiagonal[i] == 0.0 )
		{
			work[i] /= diagonal[i];
			continue;
		}
		double inverse[3], p = work[i], q = work[i + 1];
		supInvertPivot( diagonal[i], offDiagonal[i], diagonal[i + 1], inverse );
		work[i] = inverse[0] * p + inverse[1] * q;
		work[i + 1] = inverse[1] * p + inverse[2] * q;
		i += 1;
	}
	for ( int32_t j = n - 1; j >= 0; --j )
	{
		const double* column = factor + (size_t)j * (size_t)n;
		for ( int32_t i = j + 1; i < n; ++i )
		{
			work[j] -= column[i] * work[i];
		}
	}
	for ( int32_t i = 0; i < n; ++i )
	{
		x[order[i]] = work[i];
	}
}

static void TestIndefinite( void** state )
{
	(void)state;
	int32_t order[MOST];
	double diagonal[MOST], beside[MOST];
	for ( int kind = sup_kindSymmetric; kind <= sup_kindSaddle; ++kind )
	{
		for ( int i = 0; i < SUP_COUNT( s_sizes ); ++i )
		{
			Dense* d = MakeDense( s_sizes[i], (Kind)kind, 50 + (uint64_t)i );
			static double values[MOST * MOST];
			double eigenvalues[MOST];
			memcpy( values, d->a, sizeof( values ) );
			assert_int_equal( LAPACKE_dsyev( LAPACK_COL_MAJOR, 'N', 'L', d->n, values, d->n, eigenvalues ), 0 );
			int32_t negative = 0;
			for ( int32_t k = 0; k < d->n; ++k )
			{
				negative += eigenvalues[k] < 0.0;
			}
			supPivots pivots =
				supDense_FactorIndefinite( d->factor, d->n, order, diagonal, beside, 1.0, 1.0e-13, 1.0e-7 );
			assert_int_equal( pivots.negative, negative );
			assert_int_equal( pivots.repaired, 0 );
			// the bound of this way of pivoting on every entry of L
			for ( int32_t j = 0; j < d->n; ++j )
			{
				for ( int32_t k = j + 1; k < d->n; ++k )
				{
					testLess( fabs( d->factor[j * d->n + k] ), 2.79 );
				}
			}
			SolveIndefinite( d->factor, d->n, order, diagonal, beside, d->x );
			testLess( BackwardError( d ), 1.0e-13 );
		}
	}
}

// Rank n - 2: two pivots are replaced, and the rows they belong to are told.
static void TestSingular( void** state )
{
	(void)state;
	int32_t order[MOST];
	double diagonal[MOST], beside[MOST];
	Dense* d = MakeDense( 20, sup_kindSymmetric, 3 );
	for ( int32_t i = 0; i < 20; ++i )
	{
		d->factor[7 * 20 + i] = d->factor[i * 20 + 7] = 0.0;
		d->factor[12 * 20 + i] = d->factor[i * 20 + 12] = 0.0;
	}
	supPivots pivots = supDense_FactorIndefinite( d->factor, 20, order, diagonal, beside, 1.0, 1.0e-13, 1.0e-7 );
	assert_int_equal( pivots.repaired, 2 );
	assert_true( pivots.firstBad == 7 || pivots.firstBad == 12 );
	testLessEqual( pivots.smallest, 1.0e-7 );
	memset( d->factor, 0, sizeof( d->factor ) );
	pivots = supDense_FactorIndefinite( d->factor, 20, order, diagonal, beside, 0.0, 0.0, 1.0 );
	assert_int_equal( pivots.repaired, 20 );
	assert_int_equal( pivots.firstBad, 0 );
}

// Values as LAPACK has them, vectors orthonormal, and A v = l v; also where values coincide.
static void TestEigenvectors( void** state )
{
	(void)state;
	for ( int i = 0; i < SUP_COUNT( s_sizes ) + 2; ++i )
	{
		bool isSpecial = i >= SUP_COUNT( s_sizes );
		Dense* d = MakeDense( isSpecial ? 40 : s_sizes[i], sup_kindSymmetric, 1 + (uint64_t)i );
		int32_t n = d->n;
		for ( int32_t k = 0; k < n * n && isSpecial; ++k )
		{
			// the identity, and a matrix of rank 1
			d->a[k] = d->factor[k] = i == SUP_COUNT( s_sizes ) ? (double)( k % ( n + 1 ) == 0 ) : 1.0;
		}
		static double expected[MOST * MOST];
		double wanted[MOST], values[MOST], scratch[MOST];
		memcpy( expected, d->a, sizeof( expected ) );
		assert_int_equal( LAPACKE_dsyev( LAPACK_COL_MAJOR, 'N', 'L', n, expected, n, wanted ), 0 );
		assert_true( supFindEigenvectors( d->factor, n, values, scratch ) );
		// both are backward stable: errors of some n units in the last place of | A | <= n
		double bound = 1.0e-15 * n * n + 1.0e-15;
		for ( int32_t k = 0; k < n; ++k )
		{
			testLess( fabs( values[k] - wanted[n - 1 - k] ), bound );
			const double* v = d->factor + k * n;
			for ( int32_t j = 0; j < n; ++j )
			{
				double dot = 0.0, image = 0.0;
				for ( int32_t m = 0; m < n; ++m )
				{
					dot += v[m] * d->factor[j * n + m];
					image += d->a[j * n + m] * v[m];
				}
				testLess( fabs( dot - ( j == k ) ), bound );
				testLess( fabs( image - values[k] * v[j] ), bound );
			}
		}
	}
	Dense* d = MakeDense( 10, sup_kindSymmetric, 1 );
	double values[10], scratch[10];
	d->factor[33] = NAN;
	assert_false( supFindEigenvectors( d->factor, 10, values, scratch ) );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEigenvectors ), cmocka_unit_test( TestCholesky ), cmocka_unit_test( TestLu ),
		cmocka_unit_test( TestIndefinite ),   cmocka_unit_test( TestSingular ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
