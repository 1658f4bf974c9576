// SPDX-License-Identifier: MIT
// labels: release
// The parameter `softness` of every method with flesh: nothing at 0, more the larger it is; and the presets.
#include "support.h"

#include "models/models.h"
#include "supple/looks.h"
#include "supple/supple.h"

#include <math.h>
#include <string.h>

#define FPS 20.0f

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodLayered,  sup_methodFem,     sup_methodModes };
#define METHODS ( (int32_t)( sizeof( s_methods ) / sizeof( s_methods[0] ) ) )

static supActor* Begin( supScene** scene, const supFlesh* flesh, bool guard )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.guard = guard;
	*scene = supCreateScene( &def, &error );
	testRequire( *scene != NULL, &error );
	supActor* actor = supScene_AddActor( *scene, flesh, &error );
	testRequire( actor != NULL, &error );
	return actor;
}

static void SetPose( supActor* actor, const supClip* clip, int32_t frame )
{
	supPose_SetRest( supActor_Pose( actor ) );
	supPose_ApplyClip( supActor_Pose( actor ), clip, clip->start + (float)frame / FPS );
}

static supFlesh* BuildSoft( const supCharacter* character, supMethodId method, float softness )
{
	supError error = { 0 };
	supSetting setting = { "softness", softness };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = &setting;
	def.settingCount = 1;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

static int32_t CountFrames( const supClip* clip )
{
	return (int32_t)( ( clip->end - clip->start ) * FPS ) + 1;
}

static supLooks PlayClip( const supFlesh* flesh, const supClip* clip, float softness )
{
	supScene* scene;
	supActor* actor = Begin( &scene, flesh, true );
	supMethodId method;
	assert_true( supFindMethod( supFlesh_MethodName( flesh ), &method ) );
	int32_t index = supMethod_FindParameter( method, "softness" );
	if ( supMethod_Parameter( method, index )->live )
	{
		supActor_SetParameter( actor, index, softness );
	}
	supLooksMeter* meter = supCreateLooksMeter( supFlesh_Character( flesh ) );
	for ( int32_t f = 0; f < CountFrames( clip ); ++f )
	{
		SetPose( actor, clip, f );
		if ( f == 0 )
		{
			supActor_Reset( actor );
		}
		else
		{
			supScene_Step( scene, 1.0f / FPS );
		}
		supLooksMeter_AddActor( meter, actor, NULL );
	}
	supLooks looks;
	assert_true( supLooksMeter_Get( meter, &looks ) );
	supDestroyLooksMeter( meter );
	supDestroyScene( scene );
	return looks;
}

// On a walk, whose steps are slower than any swing: shaken faster than it swings, softer flesh moves less again.
static void TestSofterIsLivelier( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	testRequire( character != NULL, &error );
	const supClip* clip = supCharacter_FindClip( character, "Walk" );
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		supFlesh* flesh = NULL;
		float before = -1.0f, first = 0.0f;
		for ( int32_t i = 0; i <= 4; ++i )
		{
			float softness = 0.25f * (float)i;
			int32_t index = supMethod_FindParameter( s_methods[m], "softness" );
			bool isLive = supMethod_Parameter( s_methods[m], index )->live;
			if ( flesh == NULL || isLive == false )
			{
				supDestroyFlesh( flesh );
				flesh = BuildSoft( character, s_methods[m], softness );
			}
			supLooks looks = PlayClip( flesh, clip, softness );
			print_message( "%s, softness %.2f: alive %.3f, far %.2f\n", supMethodName( s_methods[m] ), (double)softness,
						   (double)looks.alive, (double)looks.far );
			testGreater( looks.alive, before );
			assert_int_not_equal( supLooks_Verdict( &looks ), sup_verdictTorn );
			first = i == 0 ? looks.alive : first;
			before = looks.alive;
		}
		// from stone to jelly there is something to be seen: half as much again at least, of what is not only the
		// volume that some methods keep and skinning does not
		testGreater( before, 1.5f * first );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

// The largest distance between two actors' surfaces.
static float DistanceBetween( const supActor* a, const supActor* b, const supCharacter* character )
{
	float most = 0.0f;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		for ( int32_t k = 0; k < count; ++k )
		{
			most = supMaxFloat( most, supDistance( supActor_Positions( a, i )[k], supActor_Positions( b, i )[k] ) );
		}
	}
	return most;
}

// Metres, of a body of 2.7 m. What is nailed to the skin moves by rounding alone, or by what an iterative solver
// leaves. Bones of layered follow the clip by springs (tracking, 30 Hz) and its skin swings at 15 Hz at most; flesh of
// fem is held by springs of 15 Hz (hold): a shake of 3 Hz gets them behind by ( 3 / 15 )^2 of its way of a metre at
// most.
static const float s_stoneMotion[] = { 1e-4f, 1e-4f, 1e-3f, 0.04f, 0.04f, 1e-4f };

// Flesh of softness 0 has no memory: in the middle of a shake it is where it would be had it always been in that pose.
static void TestStoneHasNoMotion( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	testRequire( character != NULL, &error );
	const supClip* clip = supCharacter_FindClip( character, "Shake" );
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		supFlesh* flesh = BuildSoft( character, s_methods[m], 0.0f );
		supScene *playing, *standing;
		// the guard fades over a fifth of a second, which is a memory
		supActor* played = Begin( &playing, flesh, false );
		supActor* reset = Begin( &standing, flesh, false );
		float most = 0.0f;
		SetPose( played, clip, 0 );
		supActor_Reset( played );
		for ( int32_t f = 1; f < CountFrames( clip ); ++f )
		{
			SetPose( played, clip, f );
			supScene_Step( playing, 1.0f / FPS );
			SetPose( reset, clip, f );
			supActor_Reset( reset );
			most = supMaxFloat( most, DistanceBetween( played, reset, character ) );
		}
		print_message( "%s, softness 0: %.2f mm from rest in the same pose\n", supMethodName( s_methods[m] ),
					   1e3 * (double)most );
		testLess( most, s_stoneMotion[m] );
		supDestroyScene( playing );
		supDestroyScene( standing );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

static void TestPresets( void** state )
{
	(void)state;
	int32_t count;
	const supPreset* presets = supPresets( &count );
	assert_int_equal( count, 4 );
	for ( int32_t i = 0; i < count; ++i )
	{
		assert_ptr_equal( supFindPreset( presets[i].name ), presets + i );
		for ( int m = 0; m < sup_methodCount; ++m )
		{
			supMethodId method = (supMethodId)m;
			supSetting settings[SUP_PRESET_SETTINGS];
			int32_t settingCount = supPreset_Settings( presets + i, method, settings );
			assert_int_equal( settingCount, supMethod_ParameterCount( method ) > 0 ? SUP_PRESET_SETTINGS : 0 );
			for ( int32_t k = 0; k < settingCount; ++k )
			{
				int32_t index = supMethod_FindParameter( method, settings[k].parameter );
				testGreaterEqual( index, 0 );
				const supParameter* parameter = supMethod_Parameter( method, index );
				testLessEqual( parameter->minimum, settings[k].value );
				testLessEqual( settings[k].value, parameter->maximum );
				// the standard preset is what the method does by itself
				assert_true( strcmp( presets[i].name, "standard" ) != 0 || settings[k].value == parameter->standard );
			}
		}
	}
	assert_null( supFindPreset( "stone" ) );
	assert_true( supFindPreset( "firm" )->softness < supFindPreset( "jelly" )->softness );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestPresets ),
		cmocka_unit_test( TestSofterIsLivelier ),
		cmocka_unit_test( TestStoneHasNoMotion ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
