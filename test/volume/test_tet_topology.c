// SPDX-License-Identifier: MIT
#include "support.h"

#include "core/core.h"
#include "volume/tets/tet_quality.h"
#include "volume/tets/tet_topology.h"

#include <stdlib.h>

// Cubes of six tets each around the diagonal (Kuhn), points in a shuffled order.

static supTets MakeCubes( int32_t n, int32_t cubes, testRandom* random )
{
	static const int8_t ways[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	supTets tets = { 0 };
	tets.pointCount = ( n + 1 ) * ( n + 1 ) * ( n + 1 );
	tets.points = supArena_AllocArray( &tets.arena, (size_t)tets.pointCount, sizeof( supVec3 ) );
	tets.indices = supArena_AllocArray( &tets.arena, (size_t)( 24 * n * n * n ), sizeof( int32_t ) );
	int32_t* order = supArena_AllocArray( &tets.arena, (size_t)tets.pointCount, sizeof( int32_t ) );
	assert_non_null( order );
	for ( int32_t i = 0; i < tets.pointCount; ++i )
	{
		int32_t k = (int32_t)testRandomInt( random, (uint32_t)i + 1 );
		order[i] = order[k];
		order[k] = i;
	}
	const int32_t step[3] = { 1, n + 1, ( n + 1 ) * ( n + 1 ) };
	for ( int32_t i = 0; i < tets.pointCount; ++i )
	{
		tets.points[order[i]] =
			supMakeVec3( (float)( i % step[1] ), (float)( i / step[1] % ( n + 1 ) ), (float)( i / step[2] ) );
	}
	for ( int32_t c = 0; c < cubes; ++c )
	{
		int32_t first = c % n + c / n % n * step[1] + c / n / n * step[2];
		for ( int32_t w = 0; w < 6; ++w )
		{
			int32_t* corners = tets.indices + 4 * tets.tetCount++;
			int32_t at = first;
			corners[0] = order[at];
			for ( int32_t k = 0; k < 3; ++k )
			{
				at += step[ways[w][k]];
				// odd permutations are the mirror images
				corners[( w == 1 || w == 2 || w == 5 ) && k > 0 ? 4 - k : k + 1] = order[at];
			}
			testGreater( supTets_Volume( &tets, tets.tetCount - 1 ), 0.16 );
		}
	}
	return tets;
}

static bool HasEdge( const supTets* tets, int32_t a, int32_t b )
{
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		int32_t found = 0;
		for ( int32_t k = 0; k < 4; ++k )
		{
			found += tets->indices[4 * i + k] == a || tets->indices[4 * i + k] == b ? 1 : 0;
		}
		if ( found == 2 )
		{
			return true;
		}
	}
	return false;
}

static void TestEdges( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int32_t n = 1; n <= 3; ++n )
	{
		supTets tets = MakeCubes( n, n * n * n, &random );
		int32_t count = 0, *edges = NULL, next = 0;
		supError error = { 0 };
		testRequire( supTets_Edges( &tets, &tets.arena, &count, &edges, &error ), &error );
		// along axes, across faces, through cubes
		assert_int_equal( count, 3 * n * ( n + 1 ) * ( n + 1 ) + 3 * n * n * ( n + 1 ) + n * n * n );
		for ( int32_t a = 0; a < tets.pointCount; ++a )
		{
			for ( int32_t b = a + 1; b < tets.pointCount; ++b )
			{
				if ( HasEdge( &tets, a, b ) )
				{
					assert_int_equal( edges[2 * next], a );
					assert_int_equal( edges[2 * next + 1], b );
					next += 1;
				}
			}
		}
		assert_int_equal( next, count );
		supTets_Destroy( &tets );
	}
}

static void TestAround( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	supTets tets = MakeCubes( 4, 50, &random );
	int32_t *starts = NULL, *items = NULL;
	supError error = { 0 };
	testRequire( supTets_Around( &tets, &tets.arena, &starts, &items, &error ), &error );
	assert_int_equal( starts[0], 0 );
	assert_int_equal( starts[tets.pointCount], 4 * tets.tetCount );
	for ( int32_t i = 0; i < tets.pointCount; ++i )
	{
		for ( int32_t k = starts[i]; k < starts[i + 1]; ++k )
		{
			const int32_t* c = tets.indices + 4 * items[k];
			assert_true( c[0] == i || c[1] == i || c[2] == i || c[3] == i );
			assert_true( k == starts[i] || items[k] > items[k - 1] );
		}
	}
	supTets_Destroy( &tets );
}

// The boundary of a cube: two triangles a square, an outward normal each, and the volume by the divergence theorem.
static void TestBoundary( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	const int32_t n = 5;
	supTets tets = MakeCubes( n, n * n * n, &random );
	int32_t count = 0, *triangles = NULL, *neighbours = NULL;
	supError error = { 0 };
	testRequire( supTets_Boundary( &tets, &tets.arena, &count, &triangles, &error ), &error );
	assert_int_equal( count, 12 * n * n );
	double volume = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 a = tets.points[triangles[3 * i]], b = tets.points[triangles[3 * i + 1]];
		supVec3 c = tets.points[triangles[3 * i + 2]];
		supVec3 normal = supCross( supSub( b, a ), supSub( c, a ) );
		supVec3 out = supSub( a, supMakeVec3( 2.5f, 2.5f, 2.5f ) );
		testGreater( supDot( normal, out ), 0.0f );
		volume += (double)supDot( a, supCross( b, c ) ) / 6.0;
	}
	assert_float_equal( volume, n * n * n, 1e-4 );
	testRequire( supTets_Neighbours( &tets, &tets.arena, &neighbours, &error ), &error );
	for ( int32_t i = 0; i < 4 * tets.tetCount; ++i )
	{
		int32_t j = neighbours[i];
		if ( j >= 0 )
		{
			const int32_t* back = neighbours + 4 * j;
			assert_true( back[0] == i / 4 || back[1] == i / 4 || back[2] == i / 4 || back[3] == i / 4 );
		}
	}
	supTets_Destroy( &tets );
}

static void TestSharedByThree( void** state )
{
	(void)state;
	supVec3 points[6] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 }, { 0.1f, 0.1f, 0.5f } };
	int32_t indices[12] = { 0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5 };
	supTets tets = { .pointCount = 6, .points = points, .tetCount = 3, .indices = indices };
	int32_t count = 0, *triangles = NULL, *neighbours = NULL;
	supError error = { 0 };
	supArena arena = { 0 };
	testRequire( supTets_Neighbours( &tets, &arena, &neighbours, &error ), &error );
	assert_int_equal( neighbours[3], -2 );
	assert_int_equal( neighbours[7], -2 );
	assert_int_equal( neighbours[0], -1 );
	testRequire( supTets_Boundary( &tets, &arena, &count, &triangles, &error ), &error );
	assert_int_equal( count, 9 );
	supArena_Destroy( &arena );
}

static void TestParts( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	// two cubes of nine apart: 0 and 8 of a row of three by three
	supTets tets = MakeCubes( 3, 3, &random );
	memmove( tets.indices + 24, tets.indices + 48, 24 * sizeof( int32_t ) );
	tets.tetCount = 12;
	int32_t count = 0, *parts = NULL;
	supError error = { 0 };
	testRequire( supTets_Parts( &tets, &tets.arena, &count, &parts, &error ), &error );
	// the points of no tet are parts of their own
	assert_int_equal( count, 2 + tets.pointCount - 16 );
	for ( int32_t i = 0; i < 48; ++i )
	{
		assert_int_equal( parts[tets.indices[i]], parts[tets.indices[i < 24 ? 0 : 24]] );
	}
	assert_int_not_equal( parts[tets.indices[0]], parts[tets.indices[24]] );
	supTetQuality quality;
	testRequire( supMeasureTets( &tets, NULL, &quality, &error ), &error );
	assert_int_equal( quality.parts, 2 );
	supTets_Destroy( &tets );
}

static void TestQuality( void** state )
{
	(void)state;
	const float s = sqrtf( 0.5f );
	supVec3 points[5] = { { 1, 0, -s }, { -1, 0, -s }, { 0, 1, s }, { 0, -1, s }, { 0, 0, 0 } };
	int32_t indices[8] = { 0, 1, 3, 2, 0, 1, 2, 3 };
	supTets tets = { .pointCount = 5, .points = points, .tetCount = 1, .indices = indices };
	supTetQuality q;
	supError error = { 0 };
	testRequire( supMeasureTets( &tets, NULL, &q, &error ), &error );
	// regular: arc cosine of 1/3
	assert_float_equal( q.minDihedral, 70.528779, 1e-4 );
	assert_float_equal( q.maxDihedral, 70.528779, 1e-4 );
	assert_int_equal( q.dihedrals[7], 6 );
	assert_float_equal( q.minMeanRatio, 1.0, 1e-6 );
	assert_float_equal( q.volume, 8.0 / ( 6.0 * sqrt( 2.0 ) ), 1e-6 );
	assert_int_equal( q.inverted, 0 );
	// its mirror image too
	tets.tetCount = 2;
	testRequire( supMeasureTets( &tets, NULL, &q, &error ), &error );
	assert_int_equal( q.inverted, 1 );
	assert_float_equal( q.minMeanRatio, -1.0, 1e-6 );
	assert_float_equal( q.volume, 0.0, 1e-6 );
	// three right angles at one corner: three of 90 degrees and three of arc cosine of 1 / sqrt 3
	supVec3 corner[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	int32_t four[4] = { 0, 1, 2, 3 };
	supTets right = { .pointCount = 4, .points = corner, .tetCount = 1, .indices = four };
	float angles[6];
	supTets_Dihedrals( &right, 0, angles );
	for ( int32_t i = 0; i < 6; ++i )
	{
		assert_float_equal( angles[i], i < 3 ? 90.0 : 54.735610, 1e-4 );
	}
	// flat, and no tets at all
	corner[3].z = 0.0f;
	testRequire( supMeasureTets( &right, NULL, &q, &error ), &error );
	assert_int_equal( q.inverted, 1 );
	assert_float_equal( q.minMeanRatio, 0.0, 1e-12 );
	right.tetCount = 0;
	testRequire( supMeasureTets( &right, NULL, &q, &error ), &error );
	assert_int_equal( q.parts, 0 );
}

static bool Attempt( void* context )
{
	const supTets* tets = context;
	supArena arena = { 0 };
	supError error = { 0 };
	supTetQuality quality;
	int32_t edgeCount, *edges, triangleCount, *triangles;
	bool ok = supTets_Edges( tets, &arena, &edgeCount, &edges, &error ) &&
			  supTets_Boundary( tets, &arena, &triangleCount, &triangles, &error ) &&
			  supMeasureTets( tets, NULL, &quality, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supArena_Destroy( &arena );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supVec3 points[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } };
	int32_t indices[8] = { 0, 1, 2, 3, 1, 2, 3, 4 };
	supTets tets = { .pointCount = 5, .points = points, .tetCount = 2, .indices = indices };
	testEachAllocationFailure( Attempt, &tets, 100 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEdges ),         cmocka_unit_test( TestAround ), cmocka_unit_test( TestBoundary ),
		cmocka_unit_test( TestSharedByThree ), cmocka_unit_test( TestParts ),  cmocka_unit_test( TestQuality ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
