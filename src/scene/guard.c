// SPDX-License-Identifier: MIT
#include "core/tasks.h"
#include "core/wide.h"
#include "scene/contact.h"
#include "scene/guard_kernel.h"
#include "scene/guard_work.h"

#include <float.h>
#include <math.h>

// After the cause has gone the blend falls to 1 / e in this time.
#define FADE_TIME_S 0.2f

// Where something touches the skin it has gone after this time: blended skin would be drawn inside of what touches it.
#define CONTACT_FADE_TIME_S 0.05f

// Rounds of checking and blending at most: later ones see what fading did. Where that itself stretches skin, again and
// again, the blend fades twice as far in each round from this one on.
#define ROUNDS 12
#define WIDENING_ROUND 8

// Rounds are over where all needs are this small. A need counts less SUP_LEAST_GUARD_WEIGHT, so that they come near
// that and never below it.
#define LEAST_FURTHER_NEED ( 2.0f * SUP_LEAST_GUARD_WEIGHT )

// Back and forth over all places, so that a weight has gone around corners too.
#define SWEEPS 2

// Of the size: skin so near to a contact is as the contact has it, and the guard comes back over as much again.
#define CONTACT_REACH 0.15f

// What a weight above a half counts as, for the report.
#define COUNTED_WEIGHT 0.5f

// ---------------------------------------------------------------------------------------------------------------------
// Whether

bool supActor_CreateGuard( supActor* actor, const supActor* sibling )
{
	const supFlesh* flesh = actor->flesh;
	if ( supScene_HasGuard( actor->scene ) == false || flesh->method->stateSize == NULL ||
		 supCharacter_SkinCount( flesh->character ) == 0 )
	{
		return true;
	}
	if ( sibling != NULL && sibling->guard.mesh != NULL )
	{
		actor->guard.mesh = sibling->guard.mesh;
		actor->guard.mesh->users += 1;
	}
	else
	{
		actor->guard.mesh = supCreateGuardMesh( flesh->character, flesh->reaches, supScene_Tasks( actor->scene ) );
	}
	if ( actor->guard.mesh == NULL )
	{
		return false;
	}
	actor->guard.weights = supAllocZeroed( (size_t)actor->guard.mesh->placeCount * sizeof( float ) );
	return actor->guard.weights != NULL && supScene_ReserveScratch( actor->scene, supGuard_ScratchSize( actor ) );
}

void supActor_DestroyGuard( supActor* actor )
{
	supGuardMesh_Release( actor->guard.mesh );
	supFree( actor->guard.weights );
	actor->guard = ( supActorGuard ){ 0 };
}

void supActor_ResetGuard( supActor* actor )
{
	if ( actor->guard.mesh != NULL )
	{
		memset( actor->guard.weights, 0, (size_t)actor->guard.mesh->placeCount * sizeof( float ) );
	}
	actor->clock.isGuarded = 0;
}

static bool IsGuarded( const supActor* actor )
{
	const supGuardMesh* mesh = actor->guard.mesh;
	return mesh != NULL && actor->clock.isSkinned == 0 && mesh->size > 0.0f;
}

// Somebody holds it, it is led out of what it is deep in, or it is not to follow its clip: skinning is no measure then.
static bool IsMovedByOthers( const supActor* actor )
{
	const supMethod* method = actor->flesh->method;
	return actor->activePullCount > 0 || actor->isHeld || actor->clock.overlap == sup_overlapDeep ||
		   ( method->followsPose != NULL &&
			 method->followsPose( actor->parameters, actor->jointStrengths,
								  supCharacter_NodeCount( actor->flesh->character ) ) == false );
}

// ---------------------------------------------------------------------------------------------------------------------
// Shells on others

// How far the flesh beneath a rider is from skinning.
static supVec3 FindShift( const supGuardWork* work, const supRider* rider )
{
	supFloat4 shift = supSplat4( 0.0f );
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t anchor = rider->anchors[k];
		shift = shift + rider->weights[k] * ( supLoad4( &work->drawn[anchor].x ) - supLoad4( &work->skin[anchor].x ) );
	}
	return ( supVec3 ){ shift[0], shift[1], shift[2] };
}

// How far the flesh beneath a rider is blended toward skinning.
static float FindHostWeight( const supGuardWork* work, const supRider* rider )
{
	const float* weights = work->actor->guard.weights;
	float weight = 0.0f;
	for ( int32_t k = 0; k < 3 && work->isBlended; ++k )
	{
		weight += rider->weights[k] * weights[work->mesh->places[rider->anchors[k]]];
	}
	return weight;
}

// Riders are blended toward skinning by their own weights where these are more than those beneath, by which the flesh
// there is blended already; those that keep their shape by the mean of them.
void supGuard_RideShells( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	const float* weights = work->actor->guard.weights;
	for ( int32_t i = 0; i < mesh->riderCount; )
	{
		const supRider* first = mesh->riders + i;
		int32_t count = 0;
		supVec3 shift = supVec3_zero;
		float weight = 0.0f, beneath = 0.0f, sum = 0.0f;
		do
		{
			// copies of a vertex along seams count as one
			int32_t place = mesh->places[first[count].vertex];
			float share = mesh->shares[place];
			weight += work->isBlended ? share * weights[place] : 0.0f;
			beneath += share * FindHostWeight( work, first + count );
			shift = supMulAdd( shift, share, FindShift( work, first + count++ ) );
			sum += share;
		} while ( first->group >= 0 && i + count < mesh->riderCount && first[count].group == first->group );
		float left = weight > beneath ? ( sum - weight ) / ( sum - beneath ) : 1.0f;
		shift = supScale( left / sum, shift );
		for ( int32_t k = 0; k < count; ++k )
		{
			work->drawn[first[k].vertex] = supAdd( work->skin[first[k].vertex], shift );
		}
		i += count;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Contacts

static bool Touches( const supGuardWork* work )
{
	bool touches = false;
	for ( int32_t i = 0; i < work->contactCount; ++i )
	{
		touches = touches || work->contacts[i].actor == work->actor || work->contacts[i].otherActor == work->actor;
	}
	return touches;
}

static void LeaveContacts( const supGuardWork* work )
{
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		work->needs[i] = supMinFloat( work->needs[i], work->allowed[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Around it

// False where it has nothing to take.
static bool TakeFromNeighbours( const supGuardWork* work, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	float need = work->needs[place], width = work->widths[place];
	for ( int32_t k = mesh->starts[place]; k < mesh->starts[place + 1]; ++k )
	{
		int32_t other = mesh->neighbours[k];
		if ( work->needs[other] > need )
		{
			float reached = work->needs[other] - mesh->distances[k] / work->widths[other];
			width = reached > need ? work->widths[other] : width;
			need = supMaxFloat( need, reached );
		}
	}
	bool isMore = need > work->needs[place];
	work->needs[place] = need;
	work->widths[place] = width;
	return isMore;
}

static void MarkNeighbours( const supGuardWork* work, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	for ( int32_t k = mesh->starts[place]; k < mesh->starts[place + 1]; ++k )
	{
		work->placeMarks[mesh->neighbours[k]] = 1;
	}
}

// What has no neighbour that has changed since it was here last has nothing to take.
static bool Visit( const supGuardWork* work, int32_t place )
{
	work->placeMarks[place] = 0;
	bool isMore = TakeFromNeighbours( work, place );
	if ( isMore )
	{
		MarkNeighbours( work, place );
	}
	return isMore;
}

// Until nothing changes.
static void Spread( const supGuardWork* work )
{
	int32_t count = work->mesh->placeCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		work->placeMarks[i] = 0;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( work->needs[i] > 0.0f )
		{
			MarkNeighbours( work, i );
		}
	}
	bool isMore = true;
	for ( int32_t sweep = 0; sweep < SWEEPS && isMore; ++sweep )
	{
		isMore = false;
		for ( int32_t i = supNextMark( work->placeMarks, 0, count ); i < count;
			  i = supNextMark( work->placeMarks, i + 1, count ) )
		{
			isMore = Visit( work, i ) || isMore;
		}
		for ( int32_t i = count - 1; i >= 0; --i )
		{
			isMore = ( work->placeMarks[i] != 0 && Visit( work, i ) ) || isMore;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Blending

// Weights of the last frame, as far as they have faded.
static bool Fade( supActor* actor, float dt )
{
	supActorGuard* guard = &actor->guard;
	float left = supClampFloat( 1.0f - dt / FADE_TIME_S, 0.0f, 1.0f );
	bool isLeft = false;
	for ( int32_t i = 0; i < guard->mesh->placeCount && actor->clock.isGuarded; ++i )
	{
		// towards a little less than none, which it reaches without a last jump
		float weight = left * ( guard->weights[i] + SUP_LEAST_GUARD_WEIGHT ) - SUP_LEAST_GUARD_WEIGHT;
		guard->weights[i] = supMaxFloat( weight, 0.0f );
		isLeft = isLeft || weight > 0.0f;
	}
	return isLeft;
}

// Weights near contacts fade sooner; not where a limb that its clip twists collapses onto itself.
static void FadeAtContacts( const supGuardWork* work, float dt )
{
	float left = supClampFloat( 1.0f - dt / CONTACT_FADE_TIME_S, 0.0f, 1.0f );
	float* weights = work->actor->guard.weights;
	supGuard_FindAllowed( work, true, CONTACT_REACH );
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		weights[i] = supMinFloat( weights[i], supMaxFloat( work->allowed[i], left * weights[i] ) );
	}
}

static void BlendRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supBlendSkin )( context, begin, end );
}

// What would be drawn with the weights as they are now.
static void PreviewBlend( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supActorSurface* surface = work->actor->surfaces + i;
		int32_t first = mesh->vertexStarts[i];
		supBlendJob job = { .made = surface->positions,
							.skin = work->skin + first,
							.places = mesh->places + first,
							.weights = work->actor->guard.weights,
							.out = work->drawn + first };
		if ( work->isBlended )
		{
			supParallelFor( work->tasks, surface->vertexCount, 8 * SUP_GUARD_GRAIN, BlendRange, &job );
		}
		else
		{
			memcpy( job.out, job.made, (size_t)surface->vertexCount * sizeof( supVec3 ) );
		}
	}
	supGuard_RideShells( work );
}

static void CountGuarded( supActor* actor )
{
	const supGuardMesh* mesh = actor->guard.mesh;
	supGuardReport report = { 0 };
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k )
		{
			float weight = actor->guard.weights[mesh->places[mesh->vertexStarts[i] + k]];
			report.vertices += weight > COUNTED_WEIGHT;
			if ( weight > report.weight )
			{
				report.weight = weight;
				report.instance = i;
				report.vertex = k;
			}
		}
	}
	actor->guard.report = report;
	actor->trouble.guarded += report.vertices;
}

// What is needed, without a jump where it begins to count.
static float CountedNeed( const supGuardWork* work, int32_t place )
{
	return supMaxFloat( ( work->needs[place] - SUP_LEAST_GUARD_WEIGHT ) / ( 1.0f - SUP_LEAST_GUARD_WEIGHT ), 0.0f );
}

static void BlendAsNeeded( supGuardWork* work )
{
	float* weights = work->actor->guard.weights;
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		weights[i] += ( 1.0f - weights[i] ) * CountedNeed( work, i );
	}
	work->isBlended = true;
	PreviewBlend( work );
}

// Folds are found in what the method draws, not in the blend: weights of earlier frames would decide which triangles
// lie across, and differences in the last bits would grow from frame to frame.
static bool BlendFolds( supGuardWork* work )
{
	work->isBlended = false;
	PreviewBlend( work );
	bool isFolded = supGuard_FindNeeds( work, true );
	if ( isFolded )
	{
		Spread( work );
		float* weights = work->actor->guard.weights;
		for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
		{
			weights[i] = supMaxFloat( weights[i], CountedNeed( work, i ) );
		}
	}
	return isFolded;
}

// Nothing is farther from skinning than its reach, nor than what is around it.
static bool LimitDistances( supGuardWork* work )
{
	bool isNeeded = supGuard_FindDistanceNeeds( work );
	if ( isNeeded )
	{
		supGuard_FindAllowed( work, false, SUP_LIMIT_CONTACT_REACH );
		LeaveContacts( work );
		BlendAsNeeded( work );
	}
	return isNeeded;
}

// One round: edges as they are drawn now, held against skinning, and blended as far as that needs.
static bool RunRound( supGuardWork* work, int32_t round )
{
	work->widening *= round < WIDENING_ROUND ? 1.0f : 2.0f;
	work->leastNeed = round == 0 ? SUP_LEAST_GUARD_WEIGHT : LEAST_FURTHER_NEED;
	if ( supGuard_FindNeeds( work, false ) == false )
	{
		return false;
	}
	if ( round == 0 )
	{
		supGuard_FindAllowed( work, false, CONTACT_REACH );
	}
	LeaveContacts( work );
	Spread( work );
	BlendAsNeeded( work );
	return true;
}

// A pose that is not a number makes no skin: what the method draws is all there is.
static void ReplaceLost( const supActorSurface* surface, supVec3* skin )
{
	if ( SUP_CALL_KERNEL( supAreFinite )( &skin->x, 3 * (size_t)surface->vertexCount ) )
	{
		return;
	}
	for ( int32_t k = 0; k < surface->vertexCount; ++k )
	{
		skin[k] = supIsFiniteVec3( skin[k] ) ? skin[k] : surface->positions[k];
	}
}

// A base of the method's own turns limbs where linear blend skinning makes them collapse. Where the bones turn so far
// that it tears the skin itself, it hands over to linear blend skinning, so that flesh is never blended toward a tear.
static void LimitBase( const supGuardWork* work )
{
	supGuardWork base = *work;
	base.skin = work->linear;
	base.drawn = work->skin;
	base.isBase = true;
	for ( int32_t round = 0; round < ROUNDS && supGuard_FindNeeds( &base, false ); ++round )
	{
		Spread( &base );
		for ( int32_t i = 0; i < work->mesh->vertexCount; ++i )
		{
			work->skin[i] = supLerp( work->skin[i], work->linear[i], work->needs[work->mesh->places[i]] );
		}
	}
}

static supGuardWork StartWork( supActor* actor, const supTasks* tasks, int32_t worker )
{
	const supMethod* method = actor->flesh->method;
	supGuardWork work = supGuard_ShareOut( actor, supScene_Scratch( actor->scene, worker ) );
	work.tasks = tasks;
	work.contacts = supScene_Contacts( actor->scene, &work.contactCount );
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supActorSurface* surface = actor->surfaces + i;
		int32_t first = work.mesh->vertexStarts[i];
		size_t size = (size_t)surface->vertexCount * sizeof( supVec3 );
		supVec3* skin = work.skin + first;
		supSkinInstance( actor->pose, i, sup_skinningLinear, tasks, &( supSkinOutput ){ .positions = skin } );
		if ( method->addBase != NULL )
		{
			memcpy( work.linear + first, skin, size );
			method->addBase( actor->flesh->own, actor->state, i, tasks, skin );
		}
		ReplaceLost( surface, skin );
		memcpy( work.made + first, surface->positions, size );
	}
	supGuard_FindSoundSkin( &work, method->addBase != NULL );
	if ( work.linear != work.skin )
	{
		LimitBase( &work );
	}
	return work;
}

static void FinishWork( const supGuardWork* work )
{
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supActorSurface* surface = work->actor->surfaces + i;
		memcpy( surface->positions, work->drawn + work->mesh->vertexStarts[i],
				(size_t)surface->vertexCount * sizeof( supVec3 ) );
	}
	supGuard_TurnNormals( work );
	if ( work->isBlended )
	{
		CountGuarded( work->actor );
	}
}

void supActor_GuardSurface( supActor* actor, float dt, const supTasks* tasks, int32_t worker )
{
	actor->guard.report = ( supGuardReport ){ 0 };
	if ( IsGuarded( actor ) == false )
	{
		return;
	}
	supGuardWork work = StartWork( actor, tasks, worker );
	// contacts of the step before say nothing about an actor that begins anew
	work.contactCount = dt > 0.0f ? work.contactCount : 0;
	bool isMovedByOthers = IsMovedByOthers( actor );
	bool isSheared = isMovedByOthers == false && supGuard_LimitShear( &work );
	bool isGuarded = Fade( actor, dt );
	// what touches something is folded by that
	if ( ( isSheared || isGuarded ) && isMovedByOthers == false && Touches( &work ) == false )
	{
		isGuarded = BlendFolds( &work ) || isGuarded;
	}
	work.isBlended = isGuarded;
	PreviewBlend( &work );
	if ( isGuarded )
	{
		FadeAtContacts( &work, dt );
		PreviewBlend( &work );
	}
	if ( isMovedByOthers == false )
	{
		isGuarded = LimitDistances( &work ) || isGuarded;
		for ( int32_t round = 0; round < ROUNDS && RunRound( &work, round ); ++round )
		{
			isGuarded = true;
		}
	}
	actor->clock.isGuarded = isGuarded;
	if ( isGuarded || isSheared || work.mesh->riderCount > 0 )
	{
		FinishWork( &work );
	}
}

void supActor_RedrawGuarded( supActor* actor, const supTasks* tasks )
{
	actor->guard.report = ( supGuardReport ){ 0 };
	if ( IsGuarded( actor ) )
	{
		supGuardWork work = StartWork( actor, tasks, 0 );
		if ( IsMovedByOthers( actor ) == false )
		{
			supGuard_LimitShear( &work );
		}
		work.isBlended = true;
		PreviewBlend( &work );
		FinishWork( &work );
	}
}

supGuardReport supActor_Guard( const supActor* actor )
{
	return actor->guard.report;
}

// ---------------------------------------------------------------------------------------------------------------------
// State

size_t supActor_GuardSize( const supActor* actor )
{
	return actor->guard.mesh != NULL ? (size_t)actor->guard.mesh->placeCount * sizeof( float ) : 0;
}

void supActor_SaveGuard( const supActor* actor, uint8_t* bytes )
{
	if ( actor->guard.mesh != NULL )
	{
		memcpy( bytes, actor->guard.weights, supActor_GuardSize( actor ) );
	}
}

void supActor_RestoreGuard( supActor* actor, const uint8_t* bytes )
{
	if ( actor->guard.mesh != NULL )
	{
		memcpy( actor->guard.weights, bytes, supActor_GuardSize( actor ) );
	}
}
