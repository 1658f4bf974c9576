// SPDX-License-Identifier: MIT
// Exaggerated inertia: gentle motion throws flesh farther, strong motion as far as before, and what does not accelerate
// is not affected at all.
#include "models/models.h"
#include "support.h"

#include "scene/actor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The default.
#define EXAGGERATION 150.0f

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodLayered,  sup_methodFem,     sup_methodModes };

typedef struct Stage
{
	supScene* scene;
	supActor* actor;
	supVec3* skin;
	int32_t count;
	int32_t root;
	supTransform rest;
} Stage;

static Stage MakeStage( const supFlesh* flesh, float exaggeration )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.gravity = supVec3_zero;
	// what the flesh does, not what the guard leaves of it
	def.guard = false;
	Stage s = { .scene = supCreateScene( &def, &error ) };
	testRequire( s.scene != NULL, &error );
	s.actor = supScene_AddActor( s.scene, flesh, &error );
	testRequire( s.actor != NULL, &error );
	const supMethod* method = flesh->method;
	int32_t parameter = 0;
	while ( strcmp( method->parameters[parameter].name, "exaggeration" ) != 0 )
	{
		parameter += 1;
	}
	supActor_SetParameter( s.actor, parameter, exaggeration );
	const supCharacter* character = supFlesh_Character( flesh );
	s.count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	s.skin = malloc( (size_t)s.count * sizeof( supVec3 ) );
	s.root = supCharacter_Skin( character, 0 )->joints[0];
	s.rest = supPose_GetLocal( supActor_Pose( s.actor ), s.root );
	return s;
}

static void ClearStage( Stage* s )
{
	free( s->skin );
	supDestroyScene( s->scene );
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

// How far the body's flesh gets from skinning, of its size, where its root swings up and down by so much, in Hz.
static float Swing( const supFlesh* flesh, float exaggeration, float amplitude, float frequency, int32_t fps )
{
	Stage s = MakeStage( flesh, exaggeration );
	float most = 0.0f, size = s.actor->size;
	for ( int32_t i = 1; i <= 3 * fps; ++i )
	{
		float phase = 2.0f * SUP_PI * frequency * (float)i / (float)fps;
		supTransform local = s.rest;
		local.translation.y += amplitude * size * ( 1.0f - supComputeCosSin( phase ).cosine );
		supPose_SetLocal( supActor_Pose( s.actor ), s.root, local );
		supScene_Step( s.scene, 1.0f / (float)fps );
		most = i > 2 * fps ? supMaxFloat( most, FarthestFromSkin( &s ) ) : most;
	}
	ClearStage( &s );
	return most / size;
}

static float Gain( const supFlesh* flesh, float amplitude, int32_t fps )
{
	return Swing( flesh, EXAGGERATION, amplitude, 1.0f, fps ) / Swing( flesh, 1.0f, amplitude, 1.0f, fps );
}

static supFlesh* BuildFlesh( supCharacter* character, supMethodId method )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

// What the law (method/inertia.h) makes of a swing of 1 Hz: acceleration and peak are low-passed with 0.2 and 0.3 s.
static float FindGain( float amplitude )
{
	float w = 2.0f * SUP_PI, a = amplitude * w * w;
	float passed = 1.0f / sqrtf( ( 1.0f + 0.04f * w * w ) * ( 1.0f + 0.09f * w * w ) ), peak = passed * a;
	float thrown = ( EXAGGERATION - 1.0f ) * passed / ( ( 1.0f + peak / 0.04f ) * ( 1.0f + peak / 1.5f ) );
	// behind the acceleration by about a quarter turn
	return sqrtf( 1.0f + thrown * thrown );
}

// Accelerations of 0.04 and 13 sizes/s².
static void TestGentleMotionIsExaggerated( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	testRequire( character != NULL, &error );
	for ( int32_t i = 0; i < SUP_COUNT( s_methods ); ++i )
	{
		supFlesh* flesh = BuildFlesh( character, s_methods[i] );
		float gentle = Gain( flesh, 0.001f, 60 ), strong = Gain( flesh, 0.33f, 60 ), coarse = Gain( flesh, 0.001f, 30 );
		float expected = FindGain( 0.001f );
		print_message(
			"method %d: gentle motion %.2f times as far, at 30 frames a second %.2f, by the law %.2f; strong "
			"%.2f\n",
			(int)s_methods[i], (double)gentle, (double)coarse, (double)expected, (double)strong );
		// flesh that is far out is held back by its reach, and drags its neighbours along: less than the law says
		testGreater( gentle, 0.7f * expected );
		testLess( gentle, 1.2f * expected );
		testGreater( coarse, 0.7f * expected );
		testLess( coarse, 1.2f * expected );
		testLess( strong, 1.3f );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

// Captured motion trembles. Flesh may tremble along, but not twice as far as its bones do.
static void TestTrembleIsNot( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	testRequire( character != NULL, &error );
	for ( int32_t i = 0; i < SUP_COUNT( s_methods ); ++i )
	{
		supFlesh* flesh = BuildFlesh( character, s_methods[i] );
		float amplitude = 0.0002f, far = Swing( flesh, EXAGGERATION, amplitude, 8.0f, 60 );
		print_message( "method %d: a tremble of %.3f %% moves flesh by %.3f %%\n", (int)s_methods[i],
					   200.0 * (double)amplitude, 100.0 * (double)far );
		testLess( far, 4.0f * amplitude );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

// Under bones that stand still, the same bits whatever the exaggeration.
static void TestOnlyAccelerationCounts( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	testRequire( character != NULL, &error );
	for ( int32_t i = 0; i < SUP_COUNT( s_methods ); ++i )
	{
		supFlesh* flesh = BuildFlesh( character, s_methods[i] );
		Stage one = MakeStage( flesh, 1.0f ), many = MakeStage( flesh, EXAGGERATION );
		for ( int32_t k = 0; k < 20; ++k )
		{
			supScene_Step( one.scene, 1.0f / 60.0f );
			supScene_Step( many.scene, 1.0f / 60.0f );
			assert_memory_equal( supActor_Positions( one.actor, 0 ), supActor_Positions( many.actor, 0 ),
								 (size_t)one.count * sizeof( supVec3 ) );
		}
		ClearStage( &one );
		ClearStage( &many );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

// Saved in mid-motion and restored: the same bits. A pose that is not a number is forgotten.
static void TestState( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	testRequire( character != NULL, &error );
	supFlesh* flesh = BuildFlesh( character, sup_methodPosition );
	Stage s = MakeStage( flesh, EXAGGERATION );
	size_t bytes = (size_t)s.count * sizeof( supVec3 );
	void* saved = malloc( supActor_StateSize( s.actor ) );
	supVec3* first = malloc( bytes );
	for ( int32_t round = 0; round < 2; ++round )
	{
		for ( int32_t i = round == 0 ? 0 : 10; i < 20; ++i )
		{
			if ( round == 0 && i == 10 )
			{
				supActor_SaveState( s.actor, saved );
			}
			supTransform local = s.rest;
			local.translation.y += 1e-4f * (float)( i * i );
			supPose_SetLocal( supActor_Pose( s.actor ), s.root, local );
			supScene_Step( s.scene, 1.0f / 60.0f );
		}
		if ( round == 0 )
		{
			memcpy( first, supActor_Positions( s.actor, 0 ), bytes );
			supActor_RestoreState( s.actor, saved );
		}
	}
	assert_memory_equal( first, supActor_Positions( s.actor, 0 ), bytes );
	supTransform nowhere = s.rest;
	nowhere.translation.x = NAN;
	supPose_SetLocal( supActor_Pose( s.actor ), s.root, nowhere );
	supScene_Step( s.scene, 1.0f / 60.0f );
	for ( int32_t i = 0; i < 10; ++i )
	{
		supPose_SetLocal( supActor_Pose( s.actor ), s.root, s.rest );
		supScene_Step( s.scene, 1.0f / 60.0f );
	}
	testLess( FarthestFromSkin( &s ), 0.1f );
	free( saved );
	free( first );
	ClearStage( &s );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestGentleMotionIsExaggerated ),
		cmocka_unit_test( TestTrembleIsNot ),
		cmocka_unit_test( TestOnlyAccelerationCounts ),
		cmocka_unit_test( TestState ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
