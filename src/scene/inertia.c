// SPDX-License-Identifier: MIT
#include "scene/inertia.h"

#include "character/pose.h"
#include "math/exponential.h"

// About a frame of film: what is faster is noise of a captured motion, or a step between two of its frames.
#define SMOOTHING_TIME_S 0.03f

// Sizes/s². Joints of a man who walks make 1.5 on average, those of a monster that walks slowly 0.15, a dance 5, a jump
// with a twist 12.
#define GENTLE_ACCELERATION 1.5f

// Of each node: worlds, speeds and accelerations, one array behind the other. The first two are part of the state.
#define ARRAYS 3
#define SAVED_ARRAYS 2

static size_t ArrayBytes( const supActor* actor )
{
	return (size_t)supCharacter_NodeCount( actor->flesh->character ) * sizeof( supMat34 );
}

bool supActor_CreateInertia( supActor* actor )
{
	const supFlesh* flesh = actor->flesh;
	if ( flesh->method->stateSize == NULL || supCharacter_SkinCount( flesh->character ) == 0 )
	{
		return true;
	}
	size_t count = (size_t)supCharacter_NodeCount( flesh->character );
	supMat34* block = supAllocZeroed( ARRAYS * ArrayBytes( actor ) );
	actor->inertia = ( supActorInertia ){ block, block + count, block + 2 * count };
	return block != NULL;
}

void supActor_DestroyInertia( supActor* actor )
{
	supFree( actor->inertia.worlds );
	actor->inertia = ( supActorInertia ){ 0 };
}

void supActor_ResetInertia( supActor* actor )
{
	actor->clock.inertiaAge = 0;
}

// ---------------------------------------------------------------------------------------------------------------------

static void SubtractScaled( const supMat34* a, const supMat34* b, float scale, supMat34* out )
{
	out->cx = supScale( scale, supSub( a->cx, b->cx ) );
	out->cy = supScale( scale, supSub( a->cy, b->cy ) );
	out->cz = supScale( scale, supSub( a->cz, b->cz ) );
	out->t = supScale( scale, supSub( a->t, b->t ) );
}

static void AddScaled( supMat34* a, float scale, const supMat34* b )
{
	a->cx = supMulAdd( a->cx, scale, b->cx );
	a->cy = supMulAdd( a->cy, scale, b->cy );
	a->cz = supMulAdd( a->cz, scale, b->cz );
	a->t = supMulAdd( a->t, scale, b->t );
}

static bool IsFinite( const supMat34* m )
{
	return supIsFiniteVec3( m->cx ) && supIsFiniteVec3( m->cy ) && supIsFiniteVec3( m->cz ) && supIsFiniteVec3( m->t );
}

// What is not a number, and what was not, does not accelerate.
static void AdvanceNode( const supActorInertia* inertia, int32_t node, const supMat34* world, int32_t age, float dt,
						 float share )
{
	supMat34 *before = inertia->worlds + node, *speed = inertia->speeds + node;
	supMat34* acceleration = inertia->accelerations + node;
	supMat34 now, gained;
	SubtractScaled( world, before, 1.0f / dt, &now );
	SubtractScaled( &now, speed, share, &gained );
	*before = *world;
	bool isKnown = age > 0 && IsFinite( &gained );
	memset( acceleration, 0, sizeof( *acceleration ) );
	if ( isKnown && age > 1 )
	{
		AddScaled( speed, 1.0f, &gained );
		AddScaled( acceleration, 1.0f / dt, &gained );
	}
	else
	{
		// a clip that begins in full motion does not start with a jerk
		*speed = isKnown ? now : ( supMat34 ){ 0 };
	}
}

void supActor_AdvanceInertia( supActor* actor, supSubstep* step )
{
	const supActorInertia* inertia = &actor->inertia;
	if ( inertia->worlds == NULL || !( actor->size > 0.0f ) )
	{
		return;
	}
	const supMat34* worlds = supPose_Worlds( step->pose );
	float share = 1.0f - (float)supExpNegative( -(double)( step->dt / SMOOTHING_TIME_S ) );
	for ( int32_t i = 0; i < supCharacter_NodeCount( actor->flesh->character ); ++i )
	{
		AdvanceNode( inertia, i, worlds + i, actor->clock.inertiaAge, step->dt, share );
	}
	actor->clock.inertiaAge = actor->clock.inertiaAge < 2 ? actor->clock.inertiaAge + 1 : 2;
	step->accelerations = inertia->accelerations;
	step->gentle = GENTLE_ACCELERATION * actor->size;
}

// ---------------------------------------------------------------------------------------------------------------------
// State

size_t supActor_InertiaSize( const supActor* actor )
{
	return actor->inertia.worlds != NULL ? SAVED_ARRAYS * ArrayBytes( actor ) : 0;
}

void supActor_SaveInertia( const supActor* actor, uint8_t* bytes )
{
	if ( actor->inertia.worlds != NULL )
	{
		memcpy( bytes, actor->inertia.worlds, supActor_InertiaSize( actor ) );
	}
}

void supActor_RestoreInertia( supActor* actor, const uint8_t* bytes )
{
	if ( actor->inertia.worlds != NULL )
	{
		memcpy( actor->inertia.worlds, bytes, supActor_InertiaSize( actor ) );
	}
}
