// SPDX-License-Identifier: MIT
#include "math/matrix.h"

#include "core/core.h"

// The inverse in double precision; false where it does not exist.
static bool InvertWide( supMat3 m, supMat3d* inverse )
{
	supMat3d a = supWidenMat3( m );
	double determinant = supDeterminant3d( &a );
	if ( determinant == 0.0 || !( determinant - determinant == 0.0 ) )
	{
		return false;
	}
	// rows of the inverse are the cofactors over the determinant
	double s = 1.0 / determinant;
	for ( int row = 0; row < 3; ++row )
	{
		double cofactors[3];
		supCross3d( a.m[( row + 1 ) % 3], a.m[( row + 2 ) % 3], cofactors );
		for ( int column = 0; column < 3; ++column )
		{
			inverse->m[column][row] = s * cofactors[column];
		}
	}
	return true;
}

static bool IsFiniteMat3( supMat3 m )
{
	return supIsFiniteVec3( m.cx ) && supIsFiniteVec3( m.cy ) && supIsFiniteVec3( m.cz );
}

bool supInvertMat3( supMat3 m, supMat3* inverse )
{
	supMat3d wide;
	if ( InvertWide( m, &wide ) == false )
	{
		return false;
	}
	supMat3 result = supNarrowMat3( &wide );
	if ( IsFiniteMat3( result ) == false )
	{
		return false;
	}
	*inverse = result;
	return true;
}

bool supInvertMat34( supMat34 m, supMat34* inverse )
{
	supMat3d wide;
	if ( InvertWide( supLinearPart( m ), &wide ) == false )
	{
		return false;
	}
	double t[3];
	for ( int row = 0; row < 3; ++row )
	{
		t[row] = -( wide.m[0][row] * m.t.x + wide.m[1][row] * m.t.y + wide.m[2][row] * m.t.z );
	}
	supMat3 linear = supNarrowMat3( &wide );
	supVec3 translation = { (float)t[0], (float)t[1], (float)t[2] };
	if ( IsFiniteMat3( linear ) == false || supIsFiniteVec3( translation ) == false )
	{
		return false;
	}
	*inverse = ( supMat34 ){ linear.cx, linear.cy, linear.cz, translation };
	return true;
}

supMat34 supMakeMat34Transform( supTransform transform )
{
	supMat3 r = supMakeMat3Quat( transform.rotation );
	return ( supMat34 ){ supScale( transform.scale.x, r.cx ), supScale( transform.scale.y, r.cy ),
						 supScale( transform.scale.z, r.cz ), transform.translation };
}

// ---------------------------------------------------------------------------------------------------------------------
// Decomposition

// The largest cosine between two axes that still counts as a right angle.
#define SUP_SHEAR_TOLERANCE 1.0e-5

// A column shorter than this beside the longest has no direction worth keeping.
#define SUP_AXIS_TOLERANCE 1.0e-7

// Improves R diag(s) towards m in the Frobenius norm, by turns: R the polar factor of m diag(s), then s = diag(Rᵀ m).
// Neither step makes the distance larger. `longest` is the length of m's longest column.
static void FitShear( const supMat3d* m, double longest, supQuat* rotation, double scale[3] )
{
	for ( int round = 0; round < 32; ++round )
	{
		supMat3d weighted;
		for ( int i = 0; i < 9; ++i )
		{
			weighted.m[i / 3][i % 3] = m->m[i / 3][i % 3] / longest * ( scale[i / 3] / longest );
		}
		*rotation = supPolarRotation( supNarrowMat3( &weighted ) );
		supMat3d r = supWidenMat3( supMakeMat3Quat( *rotation ) );
		for ( int i = 0; i < 3; ++i )
		{
			scale[i] = supDot3d( r.m[i], m->m[i] );
		}
	}
}

static bool HasRightAngles( const supMat3d* axes )
{
	return fabs( supDot3d( axes->m[0], axes->m[1] ) ) <= SUP_SHEAR_TOLERANCE &&
		   fabs( supDot3d( axes->m[1], axes->m[2] ) ) <= SUP_SHEAR_TOLERANCE &&
		   fabs( supDot3d( axes->m[2], axes->m[0] ) ) <= SUP_SHEAR_TOLERANCE;
}

bool supDecompose( supMat34 m, supTransform* transform )
{
	*transform = ( supTransform ){ m.t, supQuat_identity, supVec3_one };
	if ( IsFiniteMat3( supLinearPart( m ) ) == false || supIsFiniteVec3( m.t ) == false )
	{
		return false;
	}
	supMat3d a = supWidenMat3( supLinearPart( m ) );
	double scale[3];
	double longest = 0.0;
	for ( int i = 0; i < 3; ++i )
	{
		scale[i] = sqrt( supDot3d( a.m[i], a.m[i] ) );
		longest = fmax( longest, scale[i] );
	}
	supMat3d axes = { 0 };
	for ( int i = 0; i < 9; ++i )
	{
		bool hasDirection = scale[i / 3] > SUP_AXIS_TOLERANCE * longest;
		axes.m[i / 3][i % 3] = hasDirection ? a.m[i / 3][i % 3] / scale[i / 3] : 0.0;
	}

	bool mirrored = supDeterminant3d( &axes ) < 0.0;
	for ( int row = 0; row < 3 && mirrored; ++row )
	{
		axes.m[0][row] = -axes.m[0][row];
		a.m[0][row] = -a.m[0][row];
	}
	// a missing axis is completed to a rotation by the polar decomposition
	transform->rotation = supPolarRotation( supNarrowMat3( &axes ) );
	bool straight = HasRightAngles( &axes );
	if ( straight == false )
	{
		FitShear( &a, longest, &transform->rotation, scale );
	}
	scale[0] = mirrored ? -scale[0] : scale[0];
	transform->scale = supMakeVec3( (float)scale[0], (float)scale[1], (float)scale[2] );
	return straight;
}

void supTransformPoints( supMat34 m, const supVec3* points, int32_t count, supVec3* result )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		double x = (double)points[i].x, y = (double)points[i].y, z = (double)points[i].z;
		result[i].x = (float)( (double)m.cx.x * x + (double)m.cy.x * y + (double)m.cz.x * z + (double)m.t.x );
		result[i].y = (float)( (double)m.cx.y * x + (double)m.cy.y * y + (double)m.cz.y * z + (double)m.t.y );
		result[i].z = (float)( (double)m.cx.z * x + (double)m.cy.z * y + (double)m.cz.z * z + (double)m.t.z );
	}
}
