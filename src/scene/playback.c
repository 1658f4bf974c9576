// SPDX-License-Identifier: MIT
// Clips that play by themselves, one fading into the next.
#include "core/core.h"
#include "scene/actor.h"

#include <math.h>

#define PLAY_COOKIE 0x506C6179

supPlayDef supDefaultPlayDef( const supClip* clip )
{
	SUP_ASSERT( clip != NULL );
	return ( supPlayDef ){ .clip = clip, .time = clip->start, .speed = 1.0f, .loop = true, .cookie = PLAY_COOKIE };
}

void supActor_Play( supActor* actor, const supPlayDef* def )
{
	SUP_ASSERT( def->cookie == PLAY_COOKIE && def->clip != NULL );
	SUP_ASSERT( supIsFinite( def->time ) && supIsFinite( def->speed ) && supIsFinite( def->fade ) );
	bool fading = actor->fade > 0.0f;
	actor->from = fading ? ( supTrack ){ 0 } : actor->track;
	actor->clock.fromTime = actor->clock.time;
	if ( actor->from.clip == NULL )
	{
		// a fade that is cut short goes on from the mixture that it had reached
		supPose_Copy( actor->fromPose, actor->pose );
	}
	actor->track = ( supTrack ){ def->clip, def->speed, def->loop };
	actor->clock.time = def->time;
	actor->clock.faded = 0.0f;
	actor->fade = supMaxFloat( def->fade, 0.0f );
}

void supActor_Stop( supActor* actor )
{
	actor->track = ( supTrack ){ 0 };
	actor->from = ( supTrack ){ 0 };
	actor->fade = 0.0f;
}

float supActor_PlayTime( const supActor* actor )
{
	return actor->track.clip != NULL ? actor->clock.time : 0.0f;
}

static float AdvanceTrack( const supTrack* track, float time, float dt )
{
	float start = track->clip->start;
	float duration = track->clip->end - start;
	time += dt * track->speed;
	if ( track->loop == false || duration <= 0.0f )
	{
		return supClampFloat( time, start, track->clip->end );
	}
	float turns = ( time - start ) / duration;
	return time - duration * floorf( turns );
}

void supActor_SetPlace( supActor* actor, supVec3 position, supQuat rotation )
{
	SUP_ASSERT( supIsFinite( position.x ) && supIsFinite( position.y ) && supIsFinite( position.z ) );
	actor->isPlaced = true;
	actor->position = position;
	actor->rotation = rotation;
}

static void ApplyTrack( const supActor* actor, const supTrack* track, float time, supPose* pose )
{
	supPose_SetRest( pose );
	supPose_ApplyClip( pose, track->clip, time );
	const supCharacter* character = actor->flesh->character;
	for ( int32_t i = 0; actor->isPlaced && i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			supTransform local = supPose_GetLocal( pose, i );
			local.translation = supAdd( actor->position, supRotate( actor->rotation, local.translation ) );
			local.rotation = supMulQuat( actor->rotation, local.rotation );
			supPose_SetLocal( pose, i, local );
		}
	}
}

void supActor_AdvancePlayback( supActor* actor, float dt )
{
	if ( actor->track.clip == NULL )
	{
		return;
	}
	actor->clock.time = AdvanceTrack( &actor->track, actor->clock.time, dt );
	ApplyTrack( actor, &actor->track, actor->clock.time, actor->pose );
	if ( actor->fade <= 0.0f )
	{
		return;
	}
	actor->clock.faded += dt;
	if ( actor->clock.faded >= actor->fade )
	{
		actor->fade = 0.0f;
		actor->from = ( supTrack ){ 0 };
		return;
	}
	const supPose* from = actor->fromPose;
	if ( actor->from.clip != NULL )
	{
		actor->clock.fromTime = AdvanceTrack( &actor->from, actor->clock.fromTime, dt );
		ApplyTrack( actor, &actor->from, actor->clock.fromTime, actor->mixed );
		from = actor->mixed;
	}
	// starts and ends gently
	float t = actor->clock.faded / actor->fade;
	supPose_Blend( actor->pose, from, 1.0f - t * t * ( 3.0f - 2.0f * t ), NULL );
}
