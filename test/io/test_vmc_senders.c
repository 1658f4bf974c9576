// SPDX-License-Identifier: MIT
// Streams in the very messages and packets of real senders, as their sources and documents have them:
// - Virtual Motion Capture: bones in bundles of thirteen, blend shapes in one, then root, camera, devices, state and
//   time in a last one; once a second what it is set to
// - the sample sender of EVMC4U, which VSeeFace, Warudo and others follow: every message a packet of its own, the time
//   last; devices in between
// - webcam scripts that send the time before the bones of a frame, or no time at all, and half a body
#include "support.h"
#include "tracker.h"

#include "core/core.h"
#include "io/motion/vmc.h"
#include "io/motion/vmc_skeleton.h"

#include <math.h>
#include <string.h>

#define MOST_PACKETS 128
#define FRAMES 120

// One frame of a sender.
typedef struct Burst
{
	int count;
	trackerPacket packets[MOST_PACKETS];
} Burst;

typedef void SenderFcn( Burst* burst, int number, double time );

static Burst s_burst;

static trackerPacket* AddPacket( Burst* burst, bool isBundle )
{
	testLess( burst->count, MOST_PACKETS );
	trackerPacket* packet = burst->packets + burst->count++;
	packet->byteCount = 0;
	if ( isBundle )
	{
		trackerBeginBundle( packet );
	}
	return packet;
}

static void AddPlace( trackerPacket* packet, const char* path, const char* name )
{
	trackerAddMessage( packet, path, "sfffffff", name, 0.1, 1.4, 0.2, 0.0, 0.0, 0.0, 1.0 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Senders

static void SendDevices( trackerPacket* packet )
{
	AddPlace( packet, "/VMC/Ext/Hmd/Pos", "LHR-00000000" );
	AddPlace( packet, "/VMC/Ext/Hmd/Pos/Local", "LHR-00000000" );
	AddPlace( packet, "/VMC/Ext/Con/Pos", "LHR-00000001" );
	AddPlace( packet, "/VMC/Ext/Con/Pos/Local", "LHR-00000001" );
	AddPlace( packet, "/VMC/Ext/Tra/Pos", "LHR-00000002" );
	AddPlace( packet, "/VMC/Ext/Tra/Pos/Local", "LHR-00000002" );
}

static void SendSettings( trackerPacket* packet )
{
	trackerAddMessage( packet, "/VMC/Ext/Rcv", "ii", 1, 39540 );
	trackerAddMessage( packet, "/VMC/Ext/Light", "sfffffffffff", "Light", 0.0, 3.0, 0.0, 0.3, 0.0, 0.0, 0.95, 1.0, 1.0,
					   1.0, 1.0 );
	trackerAddMessage( packet, "/VMC/Ext/Setting/Color", "ffff", 0.0, 1.0, 0.0, 1.0 );
	trackerAddMessage( packet, "/VMC/Ext/Setting/Win", "iiii", 0, 0, 0, 0 );
	trackerAddMessage( packet, "/VMC/Ext/Config", "s", "C:\\setting.json" );
	trackerAddMessage( packet, "/VMC/Ext/Opt", "s", "" );
	trackerAddMessage( packet, "/VMC/Ext/VRM", "sss", "C:\\avatar.vrm", "Avatar", "0123" );
}

#define SETTINGS_PERIOD 90

static void SendAsVirtualMotionCapture( Burst* burst, int number, double time )
{
	trackerFrame frame = trackerWalk( time );
	for ( int first = 0; first < tracker_boneCount; first += 13 )
	{
		int last = first + 13 < tracker_boneCount ? first + 13 : tracker_boneCount;
		trackerAddBones( AddPacket( burst, true ), &frame, first, last );
	}
	trackerPacket* blends = AddPacket( burst, true );
	trackerAddMessage( blends, "/VMC/Ext/Blend/Val", "sf", "Joy", 0.5 );
	trackerAddMessage( blends, "/VMC/Ext/Blend/Val", "sf", "Blink", 0.0 );
	trackerAddMessage( blends, "/VMC/Ext/Blend/Apply", "" );
	if ( number % SETTINGS_PERIOD == SETTINGS_PERIOD - 1 )
	{
		SendSettings( AddPacket( burst, true ) );
	}
	trackerPacket* root = AddPacket( burst, true );
	// with scale and offset, for mixed reality
	trackerAddMessage( root, "/VMC/Ext/Root/Pos", "sfffffffffffff", "root", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.1, 1.1,
					   1.1, 0.0, 0.02, 0.0 );
	trackerAddMessage( root, "/VMC/Ext/Cam", "sffffffff", "Camera", 0.0, 1.2, 2.0, 0.0, 1.0, 0.0, 0.0, 60.0 );
	SendDevices( root );
	trackerAddMessage( root, "/VMC/Ext/OK", "iii", 1, 3, 0 );
	trackerAddMessage( root, "/VMC/Ext/T", "f", time );
}

static void SendMessageByMessage( Burst* burst, int number, double time )
{
	trackerFrame frame = trackerWalk( time );
	AddPlace( AddPacket( burst, false ), "/VMC/Ext/Tra/Pos", "Head" );
	trackerAddMessage( AddPacket( burst, false ), "/VMC/Ext/Root/Pos", "sfffffff", "root", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
					   1.0 );
	for ( int i = 0; i < tracker_boneCount; ++i )
	{
		trackerAddBones( AddPacket( burst, false ), &frame, i, i + 1 );
	}
	trackerAddMessage( AddPacket( burst, false ), "/VMC/Ext/Blend/Val", "sf", "JawOpen", 0.25 );
	trackerAddMessage( AddPacket( burst, false ), "/VMC/Ext/Blend/Apply", "" );
	trackerAddMessage( AddPacket( burst, false ), "/VMC/Ext/OK", "i", 1 );
	trackerAddMessage( AddPacket( burst, false ), "/VMC/Ext/T", "f", time );
	trackerAddMessage( AddPacket( burst, false ), "/VMC/Ext/VRM", "ss", "avatar.vrm", "" );
	(void)number;
}

// The upper body only; the state last, and no time.
static void SendHalfWithoutTime( Burst* burst, int number, double time )
{
	trackerFrame frame = trackerWalk( time );
	trackerPacket* packet = AddPacket( burst, true );
	trackerAddBones( packet, &frame, tracker_spine, tracker_rightHand + 1 );
	trackerAddMessage( packet, "/VMC/Ext/Blend/Val", "sf", "A", 0.1 );
	// some write an argument that nobody asked for
	trackerAddMessage( packet, "/VMC/Ext/Blend/Apply", "i", 1 );
	trackerAddMessage( packet, "/VMC/Ext/OK", "i", 1 );
	(void)number;
}

static void SendTimeFirst( Burst* burst, int number, double time )
{
	trackerFrame frame = trackerWalk( time );
	trackerAddMessage( AddPacket( burst, false ), "/VMC/Ext/T", "f", time );
	for ( int i = 0; i < tracker_boneCount; ++i )
	{
		trackerAddBones( AddPacket( burst, false ), &frame, i, i + 1 );
	}
	(void)number;
}

// ---------------------------------------------------------------------------------------------------------------------
// Receiver

typedef struct Studio
{
	supCharacter* character;
	supVmc* vmc;
	// hears every frame in one bundle
	supVmc* truth;
} Studio;

static Studio MakeStudio( void )
{
	supError error = { 0 };
	Studio studio = { .character = supCreateVmcSkeleton( 0, NULL, &error ) };
	testRequire( studio.character != NULL, &error );
	studio.vmc = supCreateVmc( studio.character, NULL, &error );
	studio.truth = supCreateVmc( studio.character, NULL, &error );
	testRequire( studio.vmc != NULL && studio.truth != NULL, &error );
	return studio;
}

static void DestroyStudio( Studio* studio )
{
	supDestroyVmc( studio->truth );
	supDestroyVmc( studio->vmc );
	supDestroyCharacter( studio->character );
}

// One frame through the sender. Returns how many frames it completed.
static int Play( Studio* studio, SenderFcn* sender, int number, double time, double arrival )
{
	s_burst.count = 0;
	sender( &s_burst, number, time );
	int completed = 0;
	for ( int i = 0; i < s_burst.count; ++i )
	{
		const trackerPacket* packet = s_burst.packets + i;
		completed += supVmc_Receive( studio->vmc, packet->bytes, packet->byteCount, arrival + 1.0e-5 * i );
	}
	return completed;
}

// The rotation of every bone is the one that the person had then.
static void CheckPose( Studio* studio, double time, int first, int last )
{
	trackerPacket packet;
	trackerFrame frame = trackerWalk( time );
	trackerBeginBundle( &packet );
	trackerAddBones( &packet, &frame, 0, tracker_boneCount );
	trackerAddMessage( &packet, "/VMC/Ext/T", "f", time );
	assert_true( supVmc_Receive( studio->truth, packet.bytes, packet.byteCount, time ) );
	for ( int i = first; i < last; ++i )
	{
		int32_t node = supCharacter_FindNode( studio->character, trackerBoneNames[i] );
		supQuat found = supPose_GetLocal( supVmc_Pose( studio->vmc ), node ).rotation;
		supQuat wanted = supPose_GetLocal( supVmc_Pose( studio->truth ), node ).rotation;
		testGreater( fabsf( supDotQuat( found, wanted ) ), 1.0f - 1.0e-6f );
	}
}

static void CheckClean( const Studio* studio, int64_t frames, int64_t ignored )
{
	supVmcStats stats = supVmc_GetStats( studio->vmc );
	assert_int_equal( stats.malformed, 0 );
	assert_int_equal( stats.badMessages, 0 );
	assert_int_equal( stats.unknownBones, 0 );
	assert_int_equal( stats.notReady, 0 );
	assert_int_equal( stats.frames, frames );
	assert_int_equal( stats.ignored, ignored );
}

// ---------------------------------------------------------------------------------------------------------------------

static void VirtualMotionCaptureReplays( void** state )
{
	(void)state;
	Studio studio = MakeStudio();
	for ( int i = 0; i < FRAMES; ++i )
	{
		double time = i / 60.0;
		assert_int_equal( Play( &studio, SendAsVirtualMotionCapture, i, time, 5.0 + time ), 1 );
		assert_float_equal( supVmc_Time( studio.vmc ), time, 1.0e-6 );
		CheckPose( &studio, time, 0, tracker_boneCount );
	}
	CheckClean( &studio, FRAMES, 7 * FRAMES + 7 * ( FRAMES / SETTINGS_PERIOD ) );
	DestroyStudio( &studio );
}

static void MessageByMessageReplays( void** state )
{
	(void)state;
	Studio studio = MakeStudio();
	for ( int i = 0; i < FRAMES; ++i )
	{
		double time = 1.0 + i / 30.0;
		assert_int_equal( Play( &studio, SendMessageByMessage, i, time, 5.0 + time ), 1 );
		CheckPose( &studio, time, 0, tracker_boneCount );
	}
	CheckClean( &studio, FRAMES, 2 * FRAMES );
	DestroyStudio( &studio );
}

static void HalfABodyReplays( void** state )
{
	(void)state;
	Studio studio = MakeStudio();
	int completed = 0;
	for ( int i = 0; i < FRAMES; ++i )
	{
		double time = i / 30.0;
		completed += Play( &studio, SendHalfWithoutTime, i, time, 5.0 + time );
		if ( time > 1.1 )
		{
			CheckPose( &studio, time, tracker_spine, tracker_rightHand + 1 );
			assert_float_equal( supVmc_Time( studio.vmc ), 5.0 + time, 1.0e-3 );
		}
	}
	// for a second a time may still come
	testGreaterEqual( completed, FRAMES - 31 );
	int32_t leg = supCharacter_FindNode( studio.character, "LeftUpperLeg" );
	supQuat turn = supPose_GetLocal( supVmc_Pose( studio.vmc ), leg ).rotation;
	testGreater( fabsf( supDotQuat( turn, supCharacter_Node( studio.character, leg )->rest.rotation ) ), 0.99999f );
	CheckClean( &studio, completed, 0 );
	DestroyStudio( &studio );
}

// A frame is then whole when the next begins, and has the time that was told last.
static void TimeFirstReplays( void** state )
{
	(void)state;
	Studio studio = MakeStudio();
	assert_int_equal( Play( &studio, SendTimeFirst, 0, 1.0, 6.0 ), 0 );
	for ( int i = 1; i < FRAMES; ++i )
	{
		double time = 1.0 + i / 60.0;
		assert_int_equal( Play( &studio, SendTimeFirst, i, time, 5.0 + time ), 1 );
		CheckPose( &studio, 1.0 + ( i - 1 ) / 60.0, 0, tracker_boneCount );
	}
	CheckClean( &studio, FRAMES - 1, 0 );
	DestroyStudio( &studio );
}

// The sender says goodbye in the middle of a frame and comes back with a clock that starts anew.
static void SenderComesBack( void** state )
{
	(void)state;
	SenderFcn* senders[] = { SendAsVirtualMotionCapture, SendMessageByMessage };
	for ( int which = 0; which < 2; ++which )
	{
		Studio studio = MakeStudio();
		for ( int i = 0; i < 30; ++i )
		{
			assert_int_equal( Play( &studio, senders[which], 0, 500.0 + i / 60.0, 10.0 + i / 60.0 ), 1 );
		}
		trackerFrame frame = trackerWalk( 3.0 );
		trackerPacket half, closed = { 0 };
		trackerBeginBundle( &half );
		trackerAddBones( &half, &frame, 0, 7 );
		trackerAddMessage( &closed, "/VMC/Ext/OK", "i", 0 );
		assert_false( supVmc_Receive( studio.vmc, half.bytes, half.byteCount, 10.5 ) );
		assert_false( supVmc_Receive( studio.vmc, closed.bytes, closed.byteCount, 10.51 ) );
		for ( int i = 0; i < 30; ++i )
		{
			double time = 0.1 + i / 60.0;
			assert_int_equal( Play( &studio, senders[which], 0, time, 40.0 + time ), 1 );
			assert_float_equal( supVmc_Time( studio.vmc ), time, 1.0e-6 );
			CheckPose( &studio, time, 0, tracker_boneCount );
		}
		DestroyStudio( &studio );
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
		cmocka_unit_test( VirtualMotionCaptureReplays ),
		cmocka_unit_test( MessageByMessageReplays ),
		cmocka_unit_test( HalfABodyReplays ),
		cmocka_unit_test( TimeFirstReplays ),
		cmocka_unit_test( SenderComesBack ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
