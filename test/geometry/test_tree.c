// SPDX-License-Identifier: MIT
// The tree against loops over all triangles.
// labels: threads
#include "support.h"

#include "geometry/tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct Soup
{
	int32_t vertexCount;
	int32_t triangleCount;
	supVec3* positions;
	uint32_t* indices;
} Soup;

typedef enum Kind
{
	sup_kindSmall,     // small triangles all over
	sup_kindLarge,     // long ones that overlap
	sup_kindGrid,      // whole numbers: many equal distances, flat and collapsed ones
	sup_kindStack,     // the same triangle over and over
	sup_kindGeometric, // each half the size of the one before, towards a corner
	sup_kindFlat,      // all in one plane
	sup_kindCount
} Kind;

static supVec3 RandomCorner( testRandom* random, Kind kind, int32_t triangle, supVec3 center )
{
	supVec3 p = testRandomVec3( random, 1.0f );
	switch ( kind )
	{
		case sup_kindSmall:
			return supMulAdd( center, 0.05f, p );
		case sup_kindGrid:
			return supMakeVec3( floorf( 4.0f * p.x ), floorf( 4.0f * p.y ), floorf( 4.0f * p.z ) );
		case sup_kindGeometric:
			return supScale( ldexpf( 1.0f, -( triangle % 60 ) ), supAdd( p, supMakeVec3( 2.0f, 2.0f, 2.0f ) ) );
		case sup_kindFlat:
			return supMakeVec3( p.x, 0.25f, p.z );
		default:
			return p;
	}
}

static Soup MakeSoup( uint64_t seed, Kind kind, int32_t triangleCount )
{
	testRandom random = testMakeRandom( seed );
	Soup soup = { 3 * triangleCount, triangleCount, NULL, NULL };
	soup.positions = malloc( ( (size_t)soup.vertexCount + 1 ) * sizeof( supVec3 ) );
	soup.indices = malloc( ( (size_t)soup.vertexCount + 1 ) * sizeof( uint32_t ) );
	assert_non_null( soup.positions );
	assert_non_null( soup.indices );
	for ( int32_t i = 0; i < triangleCount; ++i )
	{
		supVec3 center = testRandomVec3( &random, 1.0f );
		for ( int32_t k = 3 * i; k < 3 * i + 3; ++k )
		{
			soup.positions[k] = RandomCorner( &random, kind, i, center );
			soup.indices[k] = (uint32_t)( kind == sup_kindStack ? k % 3 : k );
		}
	}
	return soup;
}

static void FreeSoup( Soup* soup )
{
	free( soup->positions );
	free( soup->indices );
}

static supTriangle TriangleOf( const Soup* soup, int32_t i )
{
	const uint32_t* c = soup->indices + 3 * i;
	return ( supTriangle ){ soup->positions[c[0]], soup->positions[c[1]], soup->positions[c[2]] };
}

static supTree* MakeTree( const Soup* soup )
{
	supError error = { 0 };
	supTree* tree = supCreateTree( soup->positions, soup->vertexCount, soup->indices, soup->triangleCount, &error );
	testRequire( tree != NULL, &error );
	return tree;
}

// ---------------------------------------------------------------------------------------------------------------------
// The loops

static void CheckClosest( const Soup* soup, const supTree* tree, supVec3 p, float maxDistance )
{
	int32_t expected = -1;
	supTrianglePoint best = { .distanceSquared = (double)maxDistance * maxDistance };
	for ( int32_t i = 0; i < soup->triangleCount; ++i )
	{
		supTriangle t = TriangleOf( soup, i );
		supTrianglePoint q = supClosestPointOnTriangle( &t, p );
		if ( q.distanceSquared < best.distanceSquared || ( expected < 0 && q.distanceSquared == best.distanceSquared ) )
		{
			best = q;
			expected = i;
		}
	}
	supTreeHit hit;
	bool found = supTree_FindClosest( tree, p, maxDistance, &hit );
	assert_int_equal( found, expected >= 0 );
	assert_int_equal( hit.triangle, expected );
	if ( found )
	{
		assert_true( hit.distance == (float)sqrt( best.distanceSquared ) && hit.u == best.u && hit.v == best.v );
		assert_memory_equal( &hit.point, &best.point, sizeof( supVec3 ) );
	}
}

static bool CheckRay( const Soup* soup, const supTree* tree, supVec3 origin, supVec3 direction, float maxDistance )
{
	supRay ray = supMakeRay( origin, direction );
	supRayHit best = { .t = maxDistance };
	int32_t expected = -1;
	for ( int32_t i = 0; i < soup->triangleCount; ++i )
	{
		supTriangle t = TriangleOf( soup, i );
		supRayHit candidate;
		if ( supRayHitsTriangle( &ray, &t, best.t, &candidate ) && ( candidate.t < best.t || expected < 0 ) )
		{
			best = candidate;
			expected = i;
		}
	}
	supTreeHit hit;
	bool found = supTree_CastRay( tree, origin, direction, maxDistance, &hit );
	assert_int_equal( hit.triangle, expected );
	assert_int_equal( found, expected >= 0 );
	if ( found )
	{
		assert_true( hit.distance == (float)best.t && hit.u == best.u && hit.v == best.v && hit.front == best.front );
	}
	return found;
}

typedef struct Visit
{
	int32_t* counts;
	int32_t total;
	int32_t most;
} Visit;

static bool CountVisit( int32_t triangle, void* context )
{
	Visit* visit = context;
	visit->counts[triangle] += 1;
	visit->total += 1;
	return visit->total < visit->most;
}

static void CheckQuery( const Soup* soup, const supTree* tree, supBox box )
{
	Visit visit = { calloc( (size_t)soup->triangleCount + 1, sizeof( int32_t ) ), 0, INT32_MAX };
	assert_non_null( visit.counts );
	assert_true( supTree_Query( tree, box, CountVisit, &visit ) );
	int32_t expectedTotal = 0;
	for ( int32_t i = 0; i < soup->triangleCount; ++i )
	{
		supTriangle t = TriangleOf( soup, i );
		supBox b = supTriangle_Bounds( &t );
		bool expected = b.lower.x <= box.upper.x && b.upper.x >= box.lower.x && b.lower.y <= box.upper.y &&
						b.upper.y >= box.lower.y && b.lower.z <= box.upper.z && b.upper.z >= box.lower.z;
		assert_int_equal( visit.counts[i], expected );
		expectedTotal += expected;
	}
	assert_int_equal( visit.total, expectedTotal );
	if ( expectedTotal > 1 )
	{
		visit.total = 0;
		visit.most = 1;
		assert_false( supTree_Query( tree, box, CountVisit, &visit ) );
		assert_int_equal( visit.total, 1 );
	}
	free( visit.counts );
}

static int32_t CheckAll( const Soup* soup, const supTree* tree, uint64_t seed, int32_t rounds )
{
	testRandom random = testMakeRandom( seed );
	int32_t hits = 0;
	for ( int32_t i = 0; i < rounds; ++i )
	{
		supVec3 p = testRandomVec3( &random, i % 5 == 0 ? 20.0f : 2.0f );
		// whole numbers meet the grid's corners, planes and edges
		p = i % 3 == 0 ? supMakeVec3( floorf( p.x ), floorf( p.y ), floorf( p.z ) ) : p;
		supVec3 d = testRandomVec3( &random, 1.0f );
		d = i % 3 == 0 ? supMakeVec3( roundf( d.x ), roundf( d.y ), roundf( d.z ) ) : d;
		CheckClosest( soup, tree, p, i % 4 == 0 ? testRandomFloat( &random, 0.0f, 1.0f ) : INFINITY );
		hits += CheckRay( soup, tree, p, d, i % 4 == 1 ? 2.0f : INFINITY );
		// at a corner of the mesh, where all that meet there are hit at once
		uint32_t corner = soup->triangleCount > 0 ? testRandomInt( &random, 3 * (uint32_t)soup->triangleCount ) : 0;
		supVec3 target = soup->triangleCount > 0 ? soup->positions[soup->indices[corner]] : supVec3_zero;
		hits += CheckRay( soup, tree, p, supSub( target, p ), 3.0e38f );
		CheckQuery( soup, tree, supBox_Include( ( supBox ){ p, p }, supMulAdd( p, 0.5f, d ) ) );
	}
	return hits;
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestSoups( void** state )
{
	(void)state;
	const int32_t counts[] = { 0, 1, 2, 4, 5, 33, 700 };
	for ( int kind = 0; kind < sup_kindCount; ++kind )
	{
		int32_t hits = 0;
		for ( int i = 0; i < 7; ++i )
		{
			Soup soup = MakeSoup( 10 + (uint64_t)kind, (Kind)kind, counts[i] );
			supTree* tree = MakeTree( &soup );
			supBox bounds = supBox_empty;
			for ( int32_t k = 0; k < 3 * counts[i]; ++k )
			{
				bounds = supBox_Include( bounds, soup.positions[soup.indices[k]] );
			}
			supBox found = supTree_Bounds( tree );
			assert_memory_equal( &found, &bounds, sizeof( supBox ) );
			hits += CheckAll( &soup, tree, 99, 150 );
			supDestroyTree( tree );
			FreeSoup( &soup );
		}
		testGreater( hits, 200 );
	}
}

static supTree* MakeLeanTree( const Soup* soup, int32_t leaf )
{
	supError error = { 0 };
	supTree* tree =
		supCreateLeanTree( soup->positions, soup->vertexCount, soup->indices, soup->triangleCount, leaf, &error );
	testRequire( tree != NULL, &error );
	return tree;
}

// Lean trees give the answers of the loop as well, whatever the leaves are, and do not look at unused vertices.
static void TestLean( void** state )
{
	(void)state;
	const int32_t leaves[] = { 4, 16, 20, 1000 }, counts[] = { 0, 3, 17, 400 };
	for ( int kind = 0; kind < sup_kindCount; ++kind )
	{
		for ( int i = 0; i < 4; ++i )
		{
			Soup soup = MakeSoup( 40 + (uint64_t)kind, (Kind)kind, counts[i] );
			supTree* tree = MakeLeanTree( &soup, leaves[( kind + i ) % 4] );
			CheckAll( &soup, tree, 98, 60 );
			supDestroyTree( tree );
			FreeSoup( &soup );
		}
	}
	supVec3 positions[4] = { { 0.0f, 0.0f, 0.0f }, { NAN, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	uint32_t indices[3] = { 0, 2, 3 };
	supError error = { 0 };
	supTreeHit hit;
	supTree* tree = supCreateLeanTree( positions, 4, indices, 1, 16, &error );
	testRequire( tree != NULL, &error );
	assert_true( supTree_FindClosest( tree, supMakeVec3( 0.25f, 0.25f, 1.0f ), 2.0f, &hit ) );
	supDestroyTree( tree );
	indices[1] = 1;
	assert_null( supCreateLeanTree( positions, 4, indices, 1, 16, &error ) );
	assert_non_null( strstr( error.message, "vertex 1 is at" ) );
}

// With leaves of 16: 16 bytes a triangle, and 36 while the tree is built.
static void TestLeanMemory( void** state )
{
	(void)state;
	testMeasuresOnly();
	Soup soup = MakeSoup( 50, sup_kindSmall, 20000 );
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	supTree* tree = MakeLeanTree( &soup, 16 );
	print_message( "%d triangles: %zu bytes, %zu at most\n", soup.triangleCount, heap.liveBytes, heap.peakBytes );
	testLessEqual( heap.liveBytes, 16 * (size_t)soup.triangleCount );
	testLessEqual( heap.peakBytes, 36 * (size_t)soup.triangleCount );
	supDestroyTree( tree );
	testUninstallHeap( &heap );
	FreeSoup( &soup );
}

// Both instruction sets, bit for bit.
static void TestInstructionSets( void** state )
{
	(void)state;
	supInstructionSet before = supGetInstructionSet();
	Soup soup = MakeSoup( 3, sup_kindSmall, 500 );
	supTree* tree = MakeTree( &soup );
	for ( int set = 0; set < 2; ++set )
	{
		if ( supSetInstructionSet( (supInstructionSet)set ) )
		{
			CheckAll( &soup, tree, 5, 100 );
		}
	}
	assert_true( supSetInstructionSet( before ) );
	supDestroyTree( tree );
	FreeSoup( &soup );
}

// Same answers as the loop over the moved triangles, with any number of threads.
static void TestRefit( void** state )
{
	(void)state;
	for ( int threads = 1; threads <= 3; ++threads )
	{
		supThreadPool* pool = supCreateThreadPool( threads );
		const supTasks* tasks = threads == 1 ? NULL : supThreadPool_Tasks( pool );
		Soup soup = MakeSoup( 21, sup_kindSmall, 5000 );
		supTree* tree = MakeTree( &soup );
		for ( int step = 0; step < 3; ++step )
		{
			testRandom random = testMakeRandom( (uint64_t)step );
			for ( int32_t i = 0; i < soup.vertexCount; ++i )
			{
				supVec3 p = soup.positions[i];
				supCosSin turn = supComputeCosSin( 2.0f * p.y );
				p = supMakeVec3( turn.cosine * p.x - turn.sine * p.z, p.y, turn.sine * p.x + turn.cosine * p.z );
				soup.positions[i] = supMulAdd( p, 0.1f, testRandomVec3( &random, 1.0f ) );
			}
			assert_int_equal( supTree_Refit( tree, soup.positions, tasks ), 0 );
			CheckAll( &soup, tree, 40 + (uint64_t)step, 25 );
		}
		supDestroyTree( tree );
		FreeSoup( &soup );
		supDestroyThreadPool( pool );
	}
}

// Triangles whose corners are lost disappear, the others stay as they were; they come back with good positions.
static void TestRefitWithoutNumbers( void** state )
{
	(void)state;
	Soup soup = MakeSoup( 22, sup_kindSmall, 300 );
	supTree* tree = MakeTree( &soup );
	Soup rest = { soup.vertexCount, 0, soup.positions, malloc( 900 * sizeof( uint32_t ) ) };
	assert_non_null( rest.indices );
	supVec3* broken = malloc( (size_t)soup.vertexCount * sizeof( supVec3 ) );
	assert_non_null( broken );
	memcpy( broken, soup.positions, (size_t)soup.vertexCount * sizeof( supVec3 ) );
	const float odd[] = { NAN, INFINITY, -INFINITY, 1.0e30f };
	int32_t numbers[300];
	for ( int32_t i = 0; i < 300; ++i )
	{
		if ( i % 3 != 0 )
		{
			( &broken[3 * i + i % 5 % 3].x )[i % 3] = odd[i % 4];
			continue;
		}
		memcpy( rest.indices + 3 * rest.triangleCount, soup.indices + 3 * i, 3 * sizeof( uint32_t ) );
		numbers[rest.triangleCount++] = i;
	}
	assert_int_equal( supTree_Refit( tree, broken, NULL ), 200 );
	supTree* restTree = MakeTree( &rest );
	testRandom random = testMakeRandom( 8 );
	for ( int i = 0; i < 2000; ++i )
	{
		supVec3 p = testRandomVec3( &random, 2.0f ), d = testRandomVec3( &random, 1.0f );
		supTreeHit a, b;
		assert_int_equal( supTree_FindClosest( tree, p, INFINITY, &a ), 1 );
		assert_int_equal( supTree_FindClosest( restTree, p, INFINITY, &b ), 1 );
		assert_int_equal( a.triangle, numbers[b.triangle] );
		bool found = supTree_CastRay( tree, p, d, INFINITY, &a );
		assert_int_equal( found, supTree_CastRay( restTree, p, d, INFINITY, &b ) );
		assert_int_equal( a.triangle, found ? numbers[b.triangle] : -1 );
	}
	supDestroyTree( restTree );

	// nothing left at all
	for ( int32_t i = 0; i < soup.vertexCount; ++i )
	{
		broken[i] = supMakeVec3( NAN, NAN, NAN );
	}
	assert_int_equal( supTree_Refit( tree, broken, NULL ), 300 );
	supTreeHit hit;
	assert_false( supTree_FindClosest( tree, supVec3_zero, INFINITY, &hit ) );
	assert_false( supTree_CastRay( tree, supVec3_zero, supVec3_one, INFINITY, &hit ) );
	assert_true( supBox_IsEmpty( supTree_Bounds( tree ) ) );

	assert_int_equal( supTree_Refit( tree, soup.positions, NULL ), 0 );
	CheckAll( &soup, tree, 9, 50 );
	supDestroyTree( tree );
	free( broken );
	free( rest.indices );
	FreeSoup( &soup );
}

static void TestOddQueries( void** state )
{
	(void)state;
	Soup soup = MakeSoup( 23, sup_kindSmall, 50 );
	supTree* tree = MakeTree( &soup );
	supTreeHit hit;
	assert_false( supTree_FindClosest( tree, supMakeVec3( NAN, 0.0f, 0.0f ), INFINITY, &hit ) );
	assert_int_equal( hit.triangle, -1 );
	assert_false( supTree_FindClosest( tree, supVec3_zero, NAN, &hit ) );
	assert_false( supTree_FindClosest( tree, supVec3_zero, -1.0f, &hit ) );
	assert_false( supTree_CastRay( tree, supVec3_zero, supVec3_zero, INFINITY, &hit ) );
	assert_false( supTree_CastRay( tree, supVec3_zero, supMakeVec3( NAN, 0.0f, 0.0f ), INFINITY, &hit ) );
	assert_false( supTree_CastRay( tree, supVec3_zero, supVec3_one, NAN, &hit ) );
	// a corner is at distance 0, which is within 0
	assert_true( supTree_FindClosest( tree, soup.positions[7], 0.0f, &hit ) );
	assert_int_equal( hit.triangle, 2 );
	Visit visit = { NULL, 0, INT32_MAX };
	assert_true( supTree_Query( tree, supBox_empty, CountVisit, &visit ) );
	assert_int_equal( visit.total, 0 );
	supDestroyTree( tree );
	supDestroyTree( NULL );
	FreeSoup( &soup );
}

static void TestBadMeshes( void** state )
{
	(void)state;
	supVec3 positions[3] = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	uint32_t indices[6] = { 0, 1, 2, 2, 1, 3 };
	supError error = { 0 };
	assert_null( supCreateTree( positions, 3, indices, 2, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_string_equal( error.message, "triangle 1 uses vertex 3 of 3" );
	const float odd[] = { NAN, INFINITY, -2.0e18f };
	for ( int i = 0; i < 3; ++i )
	{
		positions[1].y = odd[i];
		error = ( supError ){ 0 };
		assert_null( supCreateTree( positions, 3, indices, 1, &error ) );
		assert_int_equal( error.code, sup_errorArgument );
		assert_true( strncmp( error.message, "vertex 1 is at (1, ", 19 ) == 0 );
	}
	assert_null( supCreateTree( positions, -1, indices, 1, NULL ) );
	assert_null( supCreateTree( positions, 3, indices, -1, NULL ) );
	supTree* empty = supCreateTree( NULL, 0, NULL, 0, &error );
	supTreeHit hit;
	assert_non_null( empty );
	assert_int_equal( supTree_Refit( empty, NULL, NULL ), 0 );
	assert_false( supTree_FindClosest( empty, supVec3_zero, INFINITY, &hit ) );
	supDestroyTree( empty );
}

// Sizes near the limit neither overflow nor hide anything.
static void TestHugeAndTiny( void** state )
{
	(void)state;
	const float scales[] = { 1.0e17f, 1.0e-17f };
	for ( int k = 0; k < 2; ++k )
	{
		Soup soup = MakeSoup( 24, sup_kindSmall, 200 );
		for ( int32_t i = 0; i < soup.vertexCount; ++i )
		{
			soup.positions[i] = supScale( scales[k], soup.positions[i] );
		}
		supTree* tree = MakeTree( &soup );
		testRandom random = testMakeRandom( 1 );
		for ( int i = 0; i < 200; ++i )
		{
			supVec3 p = testRandomVec3( &random, 2.0f * scales[k] );
			CheckClosest( &soup, tree, p, INFINITY );
			CheckRay( &soup, tree, p, testRandomVec3( &random, 1.0f ), INFINITY );
			CheckRay( &soup, tree, p, supNeg( p ), INFINITY );
		}
		supDestroyTree( tree );
		FreeSoup( &soup );
	}
}

static bool AttemptCreate( void* context )
{
	const Soup* soup = context;
	supError error = { 0 };
	supTree* tree = supCreateTree( soup->positions, soup->vertexCount, soup->indices, soup->triangleCount, &error );
	assert_int_equal( error.code, tree == NULL ? sup_errorMemory : sup_errorNone );
	supDestroyTree( tree );
	return tree != NULL;
}

static bool AttemptCreateLean( void* context )
{
	const Soup* soup = context;
	supError error = { 0 };
	supTree* tree =
		supCreateLeanTree( soup->positions, soup->vertexCount, soup->indices, soup->triangleCount, 16, &error );
	assert_int_equal( error.code, tree == NULL ? sup_errorMemory : sup_errorNone );
	supDestroyTree( tree );
	return tree != NULL;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	Soup soup = MakeSoup( 25, sup_kindSmall, 2000 );
	testEachAllocationFailure( AttemptCreate, &soup, 200 );
	testEachAllocationFailure( AttemptCreateLean, &soup, 200 );
	// queries and refit allocate nothing
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	supTree* tree = MakeTree( &soup );
	heap.allocations = 0;
	supTreeHit hit;
	supTree_Refit( tree, soup.positions, NULL );
	supTree_FindClosest( tree, supVec3_zero, INFINITY, &hit );
	supTree_CastRay( tree, supVec3_zero, supVec3_one, INFINITY, &hit );
	assert_int_equal( heap.allocations, 0 );
	supDestroyTree( tree );
	testUninstallHeap( &heap );
	FreeSoup( &soup );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSoups ),       cmocka_unit_test( TestLean ),
		cmocka_unit_test( TestLeanMemory ),  cmocka_unit_test( TestInstructionSets ),
		cmocka_unit_test( TestRefit ),       cmocka_unit_test( TestRefitWithoutNumbers ),
		cmocka_unit_test( TestOddQueries ),  cmocka_unit_test( TestBadMeshes ),
		cmocka_unit_test( TestHugeAndTiny ), cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
