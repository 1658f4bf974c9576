// SPDX-License-Identifier: MIT
// Points of 16 bytes (x, y, z and one number more) gathered by index into eight lanes, and back. Four floats are read
// at once and turned in registers, which is several times faster than gathering each component by itself.
#pragma once

#include "core/wide.h"

typedef struct supVec3x8
{
	supFloat8 x, y, z;
} supVec3x8;

SUP_WIDE supFloat8 supJoin4( supFloat4 low, supFloat4 high )
{
	return __builtin_shufflevector( low, high, 0, 1, 2, 3, 4, 5, 6, 7 );
}

// In each half: a[i], a[j], b[k], b[l].
#define SUP_SHUFFLE_HALVES( a, b, i, j, k, l )                                                                         \
	__builtin_shufflevector( a, b, i, j, 8 + ( k ), 8 + ( l ), 4 + ( i ), 4 + ( j ), 12 + ( k ), 12 + ( l ) )

// The 4x4 blocks of both halves transposed.
SUP_WIDE void supTransposeHalves( supFloat8 rows[4] )
{
	supFloat8 xy01 = SUP_SHUFFLE_HALVES( rows[0], rows[1], 0, 1, 0, 1 );
	supFloat8 zw01 = SUP_SHUFFLE_HALVES( rows[0], rows[1], 2, 3, 2, 3 );
	supFloat8 xy23 = SUP_SHUFFLE_HALVES( rows[2], rows[3], 0, 1, 0, 1 );
	supFloat8 zw23 = SUP_SHUFFLE_HALVES( rows[2], rows[3], 2, 3, 2, 3 );
	rows[0] = SUP_SHUFFLE_HALVES( xy01, xy23, 0, 2, 0, 2 );
	rows[1] = SUP_SHUFFLE_HALVES( xy01, xy23, 1, 3, 1, 3 );
	rows[2] = SUP_SHUFFLE_HALVES( zw01, zw23, 0, 2, 0, 2 );
	rows[3] = SUP_SHUFFLE_HALVES( zw01, zw23, 1, 3, 1, 3 );
}

// The first three numbers of eight points.
SUP_WIDE supVec3x8 supGather8( const float* points, const int32_t index[8] )
{
	supFloat8 rows[4];
	for ( int k = 0; k < 4; ++k )
	{
		rows[k] =
			supJoin4( supLoad4( points + 4 * (int64_t)index[k] ), supLoad4( points + 4 * (int64_t)index[k + 4] ) );
	}
	supTransposeHalves( rows );
	return ( supVec3x8 ){ rows[0], rows[1], rows[2] };
}

// Adds to eight points, the fourth number left as it is. Lanes one after another in a fixed order, so that a point
// may be in several of them.
SUP_WIDE void supScatterAdd8( float* points, const int32_t index[8], supVec3x8 a )
{
	supFloat8 rows[4] = { a.x, a.y, a.z, supSplat8( 0.0f ) };
	supTransposeHalves( rows );
	for ( int k = 0; k < 4; ++k )
	{
		float* low = points + 4 * (int64_t)index[k];
		supStore4( low, supLoad4( low ) + supLow4( rows[k] ) );
		float* high = points + 4 * (int64_t)index[k + 4];
		supStore4( high, supLoad4( high ) + supHigh4( rows[k] ) );
	}
}

SUP_WIDE supVec3x8 supAdd8( supVec3x8 a, supVec3x8 b )
{
	return ( supVec3x8 ){ a.x + b.x, a.y + b.y, a.z + b.z };
}

SUP_WIDE supVec3x8 supSub8( supVec3x8 a, supVec3x8 b )
{
	return ( supVec3x8 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SUP_WIDE supVec3x8 supScale8( supFloat8 s, supVec3x8 a )
{
	return ( supVec3x8 ){ s * a.x, s * a.y, s * a.z };
}

SUP_WIDE supFloat8 supDot8( supVec3x8 a, supVec3x8 b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

SUP_WIDE supVec3x8 supCross8( supVec3x8 a, supVec3x8 b )
{
	return ( supVec3x8 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
