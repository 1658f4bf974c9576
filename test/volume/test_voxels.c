// SPDX-License-Identifier: MIT
// labels: threads
// threads: TestThreads
#include "shapes.h"

#include "core/core.h"
#include "geometry/overlap.h"
#include "supple/supple.h"
#include "volume/body/rest_surface.h"
#include "volume/voxels/voxels.h"

static supVoxels Voxelise( const Shape* shape, int32_t resolution, const supTasks* tasks )
{
	supVoxels voxels = { 0 };
	supError error = { 0 };
	supVoxelsDef def = {
		resolution, shape->vertexCount, shape->positions, shape->triangleCount, shape->indices, tasks
	};
	testRequire( supVoxels_Init( &voxels, &def, &error ), &error );
	return voxels;
}

static supTriangle TriangleOf( const Shape* shape, int32_t i )
{
	return ( supTriangle ){ shape->positions[shape->indices[3 * i]], shape->positions[shape->indices[3 * i + 1]],
							shape->positions[shape->indices[3 * i + 2]] };
}

// What voxels are, cell by cell and with sums over all triangles. Cells where the exact winding number is within 0.01
// of a half may go either way.
static void CheckAgainstBruteForce( const Shape* shape, int32_t resolution )
{
	supVoxels v = Voxelise( shape, resolution, NULL );
	int32_t next = 0, unsure = 0;
	for ( int32_t z = 0; z < v.nz; ++z )
	{
		for ( int32_t y = 0; y < v.ny; ++y )
		{
			for ( int32_t x = 0; x < v.nx; ++x )
			{
				supVoxelCell cell = { (int16_t)x, (int16_t)y, (int16_t)z };
				supBox box = supVoxels_Box( &v, cell, cell );
				bool surface = false;
				for ( int32_t i = 0; i < shape->triangleCount && surface == false; ++i )
				{
					supTriangle t = TriangleOf( shape, i );
					surface = supTriangleOverlapsBox( &t, box );
				}
				double w = surface ? 1.0 : ExactWinding( shape, supVoxels_CellCenter( &v, cell ) );
				int32_t found = supVoxels_Find( &v, x, y, z );
				if ( fabs( w - 0.5 ) < 0.005 )
				{
					unsure += 1;
				}
				else
				{
					assert_int_equal( found >= 0, w > 0.5 );
				}
				if ( found >= 0 )
				{
					// the list is sorted as these loops run
					assert_int_equal( found, next );
					assert_memory_equal( &v.cells[found], &cell, sizeof( cell ) );
					assert_int_equal( v.isSurface[found], surface );
					next += 1;
				}
			}
		}
	}
	assert_int_equal( next, v.count );
	testLess( unsure * 50, v.nx * v.ny * v.nz );
	supVoxels_Destroy( &v );
}

static void TestShapesCellByCell( void** state )
{
	(void)state;
	testMeasuresOnly();
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -1, -2, 0.5f ), supMakeVec3( 1.3f, 1, 1.7f ) );
	CheckAgainstBruteForce( &shape, 1 );
	CheckAgainstBruteForce( &shape, 23 );
	FreeShape( &shape );
	AddSphere( &shape, supMakeVec3( 3, 0, 0 ), 1.0f, 12 );
	CheckAgainstBruteForce( &shape, 40 );
	// another one that overlaps it, and one inside
	AddSphere( &shape, supMakeVec3( 4.1f, 0.2f, 0 ), 0.8f, 9 );
	AddSphere( &shape, supMakeVec3( 3, 0, 0 ), 0.3f, 8 );
	CheckAgainstBruteForce( &shape, 37 );
	FreeShape( &shape );
	// open at both ends
	AddTube( &shape, supVec3_zero, 1.0f, 3.0f, 24 );
	CheckAgainstBruteForce( &shape, 36 );
	FreeShape( &shape );
	// a bowl
	const supVec2 bowl[] = { { 0, -1 }, { 0.5f, -0.86f }, { 0.87f, -0.5f }, { 1, 0 }, { 0.9f, 0.4f } };
	AddTurned( &shape, supVec3_zero, bowl, 5, 20 );
	CheckAgainstBruteForce( &shape, 33 );
	FreeShape( &shape );
}

static void TestRandomSoup( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	for ( int round = 0; round < 6; ++round )
	{
		Shape shape = { 0 };
		GrowShape( &shape, 60, 20 );
		for ( int32_t i = 0; i < 60; ++i )
		{
			shape.positions[i] = testRandomVec3( &random, 1.0f );
			shape.indices[i] = (uint32_t)i;
		}
		CheckAgainstBruteForce( &shape, 20 + round );
		FreeShape( &shape );
	}
}

// Long thin triangles in a box, each cell near to all of them.
static void MakeHeap( Shape* shape, int32_t count )
{
	AddBox( shape, supMakeVec3( -0.9f, -0.9f, -0.9f ), supMakeVec3( 0.9f, 0.9f, 0.9f ) );
	int32_t vertex = shape->vertexCount, triangle = shape->triangleCount;
	GrowShape( shape, 3 * count, count );
	testRandom random = testMakeRandom( 9 );
	for ( int32_t i = 0; i < 3 * count; ++i )
	{
		supVec3 place = testRandomVec3( &random, 1.0f );
		bool isLast = i % 3 == 2;
		shape->positions[vertex + i] =
			isLast ? supAdd( shape->positions[vertex + i - 1], supMakeVec3( 1.0e-3f, 0.0f, 0.0f ) ) : place;
		shape->indices[3 * triangle + i] = (uint32_t)( vertex + i );
	}
}

static void TestHeap( void** state )
{
	(void)state;
	Shape shape = { 0 };
	MakeHeap( &shape, 600 );
	CheckAgainstBruteForce( &shape, 22 );
	FreeShape( &shape );
}

// Every point of every triangle lies in a voxel.
static void CheckContains( const supVoxels* v, const Shape* shape )
{
	for ( int32_t i = 0; i < shape->triangleCount; ++i )
	{
		supTriangle t = TriangleOf( shape, i );
		int32_t a = supVoxels_FindAt( v, t.a ), b = supVoxels_FindAt( v, t.b ), c = supVoxels_FindAt( v, t.c );
		testGreaterEqual( a, 0 );
		testGreaterEqual( b, 0 );
		testGreaterEqual( c, 0 );
		assert_true( v->isSurface[a] && v->isSurface[b] && v->isSurface[c] );
	}
}

// No chain across faces leads from the outside to a voxel that is not surface.
static void CheckWatertight( const supVoxels* v )
{
	for ( int32_t i = 0; i < v->count; ++i )
	{
		supVoxelCell c = v->cells[i];
		for ( int32_t k = 0; v->isSurface[i] == 0 && k < 6; ++k )
		{
			supVoxelCell o = supVoxelOffsets[k];
			testGreaterEqual( supVoxels_Find( v, c.x + o.x, c.y + o.y, c.z + o.z ), 0 );
		}
	}
}

static void TestContainsAndWatertight( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 7 );
	for ( int32_t i = 0; i < 12; ++i )
	{
		Shape shape = { 0 };
		AddSphere( &shape, testRandomVec3( &random, 10.0f ), 1.0f, 10 );
		AddBox( &shape, supMakeVec3( -0.5f, -1, 0 ), supMakeVec3( 0.5f, 1, 1 ) );
		supQuat q = testRandomQuat( &random );
		for ( int32_t k = 0; k < shape.vertexCount; ++k )
		{
			shape.positions[k] = supRotate( q, shape.positions[k] );
		}
		supVoxels v = Voxelise( &shape, 20 + 10 * i, NULL );
		CheckContains( &v, &shape );
		CheckWatertight( &v );
		testLess( v.surfaceCount, v.count );
		supVoxels_Destroy( &v );
		FreeShape( &shape );
	}
}

// From analysis: a ball's voxels fill a ball at least its size and at most one diagonal of a voxel larger.
static void TestVolumeOfBall( void** state )
{
	(void)state;
	testMeasuresOnly();
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 64 );
	double last = 1e9;
	for ( int32_t resolution = 16; resolution <= 128; resolution *= 2 )
	{
		supVoxels v = Voxelise( &shape, resolution, NULL );
		double volume = v.count * v.size * v.size * v.size;
		double grown = 1.0 + sqrt( 3.0 ) * v.size;
		testGreater( volume, 4.0 / 3.0 * 3.14159 * 0.995 );
		testLess( volume, 4.0 / 3.0 * 3.14160 * grown * grown * grown );
		testLess( volume, last );
		last = volume;
		supVoxels_Destroy( &v );
	}
	FreeShape( &shape );
}

static void TestThinAndFlat( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0, 0, 0 ), supMakeVec3( 1, 0.001f, 1 ) );
	supVoxels v = Voxelise( &shape, 32, NULL );
	assert_int_equal( v.ny, 1 );
	assert_int_equal( v.count, 32 * 32 );
	assert_int_equal( v.surfaceCount, v.count );
	supVoxels_Destroy( &v );
	FreeShape( &shape );

	// one triangle, in a plane and at a slant
	GrowShape( &shape, 3, 1 );
	memcpy( shape.indices, ( uint32_t[] ){ 0, 1, 2 }, 3 * sizeof( uint32_t ) );
	shape.positions[0] = supMakeVec3( 0, 5, 0 );
	shape.positions[1] = supMakeVec3( 1, 5, 0 );
	shape.positions[2] = supMakeVec3( 0, 5, 1 );
	v = Voxelise( &shape, 64, NULL );
	assert_int_equal( v.ny, 1 );
	testGreaterEqual( v.count, 64 * 65 / 2 );
	testLessEqual( v.count, 64 * 65 / 2 + 64 );
	CheckContains( &v, &shape );
	supVoxels_Destroy( &v );
	shape.positions[2].y = 7;
	v = Voxelise( &shape, SUP_MAX_VOXEL_RESOLUTION, NULL );
	CheckContains( &v, &shape );
	assert_int_equal( v.surfaceCount, v.count );
	supVoxels_Destroy( &v );
	FreeShape( &shape );
}

static void TestSymmetric( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	Shape shape = { 0 };
	GrowShape( &shape, 120, 40 );
	// triangles at random, and their mirror images turned round
	for ( int32_t i = 0; i < 60; ++i )
	{
		supVec3 p = testRandomVec3( &random, 1.0f );
		shape.positions[i] = p;
		shape.positions[60 + i] = supMakeVec3( -p.x, p.y, p.z );
		shape.indices[i] = (uint32_t)i;
		shape.indices[60 + i] = (uint32_t)( 60 + i - i % 3 + ( 3 - i % 3 ) % 3 );
	}
	AddSphere( &shape, supMakeVec3( 0, 0, 0 ), 0.5f, 8 );
	for ( int32_t resolution = 30; resolution < 32; ++resolution )
	{
		supVoxels v = Voxelise( &shape, resolution, NULL );
		int32_t surface = 0;
		for ( int32_t i = 0; i < v.count; ++i )
		{
			supVoxelCell c = v.cells[i];
			int32_t other = supVoxels_Find( &v, v.nx - 1 - c.x, c.y, c.z );
			if ( v.isSurface[i] != 0 )
			{
				// the sphere's sides are mirrored to rounding only
				surface += other < 0 || v.isSurface[other] == 0;
			}
		}
		assert_in_range( surface, 0, 2 );
		supVoxels_Destroy( &v );
	}
	FreeShape( &shape );
}

static void TestNeighboursAndParts( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0, 0, 0 ), supMakeVec3( 1, 1, 1 ) );
	AddBox( &shape, supMakeVec3( 2, 0, 0 ), supMakeVec3( 3, 1, 1 ) );
	AddBox( &shape, supMakeVec3( 0, 3, 3 ), supMakeVec3( 1, 4, 4 ) );
	supVoxels v = Voxelise( &shape, 67, NULL );
	int32_t* table = malloc( (size_t)v.count * 26 * sizeof( int32_t ) );
	int32_t* six = malloc( (size_t)v.count * 6 * sizeof( int32_t ) );
	int32_t* parts = malloc( (size_t)v.count * sizeof( int32_t ) );
	supVoxels_FillNeighbours( &v, 26, NULL, table );
	supVoxels_FillNeighbours( &v, 6, NULL, six );
	assert_int_equal( supVoxels_FindParts( &v, parts ), 3 );
	for ( int32_t i = 0; i < v.count; ++i )
	{
		supVec3 p = supVoxels_CellCenter( &v, v.cells[i] );
		assert_int_equal( parts[i], p.y > 2 ? 2 : ( p.x > 1.5f ? 1 : 0 ) );
		assert_int_equal( supVoxels_FindAt( &v, p ), i );
		assert_memory_equal( six + 6 * i, table + 26 * i, 6 * sizeof( int32_t ) );
		for ( int32_t k = 0; k < 26; ++k )
		{
			int32_t j = table[26 * i + k];
			if ( j >= 0 )
			{
				assert_int_equal( v.cells[j].x - v.cells[i].x, supVoxelOffsets[k].x );
				assert_int_equal( v.cells[j].y - v.cells[i].y, supVoxelOffsets[k].y );
				assert_int_equal( v.cells[j].z - v.cells[i].z, supVoxelOffsets[k].z );
				int32_t steps = abs( supVoxelOffsets[k].x ) + abs( supVoxelOffsets[k].y ) + abs( supVoxelOffsets[k].z );
				assert_int_equal( steps, k < 6 ? 1 : ( k < 18 ? 2 : 3 ) );
			}
		}
	}
	assert_int_equal( supVoxels_FindAt( &v, supMakeVec3( 1.5f, 0.5f, 0.5f ) ), -1 );
	assert_int_equal( supVoxels_FindAt( &v, supMakeVec3( 99, 0, 0 ) ), -1 );
	free( table );
	free( six );
	free( parts );
	supVoxels_Destroy( &v );
	FreeShape( &shape );
}

static void TestBadInput( void** state )
{
	(void)state;
	supVec3 positions[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { NAN, 0, 0 } };
	uint32_t indices[3] = { 0, 1, 2 };
	supVoxels v = { 0 };
	supError error = { 0 };
	supVoxelsDef good = { 8, 4, positions, 1, indices, NULL };
	supVoxelsDef def = good;
	// the vertex that is not a number is not used
	testRequire( supVoxels_Init( &v, &def, &error ), &error );
	supVoxels_Destroy( &v );
	def.resolution = 0;
	assert_false( supVoxels_Init( &v, &def, &error ) );
	def.resolution = 513;
	assert_false( supVoxels_Init( &v, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	def = good;
	def.triangleCount = 0;
	assert_false( supVoxels_Init( &v, &def, &error ) );
	def = good;
	indices[2] = 4;
	assert_false( supVoxels_Init( &v, &def, &error ) );
	indices[2] = 3;
	assert_false( supVoxels_Init( &v, &def, &error ) );
	assert_non_null( strstr( error.message, "vertex 3" ) );
	indices[1] = indices[2] = 0;
	assert_false( supVoxels_Init( &v, &def, &error ) );
	// floats are 8 m apart there
	indices[1] = 1;
	indices[2] = 2;
	for ( int32_t i = 0; i < 3; ++i )
	{
		positions[i] = supMakeVec3( 1e8f + 16.0f * (float)i, 0.0f, 0.0f );
	}
	def.resolution = 64;
	assert_false( supVoxels_Init( &v, &def, &error ) );
	assert_non_null( strstr( error.message, "origin" ) );
	assert_null( v.cells );
}

static bool Attempt( void* context )
{
	const Shape* shape = context;
	supVoxels v = { 0 };
	supError error = { 0 };
	supVoxelsDef def = { 12, shape->vertexCount, shape->positions, shape->triangleCount, shape->indices, NULL };
	bool ok = supVoxels_Init( &v, &def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supVoxels_Destroy( &v );
	return ok;
}

// A body of 100 000 triangles, as thin as a character is for its length, so that few voxels come out: at most ten times
// those at resolution 128, and ten times what goes in and comes out below.
static void TestMemory( void** state )
{
	(void)state;
	testMeasuresOnly();
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 159 );
	for ( int32_t i = 0; i < shape.vertexCount; ++i )
	{
		shape.positions[i].x *= 0.2f;
		shape.positions[i].z *= 0.2f;
	}
	testGreater( shape.triangleCount, 100000 );
	for ( int32_t resolution = 32; resolution <= 128; resolution *= 4 )
	{
		testHeap heap;
		testInstallHeap( &heap );
		supVoxels v = { 0 };
		supError error = { 0 };
		supVoxelsDef def = { resolution, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
		testRequire( supVoxels_Init( &v, &def, &error ), &error );
		size_t words = (size_t)v.wordsPerRow * (size_t)( v.ny + 2 ) * (size_t)( v.nz + 2 );
		size_t in = (size_t)shape.vertexCount * sizeof( supVec3 ) + 12 * (size_t)shape.triangleCount;
		size_t out = (size_t)v.count * ( sizeof( supVoxelCell ) + 1 ) + words * 12;
		print_message( "%d voxels of %d triangles: peak %zu, in %zu, out %zu\n", v.count, shape.triangleCount,
					   heap.peakBytes, in, out );
		testLessEqual( heap.peakBytes, 10 * ( resolution < 128 ? in + out : out ) );
		supVoxels_Destroy( &v );
		testUninstallHeap( &heap );
	}
	FreeShape( &shape );
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 6 );
	testEachAllocationFailure( Attempt, &shape, 100 );
	FreeShape( &shape );
	MakeHeap( &shape, 600 );
	testEachAllocationFailure( Attempt, &shape, 100 );
	FreeShape( &shape );
}

static void TestThreads( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 20 );
	AddTube( &shape, supMakeVec3( 1, 0, 0 ), 0.3f, 2.0f, 20 );
	supVoxels a = Voxelise( &shape, 90, NULL );
	supThreadPool* pool = supCreateThreadPool( 4 );
	assert_non_null( pool );
	supVoxels b = Voxelise( &shape, 90, supThreadPool_Tasks( pool ) );
	assert_int_equal( a.count, b.count );
	assert_memory_equal( a.cells, b.cells, (size_t)a.count * sizeof( supVoxelCell ) );
	assert_memory_equal( a.isSurface, b.isSurface, (size_t)a.count );
	supDestroyThreadPool( pool );
	supVoxels_Destroy( &a );
	supVoxels_Destroy( &b );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Real characters

static const char* s_characters[] = {
	"characters/Alien/Alien.gltf",      "characters/Yeti/Yeti.gltf", "characters/kaiju-animations.glb",
	"characters/spider-animations.glb", "characters/m2m-human.glb",  "characters/human-bunny.glb",
};

static void TestRealCharacters( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 0 );
	for ( int32_t i = 0; i < SUP_COUNT( s_characters ); ++i )
	{
		supError error = { 0 };
		supCharacter* character = supLoadCharacter( testAsset( s_characters[i] ), &error );
		testRequire( character != NULL, &error );
		supRestSurface surface = { 0 };
		testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
		Shape shape = { surface.vertexCount, surface.triangleCount, surface.positions, surface.indices };
		supVoxels v = Voxelise( &shape, 64, supThreadPool_Tasks( pool ) );
		CheckContains( &v, &shape );
		int32_t* parts = malloc( (size_t)v.count * sizeof( int32_t ) );
		int32_t partCount = supVoxels_FindParts( &v, parts );
		free( parts );
		print_message( "%s: %d x %d x %d, %d voxels, %d of them surface, parts %d\n", s_characters[i], v.nx, v.ny, v.nz,
					   v.count, v.surfaceCount, partCount );
		// a body and not a shell
		testGreater( v.count, v.surfaceCount );
		testLessEqual( partCount, 8 );
		// a few cells, with the sum over all triangles
		testRandom random = testMakeRandom( 11 );
		for ( int32_t k = 0; k < 300; ++k )
		{
			supVoxelCell c = { (int16_t)testRandomInt( &random, (uint32_t)v.nx ),
							   (int16_t)testRandomInt( &random, (uint32_t)v.ny ),
							   (int16_t)testRandomInt( &random, (uint32_t)v.nz ) };
			int32_t found = supVoxels_Find( &v, c.x, c.y, c.z );
			double w = ExactWinding( &shape, supVoxels_CellCenter( &v, c ) );
			if ( fabs( w - 0.5 ) > 0.005 && ( found < 0 || v.isSurface[found] == 0 ) )
			{
				assert_int_equal( found >= 0, w > 0.5 );
			}
		}
		supVoxels_Destroy( &v );
		supRestSurface_Destroy( &surface );
		supDestroyCharacter( character );
	}
	supDestroyThreadPool( pool );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestShapesCellByCell ),
		cmocka_unit_test( TestRandomSoup ),
		cmocka_unit_test( TestHeap ),
		cmocka_unit_test( TestContainsAndWatertight ),
		cmocka_unit_test( TestVolumeOfBall ),
		cmocka_unit_test( TestThinAndFlat ),
		cmocka_unit_test( TestSymmetric ),
		cmocka_unit_test( TestNeighboursAndParts ),
		cmocka_unit_test( TestBadInput ),
		cmocka_unit_test( TestMemory ),
		cmocka_unit_test( TestOutOfMemory ),
		cmocka_unit_test( TestThreads ),
		cmocka_unit_test( TestRealCharacters ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
