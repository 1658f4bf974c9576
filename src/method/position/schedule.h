// SPDX-License-Identifier: MIT
// In which order constraints are solved, and which at the same time.
//
// Gauss-Seidel wants one constraint after the other; threads and lanes want many at once. Constraints that share no
// particle do not mind:
//
//     levels    one after another, a handful
//     domains   of a level share no particle: any number of threads takes one each, without waiting for another
//     packs     of a domain one after another, on one thread
//     lanes     the eight constraints of a pack share no particle: one wide register
//
// The body is cut across its longest axis, each half across its own, and so on: up to eight pieces with about the same
// work. Domains of the first level are the pieces and hold the constraints that lie inside of one. Domains of the
// second are the seams between two pieces that were one before the last cut, those of the third the seams of the cut
// before, and so on. A seam together with all that lies on its two sides, a branch, shares no particle with another
// branch: two threads take a half of the body each, and meet only at the seam of the first cut. That one is spread over
// domains of its own, and the few constraints that lie across those form the last. There are as many domains as the
// mesh has use for, whatever the number of threads, so that the result is the same bits.
//
// Constraints of a domain are put into waves that share no particle either, and packs are filled from one wave, so that
// a pack does not wait for the results of the one just before it. Waves are few: a device, which solves a wave of all
// domains at once, waits after each.
#pragma once

#include "core/arena.h"
#include "supple/math.h"

#define SUP_MAX_DOMAINS 8
#define SUP_MAX_LEVELS 5

// Constraints of one kind: `arity` particles each.
typedef struct supItems
{
	int32_t count;
	int32_t arity;
	const int32_t* points;
} supItems;

// The pieces as runs of points: a power of two of them.
typedef struct supPieceStarts
{
	int32_t count;
	int32_t starts[SUP_MAX_DOMAINS + 1];
} supPieceStarts;

// Where levels begin among all domains. Each level has half as many as the one before, down to two.
typedef struct supLevels
{
	int32_t count;
	int32_t starts[SUP_MAX_LEVELS + 1];
} supLevels;

// The packs of one kind.
typedef struct supSchedule
{
	int32_t packCount;
	// eight of each pack; a pack that is not full repeats its first
	int32_t* items;
	// first pack of each domain, all levels; domainCount + 1
	int32_t* starts;
} supSchedule;

// Puts points close in space close in memory: order[i] is the point that comes i-th.
// - costs: what the constraints of each point take, at least 1; pieces are runs of about the same sum
void supOrderPoints( const supVec3* points, const int32_t* costs, int32_t count, int32_t* order,
					 supPieceStarts* pieces );

// Brings the points of each piece that an item shares with other pieces together, those with the same pieces side by
// side: what several threads write then lies in few cache lines. False where out of memory.
// - order as supOrderPoints has left it, `count` points
bool supGatherSeams( supItems items, const supPieceStarts* pieces, int32_t count, int32_t* order );

// Sorts kinds that touch the same points into levels and domains: domains[k] has the domain of each item of kind k,
// counted over all levels. False where out of memory.
// - points are in the order of supOrderPoints and supGatherSeams
bool supSortIntoDomains( const supItems* kinds, int32_t kindCount, int32_t pointCount, const supPieceStarts* pieces,
						 int32_t* const* domains, supLevels* levels );

// False where out of memory.
// - domains: of each item, as supSortIntoDomains has them
// - lastLevelFirst: levels are solved from the last to the first
bool supSchedule_Init( supSchedule* schedule, supArena* arena, supItems items, int32_t pointCount,
					   const int32_t* domains, const supLevels* levels, bool lastLevelFirst );
