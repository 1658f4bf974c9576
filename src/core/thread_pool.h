// SPDX-License-Identifier: MIT
// How the pieces of a loop are cut and claimed; shared by the pool and by supRunStages.
#pragma once

#include "core/core.h"

#include <stdatomic.h>

// A loop's generation in the upper bits and the number of its pieces that nobody has claimed in the lower 16. Claiming
// is subtracting one by compare and exchange: it succeeds only while the loop is the one that was looked at and has a
// piece left, which also means that nothing about the loop has been changed since.
typedef uint64_t supClaim;

#define SUP_CLAIM_BITS 16

static inline supClaim supMakeClaim( uint64_t generation, int32_t remaining )
{
	return generation << SUP_CLAIM_BITS | (uint64_t)remaining;
}

static inline uint64_t supClaim_Generation( supClaim claim )
{
	return claim >> SUP_CLAIM_BITS;
}

static inline int32_t supClaim_Remaining( supClaim claim )
{
	return (int32_t)( claim & ( ( 1u << SUP_CLAIM_BITS ) - 1 ) );
}

// A loop cut into few enough pieces for a claim, enough for an even load.
typedef struct supPieces
{
	int32_t total; // items
	int32_t size;  // items a piece, a multiple of the grain
	int32_t count; // pieces
} supPieces;

#define SUP_PIECES_PER_WORKER 32
#define SUP_MAX_PIECES ( ( 1 << SUP_CLAIM_BITS ) - 1 )

static inline supPieces supCutPieces( int32_t total, int32_t grain, int32_t workerCount )
{
	if ( total <= 0 )
	{
		return ( supPieces ){ 0, grain, 0 };
	}
	int64_t grains = ( (int64_t)total + grain - 1 ) / grain;
	int64_t most = (int64_t)SUP_PIECES_PER_WORKER * workerCount;
	most = most < SUP_MAX_PIECES ? most : SUP_MAX_PIECES;
	int64_t size = ( grains + most - 1 ) / most * grain;
	size = size < total ? size : total;
	return ( supPieces ){ total, (int32_t)size, (int32_t)( ( total + size - 1 ) / size ) };
}

typedef struct supRange
{
	int32_t begin, end;
} supRange;

// The piece that is claimed when `remaining` are left, itself included: first pieces first.
static inline supRange supPieces_Range( supPieces pieces, int32_t remaining )
{
	int64_t begin = (int64_t)( pieces.count - remaining ) * pieces.size;
	int64_t end = begin + pieces.size;
	return ( supRange ){ (int32_t)begin, end < pieces.total ? (int32_t)end : pieces.total };
}

// Called again and again while waiting, with the number of calls before: a short pause at first, then the processor is
// given away, since there may be more threads than processors.
void supRelax( int32_t calls );
