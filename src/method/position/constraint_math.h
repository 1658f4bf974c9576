// SPDX-License-Identifier: MIT
// The arithmetic of one constraint, lane by lane: shared by the single and the crowd arrangement, so that both give the
// same bits. For kernel files only.
#pragma once

#include "core/wide.h"
#include "method/position/position_kernel.h"

// A denominator that is 0 only where the gradient is 0 too.
#define TINY 1e-30f

typedef struct Vec3W
{
	supFloat8 x, y, z;
} Vec3W;

SUP_WIDE Vec3W Sub( Vec3W a, Vec3W b )
{
	return ( Vec3W ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SUP_WIDE Vec3W Cross( Vec3W a, Vec3W b )
{
	return ( Vec3W ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SUP_WIDE supFloat8 Dot( Vec3W a, Vec3W b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

// What d = p1 - p2 is multiplied with: ( |d| - length ) / |d|. Bounded where the points meet.
SUP_WIDE supFloat8 LengthRatio( Vec3W d, supFloat8 length )
{
	supFloat8 size = supSqrt8( Dot( d, d ) );
	return ( size - length ) / supMax8( size, length * 1e-6f );
}

// The same, and what is longer than SUP_SLACK lengths once more, times `hold`.
SUP_WIDE supFloat8 StretchRatio( Vec3W d, supFloat8 length, supFloat8 hold )
{
	supFloat8 size = supSqrt8( Dot( d, d ) );
	supFloat8 beyond = size - SUP_SLACK * length;
	beyond = supSelect8( beyond > 0.0f, beyond, supSplat8( 0.0f ) );
	return ( size - length + hold * beyond ) / supMax8( size, length * 1e-6f );
}

// The same for the compliant kind: dl / |d|, and the multiplier moved on.
SUP_WIDE supFloat8 StretchStep( Vec3W d, supFloat8 length, supFloat8 masses, supFloat8 compliance,
								supFloat8* multiplier )
{
	supFloat8 size = supSqrt8( Dot( d, d ) );
	supFloat8 step = -( size - length + compliance * *multiplier ) / ( masses + compliance );
	// a lane with neither mass nor compliance
	step = supSelect8( masses > 0.0f, step, supSplat8( 0.0f ) );
	*multiplier += step;
	return step / supMax8( size, length * 1e-6f );
}

typedef struct VolumeGradients
{
	Vec3W g[4];
	supFloat8 determinant;
	supFloat8 sum; // of w |g|^2
} VolumeGradients;

SUP_WIDE VolumeGradients ComputeVolume( const Vec3W p[4], const supFloat8 w[4] )
{
	VolumeGradients v;
	Vec3W e2 = Sub( p[1], p[0] );
	Vec3W e3 = Sub( p[2], p[0] );
	Vec3W e4 = Sub( p[3], p[0] );
	v.g[1] = Cross( e3, e4 );
	v.g[2] = Cross( e4, e2 );
	v.g[3] = Cross( e2, e3 );
	v.g[0].x = -( v.g[1].x + v.g[2].x + v.g[3].x );
	v.g[0].y = -( v.g[1].y + v.g[2].y + v.g[3].y );
	v.g[0].z = -( v.g[1].z + v.g[2].z + v.g[3].z );
	v.determinant = Dot( v.g[3], e4 );
	v.sum = ( w[0] * Dot( v.g[0], v.g[0] ) + w[1] * Dot( v.g[1], v.g[1] ) ) +
			( w[2] * Dot( v.g[2], v.g[2] ) + w[3] * Dot( v.g[3], v.g[3] ) );
	return v;
}

// No correction reaches farther than it may.
SUP_WIDE supFloat8 ClampStep( supFloat8 step, supFloat8 sum, supFloat8 reach )
{
	supFloat8 square = sum * step * step;
	return supSelect8( square > reach, step * supSqrt8( reach / square ), step );
}

// Returns what w g is to be multiplied with, and which lanes are inside out, as bits.
SUP_WIDE supFloat8 VolumeStep( const VolumeGradients* v, supFloat8 volume, supFloat8 share, supFloat8 reach,
							   uint32_t* inverted )
{
	supInt8 inside = v->determinant <= 0.0f;
	supFloat8 error = volume - v->determinant;
	supFloat8 step = share * error / ( v->sum + TINY );
	supInt8 odd = inside | ( v->sum * step * step > reach );
	*inverted = 0;
	if ( SUP_UNLIKELY( supMaskBits8( odd ) != 0 ) )
	{
		*inverted = supMaskBits8( inside );
		step = ClampStep( supSelect8( inside, error / ( v->sum + TINY ), step ), v->sum, reach );
	}
	return step;
}

SUP_WIDE supFloat8 VolumeSpringStep( const VolumeGradients* v, supFloat8 volume, supFloat8 compliance, supFloat8 reach,
									 supFloat8* multiplier, uint32_t* inverted )
{
	supInt8 inside = v->determinant <= 0.0f;
	*inverted = supMaskBits8( inside );
	compliance = supSelect8( inside, supSplat8( 0.0f ), compliance );
	supFloat8 step = ( volume - v->determinant - compliance * *multiplier ) / ( v->sum + compliance + TINY );
	if ( SUP_UNLIKELY( supMaskBits8( v->sum * step * step > reach ) != 0 ) )
	{
		step = ClampStep( step, v->sum, reach );
	}
	*multiplier += step;
	return step;
}

// ---------------------------------------------------------------------------------------------------------------------
// Eight vectors side by side. Lanes 0 to 3 lie in the low half of a register and 4 to 7 in the high half, so that
// shuffles stay inside halves.

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
