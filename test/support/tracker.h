// SPDX-License-Identifier: MIT
// A tracker that is not there: a person walking, as a VMC sender tells it, over a network that delays, drops and
// reorders. Writes OSC by hand, so that readers are tested against something else than themselves.
#pragma once

#include "support.h"

// ---------------------------------------------------------------------------------------------------------------------
// OSC

typedef struct trackerPacket
{
	double arrival; // seconds
	size_t byteCount;
	uint8_t bytes[4096];
} trackerPacket;

void trackerBeginBundle( trackerPacket* packet );

// Arguments by `types`: s (const char*), f, d (double), i (int). Behind trackerBeginBundle it becomes part of the
// bundle.
void trackerAddMessage( trackerPacket* packet, const char* path, const char* types, ... );

// ---------------------------------------------------------------------------------------------------------------------
// The person, in Unity's space: left-handed, y up, looking along +z, left at -x. Rotations are local, none at rest.

enum
{
	tracker_hips,
	tracker_spine,
	tracker_chest,
	tracker_neck,
	tracker_head,
	tracker_leftShoulder,
	tracker_leftUpperArm,
	tracker_leftLowerArm,
	tracker_leftHand,
	tracker_rightShoulder,
	tracker_rightUpperArm,
	tracker_rightLowerArm,
	tracker_rightHand,
	tracker_leftUpperLeg,
	tracker_leftLowerLeg,
	tracker_leftFoot,
	tracker_rightUpperLeg,
	tracker_rightLowerLeg,
	tracker_rightFoot,
	tracker_boneCount,
};

typedef struct trackerFrame
{
	supVec3 hips;
	supQuat turns[tracker_boneCount];
} trackerFrame;

extern const char* const trackerBoneNames[tracker_boneCount];

// Walking at `time` seconds, 1 m/s along +z, a step of 0.5 s.
trackerFrame trackerWalk( double time );

// Where the joints are.
void trackerPlaces( const trackerFrame* frame, supVec3 places[tracker_boneCount] );

// Bones `first` .. `last` - 1 as messages.
void trackerAddBones( trackerPacket* packet, const trackerFrame* frame, int first, int last );

// ---------------------------------------------------------------------------------------------------------------------
// The network

typedef struct trackerDef
{
	uint64_t seed;
	double seconds;
	float noise;   // radians, on every rotation
	float jitter;  // seconds of delay at most, on top of `transit`; more than a frame reorders
	float dropped; // share of packets
	double transit;
	double clock; // of the sender where ours is 0
} trackerDef;

// A walk at an irregular 20 to 60 frames a second, each frame in two packets, the second with the time. Sorted by
// arrival. Free with free().
trackerPacket* trackerMakeStream( const trackerDef* def, int* count );
