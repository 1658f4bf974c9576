// SPDX-License-Identifier: MIT
#pragma once

#include "core/core.h"

// Ascending, in place, for the short lists of patterns (tens to hundreds): Shell's sort with the gaps of Ciura 2001.
static inline void supSortInts( int32_t* items, int32_t count )
{
	static const int32_t gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };
	for ( int g = 0; g < SUP_COUNT( gaps ); ++g )
	{
		int32_t gap = gaps[g];
		for ( int32_t i = gap; i < count; ++i )
		{
			int32_t item = items[i], k = i;
			for ( ; k >= gap && items[k - gap] > item; k -= gap )
			{
				items[k] = items[k - gap];
			}
			items[k] = item;
		}
	}
}
