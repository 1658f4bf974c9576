// SPDX-License-Identifier: MIT
// The arithmetic of one particle before and after the iterations. Compiles as C and as OpenCL C, see
// device/prelude.cl. Lane 3 of a vector is not looked at.
#pragma once

#include "core/wide.h"
#include "supple/math.h"

// Edges that the skin may get ahead of its bones in one step before that counts as a jump.
#define JUMP 0.5f

SUP_WIDE float Length4( supFloat4 v )
{
	return sqrtf( SUP_LANE( v, 0 ) * SUP_LANE( v, 0 ) + SUP_LANE( v, 1 ) * SUP_LANE( v, 1 ) +
				  SUP_LANE( v, 2 ) * SUP_LANE( v, 2 ) );
}

// Dual quaternions blend along the shorter way, which at half a turn becomes another: the skin jumps through the bone
// while no bone has moved far. Flesh jumps along instead of being torn through the bone by its tether: it is moved by
// what of the skin's way is no motion of bones.
// - carried: how far the bones of the particle carry it, in the mean
SUP_WIDE supFloat4 FindJump( supFloat4 way, supFloat4 carried, float edge )
{
	supFloat4 jump = way - carried;
	float far = JUMP * edge + JUMP * Length4( carried );
	return Length4( jump ) > far ? jump : supSplat4( 0.0f );
}

// Gravity less what the flesh at rest is in balance with, and the air; m/s^2.
SUP_WIDE supFloat4 PushOf( supFloat4 gravity, supFloat4 down, float balance, supFloat4 wind, supFloat4 velocity,
						   float drag )
{
	supFloat4 weight = gravity - down * balance;
	return weight + ( wind - velocity ) * drag;
}

// Place and velocity relative to the skin, one step on.
typedef struct Swing
{
	supFloat4 y, u;
} Swing;

// - most: never farther than flesh may get; what lags by more was torn away by a jump
SUP_WIDE Swing SwingOn( supFloat4 y, supFloat4 u, supFloat4 push, supVec4 t, float force, float most )
{
	Swing s;
	s.y = y * t.x + u * t.y + push * force;
	s.u = y * t.z + u * t.w + push * t.y;
	float size = Length4( s.y );
	if ( size > most )
	{
		float scale = most / size;
		s.y *= scale;
		s.u *= scale;
	}
	return s;
}

// The part of its corrections that a particle takes in a short step.
// - tether: how much of where it is a particle keeps in a step
SUP_WIDE float WeakenedPart( float tether, float share )
{
	float memory = supClampFloat( tether, 0.0f, 1.0f );
	return 1.0f - memory * ( 1.0f - share );
}

// Six times the volume of a tet, and its edges from the first corner.
SUP_WIDE float EdgesVolume( supVec3 e0, supVec3 e1, supVec3 e2 )
{
	return supDot( supCross( e0, e1 ), e2 );
}

// Do the corners of a tet lie on a line, so that it has no direction to recover in?
SUP_WIDE bool IsOnLine( supVec3 e0, supVec3 e1, supVec3 e2 )
{
	float longest = supLengthSquared( e0 ) + supLengthSquared( e1 ) + supLengthSquared( e2 );
	float areas = supLengthSquared( supCross( e0, e1 ) ) + supLengthSquared( supCross( e1, e2 ) ) +
				  supLengthSquared( supCross( e2, e0 ) );
	return areas <= 1e-10f * longest * longest;
}
