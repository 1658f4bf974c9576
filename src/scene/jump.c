// SPDX-License-Identifier: MIT
// Poses that jump: the T-pose that captured motions begin with, cuts, lost tracking, teleports. Flesh that was thrown
// after its bones would be torn; it restarts where they are.
#include "character/pose.h"
#include "scene/actor.h"

// Sizes a second that a joint of no body goes, unless it was as fast before. The foot of a kick makes five.
#define MAX_JOINT_SPEED 6.0f

// As fast as before: not faster than this many times, and not the other way, as back from a single frame that is wrong.
#define SPEED_RATIO 3.0f

// Sizes that it has to have gone: poses a few milliseconds apart are noisy.
#define LEAST_WAY 0.1f

bool supActor_HasJumped( supActor* actor, float dt )
{
	const supCharacter* character = actor->flesh->character;
	if ( supCharacter_SkinCount( character ) == 0 || !( actor->size > 0.0f ) )
	{
		return false;
	}
	const supMat34* now = supPose_Worlds( actor->pose );
	const supMat34* before = supPose_Worlds( actor->previous );
	supVec3 way = supVec3_zero;
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			int32_t node = skin->joints[k];
			supVec3 gone = supSub( now[node].t, before[node].t );
			way = supLength( gone ) > supLength( way ) ? gone : way;
		}
	}
	float length = supLength( way ) / actor->size;
	if ( dt == 0.0f )
	{
		return length > LEAST_WAY;
	}
	supVec3 velocity = supScale( 1.0f / ( actor->size * dt ), way ), last = actor->clock.boneVelocity;
	float speed = length / dt;
	actor->clock.boneVelocity = velocity;
	return length > LEAST_WAY && speed > MAX_JOINT_SPEED &&
		   ( speed > SPEED_RATIO * supLength( last ) || supDot( velocity, last ) < 0.0f );
}
