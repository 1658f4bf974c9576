// SPDX-License-Identifier: MIT
#include "contact/rows.h"

// Of what a push would do to two bodies, two places of one must at least come apart by this.
#define MIN_SEPARATION_RATIO 0.25f

// Of the mean mass of what is pushed: what is lighter than this part of it is taken to be that heavy. Half: nothing
// around a place goes more than twice as far as it would if all of it weighed the same, which keeps the skin there
// whole.
#define MIN_MASS_RATIO 0.5f

static float WeightOf( const supContactTerms* terms, int32_t particle )
{
	for ( int32_t i = 0; i < terms->count; ++i )
	{
		if ( terms->particles[i] == particle )
		{
			return terms->weights[i];
		}
	}
	return 0.0f;
}

// What of the surroundings of a place is pushed along may be far lighter than the rest, as corners of elements are that
// the body hardly fills: these are not to be flung away by what hardly moves the others.
static float MostInverseOf( const supContactFlesh* flesh, const supContactSide* side )
{
	float sum = 0.0f, mass = 0.0f;
	bool isSpread = side->pushed.particles != side->place.particles;
	for ( int32_t i = 0; i < side->pushed.count && isSpread && flesh->x != NULL; ++i )
	{
		float w = flesh->x[4 * (size_t)side->pushed.particles[i] + 3];
		sum += w > 0.0f ? side->pushed.weights[i] : 0.0f;
		mass += w > 0.0f ? side->pushed.weights[i] / w : 0.0f;
	}
	return mass > 0.0f ? sum / ( MIN_MASS_RATIO * mass ) : INFINITY;
}

static float InverseOf( const supContactFlesh* flesh, const supContactSide* side, int32_t particle )
{
	return supMinFloat( flesh->x[4 * (size_t)particle + 3], side->mostInverse );
}

void supContactFlesh_Weigh( const supContactFlesh* flesh, supContactSide* side )
{
	side->mostInverse = MostInverseOf( flesh, side );
	float sum = 0.0f, free = 0.0f;
	for ( int32_t i = 0; i < side->place.count && flesh->x != NULL; ++i )
	{
		int32_t particle = side->place.particles[i];
		float w = InverseOf( flesh, side, particle ), b = side->place.weights[i];
		sum += b * WeightOf( &side->pushed, particle ) * w;
		free += w > 0.0f ? b : 0.0f;
	}
	side->inverseMass = free >= SUP_CONTACT_LEAST_SHARE ? sum / flesh->massUnit : 0.0f;
}

// What of a push on one side moves the other.
static float Coupling( const supContactFlesh* flesh, const supContactTerms* place, const supContactSide* side )
{
	float sum = 0.0f;
	for ( int32_t i = 0; i < place->count; ++i )
	{
		int32_t particle = place->particles[i];
		sum += place->weights[i] * WeightOf( &side->pushed, particle ) * InverseOf( flesh, side, particle );
	}
	return sum / flesh->massUnit;
}

void supContactFlesh_JoinSides( const supContactFlesh* flesh, supContactSide* a, supContactSide* b )
{
	float both = a->inverseMass + b->inverseMass;
	if ( flesh->x == NULL || !( both > 0.0f ) )
	{
		return;
	}
	float onA = b->inverseMass > 0.0f ? Coupling( flesh, &a->place, b ) : 0.0f;
	float onB = a->inverseMass > 0.0f ? Coupling( flesh, &b->place, a ) : 0.0f;
	float share = 1.0f - ( onA + onB ) / both;
	// also for NaN
	share = share > MIN_SEPARATION_RATIO ? share : 0.0f;
	a->inverseMass *= share;
	b->inverseMass *= share;
}

static supVec3 Mean( const float* items, const supContactTerms* terms )
{
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < terms->count; ++i )
	{
		const float* p = items + 4 * (size_t)terms->particles[i];
		sum = supMulAdd( sum, terms->weights[i], supMakeVec3( p[0], p[1], p[2] ) );
	}
	return sum;
}

supVec3 supContactFlesh_Mean( const supContactFlesh* flesh, const supContactTerms* terms )
{
	return flesh->x != NULL ? Mean( flesh->x, terms ) : supVec3_zero;
}

supVec3 supContactSet_Place( const supContactSet* set, const supContactSide* side )
{
	if ( side->flesh < 0 )
	{
		return supPlacement_ToWorld( &set->rigids[side->rigid].end, side->offset );
	}
	return supAdd( side->offset, supContactFlesh_Mean( set->flesh + side->flesh, &side->place ) );
}

float supContactSet_Gap( const supContactSet* set, const supContactRow* row )
{
	supVec3 between = supSub( supContactSet_Place( set, &row->a ), supContactSet_Place( set, &row->b ) );
	return row->base + supDot( row->normal, between );
}

bool supContactSet_IsHeld( const supContactSet* set, const supContactRow* row )
{
	bool a = row->a.flesh < 0 ? set->rigids[row->a.rigid].inverseMass > 0.0f : row->a.inverseMass > 0.0f;
	bool b = row->b.flesh < 0 ? set->rigids[row->b.rigid].inverseMass > 0.0f : row->b.inverseMass > 0.0f;
	return a == false && b == false;
}

void supContactSet_SetLevers( const supContactSet* set, supContactRow* row )
{
	supVec3 place = supContactSet_Place( set, &row->a );
	supContactSide* sides[2] = { &row->a, &row->b };
	for ( int32_t i = 0; i < 2; ++i )
	{
		if ( sides[i]->flesh < 0 )
		{
			sides[i]->lever = supRigid_Lever( set->rigids + sides[i]->rigid, row->a.start, place );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Pushes

float supContactSet_Compliance( const supContactSet* set, const supContactSide* side, supVec3 direction )
{
	return side->flesh < 0 ? supRigid_Compliance( set->rigids + side->rigid, side->lever, direction )
						   : side->inverseMass;
}

static void PushFlesh( const supContactFlesh* flesh, const supContactSide* side, supVec3 push, float dt )
{
	for ( int32_t i = 0; i < side->pushed.count; ++i )
	{
		int32_t particle = side->pushed.particles[i];
		size_t at = 4 * (size_t)particle;
		float share = side->pushed.weights[i] * InverseOf( flesh, side, particle ) / flesh->massUnit;
		supVec3 move = supScale( share, push );
		flesh->x[at] += move.x;
		flesh->x[at + 1] += move.y;
		flesh->x[at + 2] += move.z;
		if ( flesh->v != NULL )
		{
			flesh->v[at] += move.x / dt;
			flesh->v[at + 1] += move.y / dt;
			flesh->v[at + 2] += move.z / dt;
		}
	}
}

void supContactSet_Push( supContactSet* set, const supContactSide* side, supVec3 push, float dt )
{
	if ( side->flesh < 0 )
	{
		supRigid_Push( set->rigids + side->rigid, side->lever, push, dt );
	}
	else if ( side->inverseMass > 0.0f )
	{
		PushFlesh( set->flesh + side->flesh, side, push, dt );
	}
}

static void PushBoth( supContactSet* set, const supContactRow* row, supVec3 push, float dt )
{
	supContactSet_Push( set, &row->a, push, dt );
	supContactSet_Push( set, &row->b, supNeg( push ), dt );
}

// How far the places have come apart sideways since the substep's beginning is to be undone, by at most μ times what
// presses them together.
static void SweepFriction( supContactSet* set, supContactRow* row, float dt )
{
	supVec3 a = supContactSet_Place( set, &row->a ), b = supContactSet_Place( set, &row->b );
	supVec3 slip = supSub( supSub( a, row->a.start ), supSub( b, row->b.start ) );
	slip = supMulAdd( slip, -supDot( slip, row->normal ), row->normal );
	float length = supLength( slip );
	if ( length > 0.0f )
	{
		supVec3 direction = supScale( 1.0f / length, slip );
		float w =
			supContactSet_Compliance( set, &row->a, direction ) + supContactSet_Compliance( set, &row->b, direction );
		supVec3 drag = supMulAdd( row->drag, -length / w, direction );
		float most = row->friction * row->push, size = supLength( drag );
		drag = size > most ? supScale( most / size, drag ) : drag;
		PushBoth( set, row, supSub( drag, row->drag ), dt );
		row->drag = drag;
	}
}

bool supContactSet_IsAnswered( const supContactSet* set, const supContactRow* row )
{
	return ( row->a.flesh >= 0 && set->flesh[row->a.flesh].answers ) ||
		   ( row->b.flesh >= 0 && set->flesh[row->b.flesh].answers );
}

void supContactSet_BeginSweeps( supContactSet* set )
{
	for ( int32_t i = 0; i < set->rowCount; ++i )
	{
		set->rows[i].before = -INFINITY;
	}
}

float supContactSet_Sweep( supContactSet* set, float dt )
{
	float worst = 0.0f;
	for ( int32_t i = 0; i < set->rowCount; ++i )
	{
		supContactRow* row = set->rows + i;
		float gap = row->base < INFINITY ? supContactSet_Gap( set, row ) : INFINITY;
		if ( gap == INFINITY || ( gap >= 0.0f && row->push == 0.0f ) || supContactSet_IsAnswered( set, row ) )
		{
			continue;
		}
		float w = supContactSet_Compliance( set, &row->a, row->normal ) +
				  supContactSet_Compliance( set, &row->b, row->normal );
		if ( !( w > 0.0f ) )
		{
			continue;
		}
		if ( gap < 0.0f )
		{
			worst = supMinFloat( worst, gap );
			bool isOwn = row->a.flesh >= 0 && row->a.flesh == row->b.flesh;
			row->ease *= isOwn && gap < row->before ? 0.5f : 1.0f;
			row->before = gap;
			row->push -= row->ease * gap / w;
			PushBoth( set, row, supScale( -row->ease * gap / w, row->normal ), dt );
		}
		if ( row->friction > 0.0f )
		{
			SweepFriction( set, row, dt );
		}
	}
	return worst;
}

// ---------------------------------------------------------------------------------------------------------------------
// Velocities

static supVec3 Velocity( const supContactSet* set, const supContactSide* side, supVec3 place, float dt )
{
	if ( side->flesh < 0 )
	{
		return supRigid_VelocityAt( set->rigids + side->rigid, place );
	}
	const supContactFlesh* flesh = set->flesh + side->flesh;
	supVec3 way = supSub( place, side->start );
	if ( flesh->shifts != NULL )
	{
		way = supSub( way, Mean( flesh->shifts, &side->place ) );
	}
	return supScale( 1.0f / dt, way );
}

static void Kick( supContactSet* set, const supContactSide* side, supVec3 place, supVec3 impulse, float dt )
{
	if ( side->flesh < 0 )
	{
		supRigid_Kick( set->rigids + side->rigid, place, impulse );
	}
	else if ( side->inverseMass > 0.0f )
	{
		const supContactFlesh* flesh = set->flesh + side->flesh;
		for ( int32_t i = 0; i < side->pushed.count; ++i )
		{
			int32_t particle = side->pushed.particles[i];
			size_t at = 4 * (size_t)particle;
			float scale = -dt * side->pushed.weights[i] * InverseOf( flesh, side, particle ) / flesh->massUnit;
			flesh->shifts[at] += scale * impulse.x;
			flesh->shifts[at + 1] += scale * impulse.y;
			flesh->shifts[at + 2] += scale * impulse.z;
		}
	}
}

void supContactSet_SweepVelocities( supContactSet* set, float dt )
{
	for ( int32_t i = 0; i < set->rowCount; ++i )
	{
		const supContactRow* row = set->rows + i;
		if ( row->push <= 0.0f || row->base == INFINITY || supContactSet_IsAnswered( set, row ) )
		{
			continue;
		}
		supVec3 a = supContactSet_Place( set, &row->a ), b = supContactSet_Place( set, &row->b );
		float w = supContactSet_Compliance( set, &row->a, row->normal ) +
				  supContactSet_Compliance( set, &row->b, row->normal );
		supVec3 between =
			supSub( Velocity( set, &row->a, a, dt ), Velocity( set, &row->b, row->b.flesh < 0 ? a : b, dt ) );
		float bounce = row->approach < -set->restSpeed ? -row->restitution * row->approach : 0.0f;
		supVec3 impulse = supScale( ( bounce - supDot( between, row->normal ) ) / w, row->normal );
		Kick( set, &row->a, a, impulse, dt );
		Kick( set, &row->b, a, supNeg( impulse ), dt );
	}
}
