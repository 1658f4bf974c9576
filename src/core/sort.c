// SPDX-License-Identifier: MIT
#include "core/sort.h"

#define DIGIT_BITS 11
#define DIGIT_COUNT ( 1 << DIGIT_BITS )

// One pass of a radix sort: by the digit that starts at `shift`.
static void SortByDigit( const uint64_t* from, uint64_t* to, size_t count, int shift )
{
	size_t starts[DIGIT_COUNT] = { 0 };
	for ( size_t i = 0; i < count; ++i )
	{
		starts[( from[i] >> shift ) & ( DIGIT_COUNT - 1 )] += 1;
	}
	size_t sum = 0;
	for ( int i = 0; i < DIGIT_COUNT; ++i )
	{
		size_t digitCount = starts[i];
		starts[i] = sum;
		sum += digitCount;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		to[starts[( from[i] >> shift ) & ( DIGIT_COUNT - 1 )]++] = from[i];
	}
}

void supSortKeys( uint64_t* keys, uint64_t* scratch, size_t count, int bits )
{
	uint64_t* from = keys;
	uint64_t* to = scratch;
	for ( int shift = 0; shift < bits; shift += DIGIT_BITS )
	{
		SortByDigit( from, to, count, shift );
		uint64_t* swap = from;
		from = to;
		to = swap;
	}
	if ( from != keys )
	{
		memcpy( keys, from, count * sizeof( uint64_t ) );
	}
}
