// SPDX-License-Identifier: MIT
// Places a camera so that a set of points just fills a picture.
//
// The direction of view is given, the place of the eye is not. A point p lies in front of the four sides of the view
// where  +-r.(p - e) <= tx f.(p - e)  and  +-u.(p - e) <= ty f.(p - e), with the axes right, up and forward and the
// eye e. Each of these is linear in p, so that of any number of points only the largest value along each of the four
// normals counts, and the nearest eye follows from those four numbers exactly.
#pragma once

#include "draw/renderer.h"

// Half the vertical field of view of a whole character, as a tangent: about 30 degrees in all.
#define SUP_VIEW_TANGENT 0.26f

// The part of the picture's width or height that the points take: 5 % stay free on each side.
#define SUP_VIEW_FILL 0.9f

typedef struct supFraming
{
	supVec3 right, up, forward;
	// Of the picture, and of the part of it that the points may fill.
	float tanHalf;
	float tanX, tanUp, tanDown;
	// Largest value of the points so far along the normals of the right, left, upper and lower side.
	float sides[4];
} supFraming;

// A view from `azimuth` degrees (0 from +Z, 90 from +X) and `elevation` degrees. `tanHalf` is half the vertical field
// of view as a tangent, `aspect` width over height, `fill` the part of the picture to be filled.
supFraming supBeginFraming( float azimuth, float elevation, float tanHalf, float aspect, float fill );

// Keeps a strip at the bottom free, in parts of the picture's height: for a legend.
// - no points yet
void supFraming_ReserveBelow( supFraming* framing, float part );

// Adds points, relative to `origin`: a camera that follows something is framed relative to what it follows.
void supFraming_Include( supFraming* framing, const supVec3* points, int32_t count, supVec3 origin );

// Adds the points of another framing of the same direction and lens, made around the world's origin.
void supFraming_IncludeFraming( supFraming* framing, const supFraming* other, supVec3 origin );

bool supFraming_IsEmpty( const supFraming* framing );

// How far before the origin the eye is, along the direction of view; negative where the origin is behind it.
// - framing is not empty
float supFraming_Distance( const supFraming* framing );

// The view with its origin put here. `zoom` 2 shows everything twice as large, from the same place.
// - framing is not empty
supView supFraming_View( const supFraming* framing, supVec3 origin, float zoom );
