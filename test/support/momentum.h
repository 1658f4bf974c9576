// SPDX-License-Identifier: MIT
// Momentum of bodies of mass points.
#pragma once

#include "method/points/solver.h"

#include <math.h>

typedef struct testMomentum
{
	double linear[3], angular[3];
} testMomentum;

static inline testMomentum testMeasureMomentum( const supPointBody* body, const supPointState* state )
{
	testMomentum sum = { 0 };
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		const float* x = state->x + 4 * i;
		const float* v = state->v + 4 * i;
		double m = 1.0 / (double)body->inverseMasses[i];
		for ( int k = 0; k < 3; ++k )
		{
			int a = ( k + 1 ) % 3, b = ( k + 2 ) % 3;
			sum.linear[k] += m * (double)v[k];
			sum.angular[k] += m * ( (double)x[a] * (double)v[b] - (double)x[b] * (double)v[a] );
		}
	}
	return sum;
}

// How far a momentum is from what it was, relative.
static inline double testMomentumChange( const double before[3], const double after[3] )
{
	double size = 0.0, change = 0.0;
	for ( int k = 0; k < 3; ++k )
	{
		size += before[k] * before[k];
		change += ( after[k] - before[k] ) * ( after[k] - before[k] );
	}
	return sqrt( change / size );
}
