// SPDX-License-Identifier: MIT
// A small character and a small method with state, for tests of everything around methods.
#pragma once

#include "method/method.h"
#include "supple/scene.h"

// A closed box of two bones: lower half on the root, upper half on a joint one up; eight vertices.
supCharacter* testMakeBox( void );

// The same with a clip "Sway" of two seconds that moves the upper joint and comes back to where it began.
supCharacter* testMakeSwayingBox( void );

// One point hangs on the upper joint by a spring; the surface is shifted by its lag.
typedef struct testLagState
{
	supVec3 position;
	supVec3 velocity;
	int32_t calls;   // predict, solve and finish come in turn: 3 per substep
	int32_t crowded; // solves among others
} testLagState;

extern const supMethod testLagMethod;

// Moves the upper joint of an actor's pose, a little differently for each frame.
void testMoveTop( supActor* actor, int32_t frame );
