// SPDX-License-Identifier: MIT
// Actors whose method meets contacts itself (supMethod.answerContacts): rows are handed to it, and what it pushes with
// pushes the other side back.
//
// A push moves what is touched as if that touched nothing else. A body that is touched in n places would give n times
// too much: each place is given an n-th of it.
#include "scene/contact_world.h"

static bool IsAt( const supContactSide* side, int32_t body )
{
	return side->flesh == body;
}

// How many rows of this actor press on the same rigid body, at least 1.
static int32_t CountSharers( const supContactSet* set, int32_t body, int32_t rigid )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < set->rowCount && rigid >= 0; ++i )
	{
		const supContactRow* row = set->rows + i;
		bool isShared =
			( IsAt( &row->a, body ) && row->b.rigid == rigid ) || ( IsAt( &row->b, body ) && row->a.rigid == rigid );
		count += isShared && ( row->push > 0.0f || supContactSet_Gap( set, row ) < 0.0f );
	}
	return count > 0 ? count : 1;
}

static int32_t HeaviestParticle( const supContactFlesh* flesh, const supContactSide* side )
{
	int32_t best = -1;
	float most = 0.0f;
	for ( int32_t i = 0; i < side->count; ++i )
	{
		bool isFree = flesh->x[4 * (size_t)side->particles[i] + 3] > 0.0f;
		best = isFree && side->weights[i] > most ? side->particles[i] : best;
		most = isFree ? supMaxFloat( most, side->weights[i] ) : most;
	}
	return best;
}

// Rows of one collider come together: its sharers are counted once for all of them.
typedef struct Sharers
{
	int32_t rigid;
	int32_t count;
} Sharers;

static bool MakeAnswer( const supContactWorld* world, const supContactRow* row, int32_t body, bool isB,
						Sharers* sharers, supContactAnswer* answer )
{
	const supContactSet* set = &world->set;
	const supContactSide *own = isB ? &row->b : &row->a, *other = isB ? &row->a : &row->b;
	int32_t particle = own->inverseMass > 0.0f ? HeaviestParticle( set->flesh + body, own ) : -1;
	if ( particle < 0 || supIsFinite( row->base ) == false )
	{
		return false;
	}
	if ( other->flesh < 0 && sharers->rigid != other->rigid )
	{
		*sharers = ( Sharers ){ other->rigid, CountSharers( set, body, other->rigid ) };
	}
	float share = other->flesh < 0 ? (float)sharers->count : 1.0f;
	*answer = ( supContactAnswer ){ .particle = particle,
									.normal = isB ? supNeg( row->normal ) : row->normal,
									.gap = supContactSet_Gap( set, row ),
									.otherWay = supSub( supContactSet_Place( set, other ), other->start ),
									.friction = row->friction,
									.give = share * supContactSet_Compliance( set, other, row->normal ),
									.push = isB ? supNeg( row->given ) : row->given };
	return true;
}

static void TakeAnswer( supContactWorld* world, supContactRow* row, bool isB, supVec3 push, float dt )
{
	supVec3 now = isB ? supNeg( push ) : push, more = supSub( now, row->given );
	row->given = now;
	row->push = supMaxFloat( supDot( now, row->normal ), 0.0f );
	row->drag = supMulAdd( now, -row->push, row->normal );
	const supContactSide* other = isB ? &row->a : &row->b;
	// one that answers for itself finds its own way, from the same push
	bool answers = other->flesh >= 0 && row->a.flesh != row->b.flesh && world->set.flesh[other->flesh].answers;
	if ( answers == false )
	{
		supContactSet_Push( &world->set, other, isB ? more : supNeg( more ), dt );
	}
}

static bool IsOnlyB( const supContactRow* row, int32_t body )
{
	return IsAt( &row->b, body ) && IsAt( &row->a, body ) == false;
}

static void AnswerBody( supContactWorld* world, int32_t body, float dt )
{
	supContactSet* set = &world->set;
	supActor* actor = world->bodies[body];
	const supMethod* method = actor->flesh->method;
	Sharers sharers = { -1, 1 };
	int32_t count = 0;
	bool isChanged = false;
	for ( int32_t i = 0; i < set->rowCount; ++i )
	{
		supContactRow* row = set->rows + i;
		bool isB = IsOnlyB( row, body ), isOwn = IsAt( &row->a, body ) || isB;
		if ( isOwn && MakeAnswer( world, row, body, isB, &sharers, world->answers + count ) )
		{
			world->answerRows[count++] = i;
		}
		else if ( isOwn && supLengthSquared( row->given ) > 0.0f )
		{
			// no longer near: what it has pushed is taken back, as the actor starts all over
			TakeAnswer( world, row, isB, supVec3_zero, dt );
			isChanged = true;
		}
	}
	if ( count == 0 && isChanged == false )
	{
		return;
	}
	method->answerContacts( actor->flesh->own, actor->state, actor->contact->step, count, world->answers );
	set->flesh[body].x = method->getParticles( actor->flesh->own, actor->state ).x;
	for ( int32_t i = 0; i < count; ++i )
	{
		supContactRow* row = set->rows + world->answerRows[i];
		TakeAnswer( world, row, IsOnlyB( row, body ), world->answers[i].push, dt );
	}
}

void supContactWorld_Answer( supContactWorld* world, const supContactStep* step )
{
	for ( int32_t i = 0; i < world->set.fleshCount; ++i )
	{
		if ( world->set.flesh[i].answers )
		{
			AnswerBody( world, i, step->dt );
		}
	}
}
