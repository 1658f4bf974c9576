// SPDX-License-Identifier: MIT
#include "attach/tie.h"

#include "math/matrix.h"

static supVec3 Predict( const supTiePoint* p )
{
	return p->calls->predict( p->body, p->point );
}

static supMat3 Compliance( const supTiePoint* p )
{
	return p->calls->compliance( p->body, p->point );
}

static void Respond( const supTiePoint* p, supVec3 force )
{
	p->calls->respond( p->body, p->point, force );
}

static supVec3 CornersGap( const supTie* tie )
{
	supVec3 x0 = Predict( tie->points ), gap = supVec3_zero;
	for ( int32_t i = 1; i < tie->pointCount; ++i )
	{
		gap = supMulAdd( gap, tie->weights[i - 1], supSub( Predict( tie->points + i ), x0 ) );
	}
	return gap;
}

static bool MeetNail( supTie* tie )
{
	supMat3 inverse;
	if ( supInvertMat3( Compliance( tie->points ), &inverse ) == false )
	{
		return false;
	}
	supVec3 move = supSub( supAdd( tie->goal, tie->gap ), Predict( tie->points ) );
	tie->force = supMulMV( inverse, move );
	Respond( tie->points, tie->force );
	return true;
}

static bool MeetCorners( supTie* tie )
{
	supMat3 sum = Compliance( tie->points ), inverse;
	for ( int32_t i = 1; i < tie->pointCount; ++i )
	{
		float a = tie->weights[i - 1];
		sum = supMulAddMat3( sum, a * a, Compliance( tie->points + i ) );
	}
	if ( supInvertMat3( sum, &inverse ) == false )
	{
		return false;
	}
	tie->force = supMulMV( inverse, supAdd( CornersGap( tie ), tie->gap ) );
	Respond( tie->points, tie->force );
	for ( int32_t i = 1; i < tie->pointCount; ++i )
	{
		Respond( tie->points + i, supScale( -tie->weights[i - 1], tie->force ) );
	}
	return true;
}

// A pair is a corner of one: no inverse of a single compliance is needed, so that one side may not give at all.
static bool MeetPair( supTie* tie )
{
	const supTiePoint* a = tie->points;
	const supTiePoint* b = tie->points + 1;
	supMat3 sum = supMulAddMat3( Compliance( a ), 1.0f, Compliance( b ) ), inverse;
	if ( a->body == b->body && a->calls->cross != NULL )
	{
		sum = supMulAddMat3( sum, -1.0f, a->calls->cross( a->body, a->point, b->point ) );
		sum = supMulAddMat3( sum, -1.0f, a->calls->cross( a->body, b->point, a->point ) );
	}
	if ( supInvertMat3( sum, &inverse ) == false )
	{
		return false;
	}
	supVec3 gap = supSub( Predict( tie->points + 1 ), Predict( tie->points ) );
	tie->force = supMulMV( inverse, supSub( gap, tie->gap ) );
	Respond( tie->points, tie->force );
	Respond( tie->points + 1, supNeg( tie->force ) );
	return true;
}

// Seen from the first point, and the last force from the balance of the others: what is lost to rounding is lost to
// both sides alike.
static bool MeetJoint( supTie* tie )
{
	supMat3 inverses[SUP_MAX_TIE_POINTS], sum = { supVec3_zero, supVec3_zero, supVec3_zero }, common;
	supVec3 base = Predict( tie->points ), pull = supVec3_zero, offsets[SUP_MAX_TIE_POINTS];
	for ( int32_t i = 0; i < tie->pointCount; ++i )
	{
		if ( supInvertMat3( Compliance( tie->points + i ), inverses + i ) == false )
		{
			return false;
		}
		offsets[i] = supSub( Predict( tie->points + i ), base );
		sum = supMulAddMat3( sum, 1.0f, inverses[i] );
		pull = supAdd( pull, supMulMV( inverses[i], offsets[i] ) );
	}
	if ( supInvertMat3( sum, &common ) == false )
	{
		return false;
	}
	supVec3 move = supMulMV( common, pull ), rest = supVec3_zero;
	for ( int32_t i = 0; i + 1 < tie->pointCount; ++i )
	{
		supVec3 force = supMulMV( inverses[i], supSub( move, offsets[i] ) );
		tie->force = i == 0 ? force : tie->force;
		rest = supSub( rest, force );
		Respond( tie->points + i, force );
	}
	Respond( tie->points + tie->pointCount - 1, rest );
	return true;
}

static bool Meet( supTie* tie )
{
	switch ( tie->kind )
	{
		case sup_tieNail:
			return MeetNail( tie );
		case sup_tieCorners:
			return MeetCorners( tie );
		default:
			return tie->pointCount == 2 ? MeetPair( tie ) : MeetJoint( tie );
	}
}

int32_t supSolveTies( supTie* ties, int32_t count, int32_t sweeps )
{
	int32_t failed = 0;
	for ( int32_t sweep = 0; sweep < sweeps; ++sweep )
	{
		failed = 0;
		for ( int32_t i = 0; i < count; ++i )
		{
			SUP_ASSERT( 1 <= ties[i].pointCount && ties[i].pointCount <= SUP_MAX_TIE_POINTS );
			failed += Meet( ties + i ) == false;
		}
	}
	return failed;
}

float supTie_Gap( const supTie* tie )
{
	switch ( tie->kind )
	{
		case sup_tieNail:
			return supDistance( Predict( tie->points ), tie->goal );
		case sup_tieCorners:
			return supLength( CornersGap( tie ) );
		default:
		{
			float largest = 0.0f;
			for ( int32_t i = 1; i < tie->pointCount; ++i )
			{
				largest = supMaxFloat( largest, supDistance( Predict( tie->points ), Predict( tie->points + i ) ) );
			}
			return largest;
		}
	}
}
