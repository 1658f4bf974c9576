// SPDX-License-Identifier: MIT
// Shapes of colliders: how far a point is from one, which way is out, and when a moving point first touches it.
//
// Everything is in the shape's own space. Distances are signed and exact: negative inside, and the normal is the
// direction in which the distance grows, of unit length. Behind the triangles of an open mesh (ground) the distance is
// negative down to its thickness; deeper there is nothing.
#pragma once

#include "contact/hull.h"
#include "geometry/tree.h"
#include "supple/contact.h"

typedef struct supShape
{
	supShapeKind kind;
	float radius;
	float halfHeight;
	supVec3 halfExtents;
	supHull hull;

	// mesh
	supTree* tree;
	supArena arena;
	int32_t triangleCount;
	supVec3* faceNormals;   // per triangle
	supVec3* edgeNormals;   // three a triangle: of the edges 01, 12, 20
	supVec3* cornerNormals; // three a triangle
	// its sharp edges that look outwards, each a triangle of no width; NULL without any
	supTree* edgeTree;
	supVec3* edgeEnds; // two an edge
	bool isOpen;
	bool wasTurned;
	float thickness; // of an open mesh

	// all but planes
	supBox bounds;
	// of the solid, at density 1: 0 for planes and open meshes
	float volume;
	supVec3 center;
	// about the centre
	supMat3 inertia;
} supShape;

// False and an error, nothing left behind, where a size is not above 0 or not a number, where a mesh has no area, where
// points of a hull lie in a plane; or out of memory.
// - shape is zero-initialised
bool supShape_Init( supShape* shape, const supShapeDef* def, supError* error );
void supShape_Destroy( supShape* shape );

typedef struct supShapeHit
{
	// negative inside
	float distance;
	supVec3 normal;
	// the nearest point of its surface
	supVec3 point;
} supShapeHit;

// False where the shape is farther than maxDistance (may be INFINITY).
// - the point is finite
bool supShape_FindClosest( const supShape* shape, supVec3 point, float maxDistance, supShapeHit* hit );

// Does a point on its way from `from` to `to` come nearer than `margin`? `time` (0..1) says when, hit what is there. A
// point that starts nearer hits at time 0. Never misses a wall however thin, since it goes no farther at once than the
// distance allows.
bool supShape_Sweep( const supShape* shape, supVec3 from, supVec3 to, float margin, float* time, supShapeHit* hit );
