// SPDX-License-Identifier: MIT
// Soft things built from cubes of five tetrahedra: ropes, nets, cubes and walls of them, bags, tails.
#pragma once

#include "core/array.h"
#include "supple/flesh.h"

// Parts are separate lattices of cubes; joints hold them together.
typedef struct supProp
{
	SUP_ARRAY( supVec3 ) points;
	SUP_ARRAY( int32_t ) tets;      // four each
	SUP_ARRAY( int32_t ) triangles; // three each: the boundary, seen from outside counter-clockwise
	SUP_ARRAY( int32_t ) joints;    // two each: points in the same place
	SUP_ARRAY( int32_t ) nails;     // points that a scene would nail: the top row of a wall, the rim of a bag
} supProp;

// Of a zeroed prop is fine.
void supProp_Destroy( supProp* prop );

// A lattice of cells, corners at origin + ( i x + j y + k z ). `keep` (NULL: all) says which cells are there, x
// fastest.
typedef struct supLattice
{
	int32_t nx, ny, nz;
	supVec3 origin;
	supVec3 x, y, z; // right-handed
	const uint8_t* keep;
	// size across at the far end of x, against the near one; 0 means 1
	float taper;
} supLattice;

// Each of these adds to what is there already and returns false where out of memory or beyond a million points; the
// prop is then to be destroyed. supProp_Finish has to be called at the end.
bool supProp_AddLattice( supProp* prop, const supLattice* lattice );

// Along x from `from` to `to`, square across.
bool supProp_AddRope( supProp* prop, supVec3 from, supVec3 to, float thickness, int32_t segments );

// As a rope, thinner towards its end.
bool supProp_AddTail( supProp* prop, supVec3 from, supVec3 to, float thickness, float endThickness, int32_t segments );

// Strands in x and y, crossing every `mesh` metres, joined at the crossings; two nails at each of its four ends.
bool supProp_AddNet( supProp* prop, supVec3 origin, int32_t columns, int32_t rows, float mesh, float thickness );

// Hollow, open above, walls one cell thick; nails at the corners of the rim.
bool supProp_AddBag( supProp* prop, supVec3 origin, supVec3 size, int32_t cells );

// Figure 1 of the paper: single cubes in rows and columns. Where four cubes meet, two pairs of corners are joined, in
// turn side by side and one above the other; where two meet below, one pair. The top row hangs on 2 ( columns + 1 )
// nails.
bool supProp_AddCubeWall( supProp* prop, int32_t columns, int32_t rows, float size );

// Joints become one point each, for parts that never come apart. False where out of memory.
// - before supProp_Finish
bool supProp_Weld( supProp* prop );

// The boundary. False where out of memory.
bool supProp_Finish( supProp* prop );

// What the method needs: a character without a skeleton whose vertices are the points, and its tets for
// supFleshDef.tets. The tets are a view of the prop.
// - the prop is finished; NULL with an error where out of memory
supCharacter* supProp_CreateCharacter( const supProp* prop, const char* name, supError* error );
supTetMesh supProp_Tets( const supProp* prop );
