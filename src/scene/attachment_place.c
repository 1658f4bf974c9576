// SPDX-License-Identifier: MIT
// One place of an attachment: what it holds, where it is, how it gives.
#include "scene/attachment_system.h"

#include "core/core.h"
#include "volume/binding/surface_binding.h"

#include <math.h>

// Part of a place that has to hang on free particles: what hangs nearly all on bones would take them far out to move a
// little, and goes with the bones instead.
#define MIN_FREE_WEIGHT 0.1f

// Weights below this move nothing that could be seen.
#define MIN_WEIGHT 1e-6f

// Particles that a force may be spread over.
#define MAX_GRIP_PARTICLES 128

static bool IsOnBody( const supPlace* place )
{
	return place->kind == sup_placeSurface || place->kind == sup_placeInside;
}

bool supHeldPlace_HasFlesh( const supHeldPlace* place )
{
	const supMethod* method = IsOnBody( &place->def ) ? place->def.actor->flesh->method : NULL;
	return method != NULL && method->getParticles != NULL && method->findRow != NULL;
}

static void GetBody( supHeldPlace* place )
{
	supActor* actor = place->def.actor;
	supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	place->body = ( supAnchorBody ){ particles.x, particles.v, particles.massUnit };
}

static bool IsFree( const supHeldPlace* place, int32_t particle )
{
	return place->body.x[4 * (size_t)particle + 3] > 0.0f;
}

static bool AllocateAnchor( supAnchor* anchor, int32_t count )
{
	anchor->particles = supAllocArray( (size_t)count, sizeof( int32_t ) );
	anchor->weights = supAllocArray( (size_t)count, sizeof( float ) );
	return anchor->particles != NULL && anchor->weights != NULL;
}

static void KeepRow( supHeldPlace* place, const supPlaceRow* row )
{
	place->isLimited = row->isLimited;
	place->predicted = row->position;
	place->rowCount = row->count < place->capacity ? row->count : place->capacity;
	memcpy( place->row.particles, row->points, (size_t)place->rowCount * sizeof( int32_t ) );
	memcpy( place->row.weights, row->weights, (size_t)place->rowCount * sizeof( float ) );
}

static void FindPointRow( supHeldPlace* place, supPose* pose, bool isOpposite, supPlaceRow* row )
{
	supActor* actor = place->def.actor;
	const supSurfacePoint* point = isOpposite ? &place->def.opposite : &place->def.point;
	if ( place->carriers[isOpposite].count > 0 )
	{
		supCarriers_FindRow( place->carriers + isOpposite, actor, pose, point, row );
		return;
	}
	actor->flesh->method->findRow( actor->flesh->own, actor->state, pose, point, row );
}

static void FindRow( supHeldPlace* place, supPose* pose, supPlaceRow* row )
{
	FindPointRow( place, pose, false, row );
	if ( place->def.kind == sup_placeInside )
	{
		supPlaceRow opposite;
		float share = place->def.share;
		FindPointRow( place, pose, true, &opposite );
		row->position = supLerp( row->position, opposite.position, share );
		row->isConstant = row->isConstant && opposite.isConstant;
		row->isLimited = row->isLimited || opposite.isLimited;
		for ( int32_t i = 0; i < row->count; ++i )
		{
			row->weights[i] *= 1.0f - share;
		}
		for ( int32_t i = 0; i < opposite.count; ++i )
		{
			supPlaceRow_Add( row, opposite.points[i], share * opposite.weights[i] );
		}
	}
}

// A force spread over the flesh around the place, so that it is not drawn out to a spike.
static bool SpreadGrip( supHeldPlace* place )
{
	const supActor* actor = place->def.actor;
	const supMethod* method = actor->flesh->method;
	supGrab grab;
	supSurfacePoint point =
		place->carriers[0].count > 0 ? supCarriers_Main( place->carriers, actor ) : place->def.point;
	if ( place->def.radius <= 0.0f || method->grab == NULL ||
		 method->grab( actor->flesh->own, actor->state, &point, place->def.radius, &grab ) == false )
	{
		return true;
	}
	int32_t count = grab.count < MAX_GRIP_PARTICLES ? grab.count : MAX_GRIP_PARTICLES;
	if ( AllocateAnchor( &place->grip, count ) == false )
	{
		return false;
	}
	float sum = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum += grab.weights[i];
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		place->grip.particles[i] = grab.particles[i];
		place->grip.weights[i] = grab.weights[i] / sum;
	}
	place->grip.count = count;
	return true;
}

bool supHeldPlace_Init( supHeldPlace* place, const supPlace* def, bool slides )
{
	place->def = *def;
	place->before = place->now = def->position;
	if ( IsOnBody( def ) == false || def->actor->flesh->method->findRow == NULL )
	{
		return true;
	}
	bool isInside = def->kind == sup_placeInside;
	if ( supCarriers_Init( place->carriers, def->actor, &def->point, slides ) == false ||
		 ( isInside && supCarriers_Init( place->carriers + 1, def->actor, &def->opposite, false ) == false ) )
	{
		return false;
	}
	supPlaceRow row;
	FindRow( place, def->actor->pose, &row );
	place->isConstant = row.isConstant && slides == false;
	place->capacity = place->isConstant ? ( row.count > 0 ? row.count : 1 ) : SUP_MAX_ROW;
	bool isOne = place->isConstant && row.count == 1 && row.weights[0] > 1.0f - MIN_WEIGHT;
	if ( isOne )
	{
		place->row = ( supAnchor ){ 0, &place->ownParticle, &place->ownWeight, supVec3_zero };
	}
	else if ( AllocateAnchor( &place->row, place->capacity ) == false )
	{
		return false;
	}
	KeepRow( place, &row );
	supHeldPlace_UpdateAnchor( place );
	place->isPoint = isOne && place->moves && def->radius <= 0.0f;
	bool spreads = place->moves && slides == false;
	return spreads ? SpreadGrip( place ) : true;
}

bool supHeldPlace_Reserve( supHeldPlace* place, bool isTied )
{
	supActor* actor = place->def.actor;
	if ( supHeldPlace_HasFlesh( place ) == false )
	{
		return true;
	}
	if ( isTied )
	{
		place->isTied = place->isReserved = supActor_ReserveTie( actor );
		return place->isTied;
	}
	const supMethod* method = actor->flesh->method;
	if ( supActor_ReserveHeld( actor ) == false )
	{
		return false;
	}
	place->isReserved = true;
	actor->isSystemStale = true;
	if ( method->computeResponse == NULL ||
		 method->computeResponse( actor->flesh->own, actor->state, NULL, 0, NULL, NULL, NULL ) == false )
	{
		return true;
	}
	place->columnCount = method->getParticles( actor->flesh->own, actor->state ).count;
	place->columns = supAllocArray( (size_t)place->columnCount, sizeof( supMat3 ) );
	return place->columns != NULL;
}

void supHeldPlace_Destroy( supHeldPlace* place )
{
	if ( place->row.particles != &place->ownParticle )
	{
		supFree( place->row.particles );
		supFree( place->row.weights );
	}
	if ( place->isReserved )
	{
		*( place->isTied ? &place->def.actor->ties->placeCount : &place->def.actor->reservedCount ) -= 1;
		place->def.actor->isSystemStale = true;
	}
	supCarriers_Destroy( place->carriers );
	supCarriers_Destroy( place->carriers + 1 );
	supFree( place->grip.particles );
	supFree( place->grip.weights );
	supFree( place->columns );
}

void supHeldPlace_SlideTo( supHeldPlace* place, const supSurfacePoint* point )
{
	place->def.point = *point;
	supCarriers_Find( place->carriers, place->def.actor, point );
	supHeldPlace_FindRow( place );
}

void supHeldPlace_EndMove( supHeldPlace* place )
{
	place->before = place->now = place->def.position;
}

void supHeldPlace_Move( supHeldPlace* place, float weight )
{
	place->now = weight < 1.0f ? supLerp( place->before, place->def.position, weight ) : place->def.position;
}

void supHeldPlace_FindRow( supHeldPlace* place )
{
	supActor* actor = place->def.actor;
	place->rowCount = place->isPoint ? 1 : 0;
	if ( place->def.kind == sup_placeWorld )
	{
		place->predicted = place->now;
	}
	else if ( place->def.kind == sup_placeNode )
	{
		place->predicted = supTransformPoint( supPose_Worlds( actor->stepPose )[place->def.node], place->def.position );
	}
	else if ( place->isPoint )
	{
		GetBody( place );
		memcpy( &place->predicted, place->body.x + 4 * (size_t)place->ownParticle, sizeof( supVec3 ) );
	}
	else if ( actor->flesh->method->findRow != NULL )
	{
		supPlaceRow row;
		FindRow( place, actor->stepPose, &row );
		KeepRow( place, &row );
	}
}

// Of the row those that can be moved; what the others do is known by now. Bodies that answer as a whole keep all:
// their columns know better.
void supHeldPlace_UpdateAnchor( supHeldPlace* place )
{
	place->row.count = 0;
	if ( supHeldPlace_HasFlesh( place ) == false )
	{
		place->moves = false;
		return;
	}
	GetBody( place );
	supVec3 sum = supVec3_zero;
	float free = 0.0f;
	int32_t count = 0;
	for ( int32_t i = 0; i < place->rowCount; ++i )
	{
		int32_t particle = place->row.particles[i];
		float weight = place->row.weights[i];
		free += IsFree( place, particle ) ? weight : 0.0f;
		if ( fabsf( weight ) > MIN_WEIGHT && ( place->columns != NULL || IsFree( place, particle ) ) )
		{
			const float* x = place->body.x + 4 * (size_t)particle;
			place->row.particles[count] = particle;
			place->row.weights[count++] = weight;
			sum = supMulAdd( sum, weight, supMakeVec3( x[0], x[1], x[2] ) );
		}
	}
	place->row.count = count;
	place->row.offset = supSub( place->predicted, sum );
	place->moves = count > 0 && free >= MIN_FREE_WEIGHT;
}

supVec3 supHeldPlace_Predict( const supHeldPlace* place )
{
	return place->moves ? supAnchor_Predict( &place->row, &place->body ) : place->predicted;
}

void supHeldPlace_ComputeResponse( supHeldPlace* place, float dt, const supTasks* tasks )
{
	supActor* actor = place->def.actor;
	place->dt = dt;
	place->responds = false;
	if ( place->moves && place->columns != NULL )
	{
		supSubstep step = *actor->step;
		step.tasks = tasks;
		place->responds =
			actor->flesh->method->computeResponse( actor->flesh->own, actor->state, &step, place->row.count,
												   place->row.particles, place->row.weights, place->columns );
	}
}

static void ForGroup( const supHeldPlace* place, const supTies* ties, const supTieGroup* group, float weight,
					  supMoveFcn* function, void* context )
{
	float mass = 0.0f;
	for ( int32_t k = group->first; k < group->first + group->count; ++k )
	{
		mass += place->body.massUnit / place->body.x[4 * (size_t)ties->members[k].particle + 3];
	}
	for ( int32_t k = group->first; k < group->first + group->count && group->isNailed == false; ++k )
	{
		function( context, ties->members[k].particle, place->dt * place->dt * weight / mass );
	}
}

const supAnchor* supHeldPlace_Grip( const supHeldPlace* place )
{
	return place->grip.count > 0 ? &place->grip : &place->row;
}

void supHeldPlace_ForEachMove( const supHeldPlace* place, const supAnchor* by, supMoveFcn* function, void* context )
{
	const supTies* ties = supActor_Ties( place->def.actor );
	for ( int32_t i = 0; i < by->count; ++i )
	{
		int32_t particle = by->particles[i];
		int32_t member = ties != NULL ? place->def.actor->ties->parents[particle] : -1;
		if ( member >= 0 )
		{
			ForGroup( place, ties, ties->groups + ties->members[member].group, by->weights[i], function, context );
		}
		else
		{
			float inverseMass = place->body.x[4 * (size_t)particle + 3] / place->body.massUnit;
			function( context, particle, place->dt * place->dt * by->weights[i] * inverseMass );
		}
	}
}

typedef struct Push
{
	const supAnchorBody* body;
	supVec3 force;
	float dt;
} Push;

static void MoveParticle( void* context, int32_t particle, float way )
{
	const Push* push = context;
	size_t at = 4 * (size_t)particle;
	supVec3 move = supScale( way, push->force );
	float* x = push->body->x + at;
	x[0] += move.x;
	x[1] += move.y;
	x[2] += move.z;
	if ( push->body->v != NULL )
	{
		float* v = push->body->v + at;
		v[0] += move.x / push->dt;
		v[1] += move.y / push->dt;
		v[2] += move.z / push->dt;
	}
}

void supHeldPlace_Apply( supHeldPlace* place, supVec3 force )
{
	if ( place->responds )
	{
		supRespondAll( &place->body, place->columnCount, place->columns, force, place->dt );
	}
	else if ( place->moves )
	{
		Push push = { &place->body, force, place->dt };
		supHeldPlace_ForEachMove( place, supHeldPlace_Grip( place ), MoveParticle, &push );
	}
}

supVec3 supHeldPlace_Drawn( const supHeldPlace* place )
{
	switch ( place->def.kind )
	{
		case sup_placeSurface:
			return supActor_PointPosition( place->def.actor, &place->def.point );
		case sup_placeInside:
			return supLerp( supActor_PointPosition( place->def.actor, &place->def.point ),
							supActor_PointPosition( place->def.actor, &place->def.opposite ), place->def.share );
		case sup_placeNode:
			return supTransformPoint( supPose_Worlds( place->def.actor->pose )[place->def.node], place->def.position );
		default:
			return place->def.position;
	}
}
