// SPDX-License-Identifier: MIT
// Moves points of a tetrahedral mesh as far as its tets stay good.
//
// All points move together towards places of their own, in steps: where a tet would leave the bounds, its points take
// half the step, and half of that, and none in the end. So the result depends neither on the order of points nor on
// the number of threads, and a mirrored body gets mirrored steps.
#pragma once

#include "volume/tets/tets.h"

#include <stdatomic.h>

typedef struct supTetMoves
{
	supTets* tets;
	// may be NULL
	const supTasks* tasks;
	// points that may move: the caller fills both
	int32_t count;
	int32_t* points;
	// of all points: which of the above, -1 for none
	int32_t* numbers;
	// where from, the whole way, how far along it, and the step that is tried
	supVec3* from;
	supVec3* way;
	float* done;
	float* step;
	// 1 where the step has changed since tets were looked at
	uint8_t* changed;
	// 1 where a tet says the step is too far
	_Atomic( uint8_t )* tooFar;
	// tets that have such a point
	int32_t tetCount;
	int32_t* touched;
} supTetMoves;

// Are the dihedral angles of a tet between 12 and 162 degrees and its mean ratio at least 0.2?
bool supTets_IsGood( const supTets* tets, int32_t tet );

// Room for `capacity` moving points. False only where out of memory.
// - moves is zero-initialised
bool supTetMoves_Init( supTetMoves* moves, supTets* tets, int32_t capacity, const supTasks* tasks, supArena* arena );

// Call after `count` and `points` have changed.
void supTetMoves_ListTets( supTetMoves* moves );

// Starts new ways from where points are now: `from` is filled, `way` becomes the mean of the other corners of the tets
// around each point, for the caller to replace by a way.
void supTetMoves_FindMeans( supTetMoves* moves );

// One step of all along their ways. Tets that a step changes are good after it; points of worse tets stay.
void supTetMoves_Step( supTetMoves* moves );
