// SPDX-License-Identifier: MIT
// Numbers and small steps that step.c, volume.c and surface.c share with the kernels of a crowd. Compiles as C and as
// OpenCL C.
#pragma once

#include "supple/math.h"

// A part that is off by more than this comes back over several steps: the step is linear.
#define LARGEST_STEP 0.1

#define MOST_STEPS 3

// Good enough to stop.
#define SMALL_ERROR 1e-5

// The largest part of its volume that the render mesh may miss.
#define MOST_MISSING 0.1

// What calls for another step.
#define MUCH_MISSING 0.01

#define MOST_SURFACE_STEPS 3

// Sums of many terms have so many partial sums, term i in the one of i modulo this many, which are then added in pairs
// (FoldSums): a work-item each on a device, and no long chain of additions on a CPU.
#define PARTIAL_SUMS 128

// How far the corners of a tangled tet go back to the skin in a step.
#define UNTANGLE 0.1f

// Six times the volume of the tet between a triangle and the origin.
SUP_INLINE float TriangleVolume( supVec3 a, supVec3 b, supVec3 c, supVec3 origin )
{
	return supDot( supSub( a, origin ), supCross( supSub( b, origin ), supSub( c, origin ) ) );
}

// Twice the area vector of a triangle.
SUP_INLINE supVec3 TriangleArea( supVec3 a, supVec3 b, supVec3 c )
{
	return supCross( supSub( b, a ), supSub( c, a ) );
}

// The total of all partial sums, which it overwrites.
SUP_INLINE double FoldSums( double* sums )
{
	for ( int32_t step = PARTIAL_SUMS / 2; step > 0; step /= 2 )
	{
		for ( int32_t i = 0; i < step; ++i )
		{
			sums[i] += sums[i + step];
		}
	}
	return sums[0];
}

// How much of what a part is missing one step makes up for.
SUP_INLINE double ClampMissing( double missing, double wanted )
{
	double most = LARGEST_STEP * wanted;
	return missing > most ? most : ( missing < -most ? -most : missing );
}

// Written so that NaN stops it too.
SUP_INLINE bool IsWorthAStep( double missing, double wanted )
{
	return missing > SMALL_ERROR * wanted || missing < -SMALL_ERROR * wanted;
}

// More than this is no matter of rounding corners: a morph, or a mesh that is not closed.
SUP_INLINE bool IsWorthInflating( double missing )
{
	return missing > -MOST_MISSING && missing < MOST_MISSING;
}

// An anchor of the rest pose moved by its bone.
// - stretch: as in supDualJoint
SUP_INLINE supVec3 MoveBindAnchor( supDualQuat motion, const float* stretch, supVec3 anchor )
{
	const float* k = stretch;
	supVec3 stretched = { k[0] * anchor.x + k[3] * anchor.y + k[5] * anchor.z,
						  k[3] * anchor.x + k[1] * anchor.y + k[4] * anchor.z,
						  k[5] * anchor.x + k[4] * anchor.y + k[2] * anchor.z };
	return supTransformPointDualQuat( motion, stretched );
}
