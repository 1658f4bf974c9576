// SPDX-License-Identifier: MIT
#include "method/inertia.h"

bool supFillAccelerations( const supSubstep* step, float exaggeration, int32_t count, const int32_t* nodes,
						   const supMat34* inverses, supMat34* accelerations )
{
	if ( step->accelerations == NULL || exaggeration <= 1.0f )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		accelerations[i] = supMulMat34( step->accelerations[nodes[i]], inverses[i] );
	}
	return true;
}

supVec3 supExaggerate( const supSubstep* step, float exaggeration, const supMat34* accelerations, int32_t count,
					   const uint16_t* bones, const float* weights, supVec3 rest )
{
	supVec3 a = supVec3_zero;
	for ( int32_t k = 0; k < count && weights[k] > 0.0f; ++k )
	{
		a = supMulAdd( a, weights[k], supTransformPoint( accelerations[bones[k]], rest ) );
	}
	return supScale( supExaggerationFactor( step, exaggeration, supLengthSquared( a ) ), a );
}
