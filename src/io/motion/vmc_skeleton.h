// SPDX-License-Identifier: MIT
// The skeleton of a VMC sender: Unity's HumanBodyBones in T-pose, without rotations of their own.
#pragma once

#include "supple/character.h"

// Bones by their number are the nodes of the character, one behind: node 0 is the avatar's root.
#define SUP_VMC_BONES 55
#define SUP_VMC_HIPS 0

// -1 if there is none of this name.
int32_t supFindVmcBone( const char* name );

// The sender's skeleton as a character. Bones in `seen` are as long as the sender says (local places in our space,
// where they make a person who stands); without, or where they do not, it is a person of middling build. NULL only when
// out of memory.
supCharacter* supCreateVmcSkeleton( uint64_t seen, const supVec3* places, supError* error );

// A clip that turns every bone and moves the hips, for supCreateFollower. Static.
const supClip* supGetVmcClip( void );
