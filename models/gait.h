// SPDX-License-Identifier: MIT
// Clips made by code, shared among creatures that name their joints alike.
//
// Bipeds: Hips, Spine, Chest, Neck, Head and Left/Right of Shoulder, UpperArm, LowerArm, Hand, UpperLeg, LowerLeg,
// Foot, Toes, arms stretched out to the sides at rest.
#pragma once

#include "creature.h"

// Walk, Run, Jump, Shake, ForearmTwist (180 degrees), ElbowBend (120 degrees), HeadTurn, Fall.
void addBipedClips( creature* c );
