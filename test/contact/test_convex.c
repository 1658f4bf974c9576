// SPDX-License-Identifier: MIT
// Convex hulls and the distance between convex bodies.
#include "support.h"

#include "contact/gjk.h"
#include "contact/hull.h"

#include <math.h>

static bool IsOutside( const supHull* hull, supVec3 p, float tolerance )
{
	for ( int32_t f = 0; f < hull->faceCount; ++f )
	{
		if ( supDot( hull->normals[f], p ) > hull->offsets[f] + tolerance )
		{
			return true;
		}
	}
	return false;
}

static double HullVolume( const supHull* hull )
{
	double volume = 0.0;
	for ( int32_t f = 0; f < hull->faceCount; ++f )
	{
		const int32_t* v = hull->indices + 3 * f;
		volume += (double)supDot( hull->vertices[v[0]], supCross( hull->vertices[v[1]], hull->vertices[v[2]] ) ) / 6.0;
	}
	return volume;
}

static void TestHullsOfRandomPoints( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	supVec3 points[400];
	for ( int round = 0; round < 60; ++round )
	{
		int32_t count = 4 + (int32_t)testRandomInt( &random, 200 );
		float scale = round % 3 == 0 ? 1e-3f : 100.0f;
		for ( int32_t i = 0; i < count; ++i )
		{
			points[i] = testRandomVec3( &random, scale );
			// some in planes and at one place
			points[i].x = i % 5 == 0 ? 0.25f * scale : points[i].x;
			points[i] = i % 7 == 6 ? points[i - 1] : points[i];
		}
		supHull hull = { 0 };
		supError error = { 0 };
		testRequire( supHull_Init( &hull, points, count, &error ), &error );
		for ( int32_t i = 0; i < count; ++i )
		{
			assert_false( IsOutside( &hull, points[i], 4e-5f * scale ) );
		}
		// closed: V - E + F = 2 with E = 3 F / 2
		assert_int_equal( 2 * hull.vertexCount - hull.faceCount, 4 );
		testGreater( HullVolume( &hull ), 0.0 );
		supHull_Destroy( &hull );
	}
}

static void TestHullOfACube( void** state )
{
	(void)state;
	supVec3 points[27];
	for ( int32_t i = 0; i < 27; ++i )
	{
		points[i] = supMakeVec3( (float)( i % 3 ), (float)( i / 3 % 3 ), (float)( i / 9 ) );
	}
	supHull hull = { 0 };
	supError error = { 0 };
	testRequire( supHull_Init( &hull, points, 27, &error ), &error );
	assert_int_equal( hull.vertexCount, 8 );
	assert_int_equal( hull.faceCount, 12 );
	assert_float_equal( HullVolume( &hull ), 8.0, 1e-5 );
	supHull_Destroy( &hull );
}

static void TestHullOfManyPoints( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	supVec3* points = test_malloc( 3000 * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < 3000; ++i )
	{
		points[i] = supNormalize( testRandomVec3( &random, 1.0f ) );
	}
	supHull hull = { 0 };
	assert_true( supHull_Init( &hull, points, 3000, NULL ) );
	assert_in_range( hull.vertexCount, 100, SUP_MAX_HULL_VERTICES );
	// what was left out matters little
	testGreater( HullVolume( &hull ), 0.95 * 4.0 / 3.0 * 3.14159265 );
	supHull_Destroy( &hull );
	test_free( points );
}

static void TestNoHull( void** state )
{
	(void)state;
	supVec3 points[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 3, 2, 0 } };
	supHull hull = { 0 };
	supError error = { 0 };
	assert_false( supHull_Init( &hull, points, 5, &error ) );
	assert_non_null( strstr( error.message, "one plane" ) );
	assert_false( supHull_Init( &hull, points, 3, &error ) );
	assert_non_null( strstr( error.message, "at least four" ) );
	points[4].z = NAN;
	assert_false( supHull_Init( &hull, points, 5, &error ) );
	assert_non_null( strstr( error.message, "point 4" ) );
	supVec3 same[6] = { 0 };
	assert_false( supHull_Init( &hull, same, 6, &error ) );
}

static void MakeBox( supVec3 center, supVec3 half, supVec3 corners[8] )
{
	for ( int32_t i = 0; i < 8; ++i )
	{
		supVec3 sign = supMakeVec3( i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f );
		corners[i] = supAdd( center, supMul( sign, half ) );
	}
}

static float Gap( float a, float ha, float b, float hb )
{
	float gap = fabsf( a - b ) - ha - hb;
	return gap > 0.0f ? gap : 0.0f;
}

// Boxes along the axes have a distance in closed form.
static void TestDistanceOfBoxes( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	int32_t apart = 0;
	for ( int round = 0; round < 2000; ++round )
	{
		supVec3 ca = testRandomVec3( &random, 2.0f ), cb = testRandomVec3( &random, 2.0f );
		supVec3 ha = supMakeVec3( 0.5f, testRandomFloat( &random, 0.001f, 1.0f ), 0.3f );
		supVec3 hb = supMakeVec3( 0.2f, 0.4f, testRandomFloat( &random, 0.001f, 1.0f ) );
		supVec3 pa[8], pb[8];
		MakeBox( ca, ha, pa );
		MakeBox( cb, hb, pb );
		supConvex a = { pa, 8, 0.1f }, b = { pb, 8, 0.05f };
		supVec3 gap =
			supMakeVec3( Gap( ca.x, ha.x, cb.x, hb.x ), Gap( ca.y, ha.y, cb.y, hb.y ), Gap( ca.z, ha.z, cb.z, hb.z ) );
		float expected = supLength( gap );
		supGjkResult found = supMeasureConvexDistance( &a, &b );
		assert_float_equal( found.distance, expected - 0.15f, 2e-6f );
		if ( expected > 1e-4f )
		{
			apart += 1;
			assert_float_equal( supDistance( found.a, found.b ), expected, 2e-6f );
			supVec3 along = supSub( found.b, found.a );
			assert_float_equal( supDot( along, found.normal ), expected, 2e-6f );
			supGjkResult back = supMeasureConvexDistance( &b, &a );
			assert_float_equal( back.distance, found.distance, 1e-6f );
		}
	}
	assert_in_range( apart, 500, 1990 );
}

// No point of either body may be nearer along the normal: a certificate that needs no second algorithm.
static void TestDistanceOfClouds( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	for ( int round = 0; round < 1000; ++round )
	{
		supVec3 pa[40], pb[40];
		int32_t na = 1 + (int32_t)testRandomInt( &random, 39 ), nb = 1 + (int32_t)testRandomInt( &random, 39 );
		supVec3 shift = testRandomVec3( &random, 3.0f );
		// flat and thin ones too
		float thin = round % 2 ? 1.0f : 1e-6f;
		for ( int32_t i = 0; i < na; ++i )
		{
			pa[i] = testRandomVec3( &random, 1.0f );
			pa[i].y *= thin;
		}
		for ( int32_t i = 0; i < nb; ++i )
		{
			pb[i] = supAdd( shift, testRandomVec3( &random, 1.0f ) );
		}
		supConvex a = { pa, na, 0.0f }, b = { pb, nb, 0.0f };
		supGjkResult found = supMeasureConvexDistance( &a, &b );
		if ( found.distance < 1e-3f )
		{
			continue;
		}
		for ( int32_t i = 0; i < na; ++i )
		{
			testLess( supDot( found.normal, supSub( pa[i], found.a ) ), 1e-4f );
		}
		for ( int32_t i = 0; i < nb; ++i )
		{
			testGreater( supDot( found.normal, supSub( pb[i], found.b ) ), -1e-4f );
		}
	}
}

static bool AttemptHull( void* context )
{
	supHull hull = { 0 };
	bool ok = supHull_Init( &hull, context, 8, NULL );
	supHull_Destroy( &hull );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	supVec3 corners[8];
	MakeBox( supVec3_zero, supMakeVec3( 1.0f, 2.0f, 3.0f ), corners );
	testEachAllocationFailure( AttemptHull, corners, 50 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestHullsOfRandomPoints ), cmocka_unit_test( TestHullOfACube ),
		cmocka_unit_test( TestHullOfManyPoints ),    cmocka_unit_test( TestNoHull ),
		cmocka_unit_test( TestDistanceOfBoxes ),     cmocka_unit_test( TestDistanceOfClouds ),
		cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
