// SPDX-License-Identifier: MIT
#include "core/reduce.h"
#include "core/wide.h"

typedef double supDouble4 __attribute__( ( vector_size( 32 ) ) );

// Four accumulators hide the latency of the additions; the order of the sum is fixed by them, not by the machine.
double SUP_KERNEL( supSumBlock )( const float* values, int32_t count )
{
	supDouble4 sums[4] = { 0 };
	int32_t i = 0;
	for ( ; i + 16 <= count; i += 16 )
	{
		for ( int k = 0; k < 4; ++k )
		{
			sums[k] += __builtin_convertvector( supLoad4( values + i + 4 * k ), supDouble4 );
		}
	}
	supDouble4 sum = ( sums[0] + sums[1] ) + ( sums[2] + sums[3] );
	double total = ( sum[0] + sum[2] ) + ( sum[1] + sum[3] );
	for ( ; i < count; ++i )
	{
		total += (double)values[i];
	}
	return total;
}
