// SPDX-License-Identifier: MIT
// Four doubles side by side; see core/wide.h.
#pragma once

#include "core/wide.h"

typedef double supDouble4 __attribute__( ( vector_size( 32 ) ) );
typedef double supDouble4u __attribute__( ( vector_size( 32 ), aligned( 8 ), may_alias ) );

SUP_WIDE supDouble4 supLoad4d( const double* p )
{
	return *(const supDouble4u*)p;
}

SUP_WIDE void supStore4d( double* p, supDouble4 a )
{
	*(supDouble4u*)p = a;
}

SUP_WIDE supDouble4 supSplat4d( double a )
{
	return ( supDouble4 ){ a, a, a, a };
}

// Sum of the lanes in a fixed order: (0+2) + (1+3).
SUP_WIDE double supSum4d( supDouble4 a )
{
	return ( a[0] + a[2] ) + ( a[1] + a[3] );
}

// Those of four in a row, the same to the bit: one a lane.
SUP_WIDE supDouble4 supSums4d( const double* p )
{
	supDouble4 a = supLoad4d( p ), b = supLoad4d( p + 4 ), c = supLoad4d( p + 8 ), d = supLoad4d( p + 12 );
	supDouble4 ac = __builtin_shufflevector( a, c, 0, 1, 4, 5 ) + __builtin_shufflevector( a, c, 2, 3, 6, 7 );
	supDouble4 bd = __builtin_shufflevector( b, d, 0, 1, 4, 5 ) + __builtin_shufflevector( b, d, 2, 3, 6, 7 );
	return __builtin_shufflevector( ac, bd, 0, 4, 2, 6 ) + __builtin_shufflevector( ac, bd, 1, 5, 3, 7 );
}
