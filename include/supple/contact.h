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

// ---------------------------------------------------------------------------------------------------------------------
// Colliders: rigid things in a scene (supScene_AddCollider in scene.h)

typedef enum supColliderMotion
{
	/// Stays where it is.
	sup_colliderStill,
	/// Goes where it is told to (supCollider_SetTransform), whatever is in its way.
	sup_colliderKinematic,
	/// Falls, and is pushed by flesh and by other colliders. Planes and open meshes cannot.
	sup_colliderDynamic,
} supColliderMotion;

typedef struct supColliderDef
{
	/// For messages; copied; may be NULL.
	const char* name;
	supShapeDef shape;
	/// Default still.
	supColliderMotion motion;
	/// Where it is and how it is turned.
	supVec3 position;
	supQuat rotation;
	/// Dynamic: kg; 0 (default) takes it from the density.
	float mass;
	/// Dynamic: kg/m^3, spread evenly over the shape. Default 1000.
	float density;
	/// Dynamic: m/s, and radians per second about an axis. Default 0.
	supVec3 velocity;
	supVec3 spin;
	/// How much sideways force it takes to slide, in parts of the pressing one, at least 0. Of two that touch the
	/// geometric mean counts. Default 0.5.
	float friction;
	/// Part of the speed that a hit gives back, 0..1. Of two that touch the larger counts. Default 0.
	float restitution;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supColliderDef;

/// A unit sphere that stays where it is.
SUP_API supColliderDef supDefaultColliderDef( void );

typedef struct supCollider supCollider;

/// All of a collider that changes: copy it out, put it back, and go on bit for bit the same.
typedef struct supColliderState
{
	supVec3 position;
	supQuat rotation;
	/// Where a kinematic one is to be by the end of the next step.
	supVec3 targetPosition;
	supQuat targetRotation;
	supVec3 velocity;
	supVec3 spin;
	/// Seconds since something moved it.
	float stillTime;
} supColliderState;

/// How the flesh of an actor touches.
typedef struct supContactSettings
{
	/// Default true.
	bool withColliders;
	/// Other actors that want it too. Default false.
	bool withActors;
	/// Its own parts that are no neighbours. Default false.
	bool withItself;
	/// As supColliderDef.friction. Default 0.5.
	float friction;
	/// As supColliderDef.restitution. Default 0.
	float restitution;
	/// Metres at which surfaces come to rest in front of each other, and the depth that no vertex exceeds where bones
	/// leave room. 0 (default): 0.003 of the character's largest extent.
	float thickness;
} supContactSettings;

/// Every field as its comment says.
SUP_API supContactSettings supDefaultContactSettings( void );

typedef struct supContactStats
{
	/// Of the last substep: vertices and bodies that pressed on something.
	int32_t contacts;
	/// Metres that the deepest vertex is inside of something after the last step, vertices that only follow bones left
	/// out; 0 where none is.
	float deepest;
	/// Vertices inside of something where nothing but bones moves them.
	int32_t held;
	/// Vertices that bones took too deep into other flesh, or into crumpled flesh, to be pushed out of it: they are
	/// left to their method, and are not among the deepest. Those that stay inside after a deep start are counted once
	/// a second.
	int32_t left;
	/// Since the scene was created: contacts beyond what there is room for, colliders that moved farther in a step than
	/// they may and so were put there at once, and colliders that were no longer numbers and so were put back.
	int64_t dropped;
	int64_t jumps;
	int64_t repaired;
} supContactStats;
