// SPDX-License-Identifier: MIT
#include "decompose/decompose_kernel.h"

#include "core/wide.h"

// Eight frames of M x, row `c` of the result.
SUP_WIDE supFloat8 MoveRow( const float* bone, int32_t stride, int32_t f, int32_t c, supVec3 x )
{
	const float* rows = bone + (size_t)c * (size_t)stride + (size_t)f;
	size_t column = 3 * (size_t)stride;
	return supLoad8( rows ) * supSplat8( x.x ) + supLoad8( rows + column ) * supSplat8( x.y ) +
		   supLoad8( rows + 2 * column ) * supSplat8( x.z ) + supLoad8( rows + 3 * column );
}

void SUP_KERNEL( supBoneResiduals )( const float* const* bones, int32_t count, int32_t stride, supVec3 x,
									 const float* track, float* out )
{
	size_t size = 3 * (size_t)stride;
	for ( int32_t k = 0; k < count; ++k )
	{
		float* own = out + (size_t)k * size;
		for ( int32_t c = 0; c < 3; ++c )
		{
			const float* v = track + c * stride;
			for ( int32_t f = 0; f < stride; f += 8 )
			{
				supStore8( own + c * stride + f, MoveRow( bones[k], stride, f, c, x ) - supLoad8( v + f ) );
			}
		}
	}
}

void SUP_KERNEL( supScreenResiduals )( const float* rows, int32_t count, int32_t size, const float* weights,
									   int32_t blended, float* blend, float* products )
{
	supFloat8 square = supSplat8( 0.0f );
	for ( int32_t f = 0; f < size; f += 8 )
	{
		supFloat8 r = supSplat8( 0.0f );
		for ( int32_t k = 0; k < blended; ++k )
		{
			r += supSplat8( weights[k] ) * supLoad8( rows + (size_t)k * (size_t)size + f );
		}
		supStore8( blend + f, r );
		square += r * r;
	}
	products[0] = supSum8( square );
	for ( int32_t k = 0; k < count; ++k )
	{
		const float* row = rows + (size_t)k * (size_t)size;
		supFloat8 own = supSplat8( 0.0f ), shared = own;
		for ( int32_t f = 0; f < size; f += 8 )
		{
			supFloat8 d = supLoad8( row + f );
			own += d * d;
			shared += d * supLoad8( blend + f );
		}
		products[1 + 2 * k] = supSum8( own );
		products[2 + 2 * k] = supSum8( shared );
	}
}

void SUP_KERNEL( supGramOfRows )( const float* const* rows, int32_t count, int32_t size, float* gram )
{
	for ( int32_t a = 0; a < count; ++a )
	{
		for ( int32_t b = 0; b <= a; ++b )
		{
			// three sums side by side; sizes are multiples of 24
			supFloat8 sum0 = supSplat8( 0.0f ), sum1 = sum0, sum2 = sum0;
			for ( int32_t f = 0; f < size; f += 24 )
			{
				sum0 += supLoad8( rows[a] + f ) * supLoad8( rows[b] + f );
				sum1 += supLoad8( rows[a] + f + 8 ) * supLoad8( rows[b] + f + 8 );
				sum2 += supLoad8( rows[a] + f + 16 ) * supLoad8( rows[b] + f + 16 );
			}
			float dot = supSum8( sum0 + sum1 + sum2 );
			gram[a * count + b] = dot;
			gram[b * count + a] = dot;
		}
	}
}

void SUP_KERNEL( supBlendResidual )( const float* const* bones, const float* weights, int32_t count, int32_t stride,
									 supVec3 x, const float* track, float* out, float* sum, float* peak )
{
	supFloat8 total = supSplat8( 0.0f );
	supFloat8 most = total;
	for ( int32_t f = 0; f < stride; f += 8 )
	{
		supFloat8 squared = supSplat8( 0.0f );
		for ( int32_t c = 0; c < 3; ++c )
		{
			supFloat8 r = -supLoad8( track + c * stride + f );
			for ( int32_t k = 0; k < count; ++k )
			{
				r += supSplat8( weights[k] ) * MoveRow( bones[k], stride, f, c, x );
			}
			supStore8( out + c * stride + f, r );
			squared += r * r;
		}
		total += squared;
		most = supMax8( most, squared );
	}
	*sum = supSum8( total );
	*peak = 0.0f;
	for ( int i = 0; i < 8; ++i )
	{
		*peak = supMaxFloat( *peak, most[i] );
	}
}

void SUP_KERNEL( supAddMoments )( float* moments, int32_t stride, supVec3 x, float weight, const float* track )
{
	float factors[4] = { weight * x.x, weight * x.y, weight * x.z, weight };
	for ( int32_t f = 0; f < stride; f += 8 )
	{
		supFloat8 v[3] = { supLoad8( track + f ), supLoad8( track + stride + f ), supLoad8( track + 2 * stride + f ) };
		for ( int32_t k = 0; k < 4; ++k )
		{
			for ( int32_t c = 0; c < 3; ++c )
			{
				float* row = moments + ( 3 * k + c ) * stride + f;
				supStore8( row, supLoad8( row ) + supSplat8( factors[k] ) * v[c] );
			}
		}
	}
}

void SUP_KERNEL( supCompareResidual )( const float* bone, int32_t stride, supVec3 x, const float* track,
									   const float* residual, float products[3] )
{
	supFloat8 dd = supSplat8( 0.0f ), dr = dd, rr = dd;
	for ( int32_t c = 0; c < 3; ++c )
	{
		for ( int32_t f = 0; f < stride; f += 8 )
		{
			supFloat8 d = MoveRow( bone, stride, f, c, x ) - supLoad8( track + c * stride + f );
			supFloat8 r = supLoad8( residual + c * stride + f );
			dd += d * d;
			dr += d * r;
			rr += r * r;
		}
	}
	products[0] = supSum8( dd );
	products[1] = supSum8( dr );
	products[2] = supSum8( rr );
}
