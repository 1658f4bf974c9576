// SPDX-License-Identifier: MIT
// Eight vectors side by side. Lanes 0 to 3 lie in the low half of a register and 4 to 7 in the high half, so that
// shuffles stay inside halves. For kernel files only.
#pragma once

#include "method/position/constraint_math.h"

typedef struct Rows
{
	supFloat8 r[4]; // particle j in the low half, particle j + 4 in the high half
} Rows;

// In each half: a[i], a[j], b[k], b[l].
#define SHUFFLE( a, b, i, j, k, l )                                                                                    \
	__builtin_shufflevector( a, b, i, j, 8 + ( k ), 8 + ( l ), 4 + ( i ), 4 + ( j ), 12 + ( k ), 12 + ( l ) )

// Two places into the halves of a register, and back. Left to itself GCC loads and stores whole registers and shuffles
// the halves, on the one port that is busiest here. Clang does not, and lacks these names.
#if defined( __AVX__ ) && !defined( __clang__ )

SUP_WIDE supFloat8 LoadHalves( const float* low, const float* high )
{
	supFloat8 a = __builtin_ia32_ps256_ps( supLoad4( low ) );
	return __builtin_ia32_vinsertf128_ps256( a, *(const supFloat4u*)high, 1 );
}

SUP_WIDE void StoreHalves( float* low, float* high, supFloat8 a )
{
	*(supFloat4u*)low = __builtin_ia32_ps_ps256( a );
	*(supFloat4u*)high = __builtin_ia32_vextractf128_ps256( a, 1 );
}

#else

SUP_WIDE supFloat8 LoadHalves( const float* low, const float* high )
{
	return __builtin_shufflevector( supLoad4( low ), supLoad4( high ), 0, 1, 2, 3, 4, 5, 6, 7 );
}

SUP_WIDE void StoreHalves( float* low, float* high, supFloat8 a )
{
	supStore4( low, supLow4( a ) );
	supStore4( high, supHigh4( a ) );
}

#endif

SUP_WIDE Vec3W Transpose( Rows rows, supFloat8* w )
{
	supFloat8 xy01 = SHUFFLE( rows.r[0], rows.r[1], 0, 1, 0, 1 );
	supFloat8 xy23 = SHUFFLE( rows.r[2], rows.r[3], 0, 1, 0, 1 );
	supFloat8 zw01 = SHUFFLE( rows.r[0], rows.r[1], 2, 3, 2, 3 );
	supFloat8 zw23 = SHUFFLE( rows.r[2], rows.r[3], 2, 3, 2, 3 );
	*w = SHUFFLE( zw01, zw23, 1, 3, 1, 3 );
	return ( Vec3W ){ SHUFFLE( xy01, xy23, 0, 2, 0, 2 ), SHUFFLE( xy01, xy23, 1, 3, 1, 3 ),
					  SHUFFLE( zw01, zw23, 0, 2, 0, 2 ) };
}

SUP_WIDE Rows Untranspose( Vec3W v, supFloat8 w )
{
	supFloat8 xy01 = __builtin_shufflevector( v.x, v.y, 0, 8, 1, 9, 4, 12, 5, 13 );
	supFloat8 xy23 = __builtin_shufflevector( v.x, v.y, 2, 10, 3, 11, 6, 14, 7, 15 );
	supFloat8 zw01 = __builtin_shufflevector( v.z, w, 0, 8, 1, 9, 4, 12, 5, 13 );
	supFloat8 zw23 = __builtin_shufflevector( v.z, w, 2, 10, 3, 11, 6, 14, 7, 15 );
	return ( Rows ){ { SHUFFLE( xy01, zw01, 0, 1, 0, 1 ), SHUFFLE( xy01, zw01, 2, 3, 2, 3 ),
					   SHUFFLE( xy23, zw23, 0, 1, 0, 1 ), SHUFFLE( xy23, zw23, 2, 3, 2, 3 ) } };
}
