// SPDX-License-Identifier: MIT
// Own trigonometry and exponential against the C library's, in double precision, over dense sweeps of floats.
#include "math/exponential.h"
#include "support.h"

#include <string.h>

static float MakeFloat( uint32_t bits )
{
	float value;
	memcpy( &value, &bits, sizeof( value ) );
	return value;
}

static uint32_t GetBits( float value )
{
	uint32_t bits;
	memcpy( &bits, &value, sizeof( bits ) );
	return bits;
}

static void CheckCosSin( float angle )
{
	supCosSin result = supComputeCosSin( angle );
	double sineError = fabs( (double)result.sine - sin( (double)angle ) );
	double cosineError = fabs( (double)result.cosine - cos( (double)angle ) );
	if ( !( sineError < 2.0e-7 && cosineError < 2.0e-7 ) )
	{
		fail_msg( "angle %.9g: errors %g, %g", (double)angle, sineError, cosineError );
	}
}

static void TestSineAndCosine( void** state )
{
	(void)state;
	// through all sizes, from zero and denormals on
	for ( uint32_t bits = 0; bits < GetBits( 1.0e8f ); bits += 1009 )
	{
		CheckCosSin( MakeFloat( bits ) );
		CheckCosSin( -MakeFloat( bits ) );
	}
	// evenly over a few turns, and the neighbours of the borders between quadrants
	for ( int i = -200000; i <= 200000; ++i )
	{
		CheckCosSin( (float)i * 1.0e-4f );
	}
	for ( int i = -4000; i <= 4000; ++i )
	{
		float border = (float)( i * 0.78539816339744830962 );
		CheckCosSin( border );
		CheckCosSin( nextafterf( border, 1.0e9f ) );
		CheckCosSin( nextafterf( border, -1.0e9f ) );
	}
}

static void TestSineAndCosineAtTheEdges( void** state )
{
	(void)state;
	supCosSin zero = supComputeCosSin( 0.0f );
	assert_true( zero.cosine == 1.0f && zero.sine == 0.0f );
	for ( float angle = 1.0e8f; angle < 3.0e38f; angle *= 1.7f )
	{
		supCosSin result = supComputeCosSin( angle );
		double length = (double)result.cosine * result.cosine + (double)result.sine * result.sine;
		testLess( fabs( length - 1.0 ), 3.0e-7 );
	}
	const float odd[] = { INFINITY, -INFINITY, NAN };
	for ( int i = 0; i < 3; ++i )
	{
		supCosSin result = supComputeCosSin( odd[i] );
		assert_true( result.cosine != result.cosine && result.sine != result.sine );
	}
}

static void CheckAtan2( float y, float x )
{
	double error = fabs( (double)supAtan2( y, x ) - atan2( y, x ) );
	if ( !( error < 4.0e-7 ) )
	{
		fail_msg( "atan2( %.9g, %.9g ): error %g", (double)y, (double)x, error );
	}
}

static void TestAtan2( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int i = 0; i < 1000000; ++i )
	{
		// every pair of bit patterns: both signs and all sizes, infinite ones now and then
		float y = MakeFloat( testRandomInt( &random, UINT32_MAX ) );
		float x = MakeFloat( testRandomInt( &random, UINT32_MAX ) );
		if ( y == y && x == x )
		{
			CheckAtan2( y, x );
		}
		CheckAtan2( testRandomFloat( &random, -1.0f, 1.0f ), testRandomFloat( &random, -1.0f, 1.0f ) );
	}
	// where the range is cut: eighths of the ratio in all octants
	for ( int i = -1000; i <= 1000; ++i )
	{
		CheckAtan2( (float)i / 1000.0f, 1.0f );
		CheckAtan2( (float)i / 1000.0f, -1.0f );
		CheckAtan2( 1.0f, (float)i / 1000.0f );
		CheckAtan2( -1.0f, (float)i / 1000.0f );
	}
	const float edges[] = { 0.0f, -0.0f, 1.0f, -1.0f, 1.0e-45f, 3.4e38f, INFINITY, -INFINITY };
	for ( int i = 0; i < 64; ++i )
	{
		float y = edges[i / 8];
		float x = edges[i % 8];
		if ( y != 0.0f || x != 0.0f )
		{
			CheckAtan2( y, x );
		}
		else
		{
			assert_true( supAtan2( y, x ) == 0.0f );
		}
	}
	assert_true( supAtan2( NAN, 1.0f ) != supAtan2( NAN, 1.0f ) );
	assert_true( supAtan2( 1.0f, NAN ) != supAtan2( 1.0f, NAN ) );
	assert_true( supAtan2( INFINITY, NAN ) != supAtan2( INFINITY, NAN ) );
	// never above pi as a float, so that halves and differences of angles stay in range
	assert_true( supAtan2( 0.0f, -1.0f ) == SUP_PI && supAtan2( -0.0f, -1.0f ) == -SUP_PI );
}

static void CheckAcos( float cosine )
{
	double clamped = cosine < -1.0f ? -1.0 : ( cosine > 1.0f ? 1.0 : (double)cosine );
	double error = fabs( (double)supAcos( cosine ) - acos( clamped ) );
	if ( !( error < 4.0e-7 ) )
	{
		fail_msg( "acos( %.9g ): error %g", (double)cosine, error );
	}
}

static void TestAcos( void** state )
{
	(void)state;
	for ( uint32_t bits = 0; bits <= GetBits( 1.0f ); bits += 997 )
	{
		CheckAcos( MakeFloat( bits ) );
		CheckAcos( -MakeFloat( bits ) );
	}
	// the last thousand floats before 1, where the arc cosine is steep
	for ( uint32_t i = 0; i < 1000; ++i )
	{
		CheckAcos( MakeFloat( GetBits( 1.0f ) - i ) );
		CheckAcos( -MakeFloat( GetBits( 1.0f ) - i ) );
	}
	CheckAcos( 1.0001f );
	CheckAcos( -7.0f );
	CheckAcos( INFINITY );
	assert_true( supAcos( 1.0f ) == 0.0f );
	assert_true( supAcos( NAN ) != supAcos( NAN ) );
}

static void TestExpNegative( void** state )
{
	(void)state;
	for ( double x = 0.0; x > -50.0; x -= 0.37 )
	{
		double error = fabs( supExpNegative( x ) / exp( x ) - 1.0 );
		if ( !( error < 1e-12 ) )
		{
			fail_msg( "exp( %g ): relative error %g", x, error );
		}
	}
	assert_true( supExpNegative( -1e9 ) == 0.0 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSineAndCosine ), cmocka_unit_test( TestSineAndCosineAtTheEdges ),
		cmocka_unit_test( TestAtan2 ),         cmocka_unit_test( TestAcos ),
		cmocka_unit_test( TestExpNegative ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
