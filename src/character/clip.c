// SPDX-License-Identifier: MIT
// Clips played into poses. Interpolation is glTF's: appendix C of the 2.0 specification.
#include "character/pose.h"

// The last key at or before `time`.
// - times[0] < time < times[count - 1]
static int32_t FindKey( const float* times, int32_t count, float time )
{
	int32_t lower = 0;
	int32_t upper = count - 1;
	while ( upper - lower > 1 )
	{
		int32_t middle = lower + ( upper - lower ) / 2;
		if ( times[middle] <= time )
		{
			lower = middle;
		}
		else
		{
			upper = middle;
		}
	}
	return lower;
}

static supQuat LoadQuat( const float* v )
{
	return ( supQuat ){ v[0], v[1], v[2], v[3] };
}

static void StoreQuat( supQuat q, float* v )
{
	v[0] = q.x;
	v[1] = q.y;
	v[2] = q.z;
	v[3] = q.w;
}

// Between two keys: a cubic with the values and the tangents of both, which are per second.
static void SampleCubic( const supChannel* channel, int32_t key, float u, float step, float* out )
{
	int32_t width = channel->width;
	const float* a = channel->values + 3 * (size_t)width * (size_t)key;
	const float* b = a + 3 * (size_t)width;
	float u2 = u * u;
	float u3 = u2 * u;
	float valueA = 2.0f * u3 - 3.0f * u2 + 1.0f;
	float slopeA = step * ( u3 - 2.0f * u2 + u );
	float valueB = 3.0f * u2 - 2.0f * u3;
	float slopeB = step * ( u3 - u2 );
	for ( int32_t i = 0; i < width; ++i )
	{
		out[i] = valueA * a[width + i] + slopeA * a[2 * width + i] + valueB * b[width + i] + slopeB * b[i];
	}
}

static void CopyKey( const supChannel* channel, int32_t key, float* out )
{
	size_t width = (size_t)channel->width;
	bool cubic = channel->interpolation == sup_interpolationCubicSpline;
	const float* value =
		cubic ? channel->values + ( 3 * (size_t)key + 1 ) * width : channel->values + (size_t)key * width;
	memcpy( out, value, width * sizeof( float ) );
}

// `out` takes channel->width floats.
static void SampleChannel( const supChannel* channel, float time, float* out )
{
	int32_t last = channel->keyCount - 1;
	if ( !( time > channel->times[0] ) )
	{
		CopyKey( channel, 0, out );
		return;
	}
	if ( time >= channel->times[last] )
	{
		CopyKey( channel, last, out );
		return;
	}
	int32_t key = FindKey( channel->times, channel->keyCount, time );
	float step = channel->times[key + 1] - channel->times[key];
	float u = ( time - channel->times[key] ) / step;
	if ( channel->interpolation == sup_interpolationStep )
	{
		CopyKey( channel, key, out );
		return;
	}
	if ( channel->interpolation == sup_interpolationCubicSpline )
	{
		SampleCubic( channel, key, u, step, out );
		return;
	}
	const float* a = channel->values + (size_t)channel->width * (size_t)key;
	const float* b = a + channel->width;
	if ( channel->path == sup_channelRotation )
	{
		StoreQuat( supSlerp( LoadQuat( a ), LoadQuat( b ), u ), out );
		return;
	}
	for ( int32_t i = 0; i < channel->width; ++i )
	{
		out[i] = supLerpFloat( a[i], b[i], u );
	}
}

static void ApplyMorphWeights( supPose* pose, const supChannel* channel, float time )
{
	const supCharacter* character = pose->character;
	int32_t first = character->firstInstances[channel->node];
	for ( int32_t i = first; i >= 0; i = character->nextInstances[i] )
	{
		SUP_ASSERT( channel->width == character->morphStarts[i + 1] - character->morphStarts[i] );
		SampleChannel( channel, time, pose->morphWeights + character->morphStarts[i] );
	}
}

void supPose_ApplyClip( supPose* pose, const supClip* clip, float time )
{
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		const supChannel* channel = clip->channels + i;
		SUP_ASSERT( 0 <= channel->node && channel->node < pose->character->nodeCount );
		supTransform* local = pose->locals + channel->node;
		float v[4];
		switch ( channel->path )
		{
			case sup_channelTranslation:
				SampleChannel( channel, time, v );
				local->translation = supMakeVec3( v[0], v[1], v[2] );
				break;
			case sup_channelRotation:
				SampleChannel( channel, time, v );
				// only splines leave the unit sphere: other keys are unit already and come out as they are
				local->rotation = channel->interpolation == sup_interpolationCubicSpline
									  ? supNormalizeQuat( LoadQuat( v ) )
									  : LoadQuat( v );
				break;
			case sup_channelScale:
				SampleChannel( channel, time, v );
				local->scale = supMakeVec3( v[0], v[1], v[2] );
				break;
			case sup_channelMorphWeights:
				ApplyMorphWeights( pose, channel, time );
				break;
		}
	}
	pose->worldsDirty = true;
}
