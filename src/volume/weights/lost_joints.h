// SPDX-License-Identifier: MIT
// Joints that voxels cannot hold, told in words: which, and at what resolution they could.
#pragma once

#include "volume/body/bones.h"

typedef struct supLostJoint
{
	int32_t bone;
	// At which its bone has room, at most SUP_MAX_VOXEL_RESOLUTION. 0: its bone lies outside of the body, and no
	// resolution will do.
	int32_t resolution;
} supLostJoint;

// Voxels that each bone touches and no other bone does. False only when out of memory.
// - counts has room for boneCount
bool supBoneVoxels_CountOwn( const supBoneVoxels* boneVoxels, const supVoxels* voxels, int32_t* counts );

// Bones outside of the body, and bones inside whose count is 0: of supBoneVoxels_CountOwn, or of supLayers.boneCounts.
// Handles are left out, and bones that share the place of others by intent, which no resolution would change: those of
// no length, and those that are long enough and yet have no voxel to themselves. Returns how many.
// - joints has room for boneCount
int32_t supFindLostJoints( const supVoxels* voxels, const supBones* bones, const supBoneVoxels* boneVoxels,
						   const int32_t* counts, supLostJoint* joints );

// A sentence about those outside (outside = true) or those that are too small; NULL if there is none, or when out of
// memory: the arena knows. Names the first few.
// - the bones are of this character
const char* supDescribeLostJoints( supArena* arena, const supCharacter* character, const supVoxels* voxels,
								   const supBones* bones, const supLostJoint* joints, int32_t count, bool outside );
