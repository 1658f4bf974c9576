// SPDX-License-Identifier: MIT
// A bounding volume tree over the triangles of a mesh: nearest points, rays, boxes.
//
//     positions, indices ──build──▶ nodes ──refit──▶ nodes (same shape, new boxes) ──▶ queries
//
// Each node has up to eight children, and the boxes of all eight lie side by side, so that one pass of wide arithmetic
// tests them together (Wald, Benthin & Boulos 2008). Children are cut by the surface area heuristic in bins (Wald
// 2007): of a node's parts the one with the largest surface is cut again until there are eight. Leaves hold up to eight
// triangles.
//
// Nodes are stored breadth first and all triangles below a node are consecutive in the tree's own order. So a refit
// goes through the levels from the last to the first, the nodes of one level in parallel; and whoever keeps something
// per node (moments of the winding number) finds its triangles in one run. The tree has its own copy of the corners in
// that order: it needs no array of the caller's after a call, and a leaf is read from one or two cache lines. A lean
// tree, for those who build something of a mesh that stays where it is, reads the caller's arrays instead and has
// larger leaves.
//
// A refit keeps the shape: answers are the same as those of a tree built afresh, only slower to find where the mesh has
// been bent far. Build again when a mesh changes its character, not when it moves.
//
// Guarantees
// - Answers equal those of a loop over all triangles, bit for bit: boxes are only skipped where rounding leaves no
//   doubt, and among equally near triangles the one with the smallest number wins.
// - They are the same for every number of threads and instruction set.
// - Queries and refit allocate nothing; queries may run on any number of threads at once.
// - Coordinates of meshes, points and rays: at most SUP_MAX_COORDINATE in size.
#pragma once

#include "geometry/overlap.h"

typedef struct supTree supTree;

// NULL and an error where a position is not finite or too large, or an index is out of range; or out of memory.
// - no triangles at all is fine: nothing is ever found
// - arrays are copied; error may be NULL
supTree* supCreateTree( const supVec3* positions, int32_t vertexCount, const uint32_t* indices, int32_t triangleCount,
						supError* error );

// The same answers with a fifth of the memory: with leaves of 16 some 13 bytes a triangle, and 32 while it is built;
// the moments of the winding number, 26 more, are two thirds.
// - the arrays stay where they are as long as the tree lives, and the mesh does not move: there is no refit
// - vertices that no triangle uses may be anything
// - leaf: the most triangles of one, at least 4. With 16 nearest points and rays are as fast as without; with more they
//   are slower, and there are fewer nodes.
supTree* supCreateLeanTree( const supVec3* positions, int32_t vertexCount, const uint32_t* indices,
							int32_t triangleCount, int32_t leaf, supError* error );

// NULL is fine.
void supDestroyTree( supTree* tree );

// The mesh has moved. Returns how many triangles cannot be used because a corner is not finite or too large: they are
// not found by anything until a refit brings them back.
// - as many positions as the tree was created with; the tree is not lean
// - tasks may be NULL
int32_t supTree_Refit( supTree* tree, const supVec3* positions, const supTasks* tasks );

// Empty without triangles.
supBox supTree_Bounds( const supTree* tree );

typedef struct supTreeHit
{
	// -1: nothing found, and the rest is zero
	int32_t triangle;
	// the point is (1 - u - v) a + u b + v c
	float u, v;
	// from the point of the query; along a ray in lengths of its direction
	float distance;
	supVec3 point;
	// rays: from the side that sees a, b, c counter-clockwise. Nearest points: not set.
	bool front;
} supTreeHit;

// The nearest point of the mesh, if one is within maxDistance (which counts as within; may be INFINITY). True where
// found.
bool supTree_FindClosest( const supTree* tree, supVec3 point, float maxDistance, supTreeHit* hit );

// The first triangle along the ray, from either side. True where found. Watertight: see overlap.h.
// - direction need not be of unit length
bool supTree_CastRay( const supTree* tree, supVec3 origin, supVec3 direction, float maxDistance, supTreeHit* hit );

// Return false to stop.
typedef bool supTreeQueryFcn( int32_t triangle, void* context );

// Calls `function` for every triangle whose bounding box touches `box`, each once, in an order of the tree's own that
// is always the same. supTriangleOverlapsBox tells which of them touch it themselves. Returns false where stopped.
bool supTree_Query( const supTree* tree, supBox box, supTreeQueryFcn* function, void* context );
