// SPDX-License-Identifier: MIT
#include "volume/weights/heuristic_weights.h"

#include "core/tasks.h"

#include <float.h>

// Segments shorter than this share of the longest have no length.
#define NO_LENGTH 1e-6f

typedef struct Loop
{
	const supHeuristicDef* def;
	// the first of the joints that are at the same place, by the bones of no length that lead to it
	int32_t* places;
	// bones that meet at each place
	int32_t* meetingStarts;
	int32_t* meeting;
	uint16_t* joints;
	float* weights;
} Loop;

static bool IsUsed( const Loop* loop, int32_t bone )
{
	return loop->def->isUsed == NULL || loop->def->isUsed[bone];
}

// ---------------------------------------------------------------------------------------------------------------------
// Who meets where

static float LongestSegment( const supBones* bones )
{
	float longest = 0.0f;
	for ( int32_t i = 0; i < bones->segmentStarts[bones->count]; ++i )
	{
		longest = supMaxFloat( longest, supDistance( bones->segments[i].a, bones->segments[i].b ) );
	}
	return longest;
}

// Every joint is walked over twice at most: a walk ends where an earlier one has been.
static void FindPlaces( Loop* loop )
{
	const supBones* bones = loop->def->bones;
	float least = NO_LENGTH * LongestSegment( bones );
	memset( loop->places, 0xFF, (size_t)bones->count * sizeof( int32_t ) );
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t place = i;
		while ( loop->places[place] < 0 && bones->parents[place] >= 0 &&
				supDistance( bones->joints[place], bones->joints[bones->parents[place]] ) <= least )
		{
			place = bones->parents[place];
		}
		place = loop->places[place] >= 0 ? loop->places[place] : place;
		for ( int32_t k = i; loop->places[k] < 0; k = bones->parents[k] )
		{
			loop->places[k] = place;
			if ( k == place )
			{
				break;
			}
		}
	}
}

static void CountMeetings( Loop* loop, int32_t* counts )
{
	const supBones* bones = loop->def->bones;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		int32_t parent = bones->parents[i];
		counts[loop->places[i]] += IsUsed( loop, i ) ? 1 : 0;
		counts[i] += loop->places[i] == i && parent >= 0 && IsUsed( loop, parent ) ? 1 : 0;
	}
}

// Each bone meets others at its own place; a parent's bone also at those of its children, where it comes first.
static void FindMeetings( Loop* loop, int32_t* counts )
{
	const supBones* bones = loop->def->bones;
	CountMeetings( loop, counts );
	int32_t total = 0;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		loop->meetingStarts[i] = total;
		total += counts[i];
		counts[i] = 0;
		int32_t parent = bones->parents[i];
		if ( loop->places[i] == i && parent >= 0 && IsUsed( loop, parent ) )
		{
			loop->meeting[loop->meetingStarts[i] + counts[i]++] = parent;
		}
	}
	loop->meetingStarts[bones->count] = total;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( IsUsed( loop, i ) )
		{
			int32_t place = loop->places[i];
			loop->meeting[loop->meetingStarts[place] + counts[place]++] = i;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Points

// The joint at the far end of a bone's segment: segments of a bone are in the order of its children. -1 for a stub.
static int32_t EndJoint( const supBones* bones, int32_t bone, int32_t segment )
{
	int32_t before = segment - bones->segmentStarts[bone];
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		if ( bones->parents[i] == bone && before-- == 0 )
		{
			return i;
		}
	}
	return -1;
}

static void WeighPoint( const Loop* loop, int32_t point )
{
	const supBones* bones = loop->def->bones;
	supVec3 p = loop->def->points[point];
	int32_t nearest = -1, segment = 0;
	float least = FLT_MAX;
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		for ( int32_t k = bones->segmentStarts[i]; IsUsed( loop, i ) && k < bones->segmentStarts[i + 1]; ++k )
		{
			float distance = supDistanceToSegment( bones->segments + k, p );
			if ( distance < least || nearest < 0 )
			{
				nearest = i;
				segment = k;
				least = distance;
			}
		}
	}
	supVec3 s = bones->segments[segment].a, along = supSub( bones->segments[segment].b, s );
	float length = supLengthSquared( along );
	float t = length > 0.0f ? supDot( supSub( p, s ), along ) / length : 0.0f;
	int32_t joint = t < 0.5f ? nearest : EndJoint( bones, nearest, segment );
	bool alone = ( t >= 1.0f / 6.0f && t <= 5.0f / 6.0f ) || joint < 0;
	int32_t place = alone ? 0 : loop->places[joint];
	const int32_t* sharing = alone ? &nearest : loop->meeting + loop->meetingStarts[place];
	int32_t count = alone ? 1 : loop->meetingStarts[place + 1] - loop->meetingStarts[place];
	count = count < SUP_MAX_INFLUENCES ? count : SUP_MAX_INFLUENCES;
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		size_t slot = (size_t)point * SUP_MAX_INFLUENCES + (size_t)i;
		loop->joints[slot] = i < count ? (uint16_t)sharing[i] : 0;
		loop->weights[slot] = i < count ? 1.0f / (float)count : 0.0f;
	}
}

static void WeighRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	for ( int32_t i = begin; i < end; ++i )
	{
		WeighPoint( context, i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static bool CheckDef( const supHeuristicDef* def, supError* error )
{
	if ( def->bones->count > UINT16_MAX )
	{
		return supSetError( error, sup_errorTooLarge, "weights", "too many bones: %d (at most %d)", def->bones->count,
							UINT16_MAX );
	}
	bool any = def->isUsed == NULL;
	for ( int32_t i = 0; any == false && i < def->bones->count; ++i )
	{
		any = def->isUsed[i];
	}
	return any || supSetError( error, sup_errorArgument, "weights", "the skeleton has no bone to bind to" );
}

bool supComputeHeuristicWeights( const supHeuristicDef* def, uint16_t* joints, float* weights, supError* error )
{
	supClearError( error );
	if ( CheckDef( def, error ) == false )
	{
		return false;
	}
	supArena arena = { 0 };
	size_t count = (size_t)def->bones->count;
	Loop loop = { .def = def, .joints = joints, .weights = weights };
	loop.places = supArena_AllocArray( &arena, count, sizeof( int32_t ) );
	loop.meetingStarts = supArena_AllocArray( &arena, count + 1, sizeof( int32_t ) );
	// each is at one place of its own, and at one for each place that it is the parent of: at most as many as joints
	loop.meeting = supArena_AllocArray( &arena, 2 * count, sizeof( int32_t ) );
	int32_t* counts = supArena_AllocZeroed( &arena, count * sizeof( int32_t ) );
	bool ok = arena.failed == false;
	if ( ok )
	{
		FindPlaces( &loop );
		FindMeetings( &loop, counts );
		supParallelFor( def->tasks, def->pointCount, 64, WeighRange, &loop );
	}
	supArena_Destroy( &arena );
	return ok || supSetMemoryError( error );
}
