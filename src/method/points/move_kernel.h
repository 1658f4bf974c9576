// SPDX-License-Identifier: MIT
// One stage of an integrator. Every explicit scheme is, point by point,
//     a  = w F + g - drag ( V_now - wind )         (g and drag only where w > 0)
//     x' = X + xV V + xU U + xA a
//     v' =     vV V + vU U + vA a
// with arrays and factors that make the scheme; see integrator.c.
#pragma once

#include "core/kernel.h"

typedef struct supMoveJob
{
	const float* x;   // X; the fourth number is the inverse mass w
	const float* v;   // V
	const float* u;   // U
	const float* now; // velocity that drag acts on
	const float* f;
	float xV, xU, xA;
	float vV, vU, vA;
	float gravity[4];
	float wind[4];
	float drag;   // 1/s
	float* newX;  // may be x
	float* newV;  // may be v, u or now
	float* keepX; // gets X where not NULL
	float* keepV; // gets V where not NULL
	float* keepA; // gets a where not NULL; may be u
} supMoveJob;

SUP_DECLARE_KERNEL( void, supMovePoints, ( const supMoveJob* job, int32_t begin, int32_t end ) );

// Puts back what is not a number: old position, no velocity. Returns how many points.
SUP_DECLARE_KERNEL( int32_t, supRepairPoints, ( float* x, float* v, const float* oldX, int32_t begin, int32_t end ) );
