// SPDX-License-Identifier: MIT
// What of a factorisation depends on the pattern alone: order, elimination tree, supernodes, where every number goes.
// Made once, constant, shared by any number of factors.
//
// A supernode is a run of columns with the same rows below them, so that its part of L is one dense panel. Fundamental
// supernodes are merged where that adds few zeros, and cut where they are wider than SUP_MAX_PANEL_WIDTH.
//
// A panel is stored in tiles: as many rows as a 32-byte register has lanes (8 floats, 4 doubles), column after column.
//
//     rows of the diagonal block, padded to whole tiles          tile 0   | c0 r0..r3 | c1 r0..r3 | c2 ...
//     rows below, padded to whole tiles                          tile 1   | c0 r4..r7 | ...
//
// A triangular solve reads a panel from front to back, once down and once up, and a product of panels finds its
// operands packed already.
#pragma once

#include "linear/block_matrix.h"
#include "supple/math.h"

#define SUP_MAX_PANEL_WIDTH 128

typedef enum supPrecision
{
	sup_precisionFloat,
	sup_precisionDouble,
} supPrecision;

static inline int32_t supTileRows( supPrecision precision )
{
	return precision == sup_precisionFloat ? 8 : 4;
}

typedef struct supSupernode
{
	int32_t first; // unknown, in the order of elimination
	int32_t width;
	int32_t height;   // rows below the diagonal block
	int32_t parent;   // -1 for a root
	int32_t rowStart; // in rows and rowTargets
	int32_t updateStart, updateEnd;
	int32_t blockStart, blockEnd;
	int64_t panelStarts[2]; // per supPrecision, in numbers
} supSupernode;

// Rows [rowBegin, rowEnd) of a supernode's panel are columns of another one, later: that one takes its product.
typedef struct supPanelUpdate
{
	int32_t supernode;
	int32_t rowBegin, rowEnd;
} supPanelUpdate;

// A block of the matrix and where it goes: its transpose starts at `row`, `column` of the panel. Rows from `width` on
// are those below the diagonal block.
typedef struct supPanelBlock
{
	int32_t block;
	int32_t row, column;
	int16_t rowCount, columnCount;
} supPanelBlock;

// Subtrees of the elimination tree that are worked on at the same time. They are chosen by the pattern, not by the
// number of threads. What a subtree gives to unknowns above it goes into a buffer of its own, added up in order.
typedef struct supSubtree
{
	int32_t first, last; // supernodes
	int32_t bufferStart; // place in the work vector: as many as the last supernode has rows
} supSubtree;

typedef struct supSymbolic
{
	supArena arena;
	int32_t nodeCount;
	int32_t unknownCount;
	int32_t blockCount;    // of the matrix it was made for
	int32_t* nodeOrder;    // [nodeCount], elimination order
	int32_t* unknownOrder; // [unknownCount]: the unknown of the matrix that is eliminated k-th
	int32_t supernodeCount;
	supSupernode* supernodes;
	int32_t* rows;       // in the order of elimination
	int32_t* rowTargets; // the same as places in the work vector of a solve
	supPanelUpdate* updates;
	supPanelBlock* blocks;
	int32_t subtreeCount;
	supSubtree* subtrees;
	int32_t* subtreeQueue; // the largest first
	int32_t topCount;
	int32_t* tops;     // supernodes above all subtrees
	int32_t workCount; // unknowns and buffers
	int32_t maxHeight;
	int64_t panelCounts[2]; // numbers in all panels
	int64_t factorCount;    // numbers of L that differ from zero by pattern, diagonal included
	double flops;           // of one factorisation: multiplications and additions
} supSymbolic;

// - `points`: the position of each node, for the order; may be NULL
// - `order`: an order to use instead, the node eliminated k-th; may be NULL
bool supSymbolic_Create( supSymbolic* symbolic, const supBlockMatrix* matrix, const supVec3* points,
						 const int32_t* order, supError* error );
void supSymbolic_Destroy( supSymbolic* symbolic );
