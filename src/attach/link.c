// SPDX-License-Identifier: MIT
#include "attach/link.h"

static supVec3 Predict( const supLinkPoint* p )
{
	return p->calls->predict( p->body, p->point );
}

static supMat3 Compliance( const supLinkPoint* p )
{
	return p->calls->compliance( p->body, p->point );
}

static void Respond( const supLinkPoint* p, supVec3 force )
{
	p->calls->respond( p->body, p->point, force );
}

static supMat3 AddScaled( supMat3 a, float s, supMat3 b )
{
	return ( supMat3 ){ supMulAdd( a.cx, s, b.cx ), supMulAdd( a.cy, s, b.cy ), supMulAdd( a.cz, s, b.cz ) };
}

static supVec3 CornersGap( const supLink* link )
{
	supVec3 x0 = Predict( link->points ), gap = supVec3_zero;
	for ( int32_t i = 1; i < link->pointCount; ++i )
	{
		gap = supMulAdd( gap, link->weights[i - 1], supSub( Predict( link->points + i ), x0 ) );
	}
	return gap;
}

static bool MeetNail( supLink* link )
{
	supMat3 inverse;
	if ( supInvertMat3( Compliance( link->points ), &inverse ) == false )
	{
		return false;
	}
	supVec3 move = supSub( supAdd( link->goal, link->gap ), Predict( link->points ) );
	link->force = supMulMV( inverse, move );
	Respond( link->points, link->force );
	return true;
}

static bool MeetCorners( supLink* link )
{
	supMat3 sum = Compliance( link->points ), inverse;
	for ( int32_t i = 1; i < link->pointCount; ++i )
	{
		float a = link->weights[i - 1];
		sum = AddScaled( sum, a * a, Compliance( link->points + i ) );
	}
	if ( supInvertMat3( sum, &inverse ) == false )
	{
		return false;
	}
	link->force = supMulMV( inverse, supAdd( CornersGap( link ), link->gap ) );
	Respond( link->points, link->force );
	for ( int32_t i = 1; i < link->pointCount; ++i )
	{
		Respond( link->points + i, supScale( -link->weights[i - 1], link->force ) );
	}
	return true;
}

// A pair is a corner of one: no inverse of a single compliance is needed, so that one side may not give at all.
static bool MeetPair( supLink* link )
{
	supMat3 sum = AddScaled( Compliance( link->points ), 1.0f, Compliance( link->points + 1 ) ), inverse;
	if ( supInvertMat3( sum, &inverse ) == false )
	{
		return false;
	}
	supVec3 gap = supSub( Predict( link->points + 1 ), Predict( link->points ) );
	link->force = supMulMV( inverse, supSub( gap, link->gap ) );
	Respond( link->points, link->force );
	Respond( link->points + 1, supNeg( link->force ) );
	return true;
}

// Seen from the first point, and the last force from the balance of the others: what is lost to rounding is lost to
// both sides alike.
static bool MeetJoint( supLink* link )
{
	supMat3 inverses[SUP_MAX_LINK_POINTS], sum = { supVec3_zero, supVec3_zero, supVec3_zero }, common;
	supVec3 base = Predict( link->points ), pull = supVec3_zero, offsets[SUP_MAX_LINK_POINTS];
	for ( int32_t i = 0; i < link->pointCount; ++i )
	{
		if ( supInvertMat3( Compliance( link->points + i ), inverses + i ) == false )
		{
			return false;
		}
		offsets[i] = supSub( Predict( link->points + i ), base );
		sum = AddScaled( sum, 1.0f, inverses[i] );
		pull = supAdd( pull, supMulMV( inverses[i], offsets[i] ) );
	}
	if ( supInvertMat3( sum, &common ) == false )
	{
		return false;
	}
	supVec3 move = supMulMV( common, pull ), rest = supVec3_zero;
	for ( int32_t i = 0; i + 1 < link->pointCount; ++i )
	{
		supVec3 force = supMulMV( inverses[i], supSub( move, offsets[i] ) );
		link->force = i == 0 ? force : link->force;
		rest = supSub( rest, force );
		Respond( link->points + i, force );
	}
	Respond( link->points + link->pointCount - 1, rest );
	return true;
}

static bool Meet( supLink* link )
{
	switch ( link->kind )
	{
		case sup_linkNail:
			return MeetNail( link );
		case sup_linkCorners:
			return MeetCorners( link );
		default:
			return link->pointCount == 2 ? MeetPair( link ) : MeetJoint( link );
	}
}

int32_t supSolveLinks( supLink* links, int32_t count, int32_t sweeps )
{
	int32_t failed = 0;
	for ( int32_t sweep = 0; sweep < sweeps; ++sweep )
	{
		failed = 0;
		for ( int32_t i = 0; i < count; ++i )
		{
			SUP_ASSERT( 1 <= links[i].pointCount && links[i].pointCount <= SUP_MAX_LINK_POINTS );
			failed += Meet( links + i ) == false;
		}
	}
	return failed;
}

float supLink_Gap( const supLink* link )
{
	switch ( link->kind )
	{
		case sup_linkNail:
			return supDistance( Predict( link->points ), link->goal );
		case sup_linkCorners:
			return supLength( CornersGap( link ) );
		default:
		{
			float largest = 0.0f;
			for ( int32_t i = 1; i < link->pointCount; ++i )
			{
				largest = supMaxFloat( largest, supDistance( Predict( link->points ), Predict( link->points + i ) ) );
			}
			return largest;
		}
	}
}
