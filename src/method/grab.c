// SPDX-License-Identifier: MIT
#include "method/grab.h"

#include <float.h>

// The piece reaches farther than the points of the place by this factor: else the outermost would not be moved at all.
#define BEYOND_CORNERS 1.5f

// What a place is given in response at the least, see supGrab.
#define LEAST_RESPONSE 0.25f

static supVec3 MixPlace( const supGrabber* grabber, const supVec3* corners )
{
	supVec3 place = supVec3_zero;
	for ( int32_t i = 0; i < grabber->cornerCount; ++i )
	{
		place = supMulAdd( place, grabber->shares[i], corners[i] );
	}
	return place;
}

static float DistanceTo( const supGrabber* grabber, supVec3 now, supVec3 rest )
{
	return supMaxFloat( supDistance( now, grabber->now ), supDistance( rest, grabber->rest ) );
}

void supGrabber_Begin( supGrabber* grabber, supGrab* grab, const supVec3* now, const supVec3* rest, float radius )
{
	SUP_ASSERT( 0 <= grabber->cornerCount && grabber->cornerCount <= SUP_MAX_BIND_POINTS );
	grabber->grab = grab;
	grabber->now = MixPlace( grabber, now );
	grabber->rest = MixPlace( grabber, rest );
	grabber->radius = radius;
	grab->count = grabber->cornerCount;
	grab->place = grabber->now;
	for ( int32_t i = 0; i < grabber->cornerCount; ++i )
	{
		// taken for fixed until it is offered
		grab->particles[i] = grabber->corners[i];
		grab->shares[i] = grabber->shares[i];
		grab->offsets[i] = supSub( now[i], grabber->now );
		grab->weights[i] = FLT_MAX;
		grabber->radius = supMaxFloat( grabber->radius, BEYOND_CORNERS * DistanceTo( grabber, now[i], rest[i] ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// While particles are offered weights are distances, and all but the corners are a heap with the farthest on top.

static void SwapParticles( supGrab* grab, int32_t a, int32_t b )
{
	int32_t particle = grab->particles[a];
	float weight = grab->weights[a];
	float share = grab->shares[a];
	supVec3 offset = grab->offsets[a];
	grab->particles[a] = grab->particles[b];
	grab->weights[a] = grab->weights[b];
	grab->shares[a] = grab->shares[b];
	grab->offsets[a] = grab->offsets[b];
	grab->particles[b] = particle;
	grab->weights[b] = weight;
	grab->shares[b] = share;
	grab->offsets[b] = offset;
}

static void SiftUp( supGrab* grab, int32_t top, int32_t at )
{
	while ( at > top && grab->weights[at] > grab->weights[top + ( at - top - 1 ) / 2] )
	{
		int32_t parent = top + ( at - top - 1 ) / 2;
		SwapParticles( grab, at, parent );
		at = parent;
	}
}

static void SiftDown( supGrab* grab, int32_t top )
{
	int32_t at = top;
	for ( ;; )
	{
		int32_t child = top + 2 * ( at - top ) + 1;
		if ( child >= grab->count )
		{
			return;
		}
		child += child + 1 < grab->count && grab->weights[child + 1] > grab->weights[child];
		if ( grab->weights[child] <= grab->weights[at] )
		{
			return;
		}
		SwapParticles( grab, at, child );
		at = child;
	}
}

void supGrabber_Offer( supGrabber* grabber, int32_t particle, supVec3 now, supVec3 rest, bool isFree )
{
	supGrab* grab = grabber->grab;
	float distance = DistanceTo( grabber, now, rest );
	// corners are within reach even where that is 0: a place at a vertex. Written so that NaN is not taken.
	for ( int32_t i = 0; i < grabber->cornerCount; ++i )
	{
		if ( grabber->corners[i] == particle )
		{
			grab->weights[i] = isFree && distance <= grabber->radius ? distance : FLT_MAX;
			return;
		}
	}
	if ( isFree == false || !( distance < grabber->radius ) )
	{
		return;
	}
	int32_t top = grabber->cornerCount;
	int32_t slot = grab->count < SUP_MAX_GRAB ? grab->count++ : top;
	if ( slot == top && grab->count == SUP_MAX_GRAB )
	{
		// of two pieces that are too large the one that ends farther in: no step at its border
		grabber->radius = supMinFloat( grabber->radius, supMaxFloat( grab->weights[top], distance ) );
		if ( distance >= grab->weights[top] )
		{
			return;
		}
	}
	grab->particles[slot] = particle;
	grab->weights[slot] = distance;
	grab->shares[slot] = 0.0f;
	grab->offsets[slot] = supSub( now, grabber->now );
	if ( slot == top )
	{
		SiftDown( grab, top );
	}
	else
	{
		SiftUp( grab, top, slot );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static bool IsHeavier( const supGrab* grab, int32_t a, int32_t b )
{
	return grab->weights[a] != grab->weights[b] ? grab->weights[a] > grab->weights[b]
												: grab->particles[a] < grab->particles[b];
}

static void SortByWeight( supGrab* grab )
{
	for ( int32_t i = 1; i < grab->count; ++i )
	{
		for ( int32_t k = i; k > 0 && IsHeavier( grab, k, k - 1 ); --k )
		{
			SwapParticles( grab, k, k - 1 );
		}
	}
}

bool supGrabber_End( supGrabber* grabber )
{
	supGrab* grab = grabber->grab;
	float response = 0.0f;
	for ( int32_t i = 0; i < grab->count; ++i )
	{
		// flat in the middle and at the border
		float part = grabber->radius > 0.0f ? supMinFloat( grab->weights[i] / grabber->radius, 1.0f ) : 0.0f;
		float weight = ( 1.0f - part * part ) * ( 1.0f - part * part );
		grab->weights[i] = grab->weights[i] < FLT_MAX ? weight : 0.0f;
		response += grab->shares[i] * grab->weights[i];
	}
	SortByWeight( grab );
	grab->response = supMaxFloat( response, LEAST_RESPONSE );
	return grab->count > 0 && grab->weights[0] > 0.0f;
}

static supVec3 PlaceOf( const supGrabBody* body, int32_t particle )
{
	const float* p = body->x + 4 * (size_t)particle;
	return supMakeVec3( p[0], p[1], p[2] );
}

bool supGrabber_Take( supGrabber* grabber, supGrab* grab, const supGrabBody* body, float radius )
{
	supVec3 now[SUP_MAX_BIND_POINTS], rest[SUP_MAX_BIND_POINTS];
	for ( int32_t i = 0; i < grabber->cornerCount; ++i )
	{
		now[i] = PlaceOf( body, grabber->corners[i] );
		rest[i] = body->rests[grabber->corners[i]];
	}
	supGrabber_Begin( grabber, grab, now, rest, radius );
	for ( int32_t i = 0; i < body->count; ++i )
	{
		bool isFree = body->inverseMasses[(size_t)i * (size_t)body->massStride] > 0.0f;
		supGrabber_Offer( grabber, i, PlaceOf( body, i ), body->rests[i], isFree );
	}
	return supGrabber_End( grabber );
}

supVec3 supGrab_Place( const supGrab* grab, const float* x, int32_t stride )
{
	supVec3 place = supVec3_zero;
	for ( int32_t i = 0; i < grab->count; ++i )
	{
		if ( grab->shares[i] != 0.0f )
		{
			const float* p = x + (size_t)grab->particles[i] * (size_t)stride;
			place = supMulAdd( place, grab->shares[i], supMakeVec3( p[0], p[1], p[2] ) );
		}
	}
	return place;
}
