// SPDX-License-Identifier: MIT
/// @file math.h
/// Vectors, quaternions, dual quaternions and small matrices. Right-handed, +Y up, metres.
///
/// Everything here is plain arithmetic (float, or double inside a function) without contraction and without the C
/// library's trigonometry, so that the same input gives the same bits on every machine.
#pragma once

#include "supple/base.h"

#include <math.h>

#define SUP_PI 3.14159265358979323846f

typedef struct supVec2
{
	float x, y;
} supVec2;

typedef struct supVec3
{
	float x, y, z;
} supVec3;

typedef struct supVec4
{
	float x, y, z, w;
} supVec4;

/// Rotation; w is the real part. Functions expect and return unit length unless they say otherwise.
typedef struct supQuat
{
	float x, y, z, w;
} supQuat;

/// Rigid motion: `real` is the rotation, `dual` half the translation times it.
typedef struct supDualQuat
{
	supQuat real, dual;
} supDualQuat;

/// Columns.
typedef struct supMat3
{
	supVec3 cx, cy, cz;
} supMat3;

/// Affine map: x -> cx x + cy y + cz z + t. Columns, like supMat3, and the translation last.
typedef struct supMat34
{
	supVec3 cx, cy, cz, t;
} supMat34;

/// Scale, then rotate, then translate: what glTF calls TRS.
typedef struct supTransform
{
	supVec3 translation;
	supQuat rotation;
	supVec3 scale;
} supTransform;

/// Axis-aligned box; empty where lower > upper.
typedef struct supBox
{
	supVec3 lower, upper;
} supBox;

#ifdef __cplusplus
#define SUP_LITERAL( type ) type
#define SUP_INLINE inline
#else
#define SUP_LITERAL( type ) ( type )
#define SUP_INLINE static inline
#endif

static const supVec3 supVec3_zero = { 0.0f, 0.0f, 0.0f };
static const supVec3 supVec3_one = { 1.0f, 1.0f, 1.0f };
static const supQuat supQuat_identity = { 0.0f, 0.0f, 0.0f, 1.0f };
static const supMat3 supMat3_identity = { { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f } };
static const supMat34 supMat34_identity = {
	{ 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f }, { 0.0f, 0.0f, 0.0f }
};
static const supTransform supTransform_identity = { { 0.0f, 0.0f, 0.0f },
													{ 0.0f, 0.0f, 0.0f, 1.0f },
													{ 1.0f, 1.0f, 1.0f } };

// ---------------------------------------------------------------------------------------------------------------------
// Scalars

SUP_INLINE float supMinFloat( float a, float b )
{
	return a < b ? a : b;
}

SUP_INLINE float supMaxFloat( float a, float b )
{
	return a > b ? a : b;
}

SUP_INLINE float supClampFloat( float a, float lower, float upper )
{
	return a < lower ? lower : ( a > upper ? upper : a );
}

SUP_INLINE float supLerpFloat( float a, float b, float t )
{
	return ( 1.0f - t ) * a + t * b;
}

/// Neither infinite nor NaN.
SUP_INLINE bool supIsFinite( float a )
{
	return a - a == 0.0f;
}

/// Sine and cosine of the same angle in radians; absolute error below 2e-7 for |angle| < 1e8. NaN where it is not
/// finite.
typedef struct supCosSin
{
	float cosine, sine;
} supCosSin;

SUP_API supCosSin supComputeCosSin( float radians );

/// Angle of (x, y) in [-pi, pi]; 0 for (0, 0). Absolute error below 4e-7.
SUP_API float supAtan2( float y, float x );

/// `cosine` is clamped to [-1, 1]. Absolute error below 4e-7. NaN gives NaN.
SUP_API float supAcos( float cosine );

// ---------------------------------------------------------------------------------------------------------------------
// Vectors

SUP_INLINE supVec3 supMakeVec3( float x, float y, float z )
{
	return SUP_LITERAL( supVec3 ){ x, y, z };
}

SUP_INLINE supVec3 supAdd( supVec3 a, supVec3 b )
{
	return SUP_LITERAL( supVec3 ){ a.x + b.x, a.y + b.y, a.z + b.z };
}

SUP_INLINE supVec3 supSub( supVec3 a, supVec3 b )
{
	return SUP_LITERAL( supVec3 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SUP_INLINE supVec3 supNeg( supVec3 a )
{
	return SUP_LITERAL( supVec3 ){ -a.x, -a.y, -a.z };
}

SUP_INLINE supVec3 supMul( supVec3 a, supVec3 b )
{
	return SUP_LITERAL( supVec3 ){ a.x * b.x, a.y * b.y, a.z * b.z };
}

SUP_INLINE supVec3 supScale( float s, supVec3 a )
{
	return SUP_LITERAL( supVec3 ){ s * a.x, s * a.y, s * a.z };
}

/// a + s b
SUP_INLINE supVec3 supMulAdd( supVec3 a, float s, supVec3 b )
{
	return SUP_LITERAL( supVec3 ){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

SUP_INLINE supVec3 supLerp( supVec3 a, supVec3 b, float t )
{
	return SUP_LITERAL( supVec3 ){ supLerpFloat( a.x, b.x, t ), supLerpFloat( a.y, b.y, t ),
								   supLerpFloat( a.z, b.z, t ) };
}

SUP_INLINE float supDot( supVec3 a, supVec3 b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

SUP_INLINE supVec3 supCross( supVec3 a, supVec3 b )
{
	return SUP_LITERAL( supVec3 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SUP_INLINE float supLengthSquared( supVec3 a )
{
	return supDot( a, a );
}

SUP_INLINE float supLength( supVec3 a )
{
	return sqrtf( supDot( a, a ) );
}

SUP_INLINE float supDistance( supVec3 a, supVec3 b )
{
	return supLength( supSub( b, a ) );
}

/// Zero stays zero.
SUP_INLINE supVec3 supNormalize( supVec3 a )
{
	float length = supLength( a );
	return length > 0.0f ? supScale( 1.0f / length, a ) : supVec3_zero;
}

SUP_INLINE bool supIsFiniteVec3( supVec3 a )
{
	return supIsFinite( a.x ) && supIsFinite( a.y ) && supIsFinite( a.z );
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

static const supBox supBox_empty = { { 3.402823466e38f, 3.402823466e38f, 3.402823466e38f },
									 { -3.402823466e38f, -3.402823466e38f, -3.402823466e38f } };

SUP_INLINE supBox supBox_Include( supBox box, supVec3 p )
{
	box.lower = supMakeVec3( supMinFloat( box.lower.x, p.x ), supMinFloat( box.lower.y, p.y ),
							 supMinFloat( box.lower.z, p.z ) );
	box.upper = supMakeVec3( supMaxFloat( box.upper.x, p.x ), supMaxFloat( box.upper.y, p.y ),
							 supMaxFloat( box.upper.z, p.z ) );
	return box;
}

SUP_INLINE bool supBox_IsEmpty( supBox box )
{
	return box.lower.x > box.upper.x || box.lower.y > box.upper.y || box.lower.z > box.upper.z;
}

/// Zero for an empty box.
SUP_INLINE supVec3 supBox_Size( supBox box )
{
	return supBox_IsEmpty( box ) ? supVec3_zero : supSub( box.upper, box.lower );
}

// ---------------------------------------------------------------------------------------------------------------------
// Quaternions

SUP_INLINE supQuat supMulQuat( supQuat a, supQuat b )
{
	return SUP_LITERAL(
		supQuat ){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
				   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

/// The inverse of a unit quaternion.
SUP_INLINE supQuat supConjugate( supQuat q )
{
	return SUP_LITERAL( supQuat ){ -q.x, -q.y, -q.z, q.w };
}

SUP_INLINE float supDotQuat( supQuat a, supQuat b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// Zero becomes the identity.
SUP_INLINE supQuat supNormalizeQuat( supQuat q )
{
	float length = sqrtf( supDotQuat( q, q ) );
	if ( !( length > 0.0f ) )
	{
		return supQuat_identity;
	}
	float s = 1.0f / length;
	return SUP_LITERAL( supQuat ){ s * q.x, s * q.y, s * q.z, s * q.w };
}

SUP_INLINE supVec3 supRotate( supQuat q, supVec3 v )
{
	supVec3 u = { q.x, q.y, q.z };
	supVec3 t = supScale( 2.0f, supCross( u, v ) );
	return supAdd( supMulAdd( v, q.w, t ), supCross( u, t ) );
}

/// `axis` need not be of unit length; a zero axis gives the identity.
SUP_API supQuat supMakeQuatAxisAngle( supVec3 axis, float radians );

/// The smallest rotation that turns direction `from` into direction `to`; neither need be of unit length. Opposite
/// directions give half a turn about some axis at right angles; a zero vector gives the identity.
SUP_API supQuat supMakeQuatBetween( supVec3 from, supVec3 to );

/// Along the shorter great arc, at constant speed. t = 0 gives a, t = 1 gives b (or -b, the same rotation).
SUP_API supQuat supSlerp( supQuat a, supQuat b, float t );

/// Along the shorter arc by normalised linear interpolation: cheaper, same path, speed not quite constant.
SUP_API supQuat supNlerp( supQuat a, supQuat b, float t );

/// The rotation of an orthonormal matrix with determinant +1.
SUP_API supQuat supMakeQuatMat3( supMat3 m );

SUP_API supMat3 supMakeMat3Quat( supQuat q );

// ---------------------------------------------------------------------------------------------------------------------
// 3x3

SUP_INLINE supVec3 supMulMV( supMat3 m, supVec3 v )
{
	return SUP_LITERAL( supVec3 ){ m.cx.x * v.x + m.cy.x * v.y + m.cz.x * v.z,
								   m.cx.y * v.x + m.cy.y * v.y + m.cz.y * v.z,
								   m.cx.z * v.x + m.cy.z * v.y + m.cz.z * v.z };
}

SUP_INLINE supMat3 supMulMM( supMat3 a, supMat3 b )
{
	return SUP_LITERAL( supMat3 ){ supMulMV( a, b.cx ), supMulMV( a, b.cy ), supMulMV( a, b.cz ) };
}

SUP_INLINE supMat3 supTranspose( supMat3 m )
{
	return SUP_LITERAL( supMat3 ){ { m.cx.x, m.cy.x, m.cz.x }, { m.cx.y, m.cy.y, m.cz.y }, { m.cx.z, m.cy.z, m.cz.z } };
}

SUP_INLINE float supDeterminant( supMat3 m )
{
	return supDot( m.cx, supCross( m.cy, m.cz ) );
}

/// The matrix that carries area vectors: det(m) times the inverse transpose, defined for singular matrices too.
SUP_INLINE supMat3 supCofactor( supMat3 m )
{
	return SUP_LITERAL( supMat3 ){ supCross( m.cy, m.cz ), supCross( m.cz, m.cx ), supCross( m.cx, m.cy ) };
}

/// Returns false and leaves `inverse` alone where the determinant is not certainly different from zero in double
/// precision, or where the inverse is not finite. Size does not matter: 1e-15 times the identity has an inverse.
SUP_API bool supInvertMat3( supMat3 m, supMat3* inverse );

/// m = u diag(s) vᵀ with u and v rotations (determinant +1): s.x >= s.y >= |s.z|, and s.z < 0 exactly where det m < 0.
/// Works for zero, singular, inverted and badly scaled matrices; errors are a few float roundings of s.x. Where an
/// entry is not finite, s is NaN and u and v are identities.
typedef struct supSvd
{
	supMat3 u;
	supVec3 s;
	supMat3 v;
} supSvd;

SUP_API supSvd supComputeSvd( supMat3 m );

/// The rotation nearest to m in the Frobenius norm, a true rotation (determinant +1) also for singular and inverted m.
/// Where many are equally near it is one of them; zero, infinite and NaN give the identity.
SUP_API supQuat supPolarRotation( supMat3 m );

// ---------------------------------------------------------------------------------------------------------------------
// Affine maps and transforms

SUP_INLINE supVec3 supTransformPoint( supMat34 m, supVec3 p )
{
	return SUP_LITERAL( supVec3 ){ m.cx.x * p.x + m.cy.x * p.y + m.cz.x * p.z + m.t.x,
								   m.cx.y * p.x + m.cy.y * p.y + m.cz.y * p.z + m.t.y,
								   m.cx.z * p.x + m.cy.z * p.y + m.cz.z * p.z + m.t.z };
}

/// Transforms `count` points, computed in doubles and rounded once. `result` may be `points`.
SUP_API void supTransformPoints( supMat34 m, const supVec3* points, int32_t count, supVec3* result );

SUP_INLINE supMat3 supLinearPart( supMat34 m )
{
	return SUP_LITERAL( supMat3 ){ m.cx, m.cy, m.cz };
}

/// First b, then a.
SUP_INLINE supMat34 supMulMat34( supMat34 a, supMat34 b )
{
	supMat3 l = supLinearPart( a );
	return SUP_LITERAL( supMat34 ){ supMulMV( l, b.cx ), supMulMV( l, b.cy ), supMulMV( l, b.cz ),
									supTransformPoint( a, b.t ) };
}

/// Returns false and leaves `inverse` alone for a singular map.
SUP_API bool supInvertMat34( supMat34 m, supMat34* inverse );

SUP_API supMat34 supMakeMat34Transform( supTransform transform );

/// Splits an affine map into translation, rotation and scale. Returns false where it has shear (two axes are not at
/// right angles: cosine above 1e-5; the result is then a near fit) or is not finite (no rotation, no scale). A mirror
/// is given as a negative scale on x. The direction of an axis shorter than 1e-7 of the longest is not looked at.
SUP_API bool supDecompose( supMat34 m, supTransform* transform );

// ---------------------------------------------------------------------------------------------------------------------
// Dual quaternions

SUP_API supDualQuat supMakeDualQuat( supQuat rotation, supVec3 translation );

SUP_API supDualQuat supMulDualQuat( supDualQuat a, supDualQuat b );

/// Makes the real part unit and the dual part orthogonal to it. A real part of zero gives no motion at all.
SUP_API supDualQuat supNormalizeDualQuat( supDualQuat q );

/// - `q` is normalised
SUP_API supVec3 supDualQuat_Translation( supDualQuat q );

/// - `q` is normalised
SUP_INLINE supVec3 supTransformPointDualQuat( supDualQuat q, supVec3 p )
{
	return supAdd( supRotate( q.real, p ), supDualQuat_Translation( q ) );
}
