// SPDX-License-Identifier: MIT
// labels: threads
#include "shapes.h"

#include "volume/tets/tet_mesher.h"
#include "volume/tets/tet_quality.h"

static supTets Build( const Shape* shape, supTetsMode mode, const supTasks* tasks )
{
	supTets tets = { 0 };
	supError error = { 0 };
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = shape->vertexCount;
	def.positions = shape->positions;
	def.triangleCount = shape->triangleCount;
	def.indices = shape->indices;
	def.tetCount = 1500;
	def.mode = mode;
	def.tasks = tasks;
	testRequire( supBuildTets( &tets, &def, &error ), &error );
	return tets;
}

// The same bits for every number of threads.
static void TestThreads( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supMakeVec3( 0.1f, 0.2f, 0 ), 0.8f, 14 );
	AddTube( &shape, supMakeVec3( 0.5f, 0.3f, 0.2f ), 0.3f, 1.5f, 11 );
	AddBox( &shape, supMakeVec3( -0.3f, -1.5f, 0 ), supMakeVec3( -0.2f, 0.1f, 0.05f ) );
	supThreadPool* pool = supCreateThreadPool( 4 );
	assert_non_null( pool );
	for ( int32_t mode = 0; mode < 2; ++mode )
	{
		supTets a = Build( &shape, (supTetsMode)mode, NULL );
		supTets b = Build( &shape, (supTetsMode)mode, supThreadPool_Tasks( pool ) );
		assert_int_equal( a.pointCount, b.pointCount );
		assert_int_equal( a.tetCount, b.tetCount );
		assert_memory_equal( a.points, b.points, (size_t)a.pointCount * sizeof( supVec3 ) );
		assert_memory_equal( a.indices, b.indices, 4 * (size_t)a.tetCount * sizeof( int32_t ) );
		supError error = { 0 };
		supTetQuality one, many;
		testRequire( supMeasureTets( &a, NULL, &one, &error ), &error );
		testRequire( supMeasureTets( &b, supThreadPool_Tasks( pool ), &many, &error ), &error );
		assert_memory_equal( &one, &many, sizeof( one ) );
		supTets_Destroy( &a );
		supTets_Destroy( &b );
	}
	supDestroyThreadPool( pool );
	FreeShape( &shape );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestThreads ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
