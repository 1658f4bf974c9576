// SPDX-License-Identifier: MIT
#include "contact/touch.h"

// Ways shorter than this part of the margin cannot lead through anything that the margin does not see.
#define SHORT_WAY 0.5f

// Where the face that was met and the face that is nearest look this differently the vertex has gone through an edge or
// a thin wall.
#define SAME_FACE 0.5f

static bool MayTouch( const supShape* shape, supVec3 from, supVec3 to, float margin )
{
	if ( shape->kind == sup_shapePlane )
	{
		return to.y <= margin;
	}
	supBox way = supBox_Include( ( supBox ){ from, from }, to );
	return supBoxesMeet( way, shape->bounds, margin );
}

bool supFindTouch( const supTouchJob* job, int32_t vertex, supTouch* touch )
{
	const supShape* shape = job->shape;
	supVec3 from = supPlacement_ToLocal( &job->start, job->from[vertex] );
	supVec3 to = supPlacement_ToLocal( &job->end, job->to[vertex] );
	if ( MayTouch( shape, from, to, job->margin ) == false )
	{
		return false;
	}
	supShapeHit hit, first, met;
	bool isNear = supShape_FindClosest( shape, to, job->margin, &hit );
	bool wasNear = supShape_FindClosest( shape, from, job->margin, &first );
	float time, way = supDistance( from, to );
	bool canPass = shape->kind != sup_shapePlane && ( wasNear == false || first.distance >= 0.0f ) &&
				   ( way > SHORT_WAY * job->margin || ( isNear && hit.distance < -SHORT_WAY * job->margin ) );
	if ( canPass && supShape_Sweep( shape, from, to, 0.0f, &time, &met ) &&
		 ( isNear == false || supDot( met.normal, hit.normal ) < SAME_FACE ) )
	{
		isNear = true;
		hit = met;
		hit.distance = supDot( met.normal, supSub( to, met.point ) );
	}
	if ( isNear == false )
	{
		return false;
	}
	*touch = ( supTouch ){ vertex, supRotate( job->end.rotation, hit.normal ), hit.distance,
						   wasNear ? first.distance : INFINITY };
	return true;
}

int32_t supFindTouches( const supTouchJob* job, int32_t begin, int32_t end, const int32_t* skip, int32_t mark,
						supTouch* touches )
{
	int32_t count = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		if ( skip == NULL || skip[i] != mark )
		{
			count += supFindTouch( job, i, touches + count );
		}
	}
	return count;
}

supBox supShape_WorldBox( const supShape* shape, const supPlacement* placement )
{
	if ( shape->kind == sup_shapePlane )
	{
		// as tall as what looks at it: a plane that is turned is everywhere
		supVec3 all = supMakeVec3( SUP_MAX_COORDINATE, SUP_MAX_COORDINATE, SUP_MAX_COORDINATE );
		return ( supBox ){ supNeg( all ), all };
	}
	supMat3 r = supMakeMat3Quat( placement->rotation );
	supVec3 half = supScale( 0.5f, supSub( shape->bounds.upper, shape->bounds.lower ) );
	supVec3 middle = supPlacement_ToWorld( placement, supLerp( shape->bounds.lower, shape->bounds.upper, 0.5f ) );
	supVec3 reach = { fabsf( r.cx.x ) * half.x + fabsf( r.cy.x ) * half.y + fabsf( r.cz.x ) * half.z,
					  fabsf( r.cx.y ) * half.x + fabsf( r.cy.y ) * half.y + fabsf( r.cz.y ) * half.z,
					  fabsf( r.cx.z ) * half.x + fabsf( r.cy.z ) * half.y + fabsf( r.cz.z ) * half.z };
	return ( supBox ){ supSub( middle, reach ), supAdd( middle, reach ) };
}
