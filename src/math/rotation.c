// SPDX-License-Identifier: MIT
// Rotations between matrices, quaternions and dual quaternions. Compiles as C and as OpenCL C (src/device): functions
// that devices need stand here and in svd.c.
#include "math/matrix.h"

double supDeterminant3d( const supMat3d* a )
{
	const double( *m )[3] = a->m;
	double cofactors[3];
	supCross3d( m[1], m[2], cofactors );
	double determinant = supDot3d( m[0], cofactors );

	// each of the six products is rounded at most five times on its way into the sum
	double products = fabs( m[0][0] ) * ( fabs( m[1][1] * m[2][2] ) + fabs( m[1][2] * m[2][1] ) ) +
					  fabs( m[0][1] ) * ( fabs( m[1][2] * m[2][0] ) + fabs( m[1][0] * m[2][2] ) ) +
					  fabs( m[0][2] ) * ( fabs( m[1][0] * m[2][1] ) + fabs( m[1][1] * m[2][0] ) );
	const double rounding = 8.0 * 1.1102230246251565e-16;
	return fabs( determinant ) <= rounding * products ? 0.0 : determinant;
}

supQuat supRoundUnitQuat( double x, double y, double z, double w )
{
	double s = 1.0 / sqrt( x * x + y * y + z * z + w * w );
	return ( supQuat ){ (float)( s * x ), (float)( s * y ), (float)( s * z ), (float)( s * w ) };
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
		return supRoundUnitQuat( yzDifference, zxDifference, xyDifference, 1.0 + trace );
	}
	if ( xx >= yy && xx >= zz )
	{
		return supRoundUnitQuat( 1.0 + xx - yy - zz, xySum, zxSum, yzDifference );
	}
	if ( yy >= zz )
	{
		return supRoundUnitQuat( xySum, 1.0 + yy - zz - xx, yzSum, zxDifference );
	}
	return supRoundUnitQuat( zxSum, yzSum, 1.0 + zz - xx - yy, xyDifference );
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

supDualQuat supMakeDualQuat( supQuat rotation, supVec3 translation )
{
	supQuat halved = { 0.5f * translation.x, 0.5f * translation.y, 0.5f * translation.z, 0.0f };
	return ( supDualQuat ){ rotation, supMulQuat( halved, rotation ) };
}

// t = 2 dual real*
supVec3 supDualQuat_Translation( supDualQuat q )
{
	supQuat t = supMulQuat( q.dual, supConjugate( q.real ) );
	return supMakeVec3( 2.0f * t.x, 2.0f * t.y, 2.0f * t.z );
}
