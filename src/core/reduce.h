// SPDX-License-Identifier: MIT
// Reductions whose result does not depend on the number of threads: fixed blocks, partial results combined in order.
#pragma once

#include "core/kernel.h"

// Items per block; every threaded reduction of the library is cut at multiples of this.
#define SUP_REDUCE_BLOCK 4096

SUP_DECLARE_KERNEL( double, supSumBlock, ( const float* values, int32_t count ) );
