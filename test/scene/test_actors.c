// SPDX-License-Identifier: MIT
// labels: threads
// What actors can do beside being stepped: parameters, sleep, clips that play, drags, crowds.
#include "lag.h"
#include "support.h"

#include "scene/actor.h"

#include <math.h>
#include <string.h>

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
} Stage;

static Stage MakeStage( const supMethod* method )
{
	Stage stage = { .character = testMakeSwayingBox() };
	supFleshDef fleshDef = supDefaultFleshDef();
	supError error = { 0 };
	stage.flesh = supBuildFleshWith( stage.character, method, &fleshDef, NULL, &error );
	testRequire( stage.flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	stage.scene = supCreateScene( &sceneDef, &error );
	stage.actor = supScene_AddActor( stage.scene, stage.flesh, &error );
	testRequire( stage.actor != NULL, &error );
	return stage;
}

static void DestroyStage( Stage* stage )
{
	supDestroyScene( stage->scene );
	supDestroyFlesh( stage->flesh );
	supDestroyCharacter( stage->character );
}

static supFlesh* TryBuild( const supCharacter* character, const supSetting* settings, int32_t count, supError* error )
{
	supFleshDef def = supDefaultFleshDef();
	def.settings = settings;
	def.settingCount = count;
	return supBuildFleshWith( character, &testLagMethod, &def, NULL, error );
}

static void TestParametersOfFlesh( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supError error = { 0 };
	supSetting settings[] = { { "spring", 10.0f }, { "build", 4.0f }, { "spring", 20.0f } };
	supFlesh* flesh = TryBuild( character, settings, 3, &error );
	testRequire( flesh != NULL, &error );
	assert_true( supFlesh_Parameter( flesh, 0 ) == 20.0f && supFlesh_Parameter( flesh, 1 ) == 0.0f );
	assert_true( supFlesh_Parameter( flesh, 2 ) == 4.0f );
	assert_int_equal( supFlesh_RegionCount( flesh ), 1 );
	assert_string_equal( supFlesh_RegionName( flesh, 0 ), "body" );
	supDestroyFlesh( flesh );

	supSetting unknown = { "springs", 10.0f };
	assert_null( TryBuild( character, &unknown, 1, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_string_equal( error.where, "springs" );
	const float bad[] = { -1.0f, 1000.5f, NAN, INFINITY };
	for ( int i = 0; i < 4; ++i )
	{
		supSetting outside = { "spring", bad[i] };
		assert_null( TryBuild( character, &outside, 1, &error ) );
		assert_int_equal( error.code, sup_errorArgument );
	}
	supDestroyCharacter( character );
}

static void TestParametersOfActors( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor* other = supScene_AddActor( stage.scene, stage.flesh, NULL );
	supActor_SetParameter( stage.actor, 0, 80.0f );
	assert_true( supActor_GetParameter( stage.actor, 0 ) == 80.0f );
	testMoveTop( stage.actor, 3 );
	testMoveTop( other, 3 );
	supScene_Step( stage.scene, 0.01f );
	// from rest the first step goes as far as the spring is stiff
	const testLagState* stiff = stage.actor->state;
	const testLagState* soft = other->state;
	testGreater( soft->position.x, 0.0f );
	assert_float_equal( stiff->position.x / soft->position.x, 2.0f, 1e-5f );
	DestroyStage( &stage );
}

static void TestSleep( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor* actor = stage.actor;
	const testLagState* s = actor->state;
	for ( int cause = 0; cause < 6; ++cause )
	{
		int32_t frame = 0;
		for ( ; supActor_IsAsleep( actor ) == false && frame < 5000; ++frame )
		{
			supScene_Step( stage.scene, 1.0f / 60.0f );
		}
		// half a second at rest, of which the step that woke it may be the first
		assert_in_range( frame, 29, 4999 );
		testLagState before = *s;
		supScene_Step( stage.scene, 1.0f / 60.0f );
		assert_memory_equal( &before, s, sizeof( before ) );
		assert_int_equal( supScene_GetStats( stage.scene ).sleepers, 1 );
		supSurfacePoint point = { .vertices = { 0, 1, 2 }, .weights = { 1.0f } };
		supDragDef drag = supDefaultDragDef( actor, &point );
		switch ( cause )
		{
			case 0:
				testMoveTop( actor, 5 );
				break;
			case 1:
				supActor_SetParameter( actor, 1, 0.5f );
				break;
			case 2:
				supScene_SetGravity( stage.scene, supMakeVec3( 0.0f, 3.0f, 0.0f ) );
				break;
			case 3:
				supScene_SetWind( stage.scene, supMakeVec3( 2.0f, 0.0f, 0.0f ) );
				break;
			case 4:
				supActor_EndDrag( actor, supActor_StartDrag( actor, &drag ) );
				break;
			default:
				assert_int_equal( supActor_StartDrag( actor, &drag ), 0 );
				break;
		}
		supScene_Step( stage.scene, 1.0f / 60.0f );
		assert_false( supActor_IsAsleep( actor ) );
		assert_int_equal( s->calls, before.calls + 3 );
		assert_int_equal( supScene_GetStats( stage.scene ).sleepers, 0 );
	}
	DestroyStage( &stage );
}

static void TestNoSleepWhereNotWanted( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supSceneDef def = supDefaultSceneDef();
	def.sleeping = false;
	supScene* scene = supCreateScene( &def, NULL );
	supActor* actor = supScene_AddActor( scene, stage.flesh, NULL );
	for ( int frame = 0; frame < 100; ++frame )
	{
		supScene_Step( scene, 0.1f );
	}
	assert_int_equal( ( (const testLagState*)actor->state )->calls, 300 );
	supDestroyScene( scene );
	DestroyStage( &stage );
}

static float TopX( const supActor* actor )
{
	return supPose_GetLocal( actor->pose, 1 ).translation.x;
}

static void TestPlaying( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	const supClip* clip = supCharacter_Clip( stage.character, 0 );
	supPose* expected = supCreatePose( stage.character );
	supPlayDef def = supDefaultPlayDef( clip );
	const float speeds[] = { 1.0f, -0.5f, 30.0f };
	for ( int k = 0; k < 3; ++k )
	{
		def.speed = speeds[k];
		def.time = 0.5f;
		supActor_Play( stage.actor, &def );
		double time = 0.5;
		for ( int frame = 0; frame < 100; ++frame )
		{
			supScene_Step( stage.scene, 0.125f );
			time += 0.125 * (double)def.speed;
			time -= 2.0 * floor( time / 2.0 );
			assert_float_equal( supActor_PlayTime( stage.actor ), (float)time, 1e-5f );
			supPose_ApplyClip( expected, clip, supActor_PlayTime( stage.actor ) );
			assert_true( TopX( stage.actor ) == supPose_GetLocal( expected, 1 ).translation.x );
		}
	}
	def.loop = false;
	def.speed = 1.0f;
	supActor_Play( stage.actor, &def );
	supScene_Step( stage.scene, 100.0f );
	assert_true( supActor_PlayTime( stage.actor ) == clip->end );
	supActor_Stop( stage.actor );
	assert_true( supActor_PlayTime( stage.actor ) == 0.0f );
	testMoveTop( stage.actor, 3 );
	float x = TopX( stage.actor );
	supScene_Step( stage.scene, 0.1f );
	assert_true( TopX( stage.actor ) == x );
	supDestroyPose( expected );
	DestroyStage( &stage );
}

// The same motion elsewhere.
static void TestPlaces( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supPose* expected = supCreatePose( stage.character );
	supPlayDef def = supDefaultPlayDef( supCharacter_Clip( stage.character, 0 ) );
	supVec3 position = supMakeVec3( 3.0f, 1.0f, -2.0f );
	supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 0.7f );
	supActor_SetPlace( stage.actor, position, turn );
	supActor_Play( stage.actor, &def );
	for ( int32_t frame = 0; frame < 20; ++frame )
	{
		supScene_Step( stage.scene, 0.05f );
		supPose_ApplyClip( expected, def.clip, supActor_PlayTime( stage.actor ) );
		supVec3 there = supAdd( position, supRotate( turn, supPose_Worlds( expected )[1].t ) );
		testLess( supDistance( supPose_Worlds( stage.actor->pose )[1].t, there ), 1e-5f );
	}
	def.fade = 0.5f;
	supActor_SetPlace( stage.actor, supMakeVec3( 5.0f, 1.0f, -2.0f ), turn );
	supActor_Play( stage.actor, &def );
	supScene_Step( stage.scene, 0.25f );
	// the place is the actor's, not the clip's: both that are mixed are where it is now
	assert_float_equal( supPose_Worlds( stage.actor->pose )[0].t.x, 5.0f, 1e-5f );
	supDestroyPose( expected );
	DestroyStage( &stage );
}

// The clip sways by 0.5 with four straight pieces a second: at most 0.5 * sin 45 / 0.25 = 1.42 a second. From clip to
// clip across half a second a jump of up to 1 adds 1.5 / 0.5 a second at the steepest.
static void TestFadesAreSmooth( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supPlayDef def = supDefaultPlayDef( supCharacter_Clip( stage.character, 0 ) );
	supActor_Play( stage.actor, &def );
	supScene_Step( stage.scene, 0.5f );
	assert_float_equal( TopX( stage.actor ), 0.5f, 1e-6f );
	// the second fade comes while the first is under way
	def.fade = 0.5f;
	def.time = 1.5f;
	float x = TopX( stage.actor );
	for ( int frame = 0; frame < 300; ++frame )
	{
		if ( frame == 0 || frame == 25 )
		{
			supActor_Play( stage.actor, &def );
		}
		supScene_Step( stage.scene, 0.01f );
		float next = TopX( stage.actor );
		testLess( fabsf( next - x ), 0.01f * ( 1.42f + 3.0f ) );
		x = next;
	}
	// long after it the new clip alone counts
	supPose* expected = supCreatePose( stage.character );
	supPose_ApplyClip( expected, def.clip, supActor_PlayTime( stage.actor ) );
	assert_true( x == supPose_GetLocal( expected, 1 ).translation.x );
	supDestroyPose( expected );
	DestroyStage( &stage );
}

static void TestRays( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supSurfacePoint point;
	float distance;
	supVec3 origin = supMakeVec3( 0.3f, 1.2f, 5.0f );
	assert_true( supActor_CastRay( stage.actor, origin, supMakeVec3( 0.0f, 0.0f, -2.0f ), &point, &distance ) );
	assert_float_equal( distance, 2.0f, 1e-6f );
	supVec3 place = supActor_PointPosition( stage.actor, &point );
	testLess( supDistance( place, supMakeVec3( 0.3f, 1.2f, 1.0f ) ), 1e-6f );
	assert_false( supActor_CastRay( stage.actor, origin, supMakeVec3( 0.0f, 0.0f, 1.0f ), &point, NULL ) );
	DestroyStage( &stage );
}

// The box is from (-1, 0, -1) to (1, 2, 1): beside a face, off an edge, off a corner, from within, and a hundred times
// at random, where nothing on the surface is nearer.
static void TestNearest( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	const supVec3 from[] = {
		{ 0.3f, 1.2f, 5.0f }, { 2.0f, 3.0f, 0.5f }, { -4.0f, -4.0f, -4.0f }, { 0.9f, 1.0f, 0.1f }
	};
	const supVec3 to[] = { { 0.3f, 1.2f, 1.0f }, { 1.0f, 2.0f, 0.5f }, { -1.0f, 0.0f, -1.0f }, { 1.0f, 1.0f, 0.1f } };
	supSurfacePoint point;
	for ( int32_t i = 0; i < 4; ++i )
	{
		assert_true( supActor_FindNearest( stage.actor, from[i], &point ) );
		testLess( supDistance( supActor_PointPosition( stage.actor, &point ), to[i] ), 1e-5f );
	}
	testRandom random = testMakeRandom( 5 );
	for ( int32_t i = 0; i < 100; ++i )
	{
		supVec3 p = testRandomVec3( &random, 4.0f );
		assert_true( supActor_FindNearest( stage.actor, p, &point ) );
		supVec3 q = { supClampFloat( p.x, -1.0f, 1.0f ), supClampFloat( p.y, 0.0f, 2.0f ),
					  supClampFloat( p.z, -1.0f, 1.0f ) };
		bool outside = supDistance( p, q ) > 0.0f;
		float sides[] = { 1.0f - fabsf( p.x ), 1.0f - fabsf( p.z ), p.y, 2.0f - p.y };
		float inside = supMinFloat( supMinFloat( sides[0], sides[1] ), supMinFloat( sides[2], sides[3] ) );
		float expected = outside ? supDistance( p, q ) : inside;
		assert_float_equal( supDistance( p, supActor_PointPosition( stage.actor, &point ) ), expected, 1e-5f );
	}
	DestroyStage( &stage );
}

static void TestDrags( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor* actor = stage.actor;
	supSurfacePoint point = { .vertices = { 2, 2, 2 }, .weights = { 1.0f } };
	supDragDef def = supDefaultDragDef( actor, &point );
	assert_float_equal( def.radius, 0.3f, 1e-6f );
	supDragId drag = supActor_StartDrag( actor, &def );
	assert_int_equal( drag, 0 );
	// pulled where the place is already it stays there
	supActor_MoveDrag( actor, drag, supMakeVec3( 1.0f, 2.0f, 0.0f ) );
	supScene_Step( stage.scene, 0.01f );
	const testLagState* s = actor->state;
	assert_float_equal( s->velocity.x, 0.99f * 0.01f * def.frequency, 1e-6f );
	supActor_EndDrag( actor, drag );
	for ( int i = 0; i < SUP_MAX_PULLS; ++i )
	{
		assert_int_equal( supActor_StartDrag( actor, &def ), i );
	}
	assert_int_equal( supActor_StartDrag( actor, &def ), -1 );
	supActor_EndDrag( actor, 7 );
	assert_int_equal( supActor_StartDrag( actor, &def ), 7 );
	DestroyStage( &stage );

	// where there is no memory for it nothing is held
	testHeap heap;
	testInstallHeap( &heap );
	stage = MakeStage( &testLagMethod );
	heap.failAt = heap.allocations;
	assert_int_equal( supActor_StartDrag( stage.actor, &def ), -1 );
	heap.failAt = -1;
	assert_int_equal( supActor_StartDrag( stage.actor, &def ), 0 );
	DestroyStage( &stage );
	testUninstallHeap( &heap );

	stage = MakeStage( &supMethod_lbs );
	def = supDefaultDragDef( stage.actor, &point );
	assert_int_equal( supActor_StartDrag( stage.actor, &def ), -1 );
	DestroyStage( &stage );
}

#define CROWD 21

// Every actor moves a little differently.
static void PlayCrowd( const supFlesh* flesh, const supFlesh* other, int32_t threads, testLagState* states )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	supSceneDef def = supDefaultSceneDef();
	def.tasks = threads == 0 ? NULL : supThreadPool_Tasks( pool );
	def.substeps = 2;
	supScene* scene = supCreateScene( &def, NULL );
	supActor* actors[CROWD];
	for ( int i = 0; i < CROWD; ++i )
	{
		actors[i] = supScene_AddActor( scene, i % 5 == 4 ? other : flesh, NULL );
		supPlayDef play = supDefaultPlayDef( supCharacter_Clip( supFlesh_Character( flesh ), 0 ) );
		play.time = 0.1f * (float)i;
		supActor_Play( actors[i], &play );
	}
	for ( int frame = 0; frame < 20; ++frame )
	{
		supScene_Step( scene, 1.0f / 60.0f );
	}
	for ( int i = 0; i < CROWD; ++i )
	{
		states[i] = *(const testLagState*)actors[i]->state;
	}
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
}

static void TestCrowdsGiveTheSameBits( void** state )
{
	(void)state;
	supMethod alone = testLagMethod;
	alone.solveMany = NULL;
	Stage crowd = MakeStage( &testLagMethod );
	Stage single = MakeStage( &alone );
	testLagState expected[CROWD];
	PlayCrowd( single.flesh, single.flesh, 1, expected );
	const int32_t threads[] = { 1, 2, 3, 8 };
	for ( int k = 0; k < 4; ++k )
	{
		testLagState found[CROWD];
		PlayCrowd( crowd.flesh, single.flesh, threads[k], found );
		int32_t crowded = 0;
		for ( int i = 0; i < CROWD; ++i )
		{
			assert_memory_equal( &found[i].position, &expected[i].position, 2 * sizeof( supVec3 ) );
			assert_int_equal( expected[i].crowded, 0 );
			crowded += found[i].crowded;
		}
		// of 17 with that flesh two times 8 go together, in 40 substeps
		assert_int_equal( crowded, 16 * 40 );
	}
	DestroyStage( &crowd );
	DestroyStage( &single );
}

static void TestStepsAllocateNothing( void** state )
{
	(void)state;
	testHeap heap;
	testInstallHeap( &heap );
	Stage stage = MakeStage( &testLagMethod );
	for ( int i = 0; i < 12; ++i )
	{
		supScene_AddActor( stage.scene, stage.flesh, NULL );
	}
	supSurfacePoint point = { .vertices = { 2, 3, 6 }, .weights = { 1.0f } };
	supDragDef def = supDefaultDragDef( stage.actor, &point );
	supActor_EndDrag( stage.actor, supActor_StartDrag( stage.actor, &def ) );
	assert_int_equal( supActor_StartDrag( stage.actor, &def ), 0 );
	int64_t before = heap.allocations;
	supPlayDef play = supDefaultPlayDef( supCharacter_Clip( stage.character, 0 ) );
	play.fade = 0.2f;
	supActor_Play( stage.actor, &play );
	for ( int frame = 0; frame < 10; ++frame )
	{
		supScene_Step( stage.scene, 0.1f );
	}
	assert_int_equal( heap.allocations, before );
	DestroyStage( &stage );
	testUninstallHeap( &heap );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestParametersOfFlesh ),
		cmocka_unit_test( TestParametersOfActors ),
		cmocka_unit_test( TestSleep ),
		cmocka_unit_test( TestNoSleepWhereNotWanted ),
		cmocka_unit_test( TestPlaying ),
		cmocka_unit_test( TestPlaces ),
		cmocka_unit_test( TestFadesAreSmooth ),
		cmocka_unit_test( TestRays ),
		cmocka_unit_test( TestNearest ),
		cmocka_unit_test( TestDrags ),
		cmocka_unit_test( TestCrowdsGiveTheSameBits ),
		cmocka_unit_test( TestStepsAllocateNothing ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
