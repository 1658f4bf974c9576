// SPDX-License-Identifier: MIT
// Ties: places that are mass points of one body, as drawn, joined with each other or nailed to something that goes its
// own way. Points that are joined, over however many attachments, are a group, which is found by union-find when an
// attachment is made, switched or removed. Bodies whose points move each for itself are solved in closed form
// (src/attach/ties.h); bodies that take them (supMethod.takesTies) have them as fewer unknowns of their own step.
#include "scene/attachment_system.h"

#include "core/core.h"

#define NO_PARTICLE ( -1 )

static bool TakesTies( const supActor* actor )
{
	const supMethod* method = actor->flesh->method;
	return method->takesTies != NULL && method->takesTies( actor->flesh->own );
}

bool supActor_IsLocal( const supActor* actor )
{
	const supMethod* method = actor->flesh->method;
	return method->computeResponse == NULL ||
		   method->computeResponse( actor->flesh->own, actor->state, NULL, 0, NULL, NULL, NULL ) == false;
}

// Where it will be is known before anything is solved.
static bool IsKnown( const supHeldPlace* place )
{
	return supHeldPlace_HasFlesh( place ) == false;
}

bool supAttachment_CanTie( const supAttachment* attachment )
{
	const supActor* actor = NULL;
	int32_t pointCount = 0;
	bool fits = attachment->kind == sup_attachmentJoin && attachment->slack <= 0.0f;
	for ( int32_t i = 0; i < attachment->placeCount && fits; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		fits = place->isPoint ? actor == NULL || actor == place->def.actor : IsKnown( place );
		actor = place->isPoint ? place->def.actor : actor;
		pointCount += place->isPoint;
	}
	// a gap between points that closes over time needs more than equality
	fits = fits && pointCount > 0 && ( attachment->assembly <= 0.0f || pointCount == 1 );
	return fits && ( TakesTies( actor ) || supActor_IsLocal( actor ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Room

bool supActor_ReserveTie( supActor* actor )
{
	supActorTies* ties = actor->ties;
	if ( ties == NULL )
	{
		actor->ties = ties = supAllocZeroed( sizeof( supActorTies ) );
		if ( ties == NULL )
		{
			return false;
		}
	}
	if ( ties->parents == NULL )
	{
		ties->particleCount = actor->flesh->method->getParticles( actor->flesh->own, actor->state ).count;
		ties->parents = supAllocArray( (size_t)ties->particleCount, sizeof( int32_t ) );
	}
	if ( ties->placeCount == ties->capacity )
	{
		int32_t capacity = ties->capacity > 0 ? 2 * ties->capacity : 16;
		supTieMember* members = supAllocArray( (size_t)capacity, sizeof( supTieMember ) );
		supTieGroup* groups = supAllocArray( (size_t)capacity, sizeof( supTieGroup ) );
		supAttachment** nails = supAllocArray( (size_t)capacity, sizeof( supAttachment* ) );
		if ( members == NULL || groups == NULL || nails == NULL )
		{
			supFree( members );
			supFree( groups );
			supFree( nails );
			return false;
		}
		supFree( ties->ties.members );
		supFree( ties->ties.groups );
		supFree( ties->nails );
		// found again before they are used: whoever asked for room is new
		ties->ties = ( supTies ){ .members = members, .groups = groups };
		ties->nails = nails;
		ties->capacity = capacity;
	}
	if ( ties->parents == NULL )
	{
		return false;
	}
	ties->placeCount += 1;
	return true;
}

supTies* supActor_Ties( supActor* actor )
{
	return actor->ties != NULL && actor->ties->isUsed ? &actor->ties->ties : NULL;
}

void supActor_DestroyTies( supActor* actor )
{
	if ( actor->ties != NULL )
	{
		supFree( actor->ties->parents );
		supFree( actor->ties->ties.members );
		supFree( actor->ties->ties.groups );
		supFree( actor->ties->nails );
		supFree( actor->ties );
		actor->ties = NULL;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Finding groups

// Parents are particles + 1, so that 0 is a root of its own; -1: in no tie.
static int32_t FindRoot( int32_t* parents, int32_t particle )
{
	int32_t root = particle;
	while ( parents[root] > 0 )
	{
		root = parents[root] - 1;
	}
	while ( parents[particle] > 0 )
	{
		int32_t next = parents[particle] - 1;
		parents[particle] = root + 1;
		particle = next;
	}
	return root;
}

// The smaller one is the root, whatever came first.
static void Unite( int32_t* parents, int32_t a, int32_t b )
{
	int32_t rootA = FindRoot( parents, a ), rootB = FindRoot( parents, b );
	if ( rootA != rootB )
	{
		int32_t low = rootA < rootB ? rootA : rootB, high = rootA < rootB ? rootB : rootA;
		parents[high] = low + 1;
	}
}

static void ClearTies( supAttachments* system )
{
	for ( supActor* actor = system->firstTied; actor != NULL; actor = actor->nextTied )
	{
		actor->ties->isUsed = false;
		actor->isSystemStale = true;
		actor->ties->ties.groupCount = actor->ties->ties.memberCount = 0;
	}
	system->firstTied = NULL;
}

static void UseActor( supAttachments* system, supActor* actor )
{
	supActorTies* ties = actor->ties;
	if ( ties->isUsed == false )
	{
		ties->isUsed = true;
		actor->isSystemStale = true;
		memset( ties->parents, 0xFF, (size_t)ties->particleCount * sizeof( int32_t ) );
		actor->nextTied = system->firstTied;
		system->firstTied = actor;
	}
}

static void UnitePoints( supAttachments* system, supAttachment* attachment )
{
	int32_t first = NO_PARTICLE;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		if ( place->isPoint )
		{
			UseActor( system, place->def.actor );
			int32_t* parents = place->def.actor->ties->parents;
			parents[place->ownParticle] = parents[place->ownParticle] < 0 ? 0 : parents[place->ownParticle];
			if ( first != NO_PARTICLE )
			{
				Unite( parents, first, place->ownParticle );
			}
			first = place->ownParticle;
		}
	}
}

// Roots get groups in rising order, particles their place in them. Afterwards parents are members.
static void ListMembers( supActorTies* ties )
{
	supTies* out = &ties->ties;
	int32_t* parents = ties->parents;
	for ( int32_t i = 0; i < ties->particleCount; ++i )
	{
		if ( parents[i] == 0 )
		{
			out->groups[out->groupCount++] = ( supTieGroup ){ .first = i };
		}
	}
	for ( int32_t i = 0; i < ties->particleCount; ++i )
	{
		if ( parents[i] > 0 )
		{
			parents[i] = FindRoot( parents, i ) + 1;
		}
	}
	// the number of their group, beyond all particles: first of the roots, then of all
	for ( int32_t g = 0; g < out->groupCount; ++g )
	{
		parents[out->groups[g].first] = ties->particleCount + 1 + g;
	}
	for ( int32_t i = 0; i < ties->particleCount; ++i )
	{
		if ( parents[i] > 0 && parents[i] <= ties->particleCount )
		{
			parents[i] = parents[parents[i] - 1];
		}
	}
	for ( int32_t i = 0; i < ties->particleCount; ++i )
	{
		if ( parents[i] > 0 )
		{
			out->groups[parents[i] - ties->particleCount - 1].count += 1;
		}
	}
	for ( int32_t g = 0; g < out->groupCount; ++g )
	{
		out->groups[g].first = out->memberCount;
		out->memberCount += out->groups[g].count;
		out->groups[g].count = 0;
		ties->nails[g] = NULL;
	}
	for ( int32_t i = 0; i < ties->particleCount; ++i )
	{
		if ( parents[i] > 0 )
		{
			int32_t group = parents[i] - ties->particleCount - 1;
			int32_t member = out->groups[group].first + out->groups[group].count++;
			out->members[member] = ( supTieMember ){ .particle = i, .group = group };
			parents[i] = member;
		}
	}
}

static void TakeNail( supAttachment* attachment )
{
	supActorTies* ties = NULL;
	bool isNail = false;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		isNail = isNail || place->isPoint == false;
		if ( place->isPoint )
		{
			ties = place->def.actor->ties;
			place->member = ties->parents[place->ownParticle];
		}
	}
	for ( int32_t i = 0; i < attachment->placeCount && isNail; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		supAttachment** nail = place->isPoint ? ties->nails + ties->ties.members[place->member].group : NULL;
		if ( nail != NULL && *nail != NULL && *nail != attachment )
		{
			supLog( sup_logWarning,
					"the attachments '%s' and '%s' conflict: they nail one point to two places, and only '%s' holds",
					( *nail )->name, attachment->name, ( *nail )->name );
		}
		else if ( nail != NULL )
		{
			*nail = attachment;
			ties->ties.groups[ties->ties.members[place->member].group].isNailed = true;
		}
	}
}

void supAttachments_FindTies( supAttachments* system )
{
	system->isStale = false;
	system->generalCount = 0;
	ClearTies( system );
	for ( supAttachment* attachment = system->first; attachment != NULL; attachment = attachment->next )
	{
		attachment->isTied = attachment->active && supAttachment_CanTie( attachment );
		if ( attachment->isTied )
		{
			UnitePoints( system, attachment );
		}
		else if ( attachment->active )
		{
			system->general[system->generalCount++] = attachment;
		}
	}
	for ( supActor* actor = system->firstTied; actor != NULL; actor = actor->nextTied )
	{
		ListMembers( actor->ties );
	}
	for ( supAttachment* attachment = system->first; attachment != NULL; attachment = attachment->next )
	{
		if ( attachment->isTied )
		{
			TakeNail( attachment );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Solving

// The place of an attachment that goes its own way.
static supHeldPlace* FindKnown( supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		if ( attachment->places[i].isPoint == false )
		{
			return attachment->places + i;
		}
	}
	return NULL;
}

// What is left of the way to a nail that is being closed in on.
static supVec3 FindLeftOver( supAttachment* attachment, const supHeldPlace* known, float dt )
{
	if ( attachment->assembly <= 0.0f )
	{
		return supVec3_zero;
	}
	supHeldPlace* point = attachment->places + ( known == attachment->places ? 1 : 0 );
	if ( attachment->fresh )
	{
		point->gap = supSub( supHeldPlace_Drawn( point ), known->predicted );
		attachment->assembled = 0.0f;
	}
	attachment->assembled += dt;
	return supScale( supAttachment_OpenRatio( attachment ), point->gap );
}

void supAttachments_PrepareTies( supAttachments* system, float weight, float dt )
{
	for ( supActor* actor = system->firstTied; actor != NULL; actor = actor->nextTied )
	{
		supActorTies* ties = actor->ties;
		for ( int32_t g = 0; g < ties->ties.groupCount; ++g )
		{
			supAttachment* nail = ties->nails[g];
			if ( nail != NULL )
			{
				supHeldPlace* known = FindKnown( nail );
				supHeldPlace_Move( known, weight );
				supHeldPlace_FindRow( known );
				ties->ties.groups[g].goal = supAdd( known->predicted, FindLeftOver( nail, known, dt ) );
				nail->fresh = false;
			}
		}
	}
}

void supAttachments_SolveTies( supAttachments* system, float dt, bool goesOn, const supTasks* tasks )
{
	for ( supActor* actor = system->firstTied; actor != NULL; actor = actor->nextTied )
	{
		// where the method has met them, what drags and contacts have moved since
		supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
		supTiedPoints points = { particles.x, particles.v, particles.massUnit };
		supSolveTies( &actor->ties->ties, &points, dt, goesOn || TakesTies( actor ), tasks );
	}
}

// On the first place, by the points of its own.
void supAttachment_TakeTieForce( supAttachment* attachment )
{
	const supHeldPlace* first = attachment->places;
	if ( first->isPoint )
	{
		attachment->force = first->def.actor->ties->ties.members[first->member].force;
		return;
	}
	attachment->force = supVec3_zero;
	for ( int32_t i = 1; i < attachment->placeCount; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		if ( place->isPoint )
		{
			attachment->force = supSub( attachment->force, place->def.actor->ties->ties.members[place->member].force );
		}
	}
}
