// SPDX-License-Identifier: MIT
// What flesh can be built of, looked at before any memory is asked for: whatever a file says, a build has a budget.
#pragma once

#include "method/method.h"

// The surface at rest, as far as a build depends on it.
typedef struct supBuildSize
{
	supVec3 center; // of the bounds
	// along the principal axes, falling; 0 where there are no triangles
	float extents[3];
} supBuildSize;

// False only where out of memory, or where a vertex is not a number.
bool supMeasureBuild( const supCharacter* character, const supTasks* tasks, supBuildSize* size, supError* error );

// False and an error, with the remedy, for bodies of no sensible size, lines, bodies that float numbers cannot hold
// where they stand, joints out of all proportion, and more bones than the method can take.
bool supCheckBuild( const supCharacter* character, const supMethod* method, const supBuildSize* size, supError* error );

// True where the body stands so far from the origin, measured by its size, that it is better built at the origin.
bool supIsFarOut( const supBuildSize* size );
