// SPDX-License-Identifier: MIT
#include "method/modes/modes_kernel.h"

#include "core/wide.h"

// Rows that are summed up at the same time, in registers.
#define TILE 32

void SUP_KERNEL( supApplyColumns )( const float* m, const float* x, int32_t rows, int32_t columns, float* y )
{
	int32_t row = 0;
	for ( ; row + TILE <= rows; row += TILE )
	{
		supFloat8 a = supSplat8( 0.0f ), b = a, c = a, d = a;
		const float* column = m + row;
		for ( int32_t k = 0; k < columns; ++k, column += rows )
		{
			supFloat8 factor = supSplat8( x[k] );
			a += supLoad8( column ) * factor;
			b += supLoad8( column + 8 ) * factor;
			c += supLoad8( column + 16 ) * factor;
			d += supLoad8( column + 24 ) * factor;
		}
		supStore8( y + row, a );
		supStore8( y + row + 8, b );
		supStore8( y + row + 16, c );
		supStore8( y + row + 24, d );
	}
	for ( ; row < rows; row += 8 )
	{
		supFloat8 a = supSplat8( 0.0f );
		const float* column = m + row;
		for ( int32_t k = 0; k < columns; ++k, column += rows )
		{
			a += supLoad8( column ) * supSplat8( x[k] );
		}
		supStore8( y + row, a );
	}
}

void SUP_KERNEL( supApplyTransposed )( const float* m, const float* x, int32_t rows, int32_t columns, float* y )
{
	for ( int32_t k = 0; k < columns; ++k, m += rows )
	{
		supFloat8 sum = supSplat8( 0.0f );
		for ( int32_t row = 0; row < rows; row += 8 )
		{
			sum += supLoad8( m + row ) * supLoad8( x + row );
		}
		y[k] = supSum8( sum );
	}
}

void SUP_KERNEL( supExpandModes )( const float* shapes, const float* rests, const float* numbers, int32_t modeCount,
								   int32_t blockCount, float* u )
{
	for ( int32_t block = 0; block < blockCount; ++block, shapes += 8 * modeCount, rests += 24, u += 24 )
	{
		supFloat8 sums[12];
		for ( int k = 0; k < 12; ++k )
		{
			sums[k] = supSplat8( 0.0f );
		}
		for ( int32_t m = 0; m < modeCount; ++m )
		{
			supFloat8 shape = supLoad8( shapes + 8 * m );
			const float* a = numbers + 12 * m;
			for ( int k = 0; k < 12; ++k )
			{
				sums[k] += shape * supSplat8( a[k] );
			}
		}
		supFloat8 x = supLoad8( rests ), y = supLoad8( rests + 8 ), z = supLoad8( rests + 16 );
		for ( int c = 0; c < 3; ++c )
		{
			supStore8( u + 8 * c, sums[c] * x + sums[3 + c] * y + sums[6 + c] * z + sums[9 + c] );
		}
	}
}

void SUP_KERNEL( supGatherModes )( const float* shapes, const float* rests, const float* d, int32_t modeCount,
								   float* sums )
{
	supFloat8 products[12];
	for ( int c = 0; c < 3; ++c )
	{
		supFloat8 own = supLoad8( d + 8 * c );
		for ( int k = 0; k < 3; ++k )
		{
			products[3 * k + c] = own * supLoad8( rests + 8 * k );
		}
		products[9 + c] = own;
	}
	for ( int32_t m = 0; m < modeCount; ++m )
	{
		supFloat8 shape = supLoad8( shapes + 8 * m );
		for ( int k = 0; k < 12; ++k )
		{
			float* sum = sums + 8 * ( 12 * m + k );
			supStore8( sum, supLoad8( sum ) + shape * products[k] );
		}
	}
}
