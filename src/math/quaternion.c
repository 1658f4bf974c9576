// SPDX-License-Identifier: MIT
// Double precision inside: the functions here are asked once per joint and key, not per vertex, and are then right for
// lengths from the smallest to the largest float.
#include "math/trigonometry.h"

typedef struct Vec3d
{
	double x, y, z;
} Vec3d;

// False for what has no direction: zero, infinite, NaN.
static bool FindDirection( supVec3 v, Vec3d* direction )
{
	double length = sqrt( (double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z );
	if ( !( length > 0.0 ) || !( length - length == 0.0 ) )
	{
		return false;
	}
	*direction = ( Vec3d ){ v.x / length, v.y / length, v.z / length };
	return true;
}

static supQuat RoundUnitQuat( double x, double y, double z, double w )
{
	double s = 1.0 / sqrt( x * x + y * y + z * z + w * w );
	return ( supQuat ){ (float)( s * x ), (float)( s * y ), (float)( s * z ), (float)( s * w ) };
}

supQuat supMakeQuatAxisAngle( supVec3 axis, float radians )
{
	Vec3d a;
	if ( FindDirection( axis, &a ) == false )
	{
		return supQuat_identity;
	}
	supCosSinDouble half = supComputeCosSinDouble( 0.5 * radians );
	return RoundUnitQuat( half.sine * a.x, half.sine * a.y, half.sine * a.z, half.cosine );
}

// Half a turn about an axis at right angles to `a`: away from its smallest component.
static supQuat HalfTurnFrom( Vec3d a )
{
	double x = fabs( a.x );
	double y = fabs( a.y );
	double z = fabs( a.z );
	if ( x <= y && x <= z )
	{
		return RoundUnitQuat( 0.0, a.z, -a.y, 0.0 );
	}
	return y <= z ? RoundUnitQuat( -a.z, 0.0, a.x, 0.0 ) : RoundUnitQuat( a.y, -a.x, 0.0, 0.0 );
}

supQuat supMakeQuatBetween( supVec3 from, supVec3 to )
{
	Vec3d a, b;
	if ( FindDirection( from, &a ) == false || FindDirection( to, &b ) == false )
	{
		return supQuat_identity;
	}
	// twice the turn from a to the middle m of both is the turn from a to b: q = (a x m, a . m)
	Vec3d m = { a.x + b.x, a.y + b.y, a.z + b.z };
	double length = sqrt( m.x * m.x + m.y * m.y + m.z * m.z );
	if ( length < 1.0e-9 )
	{
		return HalfTurnFrom( a );
	}
	return RoundUnitQuat( a.y * m.z - a.z * m.y, a.z * m.x - a.x * m.z, a.x * m.y - a.y * m.x,
						  a.x * m.x + a.y * m.y + a.z * m.z );
}

static supQuat NegateQuat( supQuat q )
{
	return ( supQuat ){ -q.x, -q.y, -q.z, -q.w };
}

supQuat supSlerp( supQuat a, supQuat b, float t )
{
	if ( supDotQuat( a, b ) < 0.0f )
	{
		b = NegateQuat( b );
	}
	if ( t == 0.0f || t == 1.0f )
	{
		return t == 0.0f ? a : b;
	}

	// half the angle from sum and difference: precise for nearly equal quaternions, where the cosine is not
	double differences[4] = { (double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z, (double)b.w - a.w };
	double sums[4] = { (double)b.x + a.x, (double)b.y + a.y, (double)b.z + a.z, (double)b.w + a.w };
	double sine = 0.0;
	double cosine = 0.0;
	for ( int i = 0; i < 4; ++i )
	{
		sine += differences[i] * differences[i];
		cosine += sums[i] * sums[i];
	}
	double angle = 2.0 * supAtan2Double( sqrt( sine ), sqrt( cosine ) );
	if ( !( angle > 0.0 ) )
	{
		return a;
	}
	double wa = supComputeCosSinDouble( ( 1.0 - t ) * angle ).sine;
	double wb = supComputeCosSinDouble( t * angle ).sine;
	return RoundUnitQuat( wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w );
}

supQuat supNlerp( supQuat a, supQuat b, float t )
{
	float wa = 1.0f - t;
	float wb = supDotQuat( a, b ) < 0.0f ? -t : t;
	return supNormalizeQuat(
		( supQuat ){ wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w } );
}

// Shepperd: starts from the largest component, so that the division never loses precision.
supQuat supMakeQuatMat3( supMat3 m )
{
	double xx = m.cx.x, yy = m.cy.y, zz = m.cz.z;
	double trace = xx + yy + zz;
	double yzDifference = (double)m.cy.z - m.cz.y, yzSum = (double)m.cy.z + m.cz.y;
	double zxDifference = (double)m.cz.x - m.cx.z, zxSum = (double)m.cz.x + m.cx.z;
	double xyDifference = (double)m.cx.y - m.cy.x, xySum = (double)m.cx.y + m.cy.x;
	if ( trace >= xx && trace >= yy && trace >= zz )
	{
		return RoundUnitQuat( yzDifference, zxDifference, xyDifference, 1.0 + trace );
	}
	if ( xx >= yy && xx >= zz )
	{
		return RoundUnitQuat( 1.0 + xx - yy - zz, xySum, zxSum, yzDifference );
	}
	if ( yy >= zz )
	{
		return RoundUnitQuat( xySum, 1.0 + yy - zz - xx, yzSum, zxDifference );
	}
	return RoundUnitQuat( zxSum, yzSum, 1.0 + zz - xx - yy, xyDifference );
}

supMat3 supMakeMat3Quat( supQuat q )
{
	float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
	float xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
	float xw = q.x * q.w, yw = q.y * q.w, zw = q.z * q.w;
	return ( supMat3 ){
		{ 1.0f - 2.0f * ( yy + zz ), 2.0f * ( xy + zw ), 2.0f * ( xz - yw ) },
		{ 2.0f * ( xy - zw ), 1.0f - 2.0f * ( xx + zz ), 2.0f * ( yz + xw ) },
		{ 2.0f * ( xz + yw ), 2.0f * ( yz - xw ), 1.0f - 2.0f * ( xx + yy ) },
	};
}
