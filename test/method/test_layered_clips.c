// SPDX-License-Identifier: MIT
// The method `layered` on real characters and their clips: with a skin that does not give it is where ordinary skinning
// is, whatever the character is made of.
#include "support.h"

#include "supple/io.h"
#include "supple/scene.h"

#include <stdlib.h>

// Largest distance of a vertex from where linear blend skinning puts it, as a part of the character's size.
static float MeasureShift( const supActor* actor, supPose* pose, const supCharacter* character )
{
	float worst = 0.0f;
	supBox bounds = supBox_empty;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supVec3* skinned = malloc( (size_t)count * sizeof( supVec3 ) );
		supSkinInstance( pose, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = skinned } );
		const supVec3* positions = supActor_Positions( actor, i );
		for ( int32_t k = 0; k < count; ++k )
		{
			worst = supMaxFloat( worst, supDistance( positions[k], skinned[k] ) );
			bounds = supBox_Include( bounds, skinned[k] );
		}
		free( skinned );
	}
	supVec3 size = supBox_Size( bounds );
	return worst / supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

static float PlayStiff( const char* file, const char* clip, int32_t frames )
{
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( file ), &error );
	testRequire( character != NULL, &error );
	const supSetting stiff = { "stiffness", 1e7f };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLayered;
	def.settings = &stiff;
	def.settingCount = 1;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	testRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	supPlayDef play = supDefaultPlayDef( supCharacter_FindClip( character, clip ) );
	supActor_Play( actor, &play );
	supScene_Step( scene, 0.0f );
	supActor_Reset( actor );
	float worst = 0.0f;
	for ( int32_t i = 0; i < frames; ++i )
	{
		supScene_Step( scene, 1.0f / 30.0f );
		worst = supMaxFloat( worst, MeasureShift( actor, supActor_Pose( actor ), character ) );
	}
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
	return worst;
}

// Rigid parts that hang on joints which the clip moves apart, and touch each other.
static void Machine( void** state )
{
	(void)state;
	float worst = PlayStiff( "characters/RobotExpressive.glb", "Jump", 12 );
	print_message( "a machine that jumps: %.2f %% of its size from skinning\n", 100.0 * (double)worst );
	assert_true( worst < 0.01f );
}

// 61 shells inside of each other, and fingers thinner than what masses are measured with.
static void Mannequin( void** state )
{
	(void)state;
	float worst = PlayStiff( "characters/m2m-human.glb", "New Custom", 6 );
	print_message( "a mannequin of shells: %.2f %% of its size from skinning\n", 100.0 * (double)worst );
	assert_true( worst < 0.01f );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( Machine ),
		cmocka_unit_test( Mannequin ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
