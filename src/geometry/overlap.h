// SPDX-License-Identifier: MIT
// One triangle against a box, a point and a ray: the tests at the bottom of every tree and grid.
//
// Coordinates are floats, arithmetic is double: differences of neighbouring floats are then exact and products have
// digits to spare, so each test can say what it guarantees.
//
// - Box: never misses. Touching is overlap, and where rounding leaves it open the answer is yes. A surface voxelised
//   with it has no holes.
// - Point: Ericson's regions (Real-Time Collision Detection, 5.1.5) for triangles that have an inside; needles, and
//   triangles that are a segment or a point, are taken as their three edges, which loses at most their thickness: 1e-7
//   of their length.
// - Ray: watertight (Woop, Benthin & Wald 2013). Vertices are sheared into the ray's own space one by one, so that two
//   triangles see the same numbers at the edge between them, and hits on an edge count for both: nothing slips through.
//   Triangles that the ray sees edge-on (thinner than 1e-14 of the distance) are left to their neighbours, which have
//   their edges.
#pragma once

#include "supple/math.h"

// Coordinates up to here: squares of distances then fit into a float.
#define SUP_MAX_COORDINATE 1.0e18f

typedef struct supTriangle
{
	supVec3 a, b, c;
} supTriangle;

static inline supBox supTriangle_Bounds( const supTriangle* t )
{
	supBox box = { t->a, t->a };
	return supBox_Include( supBox_Include( box, t->b ), t->c );
}

// Do they share a point? Both are closed: touching counts.
// - an empty box overlaps nothing
bool supTriangleOverlapsBox( const supTriangle* triangle, supBox box );

// A point of a triangle: (1 - u - v) a + u b + v c.
typedef struct supTrianglePoint
{
	supVec3 point;
	// u, v and 1 - u - v lie in [0, 1], the last to rounding
	float u, v;
	double distanceSquared;
} supTrianglePoint;

// The point of the triangle that is nearest to p.
supTrianglePoint supClosestPointOnTriangle( const supTriangle* triangle, supVec3 p );

float supDistanceToTriangle( const supTriangle* triangle, supVec3 p );

// 0 inside.
float supDistanceToBox( supBox box, supVec3 p );

// A ray, made ready for many triangles.
typedef struct supRay
{
	supVec3 origin;
	// no negative zeros, and components below 1e-30 of the largest are zero
	supVec3 direction;
	// axis of the largest component, and the two after it in the order that keeps the winding
	int32_t kx, ky, kz;
	double shearX, shearY, shearZ;
	// false for a direction that is not one: shorter than 1e-30, or not finite. It hits nothing.
	bool valid;
} supRay;

// - direction need not be of unit length: parameters along the ray are counted in its length
supRay supMakeRay( supVec3 origin, supVec3 direction );

typedef struct supRayHit
{
	// along the ray, in lengths of its direction
	double t;
	float u, v;
	// the ray comes from the side that sees a, b, c counter-clockwise
	bool front;
} supRayHit;

// Does the ray hit the triangle with t in [0, maxT]? Both sides count. A ray in the triangle's plane does not
// hit.
bool supRayHitsTriangle( const supRay* ray, const supTriangle* triangle, double maxT, supRayHit* hit );
