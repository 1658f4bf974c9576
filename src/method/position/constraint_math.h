// SPDX-License-Identifier: MIT
// The arithmetic of one constraint, lane by lane: shared by the single and the crowd arrangement and by devices, where
// a lane is a work-item (device_prelude.cl), so that all give the same bits. For kernel files only.
#pragma once

#include "core/wide.h"
#include "method/position/position_kernel.h"

#ifndef SUP_DEVICE_CODE

typedef supFloat8 Wide;
typedef supInt8 WideInt;

typedef struct Vec3W
{
	Wide x, y, z;
} Vec3W;

typedef struct QuatW
{
	Wide x, y, z, w;
} QuatW;

SUP_WIDE Wide Splat( float a )
{
	return supSplat8( a );
}

SUP_WIDE Wide Sqrt( Wide a )
{
	return supSqrt8( a );
}

SUP_WIDE Wide Select( WideInt mask, Wide a, Wide b )
{
	return supSelect8( mask, a, b );
}

#include "core/lanes_math.h"

#endif

// A denominator that is 0 only where the gradient is 0 too.
#define TINY 1e-30f

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
