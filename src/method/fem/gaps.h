// SPDX-License-Identifier: MIT
// Cells that reach across a gap: from one leg to the other, from an arm to the body beside it. Flesh on the other side
// is foreign: near as the crow flies, far along the skeleton, or on the far side of a bridge
// (volume/weights/bridges.h).
#pragma once

#include "volume/lattice/cell_basis.h"
#include "volume/weights/bridges.h"

// A place in flesh, the skin that it lies beneath, and its foot on the bone that carries most of that.
typedef struct supGapPlace
{
	supSkinPlace skin;
	supVec3 foot;
} supGapPlace;

typedef struct supGaps
{
	supBridges* bridges;
	// of each entry of the rule (a place and a function of level 0): how far the flesh at the place is that which the
	// vertex belongs to. 1: it is; 0: foreign.
	float* affinities;
	// of each place of the rule
	supGapPlace* places;
	// of each function of level 0: the place where it is largest, whose flesh it belongs to; -1 if there is none
	int32_t* homes;
} supGaps;

// In `arena`. False only out of memory.
// - bridges outlive the gaps
bool supFindGaps( supGaps* gaps, const supCellRule* cells, int32_t vertexCount, supBridges* bridges,
				  const supTasks* tasks, supArena* arena );

// Do a place of the skin and the flesh that a function of level 0 belongs to only lie near each other? Not for two
// threads at once.
bool supGaps_AreApart( const supGaps* gaps, const supSkinPlace* place, int32_t function );
