// SPDX-License-Identifier: MIT
// Broad phase: pairs of patches whose boxes are near each other.
//
// Patches of different bodies: their boxes, sorted along a space-filling curve, are the leaves of a complete binary
// tree, in which each looks for those after it. n patches cost O(n log n) and what they find. Patches of one body: all
// against all in the body's own frame.
#include "contact/detection.h"
#include "core/sort.h"

// Ten bits spread over thirty, two apart.
static uint64_t SpreadBits( uint32_t value )
{
	uint64_t x = value & 0x3FFu;
	x = ( x | x << 16 ) & 0x030000FFu;
	x = ( x | x << 8 ) & 0x0300F00Fu;
	x = ( x | x << 4 ) & 0x030C30C3u;
	return ( x | x << 2 ) & 0x09249249u;
}

static uint32_t Quantize( float value, float lower, float size )
{
	float part = size > 0.0f ? ( value - lower ) / size : 0.0f;
	return (uint32_t)( 1023.0f * supClampFloat( part, 0.0f, 1.0f ) );
}

static supBox CollectBoxes( supDetector* detector )
{
	supBox all = supBox_empty;
	detector->leafCount = 0;
	for ( int32_t i = 0; i < detector->patchTotal; ++i )
	{
		supPlace place = detector->patchPlaces[i];
		supBodyState* b = detector->bodies + place.body;
		supPatchState* patch = b->patches + place.index;
		patch->needed = false;
		patch->partnerCount = 0;
		if ( b->body.positions == NULL || supBox_IsEmpty( patch->box ) )
		{
			continue;
		}
		supBox box = b->moves ? supBox_Unite( patch->box, supBox_Move( patch->box, supNeg( b->shift ) ) ) : patch->box;
		detector->boxes[i] = supBox_Grow( box, 0.5f * detector->reach );
		all = supBox_Unite( all, detector->boxes[i] );
		detector->leaves[detector->leafCount++] = i;
	}
	return all;
}

static void SortLeaves( supDetector* detector, supBox all )
{
	supVec3 size = supBox_Size( all );
	for ( int32_t i = 0; i < detector->leafCount; ++i )
	{
		supBox box = detector->boxes[detector->leaves[i]];
		supVec3 center = supLerp( box.lower, box.upper, 0.5f );
		uint64_t code = SpreadBits( Quantize( center.x, all.lower.x, size.x ) ) |
						SpreadBits( Quantize( center.y, all.lower.y, size.y ) ) << 1 |
						SpreadBits( Quantize( center.z, all.lower.z, size.z ) ) << 2;
		detector->keys[i] = code << 32 | (uint32_t)detector->leaves[i];
	}
	supSortKeys( detector->keys, detector->sorting, (size_t)detector->leafCount, 64 );
	for ( int32_t i = 0; i < detector->leafCount; ++i )
	{
		detector->leaves[i] = (int32_t)( detector->keys[i] & 0xFFFFFFFFu );
	}
}

// Node i has children 2i and 2i + 1; leaf k is node width + k.
static int32_t BuildTree( supDetector* detector )
{
	int32_t width = 1;
	while ( width < detector->leafCount )
	{
		width *= 2;
	}
	for ( int32_t i = 0; i < width; ++i )
	{
		detector->nodes[width + i] = i < detector->leafCount ? detector->boxes[detector->leaves[i]] : supBox_empty;
	}
	for ( int32_t i = width - 1; i > 0; --i )
	{
		detector->nodes[i] = supBox_Unite( detector->nodes[2 * i], detector->nodes[2 * i + 1] );
	}
	return width;
}

static void AddPair( supDetector* detector, int32_t first, int32_t second )
{
	if ( detector->pairCount == detector->pairCapacity )
	{
		detector->crowded = true;
		return;
	}
	detector->pairs[detector->pairCount++] = first < second ? ( supPatchPair ){ first, second, supVec3_zero, false }
															: ( supPatchPair ){ second, first, supVec3_zero, false };
}

static void FindPairsOf( supDetector* detector, int32_t width, int32_t leaf )
{
	int32_t own = detector->leaves[leaf];
	supBox box = detector->boxes[own];
	int32_t stack[64], count = 0;
	stack[count++] = 1;
	while ( count > 0 )
	{
		int32_t node = stack[--count];
		if ( supBox_Touch( detector->nodes + node, &box ) == false )
		{
			continue;
		}
		if ( node >= width )
		{
			int32_t other = node - width;
			bool stranger =
				other > leaf && detector->patchPlaces[detector->leaves[other]].body != detector->patchPlaces[own].body;
			if ( stranger )
			{
				AddPair( detector, own, detector->leaves[other] );
			}
			continue;
		}
		stack[count++] = 2 * node + 1;
		stack[count++] = 2 * node;
	}
}

// Patches of one body, each with itself too.
static void FindOwnPairs( supDetector* detector, const supBodyState* b )
{
	for ( int32_t i = 0; i < b->skin->patchCount; ++i )
	{
		supBox box = supBox_Grow( b->patches[i].box, detector->reach );
		for ( int32_t k = i; k < b->skin->patchCount && supBox_IsEmpty( b->patches[i].box ) == false; ++k )
		{
			if ( supBox_IsEmpty( b->patches[k].box ) == false && supBox_Touch( &box, &b->patches[k].box ) )
			{
				AddPair( detector, b->firstPatch + i, b->firstPatch + k );
			}
		}
	}
}

static void MarkNeeded( supDetector* detector, int32_t patch )
{
	supPlace place = detector->patchPlaces[patch];
	detector->bodies[place.body].patches[place.index].needed = true;
}

void supFindPatchPairs( supDetector* detector )
{
	detector->pairCount = 0;
	detector->crowded = false;
	supBox all = CollectBoxes( detector );
	if ( detector->bodyCount > 1 && detector->leafCount > 0 )
	{
		SortLeaves( detector, all );
		int32_t width = BuildTree( detector );
		for ( int32_t i = 0; i < detector->leafCount; ++i )
		{
			FindPairsOf( detector, width, i );
		}
	}
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		if ( detector->bodies[i].body.positions != NULL && detector->bodies[i].body.self )
		{
			FindOwnPairs( detector, detector->bodies + i );
		}
	}
	for ( int32_t i = 0; i < detector->pairCount; ++i )
	{
		if ( supAreOfOneBody( detector, detector->pairs + i ) == false )
		{
			MarkNeeded( detector, detector->pairs[i].first );
			MarkNeeded( detector, detector->pairs[i].second );
		}
	}
}
