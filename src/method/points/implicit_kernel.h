// SPDX-License-Identifier: MIT
// Vectors of the implicit integrator: points of 16 bytes whose fourth number is 0. Points without mass take no part.
#pragma once

#include "core/kernel.h"
#include "method/points/solver.h"

typedef struct supCgJob
{
	const float* x; // inverse masses
	float* v;
	const float* before; // v before the step
	const float* f;
	float* residual;
	float* direction;
	float* product;
	float* inverse;                // of the diagonal
	const supPointTether* tethers; // may be NULL
	const supTies* ties;           // may be NULL
	float dt;
	float drag;
	float gravity[4];
	float wind[4];
	float step; // along the direction
	float turn; // of the direction
} supCgJob;

// residual = h F + h m ( g - drag ( v - wind ) ) - m ( v - before ), inverse = 1 / ( m ( 1 + h drag ) + inverse ),
// direction = inverse residual. Returns residual . direction.
SUP_DECLARE_KERNEL( double, supCgBegin, ( const supCgJob* job, int32_t begin, int32_t end ) );

// product += m ( 1 + h drag ) direction. Returns direction . product.
SUP_DECLARE_KERNEL( double, supCgAddMass, ( const supCgJob* job, int32_t begin, int32_t end ) );

// v += step direction, residual -= step product. Returns residual . inverse residual.
SUP_DECLARE_KERNEL( double, supCgAdvance, ( const supCgJob* job, int32_t begin, int32_t end ) );

// direction = inverse residual + turn direction
SUP_DECLARE_KERNEL( void, supCgTurn, ( const supCgJob* job, int32_t begin, int32_t end ) );
