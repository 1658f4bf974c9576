// SPDX-License-Identifier: MIT
// The skin of a character as contact sees it: one welded surface, cut into patches and clusters. Built once.
//
//     patch     the triangles that one joint moves most; its proxy is the convex hull of up to 32 extreme vertices
//     cluster   up to 32 triangles of a patch that lie together, and the vertices that it owns
//
// Patches and clusters are the upper levels of a tree whose shape never changes: each step only moves its boxes.
// Vertices are numbered in the order of clusters and triangles likewise, so that whatever belongs to a cluster lies
// side by side. Each vertex and each triangle belongs to exactly one cluster, so that a pair of clusters has every pair
// of a vertex and a triangle once.
//
// Vertices of the render meshes become one where they are at the same place at rest and move alike (same weights, same
// morph offsets): lips and eyelids that only touch stay apart. Triangles with two corners in one vertex, and vertices
// without a triangle, are left out.
#pragma once

#include "core/arena.h"
#include "supple/character.h"

#define SUP_CLUSTER_TRIANGLES 32
#define SUP_PROXY_POINTS 32

// The other triangle at an edge.
#define SUP_EDGE_OPEN ( -1 )
#define SUP_EDGE_TANGLED ( -2 ) // more than two, or two that disagree about which side is out

typedef struct supSkinCluster
{
	int32_t patch;
	int32_t firstVertex;
	int32_t vertexCount;
	int32_t firstTriangle;
	int32_t triangleCount; // 1 .. SUP_CLUSTER_TRIANGLES
	// among supContactSkin.borders: corners of its triangles that other clusters own
	int32_t firstBorder;
	int32_t borderCount;
	// around it at rest
	supVec3 center;
	float radius;
} supSkinCluster;

typedef struct supSkinPatch
{
	int32_t joint; // node
	int32_t firstCluster;
	int32_t clusterCount;
	// the proxy: vertices of the skin
	int32_t pointCount;
	int32_t points[SUP_PROXY_POINTS];
	// among supContactSkin.members: the corners of its triangles, which the proxy stands for
	int32_t firstMember;
	int32_t memberCount;
} supSkinPatch;

// A vertex as a mix of the proxy's points. As far as it moves away from that, and no farther, it leaves the proxy.
typedef struct supSkinMember
{
	int32_t vertex;
	// of supSkinPatch.points
	uint8_t points[4];
	// sum 1
	float weights[4];
} supSkinMember;

// How a cluster lies at rest: all corners of its triangles (rest_culling.c).
typedef struct supSkinFrame
{
	supVec3 mean;
	// from the mean to where its corners are farthest out, and across that
	supVec3 along, across;
	// that the corners give at rest
	supVec3 axes[3];
	// around the mean; negative where the corners have no directions
	float radius;
	// among supContactSkin.levers
	int32_t firstLever;
} supSkinFrame;

typedef struct supContactSkin
{
	supArena arena;

	int32_t vertexCount;
	// where each comes from: an instance and a vertex of its mesh
	int32_t* instances;
	int32_t* sources;
	supVec3* rest;
	int32_t* vertexClusters;

	int32_t triangleCount;
	// three a triangle, counter-clockwise from outside
	int32_t* corners;
	// three a triangle: across the edges 01, 12, 20
	int32_t* neighbours;
	int32_t* triangleClusters;

	int32_t clusterCount;
	supSkinCluster* clusters;
	int32_t* borders;
	// where the centres of its triangles are at rest, eight x, eight y and eight z for each eight of them; room for
	// SUP_CLUSTER_TRIANGLES a cluster
	float* restCenters;

	int32_t patchCount;
	supSkinPatch* patches;
	supSkinMember* members;
	// patches that share a vertex with each, sorted, itself included; patchCount + 1 starts
	int32_t* sideStarts;
	int32_t* sides;

	// the triangles around each vertex; vertexCount + 1 starts
	int32_t* fanStarts;
	int32_t* fans;

	// vertices within three edges' lengths along the surface at rest, sorted, itself included; vertexCount + 1 starts
	int32_t* nearStarts;
	int32_t* nears;

	// of each vertex: is it inside of another part at rest?
	bool* within;

	// clusters that are in contact with each other at rest, sorted; clusterCount + 1 starts
	int32_t* touchStarts;
	int32_t* touches;

	// Clusters that lie beside each, itself included, and how near a vertex of it and a triangle of them that are not
	// neighbours are at rest: in blocks of eight clusters that follow each other, the numbers of the blocks sorted, and
	// eight distances each, -1 where a cluster does not lie beside it. clusterCount + 1 starts.
	supSkinFrame* frames;
	// from the mean of each cluster to its corners, its own vertices and then its borders, eight x, eight y and eight z
	// for each eight of them, zero beyond the last
	float* levers;
	int32_t* kinStarts;
	int32_t* kinBlocks;
	float* kinDistances;

	// at rest, metres
	float size;       // largest extent
	float edgeLength; // mean
} supContactSkin;

// False and an error, nothing left behind: out of memory, larger than supRestSurface takes, or not finite at rest. A
// character without triangles gives a skin without vertices.
// - skin is zero-initialised; tasks may be NULL
bool supContactSkin_Init( supContactSkin* skin, const supCharacter* character, const supTasks* tasks, supError* error );
void supContactSkin_Destroy( supContactSkin* skin );

// The area vector of a triangle (twice its area long), and the sum of those around a vertex.
static inline supVec3 supContactSkin_Area( const supContactSkin* skin, const supVec3* positions, int32_t triangle )
{
	const int32_t* c = skin->corners + 3 * (size_t)triangle;
	supVec3 p = positions[c[0]];
	return supCross( supSub( positions[c[1]], p ), supSub( positions[c[2]], p ) );
}

static inline bool supContactSkin_IsCorner( const supContactSkin* skin, int32_t vertex, int32_t triangle )
{
	const int32_t* c = skin->corners + 3 * (size_t)triangle;
	return c[0] == vertex || c[1] == vertex || c[2] == vertex;
}

// skin_depth.c: metres that a point is behind the place of the surface nearest to it, as far as a walk from a triangle
// over ever nearer ones finds it; 0 in front of it.
float supContactSkin_FindDepth( const supContactSkin* skin, const supVec3* positions, int32_t triangle, supVec3 point );

static inline supVec3 supContactSkin_AreaAround( const supContactSkin* skin, const supVec3* positions, int32_t vertex )
{
	supVec3 sum = supVec3_zero;
	for ( int32_t i = skin->fanStarts[vertex]; i < skin->fanStarts[vertex + 1]; ++i )
	{
		sum = supAdd( sum, supContactSkin_Area( skin, positions, skin->fans[i] ) );
	}
	return sum;
}

// Are the vertex and a corner of the triangle neighbours on the surface at rest?
bool supContactSkin_AreNear( const supContactSkin* skin, int32_t vertex, int32_t triangle );

// Do the patches share a vertex? True for one and the same.
bool supContactSkin_AreSideBySide( const supContactSkin* skin, int32_t patch, int32_t other );

// Have the two clusters been found in contact at rest?
bool supContactSkin_TouchAtRest( const supContactSkin* skin, int32_t cluster, int32_t other );
