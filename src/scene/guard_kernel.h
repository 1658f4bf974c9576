// SPDX-License-Identifier: MIT
// The inner loops of the guard. Nearly all of the skin is within its limits in nearly every step, so that they only
// sort out what is not, eight items at a time, in any order and on any thread: each fills one byte per eight items,
// with a bit for each that guard_shear.c or guard_needs.c then looks at one after the other. The arithmetic is the same
// there, to the bit.
//
// Points of 12 bytes are read 16 bytes at a time: whatever follows the last one must be readable too.
#pragma once

#include "core/kernel.h"
#include "scene/guard.h"

// Ranges count in eights: begin 2, end 4 are items 16 to 31, as far as there are so many.

// Links along edges whose ends are shifted differently, by more than they may be.
typedef struct supLinkJob
{
	int32_t count;
	const int32_t* from; // places
	const int32_t* to;
	const float* distances;
	const supVec4* shifts; // of each place
	float ratio;           // of the distance; plus `free`, metres
	float free;
	uint8_t* marks;
} supLinkJob;

SUP_DECLARE_KERNEL( void, supMarkLongLinks, ( const supLinkJob* job, int32_t begin, int32_t end ) );

// The same for layers: one byte each, and the range counts in ones.
typedef struct supLayerJob
{
	const supLayerLink* links;
	const supVec4* shifts;
	float ratio;
	float free;
	uint8_t* marks;
} supLayerJob;

SUP_DECLARE_KERNEL( void, supMarkLongLayers, ( const supLayerJob* job, int32_t begin, int32_t end ) );

// How long an edge may be, held against what it is at rest and under skinning: the longer of them plus the less of two
// limits, and a part of the shorter one less a little. Metres but for the ratios.
typedef struct supEdgeLimits
{
	float stretchRatio;
	float freeStretch;
	float maxStretch;
	float minRatio;
	float freeSqueeze;
} supEdgeLimits;

// Edges that what is drawn changes by much, and that are longer or shorter than they may be.
typedef struct supEdgeJob
{
	int32_t count;
	const int32_t* ends; // two vertices each
	const float* lengths;
	const supVec3* drawn;
	const supVec3* skin;
	const supVec3* linear; // the same as skin unless the method has a base of its own
	supEdgeLimits limits;
	uint8_t* marks;
} supEdgeJob;

SUP_DECLARE_KERNEL( void, supMarkChangedEdges, ( const supEdgeJob* job, int32_t begin, int32_t end ) );

// Twice the area of each triangle, along its normal.
typedef struct supAreaJob
{
	int32_t count;
	const uint32_t* indices;
	const supVec3* positions;
	supVec4* areas; // room for a multiple of eight
} supAreaJob;

SUP_DECLARE_KERNEL( void, supFillAreas, ( const supAreaJob* job, int32_t begin, int32_t end ) );

// Sums over the triangles around each place, in their order. The range counts in ones.
typedef struct supSumJob
{
	const int32_t* starts;
	const int32_t* triangles;
	const supVec4* areas;
	supVec4* sums;
} supSumJob;

SUP_DECLARE_KERNEL( void, supSumAreas, ( const supSumJob* job, int32_t begin, int32_t end ) );

// Triangles that turn away from the skin around them.
typedef struct supFoldJob
{
	int32_t count;
	const uint32_t* indices;
	const int32_t* places; // of each vertex
	const supVec4* areas;  // of each triangle
	const supVec4* sums;   // of each place
	uint8_t* marks;
} supFoldJob;

SUP_DECLARE_KERNEL( void, supMarkFolds, ( const supFoldJob* job, int32_t begin, int32_t end ) );

// Vertices that are so far from skinning that their reach limits them.
typedef struct supReachJob
{
	int32_t count;
	const supVec3* drawn;
	const supVec3* skin;
	const int32_t* places;
	const float* reaches; // of each place
	float least;          // square of the part of its reach that a vertex is free to move
	uint8_t* marks;
} supReachJob;

SUP_DECLARE_KERNEL( void, supMarkFar, ( const supReachJob* job, int32_t begin, int32_t end ) );

// Of each place, the mean way of its vertices. The range counts in ones.
typedef struct supShiftJob
{
	const int32_t* starts;
	const int32_t* vertices;
	const float* shares;
	const supVec3* from;
	const supVec3* to;
	supVec4* shifts;
} supShiftJob;

SUP_DECLARE_KERNEL( void, supFillShifts, ( const supShiftJob* job, int32_t begin, int32_t end ) );

// What is drawn, blended toward skinning: out = made + w ( skin - made ), w of the place. The range counts in ones.
typedef struct supBlendJob
{
	const supVec3* made;
	const supVec3* skin;
	const int32_t* places; // of each vertex
	const float* weights;
	supVec3* out;
} supBlendJob;

SUP_DECLARE_KERNEL( void, supBlendSkin, ( const supBlendJob* job, int32_t begin, int32_t end ) );

// Of each vertex: the square of the distance to the nearest contact; not a number where the vertex is none.
typedef struct supNearJob
{
	int32_t count;
	const supVec3* positions;
	int32_t contactCount;
	const supContact* contacts;
	const supActor* actor; // only contacts of this one
	bool onlyOthers;       // and not those with itself
	float* squares;        // room for a multiple of eight
} supNearJob;

SUP_DECLARE_KERNEL( void, supFindNearest, ( const supNearJob* job, int32_t begin, int32_t end ) );

// Are all of them numbers, and finite?
SUP_DECLARE_KERNEL( bool, supAreFinite, ( const float* values, size_t count ) );
