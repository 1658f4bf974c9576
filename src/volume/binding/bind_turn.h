// SPDX-License-Identifier: MIT
// How the flesh around a point of a surface binding is turned against the reference, for frames and for places alike.
#pragma once

#include "core/core.h"
#include "supple/math.h"

#include <math.h>

// A mean gradient that is longer than this (a stretch to nine times the length) is shortened to it: that is flesh gone
// wild, and the skin should not make more of it. In folds skinning itself has crushed the tets, and what the flesh does
// between them looks like a stretch without end: there it is twice the length.
#define SUP_LONGEST_TURN 8.0f
#define SUP_LONGEST_FOLDED_TURN 1.0f

// What skinning leaves of a volume in a fold, and if there is none.
#define SUP_FOLDED_VOLUME 0.25f
#define SUP_WHOLE_VOLUME 0.75f

// Below this change of volume the reference cannot be turned back any more.
#define SUP_FLATTEST 0.05f

static inline supMat3 supBindAddIdentity( supMat3 m )
{
	m.cx.x += 1.0f;
	m.cy.y += 1.0f;
	m.cz.z += 1.0f;
	return m;
}

// What a gradient against the rest pose is multiplied with to be one against a reference that has itself been deformed
// by f.
static inline supMat3 supBindTurnBack( supMat3 f )
{
	float determinant = supDeterminant( f );
	if ( determinant > SUP_FLATTEST )
	{
		supMat3 cofactor = supCofactor( f );
		float s = 1.0f / determinant;
		return supTranspose(
			( supMat3 ){ supScale( s, cofactor.cx ), supScale( s, cofactor.cy ), supScale( s, cofactor.cz ) } );
	}
	return supTranspose( supMakeMat3Quat( supPolarRotation( f ) ) );
}

static inline float supBindLongestTurn( supMat3 skinned )
{
	float whole = ( supDeterminant( skinned ) - SUP_FOLDED_VOLUME ) / ( SUP_WHOLE_VOLUME - SUP_FOLDED_VOLUME );
	return supLerpFloat( SUP_LONGEST_FOLDED_TURN, SUP_LONGEST_TURN, supClampFloat( whole, 0.0f, 1.0f ) );
}

static inline supMat3 supBindShorten( supMat3 m, float longest )
{
	float squared = supDot( m.cx, m.cx ) + supDot( m.cy, m.cy ) + supDot( m.cz, m.cz );
	if ( squared <= longest * longest )
	{
		return m;
	}
	float s = supIsFinite( squared ) ? longest / sqrtf( squared ) : 0.0f;
	return s > 0.0f ? ( supMat3 ){ supScale( s, m.cx ), supScale( s, m.cy ), supScale( s, m.cz ) } : ( supMat3 ){ 0 };
}
