// SPDX-License-Identifier: MIT
// "recover": an actor of the method `layered` that something hits gives way, and is back on its clip so many seconds
// after it was touched last.
#include "show_recovery.h"

#include "report.h"

#include <string.h>

// Part of its strength that a joint is left with while it is hit, and a root.
#define LOOSE_STRENGTH 0.15f
#define LOOSE_ROOT 0.04f

static const char* const s_names[2] = { "strength", "root" };
static const float s_loose[2] = { LOOSE_STRENGTH, LOOSE_ROOT };

int CheckRecovery( const Show* show, const supSceneActor* def, const ShowBody* body )
{
	if ( def->recover <= 0.0f )
	{
		return exit_ok;
	}
	for ( int i = 0; i < 2; ++i )
	{
		if ( supMethod_FindParameter( body->choice.method, s_names[i] ) < 0 )
		{
			Report( show->path,
					"the actor '%s': \"recover\" needs a method with strength and root, such as layered (got %s)",
					def->name, supFlesh_MethodName( body->flesh ) );
			return exit_data;
		}
		for ( int32_t k = 0; k < def->valueCount; ++k )
		{
			if ( strcmp( def->values[k].parameter, s_names[i] ) == 0 )
			{
				Report( show->path, "the actor '%s' has both \"recover\" and keys of %s: leave out one of them",
						def->name, s_names[i] );
				return exit_data;
			}
		}
	}
	return exit_ok;
}

static bool IsMoving( const Show* show, const supCollider* collider )
{
	bool isMoving = false;
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		bool isIt = show->colliders[i].collider == collider;
		isMoving = isMoving || ( isIt && show->colliders[i].def->motion != sup_colliderStill );
	}
	return isMoving;
}

// A floor does not hit anybody, nor does an actor itself.
static bool IsHit( const Show* show, const supActor* actor )
{
	int32_t count;
	const supContact* contacts = supScene_Contacts( show->scene, &count );
	bool isHit = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supContact* c = contacts + i;
		bool isOwn = c->actor == actor, isOther = c->otherActor == actor;
		const supCollider* collider = isOwn ? c->otherCollider : c->collider;
		bool byActor = isOwn != isOther && collider == NULL;
		bool byCollider = isOwn != isOther && collider != NULL && IsMoving( show, collider );
		isHit = isHit || ( c->force > 0.0f && ( byActor || byCollider ) );
	}
	return isHit;
}

void ResetRecovery( Show* show )
{
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		show->actors[i].isHit = false;
	}
}

void AdvanceRecovery( Show* show )
{
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		ShowActor* actor = show->actors + i;
		if ( actor->def->recover <= 0.0f )
		{
			continue;
		}
		if ( IsHit( show, actor->actor ) )
		{
			actor->isHit = true;
			actor->hitTime = show->time;
		}
		float t = actor->isHit ? ( show->time - actor->hitTime ) / actor->def->recover : 1.0f;
		t = supClampFloat( t, 0.0f, 1.0f );
		t = t * t * ( 3.0f - 2.0f * t );
		for ( int k = 0; k < 2; ++k )
		{
			const supFlesh* flesh = show->bodies[actor->body].flesh;
			int32_t parameter = supMethod_FindParameter( show->bodies[actor->body].choice.method, s_names[k] );
			float full = supFlesh_Parameter( flesh, parameter );
			supActor_SetParameter( actor->actor, parameter, full * ( s_loose[k] + ( 1.0f - s_loose[k] ) * t ) );
		}
	}
}
