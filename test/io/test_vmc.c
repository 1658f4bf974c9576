// SPDX-License-Identifier: MIT
// The VMC protocol: what messages mean, when a frame is whole, and whatever else may come in a datagram.
#define _DEFAULT_SOURCE
#include "support.h"
#include "tracker.h"

#include "core/core.h"
#include "core/hash.h"
#include "io/motion/osc.h"
#include "io/motion/vmc.h"
#include "io/motion/vmc_skeleton.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct Fixture
{
	supCharacter* character;
	supVmc* vmc;
} Fixture;

// The sender's own skeleton, of middling build, is a character as good as any.
static int SetUp( void** state )
{
	static Fixture fixture;
	supError error = { 0 };
	fixture.character = supCreateVmcSkeleton( 0, NULL, &error );
	testRequire( fixture.character != NULL, &error );
	fixture.vmc = supCreateVmc( fixture.character, NULL, &error );
	testRequire( fixture.vmc != NULL, &error );
	*state = &fixture;
	return 0;
}

static int TearDown( void** state )
{
	Fixture* f = *state;
	supDestroyVmc( f->vmc );
	supDestroyCharacter( f->character );
	return 0;
}

static bool Send( Fixture* f, const trackerPacket* packet, double arrival )
{
	return supVmc_Receive( f->vmc, packet->bytes, packet->byteCount, arrival );
}

static trackerPacket MakeFramePacket( double walkTime, double senderTime )
{
	trackerPacket packet;
	trackerFrame frame = trackerWalk( walkTime );
	trackerBeginBundle( &packet );
	trackerAddBones( &packet, &frame, 0, tracker_boneCount );
	trackerAddMessage( &packet, "/VMC/Ext/T", "f", senderTime );
	return packet;
}

static supVec3 PlaceOf( const Fixture* f, const char* name )
{
	supPose* copy = supCreatePose( f->character );
	supPose_Copy( copy, supVmc_Pose( f->vmc ) );
	supVec3 place = supPose_Worlds( copy )[supCharacter_FindNode( f->character, name )].t;
	supDestroyPose( copy );
	return place;
}

static supQuat TurnOf( const Fixture* f, const char* name )
{
	return supPose_GetLocal( supVmc_Pose( f->vmc ), supCharacter_FindNode( f->character, name ) ).rotation;
}

// ---------------------------------------------------------------------------------------------------------------------
// What messages mean

static void TestCoordinates( void** state )
{
	Fixture* f = *state;
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	assert_true( Send( f, &packet, 0.0 ) );
	// the left hand hangs on our left side, +x, in front of nobody's back
	supVec3 left = PlaceOf( f, "LeftHand" );
	supVec3 right = PlaceOf( f, "RightHand" );
	supVec3 shoulder = PlaceOf( f, "LeftUpperArm" );
	testGreater( left.x, 0.15f );
	testLess( right.x, -0.15f );
	testLess( left.y, shoulder.y - 0.3f );
	// forearms are turned forwards, which is +z in both spaces
	testGreater( left.z, 0.05f );
	testGreater( right.z, 0.05f );
	// one second later it has walked on along +z
	float before = PlaceOf( f, "Hips" ).z;
	packet = MakeFramePacket( 1.0, 2.0 );
	assert_true( Send( f, &packet, 1.0 ) );
	float ratio = 0.86f / 0.77f; // lengths of the legs
	assert_true( fabsf( PlaceOf( f, "Hips" ).z - before - ratio ) < 1e-3f );
	// its feet stand about where ours do at rest
	assert_true( fabsf( PlaceOf( f, "LeftFoot" ).y - 0.1f ) < 0.1f );
}

static void TestRootCarriesEverything( void** state )
{
	Fixture* f = *state;
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	assert_true( Send( f, &packet, 0.0 ) );
	supVec3 hand = PlaceOf( f, "LeftHand" );
	packet = MakeFramePacket( 0.0, 1.1 );
	// half a turn about y, and 2 m to the avatar's right
	trackerAddMessage( &packet, "/VMC/Ext/Root/Pos", "sfffffff", "root", 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0 );
	assert_true( Send( f, &packet, 0.1 ) );
	supVec3 turned = PlaceOf( f, "LeftHand" );
	float ratio = 0.86f / 0.77f;
	testLess( fabsf( turned.x - ( -2.0f * ratio - hand.x ) ), 2e-3f );
	testLess( fabsf( turned.y - hand.y ), 2e-3f );
	testLess( fabsf( turned.z + hand.z ), 2e-3f );
}

// Wherever the performer stands and looks becomes the middle and ahead; the height stays.
static void TestCalibration( void** state )
{
	Fixture* f = *state;
	assert_false( supVmc_Calibrate( f->vmc ) );
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	assert_true( Send( f, &packet, 0.0 ) );
	supVec3 hips = PlaceOf( f, "Hips" ), hand = PlaceOf( f, "LeftHand" );
	float halfAngle = 0.7f;
	for ( int32_t i = 0; i < 2; ++i )
	{
		packet = MakeFramePacket( 0.0, 1.1 + 0.2 * i );
		trackerAddMessage( &packet, "/VMC/Ext/Root/Pos", "sfffffff", "root", 2.0, 0.0, -3.0, 0.0,
						   (double)sinf( halfAngle ), 0.0, (double)cosf( halfAngle ) );
		assert_true( Send( f, &packet, 0.1 + 0.2 * i ) );
		if ( i == 0 )
		{
			testGreater( supDistance( PlaceOf( f, "Hips" ), hips ), 1.0f );
			assert_true( supVmc_Calibrate( f->vmc ) );
		}
	}
	supVec3 now = PlaceOf( f, "Hips" ), nowHand = PlaceOf( f, "LeftHand" );
	// a millimetre: the lengths of the sender's bones are measured anew
	testLess( fabsf( now.x ), 1e-3f );
	testLess( fabsf( now.z ), 1e-3f );
	testLess( fabsf( now.y - hips.y ), 1e-3f );
	// the walk's hips sway, and look aside by as much as is taken away: the hand is as far from them as before
	testLess( fabsf( supDistance( nowHand, now ) - supDistance( hand, hips ) ), 1e-3f );
	supVec3 ahead = supRotate( TurnOf( f, "Hips" ), supMakeVec3( 0.0f, 0.0f, 1.0f ) );
	testGreater( ahead.z, 0.9f );
	// looking exactly backwards is half a turn
	packet = MakeFramePacket( 0.0, 2.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Root/Pos", "sfffffff", "root", 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0 );
	assert_true( Send( f, &packet, 1.0 ) );
	assert_true( supVmc_Calibrate( f->vmc ) );
	packet = MakeFramePacket( 0.0, 2.1 );
	trackerAddMessage( &packet, "/VMC/Ext/Root/Pos", "sfffffff", "root", 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0 );
	assert_true( Send( f, &packet, 1.1 ) );
	testLess( fabsf( PlaceOf( f, "Hips" ).x ), 1e-3f );
	testGreater( PlaceOf( f, "LeftHand" ).x, 0.1f );
}

static void TestOtherMessages( void** state )
{
	Fixture* f = *state;
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "sfffffff", "Tail", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Cam", "sffffffff", "Camera", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 90.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Blend/Val", "sf", "Joy", 0.5 );
	trackerAddMessage( &packet, "/VMC/Ext/Blend/Apply", "" );
	assert_true( Send( f, &packet, 0.0 ) );
	supVmcStats stats = supVmc_GetStats( f->vmc );
	assert_int_equal( stats.unknownBones, 1 );
	assert_int_equal( stats.ignored, 1 );
	assert_int_equal( stats.unknownBlends, 1 );
	assert_int_equal( stats.malformed + stats.badMessages, 0 );
	assert_int_equal( stats.messages, tracker_boneCount + 5 );
}

// A person with a face.
static supCharacter* MakeFace( void )
{
	supError error = { 0 };
	supCharacter* bare = supCreateVmcSkeleton( 0, NULL, &error );
	supNode nodes[SUP_VMC_BONES + 2];
	for ( int32_t i = 0; i <= SUP_VMC_BONES; ++i )
	{
		nodes[i] = *supCharacter_Node( bare, i );
	}
	nodes[SUP_VMC_BONES + 1] = ( supNode ){ .name = "Face", .parent = -1, .rest = supTransform_identity };
	supVec3 positions[3] = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	supMorphTarget targets[3] = { { .name = "jawOpen", .positions = positions },
								  { .name = "eyeBlinkLeft", .positions = positions },
								  { .name = "EYEBLINKLEFT", .positions = positions } };
	supMesh mesh = {
		.name = "Face", .vertexCount = 3, .indexCount = 3, .positions = positions, .targetCount = 3, .targets = targets
	};
	supInstance instance = { .node = SUP_VMC_BONES + 1, .mesh = 0, .skin = -1 };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = SUP_COUNT( nodes );
	def.nodes = nodes;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	supDestroyCharacter( bare );
	return character;
}

static void TestBlendShapes( void** state )
{
	(void)state;
	Fixture f = { .character = MakeFace() };
	supError error = { 0 };
	f.vmc = supCreateVmc( f.character, NULL, &error );
	testRequire( f.vmc != NULL, &error );
	assert_int_equal( supVmc_BlendCount( f.vmc ), 3 );
	supPose* pose = supCreatePose( f.character );
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Blend/Val", "sf", "JawOpen", 0.25 );
	trackerAddMessage( &packet, "/VMC/Ext/Blend/Val", "sf", "eyeBlinkLeft", 7.0 );
	assert_true( Send( &f, &packet, 0.0 ) );
	supPose_Copy( pose, supVmc_Pose( f.vmc ) );
	// not before it is applied
	assert_true( supPose_MorphWeights( pose, 0 )[0] == 0.0f );
	packet = MakeFramePacket( 0.0, 1.1 );
	trackerAddMessage( &packet, "/VMC/Ext/Blend/Apply", "" );
	assert_true( Send( &f, &packet, 0.1 ) );
	supPose_Copy( pose, supVmc_Pose( f.vmc ) );
	assert_true( supPose_MorphWeights( pose, 0 )[0] == 0.25f );
	assert_true( supPose_MorphWeights( pose, 0 )[1] == 1.0f );
	assert_true( supPose_MorphWeights( pose, 0 )[2] == 1.0f );
	assert_int_equal( supVmc_GetStats( f.vmc ).unknownBlends, 0 );
	supDestroyPose( pose );
	supDestroyVmc( f.vmc );
	supDestroyCharacter( f.character );
}

static void TestRotationsAlone( void** state )
{
	Fixture* f = *state;
	// a sender that leaves every place at zero moves the joints and keeps the character where it stands
	trackerPacket packet;
	trackerBeginBundle( &packet );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "sfffffff", "Hips", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "sfffffff", "Head", 0.0, 0.0, 0.0, 0.0, sin( 0.25 ), 0.0,
					   cos( 0.25 ) );
	trackerAddMessage( &packet, "/VMC/Ext/T", "f", 1.0 );
	assert_true( Send( f, &packet, 0.0 ) );
	assert_true( fabsf( PlaceOf( f, "Hips" ).y - 1.0f ) < 1e-4f );
	supQuat turn = TurnOf( f, "Head" );
	testLess( fabsf( turn.y + (float)sin( 0.25 ) ), 1e-5f );
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames

static void TestFrameEndsWithItsTime( void** state )
{
	Fixture* f = *state;
	trackerFrame frame = trackerWalk( 0.3 );
	trackerPacket first, second;
	trackerBeginBundle( &first );
	trackerAddMessage( &first, "/VMC/Ext/T", "f", 4.0 );
	trackerAddBones( &first, &frame, 0, 8 );
	assert_true( Send( f, &first, 10.0 ) );
	assert_true( supVmc_Time( f->vmc ) == 4.0 );
	trackerBeginBundle( &first );
	trackerAddBones( &first, &frame, 0, 8 );
	trackerBeginBundle( &second );
	trackerAddBones( &second, &frame, 8, tracker_boneCount );
	assert_false( Send( f, &first, 10.1 ) );
	assert_false( Send( f, &second, 10.1 ) );
	trackerPacket time = { 0 };
	trackerAddMessage( &time, "/VMC/Ext/T", "d", 4.1 );
	assert_true( Send( f, &time, 10.1 ) );
	assert_true( supVmc_Time( f->vmc ) == 4.1 );
	// nothing new: no frame
	assert_false( Send( f, &time, 10.2 ) );
}

static void TestFramesWithoutTime( void** state )
{
	Fixture* f = *state;
	trackerFrame frame = trackerWalk( 0.3 );
	trackerPacket packet;
	trackerBeginBundle( &packet );
	trackerAddBones( &packet, &frame, 0, tracker_boneCount );
	// for a second the time may still come
	assert_false( Send( f, &packet, 2.5 ) );
	assert_false( Send( f, &packet, 3.0 ) );
	assert_true( Send( f, &packet, 3.5 ) );
	assert_true( supVmc_Time( f->vmc ) == 3.5 );
	// without bundles a frame ends with the first bone of the next
	for ( int i = 0; i < 3 * tracker_boneCount; ++i )
	{
		trackerPacket single = { 0 };
		int bone = i % tracker_boneCount;
		trackerAddBones( &single, &frame, bone, bone + 1 );
		assert_int_equal( Send( f, &single, 4.0 + 0.001 * i ), i > 0 && bone == 0 );
	}
	assert_int_equal( supVmc_GetStats( f->vmc ).frames, 3 );
}

static void TestClockThatStandsStill( void** state )
{
	Fixture* f = *state;
	for ( int i = 0; i < 20; ++i )
	{
		trackerPacket packet = MakeFramePacket( 0.02 * i, 0.0 );
		assert_true( Send( f, &packet, 5.0 + 0.02 * i ) );
	}
	testGreater( supVmc_Time( f->vmc ), 5.3 );
	// and one that falls silent
	trackerPacket packet = MakeFramePacket( 0.5, 70.0 );
	assert_true( Send( f, &packet, 6.0 ) );
	assert_true( supVmc_Time( f->vmc ) == 70.0 );
	trackerFrame frame = trackerWalk( 0.6 );
	trackerBeginBundle( &packet );
	trackerAddBones( &packet, &frame, 0, tracker_boneCount );
	assert_false( Send( f, &packet, 6.5 ) );
	assert_true( Send( f, &packet, 7.5 ) );
	assert_true( supVmc_Time( f->vmc ) == 7.5 );
}

static void TestNoAvatarNoFrames( void** state )
{
	Fixture* f = *state;
	trackerPacket state0 = { 0 }, state1 = { 0 };
	trackerAddMessage( &state0, "/VMC/Ext/OK", "iii", 0, 0, 0 );
	trackerAddMessage( &state1, "/VMC/Ext/OK", "iii", 1, 3, 0 );
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	assert_false( Send( f, &state0, 0.0 ) );
	assert_false( Send( f, &packet, 0.1 ) );
	assert_int_equal( supVmc_GetStats( f->vmc ).notReady, 1 );
	assert_false( Send( f, &state1, 0.2 ) );
	assert_true( Send( f, &packet, 0.3 ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Whatever else may come

static void TestWrongArguments( void** state )
{
	Fixture* f = *state;
	trackerPacket packet = MakeFramePacket( 0.25, 1.0 );
	assert_true( Send( f, &packet, 0.0 ) );
	supVec3 hand = PlaceOf( f, "LeftHand" );
	double nan = (double)NAN;
	trackerBeginBundle( &packet );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "", 0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "s", "Hips" );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "ffffffff", 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "ssffffff", "Hips", "1", 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "sfffffff", "Hips", nan, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "sfffffff", "Hips", 1e30, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "sfffffff", "Hips", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Bone/Pos", "sfffffff", "Hips", 0.0, 0.0, 0.0, 1e20, 0.0, 0.0, 0.0 );
	trackerAddMessage( &packet, "/VMC/Ext/Root/Pos", "i", 3 );
	trackerAddMessage( &packet, "/VMC/Ext/Blend/Val", "ss", "Joy", "1" );
	trackerAddMessage( &packet, "/VMC/Ext/T", "s", "now" );
	trackerAddMessage( &packet, "/VMC/Ext/T", "f", nan );
	trackerAddMessage( &packet, "/VMC/Ext/OK", "s", "no" );
	assert_false( Send( f, &packet, 0.1 ) );
	assert_int_equal( supVmc_GetStats( f->vmc ).badMessages, 13 );
	assert_int_equal( supVmc_GetStats( f->vmc ).malformed, 0 );
	packet = MakeFramePacket( 0.25, 1.1 );
	assert_true( Send( f, &packet, 0.2 ) );
	assert_true( supDistance( hand, PlaceOf( f, "LeftHand" ) ) < 1e-5f );
}

static void TestTruncatedAndDamaged( void** state )
{
	Fixture* f = *state;
	trackerPacket whole = MakeFramePacket( 0.0, 1.0 );
	// a bundle may end after any of its messages and after its head; nowhere else
	int64_t expected = 0;
	for ( size_t size = 0; size < whole.byteCount; ++size )
	{
		// in a block of its own, so that reading on is found
		uint8_t* bytes = malloc( size > 0 ? size : 1 );
		memcpy( bytes, whole.bytes, size );
		int64_t before = supVmc_GetStats( f->vmc ).malformed;
		supVmc_Receive( f->vmc, bytes, size, 0.0 );
		expected += supVmc_GetStats( f->vmc ).malformed > before;
		free( bytes );
	}
	assert_int_equal( expected, (int64_t)whole.byteCount - ( tracker_boneCount + 1 ) );
	testRandom random = testMakeRandom( 7 );
	for ( int i = 0; i < 4000; ++i )
	{
		trackerPacket packet = whole;
		int edits = 1 + (int)testRandomInt( &random, 8 );
		for ( int k = 0; k < edits; ++k )
		{
			packet.bytes[testRandomInt( &random, (uint32_t)packet.byteCount )] = (uint8_t)testRandomInt( &random, 256 );
		}
		if ( Send( f, &packet, 0.1 ) )
		{
			supVec3 hand = PlaceOf( f, "LeftHand" );
			assert_true( supIsFiniteVec3( hand ) );
		}
	}
	for ( int i = 0; i < 4000; ++i )
	{
		trackerPacket packet = { .byteCount = testRandomInt( &random, 200 ) };
		for ( size_t k = 0; k < packet.byteCount; ++k )
		{
			packet.bytes[k] = (uint8_t)testRandomInt( &random, 256 );
		}
		memcpy( packet.bytes, i % 2 == 0 ? "#bundle" : "/VMC/Ext/T\0\0,f\0", i % 3 == 0 ? 8 : 0 );
		Send( f, &packet, 0.2 );
	}
	supVmcStats stats = supVmc_GetStats( f->vmc );
	assert_int_equal( stats.packets, (int64_t)whole.byteCount + 8000 );
	testGreater( stats.malformed, 6000 );
	// and it still works
	assert_true( Send( f, &whole, 0.3 ) );
}

// A bundle in a bundle in a bundle ...
static trackerPacket Nest( int depth )
{
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	for ( int i = 1; i < depth; ++i )
	{
		trackerPacket outer;
		trackerBeginBundle( &outer );
		uint32_t size = (uint32_t)packet.byteCount;
		uint8_t length[4] = { 0, 0, (uint8_t)( size >> 8 ), (uint8_t)size };
		memcpy( outer.bytes + 16, length, 4 );
		memcpy( outer.bytes + 20, packet.bytes, packet.byteCount );
		outer.byteCount = 20 + packet.byteCount;
		packet = outer;
	}
	return packet;
}

static void TestNestedBundles( void** state )
{
	Fixture* f = *state;
	for ( int depth = 1; depth <= SUP_MAX_OSC_DEPTH; ++depth )
	{
		trackerPacket packet = Nest( depth );
		assert_true( Send( f, &packet, 0.1 * depth ) );
	}
	trackerPacket packet = Nest( SUP_MAX_OSC_DEPTH + 1 );
	assert_false( Send( f, &packet, 2.0 ) );
	assert_int_equal( supVmc_GetStats( f->vmc ).malformed, 1 );
	// lengths that promise more than there is
	static const uint32_t lengths[] = { 4, 0x7ffffffc, 0x80000000, 0xfffffffc, 0xffffffff, 0 };
	for ( int i = 0; i < SUP_COUNT( lengths ); ++i )
	{
		trackerBeginBundle( &packet );
		for ( int k = 0; k < 4; ++k )
		{
			packet.bytes[packet.byteCount++] = (uint8_t)( lengths[i] >> ( 24 - 8 * k ) );
		}
		assert_false( Send( f, &packet, 2.0 ) );
	}
	assert_int_equal( supVmc_GetStats( f->vmc ).malformed, 1 + SUP_COUNT( lengths ) );
}

// The largest datagram, full of the smallest messages, and one message with as many arguments as fit.
static void TestHugeCounts( void** state )
{
	Fixture* f = *state;
	uint8_t* bytes = calloc( 1, SUP_MAX_OSC_BYTES );
	memcpy( bytes, "#bundle", 8 );
	size_t count = 0;
	for ( size_t place = 16; place + 12 <= SUP_MAX_OSC_BYTES; place += 12, ++count )
	{
		memcpy( bytes + place, "\0\0\0\x08/a\0\0,\0\0\0", 12 );
	}
	supVmc_Receive( f->vmc, bytes, 16 + 12 * count, 0.0 );
	assert_int_equal( supVmc_GetStats( f->vmc ).ignored, count );
	memset( bytes, 0, SUP_MAX_OSC_BYTES );
	memcpy( bytes, "/VMC/Ext/OK\0,", 13 );
	memset( bytes + 13, 'T', SUP_MAX_OSC_BYTES - 14 );
	supVmc_Receive( f->vmc, bytes, SUP_MAX_OSC_BYTES, 0.0 );
	assert_int_equal( supVmc_GetStats( f->vmc ).badMessages, 1 );
	memset( bytes + 13, 'i', SUP_MAX_OSC_BYTES - 14 );
	supVmc_Receive( f->vmc, bytes, SUP_MAX_OSC_BYTES, 0.0 );
	assert_int_equal( supVmc_GetStats( f->vmc ).malformed, 1 );
	free( bytes );
}

static bool CreateOne( void* context )
{
	supError error = { 0 };
	supVmcDef def = { .pairCount = 1, .pairs = &( supNamePair ){ "Hips", "Hips" }, .inPlace = true };
	supVmc* vmc = supCreateVmc( context, &def, &error );
	assert_true( vmc != NULL || error.code == sup_errorMemory );
	supDestroyVmc( vmc );
	return vmc != NULL;
}

static void TestAllocationFailures( void** state )
{
	Fixture* f = *state;
	testEachAllocationFailure( CreateOne, f->character, 200 );
}

// Without memory to measure the sender's skeleton one of middling build serves.
static void TestFrameWithoutMemory( void** state )
{
	Fixture* f = *state;
	trackerPacket packet = MakeFramePacket( 0.0, 1.0 );
	testHeap heap = { .failAt = 0 };
	testInstallHeap( &heap );
	bool whole = Send( f, &packet, 0.0 );
	int64_t asked = heap.allocations;
	testUninstallHeap( &heap );
	assert_true( whole );
	testGreater( asked, 0 );
	assert_true( supIsFiniteVec3( PlaceOf( f, "LeftHand" ) ) );
}

static void TestNobody( void** state )
{
	(void)state;
	supError error = { 0 };
	supNode node = { .name = "Box", .parent = -1, .rest = supTransform_identity };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = 1;
	def.nodes = &node;
	supCharacter* box = supCreateCharacter( &def, &error );
	assert_null( supCreateVmc( box, NULL, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	assert_non_null( strstr( error.message, "--map" ) );
	supDestroyCharacter( box );
}

// ---------------------------------------------------------------------------------------------------------------------
// Files and sockets

static void TestLogs( void** state )
{
	(void)state;
	char folder[256], path[300];
	snprintf( path, sizeof( path ), "%s/a.vmc", testMakeFolder( folder ) );
	supError error = { 0 };
	supVmcLog log = { 0 }, back;
	for ( int i = 0; i < 300; ++i )
	{
		uint8_t bytes[300] = { (uint8_t)i };
		assert_true( supVmcLog_Add( &log, (uint64_t)i / 2 * 1000, bytes, (size_t)i ) );
	}
	testRequire( supVmcLog_Save( &log, path, &error ), &error );
	testRequire( supVmcLog_Load( &back, path, &error ), &error );
	assert_int_equal( back.packetCount, 300 );
	assert_int_equal( back.lastArrival, 149000 );
	supVmcPacket packet;
	size_t place = 0;
	for ( int i = 0; i < 300; ++i )
	{
		assert_true( supVmcLog_Next( &back, &place, &packet ) );
		assert_int_equal( packet.arrival, i / 2 * 1000 );
		assert_int_equal( packet.byteCount, i );
		assert_true( i == 0 || packet.bytes[0] == (uint8_t)i );
	}
	assert_false( supVmcLog_Next( &back, &place, &packet ) );
	supVmcLog_Free( &back );
	supVmcLog_Free( &log );

	// a byte changed anywhere, or missing at the end
	size_t size;
	unsigned char* bytes = testReadFile( path, &size );
	for ( size_t i = 0; i < size; i += i < 60 ? 1 : 997 )
	{
		bytes[i] ^= 0x40;
		testWriteFile( path, bytes, size );
		assert_false( supVmcLog_Load( &back, path, &error ) );
		bytes[i] ^= 0x40;
		testWriteFile( path, bytes, i + 1 < size ? i + 1 : 1 );
		assert_false( supVmcLog_Load( &back, path, &error ) );
		assert_null( back.bytes );
	}
	// lies with a right hash: a length, a time, the number of packets
	static const size_t places[] = { 32 + 8, 32, 12 };
	for ( int i = 0; i < SUP_COUNT( places ); ++i )
	{
		unsigned char* copy = malloc( size );
		memcpy( copy, bytes, size );
		memset( copy + places[i], 0x7f, 4 );
		uint64_t hash = supHashBytes( SUP_HASH_SEED, copy + 32, size - 32 );
		memcpy( copy + 24, &hash, 8 );
		testWriteFile( path, copy, size );
		assert_false( supVmcLog_Load( &back, path, &error ) );
		assert_int_equal( error.code, sup_errorFormat );
		free( copy );
	}
	free( bytes );
	// an empty one is a log too
	testRequire( supVmcLog_Save( &( supVmcLog ){ 0 }, path, &error ), &error );
	testRequire( supVmcLog_Load( &back, path, &error ), &error );
	place = 0;
	assert_false( supVmcLog_Next( &back, &place, &packet ) );
	supVmcLog_Free( &back );
	testRemoveFolder( folder );
}

static void TestLoopback( void** state )
{
	Fixture* f = *state;
	supError error = { 0 };
	supVmcSocket receiver, second;
	testRequire( supVmcSocket_Open( &receiver, "127.0.0.1", 0, &error ), &error );
	testGreater( receiver.port, 0 );
	uint8_t* bytes = malloc( SUP_MAX_OSC_BYTES );
	assert_int_equal( supVmcSocket_Receive( &receiver, bytes, 0 ), -1 );
	int sender = socket( AF_INET, SOCK_DGRAM, 0 );
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons( (uint16_t)receiver.port ) };
	to.sin_addr.s_addr = htonl( INADDR_LOOPBACK );
	trackerPacket whole = MakeFramePacket( 0.0, 1.0 );
	const size_t sizes[] = { whole.byteCount, 0, 5, whole.byteCount };
	for ( int i = 0; i < SUP_COUNT( sizes ); ++i )
	{
		ssize_t sent = sendto( sender, whole.bytes, sizes[i], 0, (struct sockaddr*)&to, sizeof( to ) );
		assert_int_equal( sent, sizes[i] );
		int32_t size = supVmcSocket_Receive( &receiver, bytes, 5000 );
		assert_int_equal( size, sizes[i] );
		assert_int_equal( supVmc_Receive( f->vmc, bytes, (size_t)size, 0.1 * i ), i == 0 || i == 3 );
	}
	assert_int_equal( supVmc_GetStats( f->vmc ).malformed, 2 );
	assert_false( supVmcSocket_Open( &second, "127.0.0.1", receiver.port, &error ) );
	assert_non_null( strstr( error.message, "another program" ) );
	assert_false( supVmcSocket_Open( &second, "localhost.", 0, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	close( sender );
	supVmcSocket_Close( &receiver );
	free( bytes );
}

#define TEST( function ) cmocka_unit_test_setup_teardown( function, SetUp, TearDown )

int main( void )
{
	if ( supHasVmc() == false )
	{
		printf( "skipped: built without liblo\n" );
		return 0;
	}
	const struct CMUnitTest tests[] = {
		TEST( TestCoordinates ),
		TEST( TestRootCarriesEverything ),
		TEST( TestCalibration ),
		TEST( TestOtherMessages ),
		cmocka_unit_test( TestBlendShapes ),
		TEST( TestRotationsAlone ),
		TEST( TestFrameEndsWithItsTime ),
		TEST( TestFramesWithoutTime ),
		TEST( TestClockThatStandsStill ),
		TEST( TestNoAvatarNoFrames ),
		TEST( TestWrongArguments ),
		TEST( TestTruncatedAndDamaged ),
		TEST( TestNestedBundles ),
		TEST( TestHugeCounts ),
		TEST( TestAllocationFailures ),
		TEST( TestFrameWithoutMemory ),
		cmocka_unit_test( TestNobody ),
		cmocka_unit_test( TestLogs ),
		TEST( TestLoopback ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
