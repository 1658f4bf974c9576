// SPDX-License-Identifier: MIT
#include "attach/anchor.h"

#include "core/core.h"
#include "math/matrix.h"

supVec3 supAnchor_Predict( const supAnchor* anchor, const supAnchorBody* body )
{
	supVec3 sum = anchor->offset;
	for ( int32_t i = 0; i < anchor->count; ++i )
	{
		const float* x = body->x + 4 * (size_t)anchor->particles[i];
		sum = supMulAdd( sum, anchor->weights[i], supMakeVec3( x[0], x[1], x[2] ) );
	}
	return sum;
}

supMat3 supAnchor_Gather( const supAnchor* anchor, const supMat3* columns )
{
	supMat3 sum = { supVec3_zero, supVec3_zero, supVec3_zero };
	for ( int32_t i = 0; i < anchor->count; ++i )
	{
		sum = supMulAddMat3( sum, anchor->weights[i], columns[anchor->particles[i]] );
	}
	return sum;
}

void supRespondAll( const supAnchorBody* body, int32_t particleCount, const supMat3* columns, supVec3 force, float dt )
{
	for ( int32_t i = 0; i < particleCount; ++i )
	{
		supVec3 move = supMulMV( columns[i], force );
		float* x = body->x + 4 * (size_t)i;
		x[0] += move.x;
		x[1] += move.y;
		x[2] += move.z;
		if ( body->v != NULL )
		{
			float* v = body->v + 4 * (size_t)i;
			v[0] += move.x / dt;
			v[1] += move.y / dt;
			v[2] += move.z / dt;
		}
	}
}
