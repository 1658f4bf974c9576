// SPDX-License-Identifier: MIT
// Quaternions against matrices and the C library's trigonometry; dual quaternions against rigid motions.
#include "support.h"

#include <string.h>

static void AssertNear( supVec3 a, supVec3 b, float tolerance )
{
	if ( !( supDistance( a, b ) <= tolerance ) )
	{
		fail_msg( "(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
				  (double)b.z );
	}
}

// What a dozen roundings make of a vector of length sqrt(3), a factor of a unit quaternion's own rounding included.
#define TOLERANCE 2.0e-6f

static void AssertUnit( supQuat q )
{
	double length = sqrt( (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w );
	if ( !( fabs( length - 1.0 ) < 2.0e-7 ) )
	{
		fail_msg( "(%g %g %g %g) is not of unit length", (double)q.x, (double)q.y, (double)q.z, (double)q.w );
	}
}

// The same rotation, either sign.
static void AssertSameRotation( supQuat a, supQuat b, float tolerance )
{
	float sign = supDotQuat( a, b ) < 0.0f ? -1.0f : 1.0f;
	float distance =
		fabsf( a.x - sign * b.x ) + fabsf( a.y - sign * b.y ) + fabsf( a.z - sign * b.z ) + fabsf( a.w - sign * b.w );
	if ( !( distance <= tolerance ) )
	{
		fail_msg( "(%g %g %g %g) does not turn like (%g %g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)a.w,
				  (double)b.x, (double)b.y, (double)b.z, (double)b.w );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Quaternions

static void TestProductsAndMatrices( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int i = 0; i < 5000; ++i )
	{
		supQuat a = testRandomQuat( &random ), b = testRandomQuat( &random );
		supVec3 v = testRandomVec3( &random, 1.0f );
		supMat3 m = supMakeMat3Quat( a );
		AssertNear( supRotate( a, v ), supMulMV( m, v ), TOLERANCE );
		AssertNear( supRotate( supMulQuat( a, b ), v ), supRotate( a, supRotate( b, v ) ), TOLERANCE );
		AssertNear( supRotate( supConjugate( a ), supRotate( a, v ) ), v, TOLERANCE );
		AssertNear( supMulMV( supTranspose( m ), supMulMV( m, v ) ), v, TOLERANCE );
		testLess( fabsf( supDeterminant( m ) - 1.0f ), TOLERANCE );
		AssertSameRotation( supMakeQuatMat3( m ), a, 8.0e-7f );
		AssertUnit( supMakeQuatMat3( m ) );
	}
	supQuat zero = { 0.0f, 0.0f, 0.0f, 0.0f };
	AssertSameRotation( supNormalizeQuat( zero ), supQuat_identity, 0.0f );
}

// Half turns and quarter turns, where the branches of the conversion meet.
static void TestMatricesOfRightAngles( void** state )
{
	(void)state;
	for ( int code = 0; code < 16; ++code )
	{
		for ( int other = 0; other < 81; ++other )
		{
			supQuat q = { (float)( other % 3 - 1 ), (float)( other / 3 % 3 - 1 ), (float)( other / 9 % 3 - 1 ),
						  (float)( other / 27 % 3 - 1 ) };
			if ( supDotQuat( q, q ) > 0.0f )
			{
				// a breath away from the exact turn too
				q.x += code & 1 ? 1.0e-6f : 0.0f;
				q.y -= code & 2 ? 1.0e-6f : 0.0f;
				q.z += code & 4 ? 1.0e-4f : 0.0f;
				q.w -= code & 8 ? 1.0e-7f : 0.0f;
				q = supNormalizeQuat( q );
				AssertSameRotation( supMakeQuatMat3( supMakeMat3Quat( q ) ), q, 8.0e-7f );
			}
		}
	}
}

// Rodrigues: v cos a + (k x v) sin a + k (k . v)(1 - cos a)
static void TestAxisAngle( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	for ( int i = 0; i < 5000; ++i )
	{
		supVec3 axis = supNormalize( testRandomVec3( &random, 1.0f ) );
		supVec3 v = testRandomVec3( &random, 1.0f );
		float angle = testRandomFloat( &random, -20.0f, 20.0f );
		float c = (float)cos( angle ), s = (float)sin( angle );
		supVec3 expected = supAdd( supMulAdd( supScale( c, v ), s, supCross( axis, v ) ),
								   supScale( supDot( axis, v ) * ( 1.0f - c ), axis ) );
		// any length of the axis a float can hold
		float size = powf( 10.0f, testRandomFloat( &random, -37.0f, 37.0f ) );
		supQuat q = supMakeQuatAxisAngle( supScale( size, axis ), angle );
		AssertUnit( q );
		AssertNear( supRotate( q, v ), expected, TOLERANCE );
	}
	AssertSameRotation( supMakeQuatAxisAngle( supVec3_zero, 2.0f ), supQuat_identity, 0.0f );
	AssertSameRotation( supMakeQuatAxisAngle( supMakeVec3( NAN, 0.0f, 0.0f ), 2.0f ), supQuat_identity, 0.0f );
	AssertSameRotation( supMakeQuatAxisAngle( supMakeVec3( 0.0f, INFINITY, 0.0f ), 2.0f ), supQuat_identity, 0.0f );
}

static void CheckBetween( supVec3 from, supVec3 to )
{
	supQuat q = supMakeQuatBetween( from, to );
	AssertUnit( q );
	supVec3 a = supNormalize( from ), b = supNormalize( to );
	AssertNear( supRotate( q, a ), b, 1.0e-6f );
	// the smallest rotation: its angle is the angle between the two
	double angle = 2.0 * atan2( (double)supLength( supMakeVec3( q.x, q.y, q.z ) ), fabs( (double)q.w ) );
	double between = 2.0 * atan2( (double)supDistance( a, b ), (double)supLength( supAdd( a, b ) ) );
	testLess( fabs( angle - between ), 2.0e-6 );
}

static void TestBetween( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int i = 0; i < 5000; ++i )
	{
		supVec3 a = testRandomVec3( &random, 1.0f );
		supVec3 b = testRandomVec3( &random, 1.0f );
		CheckBetween( a, b );
		CheckBetween( a, a );
		CheckBetween( a, supScale( -3.0f, a ) );
		CheckBetween( supScale( 1.0e-15f, a ), supScale( 1.0e15f, b ) );
		// nearly equal and nearly opposite, at all distances
		float tilt = powf( 10.0f, testRandomFloat( &random, -9.0f, -1.0f ) );
		CheckBetween( a, supMulAdd( a, tilt, b ) );
		CheckBetween( a, supMulAdd( supNeg( a ), tilt, b ) );
	}
	for ( int i = 0; i < 27; ++i )
	{
		supVec3 a = { (float)( i % 3 - 1 ), (float)( i / 3 % 3 - 1 ), (float)( i / 9 - 1 ) };
		if ( i != 13 )
		{
			CheckBetween( a, supNeg( a ) );
			AssertSameRotation( supMakeQuatBetween( a, supVec3_zero ), supQuat_identity, 0.0f );
			AssertSameRotation( supMakeQuatBetween( supVec3_zero, a ), supQuat_identity, 0.0f );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Interpolation

static void AssertSlerp( supQuat a, supQuat b, float t )
{
	supQuat q = supSlerp( a, b, t );
	AssertUnit( q );
	// from a by t times the rotation from a to b: the angle of a* q is t times the angle of a* b
	supQuat whole = supMulQuat( supConjugate( a ), b );
	supQuat part = supMulQuat( supConjugate( a ), q );
	double wholeSine = (double)supLength( supMakeVec3( whole.x, whole.y, whole.z ) );
	double partSine = (double)supLength( supMakeVec3( part.x, part.y, part.z ) );
	double wholeAngle = atan2( wholeSine, fabs( (double)whole.w ) );
	double partAngle = atan2( partSine, fabs( (double)part.w ) );
	testLess( fabs( partAngle - (double)t * wholeAngle ), 4.0e-7 );
	// and about the same axis
	if ( wholeSine > 1.0e-3 && partSine > 1.0e-3 )
	{
		supVec3 wholeAxis = supScale( 1.0f / (float)wholeSine, supMakeVec3( whole.x, whole.y, whole.z ) );
		supVec3 partAxis = supScale( 1.0f / (float)partSine, supMakeVec3( part.x, part.y, part.z ) );
		float sign = whole.w * part.w < 0.0f ? -1.0f : 1.0f;
		// half a turn one way is half a turn the other way
		sign = fabsf( whole.w ) > 1.0e-6f ? sign : ( supDot( wholeAxis, partAxis ) < 0.0f ? -1.0f : 1.0f );
		AssertNear( partAxis, supScale( sign, wholeAxis ), 1.0e-3f );
	}
}

static supQuat NegateQuat( supQuat q )
{
	return ( supQuat ){ -q.x, -q.y, -q.z, -q.w };
}

static void CheckInterpolation( supQuat a, supQuat b, testRandom* random )
{
	for ( int k = 0; k < 4; ++k )
	{
		AssertSlerp( a, b, testRandomFloat( random, 0.0f, 1.0f ) );
		AssertSlerp( a, NegateQuat( b ), testRandomFloat( random, 0.0f, 1.0f ) );
	}
	// exact at the ends
	supQuat start = supSlerp( a, b, 0.0f );
	supQuat end = supSlerp( a, b, 1.0f );
	supQuat target = supDotQuat( a, b ) < 0.0f ? NegateQuat( b ) : b;
	assert_memory_equal( &start, &a, sizeof( a ) );
	assert_memory_equal( &end, &target, sizeof( a ) );

	// the cheap one goes the same way, and at half time is at the same place
	AssertSameRotation( supNlerp( a, b, 0.0f ), a, 4.0e-7f );
	AssertSameRotation( supNlerp( a, b, 1.0f ), b, 4.0e-7f );
	AssertSameRotation( supNlerp( a, b, 0.5f ), supSlerp( a, b, 0.5f ), 1.0e-6f );
	AssertUnit( supNlerp( a, b, 0.3f ) );
}

static void TestInterpolation( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	for ( int i = 0; i < 3000; ++i )
	{
		supQuat a = testRandomQuat( &random );
		CheckInterpolation( a, testRandomQuat( &random ), &random );
		CheckInterpolation( a, a, &random );
		CheckInterpolation( a, NegateQuat( a ), &random );
		supVec3 axis = testRandomVec3( &random, 1.0f );
		float angle = powf( 10.0f, testRandomFloat( &random, -9.0f, 0.0f ) );
		supQuat near = supNormalizeQuat( supMulQuat( a, supMakeQuatAxisAngle( axis, angle ) ) );
		CheckInterpolation( a, near, &random );
		// nearly the longest way there is, half a turn
		supQuat far = supNormalizeQuat( supMulQuat( a, supMakeQuatAxisAngle( axis, SUP_PI - angle ) ) );
		CheckInterpolation( a, far, &random );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Dual quaternions

static void TestDualQuaternionsAreRigidMotions( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int i = 0; i < 5000; ++i )
	{
		supQuat ra = testRandomQuat( &random ), rb = testRandomQuat( &random );
		supVec3 ta = testRandomVec3( &random, 2.0f ), tb = testRandomVec3( &random, 2.0f );
		supVec3 p = testRandomVec3( &random, 1.0f );
		supDualQuat a = supMakeDualQuat( ra, ta ), b = supMakeDualQuat( rb, tb );
		supMat34 ma = supMakeMat34Transform( ( supTransform ){ ta, ra, supVec3_one } );
		supMat34 mb = supMakeMat34Transform( ( supTransform ){ tb, rb, supVec3_one } );
		AssertNear( supDualQuat_Translation( a ), ta, 3.0e-6f );
		AssertNear( supTransformPointDualQuat( a, p ), supTransformPoint( ma, p ), 4.0e-6f );
		AssertNear( supTransformPointDualQuat( supMulDualQuat( a, b ), p ),
					supTransformPoint( supMulMat34( ma, mb ), p ), 1.0e-5f );
	}
}

static supQuat Blend( supQuat a, supQuat b, float s )
{
	return ( supQuat ){ s * a.x + b.x, s * a.y + b.y, s * a.z + b.z, s * a.w + b.w };
}

// A blend of motions is neither of unit length nor a motion before it is normalised.
static void TestNormalizeDualQuaternion( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 6 );
	for ( int i = 0; i < 5000; ++i )
	{
		supDualQuat a = supMakeDualQuat( testRandomQuat( &random ), testRandomVec3( &random, 2.0f ) );
		supDualQuat b = supMakeDualQuat( testRandomQuat( &random ), testRandomVec3( &random, 2.0f ) );
		float s = supDotQuat( a.real, b.real ) < 0.0f ? -0.7f : 0.7f;
		supDualQuat blend = { Blend( a.real, b.real, s ), Blend( a.dual, b.dual, s ) };
		supDualQuat q = supNormalizeDualQuat( blend );
		AssertUnit( q.real );
		testLess( fabsf( supDotQuat( q.real, q.dual ) ), 1.0e-6f );
		// a motion scaled by a number is that motion
		supDualQuat scaled = { Blend( a.real, a.real, 2.0f ), Blend( a.dual, a.dual, 2.0f ) };
		supVec3 p = testRandomVec3( &random, 1.0f );
		AssertNear( supTransformPointDualQuat( supNormalizeDualQuat( scaled ), p ), supTransformPointDualQuat( a, p ),
					6.0e-6f );
		// rigid: distances stay
		supVec3 r = testRandomVec3( &random, 1.0f );
		float before = supDistance( p, r );
		float after = supDistance( supTransformPointDualQuat( q, p ), supTransformPointDualQuat( q, r ) );
		testLess( fabsf( before - after ), 4.0e-6f );
	}
	supDualQuat nothing = supNormalizeDualQuat( ( supDualQuat ){ { 0, 0, 0, 0 }, { 1, 2, 3, 4 } } );
	AssertNear( supTransformPointDualQuat( nothing, supVec3_one ), supVec3_one, 0.0f );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestProductsAndMatrices ),
		cmocka_unit_test( TestMatricesOfRightAngles ),
		cmocka_unit_test( TestAxisAngle ),
		cmocka_unit_test( TestBetween ),
		cmocka_unit_test( TestInterpolation ),
		cmocka_unit_test( TestDualQuaternionsAreRigidMotions ),
		cmocka_unit_test( TestNormalizeDualQuaternion ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
