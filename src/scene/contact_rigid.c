// SPDX-License-Identifier: MIT
// Colliders against each other. Two convex ones meet where what is foremost of one lies over what is foremost of the
// other; else points of one are held against the exact distance of the other, both ways.
#include "contact/gjk.h"
#include "scene/contact_world.h"

// Nearer than this part of the smaller one's size is worth a row.
#define MARGIN 0.02f

// Part by which bodies are made smaller to look for the direction between them.
#define SHRINK_RATIO 0.05f

#define MOST_CORNERS 16
#define MOST_MEETINGS 8

typedef struct Meeting
{
	supVec3 place;  // in the world
	supVec3 normal; // from b to a
	float distance;
} Meeting;

static float SizeOf( const supCollider* collider )
{
	return collider->shape.kind == sup_shapePlane ? INFINITY : supLength( supBox_Size( collider->shape.bounds ) );
}

static float MarginOf( const supContactWorld* world, int32_t a, int32_t b )
{
	return MARGIN * supMinFloat( SizeOf( world->colliders[a] ), SizeOf( world->colliders[b] ) );
}

// A point of a against the shape of b; the point's path counts, so that a thrown ball does not pass a wall.
static bool MeetPoint( const supContactWorld* world, int32_t a, int32_t point, int32_t b, Meeting* meeting )
{
	const supCollider* collider = world->colliders[a];
	const supRigid* own = world->set.rigids + a;
	const supRigid* other = world->set.rigids + b;
	const supShape* shape = &world->colliders[b]->shape;
	float radius = collider->pointRadius, margin = radius + MarginOf( world, a, b );
	supVec3 from = supPlacement_ToLocal( &other->start, supPlacement_ToWorld( &own->start, collider->points[point] ) );
	supVec3 to = supPlacement_ToLocal( &other->end, supPlacement_ToWorld( &own->end, collider->points[point] ) );
	supShapeHit hit, met;
	float time;
	bool isNear = supShape_FindClosest( shape, to, margin, &hit );
	bool wasInside = supShape_FindClosest( shape, from, 0.0f, &met );
	if ( wasInside == false && supDistance( from, to ) > 0.5f * margin &&
		 supShape_Sweep( shape, from, to, 0.0f, &time, &met ) &&
		 ( isNear == false || supDot( met.normal, hit.normal ) < 0.5f ) )
	{
		isNear = true;
		hit = met;
		hit.distance = supDot( met.normal, supSub( to, met.point ) );
	}
	if ( isNear )
	{
		meeting->normal = supRotate( other->end.rotation, hit.normal );
		meeting->distance = hit.distance - radius;
		meeting->place = supMulAdd( supPlacement_ToWorld( &other->end, to ), -radius, meeting->normal );
	}
	return isNear;
}

// ---------------------------------------------------------------------------------------------------------------------
// Two convex bodies

static bool IsConvex( const supShape* shape )
{
	return shape->kind == sup_shapeBox || shape->kind == sup_shapeHull || shape->kind == sup_shapeCapsule;
}

// A convex body in the world, and one that is a little smaller, so that bodies that overlap by little still have a
// direction between them.
typedef struct Solid
{
	int32_t count;
	float radius;
	supVec3 middle;
	supVec3 points[SUP_MAX_HULL_VERTICES];
	supVec3 inner[SUP_MAX_HULL_VERTICES];
} Solid;

static void MakeSolid( const supContactWorld* world, int32_t index, Solid* solid )
{
	const supCollider* collider = world->colliders[index];
	const supRigid* rigid = world->set.rigids + index;
	solid->middle = supPlacement_ToWorld( &rigid->end, collider->shape.center );
	solid->count = collider->pointCount;
	solid->radius = collider->pointRadius;
	for ( int32_t i = 0; i < solid->count; ++i )
	{
		solid->points[i] = supPlacement_ToWorld( &rigid->end, collider->points[i] );
		solid->inner[i] = supLerp( solid->points[i], solid->middle, SHRINK_RATIO );
	}
}

// From b to a: between the smaller ones, or between the middles where even those overlap.
static supVec3 FindNormal( const Solid* a, const Solid* b )
{
	supConvex bodies[2] = { { a->inner, a->count, 0.0f }, { b->inner, b->count, 0.0f } };
	supGjkResult result = supMeasureConvexDistance( bodies, bodies + 1 );
	supVec3 between = supNormalize( supSub( a->middle, b->middle ) );
	return supLengthSquared( result.normal ) > 0.0f ? supNeg( result.normal ) : between;
}

// The place that is farthest along a direction, of the body with its radius.
static float SupportHeight( const Solid* solid, supVec3 direction )
{
	float highest = -INFINITY;
	for ( int32_t i = 0; i < solid->count; ++i )
	{
		highest = supMaxFloat( highest, supDot( solid->points[i], direction ) );
	}
	return highest + solid->radius;
}

// What of a body is foremost in a direction, to within a tolerance: a corner, an edge or a face, in order around the
// direction. At most MOST_CORNERS.
static int32_t FindFeature( const Solid* solid, supVec3 direction, float tolerance, supVec3* corners )
{
	float least = SupportHeight( solid, direction ) - solid->radius - tolerance;
	supVec3 middle = supVec3_zero;
	int32_t count = 0;
	for ( int32_t i = 0; i < solid->count && count < MOST_CORNERS; ++i )
	{
		if ( supDot( solid->points[i], direction ) >= least )
		{
			corners[count++] = solid->points[i];
			middle = supAdd( middle, solid->points[i] );
		}
	}
	middle = supScale( 1.0f / (float)count, middle );
	supVec3 x = supNormalize( supCross( direction, fabsf( direction.x ) < 0.5f ? supMakeVec3( 1.0f, 0.0f, 0.0f )
																			   : supMakeVec3( 0.0f, 1.0f, 0.0f ) ) );
	supVec3 y = supCross( direction, x );
	// by angle; insertion keeps equals in order
	for ( int32_t i = 1; i < count; ++i )
	{
		for ( int32_t k = i; k > 0; --k )
		{
			supVec3 p = supSub( corners[k], middle ), q = supSub( corners[k - 1], middle );
			float now = supAtan2( supDot( p, y ), supDot( p, x ) ), before = supAtan2( supDot( q, y ), supDot( q, x ) );
			if ( now >= before )
			{
				break;
			}
			supVec3 swapped = corners[k];
			corners[k] = corners[k - 1];
			corners[k - 1] = swapped;
		}
	}
	return count;
}

// What of a feature is above a face, which is convex and in order around the direction (Sutherland & Hodgman).
static int32_t ClipToFace( supVec3* points, int32_t count, const supVec3* face, int32_t faceCount, supVec3 direction )
{
	for ( int32_t e = 0; e < faceCount; ++e )
	{
		supVec3 start = face[e], edge = supSub( face[( e + 1 ) % faceCount], start );
		supVec3 inward = supCross( direction, edge );
		supVec3 kept[2 * MOST_CORNERS];
		int32_t keptCount = 0;
		// an edge has two ends, not a way around
		int32_t last = count == 2 ? 1 : count;
		for ( int32_t i = 0; i < count && keptCount + 2 <= 2 * MOST_CORNERS; ++i )
		{
			supVec3 p = points[i], q = points[( i + 1 ) % count];
			float hp = supDot( inward, supSub( p, start ) ), hq = supDot( inward, supSub( q, start ) );
			if ( hp >= 0.0f )
			{
				kept[keptCount++] = p;
			}
			if ( i < last && count > 1 && ( hp >= 0.0f ) != ( hq >= 0.0f ) )
			{
				kept[keptCount++] = supLerp( p, q, hp / ( hp - hq ) );
			}
		}
		count = keptCount;
		memcpy( points, kept, (size_t)count * sizeof( supVec3 ) );
	}
	return count;
}

// Up to MOST_MEETINGS places where the bodies meet.
static int32_t MeetConvex( const supContactWorld* world, int32_t a, int32_t b, Meeting* meetings )
{
	Solid first, second;
	MakeSolid( world, a, &first );
	MakeSolid( world, b, &second );
	supVec3 normal = FindNormal( &first, &second ), down = supNeg( normal );
	float lowest = -SupportHeight( &first, down ), highest = SupportHeight( &second, normal );
	float margin = MarginOf( world, a, b );
	if ( lowest - highest > margin )
	{
		return 0;
	}
	supVec3 own[2 * MOST_CORNERS], other[2 * MOST_CORNERS];
	int32_t ownCount = FindFeature( &first, down, margin, own );
	int32_t otherCount = FindFeature( &second, normal, margin, other );
	// the other way round about the same direction
	for ( int32_t i = 0; i < ownCount / 2; ++i )
	{
		supVec3 swapped = own[i];
		own[i] = own[ownCount - 1 - i];
		own[ownCount - 1 - i] = swapped;
	}
	supVec3* places = own;
	int32_t count = 0;
	if ( otherCount >= 3 )
	{
		count = ClipToFace( own, ownCount, other, otherCount, normal );
	}
	else if ( ownCount >= 3 )
	{
		places = other;
		count = ClipToFace( other, otherCount, own, ownCount, normal );
	}
	if ( count == 0 )
	{
		// edges that cross, or a corner beside a face
		supConvex bodies[2] = { { first.inner, first.count, 0.0f }, { second.inner, second.count, 0.0f } };
		supGjkResult result = supMeasureConvexDistance( bodies, bodies + 1 );
		own[0] = supLerp( result.a, result.b, 0.5f );
		places = own;
		meetings[0] = ( Meeting ){ own[0], normal, lowest - highest };
		return 1;
	}
	count = count < MOST_MEETINGS ? count : MOST_MEETINGS;
	for ( int32_t i = 0; i < count; ++i )
	{
		// how far the one that is not flat there is above the other
		float height = supDot( places[i], normal );
		float distance = places == own ? height - first.radius - highest : lowest - height - second.radius;
		meetings[i] = ( Meeting ){ places[i], normal, distance };
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

static void AimRow( const supContactWorld* world, supContactRow* row, RowSource* source, const Meeting* meeting )
{
	const supRigid* a = world->set.rigids + source->a;
	const supRigid* b = world->set.rigids + source->b;
	row->normal = meeting->normal;
	row->a.offset = supPlacement_ToLocal( &a->end, meeting->place );
	row->a.start = supPlacement_ToWorld( &a->start, row->a.offset );
	row->b.offset = supPlacement_ToLocal( &b->end, meeting->place );
	row->b.start = supPlacement_ToWorld( &b->start, row->b.offset );
	row->base = meeting->distance;
	supContactSet_SetLevers( &world->set, row );
	source->distance = meeting->distance;
}

static void AddRow( supContactWorld* world, RowKind kind, int32_t a, int32_t point, int32_t b, const Meeting* meeting,
					float dt )
{
	RowSource source = { .kind = kind, .a = a, .b = b };
	supContactRow* row = supContactWorld_AddRow( world, source );
	if ( row == NULL )
	{
		return;
	}
	const supCollider* first = world->colliders[a];
	const supCollider* second = world->colliders[b];
	row->vertex = point;
	row->a.rigid = a;
	row->b.rigid = b;
	row->friction = sqrtf( first->friction * second->friction );
	row->restitution = supMaxFloat( first->restitution, second->restitution );
	AimRow( world, row, world->sources + world->set.rowCount - 1, meeting );
	supVec3 way = supSub( supSub( meeting->place, row->a.start ), supSub( meeting->place, row->b.start ) );
	row->approach = supDot( row->normal, way ) / dt;
}

static void AddPoints( supContactWorld* world, int32_t a, int32_t b, float dt )
{
	for ( int32_t i = 0; i < world->colliders[a]->pointCount; ++i )
	{
		Meeting meeting;
		if ( MeetPoint( world, a, i, b, &meeting ) )
		{
			AddRow( world, rowPoint, a, i, b, &meeting, dt );
		}
	}
}

// Do they move so far that they might pass each other without being seen to meet?
static bool IsFast( const supContactWorld* world, int32_t a, int32_t b )
{
	const supRigid* first = world->set.rigids + a;
	const supRigid* second = world->set.rigids + b;
	supVec3 way = supSub( supSub( first->end.position, first->start.position ),
						  supSub( second->end.position, second->start.position ) );
	return supLength( way ) > MarginOf( world, a, b );
}

static void AddPair( supContactWorld* world, int32_t a, int32_t b, float dt )
{
	const supShape* first = &world->colliders[a]->shape;
	bool areConvex = IsConvex( first ) && IsConvex( &world->colliders[b]->shape );
	if ( areConvex )
	{
		Meeting meetings[MOST_MEETINGS];
		int32_t count = MeetConvex( world, a, b, meetings );
		for ( int32_t i = 0; i < count; ++i )
		{
			AddRow( world, rowNearest, a, -1, b, meetings + i, dt );
		}
	}
	if ( areConvex == false || IsFast( world, a, b ) )
	{
		AddPoints( world, a, b, dt );
		// a ball is its middle: what else points at it is the same contact
		if ( first->kind != sup_shapeSphere )
		{
			AddPoints( world, b, a, dt );
		}
	}
}

void supContactWorld_FindRigidRows( supContactWorld* world, const supContactStep* step )
{
	const supRigid* rigids = world->set.rigids;
	for ( int32_t a = 0; a < world->colliderCount; ++a )
	{
		for ( int32_t b = 0; b < a; ++b )
		{
			bool moves = rigids[a].inverseMass > 0.0f || rigids[b].inverseMass > 0.0f;
			if ( moves && supBoxesMeet( world->boxes[a], world->boxes[b], MarginOf( world, a, b ) ) )
			{
				// the one that falls brings the points; of two that do, the ball
				bool swap = rigids[a].inverseMass == 0.0f ||
							( rigids[b].inverseMass > 0.0f && world->colliders[b]->shape.kind == sup_shapeSphere );
				AddPair( world, swap ? b : a, swap ? a : b, step->dt );
			}
		}
	}
}

// Where convex bodies meet stays for the substep.
void supContactWorld_RefreshRigidRow( supContactWorld* world, int32_t i )
{
	supContactRow* row = world->set.rows + i;
	RowSource* source = world->sources + i;
	Meeting meeting;
	if ( source->kind == rowNearest )
	{
		source->distance = supContactSet_Gap( &world->set, row );
	}
	else if ( MeetPoint( world, source->a, row->vertex, source->b, &meeting ) )
	{
		AimRow( world, row, source, &meeting );
	}
	else
	{
		source->distance = INFINITY;
		row->base = INFINITY;
	}
}
