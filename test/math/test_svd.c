// SPDX-License-Identifier: MIT
// Singular values and polar rotations against LAPACK in double precision, over families of ordinary and wicked
// matrices.
#include "support.h"

#include <float.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

// Column-major, as LAPACK has it.
typedef struct Mat3d
{
	double m[9];
} Mat3d;

static Mat3d Widen( supMat3 m )
{
	return ( Mat3d ){ { m.cx.x, m.cx.y, m.cx.z, m.cy.x, m.cy.y, m.cy.z, m.cz.x, m.cz.y, m.cz.z } };
}

static Mat3d Mul( Mat3d a, Mat3d b )
{
	Mat3d c = { { 0 } };
	for ( int i = 0; i < 27; ++i )
	{
		int row = i % 3, column = i / 3 % 3, k = i / 9;
		c.m[3 * column + row] += a.m[3 * k + row] * b.m[3 * column + k];
	}
	return c;
}

static Mat3d Transpose( Mat3d a )
{
	Mat3d c;
	for ( int i = 0; i < 9; ++i )
	{
		c.m[i] = a.m[i % 3 * 3 + i / 3];
	}
	return c;
}

static double Det( Mat3d a )
{
	const double* m = a.m;
	return m[0] * ( m[4] * m[8] - m[5] * m[7] ) - m[3] * ( m[1] * m[8] - m[2] * m[7] ) +
		   m[6] * ( m[1] * m[5] - m[2] * m[4] );
}

static double Distance( Mat3d a, Mat3d b )
{
	double largest = 0.0;
	for ( int i = 0; i < 9; ++i )
	{
		// written so that NaN is far away
		double d = fabs( a.m[i] - b.m[i] );
		largest = d <= largest ? largest : d;
	}
	return largest;
}

static const Mat3d s_identity = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

// From the unit quaternion in double precision, so that the test adds no error of its own.
static Mat3d MakeRotation( supQuat q )
{
	double n = sqrt( (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w );
	double x = q.x / n, y = q.y / n, z = q.z / n, w = q.w / n;
	return ( Mat3d ){ { 1 - 2 * ( y * y + z * z ), 2 * ( x * y + z * w ), 2 * ( x * z - y * w ), 2 * ( x * y - z * w ),
						1 - 2 * ( x * x + z * z ), 2 * ( y * z + x * w ), 2 * ( x * z + y * w ), 2 * ( y * z - x * w ),
						1 - 2 * ( x * x + y * y ) } };
}

static void Complain( supMat3 m, const char* what, double value )
{
	fail_msg( "%s: %g for columns (%.9g %.9g %.9g) (%.9g %.9g %.9g) (%.9g %.9g %.9g)", what, value, (double)m.cx.x,
			  (double)m.cx.y, (double)m.cx.z, (double)m.cy.x, (double)m.cy.y, (double)m.cy.z, (double)m.cz.x,
			  (double)m.cz.y, (double)m.cz.z );
}

static void Require( supMat3 m, const char* what, double value, double limit )
{
	if ( !( value <= limit ) )
	{
		Complain( m, what, value );
	}
}

typedef struct Oracle
{
	double s[3];
	Mat3d u, v;
	double sign; // of det u det v: -1 where the matrix mirrors
} Oracle;

static Oracle AskLapack( supMat3 m )
{
	Oracle oracle;
	Mat3d a = Widen( m );
	Mat3d vt;
	double work[2];
	int result = LAPACKE_dgesvd( LAPACK_COL_MAJOR, 'A', 'A', 3, 3, a.m, 3, oracle.s, oracle.u.m, 3, vt.m, 3, work );
	assert_int_equal( result, 0 );
	oracle.v = Transpose( vt );
	oracle.sign = Det( oracle.u ) * Det( oracle.v ) < 0.0 ? -1.0 : 1.0;
	return oracle;
}

static void CheckSvd( supMat3 m, const Oracle* oracle )
{
	supSvd svd = supComputeSvd( m );
	double scale = oracle->s[0] + (double)FLT_MIN;
	const double s[3] = { svd.s.x, svd.s.y, svd.s.z };
	for ( int i = 0; i < 3; ++i )
	{
		Require( m, "singular value", fabs( fabs( s[i] ) - oracle->s[i] ) / scale, 1.0e-7 );
	}
	if ( !( s[0] >= s[1] && s[1] >= fabs( s[2] ) ) )
	{
		Complain( m, "order", s[2] );
	}
	Mat3d u = Widen( svd.u );
	Mat3d v = Widen( svd.v );
	Require( m, "orthogonality of u", Distance( Mul( Transpose( u ), u ), s_identity ), 3.0e-7 );
	Require( m, "orthogonality of v", Distance( Mul( Transpose( v ), v ), s_identity ), 3.0e-7 );
	Require( m, "determinant of u", fabs( Det( u ) - 1.0 ), 4.0e-7 );
	Require( m, "determinant of v", fabs( Det( v ) - 1.0 ), 4.0e-7 );
	Mat3d diagonal = { { s[0], 0, 0, 0, s[1], 0, 0, 0, s[2] } };
	Mat3d product = Mul( Mul( u, diagonal ), Transpose( v ) );
	Require( m, "product", Distance( product, Widen( m ) ) / scale, 4.0e-7 );
}

static void CheckPolar( supMat3 m, const Oracle* oracle )
{
	supQuat q = supPolarRotation( m );
	double length = sqrt( (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w );
	Require( m, "length of the polar quaternion", fabs( length - 1.0 ), 2.0e-7 );
	if ( oracle->s[0] == 0.0 )
	{
		assert_memory_equal( &q, &supQuat_identity, sizeof( q ) );
		return;
	}

	// |R - M|^2 = 3 + |M|^2 - 2 tr(Rᵀ M), and no rotation has a larger trace than this
	Mat3d r = MakeRotation( q );
	Mat3d product = Mul( Transpose( r ), Widen( m ) );
	double trace = product.m[0] + product.m[4] + product.m[8];
	double best = oracle->s[0] + oracle->s[1] + oracle->sign * oracle->s[2];
	Require( m, "distance to the nearest rotation", fabs( best - trace ) / oracle->s[0], 2.0e-7 );

	// where there is one best rotation by far, it is that one
	double gap = ( oracle->s[1] + oracle->sign * oracle->s[2] ) / oracle->s[0];
	if ( gap > 1.0e-6 )
	{
		Mat3d mirror = { { 1, 0, 0, 0, 1, 0, 0, 0, oracle->sign } };
		Mat3d nearest = Mul( Mul( oracle->u, mirror ), Transpose( oracle->v ) );
		Require( m, "nearest rotation", Distance( r, nearest ), 1.0e-6 );
	}
}

static void Check( supMat3 m )
{
	Oracle oracle = AskLapack( m );
	CheckSvd( m, &oracle );
	CheckPolar( m, &oracle );
}

// ---------------------------------------------------------------------------------------------------------------------
// Families

static supMat3 MakeMat3( const float* f )
{
	return ( supMat3 ){ { f[0], f[1], f[2] }, { f[3], f[4], f[5] }, { f[6], f[7], f[8] } };
}

static supMat3 ScaleMat3( float s, supMat3 m )
{
	return ( supMat3 ){ supScale( s, m.cx ), supScale( s, m.cy ), supScale( s, m.cz ) };
}

static supMat3 RandomMat3( testRandom* random )
{
	float f[9];
	for ( int i = 0; i < 9; ++i )
	{
		f[i] = testRandomFloat( random, -1.0f, 1.0f );
	}
	return MakeMat3( f );
}

static void TestRandom( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int i = 0; i < 20000; ++i )
	{
		Check( RandomMat3( &random ) );
	}
}

// Every matrix of 0, 1 and -1: all ranks, mirrors, permutations, equal singular values.
static void TestEverySmallInteger( void** state )
{
	(void)state;
	for ( int code = 0; code < 19683; ++code )
	{
		float f[9];
		for ( int i = 0, rest = code; i < 9; ++i, rest /= 3 )
		{
			f[i] = (float)( rest % 3 - 1 );
		}
		Check( MakeMat3( f ) );
	}
}

// The determinant of integers is exact, and the sign of the last singular value is its sign.
static void TestSignOfDeterminant( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	int singular = 0;
	int negative = 0;
	for ( int i = 0; i < 20000; ++i )
	{
		float f[9];
		double d[9];
		// few values for many singular ones, many for nearly singular ones
		uint32_t range = i % 2 == 0 ? 4 : 2001;
		for ( int k = 0; k < 9; ++k )
		{
			f[k] = (float)testRandomInt( &random, range ) - (float)( range / 2 );
			d[k] = f[k];
		}
		// a third of them with a column that is a sum of the others
		for ( int k = 0; k < 3 && i % 3 == 0; ++k )
		{
			d[k] = f[k] = f[k + 3] + f[k + 6];
		}
		Mat3d exact;
		memcpy( exact.m, d, sizeof( d ) );
		double determinant = Det( exact );
		supMat3 m = MakeMat3( f );
		Check( m );
		float z = supComputeSvd( m ).s.z;
		if ( ( z < 0.0f ) != ( determinant < 0.0 ) )
		{
			Complain( m, "sign", (double)z );
		}
		singular += determinant == 0.0;
		negative += determinant < 0.0;
	}
	testGreater( singular, 2000 );
	testGreater( negative, 2000 );
}

static void TestRankOneAndTwo( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int i = 0; i < 5000; ++i )
	{
		supVec3 a = testRandomVec3( &random, 1.0f ), b = testRandomVec3( &random, 1.0f );
		supMat3 one = { supScale( a.x, b ), supScale( a.y, b ), supScale( a.z, b ) };
		Check( one );
		supVec3 c = testRandomVec3( &random, 1.0f ), d = testRandomVec3( &random, 1.0f );
		supMat3 two = { supMulAdd( one.cx, c.x, d ), supMulAdd( one.cy, c.y, d ), supMulAdd( one.cz, c.z, d ) };
		Check( two );
		Check( ( supMat3 ){ a, b, a } );
		Check( ( supMat3 ){ a, a, a } );
		Check( ( supMat3 ){ supVec3_zero, b, supVec3_zero } );
	}
}

// Given singular values between random rotations: equal, nearly equal, flat, needles, inverted, and ratios to 1e12.
static void TestGivenSingularValues( void** state )
{
	(void)state;
	static const float values[][3] = {
		{ 1, 1, 1 },
		{ 1, 1, -1 },
		{ 1, 1, 0 },
		{ 1, 0, 0 },
		{ 1, 0.5f, -0.5f },
		{ 1, 1.000001f, 1 },
		{ 1, 1.0000001f, -1 },
		{ 1, 1e-3f, -1e-3f },
		{ 1, 1e-3f, 0 },
		{ 1, 1e-6f, 1e-6f },
		{ 1, 1e-6f, -1e-6f },
		{ 1, 1e-12f, 1e-12f },
		{ 1, 1, 1e-12f },
		{ 1, 1, -1e-12f },
		{ 1, 1e-6f, 1e-12f },
		{ 1e12f, 1, 1e-12f },
		{ 3, 2, -1 },
		{ 1, 1e-4f, -9.9e-5f },
		{ 1, 0.02f, -0.0199f },
		{ 1, 1e-7f, -1e-7f },
		{ 1e-3f, 1e-3f, -1 },
		{ -1, -1, -1 },
		{ 2, 2, -1.9999f },
		{ 1, 1e-2f, -9.999999e-3f },
	};
	testRandom random = testMakeRandom( 4 );
	for ( int i = 0; i < 2000 * (int)( sizeof( values ) / sizeof( values[0] ) ); ++i )
	{
		const float* s = values[i / 2000];
		supMat3 u = supMakeMat3Quat( testRandomQuat( &random ) );
		supMat3 v = supMakeMat3Quat( testRandomQuat( &random ) );
		supMat3 us = { supScale( s[0], u.cx ), supScale( s[1], u.cy ), supScale( s[2], u.cz ) };
		Check( supMulMM( us, supTranspose( v ) ) );
		// graded rows and graded columns keep tiny singular values where rounding of the product would bury them
		Check( us );
		Check( supTranspose( us ) );
	}
}

static float RandomSize( testRandom* random, float decades )
{
	float size = powf( 10.0f, testRandomFloat( random, -decades, decades ) );
	return testRandomInt( random, 2 ) == 0 ? size : -size;
}

// Entries from 1e-20 to 1e20 beside each other, and whole matrices from denormals to the largest.
static void TestSizes( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int i = 0; i < 10000; ++i )
	{
		float f[9];
		for ( int k = 0; k < 9; ++k )
		{
			f[k] = RandomSize( &random, 20.0f );
		}
		Check( MakeMat3( f ) );
		Check( ScaleMat3( RandomSize( &random, 37.0f ), RandomMat3( &random ) ) );
		Check( ScaleMat3( 1.0e20f, RandomMat3( &random ) ) );
		Check( ScaleMat3( 1.0e-20f, RandomMat3( &random ) ) );
	}
}

// The entries are multiples of the smallest float, and so are the singular values: half of it is as near as one gets.
static void TestDenormals( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 6 );
	for ( int i = 0; i < 5000; ++i )
	{
		supMat3 m = ScaleMat3( powf( 10.0f, testRandomFloat( &random, -45.0f, -38.0f ) ), RandomMat3( &random ) );
		Oracle oracle = AskLapack( m );
		CheckPolar( m, &oracle );
		supSvd svd = supComputeSvd( m );
		double limit = 0.5 * (double)FLT_TRUE_MIN + 1.0e-7 * oracle.s[0];
		Require( m, "first denormal singular value", fabs( svd.s.x - oracle.s[0] ), limit );
		Require( m, "second denormal singular value", fabs( svd.s.y - oracle.s[1] ), limit );
		Require( m, "third denormal singular value", fabs( svd.s.z - oracle.sign * oracle.s[2] ), limit );
		Mat3d u = Widen( svd.u );
		Require( m, "orthogonality of u", Distance( Mul( Transpose( u ), u ), s_identity ), 3.0e-7 );
	}
}

static void TestNotFinite( void** state )
{
	(void)state;
	const float odd[] = { NAN, INFINITY, -INFINITY };
	testRandom random = testMakeRandom( 7 );
	for ( int i = 0; i < 27; ++i )
	{
		float f[9];
		for ( int k = 0; k < 9; ++k )
		{
			f[k] = k == i % 9 ? odd[i / 9] : testRandomFloat( &random, -1.0f, 1.0f );
		}
		supSvd svd = supComputeSvd( MakeMat3( f ) );
		assert_true( svd.s.x != svd.s.x && svd.s.y != svd.s.y && svd.s.z != svd.s.z );
		assert_memory_equal( &svd.u, &supMat3_identity, sizeof( supMat3 ) );
		assert_memory_equal( &svd.v, &supMat3_identity, sizeof( supMat3 ) );
		supQuat q = supPolarRotation( MakeMat3( f ) );
		assert_memory_equal( &q, &supQuat_identity, sizeof( q ) );
	}
	supMat3 all = { { NAN, NAN, NAN }, { INFINITY, NAN, -INFINITY }, { NAN, NAN, NAN } };
	assert_true( supComputeSvd( all ).s.x != supComputeSvd( all ).s.x );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRandom ),
		cmocka_unit_test( TestEverySmallInteger ),
		cmocka_unit_test( TestSignOfDeterminant ),
		cmocka_unit_test( TestRankOneAndTwo ),
		cmocka_unit_test( TestGivenSingularValues ),
		cmocka_unit_test( TestSizes ),
		cmocka_unit_test( TestDenormals ),
		cmocka_unit_test( TestNotFinite ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
