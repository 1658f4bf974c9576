// SPDX-License-Identifier: MIT
#include "scene/guard_work.h"

#include "scene/contact.h"

#include <float.h>
#include <math.h>

// After the cause has gone the blend falls to 1 / e in this time.
#define FADE_TIME_S 0.2f

// Where something touches the skin it has gone after this time: blended skin would be drawn inside of what touches it.
#define CONTACT_FADE_TIME_S 0.05f

// Rounds of checking and blending at most: later ones see what fading did.
#define ROUNDS 6

// Back and forth over all places, so that a weight has gone around corners too.
#define SWEEPS 2

// The blend fades over this part of the size around a place, and over this many times how far the place is from
// skinning.
#define FADE_WIDTH 0.06f
#define FADE_RATIO 4.0f

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
	return actor->guard.weights != NULL && supScene_ReserveScratch( actor->scene, actor->guard.mesh->vertexCount );
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

const supVec3* supGuard_FindDual( const supGuardWork* work, int32_t instance )
{
	supActorSurface* surface = work->actor->surfaces + instance;
	supVec3* dual = work->dual + work->mesh->vertexStarts[instance];
	if ( surface->hasDual == false )
	{
		supSkinInstance( work->actor->pose, instance, sup_skinningDualQuaternion, work->tasks,
						 &( supSkinOutput ){ .positions = dual } );
		surface->hasDual = true;
	}
	return dual;
}

const supVec3* supGuard_FindAllDual( const supGuardWork* work )
{
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		supGuard_FindDual( work, i );
	}
	return work->dual;
}

void supGuard_FillShifts( const supGuardWork* work, const supVec3* from, const supVec3* to, supVec3* shifts )
{
	const supGuardMesh* mesh = work->mesh;
	memset( shifts, 0, (size_t)mesh->placeCount * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		int32_t place = mesh->places[i];
		shifts[place] = supMulAdd( shifts[place], mesh->shares[place], supSub( to[i], from[i] ) );
	}
}

const supMesh* supGuard_Mesh( const supActor* actor, int32_t instance )
{
	const supCharacter* character = actor->flesh->character;
	return supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
}

// ---------------------------------------------------------------------------------------------------------------------
// Shells on others

// How far the flesh beneath a rider is from skinning.
static supVec3 FindShift( const supGuardWork* work, const supRider* rider )
{
	supVec3 shift = supVec3_zero;
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t anchor = rider->anchors[k];
		shift = supMulAdd( shift, rider->weights[k], supSub( work->drawn[anchor], work->skin[anchor] ) );
	}
	return shift;
}

// Riders are blended toward skinning by their own weights too; those that keep their shape by the mean of them.
void supGuard_RideShells( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	const float* weights = work->weights;
	for ( int32_t i = 0; i < mesh->riderCount; )
	{
		const supRider* first = mesh->riders + i;
		int32_t count = 0;
		supVec3 shift = supVec3_zero;
		float weight = 0.0f, sum = 0.0f;
		do
		{
			// copies of a vertex along seams count as one
			int32_t place = mesh->places[first[count].vertex];
			float share = mesh->shares[place];
			shift = supMulAdd( shift, share, FindShift( work, first + count++ ) );
			weight += share * weights[place];
			sum += share;
		} while ( first->group >= 0 && i + count < mesh->riderCount && first[count].group == first->group );
		shift = supScale( ( 1.0f - weight / sum ) / sum, shift );
		for ( int32_t k = 0; k < count; ++k )
		{
			work->drawn[first[k].vertex] = supAdd( work->skin[first[k].vertex], shift );
		}
		i += count;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Contacts

// What presses on skin knows better: the weight that each place may have, 0 near contacts, 1 at twice their reach.
void supGuard_FindAllowed( const supGuardWork* work, bool onlyOthers, float reach )
{
	const supGuardMesh* mesh = work->mesh;
	const supContact* contacts = work->contacts;
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		work->allowed[i] = 1.0f;
	}
	for ( int32_t c = 0; c < work->contactCount; ++c )
	{
		bool isFirst = contacts[c].actor == work->actor, isSecond = contacts[c].otherActor == work->actor;
		if ( ( isFirst == false && isSecond == false ) || ( onlyOthers && isFirst && isSecond ) )
		{
			continue;
		}
		for ( int32_t k = 0; k < mesh->vertexCount; ++k )
		{
			float beyond = supDistance( work->drawn[k], contacts[c].place ) / ( reach * mesh->size ) - 1.0f;
			float* allowed = work->allowed + mesh->places[k];
			*allowed = supMinFloat( *allowed, supMaxFloat( beyond, 0.0f ) );
		}
	}
}

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

// How far a weight reaches: by each place's own distance from skinning, so that fading stretches the skin there by no
// more than a quarter.
static void FindWidths( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		work->widths[i] = FADE_WIDTH * mesh->size;
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		float* width = work->widths + mesh->places[i];
		*width = supMaxFloat( *width, FADE_RATIO * supDistance( work->drawn[i], work->skin[i] ) );
	}
}

// False where it has nothing to take.
static bool TakeFromNeighbours( const supGuardWork* work, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	float need = work->needs[place];
	for ( int32_t k = mesh->starts[place]; k < mesh->starts[place + 1]; ++k )
	{
		int32_t other = mesh->neighbours[k];
		if ( work->needs[other] > need )
		{
			need = supMaxFloat( need, work->needs[other] - mesh->distances[k] / work->widths[other] );
		}
	}
	bool isMore = need > work->needs[place];
	work->needs[place] = need;
	return isMore;
}

// Until nothing changes.
static void Spread( const supGuardWork* work )
{
	FindWidths( work );
	bool isMore = true;
	for ( int32_t sweep = 0; sweep < SWEEPS && isMore; ++sweep )
	{
		isMore = false;
		for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
		{
			isMore = TakeFromNeighbours( work, i ) || isMore;
		}
		for ( int32_t i = work->mesh->placeCount - 1; i >= 0; --i )
		{
			isMore = TakeFromNeighbours( work, i ) || isMore;
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

static supVec3 Blend( supVec3 drawn, supVec3 skin, float weight )
{
	// written so that what is not a number goes back altogether
	return weight <= 0.0f ? drawn : ( weight < 1.0f ? supLerp( drawn, skin, weight ) : skin );
}

// What would be drawn with the weights as they are now.
static void PreviewBlend( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	const float* weights = work->weights;
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supVec3* positions = work->actor->surfaces[i].positions;
		int32_t first = mesh->vertexStarts[i];
		for ( int32_t k = first; k < mesh->vertexStarts[i + 1]; ++k )
		{
			work->drawn[k] = Blend( positions[k - first], work->skin[k], weights[mesh->places[k]] );
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

static void BlendAsNeeded( const supGuardWork* work )
{
	float* weights = work->actor->guard.weights;
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		weights[i] += ( 1.0f - weights[i] ) * CountedNeed( work, i );
	}
	PreviewBlend( work );
}

// Folds are found in what the method draws, not in the blend: weights of earlier frames would decide which triangles
// lie across, and differences in the last bits would grow from frame to frame.
static bool BlendFolds( const supGuardWork* work )
{
	supGuardWork unblended = *work;
	memset( work->needs, 0, (size_t)work->mesh->placeCount * sizeof( float ) );
	unblended.weights = work->needs;
	PreviewBlend( &unblended );
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
static bool LimitDistances( const supGuardWork* work )
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
static bool RunRound( const supGuardWork* work, int32_t round )
{
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
	for ( int32_t k = 0; k < surface->vertexCount; ++k )
	{
		skin[k] = supIsFiniteVec3( skin[k] ) ? skin[k] : surface->positions[k];
	}
}

static supGuardWork StartWork( supActor* actor, const supTasks* tasks, int32_t worker )
{
	const supGuardMesh* mesh = actor->guard.mesh;
	supVec3* scratch = supScene_Scratch( actor->scene, worker );
	float* rest = &scratch[mesh->vertexCount].x;
	supVec3* linear = scratch + 7 * (ptrdiff_t)mesh->vertexCount;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supSkinInstance( actor->pose, i, sup_skinningLinear, tasks,
						 &( supSkinOutput ){ .positions = scratch + mesh->vertexStarts[i] } );
		if ( actor->flesh->method->addBase != NULL )
		{
			memcpy( linear + mesh->vertexStarts[i], scratch + mesh->vertexStarts[i],
					(size_t)actor->surfaces[i].vertexCount * sizeof( supVec3 ) );
			actor->flesh->method->addBase( actor->flesh->own, actor->state, i, tasks, scratch + mesh->vertexStarts[i] );
		}
		ReplaceLost( actor->surfaces + i, scratch + mesh->vertexStarts[i] );
		actor->surfaces[i].hasDual = false;
	}
	supGuardWork work = {
		.mesh = mesh, .actor = actor, .tasks = tasks, .skin = scratch, .weights = actor->guard.weights
	};
	work.contacts = supScene_Contacts( actor->scene, &work.contactCount );
	work.needs = rest;
	work.widths = rest + mesh->placeCount;
	work.allowed = rest + 2 * (ptrdiff_t)mesh->placeCount;
	work.dual = scratch + 2 * (ptrdiff_t)mesh->vertexCount;
	work.drawn = scratch + 3 * (ptrdiff_t)mesh->vertexCount;
	work.shifts = scratch + 4 * (ptrdiff_t)mesh->vertexCount;
	work.dualShifts = scratch + 5 * (ptrdiff_t)mesh->vertexCount;
	work.linear = actor->flesh->method->addBase != NULL ? linear : scratch;
	work.made = scratch + 6 * (ptrdiff_t)mesh->vertexCount;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		memcpy( work.made + mesh->vertexStarts[i], actor->surfaces[i].positions,
				(size_t)actor->surfaces[i].vertexCount * sizeof( supVec3 ) );
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
	CountGuarded( work->actor );
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
