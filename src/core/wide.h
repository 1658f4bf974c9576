// SPDX-License-Identifier: MIT
// Wide floats by compiler vector extensions: one source for AVX2, SSE, NEON and WebAssembly. On narrower machines the
// compiler splits them. Arithmetic is the ordinary operators: a + b, a * 2.0f, a < b (a mask of -1 and 0).
#pragma once

#include "core/core.h"

typedef float supFloat4 __attribute__( ( vector_size( 16 ) ) );
typedef float supFloat8 __attribute__( ( vector_size( 32 ) ) );
typedef int32_t supInt4 __attribute__( ( vector_size( 16 ) ) );
typedef int32_t supInt8 __attribute__( ( vector_size( 32 ) ) );

// the same without any demand on alignment, for loads and stores
typedef float supFloat4u __attribute__( ( vector_size( 16 ), aligned( 4 ), may_alias ) );
typedef float supFloat8u __attribute__( ( vector_size( 32 ), aligned( 4 ), may_alias ) );
typedef float supFloat8a __attribute__( ( vector_size( 32 ), aligned( 32 ), may_alias ) );

// Inlined always: a vector in an argument has a different calling convention in each instruction set.
#define SUP_WIDE static inline __attribute__( ( always_inline ) )

SUP_WIDE supFloat4 supLoad4( const float* p )
{
	return *(const supFloat4u*)p;
}

SUP_WIDE void supStore4( float* p, supFloat4 a )
{
	*(supFloat4u*)p = a;
}

SUP_WIDE supFloat8 supLoad8( const float* p )
{
	return *(const supFloat8u*)p;
}

SUP_WIDE void supStore8( float* p, supFloat8 a )
{
	*(supFloat8u*)p = a;
}

SUP_WIDE supFloat4 supSplat4( float a )
{
	return ( supFloat4 ){ a, a, a, a };
}

SUP_WIDE supFloat8 supSplat8( float a )
{
	return ( supFloat8 ){ a, a, a, a, a, a, a, a };
}

// The first four and the last four lanes.
SUP_WIDE supFloat4 supLow4( supFloat8 a )
{
	return __builtin_shufflevector( a, a, 0, 1, 2, 3 );
}

SUP_WIDE supFloat4 supHigh4( supFloat8 a )
{
	return __builtin_shufflevector( a, a, 4, 5, 6, 7 );
}

// One lane, in a way that OpenCL C has as well.
#define SUP_LANE( v, i ) ( ( v )[i] )

// mask ? a : b
SUP_WIDE supFloat8 supSelect8( supInt8 mask, supFloat8 a, supFloat8 b )
{
	return (supFloat8)( ( mask & (supInt8)a ) | ( ~mask & (supInt8)b ) );
}

SUP_WIDE supFloat8 supMin8( supFloat8 a, supFloat8 b )
{
	return supSelect8( a < b, a, b );
}

SUP_WIDE supFloat8 supMax8( supFloat8 a, supFloat8 b )
{
	return supSelect8( a > b, a, b );
}

// Bit i is set where lane i of the mask is.
SUP_WIDE uint32_t supMaskBits8( supInt8 mask )
{
#if defined( __AVX__ )
	return (uint32_t)__builtin_ia32_movmskps256( (supFloat8)mask );
#elif defined( __SSE2__ )
	supFloat8 lanes = (supFloat8)mask;
	return (uint32_t)__builtin_ia32_movmskps( supLow4( lanes ) ) |
		   (uint32_t)__builtin_ia32_movmskps( supHigh4( lanes ) ) << 4;
#elif defined( __wasm_simd128__ )
	const supInt4 low = __builtin_shufflevector( mask, mask, 0, 1, 2, 3 );
	const supInt4 high = __builtin_shufflevector( mask, mask, 4, 5, 6, 7 );
	return (uint32_t)__builtin_wasm_bitmask_i32x4( low ) | (uint32_t)__builtin_wasm_bitmask_i32x4( high ) << 4;
#else
	const supInt8 bits = mask & ( supInt8 ){ 1, 2, 4, 8, 16, 32, 64, 128 };
	return (uint32_t)( ( bits[0] | bits[1] | bits[2] | bits[3] ) | ( bits[4] | bits[5] | bits[6] | bits[7] ) );
#endif
}

SUP_WIDE supFloat8 supSqrt8( supFloat8 a )
{
	supFloat8 r;
	for ( int i = 0; i < 8; ++i )
	{
		r[i] = __builtin_sqrtf( a[i] );
	}
	return r;
}

SUP_WIDE supFloat4 supSqrt4( supFloat4 a )
{
	supFloat4 r;
	for ( int i = 0; i < 4; ++i )
	{
		r[i] = __builtin_sqrtf( a[i] );
	}
	return r;
}

// Sum of the lanes in a fixed order: ((0+4)+(2+6)) + ((1+5)+(3+7)).
SUP_WIDE float supSum8( supFloat8 a )
{
	supFloat4 b = supLow4( a ) + supHigh4( a );
	return ( b[0] + b[2] ) + ( b[1] + b[3] );
}

// Those of eight in a row, the same to the bit: one a lane.
SUP_WIDE supFloat8 supSums8( const float* p )
{
	supFloat8 halves[4], pairs[2];
	for ( int i = 0; i < 4; ++i )
	{
		supFloat8 a = supLoad8( p + 8 * i ), b = supLoad8( p + 8 * i + 32 );
		halves[i] = __builtin_shufflevector( a, b, 0, 1, 2, 3, 8, 9, 10, 11 ) +
					__builtin_shufflevector( a, b, 4, 5, 6, 7, 12, 13, 14, 15 );
	}
	for ( int i = 0; i < 2; ++i )
	{
		supFloat8 a = halves[2 * i], b = halves[2 * i + 1];
		pairs[i] = __builtin_shufflevector( a, b, 0, 1, 8, 9, 4, 5, 12, 13 ) +
				   __builtin_shufflevector( a, b, 2, 3, 10, 11, 6, 7, 14, 15 );
	}
	return __builtin_shufflevector( pairs[0], pairs[1], 0, 2, 8, 10, 4, 6, 12, 14 ) +
		   __builtin_shufflevector( pairs[0], pairs[1], 1, 3, 9, 11, 5, 7, 13, 15 );
}
