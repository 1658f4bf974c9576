// SPDX-License-Identifier: MIT
// Solving where only a few nodes have a right-hand side and only these are asked for: the compliance of points that are
// dragged or held, C A^-1 Ct of a few constraints. Only the panels on the way from these nodes to the roots of the
// elimination tree are read: some percent of the factor.
#pragma once

#include "linear/factor.h"

typedef struct supPath
{
	supArena arena;
	const supSymbolic* symbolic;
	int32_t maxNodes;
	int32_t unknownCount; // of the nodes
	int32_t* places;      // in the order of elimination
	int32_t supernodeCount;
	int32_t* supernodes; // ascending
	int32_t* sizes;      // of all nodes, and where each starts in the order of elimination
	int32_t* starts;
	int32_t* supernodeOf; // of each unknown in the order of elimination
	uint8_t* marks;
} supPath;

// - at most `maxNodes` nodes at a time
// - `matrix` is the one that `symbolic` was made for; `symbolic` must outlive the path
bool supPath_Create( supPath* path, const supSymbolic* symbolic, const supBlockMatrix* matrix, int32_t maxNodes,
					 supError* error );
void supPath_Destroy( supPath* path );

// Chooses the nodes. Allocates nothing.
// - each node once
void supPath_SetNodes( supPath* path, const int32_t* nodes, int32_t nodeCount );

// x := the rows of A^-1 at these nodes times right-hand sides that are zero elsewhere, for the nodes' unknowns in the
// order of `nodes`: x[unknown * columns + c].
// - `scratch` as for supFactor_Solve with one worker
void supPath_Solve( const supPath* path, const supFactor* factor, double* x, int32_t columns, void* scratch );
