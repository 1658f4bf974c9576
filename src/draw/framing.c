// SPDX-License-Identifier: MIT
#include "draw/framing.h"

#define EMPTY -1e30f

// Metres: so far is a single point away.
#define NEAREST 1e-6f

supFraming supBeginFraming( float azimuth, float elevation, float tanHalf, float aspect, float fill )
{
	supCosSin a = supComputeCosSin( azimuth * SUP_PI / 180.0f );
	supCosSin e = supComputeCosSin( elevation * SUP_PI / 180.0f );
	supFraming framing = { .forward = { -e.cosine * a.sine, -e.sine, -e.cosine * a.cosine },
						   .tanHalf = tanHalf,
						   .tanX = tanHalf * aspect * fill,
						   .tanUp = tanHalf * fill,
						   .tanDown = tanHalf * fill,
						   .sides = { EMPTY, EMPTY, EMPTY, EMPTY } };
	framing.right = supNormalize( supCross( framing.forward, supMakeVec3( 0.0f, 1.0f, 0.0f ) ) );
	framing.up = supCross( framing.right, framing.forward );
	return framing;
}

void supFraming_ReserveBelow( supFraming* framing, float part )
{
	framing->tanDown = supMinFloat( framing->tanDown, framing->tanHalf * ( 1.0f - 2.0f * part ) );
}

// What a point is worth along the four normals.
static void Measure( const supFraming* framing, supVec3 p, float values[4] )
{
	float x = supDot( p, framing->right ), y = supDot( p, framing->up ), z = supDot( p, framing->forward );
	values[0] = x - framing->tanX * z;
	values[1] = -x - framing->tanX * z;
	values[2] = y - framing->tanUp * z;
	values[3] = -y - framing->tanDown * z;
}

void supFraming_Include( supFraming* framing, const supVec3* points, int32_t count, supVec3 origin )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		float values[4];
		Measure( framing, supSub( points[i], origin ), values );
		for ( int k = 0; k < 4; ++k )
		{
			framing->sides[k] = supMaxFloat( framing->sides[k], values[k] );
		}
	}
}

void supFraming_IncludeFraming( supFraming* framing, const supFraming* other, supVec3 origin )
{
	float moved[4];
	Measure( framing, origin, moved );
	for ( int k = 0; k < 4 && supFraming_IsEmpty( other ) == false; ++k )
	{
		framing->sides[k] = supMaxFloat( framing->sides[k], other->sides[k] - moved[k] );
	}
}

bool supFraming_IsEmpty( const supFraming* framing )
{
	return framing->sides[0] <= EMPTY;
}

float supFraming_Distance( const supFraming* framing )
{
	const float* s = framing->sides;
	float across = ( s[0] + s[1] ) / ( 2.0f * framing->tanX ),
		  along = ( s[2] + s[3] ) / ( framing->tanUp + framing->tanDown );
	return supMaxFloat( across, along ) + NEAREST;
}

supView supFraming_View( const supFraming* framing, supVec3 origin, float zoom )
{
	// in the dimension that has room to spare the points are in the middle
	float distance = supFraming_Distance( framing );
	float x = 0.5f * ( framing->sides[0] - framing->sides[1] ), y = 0.5f * ( framing->sides[2] - framing->sides[3] );
	y += 0.5f * distance * ( framing->tanDown - framing->tanUp );
	supVec3 middle = supMulAdd( supMulAdd( origin, x, framing->right ), y, framing->up );
	supVec3 eye = supMulAdd( middle, -distance, framing->forward );
	// an origin that is no part of what is seen may be behind the eye
	float ahead = distance < 0.0f ? -distance : distance;
	return ( supView ){ .eye = eye,
						.target = supMulAdd( eye, ahead, framing->forward ),
						.up = { 0.0f, 1.0f, 0.0f },
						.tanHalf = framing->tanHalf / zoom };
}
