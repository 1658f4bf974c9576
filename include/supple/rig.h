// SPDX-License-Identifier: MIT
/// @file rig.h
/// A skeleton for a mesh that has none, by pointing at it: a joint lies halfway between the first two places where the
/// line of sight through a click goes through the skin, two joints make a bone, and one of them is the root
/// (Capell, Green, Curless, Duchamp & Popović 2002, section 3).
#pragma once

#include "supple/base.h"
#include "supple/character.h"

/// The most joints.
#define SUP_MAX_RIG_JOINTS 4096

/// A skeleton in the making, with the mesh that it is for.
typedef struct supRig supRig;

/// Takes what it needs from the mesh at rest: the character need not live longer. NULL and an error where it has no
/// triangles or out of memory.
/// - tasks and error may be NULL
SUP_API supRig* supCreateRig( const supCharacter* mesh, const supTasks* tasks, supError* error );

/// NULL is allowed.
SUP_API void supDestroyRig( supRig* rig );

/// A camera that the mesh was looked at through, for clicks on a picture.
typedef struct supRigCamera
{
	supVec3 eye;
	/// What is in the middle of the picture.
	supVec3 target;
	supVec3 up;
	/// From the lower to the upper border of the picture, in degrees, above 0 and below 180.
	float fieldOfView;
	/// Of the picture, in pixels.
	float width;
	float height;
} supRigCamera;

/// The line of sight through a place of the picture, in pixels from its upper left corner: from the eye, of unit
/// length. False and an error where the camera sees nothing: looks nowhere, or straight up, or its numbers make no
/// sense.
SUP_API bool supRigCamera_GetRay( const supRigCamera* camera, float x, float y, supVec3* origin, supVec3* direction,
								  supError* error );

/// A joint halfway between the first two hits of a ray. Returns its number, 0 for the first; -1 and an error where the
/// ray misses the mesh or hits it only once (it is open there), or where the name is taken.
/// - the name is copied; NULL or "" gives "joint0", "joint1", ...
SUP_API int32_t supRig_AddJoint( supRig* rig, const char* name, supVec3 origin, supVec3 direction, supError* error );

/// A joint at a known place.
SUP_API int32_t supRig_AddJointAt( supRig* rig, const char* name, supVec3 place, supError* error );

SUP_API int32_t supRig_JointCount( const supRig* rig );
/// - the joint exists
SUP_API const char* supRig_JointName( const supRig* rig, int32_t joint );
SUP_API supVec3 supRig_JointPlace( const supRig* rig, int32_t joint );
/// -1 where there is none of this name.
SUP_API int32_t supRig_FindJoint( const supRig* rig, const char* name );

/// Two joints make a bone, in either order. False and an error where one does not exist, they are one, they have a bone
/// already, or bones would run in a circle.
SUP_API bool supRig_AddBone( supRig* rig, int32_t a, int32_t b, supError* error );

/// The joint that all others hang on. False and an error where it does not exist or another one is the root already.
SUP_API bool supRig_SetRoot( supRig* rig, int32_t joint, supError* error );

/// The skeleton as a character of nodes alone, in the order of the joints: for supple bind, or to go on with. NULL and
/// an error where there is no root, or a joint is not connected with it.
SUP_API supCharacter* supRig_CreateSkeleton( const supRig* rig, supError* error );
