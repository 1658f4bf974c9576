// SPDX-License-Identifier: MIT
// Actors whose method solves contacts itself (supMethod.answerContacts): it receives the rows of all of them at once,
// with the rigid bodies they touch. Pushes on other bodies are applied here.
#include "scene/contact_world.h"

// Bodies with more rows than this pass only rows with pressure or penetration, because space is limited. A row that
// becomes too near through the others is passed in the next round.
#define MOST_NEAR 1024

static bool IsAt( const supContactSide* side, int32_t body )
{
	return side->flesh == body;
}

static int32_t HeaviestParticle( const supContactFlesh* flesh, const supContactSide* side )
{
	int32_t best = -1;
	float most = 0.0f;
	for ( int32_t i = 0; i < side->place.count; ++i )
	{
		bool isFree = flesh->x[4 * (size_t)side->place.particles[i] + 3] > 0.0f;
		best = isFree && side->place.weights[i] > most ? side->place.particles[i] : best;
		most = isFree ? supMaxFloat( most, side->place.weights[i] ) : most;
	}
	return best;
}

static bool Answers( const supContactWorld* world, const supContactSide* side, const supMethod* method )
{
	return side->flesh >= 0 && world->set.flesh[side->flesh].answers &&
		   world->bodies[side->flesh]->flesh->method == method;
}

// -1 where it follows the bones.
static int32_t ParticleOf( const supContactSet* set, const supContactSide* side )
{
	return side->inverseMass > 0.0f ? HeaviestParticle( set->flesh + side->flesh, side ) : -1;
}

// Both sides answer, and can.
static bool IsPair( const supContactWorld* world, const supContactRow* row, const supMethod* method )
{
	return Answers( world, &row->a, method ) && Answers( world, &row->b, method ) &&
		   ParticleOf( &world->set, &row->a ) >= 0 && ParticleOf( &world->set, &row->b ) >= 0;
}

static bool IsIdle( const supContactSet* set, const supContactRow* row )
{
	return supLengthSquared( row->given ) == 0.0f && supContactSet_Gap( set, row ) > 0.0f;
}

// The rigid body of a side among those that are handed over, or NULL.
static supContactRigid* RigidOf( const supContactWorld* world, const supContactSide* side )
{
	bool isRigid = side->flesh < 0 && world->touchedOfCollider[side->rigid] >= 0;
	return isRigid ? world->touched + world->touchedOfCollider[side->rigid] : NULL;
}

static bool MakeAnswer( const supContactWorld* world, const supContactRow* row, bool isB, supContactAnswer* answer )
{
	const supContactSet* set = &world->set;
	const supContactSide *own = isB ? &row->b : &row->a, *other = isB ? &row->a : &row->b;
	int32_t particle = ParticleOf( set, own );
	if ( particle < 0 || supIsFinite( row->base ) == false )
	{
		return false;
	}
	const supContactRigid* rigid = RigidOf( world, other );
	float give = rigid != NULL ? 0.0f : supContactSet_Compliance( set, other, row->normal );
	supVec3 given = supScale( give, isB ? supNeg( row->given ) : row->given );
	if ( rigid != NULL )
	{
		supVec3 turned = supMulMV( rigid->inverseInertia, rigid->turn );
		given = supAdd( supScale( 1.0f / rigid->mass, rigid->push ), supCross( turned, other->lever ) );
	}
	*answer = ( supContactAnswer ){ .particle = particle,
									.normal = isB ? supNeg( row->normal ) : row->normal,
									.gap = supContactSet_Gap( set, row ),
									.otherWay = supSub( supContactSet_Place( set, other ), other->start ),
									.friction = row->friction,
									.rigid = rigid != NULL ? (int32_t)( rigid - world->touched ) : -1,
									.lever = other->lever,
									.give = give,
									.given = given };
	return true;
}

// The second side of a pair follows the first.
static void JoinPair( supContactParty* parties, int32_t first, int32_t firstAnswer, int32_t second, int32_t particle )
{
	supContactAnswer* leader = parties[first].answers + firstAnswer;
	leader->isPair = true;
	leader->otherParty = second;
	leader->otherAnswer = parties[second].count;
	parties[second].answers[parties[second].count++] = ( supContactAnswer ){ .particle = particle, .isFollower = true };
}

static void TakeAnswer( supContactWorld* world, supContactRow* row, bool isB, bool isPair, supVec3 push, float dt )
{
	supVec3 now = isB ? supNeg( push ) : push, more = supSub( now, row->given );
	row->given = now;
	row->push = supMaxFloat( supDot( now, row->normal ), 0.0f );
	row->drag = supMulAdd( now, -row->push, row->normal );
	if ( isPair == false )
	{
		supContactSet_Push( &world->set, isB ? &row->a : &row->b, isB ? more : supNeg( more ), dt );
	}
}

// Everybody of this method with a row, each with room for its answers. Returns how many.
static int32_t GatherParties( supContactWorld* world, const supMethod* method )
{
	const supContactSet* set = &world->set;
	int32_t count = 0, room = 0;
	for ( int32_t i = 0; i < set->fleshCount; ++i )
	{
		world->partyOfBody[i] = 0;
	}
	for ( int32_t i = 0; i < set->rowCount; ++i )
	{
		const supContactSide* sides[2] = { &set->rows[i].a, &set->rows[i].b };
		for ( int32_t k = 0; k < 2; ++k )
		{
			if ( Answers( world, sides[k], method ) )
			{
				world->partyOfBody[sides[k]->flesh] += 1;
			}
		}
	}
	for ( int32_t i = 0; i < set->fleshCount; ++i )
	{
		int32_t rows = world->partyOfBody[i];
		const supActor* actor = world->bodies[i];
		world->partyOfBody[i] = count;
		if ( rows > 0 )
		{
			world->parties[count++] = ( supContactParty ){ .flesh = actor->flesh->own,
														   .state = actor->state,
														   .step = actor->contact->step,
														   .nearCount = rows,
														   .answers = world->answers + room };
			room += rows;
		}
	}
	return count;
}

static int32_t TakeRigid( supContactWorld* world, int32_t collider, int32_t count )
{
	const supRigid* rigid = world->set.rigids + collider;
	supMat3 inertia;
	if ( world->touchedOfCollider[collider] < 0 && rigid->inverseMass > 0.0f &&
		 supInvertMat3( rigid->worldInverseInertia, &inertia ) )
	{
		world->touched[count] = ( supContactRigid ){ .mass = 1.0f / rigid->inverseMass,
													 .inertia = inertia,
													 .inverseInertia = rigid->worldInverseInertia };
		world->touchedOfCollider[collider] = count++;
	}
	return count;
}

// Rigid bodies that can be moved and have a row with somebody of this method, with what they have given so far.
static void GatherRigids( supContactWorld* world, const supMethod* method, int32_t partyCount )
{
	const supContactSet* set = &world->set;
	int32_t count = 0;
	for ( int32_t c = 0; c < set->rigidCount; ++c )
	{
		world->touchedOfCollider[c] = -1;
	}
	for ( int32_t i = 0; i < set->rowCount; ++i )
	{
		const supContactRow* row = set->rows + i;
		const supContactSide* sides[2] = { &row->a, &row->b };
		for ( int32_t k = 0; k < 2; ++k )
		{
			const supContactSide* other = sides[1 - k];
			if ( other->flesh >= 0 || Answers( world, sides[k], method ) == false )
			{
				continue;
			}
			count = TakeRigid( world, other->rigid, count );
			supContactRigid* rigid = RigidOf( world, other );
			if ( rigid != NULL )
			{
				supVec3 given = k == 0 ? row->given : supNeg( row->given );
				rigid->push = supAdd( rigid->push, given );
				rigid->turn = supAdd( rigid->turn, supCross( other->lever, given ) );
			}
		}
	}
	for ( int32_t p = 0; p < partyCount; ++p )
	{
		world->parties[p].rigidCount = count;
		world->parties[p].rigids = world->touched;
	}
}

// One side of a row, or both where both answer.
static void FillRow( supContactWorld* world, int32_t index, const supMethod* method, float dt )
{
	supContactRow* row = world->set.rows + index;
	bool isPair = IsPair( world, row, method );
	for ( int32_t k = 0; k < ( isPair ? 1 : 2 ); ++k )
	{
		const supContactSide* own = k == 0 ? &row->a : &row->b;
		if ( Answers( world, own, method ) == false )
		{
			continue;
		}
		int32_t p = world->partyOfBody[own->flesh];
		supContactParty* party = world->parties + p;
		supContactAnswer* answer = party->answers + party->count;
		if ( party->nearCount > MOST_NEAR && IsIdle( &world->set, row ) )
		{
			continue;
		}
		if ( MakeAnswer( world, row, k == 1, answer ) )
		{
			world->answerRows[answer - world->answers] = index;
			party->count += 1;
			if ( isPair )
			{
				int32_t second = world->partyOfBody[row->b.flesh];
				supContactParty* other = world->parties + second;
				world->answerRows[other->answers + other->count - world->answers] = -1;
				JoinPair( world->parties, p, party->count - 1, second, ParticleOf( &world->set, &row->b ) );
			}
		}
		else if ( supLengthSquared( row->given ) > 0.0f )
		{
			// no longer near: what it has pushed is taken back, as the actor starts all over
			TakeAnswer( world, row, k == 1, isPair, supVec3_zero, dt );
		}
	}
}

static void TakeAnswers( supContactWorld* world, const supMethod* method, int32_t body, float dt )
{
	const supContactParty* party = world->parties + world->partyOfBody[body];
	world->set.flesh[body].x = method->getParticles( party->flesh, party->state ).x;
	for ( int32_t i = 0; i < party->count; ++i )
	{
		int32_t index = world->answerRows[party->answers + i - world->answers];
		if ( index >= 0 )
		{
			supContactRow* row = world->set.rows + index;
			TakeAnswer( world, row, IsAt( &row->a, body ) == false, party->answers[i].isPair, party->answers[i].push,
						dt );
		}
	}
}

static void AnswerMethod( supContactWorld* world, const supMethod* method, float dt )
{
	const supContactSet* set = &world->set;
	int32_t count = GatherParties( world, method );
	if ( count == 0 )
	{
		return;
	}
	GatherRigids( world, method, count );
	for ( int32_t i = 0; i < set->rowCount; ++i )
	{
		FillRow( world, i, method, dt );
	}
	method->answerContacts( world->parties, count );
	for ( int32_t i = 0; i < set->fleshCount; ++i )
	{
		bool isParty = set->flesh[i].answers && world->bodies[i]->flesh->method == method;
		int32_t p = world->partyOfBody[i];
		if ( isParty && p < count && world->parties[p].state == world->bodies[i]->state )
		{
			TakeAnswers( world, method, i, dt );
		}
	}
}

void supContactWorld_Answer( supContactWorld* world, const supContactStep* step )
{
	const supContactSet* set = &world->set;
	for ( int32_t i = 0; i < set->fleshCount; ++i )
	{
		const supMethod* method = world->bodies[i]->flesh->method;
		bool isFirst = set->flesh[i].answers;
		for ( int32_t k = 0; k < i && isFirst; ++k )
		{
			isFirst = world->bodies[k]->flesh->method != method;
		}
		if ( isFirst )
		{
			AnswerMethod( world, method, step->dt );
		}
	}
}
