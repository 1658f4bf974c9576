// SPDX-License-Identifier: MIT
// A tracker on real characters: joints go where the tracker's do, and what a bad network makes of a walk stays near it.
#include "support.h"
#include "tracker.h"

#include "character/humanoid.h"
#include "core/core.h"
#include "io/motion/vmc.h"
#include "models/models.h"
#include "supple/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FPS 30.0

static supCharacter* s_characters[2];

static int SetUpCharacters( void** state )
{
	(void)state;
	static const char* const names[2] = { "human", "bunny" };
	for ( int i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		s_characters[i] = supFindModel( names[i] )->create( &error );
		testRequire( s_characters[i] != NULL, &error );
	}
	return 0;
}

static int TearDownCharacters( void** state )
{
	(void)state;
	supDestroyCharacter( s_characters[0] );
	supDestroyCharacter( s_characters[1] );
	return 0;
}

static supVmc* Listen( const supCharacter* character )
{
	supError error = { 0 };
	supVmc* vmc = supCreateVmc( character, NULL, &error );
	testRequire( vmc != NULL, &error );
	return vmc;
}

static void SendFrame( supVmc* vmc, const trackerFrame* frame, double time )
{
	trackerPacket packet;
	trackerBeginBundle( &packet );
	trackerAddBones( &packet, frame, 0, tracker_boneCount );
	trackerAddMessage( &packet, "/VMC/Ext/T", "f", time );
	assert_true( supVmc_Receive( vmc, packet.bytes, packet.byteCount, time ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Where limbs point

typedef struct LimbBone
{
	supBodyPart from, to;
	int left, leftEnd, right, rightEnd;
} LimbBone;

static const LimbBone s_limbs[] = {
	{ sup_partUpperArm, sup_partLowerArm, tracker_leftUpperArm, tracker_leftLowerArm, tracker_rightUpperArm,
	  tracker_rightLowerArm },
	{ sup_partLowerArm, sup_partHand, tracker_leftLowerArm, tracker_leftHand, tracker_rightLowerArm,
	  tracker_rightHand },
	{ sup_partUpperLeg, sup_partLowerLeg, tracker_leftUpperLeg, tracker_leftLowerLeg, tracker_rightUpperLeg,
	  tracker_rightLowerLeg },
	{ sup_partLowerLeg, sup_partFoot, tracker_leftLowerLeg, tracker_leftFoot, tracker_rightLowerLeg,
	  tracker_rightFoot },
};

// The sender's joints, worked out in its own left-handed space and mirrored, against the character's.
static void CheckLimbs( const supCharacter* character, const supHumanoid* body, const supPose* pose,
						const trackerFrame* frame )
{
	supVec3 places[tracker_boneCount];
	trackerPlaces( frame, places );
	supPose* copy = supCreatePose( character );
	supPose_Copy( copy, pose );
	const supMat34* worlds = supPose_Worlds( copy );
	for ( int side = 0; side < 2; ++side )
	{
		for ( int i = 0; i < SUP_COUNT( s_limbs ); ++i )
		{
			const LimbBone* limb = s_limbs + i;
			supVec3 from = places[side == 0 ? limb->left : limb->right];
			supVec3 wanted = supNormalize( supSub( places[side == 0 ? limb->leftEnd : limb->rightEnd], from ) );
			wanted.x = -wanted.x;
			supVec3 start = worlds[body->limb[side][limb->from]].t;
			supVec3 found = supNormalize( supSub( worlds[body->limb[side][limb->to]].t, start ) );
			testLess( supDistance( wanted, found ), 2e-3f );
		}
	}
	supDestroyPose( copy );
}

static void TestLimbsPointAlike( void** state )
{
	(void)state;
	for ( int which = 0; which < 2; ++which )
	{
		const supCharacter* character = s_characters[which];
		supHumanoid body;
		assert_true( supRecognizeHumanoid( character, &body ) );
		supVmc* vmc = Listen( character );
		testGreaterEqual( supVmc_JointCount( vmc ), 17 );
		assert_int_equal( supVmc_Root( vmc ), body.hips );
		testRandom random = testMakeRandom( 3 );
		for ( int i = 0; i < testRounds( 200, 60 ); ++i )
		{
			trackerFrame frame = trackerWalk( 0.05 * i );
			for ( int k = 0; i >= 20 && k < tracker_boneCount; ++k )
			{
				frame.turns[k] = testRandomQuat( &random );
			}
			SendFrame( vmc, &frame, 0.05 * i );
			CheckLimbs( character, &body, supVmc_Pose( vmc ), &frame );
		}
		supDestroyVmc( vmc );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// A bad network

typedef struct Run
{
	const supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supVmc* vmc;
	supVmc* truth; // hears everything in time and without noise
	supPose* wanted;
} Run;

static void BeginRun( Run* run, const supCharacter* character, supMethodId method )
{
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = method;
	run->character = character;
	run->flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
	testRequire( run->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	run->scene = supCreateScene( &sceneDef, &error );
	run->actor = supScene_AddActor( run->scene, run->flesh, &error );
	testRequire( run->actor != NULL, &error );
	// poses are pushed before the step at whose end they were there
	supStreamDef streamDef = supDefaultStreamDef();
	streamDef.delay += (float)( 1.0 / FPS );
	testRequire( supActor_OpenStream( run->actor, &streamDef, &error ), &error );
	run->vmc = Listen( character );
	run->truth = Listen( character );
	run->wanted = supCreatePose( character );
}

static void EndRun( Run* run )
{
	supDestroyPose( run->wanted );
	supDestroyVmc( run->truth );
	supDestroyVmc( run->vmc );
	supDestroyScene( run->scene );
	supDestroyFlesh( run->flesh );
}

// The largest distance of a joint from where it was in truth `behind` seconds ago.
static float MeasureJoints( Run* run, double time, double behind )
{
	trackerFrame frame = trackerWalk( time - behind );
	SendFrame( run->truth, &frame, time );
	supPose_Copy( run->wanted, supVmc_Pose( run->truth ) );
	const supMat34* wanted = supPose_Worlds( run->wanted );
	const supMat34* found = supPose_Worlds( supActor_Pose( run->actor ) );
	float largest = 0.0f;
	for ( int32_t i = 0; i < supCharacter_NodeCount( run->character ); ++i )
	{
		largest = supMaxFloat( largest, supDistance( wanted[i].t, found[i].t ) );
	}
	return largest;
}

// The same of the surface against skinning alone; its mean over all vertices.
static float MeasureSurface( Run* run )
{
	supPose* pose = supActor_Pose( run->actor );
	double sum = 0.0;
	int64_t total = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( run->character ); ++i )
	{
		int32_t count =
			supCharacter_Mesh( run->character, supCharacter_Instance( run->character, i )->mesh )->vertexCount;
		supVec3* skinned = malloc( (size_t)count * sizeof( supVec3 ) );
		supSkinInstance( pose, i, sup_skinningDualQuaternion, NULL, &( supSkinOutput ){ .positions = skinned } );
		const supVec3* found = supActor_Positions( run->actor, i );
		for ( int32_t k = 0; k < count; ++k )
		{
			assert_true( supIsFiniteVec3( found[k] ) );
			sum += (double)supDistance( skinned[k], found[k] );
		}
		total += count;
		free( skinned );
	}
	return (float)( sum / (double)total );
}

typedef struct Outcome
{
	float joints, surface;
	supStreamStats stream;
	supVmcStats vmc;
	uint64_t bits;
} Outcome;

static uint64_t HashSurface( const Run* run )
{
	uint64_t hash = 14695981039346656037ull;
	const uint8_t* bytes = (const uint8_t*)supActor_Positions( run->actor, 0 );
	size_t count =
		(size_t)supCharacter_Mesh( run->character, supCharacter_Instance( run->character, 0 )->mesh )->vertexCount;
	for ( size_t i = 0; i < count * sizeof( supVec3 ); ++i )
	{
		hash = ( hash ^ bytes[i] ) * 1099511628211ull;
	}
	return hash;
}

static Outcome Walk( int which, supMethodId method, const trackerDef* def )
{
	Run run = { 0 };
	Outcome outcome = { 0 };
	BeginRun( &run, s_characters[which], method );
	int count, next = 0;
	trackerPacket* packets = trackerMakeStream( def, &count );
	bool started = false;
	for ( int step = 1; step <= (int)( def->seconds * FPS ); ++step )
	{
		double time = (double)step / FPS;
		for ( ; next < count && packets[next].arrival <= time; ++next )
		{
			if ( supVmc_Receive( run.vmc, packets[next].bytes, packets[next].byteCount, packets[next].arrival ) ==
				 false )
			{
				continue;
			}
			supActor_PushPose( run.actor, supVmc_Pose( run.vmc ), supVmc_Time( run.vmc ) );
			if ( started == false )
			{
				supPose_Copy( supActor_Pose( run.actor ), supVmc_Pose( run.vmc ) );
				supActor_Reset( run.actor );
				started = true;
			}
		}
		supScene_Step( run.scene, (float)( 1.0 / FPS ) );
		float surface = MeasureSurface( &run );
		if ( time > 1.0 )
		{
			double behind = def->transit + (double)supDefaultStreamDef().delay;
			outcome.joints = supMaxFloat( outcome.joints, MeasureJoints( &run, time, behind ) );
			outcome.surface = supMaxFloat( outcome.surface, surface );
		}
	}
	outcome.stream = supActor_GetStreamStats( run.actor );
	outcome.vmc = supVmc_GetStats( run.vmc );
	outcome.bits = HashSurface( &run );
	supTrouble trouble = supScene_GetStats( run.scene ).trouble;
	assert_int_equal( trouble.notFinite, 0 );
	EndRun( &run );
	free( packets );
	return outcome;
}

static void TestCleanNetwork( void** state )
{
	(void)state;
	trackerDef def = { .seed = 1, .seconds = 2.0, .transit = 0.01 };
	for ( int which = 0; which < 2; ++which )
	{
		Outcome clean = Walk( which, sup_methodDqs, &def );
		print_message( "clean: joints within %.3f m, predicted %lld\n", (double)clean.joints,
					   (long long)clean.stream.predictedSteps );
		testLess( clean.joints, 0.04f );
		testLess( clean.surface, 1e-5f );
		assert_int_equal( clean.stream.dropped, 0 );
	}
}

static void TestBadNetwork( void** state )
{
	(void)state;
	// a degree of noise, up to 60 ms late, every eighth packet lost
	trackerDef def = {
		.seed = 2, .seconds = 2.0, .noise = 0.017f, .jitter = 0.06f, .dropped = 0.125f, .transit = 0.02, .clock = 1000.0
	};
	static const supMethodId methods[] = { sup_methodDqs, sup_methodLattice };
	for ( int which = 0; which < 2; ++which )
	{
		for ( int m = 0; m < testRounds( 2, 1 ); ++m )
		{
			Outcome bad = Walk( which, methods[m], &def );
			print_message( "bad: joints within %.3f m, surface %.4f m; %lld frames, %lld reordered, %lld predicted\n",
						   (double)bad.joints, (double)bad.surface, (long long)bad.vmc.frames,
						   (long long)bad.stream.reordered, (long long)bad.stream.predictedSteps );
			testLess( bad.joints, 0.25f );
			testLess( bad.surface, 0.08f );
			testGreater( bad.stream.reordered, 0 );
			testGreater( bad.vmc.frames, 30 );
			assert_int_equal( bad.stream.restarts, 0 );
			if ( which == 0 )
			{
				// the same stream, the same bits
				assert_true( Walk( which, methods[m], &def ).bits == bad.bits );
			}
		}
	}
}

int main( void )
{
	if ( supHasVmc() == false )
	{
		printf( "skipped: built without liblo\n" );
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestLimbsPointAlike ),
		cmocka_unit_test( TestCleanNetwork ),
		cmocka_unit_test( TestBadNetwork ),
	};
	return cmocka_run_group_tests( tests, SetUpCharacters, TearDownCharacters );
}
