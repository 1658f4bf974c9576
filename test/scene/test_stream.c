// SPDX-License-Identifier: MIT
// Live poses: irregular, late, out of order, with gaps, from a clock of their own.
#include "character/pose.h"
#include "lag.h"
#include "support.h"

#include "scene/actor.h"

#include <math.h>
#include <string.h>

#define AMPLITUDE 0.5
#define SPEED 3.0 // radians a second

typedef struct Studio
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supPose* pose;
} Studio;

static Studio MakeStudio( const supStreamDef* def )
{
	Studio studio = { .character = testMakeBox() };
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	studio.flesh = supBuildFleshWith( studio.character, &testLagMethod, &fleshDef, NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	studio.scene = supCreateScene( &sceneDef, &error );
	studio.actor = supScene_AddActor( studio.scene, studio.flesh, &error );
	studio.pose = supCreatePose( studio.character );
	testRequire( supActor_OpenStream( studio.actor, def, &error ), &error );
	return studio;
}

static void DestroyStudio( Studio* studio )
{
	supDestroyPose( studio->pose );
	supDestroyScene( studio->scene );
	supDestroyFlesh( studio->flesh );
	supDestroyCharacter( studio->character );
}

static double MotionAt( double time )
{
	return AMPLITUDE * sin( SPEED * time );
}

static void SetMotion( supPose* pose, double time )
{
	supTransform local = supPose_GetLocal( pose, 1 );
	local.translation.x = (float)MotionAt( time );
	local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), (float)MotionAt( time ) );
	supPose_SetLocal( pose, 1, local );
}

static double ShownX( const Studio* studio )
{
	return (double)supPose_GetLocal( supActor_Pose( studio->actor ), 1 ).translation.x;
}

static double ShownAngle( const Studio* studio )
{
	supQuat q = supPose_GetLocal( supActor_Pose( studio->actor ), 1 ).rotation;
	return 2.0 * atan2( (double)q.z, (double)q.w );
}

typedef struct Network
{
	double rate;            // poses a second
	double latency, jitter; // seconds
	double loss;            // share
	double clockSpeed;      // of the sender
	double clockStart;
} Network;

// Sends for `duration` seconds of our time, steps at 60 Hz, and returns the largest difference from the motion as it
// was `behind` seconds ago, after the first second.
static double Broadcast( Studio* studio, const Network* network, double duration, double behind, testRandom* random )
{
	double sendTimes[64], arrivals[64];
	int pending = 0;
	double nextSend = 0.0, worst = 0.0;
	for ( double now = 0.0; now < duration; now += 1.0 / 60.0 )
	{
		for ( ; nextSend <= now && pending < 64; nextSend += 1.0 / network->rate )
		{
			if ( (double)testRandomFloat( random, 0.0f, 1.0f ) >= network->loss )
			{
				sendTimes[pending] = nextSend;
				arrivals[pending++] =
					nextSend + network->latency + network->jitter * (double)testRandomFloat( random, 0.0f, 1.0f );
			}
		}
		for ( int i = 0; i < pending; )
		{
			if ( arrivals[i] > now )
			{
				i += 1;
				continue;
			}
			SetMotion( studio->pose, sendTimes[i] );
			supActor_PushPose( studio->actor, studio->pose, network->clockStart + network->clockSpeed * sendTimes[i] );
			pending -= 1;
			sendTimes[i] = sendTimes[pending];
			arrivals[i] = arrivals[pending];
		}
		supScene_Step( studio->scene, 1.0f / 60.0f );
		double shown = now + 1.0 / 60.0;
		if ( now > 1.0 )
		{
			worst = fmax( worst, fabs( ShownX( studio ) - MotionAt( shown - behind ) ) );
			worst = fmax( worst, fabs( ShownAngle( studio ) - MotionAt( shown - behind ) ) );
		}
	}
	return worst;
}

// What may go wrong: a straight line between poses that are g apart, A w^2 g^2 / 8; the quickest pose arrives up to a
// step after it could have been seen, and the offset sinks by 1 % between quick poses: A w times that.
static void TestIrregularPoses( void** state )
{
	(void)state;
	supStreamDef def = supDefaultStreamDef();
	def.delay = 0.2f;
	Studio studio = MakeStudio( &def );
	testRandom random = testMakeRandom( 7 );
	Network network = { 30.0, 0.02, 0.03, 0.2, 1.0, 1e6 };
	double worst = Broadcast( &studio, &network, 20.0, 0.2 + 0.02, &random );
	double gap = 4.0 / 30.0;
	double bound = AMPLITUDE * SPEED * SPEED * gap * gap / 8.0 + AMPLITUDE * SPEED * ( 1.0 / 60.0 + 0.01 * 0.5 );
	testLess( worst, bound );
	supStreamStats stats = supActor_GetStreamStats( studio.actor );
	assert_in_range( stats.received, 400, 560 );
	assert_int_equal( stats.dropped, 0 );
	assert_int_equal( stats.restarts, 0 );
	assert_int_equal( stats.predictedSteps + stats.heldSteps, 0 );
	DestroyStudio( &studio );
}

// Half a per cent off for a minute is 0.3 s, ten times what is allowed here.
static void TestClocksThatDrift( void** state )
{
	(void)state;
	const double speeds[] = { 0.995, 1.005 };
	for ( int i = 0; i < 2; ++i )
	{
		supStreamDef def = supDefaultStreamDef();
		def.delay = 0.1f;
		Studio studio = MakeStudio( &def );
		testRandom random = testMakeRandom( 8 );
		Network network = { 60.0, 0.01, 0.005, 0.0, speeds[i], -50.0 };
		double worst = Broadcast( &studio, &network, 60.0, 0.1 + 0.01, &random );
		testLess( worst, AMPLITUDE * SPEED * 0.03 );
		DestroyStudio( &studio );
	}
}

static void TestGaps( void** state )
{
	(void)state;
	supStreamDef def = supDefaultStreamDef();
	def.delay = 0.0f;
	def.prediction = 0.2f;
	Studio studio = MakeStudio( &def );
	// at 1 m/s and 1 radian/s until nothing comes any more
	for ( int i = 0; i <= 30; ++i )
	{
		double time = (double)i / 30.0;
		supTransform local = supPose_GetLocal( studio.pose, 1 );
		local.translation.x = (float)time;
		local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), (float)time );
		supPose_SetLocal( studio.pose, 1, local );
		assert_true( supActor_PushPose( studio.actor, studio.pose, time ) );
		if ( i < 30 )
		{
			supScene_Step( studio.scene, 1.0f / 30.0f );
		}
	}
	double before = supActor_GetStreamStats( studio.actor ).predictedSteps;
	for ( int i = 1; i <= 60; ++i )
	{
		supScene_Step( studio.scene, 0.01f );
		double ahead = fmin( 0.01 * i * 0.99, 0.2 );
		assert_float_equal( ShownX( &studio ), 1.0 + ahead / ( 1.0 + ahead / 0.2 ), 2e-3 );
		assert_float_equal( ShownAngle( &studio ), ShownX( &studio ), 1e-4 );
	}
	supStreamStats stats = supActor_GetStreamStats( studio.actor );
	assert_in_range( stats.predictedSteps - (int64_t)before, 19, 21 );
	assert_in_range( stats.heldSteps, 39, 41 );
	// after a silence it goes on without a restart
	SetMotion( studio.pose, 0.0 );
	assert_true( supActor_PushPose( studio.actor, studio.pose, 1.6 ) );
	assert_int_equal( supActor_GetStreamStats( studio.actor ).restarts, 0 );
	DestroyStudio( &studio );
}

static void TestOrderAndRepeats( void** state )
{
	(void)state;
	supStreamDef def = supDefaultStreamDef();
	Studio studio = MakeStudio( &def );
	const double times[] = { 0.0, 0.2, 0.1, 0.3, 0.3, 0.25 };
	for ( int i = 0; i < 6; ++i )
	{
		SetMotion( studio.pose, times[i] );
		assert_int_equal( supActor_PushPose( studio.actor, studio.pose, times[i] ), i != 4 );
	}
	supStreamStats stats = supActor_GetStreamStats( studio.actor );
	assert_int_equal( stats.received, 6 );
	assert_int_equal( stats.dropped, 1 );
	assert_int_equal( stats.reordered, 2 );
	// behind the back of supPose_SetLocal, which would not take it
	studio.pose->locals[1].rotation.y = NAN;
	assert_false( supActor_PushPose( studio.actor, studio.pose, 0.4 ) );
	SetMotion( studio.pose, 0.4 );
	assert_false( supActor_PushPose( studio.actor, studio.pose, INFINITY ) );
	assert_false( supActor_PushPose( studio.actor, studio.pose, NAN ) );
	// stamps that jump back and forth start it anew, and it shows what came then
	assert_true( supActor_PushPose( studio.actor, studio.pose, -1e5 ) );
	assert_true( supActor_PushPose( studio.actor, studio.pose, 1e9 ) );
	assert_int_equal( supActor_GetStreamStats( studio.actor ).restarts, 2 );
	supScene_Step( studio.scene, 0.01f );
	assert_float_equal( ShownX( &studio ), MotionAt( 0.4 ), 1e-6 );
	DestroyStudio( &studio );
}

static void TestFloods( void** state )
{
	(void)state;
	supStreamDef def = supDefaultStreamDef();
	def.smoothing = 0.05f;
	Studio studio = MakeStudio( &def );
	testRandom random = testMakeRandom( 9 );
	for ( int i = 0; i < 3000; ++i )
	{
		double time = (double)testRandomFloat( &random, -3.0f, 3.0f );
		SetMotion( studio.pose, time );
		supActor_PushPose( studio.actor, studio.pose, time );
		if ( i % 7 == 0 )
		{
			supScene_Step( studio.scene, 0.01f );
			testLess( fabs( ShownX( &studio ) ), 3.0 * AMPLITUDE );
		}
	}
	assert_int_equal( supActor_GetStreamStats( studio.actor ).received, 3000 );
	DestroyStudio( &studio );
}

static bool AttemptStream( void* context )
{
	supStreamDef def = supDefaultStreamDef();
	supActor* actor = context;
	bool ok = supActor_OpenStream( actor, &def, NULL );
	supActor_CloseStream( actor );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	supStreamDef def = supDefaultStreamDef();
	Studio studio = MakeStudio( &def );
	supActor_CloseStream( studio.actor );
	testEachAllocationFailure( AttemptStream, studio.actor, 100 );
	DestroyStudio( &studio );

	testHeap heap;
	testInstallHeap( &heap );
	studio = MakeStudio( &def );
	int64_t before = heap.allocations;
	for ( int i = 0; i < 50; ++i )
	{
		SetMotion( studio.pose, 0.02 * i );
		supActor_PushPose( studio.actor, studio.pose, 0.02 * i );
		supScene_Step( studio.scene, 0.02f );
	}
	assert_int_equal( heap.allocations, before );
	DestroyStudio( &studio );
	testUninstallHeap( &heap );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestIrregularPoses ), cmocka_unit_test( TestClocksThatDrift ),
		cmocka_unit_test( TestGaps ),           cmocka_unit_test( TestOrderAndRepeats ),
		cmocka_unit_test( TestFloods ),         cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
