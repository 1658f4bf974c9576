// SPDX-License-Identifier: MIT
#include "contact/detector.h"

#include "contact/detection.h"
#include "core/sort.h"
#include "core/tasks.h"

#include <stdatomic.h>

// Pairs of patches for each patch. Beyond that all patches are looked at, which is slower and finds the same.
#define PAIRS_PER_PATCH 32

#define NARROW_GRAIN 1

// What planes and boxes are off, in parts of the largest coordinate.
#define ROUNDING 2e-6f

// ---------------------------------------------------------------------------------------------------------------------
// Creating

// Where clusters are at rest, side by side.
static void FillRest( const supBodyState* b )
{
	for ( int32_t i = 0; i < b->skin->clusterCount; ++i )
	{
		supVec3 center = b->skin->clusters[i].center, mean = b->skin->frames[i].mean;
		supConeBlock* cone = b->cones + i / 8;
		supFrameBlock* frame = b->frames + i / 8;
		cone->center[0][i % 8] = center.x;
		cone->center[1][i % 8] = center.y;
		cone->center[2][i % 8] = center.z;
		cone->radius[i % 8] = b->skin->clusters[i].radius;
		frame->mean[0][i % 8] = mean.x;
		frame->mean[1][i % 8] = mean.y;
		frame->mean[2][i % 8] = mean.z;
		frame->radius[i % 8] = b->skin->frames[i].radius;
	}
}

static bool AllocateBody( supDetector* detector, supBodyState* b )
{
	supArena* arena = &detector->arena;
	size_t vertices = (size_t)b->skin->vertexCount, clusters = (size_t)b->skin->clusterCount;
	b->clusters = supArena_AllocArray( arena, clusters, sizeof( supClusterState ) );
	size_t blocks = ( clusters + 7 ) / 8;
	b->boxBlocks = supArena_AllocArray( arena, blocks, sizeof( supBoxBlock ) );
	b->cones = supArena_AllocArray( arena, blocks, sizeof( supConeBlock ) );
	b->frames = supArena_AllocArray( arena, blocks, sizeof( supFrameBlock ) );
	b->nows = supArena_AllocArray( arena, blocks, sizeof( supMotionBlock ) );
	b->befores = supArena_AllocArray( arena, blocks, sizeof( supMotionBlock ) );
	b->patches = supArena_AllocArray( arena, (size_t)b->skin->patchCount, sizeof( supPatchState ) );
	b->blocks = supArena_AllocArray( arena, clusters * SUP_CLUSTER_BLOCKS, sizeof( supTriangleBlock ) );
	b->normals = supArena_AllocArray( arena, vertices, sizeof( supVec3 ) );
	b->needed = supArena_AllocArray( arena, clusters, 1 );
	b->looked = supArena_AllocArray( arena, clusters, sizeof( *b->looked ) );
	b->counts = supArena_AllocArray( arena, vertices, 1 );
	b->found = supArena_AllocArray( arena, vertices * SUP_VERTEX_CONTACTS, sizeof( supFound ) );
	if ( arena->failed )
	{
		return false;
	}
	memset( b->patches, 0, (size_t)b->skin->patchCount * sizeof( supPatchState ) );
	memset( b->clusters, 0, clusters * sizeof( supClusterState ) );
	for ( size_t i = 0; i < 8 * blocks; ++i )
	{
		supSetInBlock( b->boxBlocks + i / 8, (int32_t)( i % 8 ), supBox_empty );
	}
	memset( b->cones, 0, blocks * sizeof( supConeBlock ) );
	memset( b->frames, 0, blocks * sizeof( supFrameBlock ) );
	memset( b->nows, 0, blocks * sizeof( supMotionBlock ) );
	memset( b->befores, 0, blocks * sizeof( supMotionBlock ) );
	FillRest( b );
	return true;
}

static bool AllocateShared( supDetector* detector )
{
	supArena* arena = &detector->arena;
	size_t patches = (size_t)detector->patchTotal, clusters = (size_t)detector->clusterTotal;
	size_t width = 1;
	while ( width < patches )
	{
		width *= 2;
	}
	detector->pairCapacity = detector->patchTotal * PAIRS_PER_PATCH;
	size_t pairs = (size_t)detector->pairCapacity, hits = (size_t)detector->maxHits;
	detector->patchPlaces = supArena_AllocArray( arena, patches, sizeof( supPlace ) );
	detector->clusterPlaces = supArena_AllocArray( arena, clusters, sizeof( supPlace ) );
	detector->boxes = supArena_AllocArray( arena, patches, sizeof( supBox ) );
	detector->keys = supArena_AllocArray( arena, patches, sizeof( uint64_t ) );
	detector->sorting = supArena_AllocArray( arena, patches, sizeof( uint64_t ) );
	detector->nodes = supArena_AllocArray( arena, 2 * width, sizeof( supBox ) );
	detector->leaves = supArena_AllocArray( arena, patches, sizeof( int32_t ) );
	detector->pairs = supArena_AllocArray( arena, pairs, sizeof( supPatchPair ) );
	detector->partners = supArena_AllocArray( arena, 2 * pairs, sizeof( supPartner ) );
	detector->prepared = supArena_AllocArray( arena, clusters, sizeof( int32_t ) );
	detector->active = supArena_AllocArray( arena, clusters, sizeof( int32_t ) );
	detector->hits = supArena_AllocArray( arena, hits, sizeof( supContactHit ) );
	detector->hitKeys =
		supArena_AllocArray( arena, 2 * SUP_VERTEX_CONTACTS * (size_t)detector->vertexTotal, sizeof( uint64_t ) );
	return arena->failed == false;
}

static void CountItems( supDetector* detector, const supContactSkin* const* skins, bool* tooMany )
{
	int64_t patches = 0, clusters = 0, vertices = 0;
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		supBodyState* b = detector->bodies + i;
		*b = ( supBodyState ){ .skin = skins[i],
							   .box = supBox_empty,
							   .firstPatch = (int32_t)patches,
							   .firstCluster = (int32_t)clusters,
							   .firstVertex = (int32_t)vertices };
		patches += skins[i]->patchCount;
		clusters += skins[i]->clusterCount;
		vertices += skins[i]->vertexCount;
		if ( patches > INT32_MAX / ( 2 * PAIRS_PER_PATCH ) || vertices > INT32_MAX / ( 2 * SUP_VERTEX_CONTACTS ) )
		{
			*tooMany = true;
			return;
		}
	}
	detector->patchTotal = (int32_t)patches;
	detector->clusterTotal = (int32_t)clusters;
	detector->vertexTotal = (int32_t)vertices;
}

static void FillPlaces( supDetector* detector )
{
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		const supBodyState* b = detector->bodies + i;
		for ( int32_t k = 0; k < b->skin->patchCount; ++k )
		{
			detector->patchPlaces[b->firstPatch + k] = ( supPlace ){ i, k };
		}
		for ( int32_t k = 0; k < b->skin->clusterCount; ++k )
		{
			detector->clusterPlaces[b->firstCluster + k] = ( supPlace ){ i, k };
		}
	}
}

static bool FillDetector( supDetector* detector, const supContactSkin* const* skins, int32_t maxHits )
{
	detector->bodies = supArena_AllocArray( &detector->arena, (size_t)detector->bodyCount, sizeof( supBodyState ) );
	bool tooMany = false;
	if ( detector->bodies != NULL )
	{
		CountItems( detector, skins, &tooMany );
	}
	detector->maxHits = maxHits > 0 ? maxHits : detector->vertexTotal;
	if ( detector->bodies == NULL || tooMany || AllocateShared( detector ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		if ( AllocateBody( detector, detector->bodies + i ) == false )
		{
			return false;
		}
	}
	FillPlaces( detector );
	return true;
}

supDetector* supCreateDetector( const supContactSkin* const* skins, int32_t bodyCount, int32_t maxHits,
								supError* error )
{
	SUP_ASSERT( bodyCount >= 0 && maxHits >= 0 );
	supDetector* detector = supAllocZeroed( sizeof( supDetector ) );
	if ( detector != NULL )
	{
		detector->bodyCount = bodyCount;
		if ( FillDetector( detector, skins, maxHits ) )
		{
			return detector;
		}
	}
	supDestroyDetector( detector );
	supSetMemoryError( error );
	return NULL;
}

void supDestroyDetector( supDetector* detector )
{
	if ( detector != NULL )
	{
		supArena_Destroy( &detector->arena );
		supFree( detector );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Running

void supDetector_Update( supDetector* detector, const supContactBody* bodies, const supTasks* tasks )
{
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		detector->bodies[i].body = bodies[i];
	}
	supUpdateBounds( detector, tasks );
	float largest = 0.0f;
	for ( int32_t i = 0; i < detector->bodyCount; ++i )
	{
		largest = supMaxFloat( largest, detector->bodies[i].scale );
	}
	detector->rounding = ROUNDING * largest;
}

static void NarrowRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDetector* detector = context;
	int32_t dropped = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		supPlace place = detector->clusterPlaces[detector->active[i]];
		dropped += supRunNarrow( detector, place.body, place.index );
	}
	if ( dropped > 0 )
	{
		atomic_fetch_add( &detector->dropped, dropped );
	}
}

static supContactHit MakeHit( const supBodyState* bodies, int32_t body, int32_t vertex, const supFound* found )
{
	const int32_t* corners = bodies[found->otherBody].skin->corners + 3 * (size_t)found->triangle;
	return ( supContactHit ){ .body = body,
							  .vertex = vertex,
							  .otherBody = found->otherBody,
							  .triangle = found->triangle,
							  .corners = { corners[0], corners[1], corners[2] },
							  .bary = { found->bary[0], found->bary[1], found->bary[2] },
							  .normal = found->normal,
							  .gap = found->gap,
							  .fold = found->fold };
}

// Floats in an order that integers have too.
static uint32_t OrderedBits( float value )
{
	uint32_t bits;
	memcpy( &bits, &value, sizeof( bits ) );
	return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// One key for each contact found: its gap, and which of all it is.
static int32_t ListKeys( const supDetector* detector )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < detector->activeCount; ++i )
	{
		supPlace place = detector->clusterPlaces[detector->active[i]];
		const supBodyState* b = detector->bodies + place.body;
		const supSkinCluster* cluster = b->skin->clusters + place.index;
		for ( int32_t v = cluster->firstVertex; v < cluster->firstVertex + cluster->vertexCount; ++v )
		{
			for ( int32_t k = 0; k < b->counts[v]; ++k )
			{
				uint32_t number = (uint32_t)( ( b->firstVertex + v ) * SUP_VERTEX_CONTACTS + k );
				float gap = b->found[(size_t)v * SUP_VERTEX_CONTACTS + (size_t)k].gap;
				detector->hitKeys[count++] = (uint64_t)OrderedBits( gap ) << 32 | number;
			}
		}
	}
	return count;
}

static void CollectHits( supDetector* detector )
{
	int32_t count = ListKeys( detector );
	if ( count > detector->maxHits )
	{
		// the deepest, then again in the order of bodies and vertices
		uint64_t* scratch = detector->hitKeys + SUP_VERTEX_CONTACTS * (size_t)detector->vertexTotal;
		supSortKeys( detector->hitKeys, scratch, (size_t)count, 64 );
		detector->stats.droppedHits += count - detector->maxHits;
		count = detector->maxHits;
		for ( int32_t i = 0; i < count; ++i )
		{
			detector->hitKeys[i] &= 0xFFFFFFFFu;
		}
		supSortKeys( detector->hitKeys, scratch, (size_t)count, 32 );
	}
	int32_t body = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t number = (int32_t)( detector->hitKeys[i] & 0xFFFFFFFFu );
		while ( body + 1 < detector->bodyCount &&
				number / SUP_VERTEX_CONTACTS >= detector->bodies[body + 1].firstVertex )
		{
			++body;
		}
		const supBodyState* b = detector->bodies + body;
		int32_t own = number - SUP_VERTEX_CONTACTS * b->firstVertex;
		detector->hits[i] = MakeHit( detector->bodies, body, own / SUP_VERTEX_CONTACTS, b->found + own );
	}
	detector->hitCount = count;
}

int32_t supDetector_Run( supDetector* detector, const supDetectorSettings* settings, const supTasks* tasks,
						 const supContactHit** hits )
{
	SUP_ASSERT( settings->margin >= 0.0f && settings->depth >= 0.0f );
	detector->settings = *settings;
	detector->reach = supMaxFloat( settings->margin, settings->depth ) + detector->rounding;
	detector->stats = ( supDetectorStats ){ .notFinite = atomic_load( &detector->notFinite ) };
	atomic_store( &detector->dropped, 0 );
	supFindPatchPairs( detector );
	supMeasureProxies( detector, tasks );
	supFilterPairs( detector, tasks );
	supListPartners( detector );
	supMeasureBends( detector, tasks );
	supChooseClusters( detector, tasks );
	supPrepareClusters( detector, tasks );
	supParallelFor( tasks, detector->activeCount, NARROW_GRAIN, NarrowRange, detector );
	detector->stats.droppedHits = atomic_load( &detector->dropped );
	CollectHits( detector );
	*hits = detector->hits;
	return detector->hitCount;
}

supDetectorStats supDetector_Stats( const supDetector* detector )
{
	return detector->stats;
}

int32_t supDetector_PatchCount( const supDetector* detector )
{
	return detector->patchTotal;
}

supDetectorPatch supDetector_Patch( const supDetector* detector, int32_t index )
{
	SUP_ASSERT( 0 <= index && index < detector->patchTotal );
	return ( supDetectorPatch ){ detector->patchPlaces[index].body, detector->patchPlaces[index].index };
}

int32_t supDetector_PairCount( const supDetector* detector )
{
	return detector->pairCount;
}

void supDetector_Pair( const supDetector* detector, int32_t index, int32_t patches[2] )
{
	SUP_ASSERT( 0 <= index && index < detector->pairCount );
	patches[0] = detector->pairs[index].first;
	patches[1] = detector->pairs[index].second;
}
