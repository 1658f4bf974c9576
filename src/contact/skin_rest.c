// SPDX-License-Identifier: MIT
// What of a character is behind itself at rest: lids over eyes, teeth, hems, and the two sides of every limb. The
// detector itself is asked, and whatever it finds there is no contact in any pose.
#include "contact/detection.h"
#include "contact/skin_build.h"
#include "core/sort.h"

// Each round finds what the round before had hidden. What is left after the last is kept from touching by the distance
// at rest alone.
#define MOST_ROUNDS 2

// How deep is looked: lengths of edges, and parts of the size.
#define DEPTH_IN_EDGES 4.0f
#define DEPTH_IN_SIZE 0.05f

typedef struct Touches
{
	int32_t count;
	int32_t capacity;
	uint64_t* keys; // one cluster and another, sorted, each once, both ways
	uint64_t* scratch;
} Touches;

static bool Reserve( Touches* t, int32_t count )
{
	if ( count <= t->capacity )
	{
		return true;
	}
	int32_t capacity = 2 * count;
	uint64_t* keys = supAllocArray( (size_t)capacity, sizeof( uint64_t ) );
	uint64_t* scratch = supAllocArray( (size_t)capacity, sizeof( uint64_t ) );
	if ( keys == NULL || scratch == NULL )
	{
		supFree( keys );
		supFree( scratch );
		return false;
	}
	if ( t->count > 0 )
	{
		memcpy( keys, t->keys, (size_t)t->count * sizeof( uint64_t ) );
	}
	supFree( t->keys );
	supFree( t->scratch );
	t->keys = keys;
	t->scratch = scratch;
	t->capacity = capacity;
	return true;
}

static void SortAndUnite( Touches* t )
{
	supSortKeys( t->keys, t->scratch, (size_t)t->count, 64 );
	int32_t count = 0;
	for ( int32_t i = 0; i < t->count; ++i )
	{
		if ( i == 0 || t->keys[i] != t->keys[i - 1] )
		{
			t->keys[count++] = t->keys[i];
		}
	}
	t->count = count;
}

// The lists of the skin from the keys.
static void FillLists( supContactSkin* skin, const Touches* t )
{
	int32_t at = 0;
	for ( int32_t i = 0; i < skin->clusterCount; ++i )
	{
		skin->touchStarts[i] = at;
		for ( ; at < t->count && (int32_t)( t->keys[at] >> 32 ) == i; ++at )
		{
			skin->touches[at] = (int32_t)( t->keys[at] & 0xFFFFFFFFu );
		}
	}
	skin->touchStarts[skin->clusterCount] = at;
}

// False when out of memory. `more`: something was found.
static bool RunOnce( supContactSkin* skin, supDetector* detector, Touches* t, const supTasks* tasks, bool* more )
{
	float depth = supMinFloat( DEPTH_IN_EDGES * skin->edgeLength, DEPTH_IN_SIZE * skin->size );
	supDetectorSettings settings = { .margin = 0.0f, .depth = depth };
	const supContactHit* hits;
	int32_t count = supDetector_Run( detector, &settings, tasks, &hits );
	*more = count > 0;
	if ( count > ( INT32_MAX / 2 - t->count ) / 2 || Reserve( t, t->count + 2 * count ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		uint64_t a = (uint64_t)skin->vertexClusters[hits[i].vertex];
		uint64_t b = (uint64_t)skin->triangleClusters[hits[i].triangle];
		t->keys[t->count++] = a << 32 | b;
		t->keys[t->count++] = b << 32 | a;
	}
	SortAndUnite( t );
	supFree( skin->touches );
	skin->touches = supAllocArray( (size_t)t->count, sizeof( int32_t ) );
	if ( skin->touches == NULL )
	{
		return false;
	}
	FillLists( skin, t );
	return true;
}

// What is inside of another part of the body already.
static void FindWithin( supContactSkin* skin, const supDetector* detector )
{
	for ( int32_t v = 0; v < skin->vertexCount; ++v )
	{
		supVec3 normal = supNormalize( supContactSkin_AreaAround( skin, skin->rest, v ) );
		skin->within[v] = supIsWithinOwn( detector->bodies, v, normal );
	}
}

bool supContactSkin_BuildTouches( supContactSkin* skin, const supTasks* tasks, supError* error )
{
	skin->touchStarts =
		supArena_AllocArray( &skin->arena, (size_t)skin->clusterCount + 1, sizeof( *skin->touchStarts ) );
	skin->within = supArena_AllocArray( &skin->arena, (size_t)skin->vertexCount, sizeof( bool ) );
	if ( skin->touchStarts == NULL || skin->within == NULL )
	{
		return false;
	}
	memset( skin->touchStarts, 0, ( (size_t)skin->clusterCount + 1 ) * sizeof( *skin->touchStarts ) );
	const supContactSkin* skins[1] = { skin };
	supDetector* detector = supCreateDetector( skins, 1, 0, error );
	Touches touches = { 0 };
	bool ok = detector != NULL, more = ok;
	if ( ok )
	{
		supContactBody body = { .positions = skin->rest, .self = true };
		supDetector_Update( detector, &body, tasks );
		detector->atRest = true;
		FindWithin( skin, detector );
	}
	for ( int32_t round = 0; round < MOST_ROUNDS && ok && more; ++round )
	{
		ok = RunOnce( skin, detector, &touches, tasks, &more );
	}
	int32_t* found = skin->touches;
	skin->touches = ok ? supArena_CopyArray( &skin->arena, found, (size_t)touches.count, sizeof( int32_t ) ) : NULL;
	supFree( found );
	supFree( touches.keys );
	supFree( touches.scratch );
	supDestroyDetector( detector );
	return skin->touches != NULL;
}
