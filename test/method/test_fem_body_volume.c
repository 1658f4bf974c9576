// SPDX-License-Identifier: MIT
// labels: release
// The method `fem` keeps the volume of what is drawn.
#include "support.h"

#include "method/fem/flesh.h"
#include "models/models.h"
#include "scene/actor.h"

// Plays a clip without the guard and returns the largest relative volume error.
static float PlayClip( const supFlesh* flesh, const char* clipName, float volume )
{
	supError error = { 0 };
	const supCharacter* character = supFlesh_Character( flesh );
	const supClip* clip = supCharacter_FindClip( character, clipName );
	supSceneDef def = supDefaultSceneDef();
	def.guard = false;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	supActor_SetParameter( actor, sup_femVolume, volume );
	float worst = 0.0f;
	for ( float time = 0.0f; time < clip->end; time += 1.0f / 30.0f )
	{
		supPose_ApplyClip( supActor_Pose( actor ), clip, time );
		supScene_Step( scene, 1.0f / 30.0f );
		worst = supMaxFloat( worst, fabsf( supActor_Measure( actor ).volumeError ) );
	}
	print_message( "%s with volume=%.0f: off by %.2f %%\n", clipName, (double)volume, 100.0 * (double)worst );
	supDestroyScene( scene );
	return worst;
}

// With default settings.
static void CheckClip( const char* model, const char* clipName, float most )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( model )->create( &error );
	testRequire( character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	float off = PlayClip( flesh, clipName, 0.0f ), on = PlayClip( flesh, clipName, 1.0f );
	testLess( on, most );
	testLess( on, 0.5f * off );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TwistByHalfATurn( void** state )
{
	(void)state;
	CheckClip( "tube", "twist", 0.02f );
}

static void BirdThatFlaps( void** state )
{
	(void)state;
	CheckClip( "bird", "Fly", 0.03f );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TwistByHalfATurn ),
		cmocka_unit_test( BirdThatFlaps ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
