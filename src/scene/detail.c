// SPDX-License-Identifier: MIT
// Levels of detail, the same for every method: what flesh adds to the skinned surface is a field of offsets, which can
// be carried along, blended and faded without knowing what made it.
//
//     full      x = flesh
//     reduced   x = skin + d     d of the last step of the flesh, on with the skin:  d <- R d
//     fading    x = skin + s d   s = 3 a^2 - 2 a^3, a from 0 to 1 or back over half a second
//     skinned   x = skin
//     posed     x stays
//
// R is the smallest turn from the vertex' skinned normal in the last frame to that in this one: exact where a part
// tilts, and off by |d| sin of a twist about the normal in one frame.
//
// Reduced flesh moves every second frame, by both frames' time. The frame in which it moves shows half of what was
// carried and half of what is new, the one after it what is new: an even motion, one frame late.
#include "character/pose.h"
#include "core/tasks.h"
#include "scene/actor.h"
#include "scene/detail_kernel.h"
#include "scene/device_crowd.h"

// Seconds
#define FADE 0.5f

// Of the distance at which it went.
#define RETURN_DISTANCE_RATIO 0.9f

// Vertices that say where an actor is.
#define SAMPLES 16

#define GRAIN 1024

// Of one instance; what is carried is as of the last frame.
typedef struct supOffsets
{
	supVec3* positions;
	supVec3* normals;
	supVec3* skinNormals;
} supOffsets;

static bool HasFlesh( const supActor* actor )
{
	return actor->flesh->method->stateSize != NULL;
}

bool supActor_CreateOffsets( supActor* actor )
{
	if ( actor->offsets != NULL || HasFlesh( actor ) == false )
	{
		return true;
	}
	actor->offsets = supAllocZeroed( (size_t)actor->surfaceCount * sizeof( supOffsets ) );
	bool ok = actor->offsets != NULL;
	for ( int32_t i = 0; ok && i < actor->surfaceCount; ++i )
	{
		supOffsets* o = actor->offsets + i;
		size_t bytes = (size_t)actor->surfaces[i].vertexCount * sizeof( supVec3 );
		ok = supScene_ReserveScratch( actor->scene, 2 * bytes );
		o->positions = supAllocZeroed( bytes );
		o->normals = supAllocZeroed( bytes );
		o->skinNormals = supAllocZeroed( bytes );
		ok = ok && o->positions != NULL && o->normals != NULL && o->skinNormals != NULL;
	}
	if ( ok == false )
	{
		supActor_DestroyOffsets( actor );
		return false;
	}
	actor->clock.hasOffsets = 1;
	supActor_RememberPlace( actor );
	return true;
}

void supActor_DestroyOffsets( supActor* actor )
{
	for ( int32_t i = 0; actor->offsets != NULL && i < actor->surfaceCount; ++i )
	{
		supFree( actor->offsets[i].positions );
		supFree( actor->offsets[i].normals );
		supFree( actor->offsets[i].skinNormals );
	}
	supFree( actor->offsets );
	actor->offsets = NULL;
}

bool supActor_SetDetail( supActor* actor, supDetail detail, supError* error )
{
	SUP_ASSERT( sup_detailFull <= detail && detail <= sup_detailPosed );
	supClearError( error );
	if ( detail != sup_detailFull && supActor_CreateOffsets( actor ) == false )
	{
		return supSetMemoryError( error );
	}
	actor->detail = detail;
	return true;
}

supDetail supActor_GetDetail( const supActor* actor )
{
	if ( actor->clock.isSkinned )
	{
		return actor->clock.isPosed ? sup_detailPosed : sup_detailSkinned;
	}
	return actor->clock.carries ? sup_detailReduced : sup_detailFull;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which level

static int32_t FindLargest( const supActor* actor )
{
	int32_t largest = 0;
	for ( int32_t i = 1; i < actor->surfaceCount; ++i )
	{
		largest = actor->surfaces[i].vertexCount > actor->surfaces[largest].vertexCount ? i : largest;
	}
	return largest;
}

// Middle of the joints in the pose to be reached.
static supVec3 FindJoints( const supActor* actor, int32_t surface )
{
	const supCharacter* character = actor->flesh->character;
	const supInstance* instance = supCharacter_Instance( character, surface );
	const supMat34* worlds = supPose_Worlds( actor->pose );
	if ( instance->skin < 0 )
	{
		return worlds[instance->node].t;
	}
	const supSkin* skin = supCharacter_Skin( character, instance->skin );
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		sum = supMulAdd( sum, 1.0f / (float)skin->jointCount, worlds[skin->joints[i]].t );
	}
	return sum;
}

void supActor_RememberPlace( supActor* actor )
{
	if ( actor->offsets != NULL && actor->surfaceCount > 0 )
	{
		actor->clock.drawnAt = FindJoints( actor, FindLargest( actor ) );
	}
}

// Of the surface; one that was left as it was has gone where its joints went.
static supVec3 FindPlace( const supActor* actor )
{
	int32_t index = FindLargest( actor );
	const supActorSurface* largest = actor->surfaces + index;
	int32_t count = largest->vertexCount < SAMPLES ? largest->vertexCount : SAMPLES;
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t vertex = (int32_t)( (int64_t)i * largest->vertexCount / count );
		sum = supMulAdd( sum, 1.0f / (float)count, largest->positions[vertex] );
	}
	return actor->clock.isPosed ? supAdd( sum, supSub( FindJoints( actor, index ), actor->clock.drawnAt ) ) : sum;
}

static supDetail ChooseByDistance( supDetail last, float distance, const supViewer* viewer )
{
	float full = last == sup_detailFull ? viewer->fullDistance : RETURN_DISTANCE_RATIO * viewer->fullDistance;
	float reduced =
		last >= sup_detailSkinned ? RETURN_DISTANCE_RATIO * viewer->reducedDistance : viewer->reducedDistance;
	float skinned = last == sup_detailPosed ? RETURN_DISTANCE_RATIO * viewer->skinnedDistance : viewer->skinnedDistance;
	if ( distance <= full )
	{
		return sup_detailFull;
	}
	if ( distance <= reduced )
	{
		return sup_detailReduced;
	}
	return viewer->skinnedDistance == 0.0f || distance <= skinned ? sup_detailSkinned : sup_detailPosed;
}

supDetail supActor_ChooseDetail( supActor* actor, bool touches )
{
	bool isNeeded = actor->isHeld || touches || actor->activePullCount > 0;
	if ( actor->offsets == NULL )
	{
		return sup_detailFull;
	}
	const supViewer* viewer = supScene_Viewer( actor->scene );
	actor->clock.chosen =
		viewer == NULL || actor->surfaceCount == 0
			? sup_detailFull
			: ChooseByDistance( actor->clock.chosen, supDistance( FindPlace( actor ), viewer->position ), viewer );
	supDetail detail = actor->detail > actor->clock.chosen ? actor->detail : actor->clock.chosen;
	detail = isNeeded ? sup_detailFull : detail;
	bool isSeenAgain = actor->clock.isPosed && detail != sup_detailPosed;
	if ( actor->clock.away != ( detail >= sup_detailSkinned ? 1.0f : 0.0f ) || isSeenAgain )
	{
		supActor_WakeUp( actor );
	}
	if ( isNeeded )
	{
		// it shows one step, not the steps it missed
		actor->clock.pending = 0.0f;
	}
	return detail;
}

void supActor_RaiseFlesh( supActor* actor, const supTasks* tasks )
{
	const supMethod* method = actor->flesh->method;
	if ( actor->clock.isSkinned )
	{
		if ( method->reset != NULL )
		{
			supActor_LeaveDevice( actor );
			method->reset( actor->flesh->own, actor->state, actor->previous, tasks );
		}
		actor->clock.isSkinned = 0;
		actor->clock.isPosed = 0;
		actor->clock.carries = 0;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Whose turn it is

static void MoveFade( supActorClock* clock, float goal, float dt )
{
	float way = dt / FADE;
	clock->away = goal > clock->away ? supMinFloat( clock->away + way, goal ) : supMaxFloat( clock->away - way, goal );
}

void supActor_TakeTurn( supActor* actor, supDetail detail, float dt, const supTasks* tasks )
{
	supActorClock* clock = &actor->clock;
	actor->span = dt;
	actor->isBlended = false;
	// a contact may still wake up one that sleeps
	bool sleeps = supActor_IsAsleep( actor );
	if ( actor->offsets == NULL || sleeps || dt == 0.0f )
	{
		actor->steps = actor->offsets == NULL || sleeps;
		actor->isDirect = clock->isSkinned == 0 && clock->carries == 0;
		return;
	}
	if ( detail < sup_detailSkinned )
	{
		supActor_RaiseFlesh( actor, tasks );
	}
	MoveFade( clock, detail >= sup_detailSkinned ? 1.0f : 0.0f, dt );
	clock->isSkinned = clock->away == 1.0f;
	clock->isPosed = clock->isSkinned && detail == sup_detailPosed;
	if ( clock->isSkinned )
	{
		actor->steps = false;
		actor->isDirect = false;
		clock->carries = 0;
		clock->extra = 0;
		clock->pending = 0.0f;
		return;
	}
	actor->isDirect = detail == sup_detailFull && clock->away == 0.0f;
	actor->steps = detail == sup_detailFull || clock->carries == 0 || clock->extra > 0 || clock->pending > 0.0f;
	actor->span = clock->pending + dt;
	actor->isBlended = clock->carries && clock->pending > 0.0f;
	clock->pending = actor->steps ? 0.0f : clock->pending + dt;
	clock->extra = clock->carries == 0 && actor->isDirect == false ? clock->parity : 0;
	clock->carries = actor->isDirect ? 0 : clock->carries;
}

void supActor_ResetDetail( supActor* actor )
{
	supActorClock* clock = &actor->clock;
	supDetail detail = actor->detail > clock->chosen ? actor->detail : clock->chosen;
	clock->isSkinned = actor->offsets != NULL && detail >= sup_detailSkinned;
	// an actor that was placed is drawn there once
	clock->isPosed = 0;
	clock->away = clock->isSkinned ? 1.0f : 0.0f;
	clock->carries = 0;
	clock->extra = 0;
	clock->pending = 0.0f;
	actor->steps = false;
	actor->isDirect = clock->isSkinned == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// The surface

static void DrawRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetailJob job = *(const supDetailJob*)context;
	job.vertexCount = end - begin;
	job.positions += begin;
	job.normals += begin;
	job.offsets += begin;
	job.normalOffsets += begin;
	job.skinNormals += begin;
	if ( job.freshPositions != NULL )
	{
		job.freshPositions += begin;
		job.freshNormals += begin;
	}
	SUP_CALL_KERNEL( supDrawDetail )( &job );
}

void supActor_DrawDetail( supActor* actor, const supTasks* tasks, int32_t worker )
{
	float shown = 1.0f - actor->clock.away;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supActorSurface* surface = actor->surfaces + i;
		supSkinOutput output = { .positions = surface->positions, .normals = surface->normals };
		supSkinInstance( actor->pose, i, sup_skinningDualQuaternion, tasks, &output );
		if ( actor->clock.isSkinned )
		{
			continue;
		}
		const supOffsets* o = actor->offsets + i;
		// without anything carried all that is seen is fresh, whatever lies there
		supDetailJob job = { .positions = surface->positions,
							 .normals = surface->normals,
							 .offsets = o->positions,
							 .normalOffsets = o->normals,
							 .skinNormals = o->skinNormals,
							 .blend = actor->isBlended ? 0.5f : 1.0f,
							 .share = shown * shown * ( 3.0f - 2.0f * shown ) };
		if ( actor->steps )
		{
			supVec3* scratch = supScene_Scratch( actor->scene, worker );
			supSkinOutput fresh = { .positions = scratch, .normals = scratch + surface->vertexCount };
			actor->flesh->method->writeSurface( actor->flesh->own, actor->state, actor->pose, i, tasks, &fresh );
			job.freshPositions = fresh.positions;
			job.freshNormals = fresh.normals;
		}
		supParallelFor( tasks, surface->vertexCount, GRAIN, DrawRange, &job );
	}
	actor->clock.carries = actor->clock.isSkinned == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// State: the pose that is shown, then of each instance what is seen and what is carried

// What is saved of an instance.
#define SAVED 5

static void ListSaved( const supActor* actor, int32_t instance, supVec3* arrays[SAVED] )
{
	arrays[0] = actor->surfaces[instance].positions;
	arrays[1] = actor->surfaces[instance].normals;
	arrays[2] = actor->offsets[instance].positions;
	arrays[3] = actor->offsets[instance].normals;
	arrays[4] = actor->offsets[instance].skinNormals;
}

size_t supActor_OffsetsSize( const supActor* actor )
{
	size_t size = actor->offsets != NULL ? supPose_ByteCount( actor->pose ) : 0;
	for ( int32_t i = 0; actor->offsets != NULL && i < actor->surfaceCount; ++i )
	{
		size += SAVED * sizeof( supVec3 ) * (size_t)actor->surfaces[i].vertexCount;
	}
	return size;
}

void supActor_SaveOffsets( const supActor* actor, uint8_t* bytes )
{
	if ( actor->offsets == NULL )
	{
		return;
	}
	supPose_Save( actor->pose, bytes );
	bytes += supPose_ByteCount( actor->pose );
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supVec3* arrays[SAVED];
		size_t size = (size_t)actor->surfaces[i].vertexCount * sizeof( supVec3 );
		ListSaved( actor, i, arrays );
		for ( int32_t k = 0; k < SAVED; ++k, bytes += size )
		{
			memcpy( bytes, arrays[k], size );
		}
	}
}

void supActor_RestoreOffsets( supActor* actor, const uint8_t* bytes )
{
	supPose_Load( actor->pose, bytes );
	bytes += supPose_ByteCount( actor->pose );
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		supVec3* arrays[SAVED];
		size_t size = (size_t)actor->surfaces[i].vertexCount * sizeof( supVec3 );
		ListSaved( actor, i, arrays );
		for ( int32_t k = 0; k < SAVED; ++k, bytes += size )
		{
			memcpy( arrays[k], bytes, size );
		}
	}
}
