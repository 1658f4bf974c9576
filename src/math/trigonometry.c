// SPDX-License-Identifier: MIT
#include "math/trigonometry.h"

#include "core/core.h"

#define SUP_PI_DOUBLE 3.14159265358979323846

// Taylor's series, |x| <= pi/4. The first term left out is below x^13/13! = 7e-12.
static double SineNearZero( double x )
{
	double z = x * x;
	double p = -1.0 / 39916800.0;
	p = p * z + 1.0 / 362880.0;
	p = p * z - 1.0 / 5040.0;
	p = p * z + 1.0 / 120.0;
	p = p * z - 1.0 / 6.0;
	return x + x * z * p;
}

// The same: below x^14/14! = 4e-13.
static double CosineNearZero( double x )
{
	double z = x * x;
	double p = 1.0 / 479001600.0;
	p = p * z - 1.0 / 3628800.0;
	p = p * z + 1.0 / 40320.0;
	p = p * z - 1.0 / 720.0;
	p = p * z + 1.0 / 24.0;
	p = p * z - 1.0 / 2.0;
	return 1.0 + z * p;
}

supCosSinDouble supComputeCosSinDouble( double radians )
{
	if ( !( radians - radians == 0.0 ) )
	{
		double nan = radians - radians;
		return ( supCosSinDouble ){ nan, nan };
	}
	if ( fabs( radians ) > 1.0e6 )
	{
		// exact by IEEE 754, so the same everywhere
		radians = fmod( radians, 2.0 * SUP_PI_DOUBLE );
	}

	// Cody and Waite: the first part of pi/2 has 33 bits, so that its product with the quadrant is exact
	const double halfPiHigh = 1.57079632673412561417e+00;
	const double halfPiLow = 6.07710050650619224932e-11;
	double scaled = radians * ( 2.0 / SUP_PI_DOUBLE );
	int32_t quadrant = (int32_t)( scaled < 0.0 ? scaled - 0.5 : scaled + 0.5 );
	double x = ( radians - quadrant * halfPiHigh ) - quadrant * halfPiLow;

	double sine = SineNearZero( x );
	double cosine = CosineNearZero( x );
	switch ( quadrant & 3 )
	{
		case 0:
			return ( supCosSinDouble ){ cosine, sine };
		case 1:
			return ( supCosSinDouble ){ -sine, cosine };
		case 2:
			return ( supCosSinDouble ){ -cosine, -sine };
		default:
			return ( supCosSinDouble ){ sine, -cosine };
	}
}

// 0 <= x <= 1: from the nearest quarter t, atan x = atan t + atan( (x - t) / (1 + x t) ), whose argument is at most
// 1/8; the first term left out of the series is below (1/8)^13/13 = 2e-13.
static double ArcTangentOfFraction( double x )
{
	static const double quarters[5] = { 0.0, 0.24497866312686415417, 0.46364760900080611621, 0.64350110879328438680,
										0.78539816339744830962 };
	int32_t quarter = (int32_t)( 4.0 * x + 0.5 );
	double t = 0.25 * quarter;
	double y = ( x - t ) / ( 1.0 + x * t );
	double z = y * y;
	double p = -1.0 / 11.0;
	p = p * z + 1.0 / 9.0;
	p = p * z - 1.0 / 7.0;
	p = p * z + 1.0 / 5.0;
	p = p * z - 1.0 / 3.0;
	return quarters[quarter] + ( y + y * z * p );
}

double supAtan2Double( double y, double x )
{
	double ax = fabs( x );
	double ay = fabs( y );
	if ( !( ax >= 0.0 && ay >= 0.0 ) )
	{
		return x + y;
	}
	if ( ax == 0.0 && ay == 0.0 )
	{
		return 0.0;
	}
	double larger = ax > ay ? ax : ay;
	double smaller = ax > ay ? ay : ax;
	double fraction = smaller == larger ? 1.0 : smaller / larger;
	double angle = ArcTangentOfFraction( fraction );
	angle = ay > ax ? 0.5 * SUP_PI_DOUBLE - angle : angle;
	angle = x < 0.0 ? SUP_PI_DOUBLE - angle : angle;
	return copysign( angle, y );
}

supCosSin supComputeCosSin( float radians )
{
	supCosSinDouble result = supComputeCosSinDouble( radians );
	return ( supCosSin ){ (float)result.cosine, (float)result.sine };
}

float supAtan2( float y, float x )
{
	return (float)supAtan2Double( y, x );
}

float supAcos( float cosine )
{
	double c = supClampFloat( cosine, -1.0f, 1.0f );
	// the product keeps its precision near both ends, where 1 - c^2 would lose it
	return (float)supAtan2Double( sqrt( ( 1.0 - c ) * ( 1.0 + c ) ), c );
}
