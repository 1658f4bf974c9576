// SPDX-License-Identifier: MIT
// Skin weights of points inside a character: those of the skin at the nearest place, which are what the artist painted.
#pragma once

#include "supple/character.h"
#include "volume/bones.h"
#include "volume/rest_surface.h"

// SUP_MAX_INFLUENCES bones and weights of sum 1 for each point, the heaviest first. What hangs on a node that is no
// joint follows the joint above it, or the first bone. False and an error where out of memory.
// - surface and bones are the character's; there is at least one bone; tasks may be NULL
bool supWeighPoints( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					 const supVec3* points, int32_t count, uint16_t* joints, float* weights, const supTasks* tasks,
					 supError* error );

// The same, and says which points are nearest to a mesh that is not skinned but fixed to a joint: a rigid part.
// - rigid: of each point
bool supWeighFlesh( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					const supVec3* points, int32_t count, uint16_t* joints, float* weights, bool* rigid,
					const supTasks* tasks, supError* error );

// The weights of the surface's own vertices, each by its own mesh whatever lies at the same place.
// - rigid: as above; may be NULL
bool supWeighVertices( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					   uint16_t* joints, float* weights, bool* rigid, supError* error );
