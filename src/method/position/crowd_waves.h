// SPDX-License-Identifier: MIT
// Which constraints a device solves at the same time.
//
// The order of constraints is that of the CPU (Gauss-Seidel), and so are the bits: a constraint may be solved as soon
// as all before it that share a particle with it have been. A wave is a set of constraints of one kind that are ready
// at the same time. There are as many as the longest chain is long; constraints that need not be solved early fill up
// later waves.
#pragma once

#include "core/arena.h"
#include "method/position/position.h"

typedef enum supCrowdKind
{
	sup_crowdStretchKind,
	sup_crowdBindKind,
	sup_crowdVolumeKind,
	sup_crowdKindCount,
} supCrowdKind;

typedef struct supCrowdItem
{
	int32_t lane; // pack * SUP_PACK + lane
	int32_t wave;
	int32_t latest;
	int32_t points[4];
} supCrowdItem;

// The constraints of a kind, wave by wave.
typedef struct supCrowdWaves
{
	int32_t itemCount;
	supCrowdItem* items;
	int32_t arity;
	int32_t waveCount;
	int32_t* starts; // waveCount + 1
} supCrowdWaves;

// False where out of memory.
bool supCrowdWaves_Init( supCrowdWaves* waves, supArena* arena, const supPositionFlesh* flesh, supCrowdKind kind );
