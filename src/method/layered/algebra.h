// SPDX-License-Identifier: MIT
// Vectors, rotations and 3x3 matrices in double precision, for the few bodies of a skeleton.
#pragma once

#include "math/matrix.h"
#include "math/trigonometry.h"

#include <math.h>

typedef struct supVec3d
{
	double x, y, z;
} supVec3d;

typedef struct supQuatd
{
	double x, y, z, w;
} supQuatd;

static inline supVec3d supWidenVec3( supVec3 a )
{
	return ( supVec3d ){ a.x, a.y, a.z };
}

static inline supVec3 supNarrowVec3( supVec3d a )
{
	return ( supVec3 ){ (float)a.x, (float)a.y, (float)a.z };
}

static inline supVec3d supAddVec3d( supVec3d a, supVec3d b )
{
	return ( supVec3d ){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline supVec3d supSubVec3d( supVec3d a, supVec3d b )
{
	return ( supVec3d ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline supVec3d supScaleVec3d( double s, supVec3d a )
{
	return ( supVec3d ){ s * a.x, s * a.y, s * a.z };
}

// a + s b
static inline supVec3d supMulAddVec3d( supVec3d a, double s, supVec3d b )
{
	return ( supVec3d ){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline double supDotVec3d( supVec3d a, supVec3d b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline supVec3d supCrossVec3d( supVec3d a, supVec3d b )
{
	return ( supVec3d ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline double supLengthVec3d( supVec3d a )
{
	return sqrt( supDotVec3d( a, a ) );
}

// Of unit length and at right angles to an axis of unit length: `wanted` without its part along it, or any other.
static inline supVec3d supMakeAcross( supVec3d wanted, supVec3d axis )
{
	supVec3d across = supMulAddVec3d( wanted, -supDotVec3d( wanted, axis ), axis );
	if ( supLengthVec3d( across ) < 1e-3 )
	{
		supVec3d other = fabs( axis.x ) < 0.7 ? ( supVec3d ){ 1.0, 0.0, 0.0 } : ( supVec3d ){ 0.0, 1.0, 0.0 };
		across = supCrossVec3d( axis, other );
	}
	return supScaleVec3d( 1.0 / supLengthVec3d( across ), across );
}

static inline supVec3d supLoadVec3d( const double* p )
{
	return ( supVec3d ){ p[0], p[1], p[2] };
}

static inline void supStoreVec3d( double* p, supVec3d a )
{
	p[0] = a.x;
	p[1] = a.y;
	p[2] = a.z;
}

// ---------------------------------------------------------------------------------------------------------------------
// Matrices

static inline supVec3d supMulMat3dVec( const supMat3d* a, supVec3d v )
{
	const double( *m )[3] = a->m;
	return ( supVec3d ){ m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z, m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
						 m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z };
}

// transpose( a ) v
static inline supVec3d supMulTransposed3d( const supMat3d* a, supVec3d v )
{
	const double( *m )[3] = a->m;
	return ( supVec3d ){ m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
						 m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z };
}

static inline supMat3d supMulMat3d( const supMat3d* a, const supMat3d* b )
{
	supMat3d product;
	for ( int c = 0; c < 3; ++c )
	{
		supStoreVec3d( product.m[c], supMulMat3dVec( a, supLoadVec3d( b->m[c] ) ) );
	}
	return product;
}

static inline supMat3d supTransposeMat3d( const supMat3d* a )
{
	supMat3d t;
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			t.m[c][r] = a->m[r][c];
		}
	}
	return t;
}

// a + s b
static inline supMat3d supMulAddMat3d( const supMat3d* a, double s, const supMat3d* b )
{
	supMat3d sum;
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			sum.m[c][r] = a->m[c][r] + s * b->m[c][r];
		}
	}
	return sum;
}

// [v]x: the matrix of the cross product with v
static inline supMat3d supSkew3d( supVec3d v )
{
	return ( supMat3d ){ { { 0.0, v.z, -v.y }, { -v.z, 0.0, v.x }, { v.y, -v.x, 0.0 } } };
}

static inline supMat3d supDiagonal3d( double s )
{
	return ( supMat3d ){ { { s, 0.0, 0.0 }, { 0.0, s, 0.0 }, { 0.0, 0.0, s } } };
}

// False, and nothing written, where the determinant is zero or not a number.
static inline bool supInvertMat3d( const supMat3d* a, supMat3d* inverse )
{
	double rows[3][3];
	supCross3d( a->m[1], a->m[2], rows[0] );
	supCross3d( a->m[2], a->m[0], rows[1] );
	supCross3d( a->m[0], a->m[1], rows[2] );
	double determinant = supDot3d( a->m[0], rows[0] );
	if ( !( fabs( determinant ) > 0.0 ) || isinf( determinant ) )
	{
		return false;
	}
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			inverse->m[c][r] = rows[r][c] / determinant;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rotations

static inline supQuatd supMulQuatd( supQuatd a, supQuatd b )
{
	return ( supQuatd ){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
						 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

static inline supQuatd supConjugateQuatd( supQuatd q )
{
	return ( supQuatd ){ -q.x, -q.y, -q.z, q.w };
}

static inline supQuatd supNormalizeQuatd( supQuatd q )
{
	double length = sqrt( q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w );
	if ( !( length > 0.0 ) || isinf( length ) )
	{
		return ( supQuatd ){ 0.0, 0.0, 0.0, 1.0 };
	}
	return ( supQuatd ){ q.x / length, q.y / length, q.z / length, q.w / length };
}

static inline supMat3d supMakeMat3dQuat( supQuatd q )
{
	double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
	double xy = q.x * q.y, yz = q.y * q.z, zx = q.z * q.x;
	double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
	return ( supMat3d ){ { { 1.0 - 2.0 * ( yy + zz ), 2.0 * ( xy + wz ), 2.0 * ( zx - wy ) },
						   { 2.0 * ( xy - wz ), 1.0 - 2.0 * ( xx + zz ), 2.0 * ( yz + wx ) },
						   { 2.0 * ( zx + wy ), 2.0 * ( yz - wx ), 1.0 - 2.0 * ( xx + yy ) } } };
}

// The rotation by |v| about v.
static inline supQuatd supExpVec3d( supVec3d v )
{
	double angle = supLengthVec3d( v );
	// sin( angle / 2 ) / angle
	double s = 0.5 - angle * angle / 48.0, c = 1.0 - angle * angle / 8.0;
	if ( angle > 1e-4 )
	{
		supCosSinDouble half = supComputeCosSinDouble( 0.5 * angle );
		s = half.sine / angle;
		c = half.cosine;
	}
	return supNormalizeQuatd( ( supQuatd ){ s * v.x, s * v.y, s * v.z, c } );
}

// The vector of a rotation, no longer than pi.
static inline supVec3d supLogQuatd( supQuatd q )
{
	double sign = q.w < 0.0 ? -1.0 : 1.0;
	supVec3d v = { sign * q.x, sign * q.y, sign * q.z };
	double sine = supLengthVec3d( v ), cosine = sign * q.w;
	double scale = sine > 1e-6 ? 2.0 * supAtan2Double( sine, cosine ) / sine : 2.0;
	return supScaleVec3d( scale, v );
}
