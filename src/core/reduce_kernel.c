// SPDX-License-Identifier: MIT
#include "core/reduce.h"
#include "core/wide.h"

// Four accumulators hide the latency of the additions; the order of the sum is fixed by them, not by the machine.
double SUP_KERNEL( supSumBlock )( const float* values, int32_t count )
{
	supFloat8 sums[4] = { 0 };
	int32_t i = 0;
	for ( ; i + 32 <= count; i += 32 )
	{
		for ( int k = 0; k < 4; ++k )
		{
			sums[k] += supLoad8( values + i + 8 * k );
		}
	}
	double total = (double)supSum8( ( sums[0] + sums[1] ) + ( sums[2] + sums[3] ) );
	for ( ; i < count; ++i )
	{
		total += (double)values[i];
	}
	return total;
}
