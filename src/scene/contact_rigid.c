// SPDX-License-Identifier: MIT
// Colliders against each other: points of one against the exact distance of the other, both ways, and between convex
// ones the two nearest points, which is where edges cross.
#include "contact/gjk.h"
#include "scene/contact_world.h"

// Nearer than this part of the smaller one's size is worth a row.
#define MARGIN 0.02f

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

static bool IsConvex( const supShape* shape )
{
	return shape->kind == sup_shapeBox || shape->kind == sup_shapeHull || shape->kind == sup_shapeCapsule;
}

static bool MeetNearest( const supContactWorld* world, int32_t a, int32_t b, Meeting* meeting )
{
	supVec3 points[2][SUP_MAX_HULL_VERTICES];
	supConvex bodies[2];
	const int32_t indices[2] = { a, b };
	for ( int32_t k = 0; k < 2; ++k )
	{
		const supCollider* collider = world->colliders[indices[k]];
		if ( IsConvex( &collider->shape ) == false )
		{
			return false;
		}
		for ( int32_t i = 0; i < collider->pointCount; ++i )
		{
			points[k][i] = supPlacement_ToWorld( &world->set.rigids[indices[k]].end, collider->points[i] );
		}
		bodies[k] = ( supConvex ){ points[k], collider->pointCount, collider->pointRadius };
	}
	supGjkResult result = supMeasureConvexDistance( bodies, bodies + 1 );
	if ( supLengthSquared( result.normal ) == 0.0f || result.distance > MarginOf( world, a, b ) )
	{
		return false;
	}
	meeting->normal = supNeg( result.normal );
	meeting->distance = result.distance;
	meeting->place = supMulAdd( result.a, bodies[0].radius, result.normal );
	return true;
}

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
	source->distance = meeting->distance;
}

static void AddRow( supContactWorld* world, RowKind kind, int32_t a, int32_t point, int32_t b, const Meeting* meeting,
					float dt )
{
	RowSource source = { kind, a, b, 0.0f, 0.0f };
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

static int32_t AddPoints( supContactWorld* world, int32_t a, int32_t b, float dt )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < world->colliders[a]->pointCount; ++i )
	{
		Meeting meeting;
		if ( MeetPoint( world, a, i, b, &meeting ) )
		{
			AddRow( world, rowPoint, a, i, b, &meeting, dt );
			count += 1;
		}
	}
	return count;
}

static void AddPair( supContactWorld* world, int32_t a, int32_t b, float dt )
{
	AddPoints( world, a, b, dt );
	// a ball is its middle: what else points at it is the same contact
	if ( world->colliders[a]->shape.kind == sup_shapeSphere )
	{
		return;
	}
	AddPoints( world, b, a, dt );
	Meeting meeting;
	if ( MeetNearest( world, a, b, &meeting ) )
	{
		AddRow( world, rowNearest, a, -1, b, &meeting, dt );
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

void supContactWorld_RefreshRigidRow( supContactWorld* world, int32_t i )
{
	supContactRow* row = world->set.rows + i;
	RowSource* source = world->sources + i;
	Meeting meeting;
	bool isNear = source->kind == rowPoint ? MeetPoint( world, source->a, row->vertex, source->b, &meeting )
										   : MeetNearest( world, source->a, source->b, &meeting );
	if ( isNear )
	{
		AimRow( world, row, source, &meeting );
	}
	else
	{
		source->distance = INFINITY;
		row->base = INFINITY;
	}
}
