// SPDX-License-Identifier: MIT
// Captured motions often begin with a frame in which nobody ever stood: the rest pose, a T-pose, for whoever retargets
// them; then comes a leap into the motion.
#include "supple/character.h"

#include <float.h>

// Radians: joints that are turned by less are as at rest, and all joints together turn by at least this in a leap.
#define AT_REST 0.035f
#define MIN_JUMP_ANGLE 0.35f
// The leap over the next frame's change.
#define LEAP_RATIO 8.0f
// Seconds: keys farther apart are not frames of a capture.
#define LONGEST_FRAME_S 0.11f

// Of the first three keys.
static supQuat KeyRotation( const supChannel* channel, int32_t key )
{
	size_t at = 4 * (size_t)key;
	if ( channel->interpolation == sup_interpolationCubicSpline )
	{
		at = 12 * (size_t)key + 4;
	}
	const float* v = channel->values + at;
	return supNormalizeQuat( ( supQuat ){ v[0], v[1], v[2], v[3] } );
}

static float AngleBetween( supQuat a, supQuat b )
{
	float cosine = supDotQuat( a, b );
	return 2.0f * supAcos( supMinFloat( cosine < 0.0f ? -cosine : cosine, 1.0f ) );
}

static bool BeginsWithFrames( const supChannel* channel, float start )
{
	return channel->path == sup_channelRotation && channel->keyCount > 2 && channel->times[0] < start + 1e-4f &&
		   channel->times[1] - channel->times[0] < LONGEST_FRAME_S &&
		   channel->times[2] - channel->times[1] < LONGEST_FRAME_S;
}

float supFindMotionStart( const supCharacter* character, const supClip* clip )
{
	int32_t turned = 0, atRest = 0;
	float leap = 0.0f, next = 0.0f, second = FLT_MAX;
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		const supChannel* channel = clip->channels + i;
		if ( BeginsWithFrames( channel, clip->start ) )
		{
			supQuat a = KeyRotation( channel, 0 ), b = KeyRotation( channel, 1 ), c = KeyRotation( channel, 2 );
			turned += 1;
			atRest += AngleBetween( a, supCharacter_Node( character, channel->node )->rest.rotation ) < AT_REST;
			leap += AngleBetween( a, b );
			next += AngleBetween( b, c );
			second = supMinFloat( second, channel->times[1] );
		}
	}
	bool isLead = turned > 0 && 4 * atRest >= 3 * turned && leap > MIN_JUMP_ANGLE && leap > LEAP_RATIO * next;
	return isLead ? second : clip->start;
}
