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

// How many times as long as at rest, and as to begin with by bones alone, the skin of what began deep inside may be
// before it is left alone: bones have crossed others, and there is no way out for what hangs on them.
#define MAX_STRETCH_RATIO 3.5f
#define MAX_BONE_STRETCH_RATIO 1.75f

// Seconds that it may be stretched more than that.
#define MAX_STRETCHED_TIME_S 0.05f

// ---------------------------------------------------------------------------------------------------------------------
// No room

static bool HasNoRoom( const supActor* actor, int32_t vertex )
{
	const supActorClock* clock = &actor->clock;
	supVec3 rest = actor->contact->binding->skin.rest[vertex];
	bool found = false;
	for ( int32_t i = 0; i < clock->noRoomCount; ++i )
	{
		found = found || supDistance( rest, clock->noRoom[i].place ) <= clock->noRoom[i].radius;
	}
	return found;
}

bool supContactWorld_HasNoRoom( const supContactWorld* world, const supContactHit* hit )
{
	const supActor* other = world->touchers[hit->otherBody].actor;
	return HasNoRoom( world->touchers[hit->body].actor, hit->vertex ) || HasNoRoom( other, hit->corners[0] ) ||
		   HasNoRoom( other, hit->corners[1] ) || HasNoRoom( other, hit->corners[2] );
}

// Around a vertex, as far as it was inside. The last of too many is made larger.
static void GiveUp( supActor* actor, int32_t vertex )
{
	supActorClock* clock = &actor->clock;
	supVec3 rest = actor->contact->binding->skin.rest[vertex];
	if ( clock->noRoomCount < SUP_MAX_NO_ROOM )
	{
		clock->noRoom[clock->noRoomCount++] = ( supNoRoom ){ rest, clock->deepWay };
		return;
	}
	supNoRoom* last = clock->noRoom + SUP_MAX_NO_ROOM - 1;
	last->radius = supMaxFloat( last->radius, supDistance( rest, last->place ) );
}

// Of an edge of the skin as the substep begins, k the first corner of it in the list of corners.
static float StretchOf( const struct supActorContact* contact, int32_t k )
{
	const supContactSkin* skin = &contact->binding->skin;
	int32_t i = skin->corners[k], j = skin->corners[k % 3 < 2 ? k + 1 : k - 2];
	return supDistance( contact->skinStart[i], contact->skinStart[j] ) / supDistance( skin->rest[i], skin->rest[j] );
}

static float FindStretch( const struct supActorContact* contact )
{
	float most = 1.0f;
	for ( int32_t k = 0; k < 3 * contact->binding->skin.triangleCount; ++k )
	{
		most = supMaxFloat( most, StretchOf( contact, k ) );
	}
	return most;
}

// Where the skin stays stretched too far, and not just for the moment in which it is pushed.
static void FindTears( supActor* actor, float dt )
{
	const supContactSkin* skin = &actor->contact->binding->skin;
	supActorClock* clock = &actor->clock;
	float most = supMaxFloat( MAX_STRETCH_RATIO, MAX_BONE_STRETCH_RATIO * clock->deepStretch );
	bool isTorn = clock->isTorn != 0;
	clock->isTorn = 0;
	for ( int32_t k = 0; k < 3 * skin->triangleCount && clock->deepWay > 0.0f; ++k )
	{
		if ( StretchOf( actor->contact, k ) > most && HasNoRoom( actor, skin->corners[k] ) == false )
		{
			isTorn = true;
			if ( clock->tornTime > MAX_STRETCHED_TIME_S )
			{
				GiveUp( actor, skin->corners[k] );
			}
		}
	}
	clock->tornTime = isTorn ? clock->tornTime + dt : 0.0f;
}

void supContactWorld_ReportTorn( const supContactWorld* world, const supContactHit* hit )
{
	supActor* actor = world->touchers[hit->body].actor;
	if ( actor->contact->within[hit->vertex] != NULL )
	{
		actor->clock.isTorn = 1;
		if ( actor->clock.tornTime > MAX_STRETCHED_TIME_S )
		{
			GiveUp( actor, hit->vertex );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

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

// Vertices of one in the other, which may be the same, after those that were found already. Returns how many.
static int32_t FindInside( supContactWorld* world, int32_t index, int32_t other )
{
	const struct supActorContact* a = world->touchers[index].actor->contact;
	const struct supActorContact* b = world->touchers[other].actor->contact;
	float depth = DEEP * supMaxFloat( a->thickness, b->thickness );
	return supFindDeep( &world->deepWork, ( supDeepBody ){ &a->binding->skin, a->skinStart },
						( supDeepBody ){ &b->binding->skin, b->skinStart }, depth, world->deepHits + world->deepCount,
						world->deepCapacity - world->deepCount );
}

// Returns the longest way out, 0 where none is deep.
static float FindWays( supContactWorld* world, int32_t index, int32_t other )
{
	const struct supActorContact* a = world->touchers[index].actor->contact;
	const supContactHit* hits = world->deepHits + world->deepCount;
	int32_t count = FindInside( world, index, other );
	float longest = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		supContactHit hit = hits[i];
		hit.body = index;
		hit.otherBody = other;
		if ( supContactWorld_HasNoRoom( world, &hit ) == false )
		{
			longest = supMaxFloat( longest, -hit.gap );
			a->within[hit.vertex] = world->touchers[other].actor;
			world->deepHits[world->deepCount++] = hit;
		}
	}
	return longest;
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

static bool AreNear( const supContactWorld* world, int32_t i, int32_t k )
{
	return TouchesOthers( world, i ) && TouchesOthers( world, k ) &&
		   supBoxesMeet( world->touchers[i].actor->contact->box, world->touchers[k].actor->contact->box, 0.0f );
}

int32_t supContactWorld_CountInside( supContactWorld* world, int32_t body )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		for ( int32_t k = 0; k < world->toucherCount && world->touchers[i].body == body; ++k )
		{
			bool mayTouch = k == i ? world->toucherBodies[i].self : AreNear( world, i, k );
			count += mayTouch ? FindInside( world, i, k ) + world->deepWork.stuckCount : 0;
		}
	}
	return count;
}

// What is inside of an actor, itself and those after it.
static void FindDeepOf( supContactWorld* world, int32_t i )
{
	Toucher* own = world->touchers + i;
	if ( world->toucherBodies[i].self && MayBeDeep( world, i ) )
	{
		own->deepWay = supMaxFloat( own->deepWay, FindWays( world, i, i ) );
		own->stuckCount = world->deepWork.stuckCount;
	}
	for ( int32_t k = i + 1; k < world->toucherCount && TouchesOthers( world, i ); ++k )
	{
		if ( ( MayBeDeep( world, i ) || MayBeDeep( world, k ) ) && AreNear( world, i, k ) )
		{
			float way = FindWays( world, i, k );
			way = supMaxFloat( way, FindWays( world, k, i ) );
			own->deepWay = supMaxFloat( own->deepWay, way );
			world->touchers[k].deepWay = supMaxFloat( world->touchers[k].deepWay, way );
		}
	}
}

void supContactWorld_FindDeep( supContactWorld* world, const supContactStep* step )
{
	if ( world->deepIsKnown )
	{
		return;
	}
	world->deepIsKnown = true;
	supContactWorld_ForgetDeep( world );
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		world->touchers[i].deepWay = 0.0f;
		world->touchers[i].stuckCount = 0;
		if ( world->toucherBodies[i].positions != NULL )
		{
			FindTears( world->touchers[i].actor, step->dt );
		}
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
			supActorClock* clock = &world->touchers[i].actor->clock;
			float way = world->touchers[i].deepWay;
			bool wasDeep = clock->overlap == sup_overlapDeep || clock->overlap == sup_overlapLeft;
			supOverlap out = wasDeep ? sup_overlapLeft : sup_overlapNone;
			if ( clock->overlap == sup_overlapUnknown )
			{
				clock->stuckCount = world->touchers[i].stuckCount;
			}
			if ( clock->overlap == sup_overlapUnknown && way > 0.0f )
			{
				clock->deepWay = way;
				clock->deepStretch = FindStretch( world->touchers[i].actor->contact );
			}
			clock->overlap = way > 0.0f ? sup_overlapDeep : out;
		}
	}
}

void supContactWorld_RetryDeep( supContactWorld* world, const supContactHit* hit )
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
		supContactWorld_MarkNearSkin( world, world->deepHits + i );
		int32_t row = supContactWorld_UseHit( world, world->deepHits + i, step );
		if ( row >= 0 )
		{
			// what is inside of each other does not rub
			world->set.rows[row].friction = 0.0f;
		}
	}
}
