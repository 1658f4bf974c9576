// SPDX-License-Identifier: MIT
// From the reference cell to a cell of a control lattice and back.
//
// A place (r, s, t) of the reference cell goes to the sum of its corner functions times the corners: linear on tets,
// linear in (r, s) and in t on prisms, trilinear on hexes. The same functions are level 0 of the basis.
#pragma once

#include "volume/lattice/control_lattice.h"

// Corner functions, and their slopes by r, s, t, at a place of the reference cell, inside or not.
void supCellMap_Evaluate( supCellKind kind, const double at[3], double values[SUP_MAX_CELL_CORNERS],
						  double slopes[SUP_MAX_CELL_CORNERS][3] );

// Where the place is (may be NULL), and the columns of its derivative. Returns their determinant.
double supCellMap_Differentiate( const supControlLattice* lattice, int32_t cell, const double at[3], double place[3],
								 double jacobian[3][3] );

// The place of the reference cell that p comes from, by Newton's method: exact for tets. False where it does not
// converge, which happens only outside of a cell.
bool supCellMap_Invert( const supControlLattice* lattice, int32_t cell, supVec3 p, double at[3] );

// How far outside of the reference cell, in its own coordinates: at most 0 inside.
double supCellMap_Outside( supCellKind kind, const double at[3] );

// To the nearest place of the reference cell, in its own coordinates.
void supCellMap_Clamp( supCellKind kind, double at[3] );

// x of a x = b, by columns. False where singular.
bool supSolve3d( const double a[3][3], const double b[3], double x[3] );
