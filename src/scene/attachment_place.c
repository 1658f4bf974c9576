// SPDX-License-Identifier: MIT
// One place of an attachment: what it holds, where it is, how it gives.
#include "scene/attachment_system.h"

#include "core/core.h"

// Skin is not always where the particles say that carry it: thin parts lie outside of their tets. Seen from where it is
// drawn the particles say where it goes.
static void SeeFrom( const supActor* actor, supVec3 drawn, supGrab* grab )
{
	supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	const float* x = particles.x + 4 * (size_t)grab->particles[0];
	supVec3 place = supSub( supMakeVec3( x[0], x[1], x[2] ), grab->offsets[0] );
	supVec3 shift = supSub( place, drawn );
	for ( int32_t i = 0; i < grab->count; ++i )
	{
		grab->offsets[i] = supAdd( grab->offsets[i], shift );
	}
}

void supHeldPlace_Init( supHeldPlace* place, const supPlace* def, bool isDrawn )
{
	place->def = *def;
	place->before = place->now = def->position;
	if ( def->kind != sup_placeSurface )
	{
		return;
	}
	const supMethod* method = def->actor->flesh->method;
	supGrab grab;
	bool grabbed = method->getParticles != NULL && method->grab != NULL &&
				   method->grab( def->actor->flesh->own, def->actor->state, &def->point, def->radius, &grab );
	if ( grabbed )
	{
		place->moves = true;
		if ( isDrawn )
		{
			SeeFrom( def->actor, supActor_PointPosition( def->actor, &def->point ), &grab );
		}
		int32_t count = grab.count < SUP_MAX_ANCHOR ? grab.count : SUP_MAX_ANCHOR;
		place->anchor = supMakeAnchor( count, grab.particles, grab.weights, grab.offsets );
	}
}

bool supHeldPlace_Reserve( supHeldPlace* place )
{
	supActor* actor = place->def.actor;
	const supMethod* method = place->moves ? actor->flesh->method : NULL;
	place->answers = method != NULL && method->computeResponse != NULL &&
					 method->computeResponse( actor->flesh->own, actor->state, NULL, 0, NULL, NULL, NULL );
	if ( place->answers == false || actor->roomCount >= SUP_MAX_RESPONSES )
	{
		return true;
	}
	place->columnCount = method->getParticles( actor->flesh->own, actor->state ).count;
	place->columns = supAllocArray( (size_t)place->columnCount, sizeof( supMat3 ) );
	if ( place->columns == NULL )
	{
		return false;
	}
	actor->roomCount += 1;
	return true;
}

void supHeldPlace_Destroy( supHeldPlace* place )
{
	if ( place->columns != NULL )
	{
		place->def.actor->roomCount -= 1;
	}
	supFree( place->columns );
}

void supHeldPlace_StayPut( supHeldPlace* place )
{
	place->before = place->now = place->def.position;
}

void supHeldPlace_Move( supHeldPlace* place, float weight )
{
	place->now = weight < 1.0f ? supLerp( place->before, place->def.position, weight ) : place->def.position;
}

// One point of a surface that follows its skeleton, by linear blending.
static supVec3 SkinPoint( supPose* pose, const supSurfacePoint* point )
{
	const supCharacter* character = supPose_Character( pose );
	const supInstance* instance = supCharacter_Instance( character, point->instance );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	const supMat34* worlds = supPose_Worlds( pose );
	supVec3 place = supVec3_zero;
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t vertex = point->vertices[k];
		supVec3 p = mesh->positions[vertex];
		supVec3 moved = supVec3_zero;
		if ( instance->skin < 0 || mesh->influences == 0 )
		{
			moved = supTransformPoint( worlds[instance->node], p );
		}
		else
		{
			const supMat34* palette = supPose_Palette( pose, point->instance );
			for ( int32_t i = 0; i < mesh->influences; ++i )
			{
				int32_t at = vertex * mesh->influences + i;
				moved = supMulAdd( moved, mesh->weights[at], supTransformPoint( palette[mesh->joints[at]], p ) );
			}
		}
		place = supMulAdd( place, point->weights[k], moved );
	}
	return place;
}

void supHeldPlace_Predict( supHeldPlace* place )
{
	supActor* actor = place->def.actor;
	if ( place->moves )
	{
		supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
		place->body = ( supAnchorBody ){ particles.x, particles.v, particles.massUnit };
		place->predicted = supAnchor_Predict( &place->anchor, &place->body );
	}
	else if ( place->def.kind == sup_placeWorld )
	{
		place->predicted = place->now;
	}
	else if ( place->def.kind == sup_placeNode )
	{
		place->predicted = supTransformPoint( supPose_Worlds( actor->stepPose )[place->def.node], place->def.position );
	}
	else
	{
		place->predicted = SkinPoint( actor->stepPose, &place->def.point );
	}
}

supVec3 supHeldPlace_PredictAgain( const supHeldPlace* place )
{
	return place->moves ? supAnchor_Predict( &place->anchor, &place->body ) : place->predicted;
}

void supHeldPlace_Comply( supHeldPlace* place, float dt, const supTasks* tasks )
{
	supActor* actor = place->def.actor;
	place->dt = dt;
	place->responds = false;
	float c = place->moves ? supAnchor_Compliance( &place->anchor, &place->body, dt ) : 0.0f;
	place->compliance = ( supMat3 ){ { c, 0.0f, 0.0f }, { 0.0f, c, 0.0f }, { 0.0f, 0.0f, c } };
	if ( place->moves && place->columns != NULL && actor->heldCount <= SUP_MAX_RESPONSES && c > 0.0f )
	{
		supSubstep step = *actor->step;
		step.tasks = tasks;
		place->responds =
			actor->flesh->method->computeResponse( actor->flesh->own, actor->state, &step, place->anchor.count,
												   place->anchor.particles, place->anchor.weights, place->columns );
	}
	if ( place->responds )
	{
		place->compliance = supAnchor_Gather( &place->anchor, place->columns );
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
		supAnchor_Respond( &place->anchor, &place->body, force, place->dt );
	}
}
