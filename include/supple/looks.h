// SPDX-License-Identifier: MIT
/// @file looks.h
/// How flesh looks over a span of frames, as numbers: does skin tear or collapse, and does the flesh move at all?
/// Everything is measured on the drawn surface and held against linear blend skinning of the same poses.
/// docs/looks.md has the figures for many characters. A number does not replace looking.
#pragma once

#include "supple/base.h"
#include "supple/character.h"
#include "supple/scene.h"

/// "Size" is the diagonal of the character's bounds in the rest pose.
typedef struct supLooks
{
	/// Frames measured so far.
	int32_t frameCount;
	/// Edges per frame that are longer than both at rest and under skinning, by over 3 % of the size and by over 30 %
	/// of the longer of the two: spikes and rips.
	float torn;
	/// The largest excess of an edge that is 30 % too long, in per cent of the size.
	float worst;
	/// Edges squeezed below 0.35 of the shorter of both lengths, where that is over 1 % of the size. Per mille of all
	/// edges, in the worst frame.
	float crushed;
	/// What the flesh adds in motion: the standard deviation over time of its distance from skinning, 90th percentile
	/// of the vertices, in per cent of the size. A steady difference does not count.
	float alive;
	/// The largest distance of a vertex from skinning, in per cent of the size.
	float far;
	/// False where a position was not a number.
	bool isFinite;
} supLooks;

typedef enum supVerdict
{
	/// Neither of the others.
	sup_verdictGood,
	/// Hard to tell from plain skinning: `alive` is below 0.35.
	sup_verdictStill,
	/// To be rejected: `torn` over 0.1, `worst` over 5, `crushed` over 2, `far` over 30, or not finite.
	sup_verdictTorn,
	sup_verdictCount,
} supVerdict;

SUP_API supVerdict supLooks_Verdict( const supLooks* looks );

/// "good", "still", "torn".
SUP_API const char* supVerdictName( supVerdict verdict );

/// Adds up frames as they are drawn, and keeps none of them. Takes 44 bytes per vertex and 36 per triangle.
typedef struct supLooksMeter supLooksMeter;

/// NULL when out of memory. The character outlives the meter.
SUP_API supLooksMeter* supCreateLooksMeter( const supCharacter* character );

/// NULL is allowed.
SUP_API void supDestroyLooksMeter( supLooksMeter* meter );

/// Measures the actor's surface as of the last step or reset.
/// - the actor has flesh of the meter's character; tasks may be NULL
SUP_API void supLooksMeter_AddActor( supLooksMeter* meter, supActor* actor, const supTasks* tasks );

/// Measures a surface from elsewhere: world positions of all instances, one array each, drawn in this pose.
SUP_API void supLooksMeter_AddFrame( supLooksMeter* meter, supPose* pose, const supVec3* const* positions,
									 const supTasks* tasks );

/// All frames so far. False when out of memory.
SUP_API bool supLooksMeter_Get( const supLooksMeter* meter, supLooks* looks );
