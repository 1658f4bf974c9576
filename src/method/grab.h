// SPDX-License-Identifier: MIT
// Taking hold of a piece of flesh: the same weights for every method.
#pragma once

#include "method/method.h"
#include "volume/binding/surface_binding.h"

typedef struct supGrabber
{
	supGrab* grab;
	// points of the place, as of supSurfaceBinding_Resolve
	int32_t cornerCount;
	int32_t corners[SUP_MAX_BIND_POINTS];
	float shares[SUP_MAX_BIND_POINTS];
	// the place as it is now and as it was at rest
	supVec3 now;
	supVec3 rest;
	float radius;
} supGrabber;

// - corners and shares are filled in; corner i is at now[i] and was at rest[i]
// - radius: never less than takes in all corners
void supGrabber_Begin( supGrabber* grabber, supGrab* grab, const supVec3* now, const supVec3* rest, float radius );

// Every particle, in any fixed order. Nearness is that of the rest pose as well: a hand beside the hip is not part of
// it.
void supGrabber_Offer( supGrabber* grabber, int32_t particle, supVec3 now, supVec3 rest, bool isFree );

// False where nothing of it can be moved.
bool supGrabber_End( supGrabber* grabber );

// Particles in arrays.
typedef struct supGrabBody
{
	int32_t count;
	const float* x; // 16 bytes each, x y z first
	const supVec3* rests;
	const float* inverseMasses; // every `massStride` floats; 0 cannot be moved
	int32_t massStride;
} supGrabBody;

// All of the above for such a body.
// - corners and shares are filled in
bool supGrabber_Take( supGrabber* grabber, supGrab* grab, const supGrabBody* body, float radius );

// Where the grabbed place is: particles of `stride` floats, x y z first.
supVec3 supGrab_Place( const supGrab* grab, const float* x, int32_t stride );
