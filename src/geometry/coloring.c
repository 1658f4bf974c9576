// SPDX-License-Identifier: MIT
#include "geometry/coloring.h"

// Colours are tried in blocks of this many, one bit each of a word per point.
#define BLOCK 64

int32_t supColorItems( int32_t itemCount, int32_t arity, const int32_t* points, int32_t pointCount, int32_t* colors )
{
	uint64_t* taken = supAllocArray( (size_t)pointCount, sizeof( uint64_t ) );
	if ( taken == NULL )
	{
		return -1;
	}
	for ( int32_t i = 0; i < itemCount; ++i )
	{
		colors[i] = -1;
	}
	int32_t colorCount = 0;
	int32_t left = itemCount;
	for ( int32_t first = 0; left > 0; first += BLOCK )
	{
		memset( taken, 0, (size_t)pointCount * sizeof( uint64_t ) );
		for ( int32_t i = 0; i < itemCount; ++i )
		{
			if ( colors[i] >= 0 )
			{
				continue;
			}
			const int32_t* corners = points + (size_t)i * (size_t)arity;
			uint64_t used = 0;
			for ( int32_t k = 0; k < arity; ++k )
			{
				SUP_DEBUG_ASSERT( 0 <= corners[k] && corners[k] < pointCount );
				used |= taken[corners[k]];
			}
			if ( used == UINT64_MAX )
			{
				continue;
			}
			int32_t bit = __builtin_ctzll( ~used );
			for ( int32_t k = 0; k < arity; ++k )
			{
				taken[corners[k]] |= (uint64_t)1 << bit;
			}
			colors[i] = first + bit;
			colorCount = colorCount > colors[i] + 1 ? colorCount : colors[i] + 1;
			left -= 1;
		}
	}
	supFree( taken );
	return colorCount;
}
