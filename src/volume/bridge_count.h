// SPDX-License-Identifier: MIT
// How many elements join parts of a body that only lie near each other (bridges.h), as voxels and tets come before
// anything is cut: a measure of how open a pose is.
#pragma once

#include "supple/character.h"
#include "volume/tets.h"

// Faces between voxels. False and an error where the character has no voxels or no bones, or when out of memory.
bool supCountVoxelBridges( const supCharacter* character, int32_t resolution, const supTasks* tasks, int32_t* count,
						   supError* error );

// Tets with an edge from part to part. False and an error as above.
// - tets are of the character in its rest pose
bool supCountTetBridges( const supCharacter* character, const supTets* tets, const supTasks* tasks, int32_t* count,
						 supError* error );
