// SPDX-License-Identifier: MIT
// The lattice behind tet_mesher.h: points, values, cuts, stencils.
//
// Lattice points have coordinates in half cubes: even for corners of cubes, odd for their centres. Each has fourteen
// edges: six to its own kind (one cube long, "black") and eight to the other kind (0.87 long, "red"). Each lattice tet
// has the centres of two cubes that share a face and the ends of one edge of that face: two black edges, four red.
//
// Only cubes near the body have points. They are kept as bits over the whole grid with counts beside them (as voxels
// are), centres and corners apart: finding a point is a bit test and a population count.
//
// Phases, each a loop over points or triangles whose pieces write to places of their own:
//   place    the grid; which cubes the surface touches, which are inside, which have points
//   value    signed distance to the surface, exact near it
//   pin      points that must be inside and tets that must be there: thin parts, or all around the surface
//   cut      edges from inside to outside, and where the surface crosses them
//   warp     points with a cut too near move onto it
//   fill     stencils
//   slim     what stands out around thin parts is moved towards the surface as far as angles allow
#pragma once

#include "geometry/winding.h"
#include "volume/tets/tet_mesher.h"
#include "volume/voxels/voxels.h"

typedef struct supTetSite
{
	// in half cubes
	int16_t x, y, z;
} supTetSite;

#define SUP_TET_LATTICE_EDGES 14

// 0..5: -x, +x, -y, +y, -z, +z, black. 6 + k: red, bit 0 of k for +x, bit 1 for +y, bit 2 for +z.
extern const supTetSite supTetSiteSteps[SUP_TET_LATTICE_EDGES];

// Cuts nearer to a lattice point than this part of the edge move the point. Chosen for the best of the worst angles of
// all stencils: 10.77 and 164.71 degrees.
#define SUP_WARP_BLACK 0.285f
#define SUP_WARP_RED 0.3988f

// Everything that stays the same while sizes are tried.
typedef struct supTetSource
{
	const supTetsDef* def;
	// the middle of the bounds, and everything as seen from there
	double center[3];
	supBox bounds;
	const supVec3* positions;
	// the caller's, or turned
	const uint32_t* indices;
	double longest;
	supTree* tree;
	supWinding* winding;
	// distance to the far side from the middle of each triangle, INFINITY if there is none
	float* thickness;
	// 1 or -1 for each axis: the side on which there is more of the surface
	double heavy[3];
} supTetSource;

// Fills thickness. The tree is there.
void supTetSource_MeasureThickness( supTetSource* source );

typedef struct supTetLattice
{
	supArena arena;
	const supTetSource* source;
	const supTasks* tasks;
	// the grid; its bits are the cubes that the surface touches or whose centre is inside
	supVoxels grid;
	// cubes around the surface: values of their points are exact
	uint64_t* nearBits;
	// [0] centres: the cubes that have points; [1] corners. Both laid out as grid.bits.
	uint64_t* bits[2];
	int32_t* starts[2];
	// centres come first
	int32_t centerCount;
	int32_t count;
	supTetSite* points;
	// signed distance, positive inside; 2 cubes at most
	float* values;
	// points near the surface, and those whose winding number is neither 0 nor 1
	int32_t nearCount, oddCount;
	// how far outside of the surface the boundary lies, in metres
	float level;
	// cuts are searched for, not only interpolated: better, and slower
	bool exact;
	// supTetPin
	uint8_t* pinned;
	// tets that are part of the body whatever their corners say, 12 bits for each centre: bit 4 * axis + k for the tet
	// towards the next centre along the axis and edge k of the face between
	uint32_t* marks;
	// 1 inside, 0 on the surface, -1 outside
	int8_t* states;

	// Cuts: the lower end of a black edge owns it, the centre a red one. Bits 0..2 black (+x, +y, +z), 3..10 red.
	uint16_t* cutMasks;
	int32_t* cutStarts;
	int32_t cutCount;
	// where from the owner (0) to the other end (1)
	float* cuts;
	int32_t cutCapacity;
	// the edge along which a point has moved, SUP_TET_LATTICE_EDGES for none
	uint8_t* warps;

	// tets of each chunk of centres before all chunks before it
	int32_t* chunkStarts;
	int32_t tetCount;
} supTetLattice;

#define SUP_TET_LATTICE_CHUNK 256

// Points that do not move onto a cut.
typedef enum supTetPin
{
	sup_tetFree,
	// a corner of a marked tet: inside or on the surface, never outside
	sup_tetHeld,
	// inside
	sup_tetPinned,
} supTetPin;

// Ends of the four edges of the face of a cube towards +x, +y or +z: its corners, bits 0, 1, 2 for x, y, z, counter-
// clockwise seen from outside.
extern const int8_t supTetCubeFaces[3][4];

// All phases from the cuts on once more, with the boundary moved outwards by `level` and exact cuts or not. False and
// an error where out of memory.
bool supTetLattice_SetLevel( supTetLattice* lattice, float level, bool exact, supError* error );

// Where the lattice lies in the bounds.
typedef struct supTetPlacement
{
	// bit k set gives an odd number of cubes along axis k, so that their middle is a centre and not a corner
	int32_t odd;
	// from there towards the heavy side, in cubes: below a half
	double shift[3];
} supTetPlacement;

// All phases up to counting the tets; cuts are not exact. False and an error where out of memory or where floats cannot
// hold the lattice.
bool supTetLattice_Init( supTetLattice* lattice, const supTetSource* source, double size,
						 const supTetPlacement* placement, supError* error );
void supTetLattice_Destroy( supTetLattice* lattice );

// Empty cubes around the bounds: the surface may touch the first, and two rings of cubes around it have points.
#define SUP_TET_LATTICE_MARGIN 3

// Index of a lattice point, -1 if there is none.
static inline int32_t supTetLattice_Find( const supTetLattice* lattice, int32_t x, int32_t y, int32_t z )
{
	int32_t kind = ( x & 1 ) != 0 ? 0 : 1;
	const supVoxels* grid = &lattice->grid;
	int32_t bit = ( x >> 1 ) + 1;
	int32_t row = ( ( z >> 1 ) + 1 ) * ( grid->ny + 2 ) + ( y >> 1 ) + 1;
	int32_t word = row * grid->wordsPerRow + ( bit >> 6 );
	uint64_t mask = 1ull << ( bit & 63 );
	uint64_t bits = lattice->bits[kind][word];
	return ( bits & mask ) != 0 ? lattice->starts[kind][word] + supCountBits( bits & ( mask - 1 ) ) : -1;
}

static inline int32_t supTetLattice_Neighbour( const supTetLattice* lattice, supTetSite p, int32_t edge )
{
	supTetSite s = supTetSiteSteps[edge];
	return supTetLattice_Find( lattice, p.x + s.x, p.y + s.y, p.z + s.z );
}

// In space, in double.
typedef struct supTetPlace
{
	double x, y, z;
} supTetPlace;

static inline supTetPlace supTetLattice_Place( const supTetLattice* lattice, supTetSite p )
{
	const supVoxels* g = &lattice->grid;
	return ( supTetPlace ){ g->center[0] + 0.5 * g->size * ( p.x - g->nx ),
							g->center[1] + 0.5 * g->size * ( p.y - g->ny ),
							g->center[2] + 0.5 * g->size * ( p.z - g->nz ) };
}

static inline supVec3 supTetPlace_ToVec3( supTetPlace p )
{
	return supMakeVec3( (float)p.x, (float)p.y, (float)p.z );
}

// The lattice tet that holds a place, with barycentric coordinates. False outside of the grid.
typedef struct supTetCell
{
	supTetSite corners[4];
	float weights[4];
} supTetCell;

bool supTetLattice_Locate( const supTetLattice* lattice, supTetPlace place, supTetCell* tet );

// Which cut is it? The owner and the bit of an edge seen from one of its ends; the other end too.
typedef struct supTetLatticeEdge
{
	int32_t owner;
	int32_t bit;
	// seen from the owner's end
	bool fromOwner;
} supTetLatticeEdge;

static inline supTetLatticeEdge supTetLattice_Edge( int32_t point, bool isCenter, int32_t other, int32_t edge )
{
	if ( edge < 6 )
	{
		bool up = ( edge & 1 ) != 0;
		return ( supTetLatticeEdge ){ up ? point : other, edge >> 1, up };
	}
	// a red edge is seen the other way round from its corner
	return isCenter ? ( supTetLatticeEdge ){ point, edge - 3, true }
					: ( supTetLatticeEdge ){ other, 3 + 7 - ( edge - 6 ), false };
}

// The edges that a point owns: black ones upwards, red ones of centres.
static inline int32_t supTetLattice_OwnEdge( int32_t bit )
{
	return bit < 3 ? 2 * bit + 1 : bit + 3;
}

static inline int32_t supTetLattice_CutIndex( const supTetLattice* lattice, supTetLatticeEdge edge )
{
	uint32_t mask = lattice->cutMasks[edge.owner];
	return lattice->cutStarts[edge.owner] + __builtin_popcount( mask & ( ( 1u << edge.bit ) - 1u ) );
}

// The cut on an edge, counted from `point` (0) to the other end (1).
static inline float supTetLattice_Cut( const supTetLattice* lattice, supTetLatticeEdge edge )
{
	float t = lattice->cuts[supTetLattice_CutIndex( lattice, edge )];
	return edge.fromOwner ? t : 1.0f - t;
}

// The phases.
void supTetLattice_Pin( supTetLattice* lattice );
bool supTetLattice_FindCuts( supTetLattice* lattice, supError* error );
void supTetLattice_Warp( supTetLattice* lattice );
bool supTetLattice_CountTets( supTetLattice* lattice, supError* error );

// Fills points, in the order of the lattice, and tets.
// - tets is zero-initialised
bool supTetLattice_Fill( const supTetLattice* lattice, supTets* tets, supError* error );

// Moves points of the boundary that stand outside of the surface for the sake of thin parts towards it, as far as the
// angles of all tets stay within the bounds. `outside` is how many still stand out by more than 0.05 cubes.
// - tets are what supTetLattice_Fill made, and the states are those they were made with
bool supTetLattice_Slim( const supTetLattice* lattice, supTets* tets, int32_t* outside, supError* error );
