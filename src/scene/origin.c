// SPDX-License-Identifier: MIT
// Where a scene computes, in a world that is larger than floats are fine.
#include "supple/scene.h"

#include <math.h>

// Distances over the extent of the joints: from there on a body is far away; and the least extent that is counted, so
// that a single joint has one too.
#define FAR_DISTANCE_RATIO 16.0f
#define LEAST_EXTENT 0.001f

static float RoundTo( float value, float unit )
{
	return unit * floorf( value / unit + 0.5f );
}

supVec3 supChooseOrigin( supPose* pose )
{
	const supCharacter* character = supPose_Character( pose );
	const supMat34* worlds = supPose_Worlds( pose );
	bool hasSkin = supCharacter_SkinCount( character ) > 0;
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		box = hasSkin == false || supCharacter_IsJoint( character, i ) ? supBox_Include( box, worlds[i].t ) : box;
	}
	supVec3 center = supLerp( box.lower, box.upper, 0.5f );
	float distance = supLength( center );
	float extent = supMaxFloat( supLength( supBox_Size( box ) ), LEAST_EXTENT * distance );
	if ( !( distance > FAR_DISTANCE_RATIO * extent ) || supIsFinite( distance ) == false )
	{
		return supVec3_zero;
	}
	// a power of two: what is subtracted has no digits that the coordinates lack
	int exponent;
	frexpf( extent, &exponent );
	float unit = ldexpf( 1.0f, exponent );
	return supMakeVec3( RoundTo( center.x, unit ), RoundTo( center.y, unit ), RoundTo( center.z, unit ) );
}
