// SPDX-License-Identifier: MIT
// One vertex against one triangle of a surface: the tests at the bottom of the narrow phases.
#pragma once

#include "contact/skin.h"

// A surface as it is now.
typedef struct supSurfaceNow
{
	const supContactSkin* skin;
	const supVec3* positions;
} supSurfaceNow;

typedef struct supPairContact
{
	float bary[3];
	supVec3 normal; // the way out
	float gap;      // negative behind
	supVec3 point;  // that is touched
} supPairContact;

// The way out is within 75 degrees of the normal of a face: the square of the cosine. Without that, everything beyond
// the horizon of a round body would have to be looked at. Only at the bottom of a fold of more than 150 degrees it
// matters.
#define SUP_BEHIND_SLOPE 0.067f

// Has the distance from p to the surface a local minimum on this triangle, no farther than `margin` in front of it or
// `depth` behind it? The side is decided by the face, the sum of the two faces at an edge, or all faces around a vertex
// weighted by their angles (Baerentzen & Aanaes 2005); at least one of the triangles at an edge or vertex has p on the
// same side of its plane, and that one says yes: where they disagree this one says no. Open borders have no behind, and
// a front only as far as p is rather above than beside them.
// - the triangle has an area; `normal` is its unit normal
bool supTestVertexTriangle( const supSurfaceNow* surface, supVec3 p, int32_t triangle, supVec3 normal, float margin,
							float depth, supPairContact* contact );

// Goes the segment from p to q through the triangle, coming from its front?
bool supSegmentEnters( const supVec3 corners[3], supVec3 p, supVec3 q );

// A point and the corners of a triangle, each moving straight from `before` to `now`.
typedef struct supMovingPair
{
	supVec3 before[4]; // the point, then the corners
	supVec3 now[4];
} supMovingPair;

// When, in 0 .. 1, does the point go through the triangle for the first time such that it is on the other side of it in
// the end? INFINITY: not at all. Never misses: hits on edges and a hair beside them count. `entering`: from its front.
float supFindCrossing( const supMovingPair* pair, bool* entering, float bary[3] );
