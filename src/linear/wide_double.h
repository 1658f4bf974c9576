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
