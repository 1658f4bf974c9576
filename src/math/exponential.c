// SPDX-License-Identifier: MIT
#include "math/exponential.h"

#include <math.h>

double supExpNegative( double x )
{
	if ( x < -700.0 )
	{
		return 0.0;
	}
	// x = n ln 2 + r, |r| <= ln 2 / 2, and a Taylor series for e^r
	double n = floor( x * 1.4426950408889634 + 0.5 );
	double r = x - n * 0.6931471805599453;
	double sum = 1.0;
	for ( int i = 14; i > 0; --i )
	{
		sum = 1.0 + r / (double)i * sum;
	}
	return ldexp( sum, (int)n );
}
