// SPDX-License-Identifier: MIT
// Methods on real characters and their clips: what is not soft is where ordinary skinning is, whatever the character is
// made of.
#include "support.h"

#include "supple/io.h"
#include "supple/scene.h"

#include <math.h>
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

typedef struct Result
{
	float shift;
	float stretch; // of an edge, against rest
	float volume;  // relative change of it, against rest
} Result;

static Result PlayClip( supMethodId method, supSetting setting, const char* file, const char* clip, int32_t frames )
{
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( file ), &error );
	testRequire( character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = &setting;
	def.settingCount = setting.parameter != NULL ? 1 : 0;
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
	Result worst = { 0 };
	for ( int32_t i = 0; i < frames; ++i )
	{
		supScene_Step( scene, 1.0f / 30.0f );
		supSurfaceMeasure measure = supActor_Measure( actor );
		worst.shift = supMaxFloat( worst.shift, MeasureShift( actor, supActor_Pose( actor ), character ) );
		worst.stretch = supMaxFloat( worst.stretch, measure.stretch );
		worst.volume = supMaxFloat( worst.volume, fabsf( measure.volumeError ) );
	}
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
	print_message( "%s, %s: %.2f %% of its size from skinning, edges change by %.0f %%, volume by %.1f %%\n", file,
				   clip, 100.0 * (double)worst.shift, 100.0 * (double)worst.stretch, 100.0 * (double)worst.volume );
	return worst;
}

#define STIFF ( ( supSetting ){ "stiffness", 1e7f } )
#define COARSE ( ( supSetting ){ "tets", 3000.0f } )

// Rigid parts that hang on joints which the clip moves apart, and touch each other.
static void LayeredMachine( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result stiff = PlayClip( sup_methodLayered, STIFF, "characters/RobotExpressive.glb", "Jump", 12 );
	testLess( stiff.shift, 0.01f );
	// its hands are all that is soft
	Result soft = PlayClip( sup_methodLayered, ( supSetting ){ 0 }, "characters/RobotExpressive.glb", "Jump", 12 );
	testLess( soft.volume, 0.01f );
}

// 61 shells inside of each other, and fingers thinner than what masses are measured with.
static void LayeredMannequin( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result result = PlayClip( sup_methodLayered, STIFF, "characters/m2m-human.glb", "New Custom", 6 );
	testLess( result.shift, 0.01f );
}

// What its author did not skin is as hard as it was made.
static void FemMachine( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result result =
		PlayClip( sup_methodFem, ( supSetting ){ "vertices", 150.0f }, "characters/RobotExpressive.glb", "Jump", 12 );
	testLess( result.volume, 0.02f );
}

static void PointsMachine( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result result = PlayClip( sup_methodPoints, COARSE, "characters/RobotExpressive.glb", "Jump", 20 );
	testLess( result.volume, 0.02f );
}

// A long thin body, of few voxels across, that moves by more than its thickness in a frame: flesh stays on its bones.
static void PointsSnake( void** state )
{
	(void)state;
	testMeasuresOnly();
	const char* file = "characters/snake-animations.glb";
	Result skin = PlayClip( sup_methodDqs, ( supSetting ){ 0 }, file, "Bite", 24 );
	Result flesh = PlayClip( sup_methodPoints, COARSE, file, "Bite", 24 );
	// the guard lets an edge be half as long again, and short ones a little more
	testLess( flesh.stretch, 1.5f * ( 1.0f + skin.stretch ) - 1.0f );
	// as far as the snake is thick, 3 % of its size, and 2 %; more of its extent where it is coiled up
	testLess( flesh.shift, 0.08f );
}

// Bones that turn over in a few frames do not leave their flesh behind turned around them.
static void PointsTurns( void** state )
{
	(void)state;
	testMeasuresOnly();
	const char* file = "characters/snake-animations.glb";
	Result flesh = PlayClip( sup_methodPoints, COARSE, file, "Hit", 12 );
	// as above; flesh that is turned around loses most of its volume
	testLess( flesh.shift, 0.1f );
	testLess( flesh.volume, 0.3f );
}

// A clip that spins by 150 degrees a frame throws joints past limits that were guessed from it: none stays there.
static void LayeredSpin( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result flesh =
		PlayClip( sup_methodLayered, ( supSetting ){ 0 }, "characters/kaiju-animations.glb", "Tail Attack", 38 );
	testLess( flesh.shift, 0.1f );
}

// Feet are thrown about more than anything else, and stay in one piece.
static void FemFeet( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result flesh = PlayClip( sup_methodFem, ( supSetting ){ "vertices", 250.0f },
							 "characters/fbx/maya_kenney_character_7700_binary.fbx", "Take 001", 20 );
	testLess( flesh.shift, 0.06f );
}

// A file in centimetres that does not say so: a fox of 155 m swings like one of a metre, not like 155 m of jelly.
static void LayeredUnits( void** state )
{
	(void)state;
	testMeasuresOnly();
	// as physics has it
	Result flesh =
		PlayClip( sup_methodLayered, ( supSetting ){ "exaggeration", 1.0f }, "characters/Fox.glb", "Run", 16 );
	// gravity shifts flesh that swings at f Hz by g / (2 pi f)^2: 6 cm at 2 Hz, which is 4 % of a fox of 1.55 m,
	// whatever the file calls a metre; a fox of 155 m that swings at 2 Hz would be torn
	testLess( flesh.shift, 0.04f );
}

static void PointsUnits( void** state )
{
	(void)state;
	testMeasuresOnly();
	Result flesh = PlayClip( sup_methodPoints, COARSE, "characters/Fox.glb", "Run", 16 );
	testLess( flesh.shift, 0.1f );
	testLess( flesh.volume, 0.1f );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( LayeredMachine ), cmocka_unit_test( LayeredMannequin ), cmocka_unit_test( FemMachine ),
		cmocka_unit_test( PointsMachine ),  cmocka_unit_test( PointsSnake ),      cmocka_unit_test( PointsTurns ),
		cmocka_unit_test( FemFeet ),        cmocka_unit_test( LayeredUnits ),     cmocka_unit_test( LayeredSpin ),
		cmocka_unit_test( PointsUnits ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
