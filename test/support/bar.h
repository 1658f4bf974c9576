// SPDX-License-Identifier: MIT
// A bar of tetrahedra on a chain of bones.
#pragma once

#include "supple/character.h"
#include "volume/body/bones.h"
#include "volume/tets/tets.h"

// A box of nx by ny by nz cells of this size, each cut into six tets around its diagonal; from y = 0 upwards, its
// middle on the y axis.
void testMakeBar( supTets* tets, int32_t nx, int32_t ny, int32_t nz, float cell );

// Bones along the y axis, `count` of this length, as nodes 0, 1, ... of a character, and of a skin.
supCharacter* testMakeChain( int32_t count, float length );

// The chain as bones.
void testMakeChainBones( supBones* bones, int32_t count, float length );

// Four influences of each point of tets on such a chain, fading over `fade` metres on both sides of a joint.
void testWeighChain( const supTets* tets, int32_t count, float length, float fade, uint16_t* joints, float* weights );
