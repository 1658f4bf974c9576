// SPDX-License-Identifier: MIT
// Which tetrahedron holds a point, and which is nearest to it.
//
// A binary tree of boxes over the tets, cut at the median of the longest axis. Answers equal those of a loop over all
// tets: among several tets that hold a point (on a face between them) the one with the smallest number wins, and so it
// does among equally near ones. Queries allocate nothing and may run on any number of threads at once.
#pragma once

#include "volume/tets/tets.h"

typedef struct supTetFinder supTetFinder;

// A place in a tet.
typedef struct supTetPlace
{
	// -1: none
	int32_t tet;
	// none negative, sum 1 to rounding
	float coordinates[4];
	supVec3 point;
} supTetPlace;

// NULL where out of memory. Keeps a pointer to the tets.
// - points are finite and at most SUP_MAX_COORDINATE in size
supTetFinder* supCreateTetFinder( const supTets* tets, supError* error );

// NULL is fine.
void supDestroyTetFinder( supTetFinder* finder );

// The tet that holds p, its faces included; flat tets hold nothing. True where found.
bool supTetFinder_Find( const supTetFinder* finder, supVec3 p, supTetPlace* place );

// The place in any tet that is nearest to p: p itself where a tet holds it. False only where there is no tet.
bool supTetFinder_FindNearest( const supTetFinder* finder, supVec3 p, supTetPlace* place );
