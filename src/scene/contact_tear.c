// SPDX-License-Identifier: MIT
// Contact of a body with itself does not tear its skin.
//
// Bones put limbs through flesh. What contact holds back then hangs by its edges on what bones take along, and there is
// no place that meets both. So a contact is left where an edge at either side of it is MAX_STRETCH_RATIO times as long
// as at rest and as bones alone make it; and where pushes of this substep have stretched an edge so far, they are
// undone, and the vertex is left alone until the substep is over.
#include "character/pose.h"
#include "scene/contact_world.h"

#define MAX_STRETCH_RATIO 2.5f

// ---------------------------------------------------------------------------------------------------------------------
// What is stretched too far

// Where linear blend skinning puts a vertex of the skin; false where no bones move it.
static bool PutByBones( const supActor* actor, int32_t vertex, supVec3* place )
{
	const supContactBinding* binding = actor->contact->binding;
	const supCharacter* character = actor->flesh->character;
	int32_t i = supContactBinding_InstanceOf( binding, binding->skinVertices[vertex] );
	int32_t index = binding->skinVertices[vertex] - binding->instanceStarts[i];
	const supInstance* instance = supCharacter_Instance( character, i );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	if ( instance->skin < 0 || mesh->influences == 0 )
	{
		return false;
	}
	const supWideMatrix* palette = supPose_WidePalette( actor->stepPose, i );
	const uint16_t* joints = mesh->joints + (size_t)mesh->influences * (size_t)index;
	const float* weights = mesh->weights + (size_t)mesh->influences * (size_t)index;
	*place = supVec3_zero;
	for ( int32_t k = 0; k < mesh->influences; ++k )
	{
		supVec3 there = supTransformPoint( palette[joints[k]].matrix, mesh->positions[index] );
		*place = supMulAdd( *place, weights[k], there );
	}
	return true;
}

static bool IsEdgePulled( const supActor* actor, int32_t i, int32_t k )
{
	const struct supActorContact* contact = actor->contact;
	const supVec3* rest = contact->binding->skin.rest;
	float most = supDistance( contact->skinNow[i], contact->skinNow[k] ) / MAX_STRETCH_RATIO;
	supVec3 a, b;
	// most edges are as long as at rest
	return most > supDistance( rest[i], rest[k] ) &&
		   ( PutByBones( actor, i, &a ) == false || PutByBones( actor, k, &b ) == false || most > supDistance( a, b ) );
}

// Any edge of the triangles around a vertex?
static bool IsPulledAround( const supActor* actor, int32_t vertex )
{
	const supContactSkin* skin = &actor->contact->binding->skin;
	bool isPulled = false;
	for ( int32_t i = skin->fanStarts[vertex]; i < skin->fanStarts[vertex + 1] && isPulled == false; ++i )
	{
		const int32_t* c = skin->corners + 3 * (size_t)skin->fans[i];
		isPulled =
			IsEdgePulled( actor, c[0], c[1] ) || IsEdgePulled( actor, c[1], c[2] ) || IsEdgePulled( actor, c[2], c[0] );
	}
	return isPulled;
}

static bool IsPulled( const supContactWorld* world, const supContactHit* hit )
{
	const supActor* actor = world->touchers[hit->body].actor;
	return IsPulledAround( actor, hit->vertex ) || IsPulledAround( actor, hit->corners[0] ) ||
		   IsPulledAround( actor, hit->corners[1] ) || IsPulledAround( actor, hit->corners[2] );
}

static bool WasLetGo( const supContactWorld* world, const supContactHit* hit )
{
	const struct supActorContact* contact = world->touchers[hit->body].actor->contact;
	int32_t row = contact->heads[contact->binding->skinVertices[hit->vertex]];
	while ( row >= 0 && world->sources[row].isDropped == false )
	{
		row = world->sources[row].before;
	}
	return row >= 0;
}

bool supContactWorld_WouldTear( const supContactWorld* world, const supContactHit* hit )
{
	return hit->body == hit->otherBody && ( WasLetGo( world, hit ) || IsPulled( world, hit ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Letting go

// A row of one body that has pushed since its method had its say.
static bool HasPushed( const supContactWorld* world, int32_t index )
{
	const supContactRow* row = world->set.rows + index;
	const RowSource* source = world->sources + index;
	return source->kind == rowSkin && source->a == source->b && row->push > source->pushBefore &&
		   supContactSet_IsAnswered( &world->set, row ) == false;
}

void supContactWorld_BeginPushes( const supContactWorld* world )
{
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		world->sources[i].pushBefore = world->set.rows[i].push;
		world->sources[i].dragBefore = world->set.rows[i].drag;
	}
}

bool supContactWorld_MayTear( const supContactWorld* world )
{
	bool found = false;
	for ( int32_t i = 0; i < world->set.rowCount && found == false; ++i )
	{
		found = HasPushed( world, i );
	}
	return found;
}

static void LetGo( supContactWorld* world, int32_t index, float dt )
{
	supContactRow* row = world->set.rows + index;
	RowSource* source = world->sources + index;
	supVec3 push = supScale( row->push - source->pushBefore, row->normal );
	push = supAdd( push, supSub( row->drag, source->dragBefore ) );
	supContactSet_Push( &world->set, &row->a, supNeg( push ), dt );
	supContactSet_Push( &world->set, &row->b, push, dt );
	row->push = source->pushBefore = 0.0f;
	row->drag = source->dragBefore = supVec3_zero;
	row->base = INFINITY;
	source->distance = INFINITY;
	source->isDropped = true;
	world->stats.left += 1;
}

bool supContactWorld_UndoTears( supContactWorld* world, float dt )
{
	if ( supContactWorld_MayTear( world ) == false )
	{
		return false;
	}
	supContactWorld_GatherSkins( world );
	bool isAny = false;
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		if ( HasPushed( world, i ) && IsPulled( world, &world->sources[i].hit ) )
		{
			LetGo( world, i, dt );
			supContactWorld_ReportTorn( world, &world->sources[i].hit );
			isAny = true;
		}
	}
	return isAny;
}
