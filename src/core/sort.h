// SPDX-License-Identifier: MIT
// Sorting without surprises: linear time, stable, allocates nothing.
#pragma once

#include "core/core.h"

// Sorts `count` keys, smallest first. Only the lowest `bits` of them may differ from zero.
// - scratch has room for `count` keys
SUP_SHARED_API void supSortKeys( uint64_t* keys, uint64_t* scratch, size_t count, int bits );
