// SPDX-License-Identifier: MIT
// Places relative to bones, in lengths of them: "belly" and "left cheek" in numbers that fit one character as well as
// another.
//
//     origin   the joint at rest
//     y        along the bone: to the next joint, or if there is none to the end of its skin
//     z        as near to the character's forward as y allows; to its up, for bones that point forward (feet)
//     x        y cross z: the left of an upright character
//     unit     the length of the bone; for hips and spine of a humanoid that of the trunk from hips to neck, and y
//     points along that
#pragma once

#include "character/humanoid.h"
#include "supple/flesh.h"
#include "volume/body/rest_surface.h"

typedef struct supBoneSpace
{
	supVec3 origin;
	supVec3 x, y, z;
	float length;
} supBoneSpace;

// What bone spaces of a character are worked out from.
typedef struct supSkeletonSpaces
{
	supArena arena;
	const supCharacter* character;
	supRestSurface surface;
	supVec3 forward;
	bool isHumanoid;
	supHumanoid humanoid;
	supVec3* joints; // of each node: where it is at rest
	// of each vertex of the surface: the node that moves it most; -1 without
	int32_t* owners;
	float size; // of the surface
} supSkeletonSpaces;

// False and an error when out of memory. Nothing is left behind.
// - spaces is zero-initialised
bool supSkeletonSpaces_Init( supSkeletonSpaces* spaces, const supCharacter* character, const supTasks* tasks,
							 supError* error );
void supSkeletonSpaces_Destroy( supSkeletonSpaces* spaces );

// - node is in range
supBoneSpace supSkeletonSpaces_Find( const supSkeletonSpaces* spaces, int32_t node );

supVec3 supBoneSpace_ToWorld( const supBoneSpace* space, supVec3 p );
supVec3 supBoneSpace_FromWorld( const supBoneSpace* space, supVec3 p );

// The node with the role that a node has in another humanoid, else with the same name; -1 if there is none.
int32_t supSkeletonSpaces_Match( const supSkeletonSpaces* from, int32_t node, const supSkeletonSpaces* to );

// A region that is a place, in world space or relative to a bone.
static inline bool supIsSoftSolid( const supSoftRegion* region )
{
	return region->shape == sup_softSphere || region->shape == sup_softCapsule;
}

// The same region in world space.
supSoftRegion supResolveSoftRegion( const supSkeletonSpaces* spaces, const supSoftRegion* region );

// Regions in world space, in the arena: the given ones where none is relative to a bone. NULL when out of memory, and
// only then.
// - nodes of those in bone space are in range
const supSoftRegion* supResolveSoftRegions( const supCharacter* character, const supSoftRegion* regions, int32_t count,
											supArena* arena );
