// SPDX-License-Identifier: MIT
// labels: release
// Bones that their flesh moves: the wings of a bird in the method `fem`.
#include "fem_stage.h"

static supCharacter* s_bird;
static supFlesh* s_wings;

static int BuildBird( void** state )
{
	(void)state;
	supError error = { 0 };
	const supSetting settings[1] = { { "vertices", 250.0f } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	def.settings = settings;
	def.settingCount = 1;
	s_bird = supFindModel( "bird" )->create( &error );
	testRequire( s_bird != NULL, &error );
	s_wings = supBuildFlesh( s_bird, &def, NULL, &error );
	testRequire( s_wings != NULL, &error );
	return 0;
}

static int FreeBird( void** state )
{
	(void)state;
	supDestroyFlesh( s_wings );
	supDestroyCharacter( s_bird );
	return 0;
}

// Flesh as it is, without the guard.
static Sample StartBare( float bones )
{
	Sample s;
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.guard = false;
	s.scene = supCreateScene( &def, &error );
	testRequire( s.scene != NULL, &error );
	s.actor = supScene_AddActor( s.scene, s_wings, &error );
	testRequire( s.actor != NULL, &error );
	supActor_SetParameter( s.actor, sup_femBones, bones );
	return s;
}

// The middle of the skin that is a joint's alone.
static supVec3 MiddleOf( const char* jointName, const supVec3* positions )
{
	const supMesh* mesh = supCharacter_Mesh( s_bird, supCharacter_Instance( s_bird, 0 )->mesh );
	const supSkin* skin = supCharacter_Skin( s_bird, 0 );
	int32_t node = supCharacter_FindNode( s_bird, jointName ), count = 0;
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		if ( mesh->weights[i * mesh->influences] > 0.9f && skin->joints[mesh->joints[i * mesh->influences]] == node )
		{
			sum = supAdd( sum, positions[i] );
			count += 1;
		}
	}
	assert_true( count > 0 );
	return supScale( 1.0f / (float)count, sum );
}

static float WingLength( const supVec3* positions )
{
	supVec3 first = MiddleOf( "LeftWing1", positions ), second = MiddleOf( "LeftWing2", positions );
	supVec3 third = MiddleOf( "LeftWing3", positions );
	return supDistance( first, second ) + supDistance( second, third );
}

typedef struct Flight
{
	float longest, shortest; // of a wing, in parts of its length at rest
	float lag;               // of its tip behind the clip, the farthest
} Flight;

static Flight Fly( float bones )
{
	const supMesh* mesh = supCharacter_Mesh( s_bird, supCharacter_Instance( s_bird, 0 )->mesh );
	const supClip* clip = supCharacter_FindClip( s_bird, "Fly" );
	float atRest = WingLength( mesh->positions );
	supVec3 tip = MiddleOf( "LeftWing3", mesh->positions );
	const supSkin* skin = supCharacter_Skin( s_bird, 0 );
	int32_t node = supCharacter_FindNode( s_bird, "LeftWing3" ), joint = 0;
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		joint = skin->joints[i] == node ? i : joint;
	}
	Sample s = StartBare( bones );
	Flight flight = { 0.0f, INFINITY, 0.0f };
	for ( int32_t frame = 0; frame < 60; ++frame )
	{
		supPose_ApplyClip( supActor_Pose( s.actor ), clip, (float)frame / 40.0f );
		supScene_Step( s.scene, 1.0f / 40.0f );
		const supVec3* positions = supActor_Positions( s.actor, 0 );
		float length = WingLength( positions ) / atRest;
		flight.longest = supMaxFloat( flight.longest, length );
		flight.shortest = supMinFloat( flight.shortest, length );
		supMat34 world = supPose_Worlds( supActor_Pose( s.actor ) )[node];
		supVec3 skinned = supTransformPoint( supMulMat34( world, skin->inverseBinds[joint] ), tip );
		flight.lag = supMaxFloat( flight.lag, supDistance( skinned, MiddleOf( "LeftWing3", positions ) ) );
	}
	print_message( "bones %.0f: a wing has %.3f to %.3f of its length, its tip lags by %.3f m\n", (double)bones,
				   (double)flight.shortest, (double)flight.longest, (double)flight.lag );
	supDestroyScene( s.scene );
	return flight;
}

// They swing without becoming longer or shorter: bones do not stretch, whatever their flesh does.
static void WingsKeepTheirLength( void** state )
{
	(void)state;
	Flight flight = Fly( 0.0f );
	testLess( flight.longest, 1.1f );
	testGreater( flight.shortest, 0.85f );
	// a tenth of a wing
	testGreater( flight.lag, 0.05f );
}

// `bones` pulls them back to the clip, up to wings that hardly swing.
static void StrengthReturnsThemToTheClip( void** state )
{
	(void)state;
	Flight free = Fly( 0.0f ), held = Fly( 4.0f ), rigid = Fly( 100.0f );
	testLess( held.lag, free.lag );
	testLess( rigid.lag, held.lag );
	testLess( rigid.lag, 0.25f * free.lag );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( WingsKeepTheirLength ),
		cmocka_unit_test( StrengthReturnsThemToTheClip ),
	};
	return cmocka_run_group_tests( tests, BuildBird, FreeBird );
}
