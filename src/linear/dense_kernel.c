// SPDX-License-Identifier: MIT
#include "linear/dense_kernel.h"

#include "linear/wide_double.h"

#include <math.h>

// Two columns at a time: what they take is read once for both.
void SUP_KERNEL( supEliminateOne )( double* a, int32_t n, int32_t k, double inverse )
{
	double* column = a + (size_t)k * (size_t)n;
	int32_t j = k + 1;
	for ( ; j + 1 < n; j += 2 )
	{
		double *first = a + (size_t)j * (size_t)n, *second = first + n;
		double x = column[j] * inverse, y = column[j + 1] * inverse;
		supDouble4 wideX = supSplat4d( x ), wideY = supSplat4d( y );
		first[j] -= column[j] * x;
		int32_t i = j + 1;
		for ( ; i + 4 <= n; i += 4 )
		{
			supDouble4 c = supLoad4d( column + i );
			supStore4d( first + i, supLoad4d( first + i ) - c * wideX );
			supStore4d( second + i, supLoad4d( second + i ) - c * wideY );
		}
		for ( ; i < n; ++i )
		{
			first[i] -= column[i] * x;
			second[i] -= column[i] * y;
		}
	}
	if ( j < n )
	{
		a[(size_t)j * (size_t)n + (size_t)j] -= column[j] * ( column[j] * inverse );
	}
	for ( int32_t i = k + 1; i < n; ++i )
	{
		column[i] *= inverse;
	}
}

void SUP_KERNEL( supEliminateTwo )( double* a, int32_t n, int32_t k, const double inverse[3] )
{
	double* first = a + (size_t)k * (size_t)n;
	double* second = first + n;
	for ( int32_t j = k + 2; j < n; ++j )
	{
		double x = inverse[0] * first[j] + inverse[1] * second[j];
		double y = inverse[1] * first[j] + inverse[2] * second[j];
		double* target = a + (size_t)j * (size_t)n;
		supDouble4 wideX = supSplat4d( x ), wideY = supSplat4d( y );
		int32_t i = j;
		for ( ; i + 4 <= n; i += 4 )
		{
			supDouble4 taken = supLoad4d( first + i ) * wideX + supLoad4d( second + i ) * wideY;
			supStore4d( target + i, supLoad4d( target + i ) - taken );
		}
		for ( ; i < n; ++i )
		{
			target[i] -= first[i] * x + second[i] * y;
		}
		// row j of both columns is not needed any more below
		first[j] = x;
		second[j] = y;
	}
}

double SUP_KERNEL( supLargestSize )( const double* values, int64_t count )
{
	double largest[4] = { 0.0, 0.0, 0.0, 0.0 };
	int64_t i = 0;
	for ( ; i + 4 <= count; i += 4 )
	{
		for ( int k = 0; k < 4; ++k )
		{
			double size = fabs( values[i + k] );
			largest[k] = size > largest[k] ? size : largest[k];
		}
	}
	for ( ; i < count; ++i )
	{
		double size = fabs( values[i] );
		largest[0] = size > largest[0] ? size : largest[0];
	}
	double low = largest[0] > largest[1] ? largest[0] : largest[1];
	double high = largest[2] > largest[3] ? largest[2] : largest[3];
	return low > high ? low : high;
}
