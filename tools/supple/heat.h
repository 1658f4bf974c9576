// SPDX-License-Identifier: MIT
// Heat maps over a surface: one value per vertex, shown as a colour.
#pragma once

#include "draw/view.h"
#include "supple/scene.h"

// Behind the first in the order of supHeat (scene/heat.h).
typedef enum Heat
{
	heat_none,
	heat_displacement,
	heat_stretch,
	heat_volume,
	heat_softness,
	heat_functions,
	heat_pressure,
	heat_count
} Heat;

// heat_none if there is none of this name.
Heat FindHeat( const char* name );

// What is shown as 1.
// - bounds: of everything that is drawn
float FindHeatScale( Heat heat, supBox bounds );

// Values in [0, 1] for the vertices of one instance of an actor as it is now; `largest` is what is shown as 1.
// Returns false only when out of memory.
bool FillHeat( Heat heat, supActor* actor, int32_t instance, float largest, const supTasks* tasks, float* values );

void DrawHeatLegend( Heat heat, float largest, supPicture* picture );
