// SPDX-License-Identifier: MIT
// What the files of the control lattice share.
#pragma once

#include "core/array.h"
#include "geometry/tree.h"
#include "geometry/winding.h"
#include "volume/body/bones.h"
#include "volume/lattice/control_lattice.h"

// The arrays of a lattice, its neighbours and bone edges. Checks what can be wrong in a single cell or face; with
// `deep` also what needs a look at all others.
bool supControlLattice_Fill( supControlLattice* lattice, const supControlLatticeArrays* arrays, bool deep,
							 supError* error );

// control_lattice_check.c: what is wrong with a lattice whose arrays are in place.
bool supControlLattice_CheckCells( const supControlLattice* lattice, const char* name, supError* error );
bool supControlLattice_CheckOverlaps( const supControlLattice* lattice, const char* name, supError* error );

// "cell 12 (hex of vertices 3 4 5 6 7 8 9 10)"
const char* supDescribeCell( const supControlLattice* lattice, int32_t cell, char text[128] );
// "face 2 (vertices 3 4 5)"
const char* supDescribeFace( const supControlLattice* lattice, int32_t cell, int32_t face, char text[128] );

// ---------------------------------------------------------------------------------------------------------------------
// Out of a character

// The body that a lattice is made for.
typedef struct supLatticeBody
{
	const supCharacter* character;
	const supRestSurface* surface;
	// those of the surface, turned around where it was inside out as a whole
	uint32_t* indices;
	// of each vertex, outwards
	supVec3* normals;
	supTree* tree;
	supWinding* winding;
	supBox bounds;
	// longest side of the bounds, and area of all triangles
	float size;
	double area;
} supLatticeBody;

static inline bool supLatticeBody_IsInside( const supLatticeBody* body, supVec3 p )
{
	return supWinding_Evaluate( body->winding, p ) > 0.5f;
}

// control_lattice_skeleton.c: joints and straight bones between them, in the body.
typedef struct supLatticeSkeleton
{
	SUP_ARRAY( supLatticeJoint ) joints;
	SUP_ARRAY( supLatticeBone ) bones;
	int32_t joined;
	int32_t outside;
} supLatticeSkeleton;

void supLatticeSkeleton_Destroy( supLatticeSkeleton* skeleton );

// All joints and bones that are in the body, with tips. False and an error if there are none.
// - skeleton is zero-initialised
bool supLatticeSkeleton_Find( supLatticeSkeleton* skeleton, const supLatticeBody* body, supError* error );

// The same without what is too near to each other: joints within `near` become one, and bones within `beside` of a
// joint go through it. False only when out of memory.
// - joined is zero-initialised
bool supLatticeSkeleton_Join( const supLatticeSkeleton* skeleton, float near, float beside,
							  supLatticeSkeleton* joined );

// control_lattice_sites.c: where vertices go.
typedef enum supSiteKind
{
	sup_siteBone,
	sup_siteOuter,
	sup_siteInner,
} supSiteKind;

typedef struct supLatticeSite
{
	supVec3 place;
	// before it was moved to make tets rounder
	supVec3 origin;
	supLatticePin pin;
	supSiteKind kind;
	// the next one in the same place of the grid
	int32_t next;
} supLatticeSite;

typedef struct supLatticeSites
{
	SUP_ARRAY( supLatticeSite ) list;
	// places of the grid, hashed: the first of each
	int32_t* heads;
	int32_t headCount;
	// edge of the grid's cells, at least every distance that is asked for
	float cell;
} supLatticeSites;

// False only when out of memory.
// - sites is zero-initialised
bool supLatticeSites_Init( supLatticeSites* sites, float cell, int32_t expected );
void supLatticeSites_Destroy( supLatticeSites* sites );
bool supLatticeSites_Add( supLatticeSites* sites, supVec3 place, supLatticePin pin, supSiteKind kind );
// - distance is at most the grid's cell
bool supLatticeSites_HasNear( const supLatticeSites* sites, supVec3 place, float distance );

// Points around the surface, `spacing` apart and OFFSET of that outside of it; points around those; points inside, far
// from all others.
// False only when out of memory.
bool supLatticeSites_AddOuter( supLatticeSites* sites, const supLatticeBody* body, float spacing );
bool supLatticeSites_AddFar( supLatticeSites* sites, const supLatticeBody* body, float spacing );
bool supLatticeSites_AddInner( supLatticeSites* sites, const supLatticeBody* body, const supLatticeSkeleton* skeleton,
							   float spacing );

// Outside of a place on the surface, halfway where something comes against it. False where that is no place outside.
bool supFindOutside( const supLatticeBody* body, supVec3 from, supVec3 normal, float spacing, supVec3* place );

// How far outside of the surface outer points lie, in spacings.
#define SUP_LATTICE_OFFSET 0.2f

// Whole numbers that look random.
static inline uint32_t supScramble( uint32_t x )
{
	x = ( x ^ ( x >> 16 ) ) * 0x7feb352du;
	x = ( x ^ ( x >> 15 ) ) * 0x846ca68bu;
	return x ^ ( x >> 16 );
}

// [0, 1)
static inline float supScrambleFloat( uint32_t x )
{
	return (float)( supScramble( x ) >> 8 ) * 0x1p-24f;
}

// control_lattice_smooth.c: tets between sites, made rounder by moving those that may move.
typedef struct supLatticeTets
{
	int32_t count;
	int32_t ( *corners )[4];
} supLatticeTets;

// 72 sqrt(3) V / (sum of squared edges)^(3/2): 1 for a regular tet, 0 for a flat one, negative for an inverted one.
double supTetRoundness( const supVec3 corners[4] );

// Each site goes where the worst of the tets around it is best, as long as some are worse than `enough`, but not
// farther from where it was than it has room. False only when out of memory.
bool supSmoothLattice( supLatticeSites* sites, const supLatticeTets* tets, const float* rooms, float spacing,
					   double enough );

// Do a tet and the body share a point?
bool supLatticeBody_Touches( const supLatticeBody* body, const supVec3 corners[4] );

// Places of the surface in a tet, with the normals of their triangles: at most `most`. Returns how many.
typedef struct supSurfacePlace
{
	supVec3 place;
	supVec3 normal;
} supSurfacePlace;

int32_t supLatticeBody_FindSurface( const supLatticeBody* body, const supVec3 corners[4], supSurfacePlace* places,
									int32_t most );
