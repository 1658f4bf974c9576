// SPDX-License-Identifier: MIT
// The motions that come with Supple.
//
//   list      names, summaries, what they fit               motion.c
//   tables    the motions of a humanoid, as sums of curves   motion_tables.c
//   person    the skeleton that plays them, sampled to a
//             clip that is retargeted to the character       motion_person.c
//   body      motions of anything: the whole body moves,
//             chains of joints swing                         motion_body.c
#pragma once

#include "character/owned_clip.h"

// A curve over the clip, t from 0 to 1. Angles of waves are in turns: rate t + offset.
typedef enum supCurve
{
	sup_curveConstant, // 1
	sup_curveWave,     // sine
	sup_curveHalf,     // sine where positive, else 0
	sup_curveLift,     // its square
	sup_curvePulse,    // 1 at `offset`, smoothly to 0 at `rate` before and after, around the end of the clip
	sup_curveArc,      // the same as a parabola: a flight
	sup_curveRamp,     // 0 before offset - rate, smoothly to 1 at offset + rate
} supCurve;

float supEvaluateCurve( supCurve curve, float rate, float offset, float t );

// Joints of the person that plays the tables; sides of limbs follow one another.
typedef enum supPersonPart
{
	sup_personHips,
	sup_personSpine,
	sup_personChest,
	sup_personNeck,
	sup_personHead,
	// on each side
	sup_personShoulder,
	sup_personUpperArm,
	sup_personLowerArm,
	sup_personHand,
	sup_personUpperLeg,
	sup_personLowerLeg,
	sup_personFoot,
	sup_personToes,
	// not joints: where the hips go, and how high the lowest point of the feet is
	sup_personShift,
	sup_personFlight,
} supPersonPart;

// One term of a motion. The person faces +Z, its left is +X, arms stretched out to the sides at rest. A positive angle
// about x leans a spine forward, swings a hanging leg back and bends a knee; about y turns to the left; about z lifts
// the left arm. Limbs of the right side mirror y and z; 'Y' and 'Z' turn both sides the same way.
typedef struct supMotionTerm
{
	supPersonPart part;
	char axis;
	// Degrees; of Shift and Flight heights of the hips.
	float amount;
	supCurve curve;
	float rate;
	float offset;
	// The right side is half a turn later.
	bool alternate;
} supMotionTerm;

typedef struct supPersonMotion
{
	const char* name;
	float seconds;
	int32_t termCount;
	const supMotionTerm* terms;
} supPersonMotion;

// NULL where a humanoid has no motion of this name.
const supPersonMotion* supFindPersonMotion( const char* name );

// The motion played by the person, retargeted. NULL with an error.
supClip* supCreatePersonClip( const supCharacter* character, const supPersonMotion* motion, supError* error );

typedef enum supBodyMotion
{
	sup_bodyShake,
	sup_bodySwing,
	sup_bodyTurn,
	sup_bodyHop,
} supBodyMotion;

// Has it chains of joints to swing? False also when out of memory.
bool supHasChains( const supCharacter* character );

// NULL with an error.
supClip* supCreateBodyClip( const supCharacter* character, supBodyMotion motion, const char* name, supError* error );
