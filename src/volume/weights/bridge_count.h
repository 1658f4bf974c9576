// SPDX-License-Identifier: MIT
// Which elements join parts of a body that only lie near each other (bridges.h), and how many: a measure of how open a
// pose is.
#pragma once

#include "supple/character.h"
#include "volume/body/bones.h"
#include "volume/body/rest_surface.h"
#include "volume/tets/tets.h"

// Faces between voxels. False and an error where the character has no voxels or no bones, or when out of memory.
bool supCountVoxelBridges( const supCharacter* character, int32_t resolution, const supTasks* tasks, int32_t* count,
						   supError* error );

// Marks tets with an edge from part to part with 1, others with 0. False and an error where out of memory, or where the
// surface is none that a tree can be made of.
// - surface and bones are the character's; tets are of it in its rest pose; marks: one a tet
bool supMarkTetBridges( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
						const supTets* tets, const supTasks* tasks, uint8_t* marks, supError* error );

// How many are marked. False and an error as above.
// - tets are of the character in its rest pose
bool supCountTetBridges( const supCharacter* character, const supTets* tets, const supTasks* tasks, int32_t* count,
						 supError* error );
