// SPDX-License-Identifier: MIT
// Closed or not: shapes whose counts are known, and vertices that hardly differ.
#include "support.h"

#include "supple/character.h"

#include <stdlib.h>
#include <string.h>

// A character with these meshes, one instance each, and one more of the first.
static supCharacter* MakeCharacter( const supMesh* meshes, int32_t count )
{
	supNode node = { .name = "node", .parent = -1, .rest = supTransform_identity };
	supInstance instances[8];
	testLess( count, 8 );
	for ( int32_t i = 0; i <= count; ++i )
	{
		instances[i] = ( supInstance ){ 0, i % count, -1, NULL };
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = 1;
	def.nodes = &node;
	def.meshCount = count;
	def.meshes = meshes;
	def.instanceCount = count + 1;
	def.instances = instances;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

static supSurfaceReport Check( const supMesh* meshes, int32_t count )
{
	supCharacter* character = MakeCharacter( meshes, count );
	supSurfaceReport report;
	supError error = { 0 };
	testRequire( supCheckSurface( character, &report, &error ), &error );
	supDestroyCharacter( character );
	return report;
}

static const uint32_t s_cubeTriangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
											  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };

static void FillCube( supVec3 corners[8], supVec3 lower, float size )
{
	for ( int i = 0; i < 8; ++i )
	{
		corners[i] = supAdd( lower, supMakeVec3( ( i & 1 ) != 0 ? size : 0.0f, ( i & 2 ) != 0 ? size : 0.0f,
												 ( i & 4 ) != 0 ? size : 0.0f ) );
	}
}

static supMesh MakeMesh( const supVec3* positions, int32_t vertexCount, const uint32_t* indices, int32_t indexCount )
{
	return (
		supMesh ){ .vertexCount = vertexCount, .positions = positions, .indices = indices, .indexCount = indexCount };
}

static void TestCube( void** state )
{
	(void)state;
	supVec3 corners[8];
	FillCube( corners, supMakeVec3( 100.0f, -7.0f, 3.0f ), 2.0f );
	supMesh mesh = MakeMesh( corners, 8, s_cubeTriangles, 36 );
	supSurfaceReport r = Check( &mesh, 1 );
	assert_true( r.watertight );
	assert_int_equal( r.vertexCount, 8 );
	assert_int_equal( r.triangleCount, 12 );
	assert_int_equal( r.weldedVertexCount, 8 );
	assert_int_equal( r.parts, 1 );
	assert_int_equal( r.boundaryEdges + r.nonManifoldEdges + r.misorientedEdges, 0 );
	assert_int_equal( r.degenerateTriangles + r.duplicateTriangles, 0 );
	assert_float_equal( r.volume, 8.0f, 1e-6f );
	assert_float_equal( r.bounds.lower.x, 100.0f, 0.0f );
	assert_float_equal( r.bounds.upper.z, 5.0f, 0.0f );
}

static void TestInsideOutCubeHasNegativeVolume( void** state )
{
	(void)state;
	supVec3 corners[8];
	uint32_t indices[36];
	FillCube( corners, supVec3_zero, 1.0f );
	for ( int i = 0; i < 36; ++i )
	{
		indices[i] = s_cubeTriangles[i - i % 3 + 2 - i % 3];
	}
	supMesh mesh = MakeMesh( corners, 8, indices, 36 );
	supSurfaceReport r = Check( &mesh, 1 );
	assert_true( r.watertight );
	assert_float_equal( r.volume, -1.0f, 1e-6f );
}

static void TestOpenCube( void** state )
{
	(void)state;
	supVec3 corners[8];
	FillCube( corners, supVec3_zero, 1.0f );
	supMesh mesh = MakeMesh( corners, 8, s_cubeTriangles, 30 );
	supSurfaceReport r = Check( &mesh, 1 );
	assert_false( r.watertight );
	assert_int_equal( r.boundaryEdges, 4 );
	assert_int_equal( r.parts, 1 );
}

static void TestTurnedTriangleIsMisoriented( void** state )
{
	(void)state;
	supVec3 corners[8];
	uint32_t indices[36];
	FillCube( corners, supVec3_zero, 1.0f );
	memcpy( indices, s_cubeTriangles, sizeof( indices ) );
	indices[0] = s_cubeTriangles[1];
	indices[1] = s_cubeTriangles[0];
	supMesh mesh = MakeMesh( corners, 8, indices, 36 );
	supSurfaceReport r = Check( &mesh, 1 );
	assert_true( r.watertight );
	assert_int_equal( r.misorientedEdges, 3 );
}

// Two cubes that share an edge, in two meshes: the edge has four triangles.
static void TestMeshesCountTogether( void** state )
{
	(void)state;
	supVec3 a[8], b[8];
	FillCube( a, supVec3_zero, 1.0f );
	FillCube( b, supMakeVec3( 1.0f, 1.0f, 0.0f ), 1.0f );
	supMesh meshes[2] = { MakeMesh( a, 8, s_cubeTriangles, 36 ), MakeMesh( b, 8, s_cubeTriangles, 36 ) };
	supSurfaceReport r = Check( meshes, 2 );
	assert_int_equal( r.vertexCount, 16 );
	assert_int_equal( r.weldedVertexCount, 14 );
	assert_int_equal( r.nonManifoldEdges, 1 );
	assert_int_equal( r.parts, 1 );
	assert_false( r.watertight );
	// apart they are two closed parts
	FillCube( b, supMakeVec3( 3.0f, 3.0f, 3.0f ), 1.0f );
	r = Check( meshes, 2 );
	assert_int_equal( r.parts, 2 );
	assert_true( r.watertight );
	assert_float_equal( r.volume, 2.0f, 1e-6f );
}

static void TestDuplicatesAndDegenerates( void** state )
{
	(void)state;
	supVec3 corners[8];
	uint32_t indices[45];
	FillCube( corners, supVec3_zero, 1.0f );
	memcpy( indices, s_cubeTriangles, 36 * sizeof( uint32_t ) );
	// the first again, the first turned round, and one with two equal corners
	const uint32_t more[9] = { 2, 1, 0, 0, 1, 2, 3, 3, 5 };
	memcpy( indices + 36, more, sizeof( more ) );
	supMesh mesh = MakeMesh( corners, 8, indices, 45 );
	supSurfaceReport r = Check( &mesh, 1 );
	assert_int_equal( r.duplicateTriangles, 2 );
	assert_int_equal( r.degenerateTriangles, 1 );
	assert_int_equal( r.nonManifoldEdges, 3 );
	assert_int_equal( r.triangleCount, 15 );
}

// Each triangle with vertices of its own, shaken by less than the tolerance: whatever borders a grid has, some of the
// many cubes lie across them.
static void TestWeldsAcrossCellBorders( void** state )
{
	(void)state;
	enum
	{
		CUBES = 500
	};
	testRandom random = testMakeRandom( 11 );
	supVec3* positions = malloc( CUBES * 36 * sizeof( supVec3 ) );
	assert_non_null( positions );
	for ( int cube = 0; cube < CUBES; ++cube )
	{
		// the extent is 1000, the tolerance 1e-3
		supVec3 corners[8];
		supVec3 lower = { (float)( cube % 10 ) * 99.9f, (float)( cube / 10 % 10 ) * 77.7f,
						  (float)( cube / 100 ) * 55.5f };
		FillCube( corners, lower, 1000.0f - 9.0f * 99.9f );
		for ( int i = 0; i < 36; ++i )
		{
			// at most 2 * sqrt(3) * 2.5e-4 < 1e-3 apart, a rounding of 6e-5 included
			positions[36 * cube + i] = supAdd( corners[s_cubeTriangles[i]], testRandomVec3( &random, 2.5e-4f ) );
		}
	}
	supMesh mesh = { .vertexCount = CUBES * 36, .positions = positions, .indexCount = CUBES * 36 };
	supSurfaceReport r = Check( &mesh, 1 );
	supVec3 size = supBox_Size( r.bounds );
	testGreater( size.x, 999.0f );
	testLess( size.x, 1001.0f );
	assert_true( r.watertight );
	assert_int_equal( r.weldedVertexCount, CUBES * 8 );
	assert_int_equal( r.parts, CUBES );
	free( positions );
}

static void TestKeepsApartWhatIsApart( void** state )
{
	(void)state;
	// two triangles 3e-6 of the extent apart
	supVec3 positions[6] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 3e-6f }, { 1, 0, 3e-6f }, { 0, 1, 3e-6f } };
	supMesh mesh = { .vertexCount = 6, .positions = positions, .indexCount = 6 };
	supSurfaceReport r = Check( &mesh, 1 );
	assert_int_equal( r.weldedVertexCount, 6 );
	assert_int_equal( r.parts, 2 );
	for ( int i = 3; i < 6; ++i )
	{
		positions[i].z = 0.9e-6f;
	}
	r = Check( &mesh, 1 );
	assert_int_equal( r.weldedVertexCount, 3 );
	assert_int_equal( r.duplicateTriangles, 1 );
}

// Very many different places around one point must not make it slow.
static void TestCrowdIsNoTrouble( void** state )
{
	(void)state;
	enum
	{
		COUNT = 300000
	};
	testRandom random = testMakeRandom( 12 );
	supVec3* positions = malloc( COUNT * sizeof( supVec3 ) );
	assert_non_null( positions );
	for ( int i = 0; i < COUNT; ++i )
	{
		positions[i] = testRandomVec3( &random, 1e-9f );
	}
	positions[0] = supMakeVec3( 1.0f, 1.0f, 1.0f );
	supMesh mesh = { .vertexCount = COUNT, .positions = positions, .indexCount = COUNT };
	supSurfaceReport r = Check( &mesh, 1 );
	assert_int_equal( r.weldedVertexCount, 2 );
	assert_int_equal( r.degenerateTriangles, COUNT / 3 );
	assert_false( r.watertight );
	free( positions );
}

static void TestNothingAndPoints( void** state )
{
	(void)state;
	supMesh empty = { 0 };
	supSurfaceReport r = Check( &empty, 1 );
	assert_false( r.watertight );
	assert_int_equal( r.weldedVertexCount, 0 );
	assert_true( supBox_IsEmpty( r.bounds ) );
	supVec3 same[3] = { { 5, 5, 5 }, { 5, 5, 5 }, { 5, 5, 5 } };
	supMesh point = { .vertexCount = 3, .positions = same, .indexCount = 3 };
	r = Check( &point, 1 );
	assert_int_equal( r.weldedVertexCount, 1 );
	assert_int_equal( r.degenerateTriangles, 1 );
	// the whole range of floats
	supVec3 huge[3] = { { -3e38f, 0, 0 }, { 3e38f, 0, 0 }, { 0, 3e38f, 0 } };
	supMesh wide = { .vertexCount = 3, .positions = huge, .indexCount = 3 };
	r = Check( &wide, 1 );
	assert_int_equal( r.weldedVertexCount, 3 );
	assert_int_equal( r.boundaryEdges, 3 );
	// and its other end
	supVec3 tiny[3] = { { 0, 0, 0 }, { 1e-44f, 0, 0 }, { 0, 1e-44f, 0 } };
	supMesh small = { .vertexCount = 3, .positions = tiny, .indexCount = 3 };
	r = Check( &small, 1 );
	assert_int_equal( r.weldedVertexCount, 3 );
}

static bool AttemptCheck( void* context )
{
	supSurfaceReport report;
	supError error = { 0 };
	bool ok = supCheckSurface( context, &report, &error );
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	return ok;
}

static void TestSurvivesAllocationFailures( void** state )
{
	(void)state;
	supVec3 corners[8];
	FillCube( corners, supVec3_zero, 1.0f );
	supMesh mesh = MakeMesh( corners, 8, s_cubeTriangles, 36 );
	supCharacter* character = MakeCharacter( &mesh, 1 );
	testEachAllocationFailure( AttemptCheck, character, 100 );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCube ),
		cmocka_unit_test( TestInsideOutCubeHasNegativeVolume ),
		cmocka_unit_test( TestOpenCube ),
		cmocka_unit_test( TestTurnedTriangleIsMisoriented ),
		cmocka_unit_test( TestMeshesCountTogether ),
		cmocka_unit_test( TestDuplicatesAndDegenerates ),
		cmocka_unit_test( TestWeldsAcrossCellBorders ),
		cmocka_unit_test( TestKeepsApartWhatIsApart ),
		cmocka_unit_test( TestCrowdIsNoTrouble ),
		cmocka_unit_test( TestNothingAndPoints ),
		cmocka_unit_test( TestSurvivesAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
