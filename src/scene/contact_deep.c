// SPDX-License-Identifier: MIT
// Actors that begin deep inside of each other or of themselves are led out, at the speed of recovery and no faster
// (contact/deep.h).
//
// What is looked at is where surfaces were when the substep began, so that ways out are found once a substep. Ordinary
// contacts of a vertex with an actor that it is led out of are left out: they would point anywhere.
#include "scene/contact_world.h"

// In thicknesses: less deep than this is not deep.
#define DEEP 3.0f

// How often an actor that has slipped back is led out again. What does so more often has no room where it is led to, as
// in a fold, and would go on trembling.
#define MOST_SLIPS 3

void supContactWorld_ForgetDeep( supContactWorld* world )
{
	for ( int32_t i = 0; i < world->deepCount; ++i )
	{
		const supContactHit* hit = world->deepHits + i;
		if ( world->touchers[hit->body].actor != NULL )
		{
			world->touchers[hit->body].actor->contact->within[hit->vertex] = NULL;
		}
	}
	world->deepCount = 0;
}

// Vertices of one in the other, which may be the same. False where none is deep.
static bool FindWays( supContactWorld* world, int32_t index, int32_t other )
{
	struct supActorContact* a = world->touchers[index].actor->contact;
	const struct supActorContact* b = world->touchers[other].actor->contact;
	float depth = DEEP * supMaxFloat( a->thickness, b->thickness );
	supContactHit* hits = world->deepHits + world->deepCount;
	int32_t count = supFindDeep( &world->deepWork, ( supDeepBody ){ &a->binding->skin, a->skinStart },
								 ( supDeepBody ){ &b->binding->skin, b->skinStart }, depth, hits,
								 world->deepCapacity - world->deepCount );
	for ( int32_t i = 0; i < count; ++i )
	{
		hits[i].body = index;
		hits[i].otherBody = other;
		a->within[hits[i].vertex] = world->touchers[other].actor;
	}
	world->deepCount += count;
	return count > 0;
}

static bool MayBeDeep( const supContactWorld* world, int32_t toucher )
{
	supOverlap overlap = world->touchers[toucher].actor->clock.overlap;
	return overlap == sup_overlapUnknown || overlap == sup_overlapDeep;
}

static bool TouchesOthers( const supContactWorld* world, int32_t toucher )
{
	return world->toucherBodies[toucher].positions != NULL &&
		   world->touchers[toucher].actor->contact->settings.withActors;
}

// Two that may be deep inside of each other.
static bool AreToBeLookedAt( const supContactWorld* world, int32_t i, int32_t k )
{
	return TouchesOthers( world, i ) && TouchesOthers( world, k ) &&
		   ( MayBeDeep( world, i ) || MayBeDeep( world, k ) ) &&
		   supBoxesMeet( world->touchers[i].actor->contact->box, world->touchers[k].actor->contact->box, 0.0f );
}

// What is inside of an actor, itself and those after it.
static void FindDeepOf( supContactWorld* world, int32_t i )
{
	Toucher* own = world->touchers + i;
	if ( world->toucherBodies[i].self && MayBeDeep( world, i ) )
	{
		own->isDeep = FindWays( world, i, i ) || own->isDeep;
	}
	for ( int32_t k = i + 1; k < world->toucherCount && TouchesOthers( world, i ); ++k )
	{
		if ( AreToBeLookedAt( world, i, k ) )
		{
			bool first = FindWays( world, i, k ), second = FindWays( world, k, i );
			own->isDeep = own->isDeep || first || second;
			world->touchers[k].isDeep = world->touchers[k].isDeep || first || second;
		}
	}
}

void supContactWorld_FindDeep( supContactWorld* world )
{
	if ( world->deepIsKnown )
	{
		return;
	}
	world->deepIsKnown = true;
	supContactWorld_ForgetDeep( world );
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		world->touchers[i].isDeep = false;
	}
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		if ( world->toucherBodies[i].positions != NULL )
		{
			FindDeepOf( world, i );
		}
	}
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		if ( world->toucherBodies[i].positions != NULL )
		{
			supOverlap* overlap = &world->touchers[i].actor->clock.overlap;
			bool wasDeep = *overlap == sup_overlapDeep || *overlap == sup_overlapLeft;
			supOverlap out = wasDeep ? sup_overlapLeft : sup_overlapNone;
			*overlap = world->touchers[i].isDeep ? sup_overlapDeep : out;
		}
	}
}

void supContactWorld_LookAgain( supContactWorld* world, const supContactHit* hit )
{
	supActorClock* clock = &world->touchers[hit->body].actor->clock;
	if ( clock->overlap == sup_overlapLeft && clock->slips < MOST_SLIPS )
	{
		clock->overlap = sup_overlapDeep;
		clock->slips += 1;
	}
}

void supContactWorld_UseDeep( supContactWorld* world, const supContactStep* step )
{
	for ( int32_t i = 0; i < world->deepCount; ++i )
	{
		int32_t row = supContactWorld_UseHit( world, world->deepHits + i, step );
		if ( row >= 0 )
		{
			// what is inside of each other does not rub
			world->set.rows[row].friction = 0.0f;
		}
	}
}
