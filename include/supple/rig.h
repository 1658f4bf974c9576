// SPDX-License-Identifier: MIT
/// @file rig.h
/// Creates a skeleton for a mesh from clicks: a joint lies halfway between the first two hits of a ray with the skin,
/// two joints make a bone, and one joint is the root (Capell, Green, Curless, Duchamp & Popović 2002, section 3).
#pragma once

#include "supple/base.h"
#include "supple/character.h"

/// Maximum number of joints.
#define SUP_MAX_RIG_JOINTS 4096

/// A skeleton under construction, with its mesh.
typedef struct supRig supRig;

/// Creates a rig from the mesh in its rest pose, which is copied: the character may be destroyed afterwards. Returns
/// NULL with an error if it has no triangles, or out of memory.
/// - tasks and error may be NULL
SUP_API supRig* supCreateRig( const supCharacter* mesh, const supTasks* tasks, supError* error );

/// NULL is allowed.
SUP_API void supDestroyRig( supRig* rig );

/// The camera of a picture that is clicked on.
typedef struct supRigCamera
{
	supVec3 eye;
	/// Point in the middle of the picture.
	supVec3 target;
	supVec3 up;
	/// Vertical, in degrees, above 0 and below 180.
	float fieldOfView;
	/// Size of the picture in pixels.
	float width;
	float height;
} supRigCamera;

/// Computes the ray through a pixel of the picture, measured from its upper left corner: from the eye, of unit length.
/// Returns false with an error if the camera is invalid: no direction, up parallel to it, or values out of range.
SUP_API bool supRigCamera_GetRay( const supRigCamera* camera, float x, float y, supVec3* origin, supVec3* direction,
								  supError* error );

/// Adds a joint halfway between the first two hits of a ray. Returns its index, or -1 with an error if the ray misses
/// the mesh or hits it only once (it is open there), or the name is in use.
/// - the name is copied; NULL or "" gives "joint0", "joint1", ...
SUP_API int32_t supRig_AddJoint( supRig* rig, const char* name, supVec3 origin, supVec3 direction, supError* error );

/// Adds a joint at a given position.
SUP_API int32_t supRig_AddJointAt( supRig* rig, const char* name, supVec3 place, supError* error );

SUP_API int32_t supRig_JointCount( const supRig* rig );
/// - the joint exists
SUP_API const char* supRig_JointName( const supRig* rig, int32_t joint );
SUP_API supVec3 supRig_JointPlace( const supRig* rig, int32_t joint );
/// Finds a joint by name. Returns -1 if there is none.
SUP_API int32_t supRig_FindJoint( const supRig* rig, const char* name );

/// Adds a bone between two joints, in either order. Returns false with an error if one does not exist, both are the
/// same, they already have a bone, or bones would form a cycle.
SUP_API bool supRig_AddBone( supRig* rig, int32_t a, int32_t b, supError* error );

/// Sets the root joint. Returns false with an error if it does not exist or another joint is the root.
SUP_API bool supRig_SetRoot( supRig* rig, int32_t joint, supError* error );

/// Creates the skeleton as a character of nodes alone, in the order of the joints. Returns NULL with an error if there
/// is no root, or a joint is not connected with it.
SUP_API supCharacter* supRig_CreateSkeleton( const supRig* rig, supError* error );
