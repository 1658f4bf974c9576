// SPDX-License-Identifier: MIT
#include "method/lattice/lattice.h"

typedef struct Mat2
{
	double m[2][2];
} Mat2;

static Mat2 Multiply( const Mat2* a, const Mat2* b )
{
	Mat2 c;
	for ( int i = 0; i < 2; ++i )
	{
		for ( int j = 0; j < 2; ++j )
		{
			c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j];
		}
	}
	return c;
}

// The exponential of the system's matrix, by its series on a part of the time and then squaring: below, at and above
// critical damping alike, and without anybody's exp and sin.
void supSolveTether( float frequency, float damping, float dt, float matrix[4] )
{
	double w = 6.283185307179586 * (double)frequency;
	double h = (double)dt;
	double size = h * ( 1.0 + w ) * ( 1.0 + w ) * ( 1.0 + 2.0 * (double)damping );
	int squarings = 0;
	for ( ; size > 0.125 && squarings < 60; size *= 0.5 )
	{
		squarings += 1;
		h *= 0.5;
	}
	Mat2 a = { { { 0.0, h }, { -w * w * h, -2.0 * (double)damping * w * h } } };
	// all but the identity, which would swallow it
	Mat2 sum = a, power = a;
	for ( int i = 2; i < 12; ++i )
	{
		power = Multiply( &power, &a );
		for ( int k = 0; k < 4; ++k )
		{
			power.m[k / 2][k % 2] /= i;
			sum.m[k / 2][k % 2] += power.m[k / 2][k % 2];
		}
	}
	for ( int i = 0; i < squarings; ++i )
	{
		// ( I + S )^2 = I + 2 S + S^2
		Mat2 square = Multiply( &sum, &sum );
		for ( int k = 0; k < 4; ++k )
		{
			sum.m[k / 2][k % 2] = 2.0 * sum.m[k / 2][k % 2] + square.m[k / 2][k % 2];
		}
	}
	matrix[0] = (float)( 1.0 + sum.m[0][0] );
	matrix[1] = (float)sum.m[0][1];
	matrix[2] = (float)sum.m[1][0];
	matrix[3] = (float)( 1.0 + sum.m[1][1] );
}
