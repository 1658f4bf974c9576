// SPDX-License-Identifier: MIT
#include "contact/touch.h"

// Ways shorter than this part of the margin cannot lead through anything that the margin does not see.
#define SHORT_WAY 0.5f

// Where the face that was met and the face that is nearest look this differently the vertex has gone through an edge or
// a thin wall.
#define SAME_FACE 0.5f

// Steps on a triangle, each a smaller part of the way to one of its corners.
#define FACE_STEPS 24

// Faces that look the same way within this cosine are one.
#define ONE_FACE 0.999f

static bool MayTouch( const supShape* shape, supVec3 from, supVec3 to, float margin )
{
	if ( shape->kind == sup_shapePlane )
	{
		return to.y <= margin;
	}
	supBox way = supBox_Include( ( supBox ){ from, from }, to );
	return supBoxesMeet( way, shape->bounds, margin );
}

static bool FindVertexTouch( const supTouchJob* job, int32_t vertex, supTouch* touch )
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

// ---------------------------------------------------------------------------------------------------------------------
// Between vertices

typedef struct FacePoint
{
	float bary[3];
	supShapeHit hit;
} FacePoint;

static supVec3 Mix( const supVec3 p[3], const float bary[3] )
{
	return supMulAdd( supMulAdd( supScale( bary[0], p[0] ), bary[1], p[1] ), bary[2], p[2] );
}

// The nearest point of a triangle, in the shape's space. False where it is no nearer than `most`.
static bool FindFacePoint( const supShape* shape, const supVec3 p[3], float most, FacePoint* best )
{
	float bary[3] = { 1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f };
	bool found = false;
	for ( int32_t i = 0; i < FACE_STEPS; ++i )
	{
		supShapeHit hit;
		if ( supShape_FindClosest( shape, Mix( p, bary ), INFINITY, &hit ) == false )
		{
			break;
		}
		if ( hit.distance < most )
		{
			most = hit.distance;
			found = true;
			*best = ( FacePoint ){ { bary[0], bary[1], bary[2] }, hit };
		}
		// towards the corner that lies farthest back along the way out
		int32_t corner = 0;
		for ( int32_t k = 1; k < 3; ++k )
		{
			corner = supDot( hit.normal, supSub( p[k], p[corner] ) ) < 0.0f ? k : corner;
		}
		float step = 2.0f / (float)( i + 3 );
		for ( int32_t k = 0; k < 3; ++k )
		{
			bary[k] += step * ( ( k == corner ? 1.0f : 0.0f ) - bary[k] );
		}
	}
	return found;
}

// May the shape cut the triangle where it does not reach its corner, out of which `normal` leads? Where the nearest
// face in the middle looks the same way as at the corner it is for the other corners to say.
static bool MayCut( const supShape* shape, const supVec3 p[3], supVec3 normal )
{
	const float middle[3] = { 1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f };
	supVec3 center = Mix( p, middle );
	float radius = supMaxFloat( supDistance( center, p[0] ),
								supMaxFloat( supDistance( center, p[1] ), supDistance( center, p[2] ) ) );
	supShapeHit hit;
	return supBoxesMeet( ( supBox ){ center, center }, shape->bounds, radius ) &&
		   supShape_FindClosest( shape, center, radius, &hit ) && supDot( hit.normal, normal ) < ONE_FACE;
}

static bool FindFaceTouch( const supTouchJob* job, int32_t triangle, supVec3 normal, float most, supTouch* touch )
{
	const int32_t* c = job->faces->corners + 3 * (size_t)triangle;
	supVec3 p[3], q[3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		p[k] = supPlacement_ToLocal( &job->end, job->to[c[k]] );
		q[k] = supPlacement_ToLocal( &job->start, job->from[c[k]] );
	}
	FacePoint point;
	if ( MayCut( job->shape, p, normal ) == false ||
		 FindFacePoint( job->shape, p, most - job->faceSlack, &point ) == false )
	{
		return false;
	}
	supShapeHit first;
	bool wasNear = supShape_FindClosest( job->shape, Mix( q, point.bary ), job->margin, &first );
	touch->normal = supRotate( job->end.rotation, point.hit.normal );
	touch->distance = point.hit.distance + job->faceSlack;
	touch->startDistance = wasNear ? first.distance + job->faceSlack : INFINITY;
	return true;
}

bool supFindTouch( const supTouchJob* job, int32_t vertex, supTouch* touch )
{
	bool isNear = FindVertexTouch( job, vertex, touch );
	supShapeKind kind = job->shape->kind;
	// round ones are as near to a vertex as vertices are dense, meshes would take too long, and inside of a shape faces
	// have nothing to say
	bool isSharp = kind == sup_shapeBox || kind == sup_shapeHull;
	supVec3 place = supPlacement_ToLocal( &job->end, job->to[vertex] );
	supShapeHit own;
	// boxes that meet are finite
	if ( job->faces == NULL || isSharp == false || ( isNear && touch->distance < 0.0f ) ||
		 supBoxesMeet( ( supBox ){ place, place }, job->shape->bounds, job->faceReach ) == false ||
		 supShape_FindClosest( job->shape, place, job->faceReach, &own ) == false )
	{
		return isNear;
	}
	float most = isNear ? touch->distance : job->margin;
	touch->vertex = vertex;
	for ( int32_t i = job->faces->fanStarts[vertex]; i < job->faces->fanStarts[vertex + 1]; ++i )
	{
		if ( FindFaceTouch( job, job->faces->fans[i], own.normal, most, touch ) )
		{
			most = touch->distance;
			isNear = true;
		}
	}
	return isNear;
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
