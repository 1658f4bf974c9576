// SPDX-License-Identifier: MIT
// Cells that reach across a gap: from one leg to the other, from an arm to the body beside it. Flesh on the other side
// is foreign: near as the crow flies, far along the skeleton.
#pragma once

#include "volume/bones.h"
#include "volume/cell_basis.h"

// A place in flesh, the bone that carries most of the skin it lies beneath, and its foot on the bone.
typedef struct supGapPlace
{
	supVec3 point;
	int32_t bone;
	supVec3 foot;
} supGapPlace;

typedef struct supGaps
{
	const supBones* bones;
	// of each entry of the rule (a place and a function of level 0): how far the flesh at the place is that which the
	// vertex belongs to. 1: it is; 0: foreign.
	float* affinities;
	// of each function of level 0: the place where it is largest, whose flesh it belongs to; bone -1 where there is
	// none
	supGapPlace* homes;
} supGaps;

// In `arena`. False only out of memory.
// - placeJoints: SUP_MAX_INFLUENCES of each place of the rule, the heaviest first
bool supFindGaps( supGaps* gaps, const supCellRule* cells, int32_t vertexCount, const supBones* bones,
				  const uint16_t* placeJoints, supArena* arena );

supGapPlace supGaps_Place( const supGaps* gaps, supVec3 point, int32_t bone );

// How far a function of level 0 belongs to the flesh at a place: 1 .. 0.
// - size: how far the function reaches, in metres
float supGaps_Affinity( const supGaps* gaps, const supGapPlace* place, int32_t function, float size );
