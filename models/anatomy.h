// SPDX-License-Identifier: MIT
// The grown-up human body, part by part: 1.78 m, seven and a half heads, arms stretched out to the sides.
#pragma once

#include "creature.h"
#include "gait.h"

typedef struct anatomy
{
	// 0 lean to 1 strong; 0 slim to 1 soft.
	float muscle;
	float fat;
	supVec3 skin;
	supVec3 hair;
	bool hasShirt;
	supVec3 shirt;
	supVec3 shorts;
	// Joints Thumb, Fingers and FingerTips in each hand.
	bool fingerJoints;
} anatomy;

typedef struct anatomyTrunk
{
	int32_t hips, spine, chest, upperChest, neck;
} anatomyTrunk;

anatomyTrunk anatomyAddTrunk( creature* c, const anatomy* a );

// Head, jaw, eyes with a joint each.
void anatomyAddHead( creature* c, const anatomy* a, int32_t neck );

void anatomyAddArm( creature* c, const anatomy* a, int32_t chest, const gaitSide* side );

// After the rest: paints shirt and shorts.
void anatomyDress( creature* c, const anatomy* a );

// With `whole` false only a stump of the thigh.
void anatomyAddLeg( creature* c, const anatomy* a, int32_t hips, const gaitSide* side, bool whole );
