// SPDX-License-Identifier: MIT
#include "io/gltf/bone_keys.h"

#include <math.h>

// A segment this long is not looked beyond: the search is quadratic in it.
#define MOST_SPAN 48

static supTransform FrameOf( const supBoneMotion* motion, int32_t frame )
{
	return motion->frames[(size_t)frame * (size_t)motion->stride];
}

// The largest distance that a point within reach can be off: of the origin, of the rotation, of the scale.
static float MeasureDistance( const supBoneMotion* motion, supTransform a, supTransform b )
{
	// 2 sin( angle / 2 ) from the difference of the quaternions, of one sign
	float sign = supDotQuat( a.rotation, b.rotation ) < 0.0f ? -1.0f : 1.0f;
	supQuat d = { a.rotation.x - sign * b.rotation.x, a.rotation.y - sign * b.rotation.y,
				  a.rotation.z - sign * b.rotation.z, a.rotation.w - sign * b.rotation.w };
	float chord = 2.0f * sqrtf( supDotQuat( d, d ) );
	float reach = motion->reach * supMaxFloat( fabsf( a.scale.x ), fabsf( b.scale.x ) );
	float stretch = motion->reach * fabsf( a.scale.x - b.scale.x );
	return supDistance( a.translation, b.translation ) + reach * chord + stretch;
}

static supTransform Between( supTransform a, supTransform b, float t )
{
	return ( supTransform ){ .translation = supLerp( a.translation, b.translation, t ),
							 .rotation = supSlerp( a.rotation, b.rotation, t ),
							 .scale = supLerp( a.scale, b.scale, t ) };
}

static bool IsReproduced( const supBoneMotion* motion, int32_t from, int32_t to )
{
	supTransform a = FrameOf( motion, from ), b = FrameOf( motion, to );
	for ( int32_t f = from + 1; f < to; ++f )
	{
		float t = (float)( f - from ) / (float)( to - from );
		if ( MeasureDistance( motion, Between( a, b, t ), FrameOf( motion, f ) ) > motion->tolerance )
		{
			return false;
		}
	}
	return true;
}

bool supIsBoneAtRest( const supBoneMotion* motion, supTransform rest )
{
	for ( int32_t f = 0; f < motion->frameCount; ++f )
	{
		if ( MeasureDistance( motion, rest, FrameOf( motion, f ) ) > motion->tolerance )
		{
			return false;
		}
	}
	return true;
}

int32_t supChooseBoneKeys( const supBoneMotion* motion, int32_t* keys )
{
	int32_t last = motion->frameCount - 1;
	int32_t count = 0;
	keys[count++] = 0;
	if ( supIsBoneAtRest( motion, FrameOf( motion, 0 ) ) )
	{
		return count;
	}
	for ( int32_t key = 0; key < last; )
	{
		int32_t reached = key + 1;
		for ( int32_t to = key + 2; to <= last && to - key <= MOST_SPAN && IsReproduced( motion, key, to ); ++to )
		{
			reached = to;
		}
		keys[count++] = reached;
		key = reached;
	}
	return count;
}
