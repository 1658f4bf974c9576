// SPDX-License-Identifier: MIT
#include "tracker.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// OSC

static void Put32( trackerPacket* packet, uint32_t value )
{
	for ( int shift = 24; shift >= 0; shift -= 8 )
	{
		packet->bytes[packet->byteCount++] = (uint8_t)( value >> shift );
	}
}

static void PutText( trackerPacket* packet, const char* text )
{
	size_t length = strlen( text ) + 1;
	testLess( packet->byteCount + length + 256, sizeof( packet->bytes ) );
	memcpy( packet->bytes + packet->byteCount, text, length );
	packet->byteCount += length;
	while ( packet->byteCount % 4 != 0 )
	{
		packet->bytes[packet->byteCount++] = 0;
	}
}

void trackerBeginBundle( trackerPacket* packet )
{
	packet->byteCount = 0;
	PutText( packet, "#bundle" );
	Put32( packet, 0 );
	Put32( packet, 1 );
}

void trackerAddMessage( trackerPacket* packet, const char* path, const char* types, ... )
{
	bool bundled = packet->byteCount >= 16 && packet->bytes[0] == '#';
	size_t start = packet->byteCount;
	if ( bundled )
	{
		Put32( packet, 0 );
	}
	char all[64];
	snprintf( all, sizeof( all ), ",%s", types );
	PutText( packet, path );
	PutText( packet, all );
	va_list list;
	va_start( list, types );
	for ( const char* type = types; *type != 0; ++type )
	{
		if ( *type == 's' )
		{
			PutText( packet, va_arg( list, const char* ) );
		}
		else if ( *type == 'i' )
		{
			Put32( packet, (uint32_t)va_arg( list, int ) );
		}
		else
		{
			double number = va_arg( list, double );
			float single = (float)number;
			uint64_t word = 0;
			uint32_t half;
			memcpy( &word, &number, sizeof( word ) );
			memcpy( &half, &single, sizeof( half ) );
			if ( *type == 'd' )
			{
				Put32( packet, (uint32_t)( word >> 32 ) );
			}
			Put32( packet, *type == 'd' ? (uint32_t)word : half );
		}
	}
	va_end( list );
	if ( bundled )
	{
		uint32_t size = (uint32_t)( packet->byteCount - start - 4 );
		size_t end = packet->byteCount;
		packet->byteCount = start;
		Put32( packet, size );
		packet->byteCount = end;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The person

typedef struct Bone
{
	int parent;
	supVec3 offset;
} Bone;

const char* const trackerBoneNames[tracker_boneCount] = {
	"Hips",         "Spine",    "Chest",         "Neck",          "Head",          "LeftShoulder", "LeftUpperArm",
	"LeftLowerArm", "LeftHand", "RightShoulder", "RightUpperArm", "RightLowerArm", "RightHand",    "LeftUpperLeg",
	"LeftLowerLeg", "LeftFoot", "RightUpperLeg", "RightLowerLeg", "RightFoot",
};

static const Bone s_bones[tracker_boneCount] = {
	{ -1, { 0.0f, 0.0f, 0.0f } },
	{ tracker_hips, { 0.0f, 0.07f, -0.01f } },
	{ tracker_spine, { 0.0f, 0.12f, 0.0f } },
	{ tracker_chest, { 0.0f, 0.24f, -0.01f } },
	{ tracker_neck, { 0.0f, 0.09f, 0.01f } },
	{ tracker_chest, { -0.03f, 0.19f, 0.0f } },
	{ tracker_leftShoulder, { -0.1f, 0.0f, 0.0f } },
	{ tracker_leftUpperArm, { -0.25f, 0.0f, 0.0f } },
	{ tracker_leftLowerArm, { -0.22f, 0.0f, 0.0f } },
	{ tracker_chest, { 0.03f, 0.19f, 0.0f } },
	{ tracker_rightShoulder, { 0.1f, 0.0f, 0.0f } },
	{ tracker_rightUpperArm, { 0.25f, 0.0f, 0.0f } },
	{ tracker_rightLowerArm, { 0.22f, 0.0f, 0.0f } },
	{ tracker_hips, { -0.08f, -0.04f, 0.0f } },
	{ tracker_leftUpperLeg, { 0.0f, -0.39f, 0.0f } },
	{ tracker_leftLowerLeg, { 0.0f, -0.38f, 0.0f } },
	{ tracker_hips, { 0.08f, -0.04f, 0.0f } },
	{ tracker_rightUpperLeg, { 0.0f, -0.39f, 0.0f } },
	{ tracker_rightLowerLeg, { 0.0f, -0.38f, 0.0f } },
};

// About an axis of Unity's. The algebra of quaternions does not know which hand the axes are of.
static supQuat Turn( float x, float y, float z, double radians )
{
	float s = (float)sin( 0.5 * radians );
	return ( supQuat ){ s * x, s * y, s * z, (float)cos( 0.5 * radians ) };
}

trackerFrame trackerWalk( double time )
{
	double phase = 6.283185307 * time;
	double swing = sin( phase );
	trackerFrame frame;
	for ( int i = 0; i < tracker_boneCount; ++i )
	{
		frame.turns[i] = supQuat_identity;
	}
	frame.hips = supMakeVec3( 0.02f * (float)swing, 0.83f + 0.015f * (float)cos( 2.0 * phase ), (float)time );
	frame.turns[tracker_hips] = Turn( 0.0f, 1.0f, 0.0f, 0.1 * swing );
	frame.turns[tracker_chest] = Turn( 0.0f, 1.0f, 0.0f, -0.15 * swing );
	frame.turns[tracker_head] = Turn( 1.0f, 0.0f, 0.0f, 0.1 * cos( phase ) );
	// arms hang from the T-pose: the left one points to -x, and down is a turn about +z there
	frame.turns[tracker_leftUpperArm] =
		supMulQuat( Turn( 1.0f, 0.0f, 0.0f, 0.5 * swing ), Turn( 0.0f, 0.0f, 1.0f, 1.2 ) );
	frame.turns[tracker_rightUpperArm] =
		supMulQuat( Turn( 1.0f, 0.0f, 0.0f, -0.5 * swing ), Turn( 0.0f, 0.0f, 1.0f, -1.2 ) );
	frame.turns[tracker_leftLowerArm] = Turn( 0.0f, 1.0f, 0.0f, 0.4 );
	frame.turns[tracker_rightLowerArm] = Turn( 0.0f, 1.0f, 0.0f, -0.4 );
	frame.turns[tracker_leftUpperLeg] = Turn( 1.0f, 0.0f, 0.0f, -0.5 * swing );
	frame.turns[tracker_rightUpperLeg] = Turn( 1.0f, 0.0f, 0.0f, 0.5 * swing );
	frame.turns[tracker_leftLowerLeg] = Turn( 1.0f, 0.0f, 0.0f, 0.4 + 0.3 * cos( phase ) );
	frame.turns[tracker_rightLowerLeg] = Turn( 1.0f, 0.0f, 0.0f, 0.4 - 0.3 * cos( phase ) );
	return frame;
}

void trackerPlaces( const trackerFrame* frame, supVec3 places[tracker_boneCount] )
{
	supQuat worlds[tracker_boneCount];
	for ( int i = 0; i < tracker_boneCount; ++i )
	{
		int parent = s_bones[i].parent;
		worlds[i] = parent >= 0 ? supMulQuat( worlds[parent], frame->turns[i] ) : frame->turns[i];
		places[i] =
			parent >= 0 ? supAdd( places[parent], supRotate( worlds[parent], s_bones[i].offset ) ) : frame->hips;
	}
}

void trackerAddBones( trackerPacket* packet, const trackerFrame* frame, int first, int last )
{
	for ( int i = first; i < last; ++i )
	{
		supVec3 p = i == tracker_hips ? frame->hips : s_bones[i].offset;
		supQuat q = frame->turns[i];
		trackerAddMessage( packet, "/VMC/Ext/Bone/Pos", "sfffffff", trackerBoneNames[i], (double)p.x, (double)p.y,
						   (double)p.z, (double)q.x, (double)q.y, (double)q.z, (double)q.w );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The network

static int CompareArrival( const void* a, const void* b )
{
	double x = ( (const trackerPacket*)a )->arrival;
	double y = ( (const trackerPacket*)b )->arrival;
	return ( x > y ) - ( x < y );
}

static void AddNoise( trackerFrame* frame, testRandom* random, float noise )
{
	for ( int i = 0; i < tracker_boneCount; ++i )
	{
		supVec3 axis = supNormalize( testRandomVec3( random, 1.0f ) );
		double angle = (double)( noise * testRandomFloat( random, -1.0f, 1.0f ) );
		frame->turns[i] = supNormalizeQuat( supMulQuat( Turn( axis.x, axis.y, axis.z, angle ), frame->turns[i] ) );
	}
}

trackerPacket* trackerMakeStream( const trackerDef* def, int* count )
{
	testRandom random = testMakeRandom( def->seed );
	size_t most = 2 * (size_t)( 60.0 * def->seconds + 4.0 );
	trackerPacket* packets = malloc( most * sizeof( trackerPacket ) );
	assert_non_null( packets );
	*count = 0;
	for ( double time = 0.0; time < def->seconds;
		  time += (double)testRandomFloat( &random, 1.0f / 60.0f, 1.0f / 20.0f ) )
	{
		trackerFrame frame = trackerWalk( time );
		AddNoise( &frame, &random, def->noise );
		double arrival = time + def->transit + (double)( def->jitter * testRandomFloat( &random, 0.0f, 1.0f ) );
		for ( int half = 0; half < 2; ++half )
		{
			trackerPacket* packet = packets + *count;
			trackerBeginBundle( packet );
			int middle = tracker_rightShoulder;
			trackerAddBones( packet, &frame, half == 0 ? 0 : middle, half == 0 ? middle : tracker_boneCount );
			if ( half == 1 )
			{
				trackerAddMessage( packet, "/VMC/Ext/OK", "i", 1 );
				trackerAddMessage( packet, "/VMC/Ext/T", "f", def->clock + time );
			}
			packet->arrival = arrival + 1e-4 * half;
			*count += testRandomFloat( &random, 0.0f, 1.0f ) >= def->dropped;
		}
	}
	qsort( packets, (size_t)*count, sizeof( trackerPacket ), CompareArrival );
	return packets;
}
