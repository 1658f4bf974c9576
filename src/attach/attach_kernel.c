// SPDX-License-Identifier: MIT
#include "attach/attach_kernel.h"

#include "core/wide.h"

SUP_WIDE supFloat4 Load( const float* points, int32_t i )
{
	return supLoad4( points + 4 * (int64_t)i );
}

SUP_WIDE void Store( float* points, int32_t i, supFloat4 a )
{
	supStore4( points + 4 * (int64_t)i, a );
}

SUP_WIDE supFloat4 KeepThree( supFloat4 a )
{
	return (supFloat4)( ( supInt4 ){ -1, -1, -1, 0 } & (supInt4)a );
}

// The first three numbers of a, the fourth of b.
SUP_WIDE supFloat4 WithFourth( supFloat4 a, supFloat4 b )
{
	return __builtin_shufflevector( a, b, 0, 1, 2, 7 );
}

void SUP_KERNEL( supMeetNails )( const supAttachJob* job, int32_t begin, int32_t end )
{
	const supFloat4 inverse = supSplat4( job->inverseDt );
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t p = job->nails[i];
		supFloat4 x = Load( job->x, p );
		if ( job->velocities )
		{
			Store( job->v, p, inverse * KeepThree( x - Load( job->oldX, p ) ) );
			continue;
		}
		supFloat4 goal = Load( job->nailGoals, i );
		Store( job->v, p, Load( job->v, p ) + inverse * KeepThree( goal - x ) );
		Store( job->x, p, WithFourth( goal, x ) );
	}
}

void SUP_KERNEL( supMeetVelocities )( const supAttachJob* job, int32_t begin, int32_t end )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t p = job->velocityPoints[i];
		supFloat4 goal = Load( job->velocityGoals, i );
		if ( job->velocities == false )
		{
			Store( job->x, p, Load( job->oldX, p ) + supSplat4( job->dt ) * goal );
		}
		Store( job->v, p, goal );
	}
}

// The gap d = x1 - x0 is shared out: the common point is x0 + share d.
void SUP_KERNEL( supMeetPairs )( const supAttachJob* job, int32_t begin, int32_t end )
{
	const supFloat4 inverse = supSplat4( job->inverseDt );
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t p0 = job->groupPoints[2 * i], p1 = job->groupPoints[2 * i + 1];
		supFloat4 share = supSplat4( job->groupShares[2 * i + 1] );
		supFloat4 v0 = Load( job->v, p0 ), v1 = Load( job->v, p1 );
		if ( job->velocities )
		{
			supFloat4 common = v0 + share * ( v1 - v0 );
			Store( job->v, p0, common );
			Store( job->v, p1, common );
			continue;
		}
		supFloat4 x0 = Load( job->x, p0 ), x1 = Load( job->x, p1 );
		supFloat4 gap = KeepThree( x1 - x0 );
		supFloat4 move = share * gap;
		supFloat4 common = x0 + move;
		Store( job->v, p0, v0 + inverse * move );
		Store( job->v, p1, v1 + inverse * ( move - gap ) );
		Store( job->x, p0, common );
		Store( job->x, p1, WithFourth( common, x1 ) );
	}
}

void SUP_KERNEL( supMeetGroups )( const supAttachJob* job, int32_t begin, int32_t end )
{
	const supFloat4 inverse = supSplat4( job->inverseDt );
	float* moved = job->velocities ? job->v : job->x;
	for ( int32_t i = begin; i < end; ++i )
	{
		const int32_t first = job->groupStarts[i], last = job->groupStarts[i + 1];
		const supFloat4 base = Load( moved, job->groupPoints[first] );
		supFloat4 move = supSplat4( 0.0f );
		for ( int32_t k = first + 1; k < last; ++k )
		{
			move += supSplat4( job->groupShares[k] ) * ( Load( moved, job->groupPoints[k] ) - base );
		}
		move = KeepThree( move );
		const supFloat4 common = base + move;
		for ( int32_t k = first; k < last; ++k )
		{
			int32_t p = job->groupPoints[k];
			supFloat4 x = Load( moved, p );
			Store( moved, p, WithFourth( common, x ) );
			if ( job->velocities == false )
			{
				Store( job->v, p, Load( job->v, p ) + inverse * KeepThree( move - ( x - base ) ) );
			}
		}
	}
}

SUP_WIDE void MeetCorners( const supAttachJob* job, const int n, int32_t begin, int32_t end )
{
	const supFloat4 inverse = supSplat4( job->inverseDt );
	float* moved = job->velocities ? job->v : job->x;
	for ( int64_t i = begin; i < end; ++i )
	{
		const int32_t* points = job->corners[n] + ( n + 1 ) * i;
		const float* weights = job->cornerWeights[n] + n * i;
		const float* moves = job->cornerMoves[n] + ( n + 1 ) * i;
		supFloat4 x0 = Load( moved, points[0] );
		supFloat4 gap = supSplat4( 0.0f );
		for ( int k = 0; k < n; ++k )
		{
			gap += supSplat4( weights[k] ) * ( Load( moved, points[k + 1] ) - x0 );
		}
		gap = KeepThree( gap );
		for ( int k = 0; k <= n; ++k )
		{
			supFloat4 move = supSplat4( moves[k] ) * gap;
			Store( moved, points[k], Load( moved, points[k] ) + move );
			if ( job->velocities == false )
			{
				Store( job->v, points[k], Load( job->v, points[k] ) + inverse * move );
			}
		}
	}
}

void SUP_KERNEL( supMeetLines )( const supAttachJob* job, int32_t begin, int32_t end )
{
	MeetCorners( job, 2, begin, end );
}

void SUP_KERNEL( supMeetTriangles )( const supAttachJob* job, int32_t begin, int32_t end )
{
	MeetCorners( job, 3, begin, end );
}

void SUP_KERNEL( supMeetTets )( const supAttachJob* job, int32_t begin, int32_t end )
{
	MeetCorners( job, 4, begin, end );
}
