// SPDX-License-Identifier: MIT
// Products of 6x6 blocks of frames with the maps from velocities of links, for condense.c.
#pragma once

#include "core/kernel.h"
#include "method/layered/layered.h"

// Doubles of a 6x6 block: six columns, each in two vectors of four.
#define SUP_WIDE_BLOCK 48

// Blocks of the links of two frames, by ends of both: row r of block [e][d] starts at 8 r.
typedef struct supLinkBlocks
{
	double rows[2][2][SUP_WIDE_BLOCK];
} supLinkBlocks;

// blocks := Σ Ã_fᵀ S Ã_g over pairs of frame f with frames g of the same links, for sums S of their nodes. Half of it
// where g is f.
// - pairs: of the same f; maps: of all frames, two each
SUP_DECLARE_KERNEL( void, supProjectPairs,
					( const supFramePair* pairs, int32_t count, const double* sums, const supEndMap* maps,
					  int32_t leftEnds, int32_t rightEnds, supLinkBlocks* blocks ) );

// blocks := Ã_fᵀ S Ã_f for one frame.
// - columns: SUP_WIDE_BLOCK of S
SUP_DECLARE_KERNEL( void, supProjectFrame,
					( const double* columns, const supEndMap* maps, int32_t ends, supLinkBlocks* blocks ) );
