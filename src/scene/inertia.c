// SPDX-License-Identifier: MIT
#include "scene/inertia.h"

#include "character/pose.h"
#include "math/exponential.h"

#include <math.h>

// Of the speed: what is faster is noise of a captured motion, or a step between two of its frames.
#define SPEED_SMOOTHING_TIME_S 0.2f

// Of the acceleration: the slower a motion, the more of it is left. Beyond 1 / ( 2 π τ ) = 0.5 Hz flesh is thrown by
// the speed of its bones rather than by their acceleration, and trails behind them.
#define SMOOTHING_TIME_S 0.3f

// After which a peak has fallen to 1 / e: longer than a step of a slow walk.
#define PEAK_TIME_S 1.5f

// Worlds, speeds, accelerations, peaks: the state. Skins do not change.
static size_t StateBytes( const supActor* actor )
{
	return (size_t)supCharacter_NodeCount( actor->flesh->character ) * ( 3 * sizeof( supMat34 ) + sizeof( float ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// What each node carries

// Mean and variance in one pass (West 1979); the variance times the weight goes into the radius.
static void AddVertex( const supMesh* mesh, const supSkin* skin, uint32_t vertex, float area, supCarriedBall* skins,
					   float* weights )
{
	for ( size_t i = vertex * (size_t)mesh->influences; i < ( vertex + (size_t)1 ) * (size_t)mesh->influences; ++i )
	{
		int32_t node = skin->joints[mesh->joints[i]];
		supCarriedBall* ball = skins + node;
		float weight = area * mesh->weights[i];
		if ( weight > 0.0f )
		{
			supVec3 place = supTransformPoint( skin->inverseBinds[mesh->joints[i]], mesh->positions[vertex] );
			supVec3 away = supSub( place, ball->center );
			weights[node] += weight;
			ball->center = supMulAdd( ball->center, weight / weights[node], away );
			ball->radius += weight * supDot( away, supSub( place, ball->center ) );
		}
	}
}

// By area: neither how fine a mesh is nor where it is split may matter.
static void AddSkin( const supCharacter* character, const supInstance* instance, supCarriedBall* skins, float* weights )
{
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	const supSkin* skin = supCharacter_Skin( character, instance->skin );
	for ( int32_t i = 0; i + 2 < mesh->indexCount; i += 3 )
	{
		const uint32_t* c = mesh->indices + i;
		supVec3 a = mesh->positions[c[0]];
		float area = supLength( supCross( supSub( mesh->positions[c[1]], a ), supSub( mesh->positions[c[2]], a ) ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			AddVertex( mesh, skin, c[k], area, skins, weights );
		}
	}
}

// weights: of each node, zeros before and after
static void FindSkins( const supCharacter* character, supCarriedBall* skins, float* weights )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		if ( instance->skin >= 0 )
		{
			AddSkin( character, instance, skins, weights );
		}
	}
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		skins[i].radius = weights[i] > 0.0f ? sqrtf( supMaxFloat( skins[i].radius, 0.0f ) / weights[i] ) : 0.0f;
		weights[i] = 0.0f;
	}
}

bool supActor_CreateInertia( supActor* actor )
{
	const supFlesh* flesh = actor->flesh;
	if ( flesh->method->stateSize == NULL || supCharacter_SkinCount( flesh->character ) == 0 )
	{
		return true;
	}
	size_t count = (size_t)supCharacter_NodeCount( flesh->character );
	supMat34* block = supAllocZeroed( StateBytes( actor ) + count * sizeof( supCarriedBall ) );
	if ( block == NULL )
	{
		return false;
	}
	float* peaks = (float*)( block + 3 * count );
	actor->inertia =
		( supActorInertia ){ block, block + count, block + 2 * count, peaks, (supCarriedBall*)( peaks + count ) };
	FindSkins( flesh->character, actor->inertia.skins, peaks );
	return true;
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

typedef struct Shares
{
	float dt, speed, acceleration, peak, perSize;
} Shares;

static float FindShare( float dt, float time )
{
	return 1.0f - (float)supExpNegative( -(double)( dt / time ) );
}

// Of the skin: that of its middle, and what turning adds around it.
static float FindAcceleration( const supMat34* m, const supCarriedBall* skin )
{
	float turning = supLengthSquared( m->cx ) + supLengthSquared( m->cy ) + supLengthSquared( m->cz );
	return sqrtf( supLengthSquared( supTransformPoint( *m, skin->center ) ) +
				  skin->radius * skin->radius * turning / 3.0f );
}

// What is not a number, and what was not, does not accelerate.
static void AdvanceNode( const supActorInertia* inertia, int32_t node, const supMat34* world, int32_t age,
						 const Shares* shares )
{
	supMat34 *before = inertia->worlds + node, *speed = inertia->speeds + node;
	supMat34* acceleration = inertia->accelerations + node;
	supMat34 now, gained;
	SubtractScaled( world, before, 1.0f / shares->dt, &now );
	SubtractScaled( &now, speed, shares->speed, &gained );
	*before = *world;
	bool isKnown = age > 0 && IsFinite( &gained );
	if ( isKnown && age > 1 )
	{
		AddScaled( speed, 1.0f, &gained );
		AddScaled( acceleration, -shares->acceleration, acceleration );
		AddScaled( acceleration, shares->acceleration / shares->dt, &gained );
		float strength = shares->perSize * FindAcceleration( acceleration, inertia->skins + node );
		inertia->peaks[node] = supMaxFloat( strength, ( 1.0f - shares->peak ) * inertia->peaks[node] );
	}
	else
	{
		// a clip that begins in full motion does not start with a jerk
		*speed = isKnown ? now : ( supMat34 ){ 0 };
		memset( acceleration, 0, sizeof( *acceleration ) );
		inertia->peaks[node] = 0.0f;
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
	const Shares shares = { step->dt, FindShare( step->dt, SPEED_SMOOTHING_TIME_S ),
							FindShare( step->dt, SMOOTHING_TIME_S ), FindShare( step->dt, PEAK_TIME_S ),
							1.0f / actor->size };
	for ( int32_t i = 0; i < supCharacter_NodeCount( actor->flesh->character ); ++i )
	{
		AdvanceNode( inertia, i, worlds + i, actor->clock.inertiaAge, &shares );
	}
	actor->clock.inertiaAge = actor->clock.inertiaAge < 2 ? actor->clock.inertiaAge + 1 : 2;
	step->accelerations = inertia->accelerations;
	step->peaks = inertia->peaks;
}

// ---------------------------------------------------------------------------------------------------------------------
// State

size_t supActor_InertiaSize( const supActor* actor )
{
	return actor->inertia.worlds != NULL ? StateBytes( actor ) : 0;
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
