// SPDX-License-Identifier: MIT
// The inline functions of the public header: scalars, vectors, boxes, 3x3.
#include "support.h"

#include <float.h>

static void AssertNear( supVec3 a, supVec3 b, float tolerance )
{
	if ( !( supDistance( a, b ) <= tolerance ) )
	{
		fail_msg( "(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
				  (double)b.z );
	}
}

static void TestScalars( void** state )
{
	(void)state;
	assert_true( supMinFloat( 1.0f, -2.0f ) == -2.0f && supMaxFloat( 1.0f, -2.0f ) == 1.0f );
	assert_true( supClampFloat( 5.0f, 0.0f, 1.0f ) == 1.0f && supClampFloat( -5.0f, 0.0f, 1.0f ) == 0.0f );
	assert_true( supClampFloat( 0.25f, 0.0f, 1.0f ) == 0.25f );
	// exact at both ends, whatever the sizes
	assert_true( supLerpFloat( 1.0e30f, -7.0f, 1.0f ) == -7.0f && supLerpFloat( 1.0e30f, -7.0f, 0.0f ) == 1.0e30f );
	assert_true( supIsFinite( 0.0f ) && supIsFinite( FLT_MAX ) && supIsFinite( -FLT_TRUE_MIN ) );
	assert_false( supIsFinite( INFINITY ) || supIsFinite( -INFINITY ) || supIsFinite( NAN ) );
	assert_true( supIsFiniteVec3( supVec3_one ) );
	assert_false( supIsFiniteVec3( supMakeVec3( 0.0f, NAN, 0.0f ) ) ||
				  supIsFiniteVec3( supMakeVec3( 0, 0, INFINITY ) ) );
}

static void TestVectors( void** state )
{
	(void)state;
	supVec3 x = { 1.0f, 0.0f, 0.0f }, y = { 0.0f, 1.0f, 0.0f }, z = { 0.0f, 0.0f, 1.0f };
	// right-handed
	AssertNear( supCross( x, y ), z, 0.0f );
	AssertNear( supCross( y, z ), x, 0.0f );
	AssertNear( supCross( z, x ), y, 0.0f );
	testRandom random = testMakeRandom( 1 );
	for ( int i = 0; i < 1000; ++i )
	{
		supVec3 a = testRandomVec3( &random, 2.0f ), b = testRandomVec3( &random, 2.0f );
		float s = testRandomFloat( &random, -2.0f, 2.0f );
		AssertNear( supSub( supAdd( a, b ), b ), a, 1.0e-6f );
		AssertNear( supAdd( a, supNeg( a ) ), supVec3_zero, 0.0f );
		AssertNear( supMulAdd( a, s, b ), supAdd( a, supScale( s, b ) ), 0.0f );
		AssertNear( supLerp( a, b, 0.0f ), a, 0.0f );
		AssertNear( supLerp( a, b, 1.0f ), b, 0.0f );
		AssertNear( supLerp( a, b, 0.5f ), supScale( 0.5f, supAdd( a, b ) ), 1.0e-6f );
		AssertNear( supMul( a, supMakeVec3( s, s, s ) ), supScale( s, a ), 0.0f );
		// Lagrange: |a x b|^2 + (a . b)^2 = |a|^2 |b|^2
		float cross = supLengthSquared( supCross( a, b ) );
		float dot = supDot( a, b );
		float product = supLengthSquared( a ) * supLengthSquared( b );
		testLessEqual( fabsf( cross + dot * dot - product ), 4.0e-6f * product );
		testLess( fabsf( supLength( supNormalize( a ) ) - 1.0f ), 3.0e-7f );
		assert_true( fabsf( supDistance( a, b ) - supLength( supSub( a, b ) ) ) == 0.0f );
	}
	AssertNear( supNormalize( supVec3_zero ), supVec3_zero, 0.0f );
}

static void TestBoxes( void** state )
{
	(void)state;
	assert_true( supBox_IsEmpty( supBox_empty ) );
	AssertNear( supBox_Size( supBox_empty ), supVec3_zero, 0.0f );
	supBox box = supBox_Include( supBox_empty, supMakeVec3( 1.0f, -2.0f, 3.0f ) );
	assert_false( supBox_IsEmpty( box ) );
	AssertNear( supBox_Size( box ), supVec3_zero, 0.0f );
	box = supBox_Include( box, supMakeVec3( -1.0f, 5.0f, 3.5f ) );
	AssertNear( box.lower, supMakeVec3( -1.0f, -2.0f, 3.0f ), 0.0f );
	AssertNear( box.upper, supMakeVec3( 1.0f, 5.0f, 3.5f ), 0.0f );
	AssertNear( supBox_Size( box ), supMakeVec3( 2.0f, 7.0f, 0.5f ), 0.0f );
}

static supMat3 RandomMat3( testRandom* random )
{
	return ( supMat3 ){ testRandomVec3( random, 1.0f ), testRandomVec3( random, 1.0f ),
						testRandomVec3( random, 1.0f ) };
}

static void TestMatrices( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	for ( int i = 0; i < 1000; ++i )
	{
		supMat3 a = RandomMat3( &random ), b = RandomMat3( &random );
		supVec3 v = testRandomVec3( &random, 1.0f ), w = testRandomVec3( &random, 1.0f );
		AssertNear( supMulMV( supMulMM( a, b ), v ), supMulMV( a, supMulMV( b, v ) ), 2.0e-6f );
		AssertNear( supMulMV( a, supMakeVec3( 0.0f, 1.0f, 0.0f ) ), a.cy, 0.0f );
		testLess( fabsf( supDot( supMulMV( a, v ), w ) - supDot( v, supMulMV( supTranspose( a ), w ) ) ), 2.0e-6f );
		float product = supDeterminant( a ) * supDeterminant( b );
		testLess( fabsf( supDeterminant( supMulMM( a, b ) ) - product ), 5.0e-6f );
		// area vectors: cof(a) (v x w) = a v x a w, also for a singular one
		supMat3 singular = { a.cx, a.cy, a.cx };
		AssertNear( supMulMV( supCofactor( a ), supCross( v, w ) ), supCross( supMulMV( a, v ), supMulMV( a, w ) ),
					4.0e-6f );
		AssertNear( supMulMV( supCofactor( singular ), supCross( v, w ) ),
					supCross( supMulMV( singular, v ), supMulMV( singular, w ) ), 4.0e-6f );
	}
}

static void TestAffineMaps( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int i = 0; i < 1000; ++i )
	{
		supMat3 a = RandomMat3( &random ), b = RandomMat3( &random );
		supMat34 m = { a.cx, a.cy, a.cz, testRandomVec3( &random, 3.0f ) };
		supMat34 n = { b.cx, b.cy, b.cz, testRandomVec3( &random, 3.0f ) };
		supVec3 p = testRandomVec3( &random, 2.0f );
		AssertNear( supTransformPoint( supMulMat34( m, n ), p ), supTransformPoint( m, supTransformPoint( n, p ) ),
					1.0e-5f );
		AssertNear( supTransformPoint( m, p ), supAdd( supMulMV( supLinearPart( m ), p ), m.t ), 2.0e-6f );
		AssertNear( supTransformPoint( supMat34_identity, p ), p, 0.0f );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestScalars ),  cmocka_unit_test( TestVectors ),    cmocka_unit_test( TestBoxes ),
		cmocka_unit_test( TestMatrices ), cmocka_unit_test( TestAffineMaps ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
