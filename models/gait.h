// SPDX-License-Identifier: MIT
// Clips made by code, shared among creatures that name their joints alike.
//
// Bipeds: Hips, Spine, Chest, Neck, Head and Left/Right of Shoulder, UpperArm, LowerArm, Hand, UpperLeg, LowerLeg,
// Foot, Toes, arms stretched out to the sides at rest.
#pragma once

#include "creature.h"

// The names of one side.
typedef struct gaitSide
{
	float sign;   // +1 left, -1 right
	float offset; // of its step, in turns
	const char* shoulder;
	const char* upperArm;
	const char* lowerArm;
	const char* hand;
	const char* upperLeg;
	const char* lowerLeg;
	const char* foot;
	const char* toes;
	const char* ears[3];
} gaitSide;

extern const gaitSide gaitSides[2];

// Walk, Run, Jump, Shake, ForearmTwist (180 degrees), ElbowBend (120 degrees), HeadTurn, Fall.
void addBipedClips( creature* c );
