// SPDX-License-Identifier: MIT
// 3x3 matrices in double precision: products of three floats keep their order of magnitude (1e-135 to 1e116), so that
// tiny and huge matrices need no scaling.
#pragma once

#include "supple/math.h"

typedef struct supMat3d
{
	double m[3][3]; // [column][row]
} supMat3d;

static inline supMat3d supWidenMat3( supMat3 m )
{
	return ( supMat3d ){ { { m.cx.x, m.cx.y, m.cx.z }, { m.cy.x, m.cy.y, m.cy.z }, { m.cz.x, m.cz.y, m.cz.z } } };
}

static inline supMat3 supNarrowMat3( const supMat3d* a )
{
	const double( *m )[3] = a->m;
	return ( supMat3 ){ { (float)m[0][0], (float)m[0][1], (float)m[0][2] },
						{ (float)m[1][0], (float)m[1][1], (float)m[1][2] },
						{ (float)m[2][0], (float)m[2][1], (float)m[2][2] } };
}

static inline double supDot3d( const double a[3], const double b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void supCross3d( const double a[3], const double b[3], double result[3] )
{
	result[0] = a[1] * b[2] - a[2] * b[1];
	result[1] = a[2] * b[0] - a[0] * b[2];
	result[2] = a[0] * b[1] - a[1] * b[0];
}

// a + s b
static inline supMat3 supMulAddMat3( supMat3 a, float s, supMat3 b )
{
	return ( supMat3 ){ supMulAdd( a.cx, s, b.cx ), supMulAdd( a.cy, s, b.cy ), supMulAdd( a.cz, s, b.cz ) };
}

// The determinant of a matrix of floats, exactly 0 where it is not certainly different from 0.
double supDeterminant3d( const supMat3d* a );

// A quaternion of unit length from its direction, rounded once.
supQuat supRoundUnitQuat( double x, double y, double z, double w );

static inline bool supIsFiniteMat34( supMat34 m )
{
	return supIsFiniteVec3( m.cx ) && supIsFiniteVec3( m.cy ) && supIsFiniteVec3( m.cz ) && supIsFiniteVec3( m.t );
}
