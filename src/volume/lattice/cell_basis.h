// SPDX-License-Identifier: MIT
// Functions on a control lattice: piecewise trilinear, in levels, each level half as coarse.
//
// (Capell et al. 2002, section 3.2.) Level 0 has one function a vertex of the lattice: barycentric on tets, the wedge's
// on prisms, trilinear on hexes. Each level divides every cell by new vertices at the middles of edges, faces and cells
// into hexahedra (one a corner). A function of level l stands at a new vertex of that level, is 1 there, 0 at all other
// vertices of the level and trilinear between. It is kept only
// - where it does not vanish on the object (some point of the integration rule lies in its support), and
// - where it vanishes on the skeleton (its vertex does not lie on a bone edge).
// So level 0 alone moves the bones, functions add up level by level, and a function that joins in with a coefficient of
// 0 changes nothing.
//
// Functions are numbered level by level; those of level 0 are the vertices of the lattice. A field is the sum of
// coefficient times function. The same field by its values at the vertices of the finest level ("nodes") is what a
// surface hangs on: supCellBasis_ToNodes.
#pragma once

#include "supple/flesh.h"
#include "volume/binding/surface_binding.h"
#include "volume/lattice/control_lattice.h"

// Levels beyond 0: at most this many.
#define SUP_MAX_BASIS_LEVEL 3

#define SUP_MAX_RULE_LEVEL 4

// The most functions that are not zero at one place.
#define SUP_MAX_BASIS_VALUES 32

typedef struct supCellBasis
{
	supArena arena;
	// must live longer
	const supControlLattice* lattice;
	// the finest level
	int32_t level;
	int32_t functionCount;
	// first function of each level, and the end
	int32_t levelStarts[SUP_MAX_BASIS_LEVEL + 2];
	// of each function its node
	int32_t* functionNodes;
	// cells in which each function is not zero, rising; functionCount + 1 starts
	int32_t* supportStarts;
	int32_t* supports;

	// Nodes: vertices of all levels, those of the lattice first, then the new ones of each level.
	int32_t nodeCount;
	int32_t nodeStarts[SUP_MAX_BASIS_LEVEL + 2];
	supVec3* nodes;
	// of each node its function, -1 where it has none
	int32_t* nodeFunctions;
	// of each node beyond the lattice's the coarser ones whose mean it is, 2 to 8; nodeCount + 1 starts, those of the
	// lattice have none
	int32_t* parentStarts;
	int32_t* parents;
	// 1 where a node lies on a bone
	uint8_t* isOnBone;

	// Hexahedra of level l >= 1: 8 nodes each, the corner with coordinates (a, b, c) at a + 2 b + 4 c. Those of level 1
	// stand at lattice->cornerStarts[cell] + corner; hex h of the level before has 8 h .. 8 h + 7 in the same way.
	int32_t hexCounts[SUP_MAX_BASIS_LEVEL + 1];
	int32_t* hexes[SUP_MAX_BASIS_LEVEL + 1];

	// Corners of the hexahedron of level 1 at each corner of each kind of reference cell.
	double references[sup_cellKindCount][SUP_MAX_CELL_CORNERS][8][3];
} supCellBasis;

// What the object is to the basis and to integrals: the inside of a surface, with per-point density and stiffness left
// to the caller.
typedef struct supCellRule
{
	supArena arena;
	int32_t pointCount;
	supVec3* points;
	// cubic metres: the share of the object that a point stands for
	float* weights;
	int32_t* cells;
	// functions that are not zero at each point, rising: starts[i] .. starts[i + 1] - 1
	int32_t* starts;
	int32_t* functions;
	float* values;
	supVec3* gradients;
	// sum of the weights
	double volume;
} supCellRule;

typedef struct supCellBasisDef
{
	const supControlLattice* lattice;
	// the object: everything that this goes around (winding number above 1/2)
	const supRestSurface* surface;
	// 0..SUP_MAX_BASIS_LEVEL. Default 0.
	int32_t level;
	// Times that cells are divided for the rule, at least `level` and 1, at most SUP_MAX_RULE_LEVEL. 0 (default): as
	// few as that.
	int32_t ruleLevel;
	// may be NULL
	const supTasks* tasks;
} supCellBasisDef;

supCellBasisDef supDefaultCellBasisDef( void );

// Both at once, since the rule says which functions there are. Each hexahedron of the rule's level is cut into six
// tets, each a point of the rule at its middle; its weight is the part of its volume that is inside. A cell counts with
// a thousandth of its volume at least, so that no function of level 0 is without any mass. The result does not depend
// on the number of threads. False and an error where nothing is inside, a level is out of range, or out of memory.
// - both are zero-initialised
bool supBuildCellBasis( supCellBasis* basis, supCellRule* rule, const supCellBasisDef* def, supError* error );
void supCellBasis_Destroy( supCellBasis* basis );
void supCellRule_Destroy( supCellRule* rule );

// ---------------------------------------------------------------------------------------------------------------------
// Places

// A place in a cell, in the coordinates of its reference cell (control_lattice.h).
typedef struct supCellPlace
{
	// -1: none
	int32_t cell;
	double at[3];
	// in world space
	supVec3 point;
} supCellPlace;

typedef struct supCellFinder supCellFinder;

// NULL with an error where out of memory. Keeps a pointer to the lattice. Any number of threads may ask.
supCellFinder* supCreateCellFinder( const supControlLattice* lattice, supError* error );

// NULL is fine.
void supDestroyCellFinder( supCellFinder* finder );

// The cell that holds p, faces included; of several the first. True where found.
bool supCellFinder_Find( const supCellFinder* finder, supVec3 p, supCellPlace* place );

// The place in any cell that is nearest to p: p itself where a cell holds it. False only where there is no cell.
bool supCellFinder_FindNearest( const supCellFinder* finder, supVec3 p, supCellPlace* place );

// Functions, their values and gradients at a place.
typedef struct supCellSample
{
	int32_t count;
	int32_t functions[SUP_MAX_BASIS_VALUES];
	double values[SUP_MAX_BASIS_VALUES];
	double gradients[SUP_MAX_BASIS_VALUES][3];
} supCellSample;

// All functions of levels up to `level` that are not zero there, rising. On faces, where gradients differ, those of
// this cell.
// - 0 <= level <= basis->level; the place is in the cell
void supCellBasis_Evaluate( const supCellBasis* basis, int32_t cell, const double at[3], int32_t level,
							supCellSample* sample );

// Values at all nodes from coefficients of all functions, both 16 bytes each: the fourth number of nodes is set to 0.
// Allocates nothing.
void supCellBasis_ToNodes( const supCellBasis* basis, const supVec4* coefficients, supVec4* nodes );

// All instances of the character in its rest pose, hung on the nodes of the basis: cell coordinates. Four nodes a
// vertex where the level is 0 and all cells are tets, eight elsewhere. A vertex outside of all cells is bound to the
// nearest place of the nearest cell and keeps its offset (surface_binding.h). Frames by supSurfaceBinding_FrameTets.
// - binding is zero-initialised; tasks may be NULL
bool supSurfaceBinding_InitCells( supSurfaceBinding* binding, const supCharacter* character, const supCellBasis* basis,
								  const supTasks* tasks, supError* error );
