// SPDX-License-Identifier: MIT
// How clusters have moved since they were at rest (rest_culling.c), eight corners or clusters at a time.
#pragma once

#include "contact/narrow_kernel.h"

// Of the vertices of a cluster's triangles: three each at most.
#define SUP_CORNER_BLOCKS ( 3 * SUP_CLUSTER_TRIANGLES / 8 )

// Where the corners of a cluster are now, seen from their mean: eight x, y and z a block.
typedef struct supCornerLanes
{
	supVec3 origin; // the mean
	supVec3 along, across;
	float at[SUP_CORNER_BLOCKS][3][8];
} supCornerLanes;

// - levers of the corners in the order of vertices and borders, eight x, y and z a block, zero where there are no more
SUP_DECLARE_KERNEL( void, supGatherCorners,
					( const supClusterVertices* vertices, const float* levers, supVec3 along, supVec3 across,
					  supCornerLanes* lanes ) );

// The square of the farthest that one of them is off where a rotation, given by columns, takes its lever; INFINITY
// where that is not a number.
SUP_DECLARE_KERNEL( float, supFindFarthestOff,
					( const supCornerLanes* lanes, int32_t count, const float* levers, const supVec3 turn[3] ) );

// One cluster of a body against eight of them.
typedef struct supApartQuery
{
	const supKinView* view;
	const supSkinCluster* cluster;
	const supSkinFrame* frame;
	const float* known; // least distances at rest, -1 where spheres are to tell; NULL: everywhere
	float motion;
	float slow; // two that move farther than this are looked at before the step as well
	float rounding;
	const supFrameBlock* frames;
	const supConeBlock* cones;
	const supMotionBlock* nows;
	const supMotionBlock* befores;
} supApartQuery;

// Bit i: the cluster and cluster i of the block are apart, as at rest (rest_culling.c).
SUP_DECLARE_KERNEL( uint32_t, supMaskApart, ( const supApartQuery* query ) );
