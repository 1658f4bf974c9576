// SPDX-License-Identifier: MIT
// Sine, cosine and arc tangent in double precision out of additions, multiplications and divisions only, so that the
// same input gives the same bits on every machine. Errors below 1e-11: exact for what is rounded to float.
#pragma once

#include "supple/math.h"

typedef struct supCosSinDouble
{
	double cosine, sine;
} supCosSinDouble;

// NaN for what is not finite. |radians| beyond 1e6 loses the precision that double pi has not got.
supCosSinDouble supComputeCosSinDouble( double radians );

// As C's atan2, but 0 for (0, 0) whatever the signs of the zeros. NaN where either is NaN.
double supAtan2Double( double y, double x );
