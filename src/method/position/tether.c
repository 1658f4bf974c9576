// SPDX-License-Identifier: MIT
#include "method/position/tether.h"

#include "math/exponential.h"
#include "math/trigonometry.h"

#include <math.h>

#define TWO_PI 6.283185307179586

supTether supMakeTether( float frequency, float damping, float dt )
{
	double h = (double)dt;
	double w = TWO_PI * (double)frequency;
	double z = (double)damping;
	if ( w * h < 1e-6 )
	{
		return ( supTether ){ 1.0f, dt, 0.0f, 1.0f, (float)( 0.5 * h * h ) };
	}
	// the decaying cosine, and the decaying sine over its angular frequency
	double c, s;
	double d = 1.0 - z * z;
	if ( d > 1e-6 )
	{
		double wd = w * sqrt( d );
		double e = supExpNegative( -z * w * h );
		supCosSinDouble turn = supComputeCosSinDouble( wd * h );
		c = e * turn.cosine;
		s = e * turn.sine / wd;
	}
	else if ( d < -1e-6 )
	{
		double root = sqrt( -d );
		// the slow rate in the form that does not cancel
		double slow = supExpNegative( -w * h / ( z + root ) );
		double fast = supExpNegative( -w * h * ( z + root ) );
		c = 0.5 * ( slow + fast );
		s = 0.5 * ( slow - fast ) / ( root * w );
	}
	else
	{
		c = supExpNegative( -w * h );
		s = c * h;
	}
	double yy = c + z * w * s;
	return ( supTether ){ (float)yy, (float)s, (float)( -w * w * s ), (float)( c - z * w * s ),
						  (float)( ( 1.0 - yy ) / ( w * w ) ) };
}
