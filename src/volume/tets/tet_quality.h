// SPDX-License-Identifier: MIT
// How good are tetrahedra? Dihedral angles and the mean ratio.
#pragma once

#include "volume/tets/tets.h"

#define SUP_DIHEDRAL_BINS 18

typedef struct supTetQuality
{
	// in degrees; 70.53 in a regular tet. 0 where there are no tets.
	float minDihedral, maxDihedral;
	// how many of the six angles of all tets lie in [0, 10), [10, 20), ... [170, 180] degrees
	int64_t dihedrals[SUP_DIHEDRAL_BINS];
	// 12 (3 V)^(2/3) / (sum of squared edges): 1 for a regular tet, 0 for a flat one, negative for an inverted one
	float minMeanRatio;
	float meanMeanRatio;
	// cubic metres
	double volume;
	// tets of no or negative volume
	int32_t inverted;
	// pieces that share no point with each other (points that no tet uses do not count)
	int32_t parts;
} supTetQuality;

// The six dihedral angles of a tet in degrees, in the order of supTetEdges. An angle between faces of no area is 0.
void supTets_Dihedrals( const supTets* tets, int32_t tet, float angles[6] );

float supTets_MeanRatio( const supTets* tets, int32_t tet );

// The result does not depend on the number of threads; tasks may be NULL. False and an error only when out of memory.
bool supMeasureTets( const supTets* tets, const supTasks* tasks, supTetQuality* quality, supError* error );
