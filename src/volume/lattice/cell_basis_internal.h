// SPDX-License-Identifier: MIT
// What the files of the cell basis share.
#pragma once

#include "volume/lattice/cell_basis.h"

// cell_basis_nodes.c: nodes and hexahedra of all levels. False only when out of memory.
bool supCellBasis_Divide( supCellBasis* basis );

// Functions at all nodes that are alive and not on bones, and the cells around each. False only when out of memory.
// - isAlive has one for each node
bool supCellBasis_Number( supCellBasis* basis, const uint8_t* isAlive );

// Trilinear functions of a hexahedron (corner k is a + 2 b + 4 c) and their slopes.
void supEvaluateHexahedron( const double at[3], double values[8], double slopes[8][3] );

// The hexahedron of the finest level that a place in a cell lies in, and its coordinates there.
// - the level is not 0
int64_t supCellBasis_FindHex( const supCellBasis* basis, int32_t cell, const double at[3], double coordinates[3] );

// The tets that a cell is cut into, by its corners: 1, 3 or 6. They fill it where its faces are flat.
int32_t supSplitCell( supCellKind kind, const int8_t ( **parts )[4] );
