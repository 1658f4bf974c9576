// SPDX-License-Identifier: MIT
// Bodies of mass points: edges, triangles and tetrahedra that want to keep their length, area and volume.
//
// The energy of an element is ½ k C² with C = (l - l0) / l0 for an edge, (A - A0) / A0 for a triangle and (V - V0) / V0
// for a tet (Teschner, Heidelberger, Müller & Gross 2004), damped along the gradient:
//     F_i = ( -k C - k_d Σ_j ∇_j C · v_j ) ∇_i C
// k is a stiffness of the material times the share of the body that the element stands for, and k_d = k times a
// damping time, so that a body behaves alike however finely it is cut:
//     edge      Pa x m³   (a sixth of each tet around it; length times section where it is a rope)
//     triangle  N/m x m²
//     tet       Pa x m³
//
// Layout. Points are 16 bytes (x, y, z, inverse mass) in one array; elements lie in blocks of eight, one lane each,
// with all that the kernel reads side by side. Elements are sorted into chunks by their first point. A thread works on
// whole chunks, and a point that several chunks touch has a copy of its own for each of them but the first: copies are
// brought up to date before the elements are evaluated and summed up after, always in the same order. So no two threads
// ever write to the same place, no colours are needed, and sums do not depend on the number of threads.
//
//     slots:   [ points ........................ | copies of shared points, consecutive for each ]
#pragma once

#include "core/arena.h"
#include "supple/math.h"

#define SUP_POINT_LANES 8

// Points a chunk begins with; a multiple of eight, so that walls of cubes share nothing.
#define SUP_POINT_CHUNK 256

#define SUP_MAX_POINTS ( 1 << 26 )

// Lanes that stand for nothing repeat another one with weight 0.
typedef struct supEdgeBlock
{
	int32_t points[2][SUP_POINT_LANES];
	float inverseRest[SUP_POINT_LANES]; // 1 / length
	float weight[SUP_POINT_LANES];      // m³
} supEdgeBlock;

typedef struct supTriangleBlock
{
	int32_t points[3][SUP_POINT_LANES];
	float inverseRest[SUP_POINT_LANES]; // 1 / (2 area)
	float weight[SUP_POINT_LANES];      // m²
} supTriangleBlock;

typedef struct supTetBlock
{
	int32_t points[4][SUP_POINT_LANES];
	float inverseRest[SUP_POINT_LANES]; // 1 / (6 volume)
	float weight[SUP_POINT_LANES];      // m³
	float inverseSize[SUP_POINT_LANES]; // 1 / (twice the area of all faces)², 1/m⁴
} supTetBlock;

// Blocks of the chunk end where those of the next begin.
typedef struct supPointChunk
{
	int32_t edgeStart;
	int32_t triangleStart;
	int32_t tetStart;
} supPointChunk;

// Σ over elements of one kind around a point: weight |∇_i C| Σ_j |∇_j C|, the row sum that bounds its frequency.
typedef struct supPointRow
{
	float edges, triangles, tets;
} supPointRow;

// Plain arrays; immutable once built.
typedef struct supPointBody
{
	supArena arena;
	int32_t pointCount;
	int32_t slotCount;
	supVec3* rest;
	float* inverseMasses; // 0: moved from outside
	supPointRow* rows;

	int32_t chunkCount;
	supPointChunk* chunks; // one more than chunkCount
	int32_t edgeBlockCount;
	supEdgeBlock* edgeBlocks;
	int32_t triangleBlockCount;
	supTriangleBlock* triangleBlocks;
	int32_t tetBlockCount;
	supTetBlock* tetBlocks;
	// how many elements there are without the padding
	int32_t edgeCount;
	int32_t triangleCount;
	int32_t tetCount;

	// points that several chunks touch; copies of sharedPoints[i] are the slots sharedStarts[i] .. sharedStarts[i + 1]
	int32_t sharedCount;
	int32_t* sharedPoints;
	int32_t* sharedStarts;

	// points that are moved from outside
	int32_t fixedCount;
	int32_t* fixedPoints;
} supPointBody;

typedef struct supPointBodyDef
{
	int32_t pointCount;
	const supVec3* points;
	// kg. NULL: from density, a quarter of each tet and half of each edge of `edges`.
	const float* masses;
	// kg/m³, > 0
	float density;
	// not zero: moved from outside. NULL: none.
	const uint8_t* fixed;
	// four a tet, of positive volume
	int32_t tetCount;
	const int32_t* tets;
	// two each: edges besides those of tets, as in ropes and nets of threads
	int32_t edgeCount;
	const int32_t* edges;
	// m², of these edges
	float section;
	// three each: what resists a change of area
	int32_t triangleCount;
	const int32_t* triangles;
	// factor on the stiffness of each tet and its part of its edges. NULL: 1.
	const float* tetStiffness;
} supPointBodyDef;

// Zeros, and the density of water.
supPointBodyDef supDefaultPointBodyDef( void );

// False with an error that names the element where an index is out of range, an element is degenerate or a point has
// no mass, or out of memory; the body is then empty.
// - points in an order in which neighbours are near each other are faster
// - arrays are copied; error may be NULL
bool supPointBody_Init( supPointBody* body, const supPointBodyDef* def, supError* error );

// Of a zeroed body is fine.
void supPointBody_Destroy( supPointBody* body );

// The point that a slot is, or is a copy of.
int32_t supPointBody_Original( const supPointBody* body, int32_t slot );
