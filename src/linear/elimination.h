// SPDX-License-Identifier: MIT
// The elimination tree of a symmetric pattern (Liu 1990), and the supernodes that follow from it.
#pragma once

#include "core/arena.h"
#include "linear/ordering.h"

typedef struct supElimination
{
	int32_t* order;     // [nodeCount], postordered: children before parents, subtrees without gaps
	int32_t* positions; // the inverse
	int32_t* parents;   // in positions, -1 for a root
	int32_t* counts;    // of each column of L: nodes, itself included
	int32_t* weights;   // the same in unknowns
	// supernodes: positions groupStarts[g] to groupStarts[g + 1]
	int32_t groupCount;
	int32_t* groupStarts;
} supElimination;

// Takes `order` and changes it to an equivalent one.
// - offsets[node] to offsets[node + 1]: the unknowns of a node
// - false only where out of memory; all arrays are in `arena`
bool supElimination_Create( supElimination* elimination, supArena* arena, const supGraph* graph, const int32_t* offsets,
							int32_t* order );
