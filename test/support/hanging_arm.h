// SPDX-License-Identifier: MIT
// A body with an arm that hangs beside it, nearer than flesh is fine: what must not grow together.
#pragma once

#include "supple/character.h"

enum
{
	armHips,
	armChest,
	armShoulder,
	armUpper,
	armFore,
	armHand,
	armMesh,
	armNodeCount,
	armJointCount = armMesh,
};

typedef enum ArmPaint
{
	// as limbs are
	armPaintLimbs,
	// everything hangs on the hips
	armPaintAlike,
	// the arm on the upper arm and the body on the shoulder, which is next to it: a jaw. No clip moves it.
	armPaintJaw,
	// and a clip does
	armPaintJawWithClip,
} ArmPaint;

// A metre high. The arm hangs `gap` metres from the body, or reaches into it where that is negative, and is joined to
// it at the shoulder; it is bound as it hangs, or held out sideways.
supCharacter* testMakeHangingArm( float gap, bool isBoundRaised, ArmPaint paint );

// Turns the arm by so many degrees from where it hangs: 90 is sideways.
void testRaiseArm( supPose* pose, float degrees );
