// SPDX-License-Identifier: MIT
// Triangle against box, point and ray, each against another way of answering the same question.
#include "support.h"

#include "geometry/overlap.h"

#include <string.h>

static supTriangle RandomTriangle( testRandom* random, float extent )
{
	supVec3 a = testRandomVec3( random, extent );
	supVec3 b = testRandomVec3( random, extent );
	return ( supTriangle ){ a, b, testRandomVec3( random, extent ) };
}

// Whole numbers in [0, below): touching, flat and collapsed ones are frequent, and all arithmetic is exact.
static supVec3 RandomGridPoint( testRandom* random, uint32_t below )
{
	float x = (float)testRandomInt( random, below );
	float y = (float)testRandomInt( random, below );
	return supMakeVec3( x, y, (float)testRandomInt( random, below ) );
}

static supTriangle RandomGridTriangle( testRandom* random, uint32_t below )
{
	supVec3 a = RandomGridPoint( random, below );
	supVec3 b = RandomGridPoint( random, below );
	return ( supTriangle ){ a, b, RandomGridPoint( random, below ) };
}

// ---------------------------------------------------------------------------------------------------------------------
// Box: the triangle is cut at the six planes (Sutherland & Hodgman); what is left says whether they overlap

typedef struct Polygon
{
	long double p[16][3];
	int count;
} Polygon;

static void CutPolygon( Polygon* polygon, int axis, long double sign, long double limit )
{
	Polygon result = { .count = 0 };
	for ( int i = 0; i < polygon->count; ++i )
	{
		const long double* p = polygon->p[i];
		const long double* q = polygon->p[( i + 1 ) % polygon->count];
		long double dp = sign * p[axis] - limit;
		long double dq = sign * q[axis] - limit;
		if ( dp <= 0.0L )
		{
			memcpy( result.p[result.count++], p, sizeof( result.p[0] ) );
		}
		if ( ( dp < 0.0L && dq > 0.0L ) || ( dp > 0.0L && dq < 0.0L ) )
		{
			for ( int k = 0; k < 3; ++k )
			{
				result.p[result.count][k] = p[k] + dp / ( dp - dq ) * ( q[k] - p[k] );
			}
			result.p[result.count++][axis] = sign * limit;
		}
	}
	*polygon = result;
}

static bool CutsOverlap( const supTriangle* t, supBox box, long double grow )
{
	const supVec3 corners[3] = { t->a, t->b, t->c };
	const float lower[3] = { box.lower.x, box.lower.y, box.lower.z };
	const float upper[3] = { box.upper.x, box.upper.y, box.upper.z };
	Polygon polygon = { .count = 3 };
	for ( int i = 0; i < 3; ++i )
	{
		polygon.p[i][0] = corners[i].x;
		polygon.p[i][1] = corners[i].y;
		polygon.p[i][2] = corners[i].z;
	}
	for ( int axis = 0; axis < 3; ++axis )
	{
		CutPolygon( &polygon, axis, 1.0L, upper[axis] + grow );
		CutPolygon( &polygon, axis, -1.0L, -lower[axis] + grow );
	}
	return polygon.count > 0;
}

static void TestBoxOnAGrid( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	int overlapping = 0, touching = 0;
	for ( int i = 0; i < 300000; ++i )
	{
		supTriangle t = RandomGridTriangle( &random, 8 );
		supVec3 p = RandomGridPoint( &random, 7 );
		supVec3 size = RandomGridPoint( &random, 3 );
		supBox box = { p, supAdd( p, size ) };
		// gaps between such triangles and boxes are either none or wider than the growth by far
		bool expected = CutsOverlap( &t, box, 1.0e-9L );
		if ( supTriangleOverlapsBox( &t, box ) != expected )
		{
			fail_msg( "(%g %g %g) (%g %g %g) (%g %g %g), box (%g %g %g) + (%g %g %g): should be %d", t.a.x, t.a.y,
					  t.a.z, t.b.x, t.b.y, t.b.z, t.c.x, t.c.y, t.c.z, p.x, p.y, p.z, size.x, size.y, size.z,
					  expected );
		}
		overlapping += expected;
		touching += expected && !CutsOverlap( &t, box, -1.0e-9L );
	}
	// the test has seen all three cases often
	testGreater( overlapping, 30000 );
	testLess( overlapping, 270000 );
	testGreater( touching, 10000 );
}

static void TestBoxAnywhere( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	int overlapping = 0;
	for ( int i = 0; i < 300000; ++i )
	{
		supVec3 far = testRandomVec3( &random, i % 3 == 0 ? 100.0f : 0.0f );
		supTriangle t = RandomTriangle( &random, 1.0f );
		t = ( supTriangle ){ supAdd( t.a, far ), supAdd( t.b, far ), supAdd( t.c, far ) };
		supVec3 p = supAdd( far, testRandomVec3( &random, 1.0f ) );
		float s = testRandomFloat( &random, 0.0f, i % 2 == 0 ? 0.5f : 0.02f );
		supBox box = { p, supAdd( p, supMakeVec3( s, s, s ) ) };
		bool found = supTriangleOverlapsBox( &t, box );
		assert_true( found || !CutsOverlap( &t, box, 0.0L ) );
		assert_true( !found || CutsOverlap( &t, box, 1.0e-10L ) );
		overlapping += found;
	}
	testGreater( overlapping, 3000 );
}

// Boxes of a grid around points of the triangle: all of them must be found, whatever the triangle.
static void TestBoxNeverMisses( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int i = 0; i < 300000; ++i )
	{
		supTriangle t = RandomTriangle( &random, 1.0f );
		if ( i % 4 == 1 )
		{
			t.c = supLerp( t.a, t.b, testRandomFloat( &random, -1.0f, 2.0f ) );
		}
		if ( i % 4 == 2 )
		{
			t.b = t.c = t.a;
		}
		float scale = i % 5 == 0 ? 1.0e17f : ( i % 5 == 1 ? 1.0e-18f : 1.0f );
		t = ( supTriangle ){ supScale( scale, t.a ), supScale( scale, t.b ), supScale( scale, t.c ) };
		// corners are points of the triangle without any rounding
		supVec3 p = i % 2 == 0 ? t.a : t.b;
		supVec3 other = testRandomVec3( &random, scale );
		supBox box = supBox_Include( ( supBox ){ p, p }, other );
		assert_true( supTriangleOverlapsBox( &t, box ) );
		assert_true( supTriangleOverlapsBox( &t, ( supBox ){ p, p } ) );
		assert_false( supTriangleOverlapsBox( &t, supBox_empty ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Point

// A point q of a convex set is the nearest to p exactly where no corner lies further towards p than q does.
static void CheckClosest( const supTriangle* t, supVec3 p )
{
	supTrianglePoint found = supClosestPointOnTriangle( t, p );
	double u = found.u, v = found.v, w = 1.0 - u - v;
	testGreaterEqual( u, 0.0 );
	testGreaterEqual( v, 0.0 );
	testGreaterEqual( w, -1.0e-7 );
	testLessEqual( u, 1.0 );
	testLessEqual( v, 1.0 );
	const double q[3] = { w * t->a.x + u * t->b.x + v * t->c.x, w * t->a.y + u * t->b.y + v * t->c.y,
						  w * t->a.z + u * t->b.z + v * t->c.z };
	const double d[3] = { p.x - q[0], p.y - q[1], p.z - q[2] };
	const supVec3 corners[3] = { t->a, t->b, t->c };
	double size = 0.0;
	double offset = sqrt( d[0] * d[0] + d[1] * d[1] + d[2] * d[2] );
	for ( int i = 0; i < 3; ++i )
	{
		size += fabs( corners[i].x ) + fabs( corners[i].y ) + fabs( corners[i].z );
	}
	for ( int i = 0; i < 3; ++i )
	{
		double towards =
			d[0] * ( corners[i].x - q[0] ) + d[1] * ( corners[i].y - q[1] ) + d[2] * ( corners[i].z - q[2] );
		// u and v are floats, and needles are lines: q is off by 1e-7 of the size
		testLessEqual( towards, 4.0e-7 * size * ( offset + size ) );
	}
	testLessEqual( fabs( sqrt( found.distanceSquared ) - offset ), 4.0e-7 * size );
	testLessEqual( fabs( found.point.x - q[0] ) + fabs( found.point.y - q[1] ) + fabs( found.point.z - q[2] ),
				   1.0e-6 * size );
	assert_true( supDistanceToTriangle( t, p ) == (float)sqrt( found.distanceSquared ) );
}

static void TestClosestPoint( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	for ( int i = 0; i < 300000; ++i )
	{
		supTriangle t = RandomTriangle( &random, 1.0f );
		switch ( i % 6 )
		{
			case 0: // needle
				t.c = supMulAdd( supLerp( t.a, t.b, testRandomFloat( &random, -1.0f, 2.0f ) ),
								 1.0f / (float)( 1u << testRandomInt( &random, 31 ) ), t.c );
				break;
			case 1:
				t.b = t.a;
				break;
			case 2:
				t.c = t.b;
				break;
			case 3:
				t.c = i % 12 == 3 ? t.a : ( t.b = t.a );
				break;
			default:
				break;
		}
		float scale = i % 7 == 0 ? 1.0e-12f : ( i % 7 == 1 ? 1.0e12f : 1.0f );
		t = ( supTriangle ){ supScale( scale, t.a ), supScale( scale, t.b ), supScale( scale, t.c ) };
		CheckClosest( &t, testRandomVec3( &random, 2.0f * scale ) );
		CheckClosest( &t, t.a );
		testLessEqual( supDistanceToTriangle( &t, t.a ), 1.0e-7f * scale );
		float s = testRandomFloat( &random, 0.0f, 1.0f );
		supVec3 inside = supLerp( supLerp( t.a, t.b, s ), t.c, testRandomFloat( &random, 0.0f, 1.0f ) );
		CheckClosest( &t, inside );
		float size = supLength( t.a ) + supLength( t.b ) + supLength( t.c );
		testLessEqual( supDistanceToTriangle( &t, inside ), 2.0e-7f * size );
	}
	for ( int i = 0; i < 100000; ++i )
	{
		supTriangle t = RandomGridTriangle( &random, 4 );
		CheckClosest( &t, RandomGridPoint( &random, 5 ) );
	}
}

static void TestDistanceToBox( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int i = 0; i < 10000; ++i )
	{
		supVec3 a = testRandomVec3( &random, 1.0f ), b = testRandomVec3( &random, 1.0f );
		supBox box = supBox_Include( ( supBox ){ a, a }, b );
		supVec3 p = testRandomVec3( &random, 2.0f );
		supVec3 q = { supClampFloat( p.x, box.lower.x, box.upper.x ), supClampFloat( p.y, box.lower.y, box.upper.y ),
					  supClampFloat( p.z, box.lower.z, box.upper.z ) };
		testLess( fabsf( supDistanceToBox( box, p ) - supDistance( p, q ) ), 1.0e-6f );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Ray

// Möller & Trumbore. `margin` is how far from the border the answer is, negative outside.
static double SolveRay( supVec3 o, supVec3 d, const supTriangle* t, double* along )
{
	double e[3] = { (double)t->b.x - t->a.x, (double)t->b.y - t->a.y, (double)t->b.z - t->a.z };
	double f[3] = { (double)t->c.x - t->a.x, (double)t->c.y - t->a.y, (double)t->c.z - t->a.z };
	double s[3] = { (double)o.x - t->a.x, (double)o.y - t->a.y, (double)o.z - t->a.z };
	double p[3] = { d.y * f[2] - d.z * f[1], d.z * f[0] - d.x * f[2], d.x * f[1] - d.y * f[0] };
	double q[3] = { s[1] * e[2] - s[2] * e[1], s[2] * e[0] - s[0] * e[2], s[0] * e[1] - s[1] * e[0] };
	double determinant = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
	double u = ( s[0] * p[0] + s[1] * p[1] + s[2] * p[2] ) / determinant;
	double v = ( d.x * q[0] + d.y * q[1] + d.z * q[2] ) / determinant;
	*along = ( f[0] * q[0] + f[1] * q[1] + f[2] * q[2] ) / determinant;
	double margin = u < v ? u : v;
	margin = margin < 1.0 - u - v ? margin : 1.0 - u - v;
	return margin < *along ? margin : *along;
}

static void TestRaysAgainstAnotherSolver( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 6 );
	int hits = 0;
	for ( int i = 0; i < 300000; ++i )
	{
		supTriangle t = RandomTriangle( &random, 1.0f );
		supVec3 o = testRandomVec3( &random, 1.5f );
		supVec3 d = testRandomVec3( &random, 3.0f );
		if ( i % 8 < 4 )
		{
			d = supSub( supLerp( supLerp( t.a, t.b, 0.5f ), t.c, testRandomFloat( &random, 0.0f, 1.2f ) ), o );
		}
		// along the axes too, both ways
		d.x = i % 4 == 1 || i % 4 == 2 ? 0.0f : d.x;
		d.y = i % 4 == 1 || i % 4 == 3 ? -0.0f : d.y;
		supRay ray = supMakeRay( o, d );
		supRayHit hit;
		bool found = supRayHitsTriangle( &ray, &t, 1.0e30, &hit );
		double along;
		double margin = SolveRay( o, d, &t, &along );
		assert_true( fabs( margin ) < 1.0e-9 || found == ( margin > 0.0 ) );
		if ( found )
		{
			++hits;
			testLess( fabs( hit.t - along ), 1.0e-6 * ( 1.0 + along ) );
			supVec3 p = supMulAdd( o, (float)hit.t, d );
			supVec3 q = supAdd( supScale( 1.0f - hit.u - hit.v, t.a ),
								supAdd( supScale( hit.u, t.b ), supScale( hit.v, t.c ) ) );
			testLess( supDistance( p, q ), 1.0e-5f * ( 1.0f + supLength( p ) ) );
			supVec3 normal = supCross( supSub( t.b, t.a ), supSub( t.c, t.a ) );
			assert_int_equal( hit.front, supDot( normal, d ) < 0.0f );
			supRayHit again;
			assert_true( supRayHitsTriangle( &ray, &t, hit.t, &again ) );
			assert_false( supRayHitsTriangle( &ray, &t, hit.t * 0.999, &again ) );
		}
	}
	testGreater( hits, 10000 );
}

// A fan of triangles around a vertex closes off half of space; rays at its edges and at the vertex itself must all hit.
static void TestNothingSlipsThrough( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 7 );
	for ( int i = 0; i < 20000; ++i )
	{
		enum
		{
			SPOKES = 7
		};
		supQuat turn = testRandomQuat( &random );
		supVec3 shift = testRandomVec3( &random, i % 2 == 0 ? 1.0f : 1000.0f );
		supVec3 rim[SPOKES];
		for ( int k = 0; k < SPOKES; ++k )
		{
			supCosSin angle =
				supComputeCosSin( ( (float)k + testRandomFloat( &random, 0.0f, 0.9f ) ) * 2.0f * SUP_PI / SPOKES );
			supVec3 p = supMakeVec3( angle.cosine, angle.sine, testRandomFloat( &random, -0.3f, 0.3f ) );
			rim[k] = supAdd( shift, supRotate( turn, p ) );
		}
		supVec3 hub = supAdd( shift, supRotate( turn, testRandomVec3( &random, 0.02f ) ) );
		supVec3 origin = supAdd( shift, supRotate( turn, supMakeVec3( 0.0f, 0.0f, 2.0f ) ) );
		for ( int aim = 0; aim < 2 * SPOKES + 1; ++aim )
		{
			float part = aim == 2 * SPOKES ? 0.0f : testRandomFloat( &random, 0.0f, 0.9f );
			supVec3 target = supLerp( hub, rim[aim % SPOKES], part );
			supRay ray = supMakeRay( origin, supSub( target, origin ) );
			int hits = 0;
			for ( int k = 0; k < SPOKES; ++k )
			{
				// the order of corners differs, as it does in real meshes
				supTriangle t = { hub, rim[k], rim[( k + 1 ) % SPOKES] };
				t = k % 3 == 1 ? ( supTriangle ){ t.b, t.c, t.a }
							   : ( k % 3 == 2 ? ( supTriangle ){ t.c, t.a, t.b } : t );
				supRayHit hit;
				hits += supRayHitsTriangle( &ray, &t, 10.0, &hit );
			}
			testGreaterEqual( hits, 1 );
		}
	}
}

static void TestOddRays( void** state )
{
	(void)state;
	supTriangle t = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	supTriangle flat = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 2.0f, 0.0f, 0.0f } };
	supVec3 above = { 0.25f, 0.25f, 1.0f };
	const supVec3 odd[] = {
		{ 0.0f, 0.0f, 0.0f }, { NAN, 0.0f, -1.0f }, { 0.0f, 0.0f, -INFINITY }, { 0.0f, 0.0f, -1.0e-38f }
	};
	supRayHit hit;
	for ( int i = 0; i < 4; ++i )
	{
		supRay ray = supMakeRay( above, odd[i] );
		assert_false( supRayHitsTriangle( &ray, &t, 1.0e30, &hit ) );
	}
	supRay down = supMakeRay( above, supMakeVec3( 0.0f, 0.0f, -2.0f ) );
	assert_true( supRayHitsTriangle( &down, &t, 1.0, &hit ) && hit.t == 0.5 && hit.front );
	assert_false( supRayHitsTriangle( &down, &t, 0.25, &hit ) );
	supRay up = supMakeRay( above, supMakeVec3( 0.0f, 0.0f, 2.0f ) );
	assert_false( supRayHitsTriangle( &up, &t, 1.0e30, &hit ) );
	supRay from = supMakeRay( supMakeVec3( 0.25f, 0.25f, 0.0f ), supMakeVec3( 0.0f, 0.0f, 2.0f ) );
	assert_true( supRayHitsTriangle( &from, &t, 1.0e30, &hit ) && hit.t == 0.0 );
	supRay along = supMakeRay( supMakeVec3( -1.0f, 0.0f, 0.0f ), supMakeVec3( 1.0f, 0.0f, 0.0f ) );
	assert_false( supRayHitsTriangle( &along, &t, 1.0e30, &hit ) );
	assert_false( supRayHitsTriangle( &along, &flat, 1.0e30, &hit ) );
	assert_false( supRayHitsTriangle( &down, &flat, 1.0e30, &hit ) );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestBoxOnAGrid ),          cmocka_unit_test( TestBoxAnywhere ),
		cmocka_unit_test( TestBoxNeverMisses ),      cmocka_unit_test( TestClosestPoint ),
		cmocka_unit_test( TestDistanceToBox ),       cmocka_unit_test( TestRaysAgainstAnotherSolver ),
		cmocka_unit_test( TestNothingSlipsThrough ), cmocka_unit_test( TestOddRays ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
