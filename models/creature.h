// SPDX-License-Identifier: MIT
// Builds a character from a description: joints, blobs around them, eyes, clips as functions of time.
//
//     creature c;
//     creatureInit( &c, "bunny" );
//     int32_t hips = creatureJoint( &c, "Hips", -1, supMakeVec3( 0, 0.5f, 0 ) );
//     creatureEllipsoid( &c, hips, ... );
//     creatureClip( &c, "Walk", 1.0f, Walk );
//     supCharacter* bunny = creatureFinish( &c, 8111, 0.7f, error );
//
// Characters stand on y = 0, face +Z, their left is +X. All joints have their axes along the world's at rest, so a clip
// turns them about world axes.
#pragma once

#include "core/array.h"
#include "sculpt.h"
#include "supple/character.h"

typedef struct creatureJointDef
{
	const char* name;
	int32_t parent;
	supVec3 position; // world
} creatureJointDef;

typedef struct creatureEyeDef
{
	int32_t joint;
	supVec3 center;
	float radius;
	// Where the pupil looks; unit length.
	supVec3 direction;
	supVec3 color;
} creatureEyeDef;

typedef struct creaturePose creaturePose;

// Sets the pose at `time` seconds into a clip of `duration` seconds; `phase` = time / duration runs from 0 to 1.
typedef void creatureClipFcn( creaturePose* pose, float phase, float duration );

typedef struct creatureClipDef
{
	const char* name;
	float duration;
	creatureClipFcn* function;
} creatureClipDef;

typedef struct creature
{
	const char* name;
	SUP_ARRAY( creatureJointDef ) joints;
	SUP_ARRAY( sculptBlob ) blobs;
	SUP_ARRAY( creatureEyeDef ) eyes;
	SUP_ARRAY( creatureClipDef ) clips;
	// How far weights reach over a joint, in thicknesses of the limb. Default 0.7.
	float weightReach;
	// By how far it tips to lie on its back. Default 90 degrees; more where the bottom is thicker than the head.
	float lyingTilt;
	// How far the arms come down in clips: 1 to the body of a slim creature.
	float armsDown;
	bool failed; // out of memory somewhere
} creature;

// ---------------------------------------------------------------------------------------------------------------------
// Describing

SUP_INLINE supVec3 vec( float x, float y, float z )
{
	return ( supVec3 ){ x, y, z };
}

void creatureInit( creature* c, const char* name );

int32_t creatureJoint( creature* c, const char* name, int32_t parent, supVec3 position );

// Each returns the blob for further changes (use, rotation); valid until the next is added.
sculptBlob* creatureCone( creature* c, int32_t joint, supVec3 a, float ra, supVec3 b, float rb, float blend,
						  supVec3 color );
sculptBlob* creatureEllipsoid( creature* c, int32_t joint, supVec3 center, supVec3 radii, float blend, supVec3 color );

// From the joint to another joint.
sculptBlob* creatureBone( creature* c, int32_t joint, int32_t end, float ra, float rb, float blend, supVec3 color );

void creatureEye( creature* c, int32_t joint, supVec3 center, float radius, supVec3 direction, supVec3 color );

void creatureClip( creature* c, const char* name, float duration, creatureClipFcn* function );

// Skins the shape with exactly `vertexCount` vertices, paints it, weights it, samples the clips. Frees the description,
// also on failure.
supCharacter* creatureFinish( creature* c, int32_t vertexCount, float detail, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Posing, inside clip functions

// Turns a joint, by name, about an axis of the world at rest, on top of what was done before. A name that is not there
// is ignored, so that clips can be shared among creatures.
void creatureTurn( creaturePose* pose, const char* joint, float axisX, float axisY, float axisZ, float degrees );

// Shifts the root joint.
void creatureShift( creaturePose* pose, float x, float y, float z );

// Height of the root joint at rest.
float creatureHipHeight( const creaturePose* pose );

// Puts the lowest point of the posed skin at this height above the ground: 0 stands, walks or lies, more is in the air.
// Takes the place of the root's own height.
void creatureFloor( creaturePose* pose, float height );

float creatureArmsDown( const creaturePose* pose );
float creatureLyingTilt( const creaturePose* pose );

// Where a joint is at rest, and where in the pose so far (the height from creatureFloor apart). Of a joint that is not
// there: the origin.
supVec3 creatureRest( const creaturePose* pose, const char* joint );
supMat34 creaturePlace( const creaturePose* pose, const char* joint );

// Unit vector from one joint to another at rest; zero where either is missing.
supVec3 creatureBoneAxis( const creaturePose* pose, const char* joint, const char* end );

// sin and cos of a phase in turns.
float creatureSin( float turns );
float creatureCos( float turns );

// 0 before `from`, 1 after `to`, smooth between.
float creatureRamp( float from, float to, float t );
