// SPDX-License-Identifier: MIT
// The inner loop of frames of tets: the gradients of two differences at once, one in each half of a register.
#pragma once

#include "volume/binding/surface_binding.h"

typedef struct supFrameJob
{
	const supSurfaceBinding* binding;
	const supVec4* points;
	const supVec4* reference;
	const int32_t* only; // NULL: all points
	supBindFrame* frames;
} supFrameJob;

static inline void supSetBindFrame( const supFrameJob* job, int32_t point, supMat3 turn )
{
	supVec4 p = job->points[point], r = job->reference[point];
	job->frames[point] = ( supBindFrame ){ .turn = { turn.cx, turn.cy, turn.cz },
										   .shift = { p.x - r.x, p.y - r.y, p.z - r.z },
										   .turned = supMulMV( turn, supMakeVec3( r.x, r.y, r.z ) ) };
}

SUP_DECLARE_KERNEL( void, supFrameTets, ( const supFrameJob* job, int32_t begin, int32_t end ) );
