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
	Result result = { 0.0f, 0.0f, 0.0f };
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
					float angle = Degrees( Bone( s, a.limb[side][p], a.limb[side][q] ),
										   Bone( t, b.limb[side][p], b.limb[side][q] ) );
					result.worstLimb = supMaxFloat( result.worstLimb, angle );
				}
			}
			float height =
				t[b.limb[side][sup_partFoot]].t.y / targetLeg - s[a.limb[side][sup_partFoot]].t.y / sourceLeg;
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
	static const char* const people[] = { "human-bunny.glb",  "CesiumMan.glb", "m2m-human.glb",
										  "human-zombie.glb", "Elf/Elf.gltf",  "RiggedFigure.glb" };
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
			supError error;
			const supClip* from = supCharacter_Clip( source, 0 );
			supClip* clip = supRetargetClip( target, source, from, &def, &error );
			testRequire( clip != NULL, &error );
			assert_string_equal( clip->name, motions[m] );
			Result result = Measure( target, source, from, clip );
			printf( "%-18s %-20s limbs %6.2f deg, ankles %6.3f to %6.3f legs off\n", people[p], motions[m],
					(double)result.worstLimb, (double)result.lowestFoot, (double)result.highestFoot );
			supDestroyClip( clip );
			supDestroyCharacter( source );
		}
		supDestroyCharacter( target );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestMotionsOnPeople ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
