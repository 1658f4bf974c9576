// SPDX-License-Identifier: MIT
// Tetrahedra between points: the Delaunay triangulation, one point after another (Bowyer 1981, Watson 1981).
//
// Coordinates are put on a grid of 2^24 steps along each axis. All predicates are then integers of at most 127 bits and
// exact. Where one of them is zero (four points in a plane, five on a sphere) the new point is moved by a few steps of
// the grid and tried again, so that no tie is ever decided, and the cavity of a new point is always seen whole from it.
// The steps are a millionth of the size of the bounds: tets between points of one plane come out flat, and whoever
// wants round ones has to look at them.
//
// Deterministic: depends on the points and their order alone.
#pragma once

#include "core/array.h"
#include "supple/math.h"

// A tet; dead where corners[0] < 0.
typedef struct supDelaunayTet
{
	// Oriented so that ( p1 - p0 ) x ( p2 - p0 ) . ( p3 - p0 ) is positive. 0..3 are the corners of a large tet around
	// everything, points start at SUP_DELAUNAY_FIRST.
	int32_t corners[4];
	// the tet behind the face opposite each corner, -1 if there is none
	int32_t neighbours[4];
} supDelaunayTet;

#define SUP_DELAUNAY_FIRST 4

typedef struct supDelaunaySite
{
	int32_t x, y, z;
	// one of the tets around it
	int32_t tet;
} supDelaunaySite;

typedef struct supDelaunayFace
{
	int32_t corners[3];
	// behind it, outside of the cavity, and which corner of that is opposite
	int32_t outside;
	int32_t opposite;
} supDelaunayFace;

typedef struct supDelaunay
{
	SUP_ARRAY( supDelaunaySite ) sites;
	SUP_ARRAY( supDelaunayTet ) tets;

	// inside
	double origin[3];
	double scale;
	SUP_ARRAY( int32_t ) spare;
	SUP_ARRAY( int32_t ) cavity;
	SUP_ARRAY( supDelaunayFace ) faces;
	SUP_ARRAY( int32_t ) fresh;
	// the cavity, or the walk around a point, that last came to each tet
	SUP_ARRAY( int32_t ) marks;
	int32_t mark;
	bool isTied;
} supDelaunay;

// False only when out of memory.
// - delaunay is zero-initialised; all points will lie in the bounds, which are not empty
bool supDelaunay_Init( supDelaunay* delaunay, supBox bounds );
void supDelaunay_Destroy( supDelaunay* delaunay );

// Returns the number of the new point: SUP_DELAUNAY_FIRST, then one more with each. -1 when out of memory (or where
// thousands of points lie at one place, so that there is none left near it); the triangulation can then only be
// destroyed.
// - the point lies in the bounds
int32_t supDelaunay_Insert( supDelaunay* delaunay, supVec3 point );

// Are two points joined by an edge? Sets *known to false when out of memory.
bool supDelaunay_HasEdge( supDelaunay* delaunay, int32_t a, int32_t b, bool* known );

// The tet that holds a point; where it lies between several, one of them. The nearer `start`, a tet, the sooner.
int32_t supDelaunay_Locate( supDelaunay* delaunay, supVec3 point, int32_t start );
