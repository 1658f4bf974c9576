// SPDX-License-Identifier: MIT
// A skinning matrix as stretch and rigid motion. Compiles as C and as OpenCL C (src/device).
#include "character/pose.h"

// Entries of mᵀm: xx, yy, zz, xy, yz, zx.
static void Gram( supMat3 m, float entries[6] )
{
	entries[0] = supDot( m.cx, m.cx );
	entries[1] = supDot( m.cy, m.cy );
	entries[2] = supDot( m.cz, m.cz );
	entries[3] = supDot( m.cx, m.cy );
	entries[4] = supDot( m.cy, m.cz );
	entries[5] = supDot( m.cz, m.cx );
}

// Below this a joint counts as rigid, or as scaled evenly, and the polar decomposition is left out. Rounding along a
// chain of joints stays an order of magnitude below.
#define RIGID_TOLERANCE 1e-5f

// m = rotation times stretch. Returns false for a rigid m.
static bool Split( supMat3 m, supQuat* rotation, float stretch[8] )
{
	float gram[6];
	Gram( m, gram );
	float squared = ( gram[0] + gram[1] + gram[2] ) * ( 1.0f / 3.0f );
	float tolerance = RIGID_TOLERANCE * squared;
	bool even = supDeterminant( m ) > 0.0f;
	for ( int i = 0; i < 3; ++i )
	{
		even = even && fabsf( gram[i] - squared ) <= tolerance && fabsf( gram[i + 3] ) <= tolerance;
	}
	for ( int i = 0; i < 8; ++i )
	{
		stretch[i] = 0.0f;
	}
	if ( even )
	{
		float scale = sqrtf( squared );
		float inverse = 1.0f / scale;
		supMat3 r = { supScale( inverse, m.cx ), supScale( inverse, m.cy ), supScale( inverse, m.cz ) };
		*rotation = supMakeQuatMat3( r );
		stretch[0] = stretch[1] = stretch[2] = scale;
		return fabsf( squared - 1.0f ) > RIGID_TOLERANCE;
	}
	*rotation = supPolarRotation( m );
	supMat3 s = supMulMM( supTranspose( supMakeMat3Quat( *rotation ) ), m );
	stretch[0] = s.cx.x;
	stretch[1] = s.cy.y;
	stretch[2] = s.cz.z;
	stretch[3] = 0.5f * ( s.cx.y + s.cy.x );
	stretch[4] = 0.5f * ( s.cy.z + s.cz.y );
	stretch[5] = 0.5f * ( s.cz.x + s.cx.z );
	return true;
}

bool supMakeDualJoint( supMat34 m, supDualJoint* joint )
{
	supQuat rotation;
	bool stretched = Split( supLinearPart( m ), &rotation, joint->stretch );
	joint->motion = supMakeDualQuat( rotation, m.t );
	return stretched;
}
