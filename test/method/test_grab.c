// SPDX-License-Identifier: MIT
// What is taken hold of, and how firmly.
#include "method/grab.h"
#include "support.h"

// A cube of flesh: particles one unit apart, SIDE of them along each edge.
#define SIDE 12
#define COUNT ( SIDE * SIDE * SIDE )

static supVec3 PlaceOf( int32_t i )
{
	return supMakeVec3( (float)( i % SIDE ), (float)( i / SIDE % SIDE ), (float)( i / ( SIDE * SIDE ) ) );
}

static int32_t At( int32_t x, int32_t y, int32_t z )
{
	return ( z * SIDE + y ) * SIDE + x;
}

// The middle between two particles is grabbed; `bend` is how far particles beyond the middle plane were from it at
// rest.
static bool Grab( supGrab* grab, float radius, float bend, bool backwards )
{
	supGrabber grabber = { .cornerCount = 2, .corners = { At( 5, 5, 5 ), At( 5, 5, 6 ) }, .shares = { 0.5f, 0.5f } };
	supVec3 corners[2] = { PlaceOf( grabber.corners[0] ), PlaceOf( grabber.corners[1] ) };
	supGrabber_Begin( &grabber, grab, corners, corners, radius );
	for ( int32_t k = 0; k < COUNT; ++k )
	{
		int32_t i = backwards ? COUNT - 1 - k : k;
		supVec3 now = PlaceOf( i );
		supVec3 rest = now;
		rest.x += now.x > 6.5f ? bend : 0.0f;
		supGrabber_Offer( &grabber, i, now, rest, i != At( 4, 5, 5 ) );
	}
	return supGrabber_End( &grabber );
}

static float WeightOf( const supGrab* grab, int32_t particle )
{
	for ( int32_t i = 0; i < grab->count; ++i )
	{
		if ( grab->particles[i] == particle )
		{
			return grab->weights[i];
		}
	}
	return 0.0f;
}

static void FallsOffSmoothly( void** state )
{
	(void)state;
	supGrab grab;
	assert_true( Grab( &grab, 4.0f, 0.0f, false ) );
	assert_float_equal( grab.place.z, 5.5f, 1e-6f );
	float shares = 0.0f, response = 0.0f;
	for ( int32_t i = 0; i < grab.count; ++i )
	{
		assert_true( i == 0 || grab.weights[i] <= grab.weights[i - 1] );
		testGreater( grab.weights[i], 0.0f );
		testLessEqual( grab.weights[i], 1.0f );
		supVec3 place = supAdd( grab.place, grab.offsets[i] );
		testLess( supDistance( place, PlaceOf( grab.particles[i] ) ), 1e-5f );
		shares += grab.shares[i];
		response += grab.shares[i] * grab.weights[i];
	}
	assert_float_equal( shares, 1.0f, 1e-6f );
	assert_float_equal( response, grab.response, 1e-6f );
	// neighbours differ by no more than the kernel's steepest slope, 1.54 / radius
	for ( int32_t i = 0; i < COUNT; ++i )
	{
		if ( i % SIDE < SIDE - 1 && i != At( 4, 5, 5 ) && i + 1 != At( 4, 5, 5 ) )
		{
			float step = WeightOf( &grab, i ) - WeightOf( &grab, i + 1 );
			testLess( step, 1.55f / 4.0f );
			testGreater( step, -1.55f / 4.0f );
		}
	}
	// what cannot move is not held
	assert_float_equal( WeightOf( &grab, At( 4, 5, 5 ) ), 0.0f, 0.0f );
	testGreater( WeightOf( &grab, At( 6, 5, 5 ) ), 0.7f );
}

static void LeavesWhatIsNearByChance( void** state )
{
	(void)state;
	supGrab grab;
	assert_true( Grab( &grab, 4.0f, 10.0f, false ) );
	testGreater( WeightOf( &grab, At( 6, 5, 5 ) ), 0.7f );
	assert_float_equal( WeightOf( &grab, At( 7, 5, 5 ) ), 0.0f, 0.0f );
}

// More than there is room for: a smaller piece, as smooth, and the same whatever the order.
static void TooLargeIsSmaller( void** state )
{
	(void)state;
	supGrab grab, other;
	assert_true( Grab( &grab, 100.0f, 0.0f, false ) );
	assert_true( Grab( &other, 100.0f, 0.0f, true ) );
	testLessEqual( grab.count, SUP_MAX_GRAB );
	testGreater( grab.count, SUP_MAX_GRAB / 2 );
	testLess( grab.weights[grab.count - 1], 0.01f );
	for ( int32_t i = 0; i < COUNT; ++i )
	{
		assert_float_equal( WeightOf( &grab, i ), WeightOf( &other, i ), 1e-6f );
	}
}

// Without a radius what the place hangs on is held all the same; what hangs on the fixed alone is not.
static void HoldsTheCorners( void** state )
{
	(void)state;
	supGrab grab;
	assert_true( Grab( &grab, 0.0f, 0.0f, false ) );
	assert_int_equal( grab.count, 2 );
	testGreater( grab.response, 0.25f );
	supGrabber grabber = { .cornerCount = 1, .corners = { At( 4, 5, 5 ) }, .shares = { 1.0f } };
	supVec3 corner = PlaceOf( grabber.corners[0] );
	supGrabber_Begin( &grabber, &grab, &corner, &corner, 0.0f );
	supGrabber_Offer( &grabber, grabber.corners[0], corner, corner, false );
	assert_false( supGrabber_End( &grabber ) );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( FallsOffSmoothly ),
		cmocka_unit_test( LeavesWhatIsNearByChance ),
		cmocka_unit_test( TooLargeIsSmaller ),
		cmocka_unit_test( HoldsTheCorners ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
