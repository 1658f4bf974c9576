// SPDX-License-Identifier: MIT
// One vertex against one triangle: distances against the plain nearest point, crossings against small steps in time.
#include "stage.h"

#include "contact/pair.h"
#include "geometry/overlap.h"

// The nearest of all local minima is the nearest point, and its sign says inside or outside.
static void TestMinimaOfSphere( void** state )
{
	(void)state;
	Player sphere = MakePlayer( MakeSphere( 1.0f, 6 ) );
	supSurfaceNow surface = { &sphere.skin, sphere.positions };
	testRandom random = testMakeRandom( 3 );
	for ( int32_t i = 0; i < 400; ++i )
	{
		supVec3 p = supScale( testRandomFloat( &random, 0.7f, 1.3f ), supNormalize( testRandomVec3( &random, 1.0f ) ) );
		double nearest = INFINITY;
		float least = INFINITY, gap = 0.0f;
		for ( int32_t t = 0; t < sphere.skin.triangleCount; ++t )
		{
			const int32_t* c = sphere.skin.corners + 3 * t;
			supTriangle triangle = { sphere.positions[c[0]], sphere.positions[c[1]], sphere.positions[c[2]] };
			nearest = fmin( nearest, supClosestPointOnTriangle( &triangle, p ).distanceSquared );
			supVec3 normal =
				supNormalize( supCross( supSub( triangle.b, triangle.a ), supSub( triangle.c, triangle.a ) ) );
			supPairContact contact;
			if ( supTestVertexTriangle( &surface, p, t, normal, 0.5f, 0.5f, &contact ) && fabsf( contact.gap ) < least )
			{
				least = fabsf( contact.gap );
				gap = contact.gap;
				supVec3 back = supMulAdd( contact.point, contact.gap, contact.normal );
				testLess( supDistance( back, p ), 1e-6f );
			}
		}
		assert_float_equal( least, sqrt( nearest ), 1e-6f );
		float length = supLength( p );
		assert_true( length > 1.0f ? gap > 0.0f : length > 0.95f || gap < 0.0f );
	}
	FreePlayer( &sphere );
}

static double Side( const supMovingPair* pair, double t, double bary[3] )
{
	double p[4][3];
	for ( int32_t i = 0; i < 4; ++i )
	{
		const float* a = &pair->before[i].x;
		const float* b = &pair->now[i].x;
		for ( int32_t k = 0; k < 3; ++k )
		{
			p[i][k] = (double)a[k] + t * ( (double)b[k] - (double)a[k] );
		}
	}
	double u[3], v[3], w[3], n[3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		u[k] = p[2][k] - p[1][k];
		v[k] = p[3][k] - p[1][k];
		w[k] = p[0][k] - p[1][k];
	}
	for ( int32_t k = 0; k < 3; ++k )
	{
		n[k] = u[( k + 1 ) % 3] * v[( k + 2 ) % 3] - u[( k + 2 ) % 3] * v[( k + 1 ) % 3];
	}
	double uu = 0.0, uv = 0.0, vv = 0.0, uw = 0.0, vw = 0.0, side = 0.0;
	for ( int32_t k = 0; k < 3; ++k )
	{
		uu += u[k] * u[k], uv += u[k] * v[k], vv += v[k] * v[k];
		uw += u[k] * w[k], vw += v[k] * w[k], side += n[k] * w[k];
	}
	double det = uu * vv - uv * uv;
	bary[1] = ( uw * vv - vw * uv ) / det;
	bary[2] = ( vw * uu - uw * uv ) / det;
	bary[0] = 1.0 - bary[1] - bary[2];
	return side;
}

static void TestCrossings( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	int32_t crossed = 0, passed = 0;
	for ( int32_t i = 0; i < 20000; ++i )
	{
		supMovingPair pair;
		for ( int32_t k = 0; k < 4; ++k )
		{
			pair.before[k] = testRandomVec3( &random, 1.0f );
			pair.now[k] = testRandomVec3( &random, 1.0f );
		}
		float bary[3];
		bool entering;
		float time = supFindCrossing( &pair, &entering, bary );
		// by small steps
		double first = INFINITY, b[3], last = Side( &pair, 0.0, b ), ends[2] = { last, Side( &pair, 1.0, b ) };
		bool sure = true;
		for ( int32_t step = 1; step <= 400; ++step )
		{
			double side = Side( &pair, step / 400.0, b );
			double least = fmin( fmin( b[0], b[1] ), b[2] );
			if ( ( side >= 0.0 ) != ( last >= 0.0 ) && first > 1.0 )
			{
				first = least > 0.0 ? step / 400.0 : first;
				sure = sure && fabs( least ) > 0.1;
			}
			last = side;
		}
		bool other = ( ends[0] >= 0.0 ) != ( ends[1] >= 0.0 );
		if ( sure == false )
		{
			continue;
		}
		crossed += other && first <= 1.0;
		passed += other && first > 1.0;
		assert_int_equal( time <= 1.0f, other && first <= 1.0 );
		if ( time <= 1.0f )
		{
			assert_true( entering == ( ends[0] >= 0.0 ) );
			testLess( fabs( Side( &pair, (double)time, b ) ), 1e-5 );
			testLessEqual( (double)time, first + 1e-6 );
			testGreaterEqual( (double)time, first - 0.0026 );
			assert_float_equal( bary[0] + bary[1] + bary[2], 1.0f, 1e-5f );
			assert_float_equal( bary[1], b[1], 1e-3f );
		}
	}
	testGreater( crossed, 200 );
	testGreater( passed, 1000 );
}

static void TestSegments( void** state )
{
	(void)state;
	supVec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	assert_true( supSegmentEnters( corners, supMakeVec3( 0.2f, 0.2f, 1 ), supMakeVec3( 0.2f, 0.2f, -1 ) ) );
	assert_false( supSegmentEnters( corners, supMakeVec3( 0.2f, 0.2f, -1 ), supMakeVec3( 0.2f, 0.2f, 1 ) ) );
	assert_false( supSegmentEnters( corners, supMakeVec3( 0.9f, 0.9f, 1 ), supMakeVec3( 0.9f, 0.9f, -1 ) ) );
	assert_false( supSegmentEnters( corners, supMakeVec3( 0.2f, 0.2f, 1 ), supMakeVec3( 0.2f, 0.2f, 0 ) ) );
	assert_false( supSegmentEnters( corners, supMakeVec3( 0.2f, 0.2f, 1 ), supMakeVec3( NAN, 0, 0 ) ) );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestMinimaOfSphere ),
		cmocka_unit_test( TestCrossings ),
		cmocka_unit_test( TestSegments ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
