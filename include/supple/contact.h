// SPDX-License-Identifier: MIT
/// @file contact.h
/// Colliders and contact settings.
#pragma once

#include "supple/base.h"
#include "supple/math.h"

typedef enum supShapeKind
{
	/// The half-space y <= 0.
	sup_shapePlane,
	sup_shapeSphere,
	/// Its axis is y.
	sup_shapeCapsule,
	sup_shapeBox,
	/// Convex hull of the vertices.
	sup_shapeHull,
	/// Triangles, counter-clockwise seen from outside. A closed mesh is a solid; one that is inside out is flipped. A
	/// mesh with open borders is ground: solid behind its triangles to a depth of a tenth of its largest extent.
	sup_shapeMesh,
} supShapeKind;

/// In the collider's local space, in metres.
typedef struct supShapeDef
{
	supShapeKind kind;
	/// Sphere and capsule: radius, > 0.
	float radius;
	/// Capsule: distance from its centre to the centre of a cap, >= 0.
	float halfHeight;
	/// Box: half of each side, > 0.
	supVec3 halfExtents;
	/// Hull and mesh. Copied.
	int32_t vertexCount;
	const supVec3* vertices;
	/// Mesh: three indices per triangle. Copied.
	int32_t triangleCount;
	const uint32_t* indices;
} supShapeDef;

// ---------------------------------------------------------------------------------------------------------------------
// Colliders: rigid things in a scene (supScene_AddCollider in scene.h)

typedef enum supColliderMotion
{
	/// Never moves.
	sup_colliderStill,
	/// Follows supCollider_SetTransform; nothing pushes it.
	sup_colliderKinematic,
	/// Falls and is pushed by flesh and other colliders. Not for planes and open meshes.
	sup_colliderDynamic,
} supColliderMotion;

typedef struct supColliderDef
{
	/// Name used in messages. Copied; may be NULL.
	const char* name;
	supShapeDef shape;
	/// Default still.
	supColliderMotion motion;
	/// World transform. Default: the origin, not rotated.
	supVec3 position;
	supQuat rotation;
	/// Dynamic: mass in kg; 0 (default) derives it from the density.
	float mass;
	/// Dynamic: density in kg/m^3, uniform. Default 1000.
	float density;
	/// Dynamic: linear velocity in m/s and angular velocity in rad/s. Default 0.
	supVec3 velocity;
	supVec3 spin;
	/// Coulomb friction coefficient, >= 0. A pair uses the geometric mean. Default 0.5.
	float friction;
	/// Fraction of the approach speed returned by an impact, 0..1. A pair uses the larger. Default 0.
	float restitution;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supColliderDef;

/// Returns the definition of a still unit sphere.
SUP_API supColliderDef supDefaultColliderDef( void );

typedef struct supCollider supCollider;

/// The complete mutable state of a collider. Saving and restoring it reproduces later steps bit for bit.
typedef struct supColliderState
{
	supVec3 position;
	supQuat rotation;
	/// Kinematic: target at the end of the next step.
	supVec3 targetPosition;
	supQuat targetRotation;
	supVec3 velocity;
	supVec3 spin;
	/// Seconds since it last moved.
	float stillTime;
} supColliderState;

/// What an actor collides with, and how.
typedef struct supContactSettings
{
	/// Collide with colliders. Default true.
	bool withColliders;
	/// Collide with other actors that also set this. Default false.
	bool withActors;
	/// Collide with its own parts, except adjacent ones. Default false.
	bool withItself;
	/// As supColliderDef.friction. Default 0.5.
	float friction;
	/// As supColliderDef.restitution. Default 0.
	float restitution;
	/// Distance in metres at which surfaces come to rest, and the largest penetration left wherever bones leave room. 0
	/// (default): 0.003 of the character's largest extent.
	float thickness;
} supContactSettings;

/// Returns the documented default of every field.
SUP_API supContactSettings supDefaultContactSettings( void );

typedef struct supContactStats
{
	/// Contacts under pressure in the last substep.
	int32_t contacts;
	/// Deepest penetration in metres after the last step, ignoring vertices that only follow bones; 0 if there is none.
	float deepest;
	/// Penetrating vertices that only bones can move.
	int32_t held;
	/// Vertices whose penetration was abandoned because bones push them too deep or into crumpled flesh. They follow
	/// their method and do not count as deepest. Vertices still inside after a deep start are counted once per second.
	int32_t left;
	/// Since the scene was created: contacts that exceeded capacity, colliders that moved farther in a step than
	/// allowed and were placed at their target at once, and colliders with non-finite values that were restored.
	int64_t dropped;
	int64_t jumps;
	int64_t repaired;
} supContactStats;
