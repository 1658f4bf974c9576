// SPDX-License-Identifier: MIT
// The nodes of a tree, for code that traverses it.
#pragma once

#include "core/kernel.h"
#include "geometry/tree.h"

#define SUP_TREE_WIDTH 8

// A node's range is cut into parts of up to SUP_TREE_LEAF triangles while it has room for more children. Where it has
// none, parts up to the second number stay leaves: a node for each would more than double memory and speed up nothing.
#define SUP_TREE_LEAF 4
#define SUP_TREE_LEAF_MOST 8

// From this level on ranges are halved by count, so that no mesh makes a deeper tree than SUP_TREE_LEVELS: each such
// level divides by eight, and ten of them the largest count.
#define SUP_TREE_SAFE_LEVEL 24
#define SUP_TREE_LEVELS 36

// A walk leaves at most seven siblings behind on every level.
#define SUP_TREE_STACK ( 7 * SUP_TREE_LEVELS + 8 )

typedef struct supTreeNode
{
	// boxes of the children, by axis; empty (lower > upper) where there is no child or none that can be found
	float lower[3][SUP_TREE_WIDTH];
	float upper[3][SUP_TREE_WIDTH];
	// node of each child, larger than this one's; -1 for a leaf
	int32_t nodes[SUP_TREE_WIDTH];
	// triangles below each child; count 0 for no child, which come last
	int32_t firsts[SUP_TREE_WIDTH];
	int32_t counts[SUP_TREE_WIDTH];
} supTreeNode;

struct supTree
{
	int32_t vertexCount;
	int32_t triangleCount;
	int32_t nodeCount; // 0 without triangles
	supTreeNode* nodes;
	// first node of each level, and the end
	int32_t levelCount;
	int32_t levelStarts[SUP_TREE_LEVELS + 1];
	// the caller's number of each triangle in the tree's order
	int32_t* numbers;
	// in that order too: the corners (a.x is NaN where a triangle cannot be used) and their vertices. NULL: lean.
	supTriangle* triangles;
	uint32_t* corners;
	// lean: the caller's arrays
	const supVec3* positions;
	const uint32_t* indices;
};

static inline supTriangle supGatherTriangle( const supVec3* positions, const uint32_t* corners )
{
	return ( supTriangle ){ positions[corners[0]], positions[corners[1]], positions[corners[2]] };
}

// - triangle: in the tree's order
static inline supTriangle supTree_Triangle( const supTree* tree, int32_t triangle )
{
	return tree->triangles != NULL
			   ? tree->triangles[triangle]
			   : supGatherTriangle( tree->positions, tree->indices + 3 * (size_t)tree->numbers[triangle] );
}

static inline bool supTree_IsUsable( const supTree* tree, int32_t triangle )
{
	float x = tree->triangles != NULL ? tree->triangles[triangle].a.x : 0.0f;
	return x == x;
}

SUP_DECLARE_KERNEL( bool, supFindClosestInTree,
					( const supTree* tree, supVec3 point, float maxDistance, supTreeHit* hit ) );
SUP_DECLARE_KERNEL( bool, supCastRayIntoTree,
					( const supTree* tree, const supRay* ray, float maxDistance, supTreeHit* hit ) );
SUP_DECLARE_KERNEL( bool, supQueryTree, ( const supTree* tree, supBox box, supTreeQueryFcn* function, void* context ) );
