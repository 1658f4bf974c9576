// SPDX-License-Identifier: MIT
// Vertices of actors against colliders, as rows.
#include "scene/contact_world.h"

#include "core/tasks.h"

// Vertices that one worker takes at a time.
#define GRAIN 256

// Nearer than this, in thicknesses, is worth a row.
#define MARGIN 3.0f

// Normals within this cosine are those of one face, or of one round.
#define SAME_FACE 0.7f

supContactRow* supContactWorld_AddRow( supContactWorld* world, RowSource source )
{
	supContactSet* set = &world->set;
	if ( set->rowCount == set->rowCapacity )
	{
		world->stats.dropped += 1;
		return NULL;
	}
	world->sources[set->rowCount] = source;
	supContactRow* row = set->rows + set->rowCount++;
	supContactSide side = { .flesh = -1, .rigid = -1 };
	*row = ( supContactRow ){ .a = side, .b = side, .ease = 1.0f, .before = -INFINITY };
	return row;
}

// ---------------------------------------------------------------------------------------------------------------------
// Finding

typedef struct Search
{
	supTouchJob job;
	int32_t vertexCount;
	const int32_t* marks;
	int32_t mark;
	supTouch* touches;
	// of each piece; the first touches of a piece are at its first vertex
	int32_t counts[256];
	int32_t grain;
} Search;

static void SearchRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Search* s = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t first = i * s->grain, last = first + s->grain;
		last = last < s->vertexCount ? last : s->vertexCount;
		s->counts[i] = supFindTouches( &s->job, first, last, s->marks, s->mark, s->touches + first );
	}
}

static supTouchJob MakeJob( const supContactWorld* world, const struct supActorContact* contact, int32_t collider )
{
	const supRigid* rigid = world->set.rigids + collider;
	return ( supTouchJob ){ .shape = &world->colliders[collider]->shape,
							.start = rigid->start,
							.end = rigid->end,
							.from = contact->start,
							.to = contact->now,
							.faces = &contact->binding->faces,
							.faceReach = 1.2f * contact->binding->longestEdge,
							.faceSlack = contact->thickness,
							.oneCorner = contact->binding->flesh->method->answerContacts != NULL,
							.margin = MARGIN * contact->thickness };
}

// Vertices near one collider that have no row with it yet, into the actor's list.
static void FindNear( const supContactWorld* world, struct supActorContact* contact, int32_t collider,
					  const supTasks* tasks )
{
	Search search = { .job = MakeJob( world, contact, collider ),
					  .vertexCount = contact->binding->vertexCount,
					  .marks = contact->marks,
					  .mark = contact->mark,
					  .touches = contact->touches,
					  .grain = GRAIN };
	int32_t pieces = SUP_COUNT( search.counts );
	while ( (int64_t)search.grain * pieces < search.vertexCount )
	{
		search.grain *= 2;
	}
	pieces = ( search.vertexCount + search.grain - 1 ) / search.grain;
	supParallelFor( tasks, pieces, 1, SearchRange, &search );
	for ( int32_t i = 0; i < pieces; ++i )
	{
		for ( int32_t k = 0; k < search.counts[i]; ++k )
		{
			if ( contact->foundCount == search.vertexCount )
			{
				contact->foundDropped += 1;
				continue;
			}
			contact->found[contact->foundCount++] =
				( supContactFound ){ contact->touches[i * search.grain + k], collider };
		}
	}
}

typedef struct Run
{
	supContactWorld* world;
	const supContactStep* step;
	bool onlyNear;
} Run;

// Whoever has a row with the collider already is marked.
static void MarkRows( const supContactWorld* world, int32_t body, int32_t collider )
{
	struct supActorContact* contact = world->bodies[body]->contact;
	if ( contact->mark == INT32_MAX )
	{
		memset( contact->marks, 0, (size_t)contact->binding->vertexCount * sizeof( int32_t ) );
		contact->mark = 0;
	}
	contact->mark += 1;
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		const RowSource* source = world->sources + i;
		if ( source->kind == rowVertex && source->a == body && source->b == collider )
		{
			contact->marks[world->set.rows[i].vertex] = contact->mark;
		}
	}
}

static void FindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	supContactWorld* world = run->world;
	const supTasks* tasks = run->step->across ? NULL : run->step->tasks;
	for ( int32_t i = begin; i < end; ++i )
	{
		struct supActorContact* contact = world->bodies[i]->contact;
		contact->foundCount = 0;
		if ( contact->settings.withColliders == false || ( run->onlyNear && contact->isNear == false ) )
		{
			continue;
		}
		for ( int32_t c = 0; c < world->colliderCount; ++c )
		{
			if ( supBoxesMeet( contact->box, world->boxes[c], MARGIN * contact->thickness ) )
			{
				contact->isNear = true;
				MarkRows( world, i, c );
				FindNear( world, contact, c, tasks );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

// Aims a row at what was found: from where the surfaces are now.
static void AimRow( const supContactWorld* world, supContactRow* row, RowSource* source, const supTouch* touch,
					const supContactStep* step )
{
	const struct supActorContact* contact = world->bodies[source->a]->contact;
	const supRigid* rigid = world->set.rigids + source->b;
	supVec3 now = contact->now[touch->vertex];
	supVec3 mean = supContactFlesh_Mean( world->set.flesh + source->a, &row->a.place );
	row->a.offset = supSub( now, mean );
	row->b.offset = supPlacement_ToLocal( &rigid->end, now );
	row->b.start = supPlacement_ToWorld( &rigid->start, row->b.offset );
	row->normal = touch->normal;
	source->distance = touch->distance;
	source->aside = supSub( touch->place, now );
	source->planeNormal = supRotate( supConjugate( rigid->end.rotation ), touch->normal );
	source->planeHeight = supDot( touch->normal, supSub( touch->place, rigid->end.position ) ) - touch->distance;
	// what begins inside comes out slowly
	float allowed = source->startDistance + step->recoverySpeed * step->dt;
	row->target = supMinFloat( contact->thickness, allowed );
	row->base = touch->distance - row->target;
	supContactSet_SetLevers( &world->set, row );
	if ( world->set.flesh[source->a].answers )
	{
		// a vertex beside the edge that it keeps away from may be far out on the lever
		row->b.offset = supPlacement_ToLocal( &rigid->end, touch->place );
		row->b.start = supPlacement_ToWorld( &rigid->start, row->b.offset );
		row->base -= supDot( row->normal, supSub( now, touch->place ) );
		row->b.lever = supRigid_Lever( rigid, touch->startPlace, touch->place );
	}
}

static void AddRow( supContactWorld* world, int32_t body, const supContactFound* found, const supContactStep* step )
{
	const struct supActorContact* contact = world->bodies[body]->contact;
	const supCollider* collider = world->colliders[found->collider];
	RowSource source = {
		.kind = rowVertex, .a = body, .b = found->collider, .startDistance = found->touch.startDistance
	};
	supContactRow* row = supContactWorld_AddRow( world, source );
	if ( row == NULL )
	{
		return;
	}
	int32_t vertex = found->touch.vertex;
	row->vertex = vertex;
	row->a.flesh = body;
	supContactBinding_Bind( contact->binding, vertex, &row->a );
	row->a.start = contact->start[vertex];
	supContactFlesh_Weigh( world->set.flesh + body, &row->a );
	row->b.rigid = found->collider;
	row->friction = sqrtf( contact->settings.friction * collider->friction );
	row->restitution = supMaxFloat( contact->settings.restitution, collider->restitution );
	AimRow( world, row, world->sources + world->set.rowCount - 1, &found->touch, step );
	supVec3 way = supSub( supSub( contact->now[vertex], row->a.start ), supSub( contact->now[vertex], row->b.start ) );
	row->approach = supDot( row->normal, way ) / step->dt;
}

static void AddFound( supContactWorld* world, const supContactStep* step, bool onlyNear )
{
	Run run = { world, step, onlyNear };
	if ( step->across )
	{
		supParallelFor( step->tasks, world->set.fleshCount, 1, FindRange, &run );
	}
	else
	{
		FindRange( 0, world->set.fleshCount, 0, &run );
	}
	for ( int32_t i = 0; i < world->set.fleshCount; ++i )
	{
		struct supActorContact* contact = world->bodies[i]->contact;
		world->stats.dropped += contact->foundDropped;
		contact->foundDropped = 0;
		for ( int32_t k = 0; k < contact->foundCount; ++k )
		{
			AddRow( world, i, contact->found + k, step );
		}
	}
}

void supContactWorld_FindRows( supContactWorld* world, const supContactStep* step )
{
	AddFound( world, step, false );
}

// How far a touch is in front of the plane that its row keeps in front of.
static supTouch KeptTouch( const supContactRow* row, const RowSource* source, const supTouchJob* job )
{
	supVec3 place = supAdd( job->to[row->vertex], source->aside );
	supVec3 normal = supRotate( job->end.rotation, source->planeNormal );
	return ( supTouch ){ .vertex = row->vertex,
						 .normal = normal,
						 .distance = supDot( normal, supSub( place, job->end.position ) ) - source->planeHeight,
						 .startDistance = source->startDistance,
						 .startPlace = supAdd( job->from[row->vertex], source->aside ),
						 .place = place };
}

// Who has pushed at an edge or a corner keeps in front of the plane that it has pushed at for the rest of the substep.
// The face that is nearest is another one as soon as the vertex has moved a little, and answers, which start all over
// each time, would go around in circles. Changes what was found where that is so; `distance` is how near it really is.
static bool KeepPlane( const supContactRow* row, RowSource* source, const supTouchJob* job, bool isNear,
					   supTouch* touch, float* distance )
{
	bool isMesh = job->shape->kind == sup_shapeMesh;
	source->hasPushed = source->hasPushed || supLengthSquared( row->given ) > 0.0f;
	if ( source->hasPushed == false || ( isNear && supDot( touch->normal, row->normal ) > SAME_FACE ) )
	{
		return isNear;
	}
	supTouch kept = KeptTouch( row, source, job );
	// of a body with hollows another face may be the one to mind
	if ( isNear ? isMesh && kept.distance > touch->distance : kept.distance > job->margin )
	{
		return isNear;
	}
	// in front of one plane of a convex body it is outside, whatever corner the way there has cut
	bool isVertex = isNear && supLengthSquared( source->aside ) == 0.0f &&
					supDistance( touch->place, job->to[row->vertex] ) == 0.0f;
	if ( isVertex && isMesh == false )
	{
		*distance = supMaxFloat( *distance, kept.distance );
	}
	*touch = kept;
	return true;
}

// A vertex is in front of the plane that it keeps in front of, and an edge of the body cuts what lies between it and
// others: that gets a row of its own, with the same vertex.
static void AddSecondRow( supContactWorld* world, RowSource* source, const supTouch* touch, const supContactStep* step )
{
	int32_t count = world->set.rowCount;
	supContactFound found = { *touch, source->b };
	AddRow( world, source->a, &found, step );
	source->hasSecond = true;
	if ( world->set.rowCount > count )
	{
		world->sources[count].hasSecond = true;
	}
}

static void RefreshVertexRow( supContactWorld* world, int32_t i, const supContactStep* step )
{
	supContactRow* row = world->set.rows + i;
	RowSource* source = world->sources + i;
	supTouchJob job = MakeJob( world, world->bodies[source->a]->contact, source->b );
	supTouch touch;
	bool isNear = supFindTouch( &job, row->vertex, &touch );
	float distance = isNear ? touch.distance : INFINITY;
	if ( world->set.flesh[source->a].answers )
	{
		supTouch found = touch;
		isNear = KeepPlane( row, source, &job, isNear, &touch, &distance );
		if ( isNear && source->hasSecond == false && distance < supMinFloat( touch.distance, row->target ) )
		{
			AddSecondRow( world, source, &found, step );
		}
	}
	if ( isNear )
	{
		AimRow( world, row, source, &touch, step );
		source->distance = distance;
	}
	else
	{
		source->distance = INFINITY;
		row->base = INFINITY;
	}
}

float supContactWorld_RefreshRows( supContactWorld* world, const supContactStep* step, int32_t round )
{
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		if ( world->sources[i].kind == rowVertex )
		{
			RefreshVertexRow( world, i, step );
		}
		else if ( world->sources[i].kind != rowSkin )
		{
			supContactWorld_RefreshRigidRow( world, i );
		}
	}
	AddFound( world, step, true );
	if ( round == 0 )
	{
		supContactWorld_FindSkinRows( world, step );
	}
	else
	{
		supContactWorld_FollowSkinRows( world, step );
	}
	float worst = 0.0f;
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		const supContactRow* row = world->set.rows + i;
		const RowSource* source = world->sources + i;
		bool isFlesh = source->kind == rowVertex || source->kind == rowSkin;
		if ( isFlesh && supContactSet_IsHeld( &world->set, row ) == false )
		{
			float gap = supMinFloat( 0.0f, source->distance - row->target );
			worst = supMinFloat( worst, gap / world->bodies[source->a]->contact->thickness );
		}
	}
	return worst;
}
