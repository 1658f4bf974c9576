// SPDX-License-Identifier: MIT
// Live poses. They come with the stamps of another clock, late by an unknown and changing time, out of order, with
// gaps.
//
// Clock. `offset` is sender's time less ours, as seen in the pose that was on its way for the shortest time: the
// largest (stamp - arrival) that was seen. It sinks by DRIFT of the time that passes, so that it follows a sender whose
// clock is slower than ours; a faster one raises it by itself. What is shown at our time t is the motion at t + offset
// - delay.
//
// Between two poses it is their blend. After the newest the last motion is carried on, by p1 + s (p1 - p0) / (t1 - t0)
// with s = x / (1 + x / prediction): at first at full speed, then ever slower, never farther than `prediction` seconds
// would lead. p0 is at least SPAN older than p1: two poses of a noisy tracker that are close in time say nothing about
// a velocity.
#include "character/pose.h"
#include "core/core.h"
#include "scene/actor.h"

#define STREAM_COOKIE 0x5374726D

#define SLOTS 32
#define DRIFT 0.01
#define SPAN 0.03
#define RESTART 1.0

typedef struct supStream
{
	supStreamDef def;
	supStreamStats stats;
	double clock;  // ours
	double offset; // sender's time less ours
	// poses by rising time: slot[0] is the oldest
	int32_t count;
	double times[SLOTS];
	int32_t slots[SLOTS]; // which piece of `bytes`
	size_t poseSize;
	uint8_t* bytes;
	supPose* scratch;
} supStream;

supStreamDef supDefaultStreamDef( void )
{
	return ( supStreamDef ){ .delay = 0.05f, .prediction = 0.1f, .cookie = STREAM_COOKIE };
}

bool supActor_OpenStream( supActor* actor, const supStreamDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == STREAM_COOKIE );
	SUP_ASSERT( supIsFinite( def->delay ) && def->delay >= 0.0f );
	SUP_ASSERT( def->prediction >= 0.0f && def->prediction <= 1.0f );
	SUP_ASSERT( supIsFinite( def->smoothing ) && def->smoothing >= 0.0f );
	supClearError( error );
	supActor_CloseStream( actor );
	supStream* stream = supAllocZeroed( sizeof( supStream ) );
	if ( stream == NULL )
	{
		return supSetMemoryError( error );
	}
	actor->stream = stream;
	stream->def = *def;
	stream->poseSize = supPose_ByteCount( actor->pose );
	stream->bytes = supAllocArray( SLOTS, stream->poseSize );
	stream->scratch = supCreatePose( actor->flesh->character );
	if ( stream->bytes == NULL || stream->scratch == NULL )
	{
		supActor_CloseStream( actor );
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < SLOTS; ++i )
	{
		stream->slots[i] = i;
	}
	supActor_Stop( actor );
	return true;
}

void supActor_CloseStream( supActor* actor )
{
	if ( actor->stream != NULL )
	{
		supFree( actor->stream->bytes );
		supDestroyPose( actor->stream->scratch );
		supFree( actor->stream );
		actor->stream = NULL;
	}
}

supStreamStats supActor_GetStreamStats( const supActor* actor )
{
	SUP_ASSERT( actor->stream != NULL );
	return actor->stream->stats;
}

// ---------------------------------------------------------------------------------------------------------------------
// Coming in

static bool IsFinitePose( const supPose* pose )
{
	int32_t nodeCount = supCharacter_NodeCount( pose->character );
	// 0 times a number is 0; times anything else it is not a number, and stays so in the sum
	float sum = 0.0f;
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		const supTransform* t = pose->locals + i;
		sum += 0.0f * ( t->translation.x + t->translation.y + t->translation.z );
		sum += 0.0f * ( t->rotation.x + t->rotation.y + t->rotation.z + t->rotation.w );
		sum += 0.0f * ( t->scale.x + t->scale.y + t->scale.z );
	}
	size_t morphCount = ( supPose_ByteCount( pose ) - (size_t)nodeCount * sizeof( supTransform ) ) / sizeof( float );
	for ( size_t i = 0; i < morphCount; ++i )
	{
		sum += 0.0f * pose->morphWeights[i];
	}
	return sum == 0.0f;
}

static uint8_t* Slot( const supStream* stream, int32_t index )
{
	return stream->bytes + (size_t)stream->slots[index] * stream->poseSize;
}

// A free place at `index`; the oldest goes where all are taken.
static int32_t MakeRoom( supStream* stream, int32_t index )
{
	int32_t freed = stream->count < SLOTS ? stream->slots[stream->count] : stream->slots[0];
	if ( stream->count == SLOTS )
	{
		memmove( stream->slots, stream->slots + 1, ( SLOTS - 1 ) * sizeof( int32_t ) );
		memmove( stream->times, stream->times + 1, ( SLOTS - 1 ) * sizeof( double ) );
		stream->count -= 1;
		index -= 1;
	}
	int32_t after = stream->count - index;
	memmove( stream->slots + index + 1, stream->slots + index, (size_t)after * sizeof( int32_t ) );
	memmove( stream->times + index + 1, stream->times + index, (size_t)after * sizeof( double ) );
	stream->slots[index] = freed;
	stream->count += 1;
	return index;
}

bool supActor_PushPose( supActor* actor, const supPose* pose, double time )
{
	SUP_ASSERT( actor->stream != NULL );
	supStream* stream = actor->stream;
	stream->stats.received += 1;
	// no clock runs for ten million years; beyond, seconds are no longer told apart
	if ( !( time > -3e14 && time < 3e14 ) || IsFinitePose( pose ) == false )
	{
		stream->stats.dropped += 1;
		return false;
	}
	if ( stream->count > 0 )
	{
		double gap = time - stream->times[stream->count - 1];
		// a long silence is no jump where our clock went on just as long
		double expected = stream->clock + stream->offset - time;
		if ( gap < -RESTART || ( gap > RESTART && ( expected < -RESTART || expected > RESTART ) ) )
		{
			stream->count = 0;
			stream->stats.restarts += 1;
		}
	}
	double offset = time - stream->clock;
	stream->offset = stream->count == 0 || offset > stream->offset ? offset : stream->offset;
	int32_t index = stream->count;
	while ( index > 0 && stream->times[index - 1] >= time )
	{
		index -= 1;
	}
	bool twice = index < stream->count && stream->times[index] == time;
	if ( twice || ( index == 0 && stream->count == SLOTS ) )
	{
		stream->stats.dropped += 1;
		return false;
	}
	stream->stats.reordered += index < stream->count;
	index = MakeRoom( stream, index );
	stream->times[index] = time;
	supPose_Save( pose, Slot( stream, index ) );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Going out

// p1 moved on by what it moved since p0, times `weight`.
static void Extrapolate( supPose* p1, const supPose* p0, float weight )
{
	int32_t nodeCount = supCharacter_NodeCount( p1->character );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		supTransform* to = p1->locals + i;
		const supTransform* from = p0->locals + i;
		supVec3 moved = supSub( to->translation, from->translation );
		to->translation = supMulAdd( to->translation, weight, moved );
		supQuat turned = supMulQuat( to->rotation, supConjugate( from->rotation ) );
		float rest = weight;
		for ( ; rest > 1.0f; rest -= 1.0f )
		{
			to->rotation = supMulQuat( turned, to->rotation );
		}
		supQuat more = supSlerp( supQuat_identity, turned, rest );
		to->rotation = supNormalizeQuat( supMulQuat( more, to->rotation ) );
	}
	p1->worldsDirty = true;
}

static void Predict( supStream* stream, double ahead, supPose* pose )
{
	int32_t last = stream->count - 1;
	supPose_Load( pose, Slot( stream, last ) );
	int32_t before = last;
	while ( before > 0 && stream->times[last] - stream->times[before] < SPAN )
	{
		before -= 1;
	}
	double span = stream->times[last] - stream->times[before];
	bool held = ahead > (double)stream->def.prediction;
	stream->stats.heldSteps += held;
	stream->stats.predictedSteps += held == false;
	if ( span >= SPAN && stream->def.prediction > 0.0f )
	{
		double reach = held ? (double)stream->def.prediction : ahead;
		double s = reach / ( 1.0 + reach / (double)stream->def.prediction );
		supPose_Load( stream->scratch, Slot( stream, before ) );
		Extrapolate( pose, stream->scratch, (float)( s / span ) );
	}
}

static void SampleAt( supStream* stream, double time, supPose* pose )
{
	int32_t last = stream->count - 1;
	if ( time >= stream->times[last] )
	{
		Predict( stream, time - stream->times[last], pose );
		return;
	}
	int32_t after = 0;
	while ( stream->times[after] <= time )
	{
		after += 1;
	}
	supPose_Load( pose, Slot( stream, after > 0 ? after - 1 : 0 ) );
	if ( after > 0 )
	{
		double span = stream->times[after] - stream->times[after - 1];
		supPose_Load( stream->scratch, Slot( stream, after ) );
		supPose_Blend( pose, stream->scratch, (float)( ( time - stream->times[after - 1] ) / span ), NULL );
	}
}

void supActor_AdvanceStream( supActor* actor, float dt )
{
	supStream* stream = actor->stream;
	if ( stream == NULL )
	{
		return;
	}
	stream->clock += (double)dt;
	stream->offset -= DRIFT * (double)dt;
	if ( stream->count == 0 )
	{
		return;
	}
	SampleAt( stream, stream->clock + stream->offset - (double)stream->def.delay, actor->mixed );
	if ( stream->def.smoothing > 0.0f )
	{
		supPose_Blend( actor->pose, actor->mixed, dt / ( dt + stream->def.smoothing ), NULL );
	}
	else
	{
		supPose_Copy( actor->pose, actor->mixed );
	}
}
