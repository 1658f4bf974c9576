// SPDX-License-Identifier: MIT
// The motions that come with Supple, on built-in characters: they fit, move, loop and keep feet on the ground.
#include "support.h"

#include "models/models.h"
#include "supple/character.h"

#include <stdlib.h>
#include <string.h>

static supCharacter* Make( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

// Positions of the first instance at a time of the clip, or at rest without one. Free with free().
static supVec3* PoseAt( const supCharacter* character, const supClip* clip, float time )
{
	supPose* pose = supCreatePose( character );
	if ( clip != NULL )
	{
		supPose_ApplyClip( pose, clip, time );
	}
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	supVec3* positions = malloc( (size_t)count * sizeof( supVec3 ) );
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
	supDestroyPose( pose );
	return positions;
}

typedef struct Difference
{
	float most;   // between two times
	float lowest; // of the second
	supBox box;
} Difference;

static Difference Compare( const supCharacter* character, const supClip* clip, float a, float b )
{
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	supVec3* first = PoseAt( character, clip, a );
	supVec3* second = PoseAt( character, clip, b );
	Difference difference = { .box = supBox_empty };
	for ( int32_t i = 0; i < count; ++i )
	{
		assert_true( supIsFiniteVec3( second[i] ) );
		difference.most = supMaxFloat( difference.most, supDistance( first[i], second[i] ) );
		difference.box = supBox_Include( difference.box, second[i] );
	}
	difference.lowest = difference.box.lower.y;
	free( first );
	free( second );
	return difference;
}

static supClip* Create( const supCharacter* character, const char* name )
{
	supError error = { 0 };
	supClip* clip = supCreateMotion( character, name, &error );
	testRequire( clip != NULL, &error );
	assert_string_equal( clip->name, name );
	assert_true( clip->start == 0.0f && clip->end > 0.3f && clip->end < 10.0f );
	return clip;
}

static void CheckMoves( const supCharacter* character, const char* name, float size )
{
	supClip* clip = Create( character, name );
	float most = 0.0f;
	for ( int32_t i = 1; i < 8; ++i )
	{
		Difference difference = Compare( character, clip, 0.0f, clip->end * (float)i / 8.0f );
		most = supMaxFloat( most, difference.most );
		supVec3 extent = supBox_Size( difference.box );
		testLess( supLength( extent ), 2.5f * size );
	}
	testGreater( most, 0.03f * size );
	// it loops
	testLess( Compare( character, clip, 0.0f, clip->end ).most, 1e-3f * size );
	supDestroyClip( clip );
}

static void TestEveryMotionMovesAPerson( void** state )
{
	(void)state;
	supCharacter* human = Make( "human" );
	int32_t fitting = 0;
	for ( int32_t i = 0; i < supMotionCount(); ++i )
	{
		assert_int_equal( supFindMotion( supMotionName( i ) ), i );
		testGreater( strlen( supMotionSummary( i ) ), 5 );
		if ( supMotionFits( i, human ) )
		{
			CheckMoves( human, supMotionName( i ), 1.8f );
			fitting += 1;
		}
	}
	// all but swing: a person has neither tail nor soft ears
	assert_int_equal( fitting, supMotionCount() - 1 );
	supDestroyCharacter( human );
}

static void TestFeetStayOnTheGround( void** state )
{
	(void)state;
	static const char* const names[] = { "walk", "dance", "shake", "turn" };
	supCharacter* human = Make( "human" );
	for ( int32_t m = 0; m < 4; ++m )
	{
		supClip* clip = Create( human, names[m] );
		for ( int32_t i = 0; i < 8; ++i )
		{
			float lowest = Compare( human, clip, 0.0f, clip->end * (float)i / 8.0f ).lowest;
			testGreater( lowest, -0.05f );
			testLess( lowest, 0.05f );
		}
		supDestroyClip( clip );
	}
	// and leave it in a hop
	supClip* hop = Create( human, "hop" );
	testGreater( Compare( human, hop, 0.0f, 0.5f * hop->end ).lowest, 0.08f );
	supDestroyClip( hop );
	supDestroyCharacter( human );
}

static void TestMotionsForAnyBody( void** state )
{
	(void)state;
	static const char* const bodies[] = { "tube", "deer1748", "snake" };
	for ( int32_t i = 0; i < 3; ++i )
	{
		supCharacter* body = Make( bodies[i] );
		assert_false( supMotionFits( supFindMotion( "walk" ), body ) );
		supVec3 extent = supBox_Size( Compare( body, NULL, 0.0f, 0.0f ).box );
		float size = supMaxFloat( extent.x, supMaxFloat( extent.y, extent.z ) );
		CheckMoves( body, "shake", size );
		CheckMoves( body, "turn", size );
		CheckMoves( body, "hop", size );
		CheckMoves( body, "swing", size );
		supError error = { 0 };
		assert_null( supCreateMotion( body, "dance", &error ) );
		assert_non_null( strstr( error.message, "shake" ) );
		supDestroyCharacter( body );
	}
}

static void TestUnknownMotion( void** state )
{
	(void)state;
	supCharacter* tube = Make( "tube" );
	supError error = { 0 };
	assert_null( supCreateMotion( tube, "moonwalk", &error ) );
	assert_non_null( strstr( error.message, "walk, run" ) );
	assert_int_equal( supFindMotion( "moonwalk" ), -1 );
	assert_null( supMotionName( -1 ) );
	assert_null( supMotionName( supMotionCount() ) );
	assert_false( supMotionFits( -1, tube ) );
	supDestroyCharacter( tube );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEveryMotionMovesAPerson ),
		cmocka_unit_test( TestFeetStayOnTheGround ),
		cmocka_unit_test( TestMotionsForAnyBody ),
		cmocka_unit_test( TestUnknownMotion ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
