// SPDX-License-Identifier: MIT
// Flesh as the kernels of a crowd want it: one block of bytes and its layout.
#pragma once

#include "method/position/crowd_layout.h"
#include "method/position/position.h"

typedef struct supCrowdFlesh
{
	supCrowdLayout layout;
	// bytes of a slot that are the actor's state
	size_t stateSize;
	// local memory that keeps all particles; 0 where these are solved in global memory
	size_t localSize;
	size_t byteCount;
	uint8_t* bytes;
} supCrowdFlesh;

// False with an error where out of memory.
// - localMemory: of the device; bodies that do not fit are laid out for its global memory
bool supCrowdFlesh_Init( supCrowdFlesh* packed, const supPositionFlesh* flesh, const supCharacter* character,
						 int64_t localMemory, supError* error );
void supCrowdFlesh_Destroy( supCrowdFlesh* packed );
