// SPDX-License-Identifier: MIT
// The limit that the solver of `position` is held against: the same arithmetic on the same packs and nothing else. No
// levels, no domains, no hand-over between threads, no look at what is inverted or carried too far.
#pragma once

#if defined( __GNUC__ ) && defined( __x86_64__ ) && !defined( __clang__ )
#pragma GCC push_options
#pragma GCC target( "avx2" )
#define LIMIT_NEEDS_AVX2 1
#else
#define LIMIT_NEEDS_AVX2 0
#endif

#include "method/position/constraint_rows.h"
#include "method/position/position_kernel.h"

SUP_WIDE Rows LimitLoad( const char* base, const uint32_t* offsets )
{
	Rows rows;
	for ( int j = 0; j < 4; ++j )
	{
		rows.r[j] = LoadHalves( (const float*)( base + offsets[j] ), (const float*)( base + offsets[j + 4] ) );
	}
	return rows;
}

SUP_WIDE void LimitStore( char* base, const uint32_t* offsets, Rows rows )
{
	for ( int j = 0; j < 4; ++j )
	{
		StoreHalves( (float*)( base + offsets[j] ), (float*)( base + offsets[j + 4] ), rows.r[j] );
	}
}

SUP_WIDE Rows LimitAdd( Rows rows, Vec3W p, Vec3W d, supFloat8 scale, supFloat8 w )
{
	(void)rows;
	Vec3W moved = { p.x + d.x * scale, p.y + d.y * scale, p.z + d.z * scale };
	return Untranspose( moved, w );
}

static void LimitStretch( float* particles, const supStretchPack* packs, int32_t begin, int32_t end, float k )
{
	char* base = (char*)particles;
	for ( const supStretchPack* pack = packs + begin; pack < packs + end; ++pack )
	{
		Rows a = LimitLoad( base, pack->first );
		Rows b = LimitLoad( base, pack->second );
		supFloat8 w1, w2;
		Vec3W p1 = Transpose( a, &w1 );
		Vec3W p2 = Transpose( b, &w2 );
		Vec3W d = Sub( p1, p2 );
		supFloat8 size = supSqrt8( Dot( d, d ) );
		supFloat8 length = supLoad8( pack->length );
		supFloat8 beyond = size - SUP_SLACK * length;
		beyond = supSelect8( beyond > 0.0f, beyond, supSplat8( 0.0f ) );
		supFloat8 ratio = k * ( size - length + supLoad8( pack->hold ) * beyond ) / size;
		LimitStore( base, pack->first, LimitAdd( a, p1, d, -supLoad8( pack->firstShare ) * ratio, w1 ) );
		LimitStore( base, pack->second, LimitAdd( b, p2, d, supLoad8( pack->secondShare ) * ratio, w2 ) );
	}
}

static void LimitBind( float* particles, const supBindPack* packs, const float* anchors, int32_t begin, int32_t end,
					   float k )
{
	char* base = (char*)particles;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supBindPack* pack = packs + i;
		const float* anchor = anchors + 32 * (size_t)i;
		Rows a = LimitLoad( base, pack->particle );
		Rows b;
		for ( int j = 0; j < 4; ++j )
		{
			b.r[j] = LoadHalves( anchor + 4 * j, anchor + 4 * j + 16 );
		}
		supFloat8 w1, w2;
		Vec3W p1 = Transpose( a, &w1 );
		Vec3W d = Sub( p1, Transpose( b, &w2 ) );
		supFloat8 size = supSqrt8( Dot( d, d ) );
		supFloat8 ratio = k * ( size - supLoad8( pack->length ) ) / size;
		LimitStore( base, pack->particle, LimitAdd( a, p1, d, -supLoad8( pack->share ) * ratio, w1 ) );
	}
}

static void LimitVolume( float* particles, const supVolumePack* packs, int32_t begin, int32_t end, float k )
{
	char* base = (char*)particles;
	for ( const supVolumePack* pack = packs + begin; pack < packs + end; ++pack )
	{
		Rows rows[4];
		Vec3W p[4];
		supFloat8 w[4];
		for ( int i = 0; i < 4; ++i )
		{
			rows[i] = LimitLoad( base, pack->corners[i] );
			p[i] = Transpose( rows[i], w + i );
		}
		VolumeGradients v = ComputeVolume( p, w );
		supFloat8 step = k * ( supLoad8( pack->volume ) - v.determinant ) / v.sum;
		for ( int i = 0; i < 4; ++i )
		{
			LimitStore( base, pack->corners[i], LimitAdd( rows[i], p[i], v.g[i], w[i] * step, w[i] ) );
		}
	}
}

#if LIMIT_NEEDS_AVX2
#pragma GCC pop_options
#endif
