// SPDX-License-Identifier: MIT
// Which elements join parts that only lie near each other: an arm beside a body, nearer than a voxel and within it.
#include "support.h"

#include "hanging_arm.h"
#include "volume/tets/tet_mesher.h"
#include "volume/weights/bridge_count.h"
#include "volume/weights/bridges.h"

static int32_t CountFaces( float gap, ArmPaint paint )
{
	supError error = { 0 };
	int32_t count = -1;
	supCharacter* character = testMakeHangingArm( gap, false, paint );
	testRequire( supCountVoxelBridges( character, 32, NULL, &count, &error ), &error );
	supDestroyCharacter( character );
	return count;
}

// The arm hangs along 0.7 of the body, of which the part at the shoulder is connected, and is 0.12 wide: some 60 faces
// of voxels of 1 / 32.
static void FindsFaces( void** state )
{
	(void)state;
	int32_t near = CountFaces( 0.001f, armPaintLimbs ), within = CountFaces( -0.001f, armPaintLimbs );
	print_message( "%d faces across a gap of a millimetre, %d where the arm reaches into the body\n", near, within );
	assert_in_range( near, 30, 120 );
	assert_in_range( within, 30, 120 );
	// three voxels of air
	assert_int_equal( CountFaces( 0.1f, armPaintLimbs ), 0 );
	// what one bone moves cannot part
	assert_int_equal( CountFaces( 0.001f, armPaintAlike ), 0 );
}

// Bones that are next to each other part where a clip says so: lips part in a clip in which they speak, and the two
// sides of an elbow do not.
static void AsksClips( void** state )
{
	(void)state;
	int32_t still = CountFaces( 0.001f, armPaintJaw ), moving = CountFaces( 0.001f, armPaintJawWithClip );
	print_message( "%d faces from the jaw to the skull without a clip, %d with one that opens it\n", still, moving );
	assert_int_equal( still, 0 );
	assert_in_range( moving, 30, 120 );
	assert_in_range( CountFaces( -0.001f, armPaintJawWithClip ), 30, 120 );
}

static void FindsTets( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = testMakeHangingArm( 0.001f, false, armPaintLimbs );
	supRestSurface surface = { 0 };
	testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = surface.vertexCount;
	def.positions = surface.positions;
	def.triangleCount = surface.triangleCount;
	def.indices = surface.indices;
	def.tetCount = 2000;
	supTets tets = { 0 };
	testRequire( supBuildTets( &tets, &def, &error ), &error );
	int32_t count = 0;
	testRequire( supCountTetBridges( character, &tets, NULL, &count, &error ), &error );
	print_message( "%d of %d tets join arm and body\n", count, tets.tetCount );
	assert_in_range( count, 20, tets.tetCount / 4 );
	supTets_Destroy( &tets );
	supRestSurface_Destroy( &surface );
	supDestroyCharacter( character );
}

// At the shoulder arm and body are one, farther down they are not; deep inside nothing is apart.
static void TellsPlaces( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = testMakeHangingArm( 0.001f, false, armPaintLimbs );
	supRestSurface surface = { 0 };
	supBones bones = { 0 };
	supBridges bridges = { 0 };
	testRequire( supRestSurface_Init( &surface, character, NULL, &error ) &&
					 supBones_InitCharacter( &bones, character, &error ) &&
					 supBridges_Init( &bridges, character, &surface, &bones, &error ),
				 &error );
	const supVec3 points[] = { { 0.145f, 0.5f, 0.0f },  { 0.156f, 0.5f, 0.0f }, { 0.145f, 0.95f, 0.0f },
							   { 0.156f, 0.95f, 0.0f }, { 0.0f, 0.58f, 0.0f },  { 0.0f, 0.65f, 0.0f } };
	supSkinPlace places[SUP_COUNT( points )];
	supBridges_FindPlaces( &bridges, points, SUP_COUNT( points ), NULL, places );
	assert_true( supBridges_AreApart( &bridges, places, places + 1, 0.03f ) );
	assert_true( supBridges_AreApart( &bridges, places + 1, places, 0.03f ) );
	assert_false( supBridges_AreApart( &bridges, places + 2, places + 3, 0.03f ) );
	assert_false( supBridges_AreApart( &bridges, places + 4, places + 5, 0.03f ) );
	supBridges_Destroy( &bridges );
	supBones_Destroy( &bones );
	supRestSurface_Destroy( &surface );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( FindsFaces ),
		cmocka_unit_test( AsksClips ),
		cmocka_unit_test( FindsTets ),
		cmocka_unit_test( TellsPlaces ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
