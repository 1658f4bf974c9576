// SPDX-License-Identifier: MIT
// Vertices of a surface against a moving shape: which are near it at the end of a substep, or touched it on the way.
//
// An edge or a corner of the shape may be nearer to what is between vertices than to any of them. The nearest point of
// each triangle that such an edge may cut is looked for (Frank-Wolfe on the shape's distance, Macklin, Erleben, Müller,
// Chentanez, Jeschke & Corse 2020), and counts for its corners: where they keep that distance the triangle does.
#pragma once

#include "contact/rigid.h"
#include "contact/shape.h"

typedef struct supTouch
{
	int32_t vertex;
	// of unit length, out of the shape, in the world
	supVec3 normal;
	// from the shape to the vertex at the end, negative inside; along the normal of the face that it met first where it
	// went through
	float distance;
	// from the shape to the vertex at the beginning; INFINITY where that is far
	float startDistance;
	// what of the surface is that near, in the world at the beginning and the end: the vertex, or a place beside it
	supVec3 startPlace, place;
} supTouch;

// The triangles of the surface, and those around each vertex.
typedef struct supTouchFaces
{
	int32_t triangleCount;
	int32_t* corners;   // three a triangle
	int32_t* fanStarts; // vertices + 1
	int32_t* fans;
} supTouchFaces;

typedef struct supTouchJob
{
	const supShape* shape;
	supPlacement start, end;    // of the shape
	const supVec3* from;        // vertices at the beginning
	const supVec3* to;          // and at the end
	const supTouchFaces* faces; // NULL: vertices only
	float faceReach;            // vertices that are farther from the shape have no triangle that reaches it
	float faceSlack;            // what is between vertices counts as so much farther away than it is
	bool oneCorner;             // what is between vertices counts for the nearest of them alone
	// nearer than this is a touch
	float margin;
} supTouchJob;

// One vertex.
bool supFindTouch( const supTouchJob* job, int32_t vertex, supTouch* touch );

// Vertices [begin, end) in order; those with skip[vertex] == mark are left out (skip may be NULL). Returns how many.
int32_t supFindTouches( const supTouchJob* job, int32_t begin, int32_t end, const int32_t* skip, int32_t mark,
						supTouch* touches );

// The box of a shape in the world; planes are all that is below them, as good as without an end.
supBox supShape_WorldBox( const supShape* shape, const supPlacement* placement );

static inline bool supBoxesMeet( supBox a, supBox b, float margin )
{
	return a.lower.x - margin <= b.upper.x && b.lower.x - margin <= a.upper.x && a.lower.y - margin <= b.upper.y &&
		   b.lower.y - margin <= a.upper.y && a.lower.z - margin <= b.upper.z && b.lower.z - margin <= a.upper.z;
}

static inline supBox supJoinBoxes( supBox a, supBox b )
{
	return supBox_Include( supBox_Include( a, b.lower ), b.upper );
}
