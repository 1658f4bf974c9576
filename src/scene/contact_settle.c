// SPDX-License-Identifier: MIT
// Damps skin trapped between bones so that it stops jittering.
//
// Where contacts contradict each other, every substep ends with another subset of them, and the skin jitters forever.
// Skin in contact with skin for a while, between still bones, therefore gets a speed limit that decays. The limit
// applies to everything within reach of other skin, in contact at the moment or not. Skin at rest and skin elsewhere
// are unaffected. A moving bone, a collider, an attachment or a drag restarts the delay, also for everything it
// touches.
#include "scene/contact_world.h"

// Delay until the limit applies, in addition to the time a deep start takes to resolve; and the time in which the limit
// falls from the recovery speed to an eighth of it.
#define SETTLE_DELAY_S 0.5f
#define SPEED_DECAY_TIME_S 0.1f

// Thicknesses per second: the limit never falls below the first; bones faster than the second are moving.
#define MIN_SPEED_LIMIT 1.0f
#define MAX_STILL_BONE_SPEED 10.0f

// The limit allows flesh to follow slow bones (breathing): this factor times their speed.
#define FOLLOW_SPEED_RATIO 2.0f

// The contact time is counted up to this long after the delay.
#define MAX_SETTLE_TIME_S 10.0f

// How far bones move their flesh in a step: their joints, and what is as far from a joint as the one before it.
static float WayOfBones( const supActor* actor )
{
	const supCharacter* character = actor->flesh->character;
	const supMat34 *from = supPose_Worlds( actor->previous ), *to = supPose_Worlds( actor->pose );
	float most = 0.0f;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		int32_t parent = supCharacter_Node( character, i )->parent;
		float length = parent >= 0 ? supDistance( to[i].t, to[parent].t ) : 0.0f;
		// whatever scale the node has
		float turn = supDistance( supNormalize( from[i].cx ), supNormalize( to[i].cx ) ) +
					 supDistance( supNormalize( from[i].cy ), supNormalize( to[i].cy ) ) +
					 supDistance( supNormalize( from[i].cz ), supNormalize( to[i].cz ) );
		most = supMaxFloat( most, supDistance( from[i].t, to[i].t ) + length * turn );
	}
	return most;
}

void supContactWorld_MeasureBones( const supContactWorld* world, float dt )
{
	for ( int32_t i = 0; i < world->toucherCount && dt > 0.0f; ++i )
	{
		const supActor* actor = world->touchers[i].actor;
		if ( actor != NULL )
		{
			actor->contact->boneSpeed = WayOfBones( actor ) / dt;
		}
	}
}

static float PatienceWith( const supActor* actor, const supContactStep* step )
{
	return SETTLE_DELAY_S + actor->clock.deepWay / step->recoverySpeed;
}

// How fast crammed flesh may still be.
static float MostSpeed( const supActor* actor, const supContactStep* step )
{
	float over = actor->clock.pressedTime - PatienceWith( actor, step ),
		  left = SPEED_DECAY_TIME_S / ( SPEED_DECAY_TIME_S + over );
	if ( over <= 0.0f )
	{
		return INFINITY;
	}
	float slowest = MIN_SPEED_LIMIT * actor->contact->thickness;
	return supMaxFloat( step->recoverySpeed * left * left * left, slowest ) +
		   FOLLOW_SPEED_RATIO * actor->contact->boneSpeed;
}

void supContactWorld_StartSettling( const supActor* actor, const supContactStep* step )
{
	struct supActorContact* contact = actor->contact;
	contact->mostSpeed = contact->crammed != NULL ? MostSpeed( actor, step ) : INFINITY;
	if ( contact->mostSpeed < INFINITY )
	{
		supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
		memcpy( contact->places, particles.x, 16 * (size_t)contact->particleCount );
		memset( contact->crammed, 0, (size_t)contact->particleCount );
	}
}

bool supContactWorld_IsSettling( const supContactWorld* world )
{
	for ( int32_t i = 0; i < world->set.fleshCount; ++i )
	{
		if ( world->bodies[i]->contact->mostSpeed < INFINITY )
		{
			return true;
		}
	}
	return false;
}

static void MarkVertex( const struct supActorContact* contact, int32_t vertex )
{
	supContactSide side;
	supContactBinding_Bind( contact->binding, contact->binding->skinVertices[vertex], &side );
	for ( int32_t i = 0; i < side.pushed.count; ++i )
	{
		contact->crammed[side.pushed.particles[i]] = 1;
	}
}

void supContactWorld_MarkNearSkin( const supContactWorld* world, const supContactHit* hit )
{
	const struct supActorContact* a = world->touchers[hit->body].actor->contact;
	const struct supActorContact* b = world->touchers[hit->otherBody].actor->contact;
	if ( a->mostSpeed < INFINITY )
	{
		MarkVertex( a, hit->vertex );
	}
	for ( int32_t k = 0; k < 3 && b->mostSpeed < INFINITY; ++k )
	{
		MarkVertex( b, hit->corners[k] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// Bodies moved by something other than contacts, and bodies that touch those.
static void FindStirred( const supContactWorld* world )
{
	const supContactSet* set = &world->set;
	for ( int32_t i = 0; i < set->fleshCount; ++i )
	{
		const supActor* actor = world->bodies[i];
		struct supActorContact* contact = actor->contact;
		// what has begun deep inside may be left where it was, and then presses on nothing
		contact->isPressed = actor->clock.noRoomCount > 0 || actor->clock.overlap == sup_overlapLeft;
		contact->isStirred = contact->boneSpeed > MAX_STILL_BONE_SPEED * contact->thickness || actor->isHeld ||
							 actor->activePullCount > 0;
	}
	bool isDone = false;
	while ( isDone == false )
	{
		isDone = true;
		for ( int32_t i = 0; i < set->rowCount; ++i )
		{
			const RowSource* source = world->sources + i;
			bool isNear = set->rows[i].base < INFINITY || source->isDropped;
			if ( isNear && source->kind == rowVertex && world->colliders[source->b]->moves )
			{
				world->bodies[source->a]->contact->isStirred = true;
			}
			else if ( isNear && source->kind == rowSkin )
			{
				struct supActorContact* a = world->bodies[source->a]->contact;
				struct supActorContact* b = world->bodies[source->b]->contact;
				isDone = isDone && a->isStirred == b->isStirred;
				a->isStirred = b->isStirred = a->isStirred || b->isStirred;
				bool isPressed = set->rows[i].push > 0.0f || source->isDropped;
				a->isPressed = a->isPressed || isPressed;
				b->isPressed = b->isPressed || isPressed;
			}
		}
	}
}

// By how much something of this length is to be shortened.
static float ShareOf( const float* vector, float most )
{
	float length = supLength( supMakeVec3( vector[0], vector[1], vector[2] ) );
	return length > most ? most / length : 1.0f;
}

// Crammed particles, as far as they were to move.
static void HoldBack( const supContactFlesh* flesh, const struct supActorContact* contact, float dt )
{
	for ( int32_t i = 0; i < contact->particleCount; ++i )
	{
		size_t at = 4 * (size_t)i;
		const float *x = flesh->x + at, *place = contact->places + at;
		if ( contact->crammed[i] == 0 || x[3] <= 0.0f )
		{
			continue;
		}
		const float way[3] = { x[0] - place[0], x[1] - place[1], x[2] - place[2] };
		float share = ShareOf( way, contact->mostSpeed * dt );
		for ( size_t k = 0; k < 3 && share < 1.0f; ++k )
		{
			flesh->x[at + k] = place[k] + share * way[k];
			flesh->shifts[at + k] *= share;
		}
		share = flesh->v != NULL ? ShareOf( flesh->v + at, contact->mostSpeed ) : 1.0f;
		for ( size_t k = 0; k < 3 && share < 1.0f; ++k )
		{
			flesh->v[at + k] *= share;
		}
	}
}

// Bones that have gone as far as it was inside may have made room: it is looked at as if it had just been put there.
static void LookForRoom( supActorClock* clock, float way )
{
	clock->boneWay = clock->noRoomCount > 0 ? clock->boneWay + way : 0.0f;
	if ( clock->boneWay > clock->deepWay )
	{
		clock->overlap = sup_overlapUnknown;
		clock->slips = clock->noRoomCount = 0;
		clock->deepWay = clock->tornTime = clock->boneWay = 0.0f;
	}
}

// Counts for how long a body is pressed, and once a second what of it is still inside of something.
static void PassTime( supContactWorld* world, int32_t body, const supContactStep* step )
{
	const struct supActorContact* contact = world->bodies[body]->contact;
	supActorClock* clock = &world->bodies[body]->clock;
	float patience = PatienceWith( world->bodies[body], step ), before = clock->pressedTime - patience;
	float next =
		contact->isPressed ? clock->pressedTime + step->dt : supMaxFloat( clock->pressedTime - step->dt, 0.0f );
	clock->pressedTime = contact->isStirred ? 0.0f : supMinFloat( next, patience + MAX_SETTLE_TIME_S );
	float now = clock->pressedTime - patience;
	if ( clock->deepWay > 0.0f && now >= 0.0f && floorf( now ) > floorf( before ) )
	{
		clock->stuckCount = supContactWorld_CountInside( world, body );
	}
	// until something moves, or presses no more
	bool isOver = contact->isStirred || ( now < 0.0f && before >= 0.0f );
	clock->stuckCount = isOver ? 0 : clock->stuckCount;
	LookForRoom( clock, contact->boneSpeed * step->dt );
}

bool supContactWorld_Settle( supContactWorld* world, const supContactStep* step )
{
	bool isHeldBack = false;
	int32_t stuck = 0;
	FindStirred( world );
	for ( int32_t i = 0; i < world->set.fleshCount; ++i )
	{
		const supActor* actor = world->bodies[i];
		if ( actor->contact->mostSpeed < INFINITY && actor->contact->isStirred == false )
		{
			HoldBack( world->set.flesh + i, actor->contact, step->dt );
			isHeldBack = true;
		}
		PassTime( world, i, step );
	}
	// sleeping bodies have not come out either
	for ( int32_t i = 0; i < world->toucherCount; ++i )
	{
		stuck += world->touchers[i].actor != NULL ? world->touchers[i].actor->clock.stuckCount : 0;
	}
	// those that are near enough to be found are among both
	world->stats.left = stuck > world->stats.left ? stuck : world->stats.left;
	return isHeldBack;
}
