// SPDX-License-Identifier: MIT
// Real motions on real characters. What counts is what the eye sees: limbs point where the source's point, feet stay
// on the ground, nothing explodes.
#include "support.h"

#include "character/humanoid.h"
#include "supple/io.h"

#include <string.h>

static supCharacter* Load( const char* path )
{
	supError error;
	supCharacter* character = supLoadCharacter( testAsset( path ), &error );
	testRequire( character != NULL, &error );
	return character;
}

static supVec3 Bone( const supMat34* worlds, int32_t from, int32_t to )
{
	return supNormalize( supSub( worlds[to].t, worlds[from].t ) );
}

static float Degrees( supVec3 a, supVec3 b )
{
	return supAcos( supDot( a, b ) ) * ( 180.0f / SUP_PI );
}

static const supBodyPart s_limbs[][2] = {
	{ sup_partUpperArm, sup_partLowerArm },
	{ sup_partLowerArm, sup_partHand },
	{ sup_partUpperLeg, sup_partLowerLeg },
	{ sup_partLowerLeg, sup_partFoot },
};

typedef struct Result
{
	float worstLimb;   // degrees between a limb of the target and of the source
	float highestFoot; // how much higher over the ground an ankle is than the source's, in leg lengths
	float lowestFoot;  // how much lower, negative
	float hipWidth;    // from hips to upper leg, in leg lengths
} Result;

static float LegLength( const supHumanoid* body, const supMat34* worlds )
{
	const int32_t* leg = body->limb[0];
	return supDistance( worlds[leg[sup_partUpperLeg]].t, worlds[leg[sup_partLowerLeg]].t ) +
		   supDistance( worlds[leg[sup_partLowerLeg]].t, worlds[leg[sup_partFoot]].t );
}

static Result Measure( const supCharacter* target, const supCharacter* source, const supClip* from,
					   const supClip* clip )
{
	supHumanoid a, b;
	assert_true( supRecognizeHumanoid( source, &a ) );
	assert_true( supRecognizeHumanoid( target, &b ) );
	supPose* sourcePose = supCreatePose( source );
	supPose* targetPose = supCreatePose( target );
	float sourceLeg = LegLength( &a, supPose_Worlds( sourcePose ) );
	float targetLeg = LegLength( &b, supPose_Worlds( targetPose ) );
	// ankles at rest stand about a tenth of a leg high, a yeti's much higher
	supMat34 ankle = supPose_Worlds( targetPose )[b.limb[0][sup_partFoot]];
	float standing = supMaxFloat( ankle.t.y / targetLeg - 0.1f, 0.0f );
	const supMat34* rest = supPose_Worlds( targetPose );
	float hipWidth = supDistance( rest[b.hips].t, rest[b.limb[0][sup_partUpperLeg]].t ) / targetLeg;
	// all motions face +z; one of the characters faces +x
	supVec3 across = Bone( rest, b.limb[1][sup_partUpperLeg], b.limb[0][sup_partUpperLeg] );
	bool facesX = fabsf( across.z ) > fabsf( across.x );
	supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), facesX ? 0.5f * SUP_PI : 0.0f );
	Result result = { 0.0f, 0.0f, 0.0f, hipWidth };
	for ( int k = 0; k <= 60; ++k )
	{
		float time = from->start + ( from->end - from->start ) * (float)k / 60.0f;
		supPose_ApplyClip( sourcePose, from, time );
		supPose_ApplyClip( targetPose, clip, time );
		const supMat34* s = supPose_Worlds( sourcePose );
		const supMat34* t = supPose_Worlds( targetPose );
		for ( int32_t i = 0; i < supCharacter_NodeCount( target ); ++i )
		{
			assert_true( supIsFiniteVec3( t[i].t ) && supIsFiniteVec3( t[i].cx ) );
		}
		for ( int32_t side = 0; side < 2; ++side )
		{
			for ( size_t i = 0; i < sizeof( s_limbs ) / sizeof( s_limbs[0] ); ++i )
			{
				supBodyPart p = s_limbs[i][0], q = s_limbs[i][1];
				if ( a.limb[side][q] >= 0 && b.limb[side][q] >= 0 )
				{
					float angle = Degrees( supRotate( turn, Bone( s, a.limb[side][p], a.limb[side][q] ) ),
										   Bone( t, b.limb[side][p], b.limb[side][q] ) );
					result.worstLimb = supMaxFloat( result.worstLimb, angle );
				}
			}
			float height = t[b.limb[side][sup_partFoot]].t.y / targetLeg -
						   s[a.limb[side][sup_partFoot]].t.y / sourceLeg - standing;
			result.highestFoot = supMaxFloat( result.highestFoot, height );
			result.lowestFoot = supMinFloat( result.lowestFoot, height );
		}
	}
	supDestroyPose( sourcePose );
	supDestroyPose( targetPose );
	return result;
}

static void TestMotionsOnPeople( void** state )
{
	(void)state;
	static const char* const motions[] = {
		"cmu_02_01_walk",      "cmu_09_01_run",       "cmu_49_02_jump-hop", "cmu_60_01_salsa", "cmu_74_06_kick",
		"cmu_85_02_jumptwist", "cmu_90_02_cartwheel", "cmu_05_02_dance",    "pirouette",
	};
	static const char* const people[] = { "human-bunny.glb", "CesiumMan.glb",    "m2m-human.glb",  "human-zombie.glb",
										  "Elf/Elf.gltf",    "RiggedFigure.glb", "Yeti/Yeti.gltf", "dae/walk.dae" };
	for ( size_t p = 0; p < sizeof( people ) / sizeof( people[0] ); ++p )
	{
		char path[128];
		snprintf( path, sizeof( path ), "characters/%s", people[p] );
		supCharacter* target = Load( path );
		for ( size_t m = 0; m < sizeof( motions ) / sizeof( motions[0] ); ++m )
		{
			snprintf( path, sizeof( path ), "motions/%s.bvh", motions[m] );
			supCharacter* source = Load( path );
			supRetargetDef def = supDefaultRetargetDef();
			// both are looked at at the same times
			def.keepFirstFrame = true;
			supError error;
			const supClip* from = supCharacter_Clip( source, 0 );
			supClip* clip = supRetargetClip( target, source, from, &def, &error );
			testRequire( clip != NULL, &error );
			assert_string_equal( clip->name, motions[m] );
			Result result = Measure( target, source, from, clip );
			// wide hips lift a foot when they tilt; head over heels the width of the hips counts as height
			bool upright = strstr( motions[m], "cartwheel" ) == NULL && strstr( motions[m], "twist" ) == NULL;
			float tilt = 0.15f * result.hipWidth;
			if ( result.worstLimb > 0.5f ||
				 ( upright && ( result.lowestFoot < -0.1f - tilt || result.highestFoot > 0.2f + tilt ) ) )
			{
				fail_msg( "%s on %s: limbs %g degrees off, ankles %g to %g legs off", motions[m], people[p],
						  (double)result.worstLimb, (double)result.lowestFoot, (double)result.highestFoot );
			}
			supDestroyClip( clip );
			supDestroyCharacter( source );
		}
		supDestroyCharacter( target );
	}
}

// Where both skeletons have the same names: a rabbit of other proportions walks like the mannequin.
static void TestEqualNames( void** state )
{
	(void)state;
	supCharacter* source = Load( "characters/m2m-human.glb" );
	supCharacter* target = Load( "characters/human-bunny.glb" );
	supRetargetDef def = supDefaultRetargetDef();
	supError error;
	const supClip* from = supCharacter_Clip( source, 0 );
	supClip* clip = supRetargetClip( target, source, from, &def, &error );
	testRequire( clip != NULL, &error );
	Result result = Measure( target, source, from, clip );
	testLess( result.worstLimb, 0.5f );
	testGreater( result.lowestFoot, -0.1f );
	testLess( result.highestFoot, 0.1f );
	supDestroyClip( clip );
	supDestroyCharacter( source );
	supDestroyCharacter( target );
}

// Clips in a file of their own, without a skeleton worth the name.
static void TestClipsOnly( void** state )
{
	(void)state;
	supCharacter* source = Load( "characters/Elf/Elf_allAnimations.gltf" );
	supCharacter* target = Load( "characters/Elf/Elf.gltf" );
	supRetargetDef def = supDefaultRetargetDef();
	for ( int32_t i = 0; i < supCharacter_ClipCount( source ); ++i )
	{
		supError error;
		const supClip* from = supCharacter_Clip( source, i );
		supClip* clip = supRetargetClip( target, source, from, &def, &error );
		testRequire( clip != NULL, &error );
		assert_int_equal( clip->channelCount, from->channelCount );
		for ( int32_t k = 0; k < clip->channelCount; ++k )
		{
			const supChannel* a = &from->channels[k];
			const supChannel* b = &clip->channels[k];
			assert_string_equal( supCharacter_Node( source, a->node )->name,
								 supCharacter_Node( target, b->node )->name );
			assert_int_equal( a->keyCount, b->keyCount );
			assert_memory_equal( a->values, b->values, (size_t)( a->keyCount * a->width ) * sizeof( float ) );
		}
		supDestroyClip( clip );
	}
	supDestroyCharacter( source );
	supDestroyCharacter( target );
}

// Angle between the two poses of one node.
static float Compare( supPose* a, supPose* b, int32_t node )
{
	supMat34 s = supPose_Worlds( a )[node];
	supMat34 t = supPose_Worlds( b )[node];
	return supMaxFloat( Degrees( supNormalize( s.cx ), supNormalize( t.cx ) ),
						Degrees( supNormalize( s.cy ), supNormalize( t.cy ) ) );
}

// The BVH file is an export of the character's own clip, lying on its back and a frame early: both must turn neck and
// head alike. Between keys the clip's splines are not what was exported. The character's rest pose is a frame of the
// clip; only its bind pose looks straight ahead.
static void TestAlien( void** state )
{
	(void)state;
	supCharacter* source = Load( "motions/alien.bvh" );
	supCharacter* target = Load( "characters/Alien/Alien.gltf" );
	supRetargetDef def = supDefaultRetargetDef();
	supError error;
	supClip* clip = supRetargetClip( target, source, supCharacter_Clip( source, 0 ), &def, &error );
	testRequire( clip != NULL, &error );
	const supClip* own = supCharacter_Clip( target, 0 );
	supPose* a = supCreatePose( target );
	supPose* b = supCreatePose( target );
	int32_t neck = supCharacter_FindNode( target, "Neck" );
	int32_t skull = supCharacter_FindNode( target, "SkullBase" );
	float mostTurned = 0.0f;
	int compared = 0;
	for ( int32_t i = 0; i < own->channelCount; ++i )
	{
		const supChannel* channel = &own->channels[i];
		bool isNeck = channel->node == neck;
		for ( int32_t k = 1; ( isNeck || channel->node == skull ) && k < channel->keyCount; ++k )
		{
			supPose_ApplyClip( a, own, channel->times[k] );
			supPose_ApplyClip( b, clip, channel->times[k] - 1.0f / 24.0f );
			testLess( Compare( a, b, channel->node ), ( isNeck ? 0.1f : 2.0f ) );
			supVec3 side = supNormalize( supPose_Worlds( b )[skull].cx );
			mostTurned = supMaxFloat( mostTurned, Degrees( side, supMakeVec3( 1.0f, 0.0f, 0.0f ) ) );
			++compared;
		}
	}
	assert_int_equal( compared, 12 + 15 );
	testGreater( mostTurned, 20.0f );
	supDestroyPose( a );
	supDestroyPose( b );
	supDestroyClip( clip );
	supDestroyCharacter( source );
	supDestroyCharacter( target );
}

// Every clip of a file onto its own skeleton, worked out instead of copied: nothing may change.
static void TestOntoItself( void** state )
{
	(void)state;
	static const char* const files[] = { "motions/cmu_05_02_dance.bvh", "motions/pirouette.bvh",
										 "motions/alien.bvh",           "characters/m2m-human.glb",
										 "characters/CesiumMan.glb",    "characters/Fox.glb",
										 "characters/Yeti/Yeti.gltf",   "characters/RobotExpressive.glb" };
	for ( size_t f = 0; f < sizeof( files ) / sizeof( files[0] ); ++f )
	{
		supCharacter* character = Load( files[f] );
		supPose* a = supCreatePose( character );
		supPose* b = supCreatePose( character );
		float size = 0.0f;
		for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
		{
			size = supMaxFloat( size, supLength( supPose_Worlds( a )[i].t ) );
		}
		for ( int32_t c = 0; c < supCharacter_ClipCount( character ); ++c )
		{
			supRetargetDef def = supDefaultRetargetDef();
			// both are looked at at the same times
			def.keepFirstFrame = true;
			def.travelScale = 1.0f;
			supError error;
			const supClip* from = supCharacter_Clip( character, c );
			supClip* clip = supRetargetClip( character, character, from, &def, &error );
			testRequire( clip != NULL, &error );
			supPose_SetRest( a );
			supPose_SetRest( b );
			for ( int k = 0; k <= 20; ++k )
			{
				float time = from->start + ( from->end - from->start ) * (float)k / 20.0f;
				supPose_ApplyClip( a, from, time );
				supPose_ApplyClip( b, clip, time );
				for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
				{
					float off = supDistance( supPose_Worlds( a )[i].t, supPose_Worlds( b )[i].t );
					if ( !( off < 1e-4f * size ) )
					{
						fail_msg( "%s clip %s at %g: %s is off by %g of %g", files[f], from->name, (double)time,
								  supCharacter_Node( character, i )->name, (double)off, (double)size );
					}
				}
			}
			supDestroyClip( clip );
		}
		supDestroyPose( a );
		supDestroyPose( b );
		supDestroyCharacter( character );
	}
}

// Feet that hang beside the legs stay on them.
static void TestRobot( void** state )
{
	(void)state;
	supCharacter* source = Load( "motions/cmu_60_01_salsa.bvh" );
	supCharacter* target = Load( "characters/RobotExpressive.glb" );
	supRetargetDef def = supDefaultRetargetDef();
	supError error;
	supClip* clip = supRetargetClip( target, source, supCharacter_Clip( source, 0 ), &def, &error );
	testRequire( clip != NULL, &error );
	supHumanoid body;
	assert_true( supRecognizeHumanoid( target, &body ) );
	supPose* pose = supCreatePose( target );
	float travelled = 0.0f;
	for ( int side = 0; side < 2; ++side )
	{
		int32_t foot = body.limb[side][sup_partLooseFoot];
		int32_t knee = body.limb[side][sup_partLowerLeg];
		supPose_SetRest( pose );
		float length = supDistance( supPose_Worlds( pose )[knee].t, supPose_Worlds( pose )[foot].t );
		for ( int i = 0; i <= 60; ++i )
		{
			supPose_ApplyClip( pose, clip, 0.3f * (float)i );
			const supMat34* worlds = supPose_Worlds( pose );
			assert_float_equal( supDistance( worlds[knee].t, worlds[foot].t ), length, 0.02 * length );
			travelled = supMaxFloat( travelled, supLength( worlds[foot].t ) );
		}
	}
	testGreater( travelled, 1.0f );
	supDestroyPose( pose );
	supDestroyClip( clip );
	supDestroyCharacter( source );
	supDestroyCharacter( target );
}

static void TestAnimalsAreRefused( void** state )
{
	(void)state;
	static const char* const animals[] = { "Fox.glb", "snake-animations.glb", "spider-animations.glb",
										   "RiggedSimple.glb", "hand-left.glb" };
	supCharacter* source = Load( "motions/cmu_02_01_walk.bvh" );
	for ( size_t i = 0; i < sizeof( animals ) / sizeof( animals[0] ); ++i )
	{
		char path[128];
		snprintf( path, sizeof( path ), "characters/%s", animals[i] );
		supCharacter* target = Load( path );
		supRetargetDef def = supDefaultRetargetDef();
		supError error;
		supClip* clip = supRetargetClip( target, source, supCharacter_Clip( source, 0 ), &def, &error );
		if ( clip != NULL )
		{
			fail_msg( "%s walks like a man", animals[i] );
		}
		assert_int_equal( error.code, sup_errorNotFound );
		assert_non_null( strstr( error.message, "--map" ) );
		supDestroyCharacter( target );
	}
	supDestroyCharacter( source );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestMotionsOnPeople ),   cmocka_unit_test( TestEqualNames ),
		cmocka_unit_test( TestClipsOnly ),         cmocka_unit_test( TestAlien ),
		cmocka_unit_test( TestOntoItself ),        cmocka_unit_test( TestRobot ),
		cmocka_unit_test( TestAnimalsAreRefused ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
