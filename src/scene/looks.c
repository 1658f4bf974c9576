// SPDX-License-Identifier: MIT
// The looks of flesh: edges against rest and skinning, distance from skinning over time.
//
// Thresholds and definitions are those of the project's measuring script, so that its figures and these are the same
// numbers: sums are taken in double, edges are the distinct ones of each instance, degenerate ones included.
#include "supple/looks.h"

#include "core/arena.h"
#include "core/sort.h"

#include <math.h>
#include <stdlib.h>

// Of the size: an edge that is longer by this is torn, and one that is shorter to begin with cannot be crushed.
#define TORN_EXCESS 0.03
#define LEAST_CRUSHED 0.01

// Of the longer and of the shorter of both lengths.
#define TORN_RATIO 1.3
#define CRUSHED_RATIO 0.35

// Of the vertices, from stillest to liveliest: the one that `alive` is taken at.
#define ALIVE_PERCENTILE 0.9

// supLooks_Verdict, in the units of supLooks.
#define MOST_TORN 0.1f
#define MOST_WORST 5.0f
#define MOST_CRUSHED 2.0f
#define MOST_FAR 30.0f
#define LEAST_ALIVE 0.35f

// Running mean and sum of squares about it (Welford), of one vertex' offset from skinning. The sum is over all axes.
typedef struct Spread
{
	double mean[3];
	double squares;
} Spread;

struct supLooksMeter
{
	supArena arena;
	const supCharacter* character;
	int32_t instanceCount;
	const int32_t* vertexStarts; // instanceCount + 1
	const int32_t* edgeStarts;   // instanceCount + 1
	const int32_t* edges;        // two vertices of the instance each
	const float* lengths;        // at rest
	supVec3* skin;               // of all vertices, this frame
	const supVec3** positions;   // of each instance, this frame
	Spread* spreads;
	double size;
	// over all frames
	int32_t frameCount;
	int64_t torn;
	double worst, far;    // metres
	int32_t crushedEdges; // in the worst frame
	bool isFinite;
};

// ---------------------------------------------------------------------------------------------------------------------
// The character at rest

static const supMesh* MeshOf( const supCharacter* character, int32_t instance )
{
	return supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
}

static void SkinAll( const supLooksMeter* meter, supPose* pose, const supTasks* tasks )
{
	for ( int32_t i = 0; i < meter->instanceCount; ++i )
	{
		supSkinInstance( pose, i, sup_skinningLinear, tasks,
						 &( supSkinOutput ){ .positions = meter->skin + meter->vertexStarts[i] } );
	}
}

static bool AllocateVertices( supLooksMeter* meter )
{
	size_t instances = (size_t)meter->instanceCount;
	int32_t* starts = supArena_AllocZeroed( &meter->arena, ( instances + 1 ) * sizeof( int32_t ) );
	if ( starts == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < meter->instanceCount; ++i )
	{
		starts[i + 1] = starts[i] + MeshOf( meter->character, i )->vertexCount;
	}
	size_t count = (size_t)starts[instances];
	meter->vertexStarts = starts;
	meter->skin = supArena_AllocArray( &meter->arena, count, sizeof( supVec3 ) );
	meter->positions = supArena_AllocArray( &meter->arena, instances, sizeof( supVec3* ) );
	meter->spreads = supArena_AllocZeroed( &meter->arena, count * sizeof( Spread ) );
	return meter->arena.failed == false;
}

static double FindSize( const supLooksMeter* meter )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < meter->vertexStarts[meter->instanceCount]; ++i )
	{
		box = supBox_Include( box, meter->skin[i] );
	}
	double x = (double)box.upper.x - (double)box.lower.x, y = (double)box.upper.y - (double)box.lower.y;
	double z = (double)box.upper.z - (double)box.lower.z;
	return meter->vertexStarts[meter->instanceCount] > 0 ? sqrt( x * x + y * y + z * z ) : 0.0;
}

// Distinct edges of a mesh, as keys; returns how many.
static size_t ListEdges( const supMesh* mesh, uint64_t* keys, uint64_t* scratch )
{
	size_t count = (size_t)mesh->indexCount, distinct = 0;
	for ( int32_t k = 0; k < mesh->indexCount; ++k )
	{
		uint64_t from = mesh->indices[k], to = mesh->indices[k % 3 == 2 ? k - 2 : k + 1];
		keys[k] = from < to ? from << 32 | to : to << 32 | from;
	}
	supSortKeys( keys, scratch, count, 64 );
	for ( size_t i = 0; i < count; ++i )
	{
		if ( i == 0 || keys[i] != keys[i - 1] )
		{
			keys[distinct++] = keys[i];
		}
	}
	return distinct;
}

// With meter->skin at rest.
static bool FindEdges( supLooksMeter* meter )
{
	size_t most = 0;
	for ( int32_t i = 0; i < meter->instanceCount; ++i )
	{
		most += (size_t)MeshOf( meter->character, i )->indexCount;
	}
	int32_t* starts = supArena_AllocZeroed( &meter->arena, ( (size_t)meter->instanceCount + 1 ) * sizeof( int32_t ) );
	// a closed surface has every edge twice, so that half of this is air
	int32_t* edges = supArena_AllocArray( &meter->arena, 2 * most, sizeof( int32_t ) );
	float* lengths = supArena_AllocArray( &meter->arena, most, sizeof( float ) );
	uint64_t* keys = supAllocArray( 2 * most + 1, sizeof( uint64_t ) );
	bool ok = meter->arena.failed == false && keys != NULL;
	for ( int32_t i = 0; ok && i < meter->instanceCount; ++i )
	{
		size_t count = ListEdges( MeshOf( meter->character, i ), keys, keys + most );
		const supVec3* rest = meter->skin + meter->vertexStarts[i];
		for ( size_t k = 0; k < count; ++k )
		{
			int64_t at = starts[i] + (int64_t)k;
			edges[2 * at] = (int32_t)( keys[k] >> 32 );
			edges[2 * at + 1] = (int32_t)( keys[k] & UINT32_MAX );
			lengths[at] = supDistance( rest[edges[2 * at]], rest[edges[2 * at + 1]] );
		}
		starts[i + 1] = starts[i] + (int32_t)count;
	}
	supFree( keys );
	meter->edgeStarts = starts;
	meter->edges = edges;
	meter->lengths = lengths;
	return ok;
}

static bool Prepare( supLooksMeter* meter )
{
	supPose* rest = supCreatePose( meter->character );
	bool ok = rest != NULL && AllocateVertices( meter );
	if ( ok )
	{
		SkinAll( meter, rest, NULL );
		meter->size = FindSize( meter );
		ok = FindEdges( meter );
	}
	supDestroyPose( rest );
	return ok;
}

supLooksMeter* supCreateLooksMeter( const supCharacter* character )
{
	supLooksMeter* meter = supAllocZeroed( sizeof( supLooksMeter ) );
	if ( meter == NULL )
	{
		return NULL;
	}
	meter->character = character;
	meter->instanceCount = supCharacter_InstanceCount( character );
	meter->isFinite = true;
	if ( Prepare( meter ) == false )
	{
		supDestroyLooksMeter( meter );
		return NULL;
	}
	return meter;
}

void supDestroyLooksMeter( supLooksMeter* meter )
{
	if ( meter != NULL )
	{
		supArena_Destroy( &meter->arena );
		supFree( meter );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames

static double LengthOf( const supVec3* positions, const int32_t* edge )
{
	supVec3 a = positions[edge[0]], b = positions[edge[1]];
	double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y, z = (double)b.z - (double)a.z;
	return sqrt( x * x + y * y + z * z );
}

static int32_t MeasureEdges( supLooksMeter* meter, int32_t instance )
{
	const supVec3* drawn = meter->positions[instance];
	const supVec3* skin = meter->skin + meter->vertexStarts[instance];
	double size = meter->size;
	int32_t crushed = 0;
	for ( int32_t e = meter->edgeStarts[instance]; e < meter->edgeStarts[instance + 1]; ++e )
	{
		const int32_t* edge = meter->edges + 2 * (ptrdiff_t)e;
		double rest = (double)meter->lengths[e], skinned = LengthOf( skin, edge ), now = LengthOf( drawn, edge );
		double longer = fmax( rest, skinned ), shorter = fmin( rest, skinned );
		if ( now > TORN_RATIO * longer )
		{
			meter->torn += now - longer > TORN_EXCESS * size;
			meter->worst = fmax( meter->worst, now - longer );
		}
		crushed += now < CRUSHED_RATIO * shorter && shorter > LEAST_CRUSHED * size;
	}
	return crushed;
}

static void MeasureOffsets( supLooksMeter* meter, int32_t instance )
{
	const supVec3* drawn = meter->positions[instance];
	const supVec3* skin = meter->skin + meter->vertexStarts[instance];
	Spread* spreads = meter->spreads + meter->vertexStarts[instance];
	double share = 1.0 / (double)meter->frameCount;
	for ( int32_t k = 0; k < meter->vertexStarts[instance + 1] - meter->vertexStarts[instance]; ++k )
	{
		double offset[3] = { (double)drawn[k].x - (double)skin[k].x, (double)drawn[k].y - (double)skin[k].y,
							 (double)drawn[k].z - (double)skin[k].z };
		double square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
		if ( !( square < INFINITY ) )
		{
			meter->isFinite = false;
			continue;
		}
		meter->far = fmax( meter->far, sqrt( square ) );
		for ( int32_t a = 0; a < 3; ++a )
		{
			double change = offset[a] - spreads[k].mean[a];
			spreads[k].mean[a] += share * change;
			spreads[k].squares += change * ( offset[a] - spreads[k].mean[a] );
		}
	}
}

// With meter->positions set.
static void MeasureFrame( supLooksMeter* meter, supPose* pose, const supTasks* tasks )
{
	SkinAll( meter, pose, tasks );
	meter->frameCount += 1;
	int32_t crushed = 0;
	for ( int32_t i = 0; i < meter->instanceCount; ++i )
	{
		MeasureOffsets( meter, i );
		crushed += MeasureEdges( meter, i );
	}
	meter->crushedEdges = crushed > meter->crushedEdges ? crushed : meter->crushedEdges;
}

void supLooksMeter_AddActor( supLooksMeter* meter, supActor* actor, const supTasks* tasks )
{
	SUP_ASSERT( supFlesh_Character( supActor_Flesh( actor ) ) == meter->character );
	for ( int32_t i = 0; i < meter->instanceCount; ++i )
	{
		meter->positions[i] = supActor_Positions( actor, i );
	}
	MeasureFrame( meter, supActor_Pose( actor ), tasks );
}

void supLooksMeter_AddFrame( supLooksMeter* meter, supPose* pose, const supVec3* const* positions,
							 const supTasks* tasks )
{
	for ( int32_t i = 0; i < meter->instanceCount; ++i )
	{
		meter->positions[i] = positions[i];
	}
	MeasureFrame( meter, pose, tasks );
}

// ---------------------------------------------------------------------------------------------------------------------
// Results

static int CompareDoubles( const void* a, const void* b )
{
	double x = *(const double*)a, y = *(const double*)b;
	return ( x > y ) - ( x < y );
}

// Metres; interpolated between vertices. Negative when out of memory.
static double FindAlive( const supLooksMeter* meter )
{
	int32_t count = meter->vertexStarts[meter->instanceCount];
	if ( count == 0 )
	{
		return 0.0;
	}
	double* values = supAllocArray( (size_t)count, sizeof( double ) );
	if ( values == NULL )
	{
		return -1.0;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		values[i] = sqrt( meter->spreads[i].squares / (double)meter->frameCount );
	}
	qsort( values, (size_t)count, sizeof( double ), CompareDoubles );
	double place = ALIVE_PERCENTILE * (double)( count - 1 );
	int32_t below = (int32_t)place, above = below + 1 < count ? below + 1 : below;
	double alive = values[below] + ( place - (double)below ) * ( values[above] - values[below] );
	supFree( values );
	return alive;
}

bool supLooksMeter_Get( const supLooksMeter* meter, supLooks* looks )
{
	*looks = ( supLooks ){ .frameCount = meter->frameCount, .isFinite = meter->isFinite };
	if ( meter->frameCount == 0 || !( meter->size > 0.0 ) )
	{
		return true;
	}
	double alive = FindAlive( meter ), percent = 100.0 / meter->size;
	int32_t edgeCount = meter->edgeStarts[meter->instanceCount];
	looks->torn = (float)( (double)meter->torn / (double)meter->frameCount );
	looks->worst = (float)( percent * meter->worst );
	looks->crushed = edgeCount > 0 ? (float)( 1000.0 * (double)meter->crushedEdges / (double)edgeCount ) : 0.0f;
	looks->alive = (float)( percent * alive );
	looks->far = (float)( percent * meter->far );
	return alive >= 0.0;
}

supVerdict supLooks_Verdict( const supLooks* looks )
{
	bool isTorn = looks->isFinite == false || looks->torn > MOST_TORN || looks->worst > MOST_WORST ||
				  looks->crushed > MOST_CRUSHED || looks->far > MOST_FAR;
	return isTorn ? sup_verdictTorn : looks->alive < LEAST_ALIVE ? sup_verdictStill : sup_verdictGood;
}

const char* supVerdictName( supVerdict verdict )
{
	static const char* const names[sup_verdictCount] = { "good", "still", "torn" };
	SUP_ASSERT( 0 <= (int)verdict && verdict < sup_verdictCount );
	return names[verdict];
}
