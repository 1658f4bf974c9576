// SPDX-License-Identifier: MIT
#include "method/points/move_kernel.h"

#include "core/wide_points.h"

// The fourth number of each half in all its lanes.
SUP_WIDE supFloat8 SplatFourth( supFloat8 a )
{
	return __builtin_shufflevector( a, a, 3, 3, 3, 3, 7, 7, 7, 7 );
}

typedef struct Constants
{
	supFloat8 gravity, wind, drag;
	supFloat8 xV, xU, xA, vV, vU, vA;
} Constants;

SUP_WIDE supFloat8 Twice( const float four[4] )
{
	return supJoin4( supLoad4( four ), supLoad4( four ) );
}

typedef struct Moved
{
	supFloat8 x, v, a;
} Moved;

// Two points. The fourth numbers: velocities and forces have 0, so that x' keeps its inverse mass.
SUP_WIDE Moved Move( const Constants* c, supFloat8 x, supFloat8 v, supFloat8 u, supFloat8 now, supFloat8 f )
{
	supFloat8 w = SplatFourth( x );
	supFloat8 free = (supFloat8)( ( w > supSplat8( 0.0f ) ) & (supInt8)( c->gravity - c->drag * ( now - c->wind ) ) );
	supFloat8 a = w * f + free;
	return ( Moved ){ x + c->xV * v + c->xU * u + c->xA * a, c->vV * v + c->vU * u + c->vA * a, a };
}

SUP_WIDE supFloat8 LoadLast( const float* p )
{
	return supJoin4( supLoad4( p ), supSplat4( 0.0f ) );
}

void SUP_KERNEL( supMovePoints )( const supMoveJob* job, int32_t begin, int32_t end )
{
	const Constants c = { Twice( job->gravity ), Twice( job->wind ),   supSplat8( job->drag ),
						  supSplat8( job->xV ),  supSplat8( job->xU ), supSplat8( job->xA ),
						  supSplat8( job->vV ),  supSplat8( job->vU ), supSplat8( job->vA ) };
	int64_t i = 4 * (int64_t)begin;
	const int64_t last = 4 * (int64_t)end;
	for ( ; i + 8 <= last; i += 8 )
	{
		supFloat8 x = supLoad8( job->x + i ), v = supLoad8( job->v + i );
		Moved m = Move( &c, x, v, supLoad8( job->u + i ), supLoad8( job->now + i ), supLoad8( job->f + i ) );
		if ( job->keepX != NULL )
		{
			supStore8( job->keepX + i, x );
		}
		if ( job->keepV != NULL )
		{
			supStore8( job->keepV + i, v );
		}
		supStore8( job->newX + i, m.x );
		supStore8( job->newV + i, m.v );
		if ( job->keepA != NULL )
		{
			supStore8( job->keepA + i, m.a );
		}
	}
	if ( i < last )
	{
		supFloat8 x = LoadLast( job->x + i ), v = LoadLast( job->v + i );
		Moved m = Move( &c, x, v, LoadLast( job->u + i ), LoadLast( job->now + i ), LoadLast( job->f + i ) );
		if ( job->keepX != NULL )
		{
			supStore4( job->keepX + i, supLow4( x ) );
		}
		if ( job->keepV != NULL )
		{
			supStore4( job->keepV + i, supLow4( v ) );
		}
		supStore4( job->newX + i, supLow4( m.x ) );
		supStore4( job->newV + i, supLow4( m.v ) );
		if ( job->keepA != NULL )
		{
			supStore4( job->keepA + i, supLow4( m.a ) );
		}
	}
}

int32_t SUP_KERNEL( supRepairPoints )( float* x, float* v, const float* oldX, int32_t begin, int32_t end )
{
	int32_t repaired = 0;
	for ( int64_t i = 4 * (int64_t)begin; i < 4 * (int64_t)end; i += 4 )
	{
		supFloat4 sum = supLoad4( x + i ) + supLoad4( v + i );
		supInt4 bad = ~( sum - sum == supSplat4( 0.0f ) );
		if ( SUP_UNLIKELY( ( bad[0] | bad[1] | bad[2] | bad[3] ) != 0 ) )
		{
			supStore4( x + i, supLoad4( oldX + i ) );
			supStore4( v + i, supSplat4( 0.0f ) );
			repaired += 1;
		}
	}
	return repaired;
}
