// SPDX-License-Identifier: MIT
// The guard: what is drawn stays within what skin can do, whatever a method makes of it, and the state is not touched.
// The pose that jumps: flesh begins anew.
// labels: threads
#include "models/models.h"
#include "support.h"

#include "scene/guard.h"
#include "supple/looks.h"
#include "supple/scene.h"

#include <math.h>
#include <stdlib.h>

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supVec3* skin; // of the first instance
	int32_t count;
	float size;
} Stage;

static Stage MakeStage( const char* model, supMethodId method, bool guard, const supTasks* tasks )
{
	supError error = { 0 };
	Stage s = { .character = supFindModel( model )->create( &error ) };
	testRequire( s.character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	const supSetting jelly = { "softness", 1.0f };
	def.settings = &jelly;
	def.settingCount = 1;
	s.flesh = supBuildFlesh( s.character, &def, NULL, &error );
	testRequire( s.flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.guard = guard;
	sceneDef.tasks = tasks;
	s.scene = supCreateScene( &sceneDef, &error );
	testRequire( s.scene != NULL, &error );
	s.actor = supScene_AddActor( s.scene, s.flesh, &error );
	testRequire( s.actor != NULL, &error );
	s.count = supCharacter_Mesh( s.character, supCharacter_Instance( s.character, 0 )->mesh )->vertexCount;
	s.skin = malloc( (size_t)s.count * sizeof( supVec3 ) );
	s.size = s.actor->size;
	return s;
}

static void ClearStage( Stage* s )
{
	free( s->skin );
	supDestroyScene( s->scene );
	supDestroyFlesh( s->flesh );
	supDestroyCharacter( s->character );
}

static void GoTo( Stage* s, const char* clip, float time, float dt )
{
	supPose_ApplyClip( supActor_Pose( s->actor ), supCharacter_FindClip( s->character, clip ), time );
	supScene_Step( s->scene, dt );
}

static float FarthestFromSkin( Stage* s )
{
	supSkinInstance( supActor_Pose( s->actor ), 0, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = s->skin } );
	const supVec3* drawn = supActor_Positions( s->actor, 0 );
	float farthest = 0.0f;
	for ( int32_t i = 0; i < s->count; ++i )
	{
		farthest = supMaxFloat( farthest, supDistance( drawn[i], s->skin[i] ) );
	}
	return farthest;
}

// Looks of a clip that is played three times as fast as it was made.
static supLooks PlayFast( Stage* s, const char* clip, float seconds )
{
	supLooksMeter* meter = supCreateLooksMeter( s->character );
	assert_non_null( meter );
	for ( int32_t i = 0; i < (int32_t)( 20.0f * seconds ); ++i )
	{
		GoTo( s, clip, 0.05f * (float)i, 1.0f / 60.0f );
		supLooksMeter_AddActor( meter, s->actor, NULL );
	}
	supLooks looks;
	assert_true( supLooksMeter_Get( meter, &looks ) );
	supDestroyLooksMeter( meter );
	return looks;
}

// Jelly that is shaken three times too fast is torn, and is drawn whole.
static void TestTornSkinIsDrawnWhole( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const supMethodId methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints, sup_methodLayered,
										   sup_methodFem };
	int32_t helped = 0;
	for ( int32_t i = 0; i < SUP_COUNT( methods ); ++i )
	{
		supLooks looks[2];
		for ( int32_t guard = 0; guard < 2; ++guard )
		{
			Stage s = MakeStage( "bunny", methods[i], guard == 1, NULL );
			looks[guard] = PlayFast( &s, "Shake", 2.0f );
			supSceneStats stats = supScene_GetStats( s.scene );
			assert_true( guard == 1 || stats.trouble.guarded == 0 );
			helped += guard == 1 && stats.trouble.guarded > 0;
			ClearStage( &s );
		}
		print_message(
			"method %d: without guard %.2f edges a frame torn, worst %.1f %%, far %.1f %%; with it %.2f, %.1f %%, "
			"%.1f %%; alive %.2f %%\n",
			(int)methods[i], (double)looks[0].torn, (double)looks[0].worst, (double)looks[0].far, (double)looks[1].torn,
			(double)looks[1].worst, (double)looks[1].far, (double)looks[1].alive );
		// what is called torn (supLooks_Verdict), and the reach that no part of a body has more of
		assert_true( looks[1].torn <= 0.1f && looks[1].worst < 5.0f && looks[1].crushed < 2.0f );
		assert_true( looks[1].far <= 15.0f );
		// and it still moves
		assert_true( looks[1].alive > 0.35f );
	}
	assert_true( helped > 0 );
}

// At rest, and in a gentle clip, nothing is blended: the guard is no second method.
static void TestGentleFleshIsLeftAlone( void** state )
{
	(void)state;
	Stage with = MakeStage( "tube5", sup_methodPosition, true, NULL );
	Stage without = MakeStage( "tube5", sup_methodPosition, false, NULL );
	for ( int32_t i = 0; i < 20; ++i )
	{
		GoTo( &with, "bend", 0.005f * (float)i, 1.0f / 60.0f );
		GoTo( &without, "bend", 0.005f * (float)i, 1.0f / 60.0f );
		assert_memory_equal( supActor_Positions( with.actor, 0 ), supActor_Positions( without.actor, 0 ),
							 (size_t)with.count * sizeof( supVec3 ) );
		assert_int_equal( supActor_Guard( with.actor ).vertices, 0 );
	}
	ClearStage( &with );
	ClearStage( &without );
}

// Thrown about, saved, restored and thrown about again: the same bits, on one thread and on three.
static void TestSameBits( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	Stage alone = MakeStage( "tube5", sup_methodPosition, true, NULL );
	Stage many = MakeStage( "tube5", sup_methodPosition, true, supThreadPool_Tasks( pool ) );
	size_t bytes = (size_t)alone.count * sizeof( supVec3 );
	int64_t guarded = 0;
	void* saved = NULL;
	for ( int32_t i = 0; i < 24; ++i )
	{
		if ( i == 12 )
		{
			saved = malloc( supActor_StateSize( many.actor ) );
			supActor_SaveState( many.actor, saved );
			GoTo( &many, "twist", 0.9f, 1.0f / 60.0f );
			supActor_RestoreState( many.actor, saved );
			assert_memory_equal( supActor_Positions( alone.actor, 0 ), supActor_Positions( many.actor, 0 ), bytes );
		}
		GoTo( &alone, "twist", 0.08f * (float)( i % 12 ), 1.0f / 60.0f );
		GoTo( &many, "twist", 0.08f * (float)( i % 12 ), 1.0f / 60.0f );
		guarded += supActor_Guard( alone.actor ).weight > 0.0f;
		assert_memory_equal( supActor_Positions( alone.actor, 0 ), supActor_Positions( many.actor, 0 ), bytes );
	}
	assert_true( guarded > 0 );
	free( saved );
	ClearStage( &alone );
	ClearStage( &many );
	supDestroyThreadPool( pool );
}

// A pose that leaps by half the body within a frame, and one that is set without any time: flesh is there at once and
// does not swing. The same way at an ordinary speed makes it swing.
static void TestJumpsBeginAnew( void** state )
{
	(void)state;
	Stage s = MakeStage( "tube5", sup_methodPosition, true, NULL );
	int32_t root = supCharacter_Skin( s.character, 0 )->joints[0];
	supTransform local = supPose_GetLocal( supActor_Pose( s.actor ), root );
	float most[3] = { 0 };
	for ( int32_t kind = 0; kind < 3; ++kind )
	{
		int32_t frames = kind == 2 ? 12 : 1;
		for ( int32_t i = 0; i < frames; ++i )
		{
			local.translation.y += 0.5f * s.size / (float)frames;
			supPose_SetLocal( supActor_Pose( s.actor ), root, local );
			supScene_Step( s.scene, kind == 1 ? 0.0f : 1.0f / 60.0f );
		}
		for ( int32_t i = 0; i < 30; ++i )
		{
			most[kind] = supMaxFloat( most[kind], FarthestFromSkin( &s ) );
			supScene_Step( s.scene, 1.0f / 60.0f );
		}
		supActor_Reset( s.actor );
	}
	print_message( "farthest from skinning after a leap %.5f, in no time %.5f, in 0.2 s %.5f m\n", (double)most[0],
				   (double)most[1], (double)most[2] );
	assert_true( most[0] < 1e-3f * s.size && most[1] < 1e-3f * s.size );
	assert_true( most[2] > 5e-3f * s.size );
	ClearStage( &s );
}

// A joint that is nowhere: what the method draws stays, and is a number.
static void TestLostPoses( void** state )
{
	(void)state;
	Stage s = MakeStage( "tube5", sup_methodLattice, true, NULL );
	supTransform nowhere = supTransform_identity;
	nowhere.translation.x = NAN;
	supPose_SetLocal( supActor_Pose( s.actor ), supCharacter_Skin( s.character, 0 )->joints[1], nowhere );
	supScene_Step( s.scene, 1.0f / 60.0f );
	for ( int32_t i = 0; i < s.count; ++i )
	{
		assert_true( supIsFiniteVec3( supActor_Positions( s.actor, 0 )[i] ) );
	}
	ClearStage( &s );
}

static void TestSubstepsOfFrames( void** state )
{
	(void)state;
	assert_int_equal( supChooseSubsteps( 0.0f ), 1 );
	assert_int_equal( supChooseSubsteps( 1.0f / 120.0f ), 1 );
	assert_int_equal( supChooseSubsteps( 1.0f / 60.0f ), 1 );
	assert_int_equal( supChooseSubsteps( 1.0f / 30.0f ), 2 );
	assert_int_equal( supChooseSubsteps( 1.0f / 24.0f ), 3 );
	assert_int_equal( supChooseSubsteps( 1.0f / 20.0f ), 3 );
	assert_int_equal( supChooseSubsteps( 1e9f ), 1000 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTornSkinIsDrawnWhole ),
		cmocka_unit_test( TestGentleFleshIsLeftAlone ),
		cmocka_unit_test( TestSameBits ),
		cmocka_unit_test( TestJumpsBeginAnew ),
		cmocka_unit_test( TestLostPoses ),
		cmocka_unit_test( TestSubstepsOfFrames ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
