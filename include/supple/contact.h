// SPDX-License-Identifier: MIT
/// @file contact.h
/// What flesh touches.
#pragma once

#include "supple/base.h"
#include "supple/math.h"

typedef enum supShapeKind
{
	/// Everything below y = 0.
	sup_shapePlane,
	sup_shapeSphere,
	/// Along y.
	sup_shapeCapsule,
	sup_shapeBox,
	/// The convex hull of points.
	sup_shapeHull,
	/// Triangles, counter-clockwise from outside. A closed mesh is a body; one that is wound inside out is turned. A
	/// mesh with open borders is ground: solid behind its triangles, to a depth of a tenth of its largest extent.
	sup_shapeMesh,
} supShapeKind;

/// In the collider's own space, about its origin, in metres.
typedef struct supShapeDef
{
	supShapeKind kind;
	/// Sphere and capsule, above 0.
	float radius;
	/// Capsule: from its middle to the centre of a cap, at least 0.
	float halfHeight;
	/// Box, all above 0.
	supVec3 halfExtents;
	/// Hull and mesh. Copied.
	int32_t vertexCount;
	const supVec3* vertices;
	/// Mesh: three indices a triangle. Copied.
	int32_t triangleCount;
	const uint32_t* indices;
} supShapeDef;
