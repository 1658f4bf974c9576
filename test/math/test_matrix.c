// SPDX-License-Identifier: MIT
// Inverses against LAPACK, and splitting of affine maps.
#include "support.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

static supMat3 RandomMat3( testRandom* random )
{
	return ( supMat3 ){ testRandomVec3( random, 1.0f ), testRandomVec3( random, 1.0f ),
						testRandomVec3( random, 1.0f ) };
}

static supMat3 ScaleMat3( float s, supMat3 m )
{
	return ( supMat3 ){ supScale( s, m.cx ), supScale( s, m.cy ), supScale( s, m.cz ) };
}

static void Flatten( supMat3 m, double f[9] )
{
	const double entries[9] = { m.cx.x, m.cx.y, m.cx.z, m.cy.x, m.cy.y, m.cy.z, m.cz.x, m.cz.y, m.cz.z };
	memcpy( f, entries, sizeof( entries ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Inverse

static void CheckInverse( supMat3 m )
{
	double a[9];
	Flatten( m, a );
	lapack_int pivots[3];
	assert_int_equal( LAPACKE_dgetrf( LAPACK_COL_MAJOR, 3, 3, a, 3, pivots ), 0 );
	assert_int_equal( LAPACKE_dgetri( LAPACK_COL_MAJOR, 3, a, 3, pivots ), 0 );
	supMat3 inverse;
	assert_true( supInvertMat3( m, &inverse ) );
	double f[9];
	Flatten( inverse, f );
	double largest = 0.0;
	double error = 0.0;
	for ( int i = 0; i < 9; ++i )
	{
		largest = fmax( largest, fabs( a[i] ) );
		error = fmax( error, fabs( f[i] - a[i] ) );
	}
	if ( !( error <= 1.0e-7 * largest ) )
	{
		fail_msg( "an inverse is off by %g of %g", error, largest );
	}
}

static void TestInverse( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int i = 0; i < 5000; ++i )
	{
		supMat3 m = RandomMat3( &random );
		CheckInverse( m );
		CheckInverse( ScaleMat3( 1.0e-15f, m ) );
		CheckInverse( ScaleMat3( 1.0e15f, m ) );
		CheckInverse( ScaleMat3( 1.0e-30f, m ) );
		CheckInverse( ( supMat3 ){ supScale( 1.0e12f, m.cx ), m.cy, supScale( 1.0e-12f, m.cz ) } );
	}
}

// Every matrix of 0, 1 and -1, also with columns scaled by what no float holds exactly: the determinant is known, and
// exactly the singular ones are refused.
static void TestSingularOnesAreRefused( void** state )
{
	(void)state;
	int refused = 0;
	for ( int code = 0; code < 19683; ++code )
	{
		float f[9];
		for ( int i = 0, rest = code; i < 9; ++i, rest /= 3 )
		{
			f[i] = (float)( rest % 3 - 1 );
		}
		supMat3 m = { { f[0], f[1], f[2] }, { f[3], f[4], f[5] }, { f[6], f[7], f[8] } };
		bool singular = supDeterminant( m ) == 0.0f;
		// columns scaled by different numbers keep the rank, and rounding alone must not make it full
		supMat3 odd = { supScale( 0.1f, m.cx ), supScale( 0.7f, m.cy ), supScale( 1.0e-9f, m.cz ) };
		const supMat3 before = ScaleMat3( 77.0f, supMat3_identity );
		supMat3 inverse = before;
		supMat3 oddInverse = before;
		assert_int_equal( supInvertMat3( m, &inverse ), singular == false );
		assert_int_equal( supInvertMat3( odd, &oddInverse ), singular == false );
		if ( singular )
		{
			assert_memory_equal( &inverse, &before, sizeof( inverse ) );
			assert_memory_equal( &oddInverse, &before, sizeof( inverse ) );
			refused += 1;
		}
	}
	// of 3^9
	assert_int_equal( refused, 7875 );
}

static void TestEqualColumnsAreSingular( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	supMat3 inverse;
	for ( int i = 0; i < 5000; ++i )
	{
		supMat3 m = RandomMat3( &random );
		assert_false( supInvertMat3( ( supMat3 ){ m.cx, m.cx, m.cy }, &inverse ) );
		assert_false( supInvertMat3( ( supMat3 ){ m.cx, m.cy, supScale( -4.0f, m.cx ) }, &inverse ) );
		assert_false( supInvertMat3( ( supMat3 ){ m.cx, m.cy, supVec3_zero }, &inverse ) );
	}
	assert_false( supInvertMat3( ( supMat3 ){ { NAN, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, &inverse ) );
	assert_false( supInvertMat3( ( supMat3 ){ { INFINITY, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, &inverse ) );
	// its inverse is larger than any float
	assert_false( supInvertMat3( ScaleMat3( 1.0e-40f, supMat3_identity ), &inverse ) );
}

static void TestAffineInverse( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int i = 0; i < 5000; ++i )
	{
		supTransform transform = { testRandomVec3( &random, 5.0f ), testRandomQuat( &random ),
								   supAdd( testRandomVec3( &random, 0.5f ), supVec3_one ) };
		supMat34 m = supMakeMat34Transform( transform );
		supMat34 inverse;
		assert_true( supInvertMat34( m, &inverse ) );
		supVec3 p = testRandomVec3( &random, 5.0f );
		testLess( supDistance( supTransformPoint( inverse, supTransformPoint( m, p ) ), p ), 1.0e-5f );
		testLess( supDistance( supTransformPoint( m, supTransformPoint( inverse, p ) ), p ), 1.0e-5f );
	}
	supMat34 flat = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 }, { 1, 2, 3 } };
	supMat34 far = { { 1e-20f, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1e30f, 0, 0 } };
	supMat34 untouched = supMat34_identity;
	assert_false( supInvertMat34( flat, &untouched ) );
	assert_false( supInvertMat34( far, &untouched ) );
	assert_memory_equal( &untouched, &supMat34_identity, sizeof( untouched ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Splitting

static double FitError( supMat34 m, supTransform transform )
{
	double a[9], b[9];
	Flatten( supLinearPart( m ), a );
	Flatten( supLinearPart( supMakeMat34Transform( transform ) ), b );
	double sum = 0.0;
	for ( int i = 0; i < 9; ++i )
	{
		sum += ( a[i] - b[i] ) * ( a[i] - b[i] );
	}
	return sqrt( sum );
}

// Splits what scale, rotation and translation make, and expects the same map back, the lengths of its columns as scale
// (the rotation's rounding is in them) and the given signs.
static void CheckSplit( supTransform made, supVec3 expected )
{
	supMat34 m = supMakeMat34Transform( made );
	supTransform split;
	assert_true( supDecompose( m, &split ) );
	float size = supLength( expected );
	testLessEqual( FitError( m, split ), 1.0e-6 * (double)size );
	const supVec3 columns[3] = { m.cx, m.cy, m.cz };
	const float scales[3] = { split.scale.x, split.scale.y, split.scale.z };
	const float signs[3] = { expected.x, expected.y, expected.z };
	for ( int i = 0; i < 3; ++i )
	{
		supVec3 c = columns[i];
		double length = sqrt( (double)c.x * c.x + (double)c.y * c.y + (double)c.z * c.z );
		testLessEqual( fabs( fabs( (double)scales[i] ) - length ), 1.0e-7 * length );
		assert_true( ( scales[i] < 0.0f ) == ( signs[i] < 0.0f ) );
	}
	assert_memory_equal( &split.translation, &made.translation, sizeof( supVec3 ) );
	float length = sqrtf( supDotQuat( split.rotation, split.rotation ) );
	testLess( fabsf( length - 1.0f ), 3.0e-7f );
}

static void TestSplit( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	for ( int i = 0; i < 3000; ++i )
	{
		supTransform t = { testRandomVec3( &random, 5.0f ), testRandomQuat( &random ), supVec3_one };
		t.scale = supAdd( testRandomVec3( &random, 0.9f ), supVec3_one );
		CheckSplit( t, t.scale );
		// an odd number of negative scales is a mirror along x, an even number is a rotation
		supVec3 positive = t.scale;
		t.scale.y = -t.scale.y;
		CheckSplit( t, supMakeVec3( -positive.x, positive.y, positive.z ) );
		t.scale.z = -t.scale.z;
		CheckSplit( t, positive );
		t.scale.x = -t.scale.x;
		CheckSplit( t, supMakeVec3( -positive.x, positive.y, positive.z ) );
		// tiny, huge, flat, a needle, a point
		t.scale = supScale( 1.0e-15f, positive );
		CheckSplit( t, t.scale );
		t.scale = supScale( 1.0e15f, positive );
		CheckSplit( t, t.scale );
		for ( int axes = 0; axes < 8; ++axes )
		{
			t.scale =
				supMakeVec3( axes & 1 ? 0.0f : positive.x, axes & 2 ? 0.0f : positive.y, axes & 4 ? 0.0f : positive.z );
			CheckSplit( t, t.scale );
		}
		t.scale = supMakeVec3( 1.0f, 1.0e-5f, 1.0e-12f );
		CheckSplit( t, t.scale );
	}
}

static void TestSplitKeepsSimpleNumbers( void** state )
{
	(void)state;
	supTransform split;
	supMat34 m = { { 2, 0, 0 }, { 0, 3, 0 }, { 0, 0, 4 }, { 5, 6, 7 } };
	supTransform expected = { { 5, 6, 7 }, supQuat_identity, { 2, 3, 4 } };
	assert_true( supDecompose( m, &split ) );
	assert_memory_equal( &split.translation, &expected.translation, sizeof( supVec3 ) );
	assert_true( split.scale.x == 2.0f && split.scale.y == 3.0f && split.scale.z == 4.0f );
	assert_true( fabsf( split.rotation.w ) == 1.0f );
}

// Shear is told, and no transform in the neighbourhood fits better.
static void TestShearIsToldAndFitted( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int i = 0; i < 500; ++i )
	{
		supMat3 l = RandomMat3( &random );
		supMat34 m = { l.cx, l.cy, l.cz, testRandomVec3( &random, 1.0f ) };
		supTransform split;
		assert_false( supDecompose( m, &split ) );
		double error = FitError( m, split );
		assert_true( ( split.scale.x < 0.0f ) == ( supDeterminant( l ) < 0.0f ) );
		for ( int k = 0; k < 50; ++k )
		{
			supTransform other = split;
			supQuat turn = supMakeQuatAxisAngle( testRandomVec3( &random, 1.0f ), 0.05f );
			other.rotation = supNormalizeQuat( supMulQuat( other.rotation, turn ) );
			other.scale = supAdd( other.scale, testRandomVec3( &random, 0.02f ) );
			testGreater( FitError( m, other ), error - 1.0e-4 );
		}
	}
}

static void TestShearTolerance( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 6 );
	for ( int i = 0; i < 1000; ++i )
	{
		supTransform t = { supVec3_zero, testRandomQuat( &random ),
						   supAdd( testRandomVec3( &random, 0.9f ), supVec3_one ) };
		supMat34 m = supMakeMat34Transform( t );
		supMat34 little = m, much = m;
		little.cx = supMulAdd( m.cx, 5.0e-6f * t.scale.x / t.scale.y, m.cy );
		much.cx = supMulAdd( m.cx, 2.0e-5f * t.scale.x / t.scale.y, m.cy );
		assert_true( supDecompose( little, &t ) );
		assert_false( supDecompose( much, &t ) );
		testLess( FitError( much, t ), 3.0e-5 );
	}
}

static void TestSplitOfWhatIsNotFinite( void** state )
{
	(void)state;
	for ( int i = 0; i < 12; ++i )
	{
		float f[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
		f[i] = i % 2 == 0 ? NAN : INFINITY;
		supMat34 m = { { f[0], f[1], f[2] }, { f[3], f[4], f[5] }, { f[6], f[7], f[8] }, { f[9], f[10], f[11] } };
		supTransform split;
		assert_false( supDecompose( m, &split ) );
		assert_memory_equal( &split.rotation, &supQuat_identity, sizeof( supQuat ) );
		assert_memory_equal( &split.scale, &supVec3_one, sizeof( supVec3 ) );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestInverse ),
		cmocka_unit_test( TestSingularOnesAreRefused ),
		cmocka_unit_test( TestEqualColumnsAreSingular ),
		cmocka_unit_test( TestAffineInverse ),
		cmocka_unit_test( TestSplit ),
		cmocka_unit_test( TestSplitKeepsSimpleNumbers ),
		cmocka_unit_test( TestShearIsToldAndFitted ),
		cmocka_unit_test( TestShearTolerance ),
		cmocka_unit_test( TestSplitOfWhatIsNotFinite ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
