// SPDX-License-Identifier: MIT
// Kavan et al., Geometric skinning with approximate dual quaternion blending (2008).
#include "supple/math.h"

static supQuat AddQuat( supQuat a, supQuat b )
{
	return ( supQuat ){ a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w };
}

static supQuat ScaleQuat( float s, supQuat q )
{
	return ( supQuat ){ s * q.x, s * q.y, s * q.z, s * q.w };
}

supDualQuat supMulDualQuat( supDualQuat a, supDualQuat b )
{
	return ( supDualQuat ){ supMulQuat( a.real, b.real ),
							AddQuat( supMulQuat( a.real, b.dual ), supMulQuat( a.dual, b.real ) ) };
}

supDualQuat supNormalizeDualQuat( supDualQuat q )
{
	float length = sqrtf( supDotQuat( q.real, q.real ) );
	if ( !( length > 0.0f ) )
	{
		return ( supDualQuat ){ supQuat_identity, { 0.0f, 0.0f, 0.0f, 0.0f } };
	}
	supQuat real = ScaleQuat( 1.0f / length, q.real );
	supQuat dual = ScaleQuat( 1.0f / length, q.dual );
	return ( supDualQuat ){ real, AddQuat( dual, ScaleQuat( -supDotQuat( real, dual ), real ) ) };
}
