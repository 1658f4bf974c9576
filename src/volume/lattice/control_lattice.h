// SPDX-License-Identifier: MIT
// A coarse lattice of cells around a body, with the bones as edges: what finite elements along the bones live on.
//
// (Capell, Green, Curless, Duchamp & Popović 2002, section 3.) Cells are tetrahedra, triangular prisms and hexahedra.
// Two cells meet in a common face, edge, vertex or not at all; every bone is a chain of edges; the object lies inside
// of the cells. So whoever knows where the joints are knows where all vertices on bones are, and with them a part of
// the cells' shape: a vertex on a bone keeps its share of the way between two joints.
//
// Made in two ways: out of any character (supBuildControlLattice, all tetrahedra), or out of arrays that someone else
// made (supControlLattice_Init; files of any kinds of cells come this way). Both are checked in the same way.
//
// Corners of a cell, in the order of the reference cell (r, s, t), whose map has a positive determinant:
//
//     tet    0 (0,0,0)  1 (1,0,0)  2 (0,1,0)  3 (0,0,1)
//     prism  0 (0,0,0)  1 (1,0,0)  2 (0,1,0)  3 (0,0,1)  4 (1,0,1)  5 (0,1,1)
//     hex    0 (0,0,0)  1 (1,0,0)  2 (1,1,0)  3 (0,1,0)  4 (0,0,1)  5 (1,0,1)  6 (1,1,1)  7 (0,1,1)
#pragma once

#include "supple/character.h"
#include "volume/body/rest_surface.h"

typedef enum supCellKind
{
	sup_cellTet,
	sup_cellPrism,
	sup_cellHex,
	sup_cellKindCount
} supCellKind;

#define SUP_MAX_CELL_CORNERS 8
#define SUP_MAX_CELL_FACES 6

typedef struct supCellShape
{
	const char* name;
	int32_t cornerCount;
	int32_t edgeCount;
	int32_t faceCount;
	int8_t edges[12][2];
	// counter-clockwise from outside; a triangle ends with -1
	int8_t faces[SUP_MAX_CELL_FACES][4];
	// of each corner the three corners that edges lead to, so that they are right-handed seen from it
	int8_t around[SUP_MAX_CELL_CORNERS][3];
	// in the reference cell
	int8_t places[SUP_MAX_CELL_CORNERS][3];
} supCellShape;

extern const supCellShape supCellShapes[sup_cellKindCount];

// A place that the skeleton knows: fixed in the space of a node. Joints are, and so are tips of the last bones.
typedef struct supLatticeJoint
{
	// of the character; -1 if there is none: it stays where it is
	int32_t node;
	// in the space of the node
	supVec3 offset;
	// at rest, in world space
	supVec3 rest;
} supLatticeJoint;

typedef struct supLatticeBone
{
	// from one joint to another
	int32_t a, b;
	// which carries the flesh around the bone along
	int32_t node;
} supLatticeBone;

// Where on the skeleton a vertex lies: ( 1 - t ) a + t b of two joints. a = -1: it does not, and is free. At a joint a
// and b are the same and t is 0.
typedef struct supLatticePin
{
	int32_t a, b;
	float t;
} supLatticePin;

// An edge of cells that is a piece of a bone: two vertices, from a to b.
typedef struct supBoneEdge
{
	int32_t bone;
	int32_t vertices[2];
} supBoneEdge;

typedef struct supControlLattice
{
	supArena arena;
	int32_t vertexCount;
	supVec3* vertices;
	// one a vertex
	supLatticePin* pins;

	int32_t cellCount;
	// supCellKind
	uint8_t* kinds;
	// first corner of each cell; cellCount + 1
	int32_t* cornerStarts;
	int32_t* corners;

	int32_t jointCount;
	supLatticeJoint* joints;
	int32_t boneCount;
	supLatticeBone* bones;
	// in the order of the bones, and along each of them
	int32_t edgeCount;
	supBoneEdge* edges;

	// SUP_MAX_CELL_FACES a cell: the cell behind each face, -1 if there is none
	int32_t* neighbours;
	// the cells around each vertex, rising: items[starts[i]] .. items[starts[i + 1] - 1]
	int32_t* aroundStarts;
	int32_t* around;
} supControlLattice;

SUP_SHARED_API void supControlLattice_Destroy( supControlLattice* lattice );

static inline bool supControlLattice_IsKnown( const supControlLattice* lattice, int32_t vertex )
{
	return lattice->pins[vertex].a >= 0;
}

// Where a joint is: worlds are those of a pose (supPose_Worlds).
static inline supVec3 supLatticeJoint_Place( const supLatticeJoint* joint, const supMat34* worlds )
{
	return joint->node >= 0 ? supTransformPoint( worlds[joint->node], joint->offset ) : joint->rest;
}

// Where the vertices on bones are in a pose; the others are left as they are. 16 bytes each, the fourth number is not
// touched. In the rest pose they come out as `vertices` to rounding.
void supControlLattice_PlaceBones( const supControlLattice* lattice, const supMat34* worlds, supVec4* positions );

// Of a cell, in cubic metres.
double supControlLattice_CellVolume( const supControlLattice* lattice, int32_t cell );

// ---------------------------------------------------------------------------------------------------------------------
// From arrays

typedef struct supControlLatticeArrays
{
	// in messages: the file
	const char* name;
	int32_t vertexCount;
	const supVec3* vertices;
	int32_t cellCount;
	const uint8_t* kinds;
	// one after another, as many as each kind has
	const int32_t* corners;
	int32_t jointCount;
	const supLatticeJoint* joints;
	int32_t boneCount;
	const supLatticeBone* bones;
	// NULL: worked out from the places: a vertex within 1e-5 of the lattice's size of a bone lies on it
	const supLatticePin* pins;
	// NULL: from joint to joint over all vertices that lie between. Those that are no edges of cells are left out.
	int32_t edgeCount;
	const supBoneEdge* edges;
} supControlLatticeArrays;

// Copies, checks and works out the rest. False and an error, nothing left behind, which names the cell and the face
// where a corner does not exist or comes twice, a vertex is not a number, a cell is inside out or flat (anywhere in
// it), a face has more than two cells or two on one side, two cells meet in a part of a face (a corner of one lies in a
// face, or on an edge, of another without being a corner of it), or one lies in another; and the bone where one is not
// a chain of edges.
// - lattice is zero-initialised; pins and edges, where given, name joints, bones and vertices that exist
SUP_SHARED_API bool supControlLattice_Init( supControlLattice* lattice, const supControlLatticeArrays* arrays,
											supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Out of a character

typedef struct supControlLatticeReport
{
	// of vertices, in metres: how far apart they were put
	float spacing;
	// vertices on bones, outside of the surface, and inside of it
	int32_t boneVertices, outerVertices, innerVertices;
	// rounds of splitting until all bones were edges, and pieces that were split
	int32_t rounds;
	int32_t splits;
	// joints so near to another, or to a bone, that they became one with it, and bones that lie outside of the body
	int32_t joinedJoints;
	int32_t outsideBones;
	// pieces of bones that are no edges all the same: where bones cross, or leave the body
	int32_t openPieces;
	// 72 sqrt(3) V / (sum of squared edges)^(3/2) of the worst cell and on average: 1 is regular, 0 flat
	float worstQuality, meanQuality;
} supControlLatticeReport;

typedef struct supControlLatticeDef
{
	const supCharacter* character;
	// the character's at rest; NULL: worked out
	const supRestSurface* surface;
	// Of vertices, SUP_LEAST_LATTICE..SUP_MOST_LATTICE; the result has about as many (a skeleton of more joints needs
	// more). Default 200.
	int32_t vertexCount;
	// may be NULL
	const supTasks* tasks;
	// filled where not NULL
	supControlLatticeReport* report;
} supControlLatticeDef;

#define SUP_LEAST_LATTICE 20
#define SUP_MOST_LATTICE 40000

supControlLatticeDef supDefaultControlLatticeDef( void );

// Tetrahedra, Delaunay but for what was moved to make them rounder. Every vertex of the surface lies in a cell, and
// every cell touches the body. The last bone of a chain gets a tip near the skin. The same bits for every number of
// threads. False and an error, nothing left behind, where there is no surface, no inside, no skeleton, where the
// skeleton lies outside of the body or is a single point, or out of memory.
// - lattice is zero-initialised
bool supBuildControlLattice( supControlLattice* lattice, const supControlLatticeDef* def, supError* error );
