// SPDX-License-Identifier: MIT
// A camera that is placed by points: all are in the picture, and none could be nearer.
#include "support.h"

#include "draw/framing.h"

#define POINTS 200
#define WIDTH 1200
#define HEIGHT 800

static void MakePoints( testRandom* random, supVec3 middle, supVec3 points[POINTS] )
{
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		supVec3 p = testRandomVec3( random, 1.0f );
		points[i] = supAdd( middle, supMakeVec3( 0.3f * p.x, 1.2f * p.y, 2.5f * p.z ) );
	}
}

// How much of the width and of the height the points take; fails where one is outside of the filled part.
static void MeasureFill( const supView* view, const supVec3* points, float fill, float* across, float* along )
{
	supVec2 least = { 1e9f, 1e9f }, most = { -1e9f, -1e9f };
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		supVec2 p;
		assert_true( supView_Project( view, WIDTH, HEIGHT, points[i], &p ) );
		least = ( supVec2 ){ supMinFloat( least.x, p.x ), supMinFloat( least.y, p.y ) };
		most = ( supVec2 ){ supMaxFloat( most.x, p.x ), supMaxFloat( most.y, p.y ) };
	}
	// a hundredth of a pixel for rounding
	float x = 0.5f * ( 1.0f - fill ) * WIDTH - 0.01f, y = 0.5f * ( 1.0f - fill ) * HEIGHT - 0.01f;
	testGreaterEqual( least.x, x );
	testLessEqual( most.x, WIDTH - x );
	testGreaterEqual( least.y, y );
	testLessEqual( most.y, HEIGHT - y );
	*across = ( most.x - least.x ) / WIDTH;
	*along = ( most.y - least.y ) / HEIGHT;
}

static void TestPointsFillThePicture( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 7 );
	for ( float azimuth = -170.0f; azimuth < 180.0f; azimuth += 35.0f )
	{
		for ( float elevation = -80.0f; elevation < 90.0f; elevation += 40.0f )
		{
			supVec3 points[POINTS];
			MakePoints( &random, supMakeVec3( 3.0f, -1.0f, 8.0f ), points );
			supFraming framing = supBeginFraming( azimuth, elevation, 0.26f, (float)WIDTH / HEIGHT, 0.9f );
			assert_true( supFraming_IsEmpty( &framing ) );
			supFraming_Include( &framing, points, POINTS, supVec3_zero );
			supView view = supFraming_View( &framing, supVec3_zero, 1.0f );
			float across, along;
			MeasureFill( &view, points, 0.9f, &across, &along );
			// exact in the dimension that limits it, to a thousandth for rounding
			testGreater( supMaxFloat( across, along ), 0.899f );
		}
	}
}

static void TestLegendStaysFree( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	supVec3 points[POINTS];
	MakePoints( &random, supMakeVec3( 0.0f, 1.0f, 0.0f ), points );
	supFraming framing = supBeginFraming( 0.0f, 10.0f, 0.26f, (float)WIDTH / HEIGHT, 0.9f );
	supFraming_ReserveBelow( &framing, 0.2f );
	supFraming_Include( &framing, points, POINTS, supVec3_zero );
	supView view = supFraming_View( &framing, supVec3_zero, 1.0f );
	float highest = 1e9f, lowest = -1e9f;
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		supVec2 p;
		assert_true( supView_Project( &view, WIDTH, HEIGHT, points[i], &p ) );
		highest = supMinFloat( highest, p.y );
		lowest = supMaxFloat( lowest, p.y );
	}
	// these points are higher than wide: from the upper margin to the strip, to a tenth of a pixel
	assert_float_equal( highest, 0.05f * HEIGHT, 0.1 );
	assert_float_equal( lowest, 0.8f * HEIGHT, 0.1 );
}

static void TestOriginMovesTheView( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 11 );
	supVec3 points[POINTS], moved[POINTS];
	supVec3 origin = { 4.0f, 1.0f, -2.0f }, way = { 10.0f, 0.5f, 3.0f };
	MakePoints( &random, origin, points );
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		moved[i] = supAdd( points[i], way );
	}
	supFraming around = supBeginFraming( 20.0f, 10.0f, 0.26f, 1.5f, 0.9f ), world = around, again = around;
	supFraming_Include( &around, points, POINTS, origin );
	supFraming_Include( &world, points, POINTS, supVec3_zero );
	supFraming_IncludeFraming( &again, &world, origin );
	for ( int k = 0; k < 4; ++k )
	{
		assert_float_equal( again.sides[k], around.sides[k], 1e-5 );
	}
	// what has moved with the origin is seen just as before
	supView before = supFraming_View( &around, origin, 1.0f ),
			after = supFraming_View( &around, supAdd( origin, way ), 1.0f );
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		supVec2 p, q;
		assert_true( supView_Project( &before, WIDTH, HEIGHT, points[i], &p ) );
		assert_true( supView_Project( &after, WIDTH, HEIGHT, moved[i], &q ) );
		assert_float_equal( p.x, q.x, 0.02 );
		assert_float_equal( p.y, q.y, 0.02 );
	}
}

static void TestZoomEnlarges( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	supVec3 points[POINTS];
	MakePoints( &random, supVec3_zero, points );
	supFraming framing = supBeginFraming( 0.0f, 0.0f, 0.26f, 1.5f, 0.9f );
	supFraming_Include( &framing, points, POINTS, supVec3_zero );
	supView near = supFraming_View( &framing, supVec3_zero, 1.0f ),
			zoomed = supFraming_View( &framing, supVec3_zero, 2.0f );
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		supVec2 p, q;
		assert_true( supView_Project( &near, WIDTH, HEIGHT, points[i], &p ) );
		assert_true( supView_Project( &zoomed, WIDTH, HEIGHT, points[i], &q ) );
		assert_float_equal( q.x - 0.5f * WIDTH, 2.0f * ( p.x - 0.5f * WIDTH ), 0.02 );
		assert_float_equal( q.y - 0.5f * HEIGHT, 2.0f * ( p.y - 0.5f * HEIGHT ), 0.02 );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestPointsFillThePicture ),
		cmocka_unit_test( TestLegendStaysFree ),
		cmocka_unit_test( TestOriginMovesTheView ),
		cmocka_unit_test( TestZoomEnlarges ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
