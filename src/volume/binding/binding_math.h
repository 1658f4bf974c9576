// SPDX-License-Identifier: MIT
// The arithmetic of a bound vertex once its frames are blended. Compiles as C and as OpenCL C, see lanes_math.h.
#pragma once

#include "core/lanes_math.h"

// A frame blended for each lane.
typedef struct FrameW
{
	Vec3W turn[3];
	Vec3W shift;
	Vec3W turned;
} FrameW;

// o + E o, at most 1.5 times as long as o.
SUP_WIDE Vec3W CarryOffset( const FrameW* frame, Vec3W o )
{
	Vec3W carried = Add( o, MulColumns( frame->turn[0], frame->turn[1], frame->turn[2], o ) );
	Wide most = Splat( 2.25f ) * Dot( o, o );
	Wide squared = Dot( carried, carried );
	WideInt tooLong = squared > most;
	Wide factor = Sqrt( most / Select( tooLong, squared, Splat( 1.0f ) ) );
	return Scale( Select( tooLong, factor, Splat( 1.0f ) ), carried );
}

// What the turning of the flesh adds to the shift of a place.
SUP_WIDE Vec3W SmoothShift( const FrameW* frame, float smoothness, Vec3W place )
{
	Vec3W turned = MulColumns( frame->turn[0], frame->turn[1], frame->turn[2], place );
	return Scale( Splat( smoothness ), Sub( turned, frame->turned ) );
}

// I + E, columns.
SUP_WIDE void AddIdentity( const FrameW* frame, Vec3W turn[3] )
{
	Wide one = Splat( 1.0f );
	turn[0] = ( Vec3W ){ frame->turn[0].x + one, frame->turn[0].y, frame->turn[0].z };
	turn[1] = ( Vec3W ){ frame->turn[1].x, frame->turn[1].y + one, frame->turn[1].z };
	turn[2] = ( Vec3W ){ frame->turn[2].x, frame->turn[2].y, frame->turn[2].z + one };
}
