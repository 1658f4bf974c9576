// SPDX-License-Identifier: MIT
// In which order to eliminate the nodes of a symmetric matrix so that its factor stays sparse.
//
// Nested dissection (George 1973): a set of nodes is cut in two by a separator that is eliminated after both sides, and
// so on inside each side. Where nodes have positions a plane does the cutting: x, y or z; where they have none, or a
// body is bent, the distance through the graph from a far end. The separator is the smallest set of nodes that covers
// all edges across the cut (a minimum vertex cover: Koenig's theorem, by a maximum matching). Sets of some fifty
// and fewer are ordered by minimum degree, which sees the separators around the set too.
#pragma once

#include "core/core.h"
#include "supple/math.h"

// Neighbours of node i: columns[rowStarts[i]] to columns[rowStarts[i + 1]]; itself may be among them.
// - symmetric
typedef struct supGraph
{
	int32_t nodeCount;
	const int32_t* rowStarts;
	const int32_t* columns;
} supGraph;

// order[k] is the node that is eliminated k-th. False only where out of memory.
// - `points` may be NULL
bool supOrderNodes( const supGraph* graph, const supVec3* points, int32_t* order );
