// SPDX-License-Identifier: MIT
// Poses that jump: the T-pose that captured motions begin with, cuts, lost tracking, teleports. Flesh that was thrown
// after its bones would be torn; it begins anew where they are.
#include "character/pose.h"
#include "scene/actor.h"

// Sizes a second that a joint of no body goes, unless it was as fast before. The foot of a kick makes five.
#define MAX_JOINT_SPEED 6.0f

// As fast as before: not faster than this many times.
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
	float way = 0.0f;
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		const supSkin* skin = supCharacter_Skin( character, i );
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			int32_t node = skin->joints[k];
			way = supMaxFloat( way, supDistance( now[node].t, before[node].t ) / actor->size );
		}
	}
	if ( dt == 0.0f )
	{
		return way > LEAST_WAY;
	}
	float speed = way / dt, last = actor->clock.boneSpeed;
	actor->clock.boneSpeed = speed;
	return way > LEAST_WAY && speed > MAX_JOINT_SPEED && speed > SPEED_RATIO * last;
}
