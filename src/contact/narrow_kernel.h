// SPDX-License-Identifier: MIT
// Clusters, eight vertices or triangles at a time: their boxes, what the narrow phase needs of them, and which of their
// triangles are worth a closer look.
#pragma once

#include "contact/detection.h"
#include "contact/pair.h"

// Vertices of a cluster: those from the first on, and its borders.
typedef struct supClusterVertices
{
	const supVec3* positions;
	const supVec3* previous; // NULL: do not matter
	supVec3 shift;           // of the previous ones
	int32_t first;
	int32_t count;
	const int32_t* borders;
	int32_t borderCount;
} supClusterVertices;

typedef struct supClusterBounds
{
	supBox box;
	float motionSquared; // the farthest
} supClusterBounds;

// False where one of them cannot be used.
SUP_DECLARE_KERNEL( bool, supBoundVertices, ( const supClusterVertices* vertices, supClusterBounds* bounds ) );

// All lanes of the blocks of a cluster, and the area vectors of its triangles, zero where they cannot be used.
// - at most SUP_CLUSTER_TRIANGLES, three corners each
SUP_DECLARE_KERNEL( void, supFillBlocks,
					( const supVec3* positions, const int32_t* corners, int32_t triangleCount, supTriangleBlock* blocks,
					  supVec3 areas[SUP_CLUSTER_TRIANGLES] ) );

// Sums of area vectors around the vertices of a cluster; room for all corners of its triangles.
typedef struct supAreaSums
{
	float x[3 * SUP_CLUSTER_TRIANGLES];
	float y[3 * SUP_CLUSTER_TRIANGLES];
	float z[3 * SUP_CLUSTER_TRIANGLES];
} supAreaSums;

// Their directions, and the least product with the axis of any of them and of the triangles' normals: -1 where the axis
// or a sum is zero.
// - sums of a multiple of eight vertices
SUP_DECLARE_KERNEL( float, supFinishNormals,
					( const supAreaSums* sums, int32_t vertexCount, const supTriangleBlock* blocks,
					  int32_t triangleCount, supVec3 axis, supVec3* normals ) );

typedef struct supNearQuery
{
	supVec3 p;
	supVec3 normal;
	// farthest in front and behind, and what planes are off by rounding
	float margin;
	float depth;
	float rounding;
	// the normals' product must be below this: where the triangle is in front, and where it is behind
	float facingFront;
	float facingBehind;
	// A character with itself: where the vertex and the triangles' centres are at rest, eight x, y and z a block, and
	// the squares of the parts of their distance that they must be within. NULL without.
	const float* restCenters;
	supVec3 rest;
	float restFront;
	float restBehind;
} supNearQuery;

// Bit i: triangle i of the cluster may be within reach of the point, on the side that its plane says. Never misses.
// squared[i] is no more than the square of its distance then.
// - at most SUP_CLUSTER_TRIANGLES; of eight of them of which `among` has no bit, none need be told
SUP_DECLARE_KERNEL( uint32_t, supMaskNear,
					( const supTriangleBlock* blocks, int32_t triangleCount, uint32_t among, const supNearQuery* query,
					  float squared[SUP_CLUSTER_TRIANGLES] ) );

// Vertices of the same body: a box around them, and a cone around their normals (supConeBlock).
typedef struct supGroupQuery
{
	supBox box;
	supVec3 axis;
	float cosine;
	float sine;
	float margin;
	float depth;
	float rounding;
} supGroupQuery;

// Bit i: a vertex of the group may be within reach of triangle i of the cluster and face it. Never misses. And the box
// around all of those.
SUP_DECLARE_KERNEL( uint32_t, supMaskNearGroup,
					( const supTriangleBlock* blocks, int32_t triangleCount, const supGroupQuery* query,
					  supBox* around ) );

// Bit i: the box around triangle i touches the box.
SUP_DECLARE_KERNEL( uint32_t, supMaskInBox,
					( const supTriangleBlock* blocks, int32_t triangleCount, const supBox* box ) );

// Bit i: box i touches the box. count <= 32.
SUP_DECLARE_KERNEL( uint32_t, supMaskBoxes, ( const supBoxBlock* blocks, int32_t count, const supBox* box ) );

// Bit i: a ray along z from the point on may meet box i. count <= 32.
SUP_DECLARE_KERNEL( uint32_t, supMaskAbove, ( const supBoxBlock* blocks, int32_t count, supVec3 p ) );

// Bit i: box i is within the distance of the point, whose square is given. count <= 32.
SUP_DECLARE_KERNEL( uint32_t, supMaskWithin, ( const supBoxBlock* blocks, int32_t count, supVec3 p, float squared ) );

typedef struct supOwnQuery
{
	supVec3 p;
	supVec3 normal;
	supVec3 rest;
	float margin;
	float depth;
	float rounding;
	// the parts of the distance at rest that they must be within
	float restFront;
	float restBehind;
} supOwnQuery;

// Bit i: a vertex of the same body may be near cluster i and face it. Never misses. count <= 32.
SUP_DECLARE_KERNEL( uint32_t, supMaskOwn,
					( const supBoxBlock* boxes, const supConeBlock* cones, int32_t count, const supOwnQuery* query ) );

// A cluster of the body among its others: box now, cone of its normals (supConeBlock), sphere at rest.
typedef struct supMeetQuery
{
	supBox box;
	supVec3 axis;
	float cosine; // -1: whichever way they face
	float sine;
	supVec3 center;
	float radius;
	float margin;
	float depth;
	float rounding;
	float restFront;
	float restBehind;
} supMeetQuery;

// Bit i: cluster i, of those that `among` tells, may be near the one, and face it. Never misses. squared[i] is that of
// the distance of the boxes then.
SUP_DECLARE_KERNEL( uint32_t, supMaskMeeting,
					( const supBoxBlock* boxes, const supConeBlock* cones, uint32_t among, const supMeetQuery* query,
					  float squared[32] ) );

// Clusters of the body among the 32 from `base` (a multiple of 8) on, not before `first` and before `end`, whose boxes
// touch the box: bit i is cluster base + i.
static inline uint32_t supMaskTouching( const supBodyState* b, int32_t base, int32_t first, int32_t end,
										const supBox* box )
{
	int32_t count = end - base < 32 ? end - base : 32;
	uint32_t bits = SUP_CALL_KERNEL( supMaskBoxes )( b->boxBlocks + base / 8, count, box );
	bits &= count < 32 ? ( 1u << count ) - 1u : UINT32_MAX;
	return first > base ? bits & ~( ( 1u << ( first - base ) ) - 1u ) : bits;
}
