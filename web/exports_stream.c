// SPDX-License-Identifier: MIT
// Poses that come from a tracker: streams of them, and clips of what was recorded.
#include "exports.h"

#include "character/owned_clip.h"
#include "supple/scene.h"

// Not a number: the default.
SUP_WEB bool supWeb_OpenStream( supActor* actor, float delay, float prediction, float smoothing )
{
	supClearError( &g_webError );
	supStreamDef def = supDefaultStreamDef();
	def.delay = supIsFinite( delay ) ? delay : def.delay;
	def.prediction = supIsFinite( prediction ) ? prediction : def.prediction;
	def.smoothing = supIsFinite( smoothing ) ? smoothing : def.smoothing;
	return supActor_OpenStream( actor, &def, &g_webError );
}

SUP_WEB void supWeb_CloseStream( supActor* actor )
{
	supActor_CloseStream( actor );
}

// Numbers as for supWeb_SetPose, time on the sender's clock. The first pose of a stream is where the flesh is at rest:
// it is not flung there from the pose before.
SUP_WEB bool supWeb_PushPose( supActor* actor, const float* numbers, double time, bool isFirst )
{
	supPose* pose = supCreatePose( supFlesh_Character( supActor_Flesh( actor ) ) );
	bool pushed = false;
	if ( pose != NULL )
	{
		supWeb_ReadPose( pose, numbers );
		pushed = supActor_PushPose( actor, pose, time );
		if ( isFirst )
		{
			supPose_Copy( supActor_Pose( actor ), pose );
			supActor_Reset( actor );
		}
	}
	supDestroyPose( pose );
	return pushed;
}

// received, dropped, predicted steps, held steps
SUP_WEB const float* supWeb_StreamStats( const supActor* actor )
{
	static float numbers[4];
	supStreamStats stats = supActor_GetStreamStats( actor );
	numbers[0] = (float)stats.received;
	numbers[1] = (float)stats.dropped;
	numbers[2] = (float)stats.predictedSteps;
	numbers[3] = (float)stats.heldSteps;
	return numbers;
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips of poses

// One channel: `width` numbers of each pose, from `offset` on.
static void AddChannel( supOwnedClip* owned, supChannel* channels, supChannel channel, const float* numbers,
						int32_t poseCount, int32_t offset )
{
	float* values =
		supArena_AllocArray( &owned->arena, (size_t)channel.keyCount * (size_t)channel.width, sizeof( float ) );
	for ( int32_t key = 0; values != NULL && key < channel.keyCount; ++key )
	{
		memcpy( values + key * channel.width, numbers + (size_t)key * (size_t)poseCount + offset,
				(size_t)channel.width * sizeof( float ) );
	}
	channel.values = values;
	channels[owned->clip.channelCount++] = channel;
}

static bool FillClip( supOwnedClip* owned, const supCharacter* character, const char* name, int32_t keyCount,
					  const float* times, const float* numbers, int32_t poseCount )
{
	int32_t nodeCount = supCharacter_NodeCount( character ), instanceCount = supCharacter_InstanceCount( character );
	float* own = supArena_AllocArray( &owned->arena, (size_t)keyCount, sizeof( float ) );
	supChannel* channels =
		supArena_AllocArray( &owned->arena, 3 * (size_t)nodeCount + (size_t)instanceCount, sizeof( supChannel ) );
	owned->clip.name = supArena_CopyString( &owned->arena, name );
	if ( owned->arena.failed )
	{
		return false;
	}
	memcpy( own, times, (size_t)keyCount * sizeof( float ) );
	owned->clip.start = own[0];
	owned->clip.end = own[keyCount - 1];
	owned->clip.channels = channels;
	supChannel channel = { .interpolation = sup_interpolationLinear, .keyCount = keyCount, .times = own };
	static const supChannelPath paths[] = { sup_channelTranslation, sup_channelRotation, sup_channelScale };
	static const int32_t widths[] = { 3, 4, 3 }, offsets[] = { 0, 3, 7 };
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		channel.node = i;
		for ( int32_t k = 0; k < 3; ++k )
		{
			channel.path = paths[k];
			channel.width = widths[k];
			AddChannel( owned, channels, channel, numbers, poseCount, 10 * i + offsets[k] );
		}
	}
	int32_t offset = 10 * nodeCount;
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		int32_t targets = supCharacter_Mesh( character, instance->mesh )->targetCount;
		if ( targets > 0 )
		{
			channel.node = instance->node;
			channel.path = sup_channelMorphWeights;
			channel.width = targets;
			AddChannel( owned, channels, channel, numbers, poseCount, offset );
			offset += targets;
		}
	}
	return owned->arena.failed == false;
}

// A further clip of the character, linear between poses; times rise and begin at 0. False with an error.
SUP_WEB bool supWeb_AddPoseClip( supWebCharacter* own, const char* name, int32_t keyCount, const float* times,
								 const float* numbers, int32_t poseCount )
{
	supClearError( &g_webError );
	supOwnedClip* owned = supAllocZeroed( sizeof( supOwnedClip ) );
	bool ok = owned != NULL && FillClip( owned, own->character, name, keyCount, times, numbers, poseCount ) &&
			  SUP_PUSH( &own->motions, &owned->clip );
	if ( ok == false )
	{
		supDestroyClip( owned != NULL ? &owned->clip : NULL );
		supSetMemoryError( &g_webError );
	}
	return ok;
}
