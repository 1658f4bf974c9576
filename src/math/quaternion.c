// SPDX-License-Identifier: MIT
// Double precision inside: the functions here are asked once per joint and key, not per vertex, and are then right for
// lengths from the smallest to the largest float.
#include "math/matrix.h"
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

supQuat supMakeQuatAxisAngle( supVec3 axis, float radians )
{
	Vec3d a;
	if ( FindDirection( axis, &a ) == false )
	{
		return supQuat_identity;
	}
	supCosSinDouble half = supComputeCosSinDouble( 0.5 * radians );
	return supRoundUnitQuat( half.sine * a.x, half.sine * a.y, half.sine * a.z, half.cosine );
}

// Half a turn about an axis at right angles to `a`: away from its smallest component.
static supQuat HalfTurnFrom( Vec3d a )
{
	double x = fabs( a.x );
	double y = fabs( a.y );
	double z = fabs( a.z );
	if ( x <= y && x <= z )
	{
		return supRoundUnitQuat( 0.0, a.z, -a.y, 0.0 );
	}
	return y <= z ? supRoundUnitQuat( -a.z, 0.0, a.x, 0.0 ) : supRoundUnitQuat( a.y, -a.x, 0.0, 0.0 );
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
	return supRoundUnitQuat( a.y * m.z - a.z * m.y, a.z * m.x - a.x * m.z, a.x * m.y - a.y * m.x,
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
	return supRoundUnitQuat( wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w );
}

supQuat supNlerp( supQuat a, supQuat b, float t )
{
	float wa = 1.0f - t;
	float wb = supDotQuat( a, b ) < 0.0f ? -t : t;
	return supNormalizeQuat(
		( supQuat ){ wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w } );
}
