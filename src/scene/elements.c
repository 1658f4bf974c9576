// SPDX-License-Identifier: MIT
#include "scene/elements.h"

#include "core/sort.h"
#include "scene/actor.h"
#include "volume/body/body.h"
#include "volume/body/tissue.h"

// As fine as a picture needs it.
#define LAYER_RESOLUTION 64

// The particles of a block of state. A method may leave marks in the block, so that it is a copy.
static void ReadParticles( const supFlesh* flesh, void* state, int32_t pointCount, supVec3* positions )
{
	supParticles particles = flesh->method->getParticles( flesh->own, state );
	SUP_ASSERT( pointCount <= particles.count );
	for ( int32_t i = 0; i < pointCount; ++i )
	{
		const float* x = particles.x + 4 * (ptrdiff_t)i;
		positions[i] = supMakeVec3( x[0], x[1], x[2] );
	}
}

static size_t StateSize( const supFlesh* flesh )
{
	return flesh->method->stateSize != NULL ? flesh->method->stateSize( flesh->own ) : 0;
}

static supVec3* FindRest( const supFlesh* flesh, const supTasks* tasks, supFleshElements* elements )
{
	supVec3* points = supArena_AllocArray( &elements->arena, (size_t)elements->pointCount, sizeof( supVec3 ) );
	supPose* pose = supCreatePose( flesh->character );
	void* state = supAllocZeroed( StateSize( flesh ) );
	bool ok = points != NULL && pose != NULL && state != NULL;
	if ( ok )
	{
		flesh->method->reset( flesh->own, state, pose, tasks );
		ReadParticles( flesh, state, elements->pointCount, points );
	}
	supFree( state );
	supDestroyPose( pose );
	return ok ? points : NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines

static int BitsOf( int32_t count )
{
	int bits = 1;
	while ( bits < 31 && ( (int32_t)1 << bits ) < count )
	{
		bits += 1;
	}
	return bits;
}

// Edges of tets, or the lines that there are, each once and in order. False where out of memory.
static bool MergeLines( supFleshElements* elements )
{
	static const int8_t edges[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
	bool fromTets = elements->lines == NULL && elements->cornerCount == 4;
	size_t most = fromTets ? 6 * (size_t)elements->count : (size_t)elements->lineCount;
	uint64_t* keys = supAllocArray( 2 * most, sizeof( uint64_t ) );
	int32_t* lines = supArena_AllocArray( &elements->arena, 2 * most, sizeof( int32_t ) );
	if ( keys == NULL || lines == NULL )
	{
		supFree( keys );
		return false;
	}
	int bits = BitsOf( elements->pointCount );
	for ( size_t i = 0; i < most; ++i )
	{
		const int32_t* tet = fromTets ? elements->corners + 4 * ( i / 6 ) : NULL;
		int32_t a = fromTets ? tet[edges[i % 6][0]] : elements->lines[2 * i];
		int32_t b = fromTets ? tet[edges[i % 6][1]] : elements->lines[2 * i + 1];
		keys[i] = (uint64_t)( a < b ? a : b ) << bits | (uint64_t)( a < b ? b : a );
	}
	supSortKeys( keys, keys + most, most, 2 * bits );
	int32_t count = 0;
	for ( size_t i = 0; i < most; ++i )
	{
		if ( i == 0 || keys[i] != keys[i - 1] )
		{
			lines[2 * count] = (int32_t)( keys[i] >> bits );
			lines[2 * count + 1] = (int32_t)( keys[i] & ( ( (uint64_t)1 << bits ) - 1 ) );
			count += 1;
		}
	}
	supFree( keys );
	elements->lines = lines;
	elements->lineCount = count;
	return true;
}

bool supFlesh_ListElements( const supFlesh* flesh, const supTasks* tasks, supFleshElements* elements, supVec3** points,
							supError* error )
{
	*points = NULL;
	if ( flesh->method->listElements == NULL )
	{
		return true;
	}
	flesh->method->listElements( flesh->own, elements );
	bool ok = elements->arena.failed == false;
	// lines with colours are constraints, of which there may be two between the same points
	ok = ok && ( elements->colors != NULL || elements->kind == sup_elementsNone || MergeLines( elements ) );
	*points = ok ? FindRest( flesh, tasks, elements ) : NULL;
	if ( *points == NULL )
	{
		supFleshElements_Destroy( elements );
		return supSetMemoryError( error );
	}
	return true;
}

void supFleshElements_Destroy( supFleshElements* elements )
{
	supArena_Destroy( &elements->arena );
	*elements = ( supFleshElements ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------

bool supFlesh_FindLayers( const supFlesh* flesh, const supFleshDef* def, const supFleshElements* elements,
						  const supVec3* points, const supTasks* tasks, uint8_t* layers, supError* error )
{
	if ( elements->layers != NULL )
	{
		memcpy( layers, elements->layers, (size_t)elements->count );
		return true;
	}
	supBody body = { 0 };
	supVec3* middles = supAllocArray( (size_t)elements->count, sizeof( supVec3 ) );
	bool ok = middles != NULL ? supBody_Init( &body, flesh->character, LAYER_RESOLUTION, def, tasks, error )
							  : supSetMemoryError( error );
	for ( int32_t i = 0; i < elements->count && ok; ++i )
	{
		supVec3 sum = supVec3_zero;
		for ( int32_t k = 0; k < elements->cornerCount; ++k )
		{
			sum = supAdd( sum, points[elements->corners[i * elements->cornerCount + k]] );
		}
		middles[i] = supScale( 1.0f / (float)elements->cornerCount, sum );
	}
	if ( ok )
	{
		supCarryLayers( &body.layers, &body.voxels, middles, elements->count, tasks, layers );
	}
	supBody_Destroy( &body );
	supFree( middles );
	return ok;
}

bool supActor_ReadElements( const supActor* actor, int32_t pointCount, supVec3* positions, supError* error )
{
	size_t size = StateSize( actor->flesh );
	void* state = pointCount > 0 ? supAlloc( size ) : NULL;
	if ( pointCount > 0 && state == NULL )
	{
		return supSetMemoryError( error );
	}
	if ( state != NULL )
	{
		memcpy( state, actor->state, size );
		ReadParticles( actor->flesh, state, pointCount, positions );
	}
	supFree( state );
	return true;
}
