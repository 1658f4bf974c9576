// SPDX-License-Identifier: MIT
// labels: threads
// Scenes and actors: the order of a step, substeps, state that comes back bit for bit, measures.
#include "lag.h"
#include "support.h"

#include "scene/actor.h"

#include <string.h>

static void TestNames( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_methodCount; ++i )
	{
		supMethodId found;
		assert_true( supFindMethod( supMethodName( (supMethodId)i ), &found ) );
		assert_int_equal( found, i );
		testGreater( strlen( supMethodSummary( (supMethodId)i ) ), 10 );
	}
	supMethodId found;
	assert_false( supFindMethod( "jelly", &found ) );
}

static void TestSkinnedMethodsEqualSkinning( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	for ( int i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supFleshDef fleshDef = supDefaultFleshDef();
		fleshDef.method = i == 0 ? sup_methodLbs : sup_methodDqs;
		supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
		testRequire( flesh != NULL, &error );
		supSceneDef sceneDef = supDefaultSceneDef();
		sceneDef.substeps = 3;
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		testRequire( actor != NULL, &error );
		assert_ptr_equal( supFlesh_Character( supActor_Flesh( actor ) ), character );
		testMoveTop( actor, 9 );
		supScene_Step( scene, 0.1f );
		supVec3 expected[8];
		supSkinInstance( supActor_Pose( actor ), 0, i == 0 ? sup_skinningLinear : sup_skinningDualQuaternion, NULL,
						 &( supSkinOutput ){ .positions = expected } );
		assert_memory_equal( supActor_Positions( actor, 0 ), expected, sizeof( expected ) );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

static void TestMeasures( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = sup_methodLbs;
	supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	supSurfaceMeasure measure = supActor_Measure( actor );
	assert_true( measure.volumeError == 0.0f && measure.stretch == 0.0f );
	// the top moves up by half: volume and upright edges grow by a quarter, diagonals by less
	supTransform local = supPose_GetLocal( supActor_Pose( actor ), 1 );
	local.translation.y = 1.5f;
	supPose_SetLocal( supActor_Pose( actor ), 1, local );
	supScene_Step( scene, 0.1f );
	measure = supActor_Measure( actor );
	assert_float_equal( measure.volumeError, 0.25f, 1e-6f );
	assert_float_equal( measure.stretch, 0.25f, 1e-6f );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TestSubstepsFollowTheMotion( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &testLagMethod, &fleshDef, NULL, &error );
	float travelled[2];
	for ( int i = 0; i < 2; ++i )
	{
		supSceneDef sceneDef = supDefaultSceneDef();
		sceneDef.substeps = i == 0 ? 1 : 8;
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		supTransform local = supPose_GetLocal( supActor_Pose( actor ), 1 );
		local.translation.x = 1.0f;
		supPose_SetLocal( supActor_Pose( actor ), 1, local );
		supScene_Step( scene, 0.1f );
		const testLagState* s = actor->state;
		assert_int_equal( s->calls, 3 * sceneDef.substeps );
		travelled[i] = s->position.x;
		testGreater( supActor_Measure( actor ).energy, 0.0f );
		// nothing happens in no time
		testLagState before = *s;
		supScene_Step( scene, 0.0f );
		assert_memory_equal( &before, actor->state, sizeof( before ) );
		// a reset forgets the motion
		supActor_Reset( actor );
		assert_true( supActor_Measure( actor ).energy == 0.0f );
		supDestroyScene( scene );
	}
	// the target was approached in between: x'' = 40 (t / h - x) over h = 0.1 gives about 40 h^2 / 6
	assert_float_equal( travelled[0], 0.4f, 1e-5f );
	testGreater( travelled[1], 0.05f );
	testLess( travelled[1], 0.12f );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TestStateComesBackBitForBit( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &testLagMethod, &fleshDef, NULL, &error );
	supVec3 expected[8];
	void* saved = NULL;
	for ( int run = 0; run < 2; ++run )
	{
		supThreadPool* pool = supCreateThreadPool( 1 + 2 * run );
		supSceneDef sceneDef = supDefaultSceneDef();
		sceneDef.substeps = 2;
		sceneDef.tasks = supThreadPool_Tasks( pool );
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		int32_t frame = 0;
		if ( run == 1 )
		{
			// another scene goes on from the middle
			supActor_RestoreState( actor, saved );
			frame = 20;
		}
		for ( ; frame < 40; ++frame )
		{
			if ( run == 0 && frame == 20 )
			{
				saved = test_malloc( supActor_StateSize( actor ) );
				supActor_SaveState( actor, saved );
			}
			testMoveTop( actor, frame );
			supScene_Step( scene, 1.0f / 30.0f );
		}
		if ( run == 0 )
		{
			memcpy( expected, supActor_Positions( actor, 0 ), sizeof( expected ) );
		}
		assert_memory_equal( expected, supActor_Positions( actor, 0 ), sizeof( expected ) );
		supDestroyScene( scene );
		supDestroyThreadPool( pool );
	}
	test_free( saved );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TestActorsComeAndGo( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &testLagMethod, &fleshDef, NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actors[3];
	for ( int i = 0; i < 3; ++i )
	{
		actors[i] = supScene_AddActor( scene, flesh, &error );
	}
	supScene_RemoveActor( scene, actors[1] );
	supScene_Step( scene, 0.1f );
	supScene_RemoveActor( scene, actors[0] );
	supScene_Step( scene, 0.1f );
	assert_int_equal( supScene_GetStats( scene ).steps, 2 );
	assert_int_equal( ( (testLagState*)actors[2]->state )->calls, 6 );
	// the shape at rest, which they shared, stays with the last
	supSurfaceMeasure measure = supActor_Measure( actors[2] );
	assert_true( measure.stretch == 0.0f && measure.volumeError == 0.0f );
	supDestroyScene( scene );
	supDestroyScene( NULL );
	sceneDef.substeps = 0;
	assert_null( supCreateScene( &sceneDef, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supDestroyFlesh( flesh );
	supDestroyFlesh( NULL );
	supDestroyCharacter( character );
}

static bool AttemptScene( void* context )
{
	supFlesh* flesh = NULL;
	supScene* scene = NULL;
	supFleshDef fleshDef = supDefaultFleshDef();
	supSceneDef sceneDef = supDefaultSceneDef();
	bool ok = ( flesh = supBuildFleshWith( context, &testLagMethod, &fleshDef, NULL, NULL ) ) != NULL &&
			  ( scene = supCreateScene( &sceneDef, NULL ) ) != NULL && supScene_AddActor( scene, flesh, NULL ) != NULL;
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	testEachAllocationFailure( AttemptScene, character, 100 );

	// a step allocates nothing
	testHeap heap;
	testInstallHeap( &heap );
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &testLagMethod, &fleshDef, NULL, NULL );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = 2;
	supScene* scene = supCreateScene( &sceneDef, NULL );
	supActor* actor = supScene_AddActor( scene, flesh, NULL );
	int64_t before = heap.allocations;
	for ( int frame = 0; frame < 5; ++frame )
	{
		testMoveTop( actor, frame );
		supScene_Step( scene, 0.1f );
	}
	assert_int_equal( heap.allocations, before );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	testUninstallHeap( &heap );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestNames ),
		cmocka_unit_test( TestSkinnedMethodsEqualSkinning ),
		cmocka_unit_test( TestMeasures ),
		cmocka_unit_test( TestSubstepsFollowTheMotion ),
		cmocka_unit_test( TestStateComesBackBitForBit ),
		cmocka_unit_test( TestActorsComeAndGo ),
		cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
