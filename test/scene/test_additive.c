// SPDX-License-Identifier: MIT
// Additive flesh: poses that are held are drawn as skinned, motion is added, and states hold all of it.
#include "support.h"

#include "models/models.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>

#define MOST_VERTICES 512

typedef struct Fixture
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	int32_t count;
} Fixture;

static int SetUp( void** state )
{
	Fixture* f = calloc( 1, sizeof( Fixture ) );
	supError error = { 0 };
	f->character = supFindModel( "tube5" )->create( &error );
	testRequire( f->character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	supSetting setting = { "tets", 800.0f };
	def.method = sup_methodPosition;
	def.settings = &setting;
	def.settingCount = 1;
	f->flesh = supBuildFlesh( f->character, &def, NULL, &error );
	testRequire( f->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	f->scene = supCreateScene( &sceneDef, &error );
	f->actor = supScene_AddActor( f->scene, f->flesh, &error );
	testRequire( f->actor != NULL, &error );
	f->count = supCharacter_Mesh( f->character, 0 )->vertexCount;
	testLessEqual( f->count, MOST_VERTICES );
	*state = f;
	return 0;
}

static int TearDown( void** state )
{
	Fixture* f = *state;
	supDestroyScene( f->scene );
	supDestroyFlesh( f->flesh );
	supDestroyCharacter( f->character );
	free( f );
	return 0;
}

// Plays the bend up to `until` seconds and holds it there.
static void Play( Fixture* f, float from, float to, float until )
{
	const supClip* clip = supCharacter_Clip( f->character, 0 );
	for ( float t = from; t < to; t += 1.0f / 60.0f )
	{
		supPose* pose = supActor_Pose( f->actor );
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, clip, supMinFloat( t, until ) );
		supScene_Step( f->scene, 1.0f / 60.0f );
	}
}

// Largest distance of the drawn surface from skinning.
static float FindDistance( Fixture* f )
{
	supVec3 skin[MOST_VERTICES];
	supSkinInstance( supActor_Pose( f->actor ), 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = skin } );
	float most = 0.0f;
	for ( int32_t i = 0; i < f->count; ++i )
	{
		most = supMaxFloat( most, supDistance( skin[i], supActor_Positions( f->actor, 0 )[i] ) );
	}
	return most;
}

// The tube is 2 m long.
static void TestHeldPoses( void** state )
{
	Fixture* f = *state;
	supError error = { 0 };
	Play( f, 0.0f, 4.5f, 0.6f );
	float plain = FindDistance( f );
	testGreater( plain, 2e-3f );

	testRequire( supActor_SetAdditive( f->actor, true, &error ), &error );
	// a pose that flesh would not keep, from its beginning
	testLess( FindDistance( f ), 1e-6f );
	Play( f, 0.6f, 1.0f, 0.6f );
	testLess( FindDistance( f ), 1e-6f );
	// motion shows, and goes when it has gone
	Play( f, 0.6f, 1.0f, 1.0f );
	testGreater( FindDistance( f ), plain );
	Play( f, 1.0f, 5.0f, 1.0f );
	testLess( FindDistance( f ), 0.02f * plain );

	testRequire( supActor_SetAdditive( f->actor, false, &error ), &error );
	testGreater( FindDistance( f ), 1e-3f );
}

static void TestStates( void** state )
{
	Fixture* f = *state;
	supError error = { 0 };
	testRequire( supActor_SetAdditive( f->actor, true, &error ), &error );
	Play( f, 0.0f, 0.7f, 2.0f );
	void* saved = malloc( supActor_StateSize( f->actor ) );
	supVec3 first[MOST_VERTICES], then[MOST_VERTICES];
	supActor_SaveState( f->actor, saved );
	memcpy( then, supActor_Positions( f->actor, 0 ), (size_t)f->count * sizeof( supVec3 ) );
	Play( f, 0.7f, 1.0f, 2.0f );
	memcpy( first, supActor_Positions( f->actor, 0 ), (size_t)f->count * sizeof( supVec3 ) );
	supActor_RestoreState( f->actor, saved );
	for ( int32_t i = 0; i < f->count; ++i )
	{
		testLess( supDistance( then[i], supActor_Positions( f->actor, 0 )[i] ), 1e-5f );
	}
	Play( f, 0.7f, 1.0f, 2.0f );
	assert_memory_equal( first, supActor_Positions( f->actor, 0 ), (size_t)f->count * sizeof( supVec3 ) );
	free( saved );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown( TestHeldPoses, SetUp, TearDown ),
		cmocka_unit_test_setup_teardown( TestStates, SetUp, TearDown ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
