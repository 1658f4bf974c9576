// SPDX-License-Identifier: MIT
#include "linear/block_matrix_kernel.h"
#include "linear/wide_double.h"

// A column of a 3x3 block is loaded with the first number of the next one in the fourth lane, which is never stored.
// The values have room for the last such load.
static void MultiplyBlocks3( const supBlockMatrix* m, const double* x, double* y, int32_t begin, int32_t end )
{
	for ( int32_t row = begin; row < end; ++row )
	{
		supDouble4 sums[3] = { 0 };
		const double* block = m->values + 9 * (size_t)m->rowStarts[row];
		for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1]; ++k, block += 9 )
		{
			const double* in = x + 3 * (size_t)m->columns[k];
			sums[0] += supLoad4d( block ) * supSplat4d( in[0] );
			sums[1] += supLoad4d( block + 3 ) * supSplat4d( in[1] );
			sums[2] += supLoad4d( block + 6 ) * supSplat4d( in[2] );
		}
		supDouble4 sum = ( sums[0] + sums[1] ) + sums[2];
		double* out = y + 3 * (size_t)row;
		out[0] = sum[0];
		out[1] = sum[1];
		out[2] = sum[2];
	}
}

static void MultiplyScalars3( const supBlockMatrix* m, const double* x, double* y, int32_t begin, int32_t end )
{
	for ( int32_t row = begin; row < end; ++row )
	{
		double a = 0.0, b = 0.0, c = 0.0;
		for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1]; ++k )
		{
			const double* in = x + 3 * (size_t)m->columns[k];
			a += m->values[k] * in[0];
			b += m->values[k] * in[1];
			c += m->values[k] * in[2];
		}
		double* out = y + 3 * (size_t)row;
		out[0] = a;
		out[1] = b;
		out[2] = c;
	}
}

// One right-hand side, blocks of any size.
static void MultiplyOne( const supBlockMatrix* m, const double* x, double* y, int32_t row )
{
	int32_t rows = m->offsets[row + 1] - m->offsets[row];
	double* out = y + m->offsets[row];
	memset( out, 0, (size_t)rows * sizeof( double ) );
	for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1]; ++k )
	{
		int32_t first = m->offsets[m->columns[k]], count = m->offsets[m->columns[k] + 1] - first;
		const double* block = m->values + m->blockStarts[k];
		for ( int32_t j = 0; j < count; ++j, block += rows )
		{
			supDouble4 in = supSplat4d( x[first + j] );
			int32_t i = 0;
			for ( ; i + 4 <= rows; i += 4 )
			{
				supStore4d( out + i, supLoad4d( out + i ) + supLoad4d( block + i ) * in );
			}
			for ( ; i < rows; ++i )
			{
				out[i] += block[i] * x[first + j];
			}
		}
	}
}

static void MultiplyAny( const supBlockMatrix* m, const double* x, double* y, int32_t columns, int32_t row )
{
	int32_t rows = m->offsets[row + 1] - m->offsets[row];
	double* out = y + (size_t)m->offsets[row] * (size_t)columns;
	memset( out, 0, (size_t)( rows * columns ) * sizeof( double ) );
	for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1]; ++k )
	{
		int32_t first = m->offsets[m->columns[k]], count = m->offsets[m->columns[k] + 1] - first;
		const double* block = m->values + m->blockStarts[k];
		for ( int32_t j = 0; j < count; ++j, block += rows )
		{
			const double* in = x + (size_t)( first + j ) * (size_t)columns;
			for ( int32_t i = 0; i < rows; ++i )
			{
				for ( int32_t c = 0; c < columns; ++c )
				{
					out[i * columns + c] += block[i] * in[c];
				}
			}
		}
	}
}

void SUP_KERNEL( supMultiplyRows )( const supBlockMatrix* matrix, const double* x, double* y, int32_t columns,
									int32_t begin, int32_t end )
{
	if ( matrix->nodeSize == 3 && columns == 1 )
	{
		MultiplyBlocks3( matrix, x, y, begin, end );
	}
	else if ( matrix->nodeSize == 1 && columns == 3 )
	{
		MultiplyScalars3( matrix, x, y, begin, end );
	}
	else
	{
		for ( int32_t row = begin; row < end && columns == 1; ++row )
		{
			MultiplyOne( matrix, x, y, row );
		}
		for ( int32_t row = begin; row < end && columns > 1; ++row )
		{
			MultiplyAny( matrix, x, y, columns, row );
		}
	}
}
