// SPDX-License-Identifier: MIT
#pragma once

#include "linear/ordering.h"

// A set of few nodes and those around it, as rows of bits.
#define SUP_MAX_LEAF_NODES 128
#define SUP_LEAF_WORDS 5

// Orders nodes[0 .. count) in place by minimum degree. Neighbours outside the set count as eliminated later.
// - count <= SUP_MAX_LEAF_NODES
// - local[] is -1 for every node of the graph, before and after
void supOrderLeaf( const supGraph* graph, int32_t* nodes, int32_t count, int32_t* local );
