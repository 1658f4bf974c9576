// SPDX-License-Identifier: MIT
// Cells that reach across a gap: from one leg to the other, from an arm to the body beside it. Flesh on the other side
// is foreign: near as the crow flies, far along the skeleton.
#pragma once

#include "volume/bones.h"
#include "volume/cell_basis.h"
#include "volume/softness.h"

typedef struct supGaps
{
	// of each entry of the rule (a place and a function of level 0): how far the flesh at the place is that which the
	// vertex belongs to. 1: it is; 0: foreign.
	float* affinities;
} supGaps;

// A vertex belongs to the flesh at the place where its function is largest. In `arena`. False only out of memory.
// - bones and softness are the character's
bool supFindGaps( supGaps* gaps, const supCellRule* cells, int32_t vertexCount, const supBones* bones,
				  const supSoftness* softness, supArena* arena );
