// SPDX-License-Identifier: MIT
#include "contact/touch.h"

// Ways shorter than this part of the margin cannot lead through anything that the margin does not see.
#define SHORT_WAY 0.5f

// Where the face that was met and the face that is nearest look this differently the vertex has gone through an edge or
// a thin wall.
#define SAME_FACE 0.5f

// Steps on a triangle, each a smaller part of the way to one of its corners: from its middle, and from near an edge of
// a mesh, where the first steps are left out.
#define FACE_STEPS 24
#define FACE_STEPS_SKIPPED 6
#define FACE_STEPS_EDGE 14

// Faces that look the same way within this cosine are one.
#define SAME_FACE_COSINE 0.999f

static bool MayTouch( const supShape* shape, supVec3 from, supVec3 to, float margin )
{
	if ( shape->kind == sup_shapePlane )
	{
		return to.y <= margin;
	}
	supBox way = supBox_Include( ( supBox ){ from, from }, to );
	return supBoxesMeet( way, shape->bounds, margin );
}

// A point outside of a mesh and how far from it that is: whatever is nearer to the point is outside as well, by no less
// than the difference. Vertices that follow each other lie together, and one of them represents many.
typedef struct Anchor
{
	bool isKnown;
	supVec3 point;
	float distance;
} Anchor;

static bool AnchorTells( const Anchor* anchor, supVec3 point, float reach )
{
	// more than what is rounded
	return anchor->isKnown && 0.9999f * anchor->distance > 1.0001f * ( reach + supDistance( anchor->point, point ) );
}

// Is the shape farther from the vertex at the end than it has come, and than any touch? `hit` is what is nearest, and
// `isNear` says whether there is anything.
static bool IsFar( const supTouchJob* job, supVec3 from, supVec3 to, Anchor* anchor, supShapeHit* hit, bool* isNear )
{
	const supShape* shape = job->shape;
	float way = supDistance( from, to ), reach = supMaxFloat( job->margin, way );
	if ( shape->kind != sup_shapeMesh || anchor == NULL || ( shape->isOpen && way >= shape->thickness ) )
	{
		*isNear = supShape_FindClosest( shape, to, job->margin, hit );
		return false;
	}
	reach = job->faces != NULL && shape->edgeTree != NULL ? supMaxFloat( reach, job->faceReach ) : reach;
	if ( AnchorTells( anchor, to, reach ) )
	{
		return true;
	}
	bool isThere = supShape_FindClosest( shape, to, INFINITY, hit );
	if ( isThere && hit->distance > 0.0f )
	{
		*anchor = ( Anchor ){ true, to, hit->distance };
	}
	*isNear = isThere && hit->distance <= job->margin;
	return isThere && hit->distance > reach;
}

static bool FindVertexTouch( const supTouchJob* job, int32_t vertex, Anchor* anchor, supTouch* touch, bool* isFar )
{
	const supShape* shape = job->shape;
	supVec3 from = supPlacement_ToLocal( &job->start, job->from[vertex] );
	supVec3 to = supPlacement_ToLocal( &job->end, job->to[vertex] );
	supShapeHit hit, first, met;
	bool isNear = false;
	*isFar = false;
	if ( MayTouch( shape, from, to, job->margin ) == false )
	{
		return false;
	}
	*isFar = IsFar( job, from, to, anchor, &hit, &isNear );
	float time, way = supDistance( from, to );
	bool canPass = shape->kind != sup_shapePlane &&
				   ( way > SHORT_WAY * job->margin || ( isNear && hit.distance < -SHORT_WAY * job->margin ) );
	if ( *isFar || ( isNear == false && canPass == false ) )
	{
		return false;
	}
	bool wasNear = supShape_FindClosest( shape, from, job->margin, &first );
	canPass = canPass && ( wasNear == false || first.distance >= 0.0f );
	if ( canPass && supShape_Sweep( shape, from, to, 0.0f, &time, &met ) &&
		 ( isNear == false || supDot( met.normal, hit.normal ) < SAME_FACE ) )
	{
		// what goes farther in a substep than it is large passes through: a bullet carries no skin along
		float distance = supDot( met.normal, supSub( to, met.point ) );
		if ( -distance <= supDistance( shape->bounds.lower, shape->bounds.upper ) )
		{
			isNear = true;
			hit = met;
			hit.distance = distance;
		}
	}
	if ( isNear == false )
	{
		return false;
	}
	*touch = ( supTouch ){ .vertex = vertex,
						   .normal = supRotate( job->end.rotation, hit.normal ),
						   .distance = hit.distance,
						   .startDistance = wasNear ? first.distance : INFINITY,
						   .startPlace = job->from[vertex],
						   .place = job->to[vertex] };
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

// The nearest point of a triangle, in the shape's space, from a point on it. False where it is no nearer than `most`.
static bool FindFacePoint( const supShape* shape, const supVec3 p[3], float bary[3], int32_t firstStep, int32_t stepEnd,
						   float most, FacePoint* best )
{
	bool found = false;
	for ( int32_t i = firstStep; i < stepEnd; ++i )
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
		   supShape_FindClosest( shape, center, radius, &hit ) && supDot( hit.normal, normal ) < SAME_FACE_COSINE;
}

typedef struct EdgeQuery
{
	const supShape* shape;
	supVec3 center;
	float radius;
	// the middle of what of the nearest edge is within the radius, and how far that is, squared; INFINITY: none
	supVec3 place;
	float squared;
} EdgeQuery;

static bool LookAtEdge( int32_t edge, void* context )
{
	EdgeQuery* query = context;
	supVec3 a = query->shape->edgeEnds[2 * (size_t)edge], b = query->shape->edgeEnds[2 * (size_t)edge + 1];
	supVec3 along = supSub( b, a ), from = supSub( query->center, a );
	float length = supLengthSquared( along ), at = supDot( from, along ) / length;
	supVec3 foot = supMulAdd( a, supClampFloat( at, 0.0f, 1.0f ), along );
	float squared = supLengthSquared( supSub( foot, query->center ) );
	float aside = supLengthSquared( supSub( supMulAdd( a, at, along ), query->center ) );
	if ( squared < query->squared && squared <= query->radius * query->radius )
	{
		float half = sqrtf( supMaxFloat( query->radius * query->radius - aside, 0.0f ) / length );
		float begin = supClampFloat( at - half, 0.0f, 1.0f ), end = supClampFloat( at + half, 0.0f, 1.0f );
		query->squared = squared;
		query->place = supMulAdd( a, 0.5f * ( begin + end ), along );
	}
	return true;
}

// The point of a triangle nearest to a sharp edge of a mesh, the one that is nearest to its middle; then from there.
static bool FindMeshPoint( const supShape* shape, const supVec3 p[3], float margin, float most, FacePoint* best )
{
	EdgeQuery query = { .shape = shape, .squared = INFINITY };
	query.center = supScale( 1.0f / 3.0f, supAdd( p[0], supAdd( p[1], p[2] ) ) );
	for ( int32_t k = 0; k < 3; ++k )
	{
		query.radius = supMaxFloat( query.radius, supDistance( query.center, p[k] ) );
	}
	query.radius += margin;
	supTriangle triangle = { p[0], p[1], p[2] };
	supBox box = supTriangle_Bounds( &triangle );
	supVec3 grow = { margin, margin, margin };
	supTree_Query( shape->edgeTree, ( supBox ){ supSub( box.lower, grow ), supAdd( box.upper, grow ) }, LookAtEdge,
				   &query );
	if ( query.squared == INFINITY )
	{
		return false;
	}
	supTrianglePoint start = supClosestPointOnTriangle( &triangle, query.place );
	float bary[3] = { supMaxFloat( 1.0f - start.u - start.v, 0.0f ), start.u, start.v };
	return FindFacePoint( shape, p, bary, FACE_STEPS_SKIPPED, FACE_STEPS_SKIPPED + FACE_STEPS_EDGE, most, best );
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
	float middle[3] = { 1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f };
	most -= job->faceSlack;
	bool found =
		job->shape->kind == sup_shapeMesh
			? FindMeshPoint( job->shape, p, job->margin, most, &point )
			: MayCut( job->shape, p, normal ) && FindFacePoint( job->shape, p, middle, 0, FACE_STEPS, most, &point );
	if ( found == false )
	{
		return false;
	}
	if ( job->oneCorner )
	{
		int32_t nearest = 0;
		for ( int32_t k = 1; k < 3; ++k )
		{
			nearest = point.bary[k] > point.bary[nearest] ? k : nearest;
		}
		if ( c[nearest] != touch->vertex )
		{
			return false;
		}
	}
	supShapeHit first;
	bool wasNear = supShape_FindClosest( job->shape, Mix( q, point.bary ), job->margin, &first );
	touch->normal = supRotate( job->end.rotation, point.hit.normal );
	touch->distance = point.hit.distance + job->faceSlack;
	touch->startDistance = wasNear ? first.distance + job->faceSlack : INFINITY;
	touch->startPlace = supPlacement_ToWorld( &job->start, Mix( q, point.bary ) );
	touch->place = supPlacement_ToWorld( &job->end, Mix( p, point.bary ) );
	return true;
}

// Has the shape edges that may reach a triangle around the vertex? Then `normal` leads out of the shape there. Round
// ones are as near to a vertex as vertices are dense.
static bool HasEdgesNear( const supTouchJob* job, int32_t vertex, supVec3* normal )
{
	const supShape* shape = job->shape;
	supVec3 place = supPlacement_ToLocal( &job->end, job->to[vertex] );
	bool isSharp = shape->kind == sup_shapeBox || shape->kind == sup_shapeHull || shape->edgeTree != NULL;
	// boxes that meet are finite
	if ( isSharp == false || supBoxesMeet( ( supBox ){ place, place }, shape->bounds, job->faceReach ) == false )
	{
		return false;
	}
	*normal = supVec3_zero;
	if ( shape->edgeTree != NULL )
	{
		supTreeHit edge;
		return supTree_FindClosest( shape->edgeTree, place, job->faceReach, &edge );
	}
	supShapeHit own;
	bool found = supShape_FindClosest( shape, place, job->faceReach, &own );
	*normal = found ? own.normal : supVec3_zero;
	return found;
}

// The anchor may be NULL.
static bool FindTouch( const supTouchJob* job, int32_t vertex, Anchor* anchor, supTouch* touch )
{
	bool isFar, isNear = FindVertexTouch( job, vertex, anchor, touch, &isFar );
	supVec3 normal;
	// inside of a shape faces have nothing to say
	if ( isFar || job->faces == NULL || ( isNear && touch->distance < 0.0f ) ||
		 HasEdgesNear( job, vertex, &normal ) == false )
	{
		return isNear;
	}
	float most = isNear ? touch->distance : job->margin;
	touch->vertex = vertex;
	for ( int32_t i = job->faces->fanStarts[vertex]; i < job->faces->fanStarts[vertex + 1]; ++i )
	{
		if ( FindFaceTouch( job, job->faces->fans[i], normal, most, touch ) )
		{
			most = touch->distance;
			isNear = true;
		}
	}
	return isNear;
}

bool supFindTouch( const supTouchJob* job, int32_t vertex, supTouch* touch )
{
	return FindTouch( job, vertex, NULL, touch );
}

int32_t supFindTouches( const supTouchJob* job, int32_t begin, int32_t end, const int32_t* skip, int32_t mark,
						supTouch* touches )
{
	int32_t count = 0;
	Anchor anchor = { 0 };
	for ( int32_t i = begin; i < end; ++i )
	{
		if ( skip == NULL || skip[i] != mark )
		{
			count += FindTouch( job, i, &anchor, touches + count );
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
