// SPDX-License-Identifier: MIT
#include "attach/anchor.h"

#include "core/core.h"
#include "math/matrix.h"

// Gaussian elimination of a 4 x 4 system with a symmetric positive definite matrix.
static void Solve4( double m[4][5] )
{
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t row = 0; row < 4; ++row )
		{
			double factor = row != i ? m[row][i] / m[i][i] : 0.0;
			for ( int32_t k = i; k < 5 && row != i; ++k )
			{
				m[row][k] -= factor * m[i][k];
			}
		}
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		m[i][4] /= m[i][i];
	}
}

supAnchor supMakeAnchor( int32_t count, const int32_t* particles, const float* weights, const supVec3* offsets )
{
	SUP_ASSERT( 1 <= count && count <= SUP_MAX_ANCHOR );
	supAnchor anchor = { .count = count };
	double m[4][5] = { { 0.0, 0.0, 0.0, 0.0, 1.0 } };
	double trace = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		double row[4] = { 1.0, (double)offsets[i].x, (double)offsets[i].y, (double)offsets[i].z };
		for ( int32_t a = 0; a < 16; ++a )
		{
			m[a / 4][a % 4] += (double)weights[i] * row[a / 4] * row[a % 4];
		}
	}
	trace = m[1][1] + m[2][2] + m[3][3];
	// where the particles span less than space this keeps the weights small in the directions that are missing
	for ( int32_t a = 1; a < 4; ++a )
	{
		m[a][a] += 1e-9 * trace + 1e-30;
	}
	Solve4( m );
	double sum = 0.0, b[SUP_MAX_ANCHOR];
	for ( int32_t i = 0; i < count; ++i )
	{
		b[i] = (double)weights[i] * ( m[0][4] + m[1][4] * (double)offsets[i].x + m[2][4] * (double)offsets[i].y +
									  m[3][4] * (double)offsets[i].z );
		sum += b[i];
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		anchor.particles[i] = particles[i];
		anchor.weights[i] = (float)( b[i] / sum );
		anchor.offset = supMulAdd( anchor.offset, -anchor.weights[i], offsets[i] );
	}
	return anchor;
}

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

float supAnchor_Compliance( const supAnchor* anchor, const supAnchorBody* body, float dt )
{
	float sum = 0.0f;
	for ( int32_t i = 0; i < anchor->count; ++i )
	{
		float inverseMass = body->x[4 * (size_t)anchor->particles[i] + 3] / body->massUnit;
		sum += anchor->weights[i] * anchor->weights[i] * inverseMass;
	}
	return dt * dt * sum;
}

void supAnchor_Respond( const supAnchor* anchor, const supAnchorBody* body, supVec3 force, float dt )
{
	for ( int32_t i = 0; i < anchor->count; ++i )
	{
		size_t at = 4 * (size_t)anchor->particles[i];
		float* x = body->x + at;
		supVec3 velocity = supScale( dt * anchor->weights[i] * x[3] / body->massUnit, force );
		x[0] += dt * velocity.x;
		x[1] += dt * velocity.y;
		x[2] += dt * velocity.z;
		if ( body->v != NULL )
		{
			float* v = body->v + at;
			v[0] += velocity.x;
			v[1] += velocity.y;
			v[2] += velocity.z;
		}
	}
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
