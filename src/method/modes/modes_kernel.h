// SPDX-License-Identifier: MIT
// Small dense products, and points from modes.
#pragma once

#include "core/kernel.h"
#include "supple/math.h"

// y := M x, with M column after column.
// - rows is a multiple of eight
SUP_DECLARE_KERNEL( void, supApplyColumns,
					( const float* m, const float* x, int32_t rows, int32_t columns, float* y ) );

// y := Mᵀ x, with M column after column.
// - rows is a multiple of eight
SUP_DECLARE_KERNEL( void, supApplyTransposed,
					( const float* m, const float* x, int32_t rows, int32_t columns, float* y ) );

// u = Σ_m φ_m A_m ( r, 1 ) of blocks of eight points: x of eight, y of eight, z of eight.
// - shapes, rests: of the first block
// - numbers: A_m, 12 each, column after column
SUP_DECLARE_KERNEL( void, supExpandModes,
					( const float* shapes, const float* rests, const float* numbers, int32_t modeCount,
					  int32_t blockCount, float* u ) );

// The transposed: adds Σ φ_m d ( r, 1 )ᵀ over the points of one block to `numbers`, eight lanes for each of the 12 of a
// mode.
// - d: x of eight, y of eight, z of eight
SUP_DECLARE_KERNEL( void, supGatherModes,
					( const float* shapes, const float* rests, const float* d, int32_t modeCount, float* sums ) );
