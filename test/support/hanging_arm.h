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

// A metre high. The arm hangs `gap` metres from the body, or reaches into it where that is negative, and is joined to
// it at the shoulder; it is bound as it hangs, or held out sideways. Painted alike, everything hangs on the hips.
supCharacter* testMakeHangingArm( float gap, bool isBoundRaised, bool isPaintedAlike );

// Turns the arm by so many degrees from where it hangs: 90 is sideways.
void testRaiseArm( supPose* pose, float degrees );
