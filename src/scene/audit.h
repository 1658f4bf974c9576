// SPDX-License-Identifier: MIT
// How deep actors that touch each other or themselves are inside, as they are drawn, by winding numbers: what contact
// is held against. It knows nothing of how contacts are found or answered.
//
// A vertex is inside of another actor where that actor's surface goes around it, and inside of its own where the
// surface goes around the place just in front of it, which is air otherwise. Its depth is the distance to the nearest
// triangle of the other, or of its own through which it can get out, which the far side of its own limb is not: 0 for
// the bottom of a fold, at which triangles of its own meet.
// What is inside at rest already (eyes, teeth, hems) does not count.
#pragma once

#include "scene/actor.h"

typedef struct supAudit supAudit;

typedef struct supAuditResult
{
	// of the vertex that is deepest, in thicknesses of the skin, and of which actor it is; -1: none is inside
	float deepest;
	int32_t actor;
	// vertices that are deeper than one thickness
	int32_t deepCount;
} supAuditResult;

// NULL and an error when out of memory. Actors without contact with actors take no part, and must stay as they are.
supAudit* supCreateAudit( supActor* const* actors, int32_t count, supError* error );

// NULL is fine.
void supDestroyAudit( supAudit* audit );

// Of the actors as they are now. tasks may be NULL.
supAuditResult supAudit_Measure( supAudit* audit, const supTasks* tasks );
