// SPDX-License-Identifier: MIT
// Sparse symmetric matrices made of small dense blocks, with a pattern that stays while the values change.
//
// A node is a vertex of the graph with a few unknowns of its own: 3 for the displacement of a point, 1 where x, y and z
// share one scalar matrix, 6 + c for a bone with the c multipliers of the joint to its parent. Both triangles are
// stored: a row's product then reads one stream and writes one row, and threads never meet.
#pragma once

#include "core/arena.h"

// Numbers past the end of a matrix's values that must be there, since wide loads of the last block reach them.
#define SUP_BLOCK_PADDING 8

// The most unknowns of one node.
#define SUP_MAX_NODE_SIZE 32

// The coupling: nodes of an element couple with each other.
// - nodes of element e: nodes[e * width] and the following, or, where `starts` is not NULL, from starts[e] to
//   starts[e + 1]
// - a negative node is no unknown (a point on a bone, say) and is left out
typedef struct supElements
{
	int32_t count;
	int32_t width;
	const int32_t* starts;
	const int32_t* nodes;
} supElements;

typedef struct supBlockMatrix
{
	supArena arena;
	int32_t nodeCount;
	// unknowns of each node, 0 where they differ
	int32_t nodeSize;
	int32_t unknownCount;
	// [nodeCount + 1]: the first unknown of each node
	int32_t* offsets;
	// [nodeCount + 1] and [blockCount]: columns ascend, the diagonal is always there
	int32_t* rowStarts;
	int32_t* columns;
	int32_t blockCount;
	// [blockCount + 1]: where in `values` each block starts; a block is stored column by column
	int32_t* blockStarts;
	double* values;
} supBlockMatrix;

// All values are zero. False and an error where a node is out of range, the matrix too large or memory short.
// - nodeSize in [1, SUP_MAX_NODE_SIZE], or `sizes` gives each node's
// - `elements` may be NULL: a block diagonal
bool supBlockMatrix_Create( supBlockMatrix* matrix, int32_t nodeCount, int32_t nodeSize, const int32_t* sizes,
							const supElements* elements, supError* error );
void supBlockMatrix_Destroy( supBlockMatrix* matrix );

void supBlockMatrix_SetZero( supBlockMatrix* matrix );

// The block of (row, column), -1 if there is none.
int32_t supBlockMatrix_Find( const supBlockMatrix* matrix, int32_t row, int32_t column );

static inline double* supBlockMatrix_Block( const supBlockMatrix* matrix, int32_t block )
{
	return matrix->values + matrix->blockStarts[block];
}

// Adds a block (column by column) at (row, column), and its transpose at (column, row).
// - the pattern has the block
// - on the diagonal the block is symmetric
void supBlockMatrix_AddBlock( supBlockMatrix* matrix, int32_t row, int32_t column, const double* block );

// y := A x for several vectors at once: x[unknown * columns + c].
// - `tasks` may be NULL; the same bits whatever it is
void supBlockMatrix_Multiply( const supBlockMatrix* matrix, const double* x, double* y, int32_t columns,
							  const supTasks* tasks );

// ---------------------------------------------------------------------------------------------------------------------
// Assembly from element matrices: each row of blocks gathers what its elements give, in the order of the elements. No
// colours, no atomics, and the sum does not depend on threads.

typedef struct supAssembly
{
	supArena arena;
	int32_t nodeCount;
	// [nodeCount + 1]: the corners at each node
	int32_t* cornerStarts;
	// per corner: where its row of element blocks starts (in blocks), and how many nodes the element has
	int32_t* sources;
	int32_t* widths;
	// per corner and node of its element: the block it adds to, -1 for none
	int32_t* slotStarts;
	int32_t* slots;
} supAssembly;

// - the pattern of `matrix` has all blocks of `elements`
bool supAssembly_Create( supAssembly* assembly, const supBlockMatrix* matrix, const supElements* elements,
						 supError* error );
void supAssembly_Destroy( supAssembly* assembly );

// Adds element matrices. Element e with m nodes has m * m blocks, block (a, b) at a * m + b after those of the elements
// before it, each block column by column.
// - all nodes of `matrix` have the same size
void supBlockMatrix_AddElements( supBlockMatrix* matrix, const supAssembly* assembly, const double* elementMatrices,
								 const supTasks* tasks );
