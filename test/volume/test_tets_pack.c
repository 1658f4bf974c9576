// SPDX-License-Identifier: MIT
// Tetrahedra given to a method, and kept in packs.
#include "lag.h"
#include "support.h"

#include "volume/tets/tets.h"

#include <string.h>

static const supVec3 s_points[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } };
static const int32_t s_indices[8] = { 0, 1, 2, 3, 1, 2, 3, 4 };
static const supTetMesh s_mesh = { .pointCount = 5, .points = s_points, .tetCount = 2, .indices = s_indices };

static void TestRoundTrip( void** state )
{
	(void)state;
	supError error = { 0 };
	supTets tets = { 0 };
	testRequire( supTets_InitMesh( &tets, &s_mesh, &error ), &error );
	assert_int_equal( supTets_Mesh( &tets ).tetCount, 2 );
	supPackWriter writer = { 0 };
	supPackWriter_Enter( &writer, "tets" );
	supTets_Save( &tets, &writer );
	supPackWriter_Leave( &writer );
	supTets_Destroy( &tets );
	size_t size = 0;
	uint8_t* block = supPackWriter_Finish( &writer, &size, &error );
	supPackWriter_Destroy( &writer );
	supPackReader reader;
	testRequire( supPackReader_Open( &reader, block, size, "tets", &error ), &error );
	supPackReader_Enter( &reader, "tets" );
	supTetMesh mesh;
	testRequire( supTets_Load( &mesh, &reader ), &error );
	assert_true( mesh.pointCount == 5 && mesh.tetCount == 2 );
	assert_memory_equal( mesh.points, s_points, sizeof( s_points ) );
	assert_memory_equal( mesh.indices, s_indices, sizeof( s_indices ) );
	supPackReader_Close( &reader );
	supFree( block );
}

static void CheckRefused( int64_t floats, int64_t integers, int32_t wrong, const char* message )
{
	int32_t indices[8];
	memcpy( indices, s_indices, sizeof( indices ) );
	indices[7] = wrong;
	supError error = { 0 };
	supPackWriter writer = { 0 };
	supPackWriter_Add( &writer, "points", sup_packF32, floats, s_points );
	supPackWriter_Add( &writer, "indices", sup_packI32, integers, indices );
	size_t size = 0;
	uint8_t* block = supPackWriter_Finish( &writer, &size, &error );
	supPackWriter_Destroy( &writer );
	supPackReader reader;
	testRequire( supPackReader_Open( &reader, block, size, "tets", &error ), &error );
	supTetMesh mesh;
	assert_false( supTets_Load( &mesh, &reader ) );
	assert_non_null( strstr( error.message, message ) );
	supPackReader_Close( &reader );
	supFree( block );
}

static void TestRefusals( void** state )
{
	(void)state;
	CheckRefused( 15, 8, 5, "value 7 is 5" );
	CheckRefused( 15, 8, -1, "value 7 is -1" );
	CheckRefused( 14, 8, 4, "14 × f32 where 12 × f32" );
	CheckRefused( 15, 7, 4, "7 × i32 where 4 × i32" );
}

// ---------------------------------------------------------------------------------------------------------------------

static void* KeepTets( const supFleshInput* input, supError* error )
{
	supTets* tets = supAllocZeroed( sizeof( supTets ) );
	if ( tets == NULL || supTets_InitMesh( tets, input->def->tets, error ) == false )
	{
		supFree( tets );
		supSetMemoryError( error );
		return NULL;
	}
	return tets;
}

static void DropTets( void* flesh )
{
	supTets_Destroy( flesh );
	supFree( flesh );
}

static bool Build( const supCharacter* character, const supTetMesh* mesh, bool takes, supError* error )
{
	supMethod method = testLagMethod;
	method.takesTets = takes;
	method.createFlesh = KeepTets;
	method.destroyFlesh = DropTets;
	supFleshDef def = supDefaultFleshDef();
	def.tets = mesh;
	*error = ( supError ){ 0 };
	supFlesh* flesh = supBuildFleshWith( character, &method, &def, NULL, error );
	bool ok = flesh != NULL;
	// the table lives here only
	supDestroyFlesh( flesh );
	return ok;
}

static void TestGiven( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supError error;
	testRequire( Build( character, &s_mesh, true, &error ), &error );
	assert_false( Build( character, &s_mesh, false, &error ) );
	assert_non_null( strstr( error.message, "the method lag has no tetrahedra" ) );
	supTetMesh wrong = s_mesh;
	wrong.pointCount = 4;
	assert_false( Build( character, &wrong, true, &error ) );
	assert_non_null( strstr( error.message, "tetrahedron 1 uses point 4 of 4" ) );
	wrong = s_mesh;
	wrong.tetCount = 0;
	assert_false( Build( character, &wrong, true, &error ) );
	assert_non_null( strstr( error.message, "has no tetrahedra" ) );
	supVec3 points[5];
	memcpy( points, s_points, sizeof( points ) );
	points[3].y = NAN;
	wrong = s_mesh;
	wrong.points = points;
	assert_false( Build( character, &wrong, true, &error ) );
	assert_non_null( strstr( error.message, "point 3 is not finite" ) );
	supDestroyCharacter( character );
}

static bool AttemptCopy( void* context )
{
	(void)context;
	supError error = { 0 };
	supTets tets = { 0 };
	bool ok = supTets_InitMesh( &tets, &s_mesh, &error );
	supTets_Destroy( &tets );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	testEachAllocationFailure( AttemptCopy, NULL, 10 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRoundTrip ),
		cmocka_unit_test( TestRefusals ),
		cmocka_unit_test( TestGiven ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
