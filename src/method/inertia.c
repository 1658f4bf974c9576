// SPDX-License-Identifier: MIT
#include "method/inertia.h"

// Sizes/s². Peaks of breathing are about 0.01, of a slow walk 0.1, of a human walk 1, of a jump 10.
#define GENTLE_PEAK 0.04f
#define STRONG_PEAK 1.5f

supMat34 supThrowNode( const supSubstep* step, float exaggeration, int32_t node )
{
	float peak = step->peaks[node];
	float factor = ( 1.0f - exaggeration ) / ( ( 1.0f + peak / GENTLE_PEAK ) * ( 1.0f + peak / STRONG_PEAK ) );
	const supMat34* m = step->accelerations + node;
	return ( supMat34 ){ supScale( factor, m->cx ), supScale( factor, m->cy ), supScale( factor, m->cz ),
						 supScale( factor, m->t ) };
}

bool supFillThrows( const supSubstep* step, float exaggeration, int32_t count, const int32_t* nodes,
					const supMat34* inverses, supMat34* throws )
{
	if ( step->accelerations == NULL || exaggeration <= 1.0f )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		throws[i] = supMulMat34( supThrowNode( step, exaggeration, nodes[i] ), inverses[i] );
	}
	return true;
}

supVec3 supThrowPoint( const supMat34* throws, int32_t count, const uint16_t* bones, const float* weights,
					   supVec3 rest )
{
	supVec3 e = supVec3_zero;
	for ( int32_t k = 0; k < count && weights[k] > 0.0f; ++k )
	{
		e = supMulAdd( e, weights[k], supTransformPoint( throws[bones[k]], rest ) );
	}
	return e;
}
