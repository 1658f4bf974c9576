// SPDX-License-Identifier: MIT
// Vertices side by side, one per lane: for kernels whose arrays hold one vertex after another. Include it in *_kernel.c
// files only: its types are as wide as the registers that the file is compiled for.
#pragma once

#include "core/wide.h"

// As many vertices at once as a register is wide. With eight, vertices 0 to 3 lie in the low half of a register and 4
// to 7 in the high half, so that shuffles stay inside halves; pieces of the two are loaded and stored as a pair.
#if defined( __AVX__ )
#define LANES 8
typedef supFloat8 Wide;
typedef supInt8 WideInt;
#else
#define LANES 4
typedef supFloat4 Wide;
typedef supInt4 WideInt;
#endif

typedef struct Vec3W
{
	Wide x, y, z;
} Vec3W;

typedef struct QuatW
{
	Wide x, y, z, w;
} QuatW;

// ---------------------------------------------------------------------------------------------------------------------
// What depends on the width

#if LANES == 8

SUP_WIDE Wide Splat( float a )
{
	return supSplat8( a );
}

SUP_WIDE Wide Sqrt( Wide a )
{
	return supSqrt8( a );
}

SUP_WIDE Wide Join( supFloat4 low, supFloat4 high )
{
	return __builtin_shufflevector( low, high, 0, 1, 2, 3, 4, 5, 6, 7 );
}

// Four floats of one vertex, and those `distance` further on of the vertex four after it.
SUP_WIDE Wide LoadPair( const float* p, int distance )
{
	return Join( supLoad4( p ), supLoad4( p + distance ) );
}

SUP_WIDE void StorePair( float* p, int distance, Wide a )
{
	supStore4( p, supLow4( a ) );
	supStore4( p + distance, supHigh4( a ) );
}

// In each half: a[i], a[j], b[k], b[l].
#define SHUFFLE( a, b, i, j, k, l )                                                                                    \
	__builtin_shufflevector( a, b, i, j, 8 + ( k ), 8 + ( l ), 4 + ( i ), 4 + ( j ), 12 + ( k ), 12 + ( l ) )

#else

SUP_WIDE Wide Splat( float a )
{
	return supSplat4( a );
}

SUP_WIDE Wide Sqrt( Wide a )
{
	return supSqrt4( a );
}

SUP_WIDE Wide LoadPair( const float* p, int distance )
{
	(void)distance;
	return supLoad4( p );
}

SUP_WIDE void StorePair( float* p, int distance, Wide a )
{
	(void)distance;
	supStore4( p, a );
}

#define SHUFFLE( a, b, i, j, k, l ) __builtin_shufflevector( a, b, i, j, 4 + ( k ), 4 + ( l ) )

#endif

// mask ? a : b
SUP_WIDE Wide Select( WideInt mask, Wide a, Wide b )
{
	return (Wide)( ( mask & (WideInt)a ) | ( ~mask & (WideInt)b ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// From one vertex after another to one component after another, and back

// rows[i] holds four components of vertex i, and of vertex i + 4.
SUP_WIDE QuatW Transpose( const Wide rows[4] )
{
	Wide xy01 = SHUFFLE( rows[0], rows[1], 0, 1, 0, 1 );
	Wide zw01 = SHUFFLE( rows[0], rows[1], 2, 3, 2, 3 );
	Wide xy23 = SHUFFLE( rows[2], rows[3], 0, 1, 0, 1 );
	Wide zw23 = SHUFFLE( rows[2], rows[3], 2, 3, 2, 3 );
	return ( QuatW ){ SHUFFLE( xy01, xy23, 0, 2, 0, 2 ), SHUFFLE( xy01, xy23, 1, 3, 1, 3 ),
					  SHUFFLE( zw01, zw23, 0, 2, 0, 2 ), SHUFFLE( zw01, zw23, 1, 3, 1, 3 ) };
}

// Four floats of each vertex; vertices are `stride` floats apart.
SUP_WIDE QuatW LoadVec4( const float* p, int stride )
{
	Wide rows[4];
	for ( int i = 0; i < 4; ++i )
	{
		rows[i] = LoadPair( p + stride * i, 4 * stride );
	}
	return Transpose( rows );
}

SUP_WIDE void StoreVec4( float* p, QuatW v )
{
	const Wide rows[4] = { v.x, v.y, v.z, v.w };
	QuatW t = Transpose( rows );
	StorePair( p, 16, t.x );
	StorePair( p + 4, 16, t.y );
	StorePair( p + 8, 16, t.z );
	StorePair( p + 12, 16, t.w );
}

// a: x0 y0 z0 x1, b: y1 z1 x2 y2, c: z2 x3 y3 z3, and the same for vertices 4 to 7
SUP_WIDE Vec3W LoadVec3( const float* p )
{
	Wide a = LoadPair( p, 12 );
	Wide b = LoadPair( p + 4, 12 );
	Wide c = LoadPair( p + 8, 12 );
	Wide xy = SHUFFLE( b, c, 2, 3, 1, 2 );
	Wide yz = SHUFFLE( a, b, 1, 2, 0, 1 );
	return ( Vec3W ){ SHUFFLE( a, xy, 0, 3, 0, 2 ), SHUFFLE( yz, xy, 0, 2, 1, 3 ), SHUFFLE( yz, c, 1, 3, 0, 3 ) };
}

SUP_WIDE void StoreVec3( float* p, Vec3W v )
{
	Wide xy = SHUFFLE( v.x, v.y, 0, 2, 0, 2 );
	Wide yz = SHUFFLE( v.y, v.z, 1, 3, 1, 3 );
	Wide zx = SHUFFLE( v.z, v.x, 0, 2, 1, 3 );
	StorePair( p, 12, SHUFFLE( xy, zx, 0, 2, 0, 2 ) );
	StorePair( p + 4, 12, SHUFFLE( yz, xy, 0, 2, 1, 3 ) );
	StorePair( p + 8, 12, SHUFFLE( zx, yz, 1, 3, 1, 3 ) );
}

#include "core/lanes_math.h"
