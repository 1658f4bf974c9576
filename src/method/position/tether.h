// SPDX-License-Identifier: MIT
// A damped spring to a place that moves, integrated exactly over one step: the same swing at every frame rate.
//
// With y the distance from the place, u the velocity against it, and a constant acceleration a during the step,
//     y' = yy y + yu u + ya a
//     u' = uy y + uu u + yu a
// A frequency of 0 is a free particle.
#pragma once

#include "core/core.h"

typedef struct supTether
{
	float yy, yu, uy, uu;
	float ya;
} supTether;

// - frequency in Hz and damping ratio (1: no overshoot), neither negative; dt > 0
supTether supMakeTether( float frequency, float damping, float dt );
