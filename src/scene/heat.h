// SPDX-License-Identifier: MIT
// Figures over a surface, one a vertex, for maps in colours.
#pragma once

#include "supple/scene.h"

typedef enum supHeat
{
	// metres from linear blend skinning
	sup_heatDisplacement,
	// largest change of the length of an edge, as a part
	sup_heatStretch,
	// change of what lies between skin and bones, as a part with its sign
	sup_heatVolume,
	// 0 .. 1 at the skin, as the flesh uses it: painted, from soft regions, or guessed from anatomy
	sup_heatSoftness,
	// how fine the functions are that take part: 0 the coarsest, 1 the finest that there are
	sup_heatFunctions,
	// contact pressure, Pa
	sup_heatPressure,
	sup_heatCount
} supHeat;

// "displacement", ...
extern const char* const supHeatNames[sup_heatCount];

// Of one instance of an actor as it is now. Returns false only when out of memory.
// - values has room for the vertices of the instance; tasks may be NULL
bool supActor_FillHeat( supActor* actor, supHeat heat, int32_t instance, const supTasks* tasks, float* values );
