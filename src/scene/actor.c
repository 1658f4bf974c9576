// SPDX-License-Identifier: MIT
#include "scene/actor.h"

#include "character/pose.h"
#include "scene/additive.h"
#include "scene/attachment.h"
#include "scene/device_crowd.h"
#include "scene/guard.h"
#include "scene/inertia.h"

// Seconds at rest before it falls asleep: longer than any pause in a swing.
#define TIME_TO_SLEEP 0.5f

static bool CreateSurfaces( supActor* actor )
{
	const supCharacter* character = actor->flesh->character;
	actor->surfaceCount = supCharacter_InstanceCount( character );
	actor->surfaces = supAllocZeroed( (size_t)actor->surfaceCount * sizeof( supActorSurface ) );
	bool ok = actor->surfaces != NULL;
	for ( int32_t i = 0; ok && i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		supActorSurface* surface = actor->surfaces + i;
		surface->vertexCount = mesh->vertexCount;
		surface->positions = supAllocZeroed( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		surface->normals = supAllocZeroed( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		ok = surface->positions != NULL && surface->normals != NULL;
	}
	return ok;
}

static void ResetTo( supActor* actor, const void* state );

static float MeasureSize( const supActor* actor )
{
	supBox box = supBox_empty;
	int32_t count = 0;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k, ++count )
		{
			box = supBox_Include( box, actor->surfaces[i].positions[k] );
		}
	}
	return count > 0 ? supLength( supBox_Size( box ) ) : 0.0f;
}

static bool CreatePoses( supActor* actor )
{
	supPose** poses[] = { &actor->pose, &actor->previous, &actor->between, &actor->fromPose, &actor->mixed };
	bool ok = true;
	for ( int32_t i = 0; i < SUP_COUNT( poses ); ++i )
	{
		*poses[i] = supCreatePose( actor->flesh->character );
		ok = ok && *poses[i] != NULL;
	}
	actor->stepPose = actor->pose;
	return ok;
}

// - state: at rest there, as a sibling was; NULL: to be found
static void SetOrigin( supActor* actor, supVec3 origin, const void* state )
{
	supPose* poses[] = { actor->pose, actor->previous, actor->between, actor->fromPose, actor->mixed };
	for ( int32_t i = 0; i < SUP_COUNT( poses ); ++i )
	{
		supPose_SetOrigin( poses[i], origin );
	}
	ResetTo( actor, state );
}

static bool CreateShared( supActor* actor, const supActor* sibling, supError* error )
{
	const supMethod* method = actor->flesh->method;
	if ( method->createShared == NULL )
	{
		return true;
	}
	if ( sibling == NULL )
	{
		actor->shared = supAllocZeroed( sizeof( supSharedWork ) );
		if ( actor->shared == NULL )
		{
			return supSetMemoryError( error );
		}
		actor->shared->own = method->createShared( actor->flesh->own, error );
	}
	else
	{
		actor->shared = sibling->shared;
	}
	actor->shared->userCount += 1;
	return actor->shared->own != NULL;
}

static void LeaveShared( supActor* actor )
{
	if ( actor->shared != NULL )
	{
		actor->shared->userCount -= 1;
		if ( actor->shared->userCount == 0 )
		{
			actor->flesh->method->destroyShared( actor->shared->own );
			supFree( actor->shared );
		}
		actor->shared = NULL;
	}
}

supActor* supCreateActor( supScene* scene, const supFlesh* flesh, const supActor* sibling, supError* error )
{
	supActor* actor = supAllocZeroed( sizeof( supActor ) );
	if ( actor == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	const supMethod* method = flesh->method;
	actor->scene = scene;
	actor->flesh = flesh;
	actor->contactSettings = supDefaultContactSettings();
	bool hasPoses = CreatePoses( actor );
	actor->parameters = supAllocArray( (size_t)method->parameterCount, sizeof( float ) );
	actor->regions = supAllocArray( (size_t)flesh->regionCount, sizeof( supRegionTuning ) );
	int32_t nodeCount = supCharacter_NodeCount( flesh->character );
	actor->jointStrengths = supAllocArray( (size_t)nodeCount, sizeof( float ) );
	actor->isSystemStale = true;
	actor->stateSize = method->stateSize != NULL ? method->stateSize( flesh->own ) : 0;
	actor->savedSize = method->savedSize != NULL ? method->savedSize( flesh->own ) : actor->stateSize;
	actor->state = supAllocZeroed( actor->stateSize );
	bool ok = hasPoses && actor->parameters != NULL && actor->regions != NULL && actor->jointStrengths != NULL &&
			  actor->state != NULL && CreateShared( actor, sibling, error ) && CreateSurfaces( actor );
	if ( ok )
	{
		memcpy( actor->parameters, flesh->parameters, (size_t)method->parameterCount * sizeof( float ) );
		memcpy( actor->regions, flesh->regions, (size_t)flesh->regionCount * sizeof( supRegionTuning ) );
		for ( int32_t i = 0; i < nodeCount; ++i )
		{
			actor->jointStrengths[i] = 1.0f;
		}
		ok = supActor_CreateInertia( actor ) && supActor_CreateGuard( actor, sibling );
	}
	if ( ok )
	{
		// measured about its own place, wherever the scene has its origin
		supVec3 place = supChooseOrigin( actor->pose ), origin = supScene_Origin( scene );
		SetOrigin( actor, place, sibling != NULL ? supActor_RestState( sibling ) : NULL );
		actor->size = MeasureSize( actor );
		ok = supActor_RememberRest( actor, sibling );
		if ( memcmp( &place, &origin, sizeof( place ) ) != 0 )
		{
			SetOrigin( actor, origin, NULL );
		}
	}
	if ( ok == false )
	{
		supSetMemoryError( error );
		supDestroyActor( actor );
		return NULL;
	}
	return actor;
}

static void DestroySystem( supActor* actor )
{
	if ( actor->system != NULL )
	{
		actor->flesh->method->destroySystem( actor->system );
		actor->system = NULL;
	}
}

bool supActor_RefreshSystem( supActor* actor, int32_t workerCount )
{
	const supMethod* method = actor->flesh->method;
	bool ok = true;
	if ( actor->isSystemStale && method->createSystem != NULL )
	{
		DestroySystem( actor );
		ok = method->createSystem( actor->flesh->own, supActor_Ties( actor ), actor->reservedCount, workerCount,
								   &actor->system );
	}
	actor->isSystemStale = false;
	return ok;
}

void supDestroyActor( supActor* actor )
{
	for ( int32_t i = 0; actor->surfaces != NULL && i < actor->surfaceCount; ++i )
	{
		supFree( actor->surfaces[i].positions );
		supFree( actor->surfaces[i].normals );
	}
	for ( int32_t i = 0; i < SUP_MAX_PULLS; ++i )
	{
		supFree( actor->drags[i].grab );
	}
	supActor_DestroyOffsets( actor );
	supActor_DestroyInertia( actor );
	supActor_DestroyGuard( actor );
	supActor_DestroyAdditive( actor );
	supActor_DestroyHeld( actor );
	supActor_DestroyTies( actor );
	DestroySystem( actor );
	LeaveShared( actor );
	supFree( actor->surfaces );
	supActor_CloseStream( actor );
	supActor_ForgetRest( actor );
	supFree( actor->state );
	supDestroyPose( actor->pose );
	supDestroyPose( actor->previous );
	supDestroyPose( actor->between );
	supDestroyPose( actor->fromPose );
	supDestroyPose( actor->mixed );
	supFree( actor->parameters );
	supFree( actor->regions );
	supFree( actor->jointStrengths );
	supFree( actor );
}

const supFlesh* supActor_Flesh( const supActor* actor )
{
	return actor->flesh;
}

supPose* supActor_Pose( supActor* actor )
{
	return actor->pose;
}

static void WriteSurface( supActor* actor, const supTasks* tasks, int32_t worker )
{
	supActor_RememberPlace( actor );
	if ( actor->usesDevice )
	{
		// the device has drawn it
		return;
	}
	if ( actor->isDirect == false )
	{
		supActor_DrawDetail( actor, tasks, worker );
		return;
	}
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supSkinOutput output = { .positions = actor->surfaces[i].positions, .normals = actor->surfaces[i].normals };
		actor->flesh->method->writeSurface( actor->flesh->own, actor->state, actor->pose, i, tasks, &output );
	}
}

// - state: the method's, at rest in this pose; NULL: the method finds it
static void ResetTo( supActor* actor, const void* state )
{
	const supMethod* method = actor->flesh->method;
	const supTasks* tasks = supScene_Tasks( actor->scene );
	supPose_Copy( actor->previous, actor->pose );
	supActor_WakeUp( actor );
	actor->clock.boneVelocity = supVec3_zero;
	actor->clock.hasMoved = 0;
	actor->clock.overlap = sup_overlapUnknown;
	actor->clock.slips = 0;
	actor->clock.deepWay = actor->clock.pressedTime = 0.0f;
	actor->clock.tornTime = actor->clock.boneWay = 0.0f;
	actor->clock.isTorn = 0;
	actor->clock.noRoomCount = actor->clock.stuckCount = 0;
	supActor_LeaveDevice( actor );
	actor->usesDevice = false;
	if ( state != NULL )
	{
		memcpy( actor->state, state, actor->stateSize );
	}
	else if ( method->reset != NULL )
	{
		method->reset( actor->flesh->own, actor->state, actor->pose, tasks );
	}
	supActor_ResetInertia( actor );
	supActor_ResetDetail( actor );
	supActor_ResetGuard( actor );
	supActor_ResetAdditive( actor );
	WriteSurface( actor, tasks, 0 );
	supActor_DrawAdditive( actor, 0.0f, tasks );
	supActor_GuardSurface( actor, 0.0f, tasks, 0 );
}

void supActor_Reset( supActor* actor )
{
	ResetTo( actor, NULL );
}

// ---------------------------------------------------------------------------------------------------------------------
// A step, as far as one actor is concerned

bool supActor_IsAsleep( const supActor* actor )
{
	return actor->clock.stillTime >= TIME_TO_SLEEP;
}

void supActor_WakeUp( supActor* actor )
{
	actor->clock.stillTime = 0.0f;
}

static void CollectPulls( supActor* actor )
{
	actor->activePullCount = 0;
	for ( int32_t i = 0; i < SUP_MAX_PULLS; ++i )
	{
		if ( actor->drags[i].active )
		{
			actor->activePulls[actor->activePullCount++] = actor->pulls[i];
		}
	}
}

// Flesh begins anew where a skeleton has jumped to, at rest.
static void RestInPose( supActor* actor, const supTasks* tasks )
{
	const supMethod* method = actor->flesh->method;
	supPose_Copy( actor->previous, actor->pose );
	if ( method->reset != NULL && actor->clock.isSkinned == 0 )
	{
		supActor_LeaveDevice( actor );
		method->reset( actor->flesh->own, actor->state, actor->pose, tasks );
	}
	supActor_ResetInertia( actor );
	supActor_ResetGuard( actor );
	supActor_ResetAdditive( actor );
}

void supActor_Begin( supActor* actor, float dt, bool maySleep, bool touches, const supTasks* tasks )
{
	supActor_AdvancePlayback( actor, dt );
	supActor_AdvanceStream( actor, dt );
	CollectPulls( actor );
	supPose_RepairMorphs( actor->pose );
	bool moves = supPose_Equals( actor->pose, actor->previous ) == false;
	if ( moves && supActor_HasJumped( actor, dt ) )
	{
		RestInPose( actor, tasks );
	}
	if ( moves || actor->activePullCount > 0 )
	{
		actor->clock.hasMoved = 1;
	}
	if ( moves || actor->activePullCount > 0 || maySleep == false )
	{
		supActor_WakeUp( actor );
	}
	supDetail detail = supActor_ChooseDetail( actor, touches );
	supActor_TakeTurn( actor, detail, dt, tasks );
}

void supActor_PrepareSubstep( supActor* actor, float weight, supSubstep* step )
{
	supPose* pose = actor->pose;
	if ( weight < 1.0f )
	{
		pose = actor->between;
		supPose_Copy( pose, actor->previous );
		supPose_Blend( pose, actor->pose, weight, NULL );
	}
	actor->stepPose = pose;
	actor->step = step;
	step->pose = pose;
	step->trouble = &actor->trouble;
	step->stages = actor->stages;
	step->parameters = actor->parameters;
	step->regions = actor->regions;
	step->regionCount = actor->flesh->regionCount;
	step->jointStrengths = actor->jointStrengths;
	step->isHeld = actor->isHeld;
	step->ties = supActor_Ties( actor );
	step->system = actor->system;
	step->shared = actor->shared != NULL ? actor->shared->own : NULL;
	step->pulls = actor->activePulls;
	step->pullCount = actor->activePullCount;
	supActor_AdvanceInertia( actor, step );
}

void supActor_End( supActor* actor, float dt, const supTasks* tasks, int32_t worker )
{
	const supMethod* method = actor->flesh->method;
	if ( actor->clock.isPosed == 0 )
	{
		WriteSurface( actor, tasks, worker );
		supActor_DrawAdditive( actor, dt, tasks );
		supActor_GuardSurface( actor, dt, tasks, worker );
	}
	if ( actor->clock.pending > 0.0f )
	{
		// the next step of the flesh sets out from where the last one ended
		return;
	}
	supPose_Copy( actor->previous, actor->pose );
	bool settled = method->stateSize == NULL || actor->clock.isSkinned ||
				   ( method->isSettled != NULL && method->isSettled( actor->flesh->own, actor->state ) &&
					 supActor_IsAdditiveSettled( actor ) );
	float time = actor->clock.stillTime + ( actor->steps ? actor->span : dt );
	actor->clock.stillTime = settled ? supMinFloat( time, TIME_TO_SLEEP ) : 0.0f;
}

// ---------------------------------------------------------------------------------------------------------------------
// Settings

void supActor_SetParameter( supActor* actor, int32_t parameter, float value )
{
	const supMethod* method = actor->flesh->method;
	SUP_ASSERT( 0 <= parameter && parameter < method->parameterCount );
	const supParameter* info = method->parameters + parameter;
	SUP_ASSERT( info->live && value >= info->minimum && value <= info->maximum );
	actor->parameters[parameter] = value;
	supActor_WakeUp( actor );
}

float supActor_GetParameter( const supActor* actor, int32_t parameter )
{
	SUP_ASSERT( 0 <= parameter && parameter < actor->flesh->method->parameterCount );
	return actor->parameters[parameter];
}

void supActor_SetRegion( supActor* actor, int32_t region, float frequency, float damping )
{
	SUP_ASSERT( 0 <= region && region < actor->flesh->regionCount );
	SUP_ASSERT( supIsFinite( frequency ) && frequency >= 0.0f && supIsFinite( damping ) && damping >= 0.0f );
	actor->regions[region] = ( supRegionTuning ){ frequency, damping };
	supActor_WakeUp( actor );
}

bool supActor_GetJointLoad( const supActor* actor, int32_t node, supJointLoad* load )
{
	SUP_ASSERT( 0 <= node && node < supCharacter_NodeCount( actor->flesh->character ) );
	const supMethod* method = actor->flesh->method;
	*load = ( supJointLoad ){ 0 };
	return method->tellJointLoad != NULL && method->tellJointLoad( actor->flesh->own, actor->state, node, load );
}

void supActor_SetJointStrength( supActor* actor, int32_t node, bool below, float strength )
{
	const supCharacter* character = actor->flesh->character;
	SUP_ASSERT( 0 <= node && node < supCharacter_NodeCount( character ) );
	SUP_ASSERT( supIsFinite( strength ) && strength >= 0.0f );
	actor->jointStrengths[node] = strength;
	for ( int32_t i = 0; below && i < supCharacter_NodeCount( character ); ++i )
	{
		int32_t above = supCharacter_Node( character, i )->parent;
		while ( above >= 0 && above != node )
		{
			above = supCharacter_Node( character, above )->parent;
		}
		actor->jointStrengths[i] = above == node ? strength : actor->jointStrengths[i];
	}
	supActor_WakeUp( actor );
}

// Reading back changes nothing that a caller could see.
static supActor* Unlock( const supActor* actor )
{
	union
	{
		const supActor* read;
		supActor* write;
	} pointer = { .read = actor };
	return pointer.write;
}

const supVec3* supActor_Positions( const supActor* actor, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < actor->surfaceCount );
	supActor_RecallPositions( Unlock( actor ) );
	return actor->surfaces[instance].positions;
}

const supVec3* supActor_Normals( const supActor* actor, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < actor->surfaceCount );
	supActor_RecallNormals( Unlock( actor ) );
	return actor->surfaces[instance].normals;
}

// ---------------------------------------------------------------------------------------------------------------------
// State: the method's block, the clock, the pose that was reached last (local transforms and morph weights), and what
// levels of detail need

size_t supActor_StateSize( const supActor* actor )
{
	return actor->savedSize + sizeof( supActorClock ) + supPose_ByteCount( actor->previous ) +
		   supActor_InertiaSize( actor ) + supActor_GuardSize( actor ) + supActor_AdditiveSize( actor ) +
		   supActor_OffsetsSize( actor );
}

void supActor_SaveState( const supActor* actor, void* bytes )
{
	uint8_t* out = bytes;
	supActor_Recall( Unlock( actor ) );
	memcpy( out, actor->state, actor->savedSize );
	memcpy( out + actor->savedSize, &actor->clock, sizeof( supActorClock ) );
	out += actor->savedSize + sizeof( supActorClock );
	supPose_Save( actor->previous, out );
	out += supPose_ByteCount( actor->previous );
	supActor_SaveInertia( actor, out );
	out += supActor_InertiaSize( actor );
	supActor_SaveGuard( actor, out );
	out += supActor_GuardSize( actor );
	supActor_SaveAdditive( actor, out );
	supActor_SaveOffsets( actor, out + supActor_AdditiveSize( actor ) );
}

void supActor_RestoreState( supActor* actor, const void* bytes )
{
	const uint8_t* in = bytes;
	supActor_LeaveDevice( actor );
	actor->usesDevice = false;
	memcpy( actor->state, in, actor->savedSize );
	memcpy( &actor->clock, in + actor->savedSize, sizeof( supActorClock ) );
	in += actor->savedSize + sizeof( supActorClock );
	if ( actor->flesh->method->restore != NULL )
	{
		actor->flesh->method->restore( actor->flesh->own, actor->state, supScene_Tasks( actor->scene ) );
	}
	supPose_Load( actor->previous, in );
	supPose_Copy( actor->pose, actor->previous );
	in += supPose_ByteCount( actor->previous );
	supActor_RestoreInertia( actor, in );
	in += supActor_InertiaSize( actor );
	supActor_RestoreGuard( actor, in );
	in += supActor_GuardSize( actor );
	supActor_RestoreAdditive( actor, in );
	in += supActor_AdditiveSize( actor );
	SUP_ASSERT( actor->clock.hasOffsets == 0 || actor->offsets != NULL );
	if ( actor->clock.hasOffsets )
	{
		supActor_RestoreOffsets( actor, in );
		return;
	}
	actor->clock.hasOffsets = actor->offsets != NULL;
	actor->isDirect = true;
	WriteSurface( actor, supScene_Tasks( actor->scene ), 0 );
	supActor_DrawAdditive( actor, 0.0f, supScene_Tasks( actor->scene ) );
	supActor_RedrawGuarded( actor, supScene_Tasks( actor->scene ) );
}
