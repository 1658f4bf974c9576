// SPDX-License-Identifier: MIT
// The way out for a surface that is deep inside of another.
//
// Deep inside, the nearest place of the other surface says nothing: on the two sides of its middle it points opposite
// ways, and vertices that follow it tear their body apart. What does say something is how the two volumes overlap. The
// overlap of two closed bodies shrinks fastest where one is moved against the sum of the area vectors of its surface in
// the other (d volume = sum of area . move). So:
//
//   inside      vertices of one that are inside of the other, by signed crossings of three rays
//   parts       those that hang together on the surface
//   direction   of each part: against the sum of its area vectors; or, where these cancel out because all around a limb
//               is inside, that of a few in which the farthest of its vertices is nearest to the outside
//   way         of each vertex: along that direction to where it leaves the other
//
// All of a part goes one way, and the other body's surface in it goes about the opposite way. Parts whose ways are all
// short are left alone: there the nearest place is right.
//
// A body inside of itself: a ray from a vertex goes through its own limb as well. Of that, and of what is in each other
// at rest, a way is as long as the distance at rest. So only triangles count that were SUP_REST_SHARE_BEHIND times as
// far at rest, and a vertex is inside where the first of them is left.
#pragma once

#include "contact/detector.h"

typedef struct supDeepBody
{
	const supContactSkin* skin;
	const supVec3* positions;
} supDeepBody;

// Room for the largest of some skins.
typedef struct supDeepWork
{
	supArena arena;
	// of the other body along the direction at hand: right, up, along
	supVec3* seen;
	struct supBoxBlock* clusterBoxes;
	struct supBoxBlock* triangleBoxes; // SUP_CLUSTER_BLOCKS a cluster
	supBox* patchBoxes;
	// of each vertex: number of its part, or whether it is inside before it has one
	int32_t* parts;
	int32_t* members;
	// vertices in parts of its own body that stay where they are, of the last that was looked at
	int32_t stuckCount;
} supDeepWork;

// False when out of memory, nothing left behind.
// - work is zero-initialised
bool supDeepWork_Init( supDeepWork* work, const supContactSkin* const* skins, int32_t count );
void supDeepWork_Destroy( supDeepWork* work );

// Vertices of `a` in parts that are inside of `b` by more than `depth`, with the way out as normal and what is left of
// it as gap: at most `capacity` of them, in the order of parts. Body numbers are left 0.
// - a and b may be the same: parts of it that are inside of others
int32_t supFindDeep( supDeepWork* work, supDeepBody a, supDeepBody b, float depth, supContactHit* hits,
					 int32_t capacity );
