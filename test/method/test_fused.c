// SPDX-License-Identifier: MIT
// Parts that only lie near each other at rest do not grow together: an arm that hangs at the body is raised, and
// neither takes skin of the other along, in any method, with nothing to repair it afterwards.
#include "support.h"

#include "hanging_arm.h"
#include "method/build_pose.h"
#include "models/models.h"
#include "scene/actor.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------------------
// The pose

static bool IsRaised( const supCharacter* character )
{
	return fabsf( supCharacter_Node( character, armUpper )->rest.rotation.w ) < 0.8f;
}

static void ChoosesTheOpenPose( void** state )
{
	(void)state;
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	supCharacter* raised = testMakeHangingArm( 0.001f, true, armPaintLimbs );
	supCharacter* hanging = testMakeHangingArm( 0.001f, false, armPaintLimbs );
	supCharacter* open = testMakeHangingArm( 0.2f, true, armPaintLimbs );
	supBuildPose pose = { 0 };
	testRequire( supBuildPose_Init( &pose, raised, &def, NULL, &error ), &error );
	print_message( "%d faces of voxels join arm and body at rest, %d as bound\n", pose.restBridges, pose.bindBridges );
	testGreater( pose.restBridges, 20 );
	assert_int_equal( pose.bindBridges, 0 );
	assert_ptr_not_equal( pose.character, raised );
	assert_true( IsRaised( pose.character ) );
	assert_false( IsRaised( raised ) );
	supBuildPose_Destroy( &pose );
	// nothing to choose from, or nothing to be gained
	supCharacter* others[] = { hanging, open };
	for ( int i = 0; i < 2; ++i )
	{
		testRequire( supBuildPose_Init( &pose, others[i], &def, NULL, &error ), &error );
		assert_ptr_equal( pose.character, others[i] );
		supBuildPose_Destroy( &pose );
	}
	// a sphere is a place in the rest pose
	supSoftRegion sphere = supDefaultSoftRegion();
	sphere.shape = sup_softSphere;
	sphere.radius = 0.1f;
	def.softRegions = &sphere;
	def.softRegionCount = 1;
	testRequire( supBuildPose_Init( &pose, raised, &def, NULL, &error ), &error );
	assert_ptr_equal( pose.character, raised );
	supBuildPose_Destroy( &pose );
	supDestroyCharacter( raised );
	supDestroyCharacter( hanging );
	supDestroyCharacter( open );
}

// An exporter that writes a pose of a clip as the rest pose: a tube that is bent until its inside is crumpled. Bent a
// little, it is flesh's own.
static void LeavesCrumpledPoses( void** state )
{
	(void)state;
	for ( int32_t isFar = 0; isFar < 2; ++isFar )
	{
		supError error = { 0 };
		supFleshDef def = supDefaultFleshDef();
		supCharacter* tube = supFindModel( "tube" )->create( &error );
		testRequire( tube != NULL, &error );
		supNode* bone = (supNode*)(uintptr_t)supCharacter_Node( tube, supCharacter_Skin( tube, 0 )->joints[1] );
		bone->rest.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), isFar ? 2.8f : 0.3f );
		supBuildPose pose = { 0 };
		testRequire( supBuildPose_Init( &pose, tube, &def, NULL, &error ), &error );
		print_message( "%.4f of the skin is crumpled at rest, %.4f as bound\n", (double)pose.restCrumpling,
					   (double)pose.bindCrumpling );
		assert_int_equal( pose.character != tube, isFar );
		supBuildPose_Destroy( &pose );
		supDestroyCharacter( tube );
	}
}

static bool ChooseOnce( void* context )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	supBuildPose pose = { 0 };
	bool ok = supBuildPose_Init( &pose, context, &def, NULL, &error );
	assert_true( ok ? pose.bindBridges < pose.restBridges : error.code == sup_errorMemory );
	supBuildPose_Destroy( &pose );
	return ok;
}

static void RunningOutOfMemoryLeaksNothing( void** state )
{
	(void)state;
	supCharacter* character = testMakeHangingArm( 0.001f, true, armPaintJawWithClip );
	testEachAllocationFailure( ChooseOnce, character, 2000 );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// The flesh

// How many times as long as both at rest and as skinned an edge becomes, and how far a vertex is from where it is
// skinned, in metres.
typedef struct Trouble
{
	float stretch;
	float distance;
} Trouble;

static Trouble Measure( supActor* actor, const supCharacter* character )
{
	const supMesh* mesh = supCharacter_Mesh( character, 0 );
	size_t bytes = (size_t)mesh->vertexCount * sizeof( supVec3 );
	supVec3 *skinned = test_malloc( bytes ), *rest = test_malloc( bytes );
	supPose* pose = supCreatePose( character );
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = rest } );
	supSkinInstance( supActor_Pose( actor ), 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = skinned } );
	supDestroyPose( pose );
	const supVec3* positions = supActor_Positions( actor, 0 );
	Trouble trouble = { 0 };
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		uint32_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
		float before = supMaxFloat( supDistance( rest[a], rest[b] ), supDistance( skinned[a], skinned[b] ) );
		// the faces of the gap are as narrow as it is
		float stretch = supDistance( positions[a], positions[b] ) / supMaxFloat( before, 0.02f );
		trouble.stretch = supMaxFloat( trouble.stretch, stretch );
		trouble.distance = supMaxFloat( trouble.distance, supDistance( positions[a], skinned[a] ) );
	}
	test_free( skinned );
	test_free( rest );
	return trouble;
}

static Trouble Raise( const supCharacter* character, supMethodId method )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.guard = false;
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	for ( int i = 0; i < 120; ++i )
	{
		testRaiseArm( supActor_Pose( actor ), 90.0f * supMinFloat( (float)i / 60.0f, 1.0f ) );
		supScene_Step( scene, 1.0f / 60.0f );
	}
	Trouble trouble = Measure( actor, character );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	return trouble;
}

// Two seconds after it began to rise the arm is still. Flesh gives way at the shoulder, where the arm turns by a right
// angle over a tenth of a metre, edges of the body's side there to 2.3 times their length; a bridge from arm to body is
// drawn out to ten times its length and more, and takes the body along.
static void LetsGo( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const supMethodId methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										   sup_methodFem,      sup_methodLayered, sup_methodModes };
	static const char* names[] = { "position", "lattice", "points", "fem", "layered", "modes" };
	struct
	{
		const char* name;
		float gap;
		bool isBoundRaised;
		ArmPaint paint;
		float mostStretch, mostDistance;
	} const cases[] = { { "a millimetre apart", 0.001f, false, armPaintLimbs, 2.5f, 0.11f },
						{ "touching", -0.001f, false, armPaintLimbs, 2.5f, 0.11f },
						{ "a jaw that touches", -0.001f, false, armPaintJawWithClip, 2.4f, 0.1f },
						// flesh at rest in the pose that it was built in
						{ "bound raised", 0.001f, true, armPaintLimbs, 1.05f, 0.005f } };
	supSetLog( NULL, NULL );
	for ( int c = 0; c < (int)SUP_COUNT( cases ); ++c )
	{
		supCharacter* character = testMakeHangingArm( cases[c].gap, cases[c].isBoundRaised, cases[c].paint );
		for ( int i = 0; i < (int)SUP_COUNT( methods ); ++i )
		{
			Trouble trouble = Raise( character, methods[i] );
			print_message( "%s, %s: edges up to %.2f times as long, vertices up to %.1f mm off\n", cases[c].name,
						   names[i], (double)trouble.stretch, (double)( 1e3f * trouble.distance ) );
			// a skin alone joins nothing, and keeps the rest pose
			bool isLayered = methods[i] == sup_methodLayered;
			testLess( trouble.stretch, ( isLayered ? 2.0f : cases[c].mostStretch ) );
			testLess( trouble.distance, ( isLayered ? 0.08f : cases[c].mostDistance ) );
		}
		supDestroyCharacter( character );
	}
}

// A file keeps what the pose was: flesh that is read moves as that which was written.
static void FilesKeepThePose( void** state )
{
	(void)state;
	supCharacter* character = testMakeHangingArm( 0.001f, true, armPaintLimbs );
	for ( int method = sup_methodPosition; method < sup_methodCount; ++method )
	{
		supError error = { 0 };
		supFleshDef def = supDefaultFleshDef();
		def.method = (supMethodId)method;
		supFlesh* built = supBuildFlesh( character, &def, NULL, &error );
		testRequire( built != NULL, &error );
		size_t byteCount;
		uint8_t* bytes = supWriteFlesh( built, &byteCount, &error );
		testRequire( bytes != NULL, &error );
		supFlesh* read = supReadFlesh( bytes, byteCount, "arm", character, &error );
		testRequire( read != NULL, &error );
		supSceneDef sceneDef = supDefaultSceneDef();
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actors[2] = { supScene_AddActor( scene, built, &error ), supScene_AddActor( scene, read, &error ) };
		for ( int i = 0; i < 20; ++i )
		{
			testRaiseArm( supActor_Pose( actors[0] ), 4.0f * (float)i );
			testRaiseArm( supActor_Pose( actors[1] ), 4.0f * (float)i );
			supScene_Step( scene, 1.0f / 60.0f );
		}
		size_t size = (size_t)supCharacter_Mesh( character, 0 )->vertexCount * sizeof( supVec3 );
		assert_memory_equal( supActor_Positions( actors[0], 0 ), supActor_Positions( actors[1], 0 ), size );
		supDestroyScene( scene );
		supDestroyFlesh( built );
		supDestroyFlesh( read );
		supFree( bytes );
	}
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( ChoosesTheOpenPose ),
		cmocka_unit_test( LeavesCrumpledPoses ),
		cmocka_unit_test( RunningOutOfMemoryLeaksNothing ),
		cmocka_unit_test( LetsGo ),
		cmocka_unit_test( FilesKeepThePose ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
