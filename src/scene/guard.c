// SPDX-License-Identifier: MIT
#include "scene/guard.h"

#include "scene/contact.h"

#include <float.h>
#include <math.h>

// How much longer than at rest, and than skinning makes it, an edge may be: as much of itself as in a tube that is
// twisted by half a turn and keeps its girth, and in any case a little of the size, since edges of fine meshes are
// short; never more than this part of the size.
#define MAX_STRETCH_RATIO 0.75f
#define FREE_STRETCH 0.005f
#define MAX_STRETCH 0.025f

// Linear blend skinning makes twisted limbs collapse. An edge may also be as long as dual quaternion skinning makes it,
// and a little more, unless that tears it as well; by not more than this part of the size.
#define DUAL_SLACK_RATIO 0.1f
#define MAX_DUAL_STRETCH 0.029f

// How short it may be: this part of what it is at rest and under skinning, less a little of the size.
#define MIN_LENGTH_RATIO 0.5f
#define FREE_SQUEEZE 0.001f

// How much farther from skinning a place may be than its neighbours on average: this part of the distance to them at
// rest, and a little of the size. More is a spike.
#define MAX_BUMP_RATIO 0.2f
#define FREE_BUMP 0.002f

// The blend fades over this part of the size around a place, and over this many times how far the place was from
// skinning, so that fading itself stretches nothing by more than a quarter.
#define FADE_WIDTH 0.06f
#define FADE_RATIO 4.0f

// After the cause has gone the blend falls to 1 / e in this time.
#define FADE_TIME_S 0.2f

// Where something touches the skin it has gone after this time: blended skin would be drawn inside of what touches it.
#define CONTACT_FADE_TIME_S 0.05f

// A weight below this is none.
#define LEAST_WEIGHT 0.005f

// Rounds of checking and blending at most: later ones see what fading did.
#define ROUNDS 6

// Back and forth over all places, so that a weight has gone around corners too.
#define SWEEPS 2

// Of the size: skin so near to a contact is as the contact has it, and the guard comes back over as much again.
#define CONTACT_REACH 0.15f

// The same for the limit on distances: what is pressed takes flesh along from farther away.
#define LIMIT_CONTACT_REACH 0.25f

// What a weight above a half counts as, for the report.
#define COUNTED_WEIGHT 0.5f

// Of one actor and step, in scratch space of a worker.
typedef struct Work
{
	const supGuardMesh* mesh;
	supActor* actor;
	const supTasks* tasks;
	supVec3* skin;       // of each vertex, by linear blend skinning
	supVec3* dual;       // the same by dual quaternions, of instances that asked for it
	supVec3* drawn;      // what the method draws, blended by the weights as they are now
	supVec3* shifts;     // of each place: from skinning to what is drawn
	supVec3* dualShifts; // the same from dual quaternions
	float* needs;        // of each place: the weight that it takes
	float* widths;       // of each place: how far the weight reaches
	float* allowed;      // of each place: the weight that contacts leave
} Work;

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
		actor->guard.mesh = supCreateGuardMesh( flesh->character, supScene_Tasks( actor->scene ) );
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

// Somebody holds it, or it is not to follow its clip: skinning is no measure then.
static bool IsMovedByOthers( const supActor* actor )
{
	const supMethod* method = actor->flesh->method;
	return actor->activePullCount > 0 || actor->isHeld ||
		   ( method->followsPose != NULL &&
			 method->followsPose( actor->parameters, actor->jointStrengths,
								  supCharacter_NodeCount( actor->flesh->character ) ) == false );
}

// ---------------------------------------------------------------------------------------------------------------------
// Shells on others

// How far the flesh beneath a rider is from skinning.
static supVec3 FindShift( const Work* work, const supRider* rider )
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
static void RideShells( const Work* work )
{
	const supGuardMesh* mesh = work->mesh;
	const float* weights = work->actor->guard.weights;
	for ( int32_t i = 0; i < mesh->riderCount; )
	{
		const supRider* first = mesh->riders + i;
		supVec3 shift = FindShift( work, first );
		float weight = weights[mesh->places[first->vertex]];
		int32_t count = 1;
		while ( first->group >= 0 && i + count < mesh->riderCount && first[count].group == first->group )
		{
			weight += weights[mesh->places[first[count].vertex]];
			shift = supAdd( shift, FindShift( work, first + count++ ) );
		}
		float share = 1.0f / (float)count;
		shift = supScale( share * ( 1.0f - share * weight ), shift );
		for ( int32_t k = 0; k < count; ++k )
		{
			work->drawn[first[k].vertex] = supAdd( work->skin[first[k].vertex], shift );
		}
		i += count;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// What each place needs

// The least weight w at which | edge + w change | is `limit`: on the way down to it, or up.
static float FindWeight( supVec3 edge, supVec3 change, float limit, bool isLong )
{
	float a = supLengthSquared( change ), b = supDot( edge, change );
	float c = supLengthSquared( edge ) - limit * limit;
	float root = sqrtf( supMaxFloat( b * b - a * c, 0.0f ) );
	float weight = a > 0.0f ? ( isLong ? -b - root : root - b ) / a : 0.0f;
	return supClampFloat( weight, 0.0f, 1.0f );
}

static void Raise( const Work* work, int32_t vertex, float weight, float distance )
{
	int32_t place = work->mesh->places[vertex];
	float width = supMaxFloat( FADE_WIDTH * work->mesh->size, FADE_RATIO * distance );
	if ( weight > work->needs[place] )
	{
		work->needs[place] = weight;
		work->widths[place] = supMaxFloat( work->widths[place], width );
	}
}

// An instance by dual quaternions, made when somebody asks for it.
static const supVec3* FindDual( const Work* work, int32_t instance )
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

// How long dual quaternions make an edge; 0 where they tear it.
static float DualLength( const Work* work, int32_t instance, int32_t edge, float longer )
{
	const supVec3* dual = FindDual( work, instance );
	const int32_t* ends = work->mesh->edges + 2 * (ptrdiff_t)edge;
	float length = supDistance( dual[ends[0]], dual[ends[1]] );
	return length <= ( 1.0f + MAX_STRETCH_RATIO ) * longer ? length : 0.0f;
}

// How far skinning and what is drawn are apart at both ends says whether an edge needs a closer look at all.
static bool CheckEdge( const Work* work, int32_t instance, int32_t edge )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->vertexStarts[instance];
	const supVec3* drawn = work->drawn + first;
	const supVec3* skin = work->skin + first;
	int32_t a = mesh->edges[2 * (ptrdiff_t)edge], b = mesh->edges[2 * (ptrdiff_t)edge + 1];
	supVec3 now = supSub( drawn[b], drawn[a] ), then = supSub( skin[b], skin[a] ), change = supSub( then, now );
	float skinned = supLengthSquared( then );
	if ( supLengthSquared( change ) <= 0.0625f * skinned )
	{
		return false;
	}
	skinned = sqrtf( skinned );
	float size = mesh->size, rest = mesh->lengths[edge], length = supLength( now );
	float longer = supMaxFloat( rest, skinned ), shorter = supMinFloat( rest, skinned );
	float most = longer + supMinFloat( MAX_STRETCH_RATIO * longer + FREE_STRETCH * size, MAX_STRETCH * size );
	float least = MIN_LENGTH_RATIO * shorter - FREE_SQUEEZE * size;
	if ( length <= most && length >= least )
	{
		return false;
	}
	if ( length > most )
	{
		float dual = DualLength( work, instance, edge, longer );
		dual = supMinFloat( ( 1.0f + DUAL_SLACK_RATIO ) * dual, longer + MAX_DUAL_STRETCH * size );
		most = supMaxFloat( most, dual );
		if ( length <= most )
		{
			return false;
		}
	}
	float weight = FindWeight( now, change, length > most ? most : least, length > most );
	Raise( work, first + a, weight, supDistance( drawn[a], skin[a] ) );
	Raise( work, first + b, weight, supDistance( drawn[b], skin[b] ) );
	return weight > 0.0f;
}

// The weight that keeps a vertex within its reach r: a distance d from skinning becomes d / ( 1 + ( d / r )^4 )^( 1 / 4
// ), which is d up to about half of r, and r at most. Twisted limbs, which linear blend skinning makes collapse, are
// held against dual quaternions where these are nearer.
static float LimitDistance( const Work* work, int32_t instance, int32_t vertex, float reach )
{
	supVec3 drawn = work->drawn[vertex];
	float square = supLengthSquared( supSub( drawn, work->skin[vertex] ) ) / ( reach * reach );
	if ( square < 0.1f )
	{
		return 0.0f;
	}
	supVec3 other = FindDual( work, instance )[vertex - work->mesh->vertexStarts[instance]];
	float dual = supLengthSquared( supSub( drawn, other ) ) / ( reach * reach );
	square = dual < square ? dual : square;
	// written so that what is not a number goes back altogether
	float fourth = square * square;
	return fourth < FLT_MAX ? 1.0f - 1.0f / sqrtf( sqrtf( 1.0f + fourth ) ) : 1.0f;
}

// The weight that takes a spike back to what is allowed around it.
static float LimitBump( const Work* work, const supVec3* shifts, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t first = mesh->starts[place], count = mesh->edgeEnds[place] - first;
	supVec3 own = shifts[place], mean = supVec3_zero;
	float distance = 0.0f;
	for ( int32_t k = first; k < first + count; ++k )
	{
		mean = supAdd( mean, shifts[mesh->neighbours[k]] );
		distance += mesh->distances[k];
	}
	float share = count > 0 ? 1.0f / (float)count : 0.0f;
	float most = MAX_BUMP_RATIO * share * distance + FREE_BUMP * mesh->size;
	supVec3 bump = supMulAdd( own, -share, mean );
	return count > 0 && supLengthSquared( bump ) > most * most ? FindWeight( bump, supScale( -1.0f, own ), most, true )
															   : 0.0f;
}

static bool FindNeeds( const Work* work )
{
	const supGuardMesh* mesh = work->mesh;
	bool isNeeded = false;
	memset( work->needs, 0, (size_t)mesh->placeCount * sizeof( float ) );
	memset( work->widths, 0, (size_t)mesh->placeCount * sizeof( float ) );
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		for ( int32_t e = mesh->edgeStarts[i]; e < mesh->edgeStarts[i + 1]; ++e )
		{
			isNeeded = CheckEdge( work, i, e ) || isNeeded;
		}
	}
	return isNeeded;
}

// What presses on skin knows better: the weight that each place may have, 0 near contacts, 1 at twice their reach.
static void FindAllowed( const Work* work, bool onlyOthers, float reach )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t count;
	const supContact* contacts = supScene_Contacts( work->actor->scene, &count );
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		work->allowed[i] = 1.0f;
	}
	for ( int32_t c = 0; c < count; ++c )
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

static void LeaveContacts( const Work* work )
{
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		work->needs[i] = supMinFloat( work->needs[i], work->allowed[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Around it

static void TakeFromNeighbours( const Work* work, int32_t place )
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
	work->needs[place] = need;
	work->widths[place] = width;
}

static void Spread( const Work* work )
{
	for ( int32_t sweep = 0; sweep < SWEEPS; ++sweep )
	{
		for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
		{
			TakeFromNeighbours( work, i );
		}
		for ( int32_t i = work->mesh->placeCount - 1; i >= 0; --i )
		{
			TakeFromNeighbours( work, i );
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
		float weight = left * guard->weights[i];
		guard->weights[i] = weight > LEAST_WEIGHT ? weight : 0.0f;
		isLeft = isLeft || weight > LEAST_WEIGHT;
	}
	return isLeft;
}

// Weights near contacts fade sooner; not where a limb that its clip twists collapses onto itself.
static void FadeAtContacts( const Work* work, float dt )
{
	float left = supClampFloat( 1.0f - dt / CONTACT_FADE_TIME_S, 0.0f, 1.0f );
	float* weights = work->actor->guard.weights;
	FindAllowed( work, true, CONTACT_REACH );
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
static void PreviewBlend( const Work* work )
{
	const supGuardMesh* mesh = work->mesh;
	const float* weights = work->actor->guard.weights;
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supVec3* positions = work->actor->surfaces[i].positions;
		int32_t first = mesh->vertexStarts[i];
		for ( int32_t k = first; k < mesh->vertexStarts[i + 1]; ++k )
		{
			work->drawn[k] = Blend( positions[k - first], work->skin[k], weights[mesh->places[k]] );
		}
	}
	RideShells( work );
}

// Takes the place of the skin, which is no longer needed.
static void BlendNormals( const Work* work, int32_t instance )
{
	const supGuardMesh* mesh = work->mesh;
	supActorSurface* surface = work->actor->surfaces + instance;
	const int32_t* places = mesh->places + mesh->vertexStarts[instance];
	supVec3* normals = work->skin + mesh->vertexStarts[instance];
	supSkinInstance( work->actor->pose, instance, sup_skinningLinear, work->tasks,
					 &( supSkinOutput ){ .normals = normals } );
	for ( int32_t k = 0; k < surface->vertexCount; ++k )
	{
		float weight = work->actor->guard.weights[places[k]];
		if ( weight > 0.0f && supIsFiniteVec3( normals[k] ) )
		{
			surface->normals[k] = supNormalize( supLerp( surface->normals[k], normals[k], weight ) );
		}
	}
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

static void BlendAsNeeded( const Work* work )
{
	float* weights = work->actor->guard.weights;
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		float need = work->needs[i];
		weights[i] = need > LEAST_WEIGHT ? weights[i] + ( 1.0f - weights[i] ) * need : weights[i];
	}
	PreviewBlend( work );
}

static void FillDualShifts( const Work* work )
{
	const supGuardMesh* mesh = work->mesh;
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supVec3* dual = FindDual( work, i ) - mesh->vertexStarts[i];
		for ( int32_t k = mesh->vertexStarts[i]; k < mesh->vertexStarts[i + 1]; ++k )
		{
			work->dualShifts[mesh->places[k]] = supSub( work->drawn[k], dual[k] );
		}
	}
}

// A spike is one by both ways of skinning: linear blend skinning itself is pinched where limbs are twisted. True where
// anything is needed, be it for other reasons.
static bool LimitBumps( const Work* work )
{
	bool hasDual = false, isNeeded = false;
	for ( int32_t i = 0; i < work->mesh->placeCount; ++i )
	{
		float weight = LimitBump( work, work->shifts, i );
		if ( weight > LEAST_WEIGHT && hasDual == false )
		{
			FillDualShifts( work );
			hasDual = true;
		}
		weight = weight > LEAST_WEIGHT ? supMinFloat( weight, LimitBump( work, work->dualShifts, i ) ) : 0.0f;
		work->needs[i] = supMaxFloat( work->needs[i], weight );
		isNeeded = isNeeded || work->needs[i] > LEAST_WEIGHT;
	}
	return isNeeded;
}

// Nothing is farther from skinning than its reach, nor than what is around it.
static bool LimitDistances( const Work* work )
{
	const supGuardMesh* mesh = work->mesh;
	memset( work->needs, 0, (size_t)mesh->placeCount * sizeof( float ) );
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		for ( int32_t k = mesh->vertexStarts[i]; k < mesh->vertexStarts[i + 1]; ++k )
		{
			int32_t place = mesh->places[k];
			float weight = LimitDistance( work, i, k, mesh->reaches[place] );
			work->needs[place] = supMaxFloat( work->needs[place], weight );
			work->shifts[place] = supSub( work->drawn[k], work->skin[k] );
		}
	}
	bool isNeeded = LimitBumps( work );
	if ( isNeeded )
	{
		FindAllowed( work, false, LIMIT_CONTACT_REACH );
		LeaveContacts( work );
		BlendAsNeeded( work );
	}
	return isNeeded;
}

// One round: edges as they are drawn now, held against skinning, and blended as far as that needs.
static bool RunRound( const Work* work, int32_t round )
{
	if ( FindNeeds( work ) == false )
	{
		return false;
	}
	if ( round == 0 )
	{
		FindAllowed( work, false, CONTACT_REACH );
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

static Work StartWork( supActor* actor, const supTasks* tasks, int32_t worker )
{
	const supGuardMesh* mesh = actor->guard.mesh;
	supVec3* scratch = supScene_Scratch( actor->scene, worker );
	float* rest = &scratch[mesh->vertexCount].x;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supSkinInstance( actor->pose, i, sup_skinningLinear, tasks,
						 &( supSkinOutput ){ .positions = scratch + mesh->vertexStarts[i] } );
		ReplaceLost( actor->surfaces + i, scratch + mesh->vertexStarts[i] );
		actor->surfaces[i].hasDual = false;
	}
	Work work = { .mesh = mesh, .actor = actor, .tasks = tasks, .skin = scratch };
	work.needs = rest;
	work.widths = rest + mesh->placeCount;
	work.allowed = rest + 2 * (ptrdiff_t)mesh->placeCount;
	work.dual = scratch + 2 * (ptrdiff_t)mesh->vertexCount;
	work.drawn = scratch + 3 * (ptrdiff_t)mesh->vertexCount;
	work.shifts = scratch + 4 * (ptrdiff_t)mesh->vertexCount;
	work.dualShifts = scratch + 5 * (ptrdiff_t)mesh->vertexCount;
	return work;
}

static void FinishWork( const Work* work )
{
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supActorSurface* surface = work->actor->surfaces + i;
		memcpy( surface->positions, work->drawn + work->mesh->vertexStarts[i],
				(size_t)surface->vertexCount * sizeof( supVec3 ) );
		BlendNormals( work, i );
	}
	CountGuarded( work->actor );
}

void supActor_GuardSurface( supActor* actor, float dt, const supTasks* tasks, int32_t worker )
{
	const supGuardMesh* mesh = actor->guard.mesh;
	actor->guard.report = ( supGuardReport ){ 0 };
	if ( mesh == NULL || actor->clock.isSkinned || !( mesh->size > 0.0f ) )
	{
		return;
	}
	Work work = StartWork( actor, tasks, worker );
	bool isGuarded = Fade( actor, dt );
	PreviewBlend( &work );
	if ( isGuarded )
	{
		FadeAtContacts( &work, dt );
		PreviewBlend( &work );
	}
	if ( IsMovedByOthers( actor ) == false )
	{
		isGuarded = LimitDistances( &work ) || isGuarded;
		for ( int32_t round = 0; round < ROUNDS && RunRound( &work, round ); ++round )
		{
			isGuarded = true;
		}
	}
	actor->clock.isGuarded = isGuarded;
	if ( isGuarded || mesh->riderCount > 0 )
	{
		FinishWork( &work );
	}
}

void supActor_RedrawGuarded( supActor* actor, const supTasks* tasks )
{
	actor->guard.report = ( supGuardReport ){ 0 };
	if ( actor->guard.mesh != NULL && ( actor->clock.isGuarded || actor->guard.mesh->riderCount > 0 ) )
	{
		Work work = StartWork( actor, tasks, 0 );
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
