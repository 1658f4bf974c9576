// SPDX-License-Identifier: MIT
#include "method/points/pack_elements.h"

// Groups that are filled side by side while looking for elements that have no point in common.
#define OPEN_GROUPS 8

#define KINDS 3

typedef struct Packing
{
	supPointBody* body;
	const supElements* kinds[KINDS];
	int32_t* order[KINDS];  // elements, chunk by chunk
	int32_t* starts[KINDS]; // first of each chunk in `order`
	int32_t* slots;         // of a point in the chunk at hand
	int32_t* touched;       // chunk that touched a point last, -1 before
	int32_t* touches;       // by how many chunks a point is touched
	int32_t* copies;        // first copy of a point, then the next to be given out
	int32_t* grouped;       // elements of a chunk, group by group
} Packing;

static int32_t ChunkOf( const supElements* elements, int32_t element )
{
	const int32_t* p = elements->points + (int64_t)elements->arity * element;
	int32_t first = p[0];
	for ( int32_t i = 1; i < elements->arity; ++i )
	{
		first = p[i] < first ? p[i] : first;
	}
	return first / SUP_POINT_CHUNK;
}

// Counting sort, stable.
static void SortByChunk( Packing* packing, int32_t kind )
{
	const supElements* elements = packing->kinds[kind];
	int32_t chunkCount = packing->body->chunkCount;
	int32_t* starts = packing->starts[kind];
	memset( starts, 0, ( (size_t)chunkCount + 2 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < elements->count; ++i )
	{
		starts[ChunkOf( elements, i ) + 2] += 1;
	}
	for ( int32_t c = 0; c < chunkCount; ++c )
	{
		starts[c + 2] += starts[c + 1];
	}
	// starts[c + 1] is where chunk c begins, and where it ends when all are placed
	for ( int32_t i = 0; i < elements->count; ++i )
	{
		packing->order[kind][starts[ChunkOf( elements, i ) + 1]++] = i;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Shared points

typedef void TouchFcn( Packing* packing, int32_t point );

// Calls for each point that a chunk touches, in order.
static void ForEachTouch( Packing* packing, int32_t chunk, TouchFcn* function )
{
	for ( int32_t k = 0; k < KINDS; ++k )
	{
		const supElements* elements = packing->kinds[k];
		for ( int32_t i = packing->starts[k][chunk]; i < packing->starts[k][chunk + 1]; ++i )
		{
			const int32_t* p = elements->points + (int64_t)elements->arity * packing->order[k][i];
			for ( int32_t j = 0; j < elements->arity; ++j )
			{
				if ( packing->touched[p[j]] != chunk )
				{
					packing->touched[p[j]] = chunk;
					function( packing, p[j] );
				}
			}
		}
	}
}

static void CountTouch( Packing* packing, int32_t point )
{
	packing->touches[point] += 1;
}

// The first chunk works on the point itself, each later one on a copy.
static void ChooseSlot( Packing* packing, int32_t point )
{
	packing->slots[point] = packing->touches[point] > 0 ? point : packing->copies[point]++;
	packing->touches[point] = 0;
}

static bool ListShared( Packing* packing )
{
	supPointBody* body = packing->body;
	int32_t shared = 0, slots = body->pointCount;
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		shared += packing->touches[i] > 1;
	}
	body->sharedCount = shared;
	body->sharedPoints = supArena_AllocArray( &body->arena, (size_t)shared, sizeof( int32_t ) );
	body->sharedStarts = supArena_AllocArray( &body->arena, (size_t)shared + 1, sizeof( int32_t ) );
	if ( body->arena.failed )
	{
		return false;
	}
	shared = 0;
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		packing->copies[i] = slots;
		if ( packing->touches[i] > 1 )
		{
			body->sharedPoints[shared] = i;
			body->sharedStarts[shared++] = slots;
			slots += packing->touches[i] - 1;
		}
	}
	body->sharedStarts[shared] = slots;
	body->slotCount = slots;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Blocks

typedef struct Group
{
	int32_t count;
	int32_t elements[SUP_POINT_LANES];
} Group;

static bool HasCommonPoint( const supElements* elements, const Group* group, int32_t element )
{
	const int32_t* p = elements->points + (int64_t)elements->arity * element;
	for ( int32_t g = 0; g < group->count; ++g )
	{
		const int32_t* q = elements->points + (int64_t)elements->arity * group->elements[g];
		for ( int32_t i = 0; i < elements->arity; ++i )
		{
			for ( int32_t j = 0; j < elements->arity; ++j )
			{
				if ( p[i] == q[j] )
				{
					return true;
				}
			}
		}
	}
	return false;
}

// Lanes of a block add their forces one after another. Where they go to different points they need not wait for each
// other, so elements are put together that have no point in common, as far as that is easily found.
static void GroupElements( Packing* packing, int32_t kind, int32_t chunk )
{
	const supElements* elements = packing->kinds[kind];
	const int32_t* order = packing->order[kind];
	Group open[OPEN_GROUPS] = { 0 };
	int32_t openCount = 0, done = 0;
	for ( int32_t i = packing->starts[kind][chunk]; i < packing->starts[kind][chunk + 1]; ++i )
	{
		int32_t g = 0;
		while ( g < openCount && HasCommonPoint( elements, open + g, order[i] ) )
		{
			g += 1;
		}
		if ( g == openCount )
		{
			openCount += openCount < OPEN_GROUPS;
			g = openCount - 1;
		}
		Group* group = open + g;
		group->elements[group->count++] = order[i];
		if ( group->count == SUP_POINT_LANES )
		{
			memcpy( packing->grouped + done, group->elements, sizeof( group->elements ) );
			done += SUP_POINT_LANES;
			*group = open[--openCount];
			open[openCount].count = 0;
		}
	}
	for ( int32_t g = 0; g < openCount; ++g )
	{
		memcpy( packing->grouped + done, open[g].elements, (size_t)open[g].count * sizeof( int32_t ) );
		done += open[g].count;
	}
}

// One over the square of twice the area of all faces of a tet.
static float FindInverseSize( const supVec3* rest, const int32_t* corners )
{
	supVec3 o = rest[corners[0]];
	supVec3 e1 = supSub( rest[corners[1]], o ), e2 = supSub( rest[corners[2]], o ), e3 = supSub( rest[corners[3]], o );
	supVec3 g1 = supCross( e2, e3 ), g2 = supCross( e3, e1 ), g3 = supCross( e1, e2 );
	float size = supLength( g1 ) + supLength( g2 ) + supLength( g3 ) + supLength( supAdd( supAdd( g1, g2 ), g3 ) );
	return 1.0f / ( size * size );
}

// A block is [arity][8] points, then rests, then weights; tets have sizes as well.
static void FillBlock( const Packing* packing, const supElements* elements, const int32_t* list, int32_t count,
					   void* block )
{
	int32_t* points = block;
	float* rests = (float*)( points + SUP_POINT_LANES * elements->arity );
	float* weights = rests + SUP_POINT_LANES;
	for ( int32_t lane = 0; lane < SUP_POINT_LANES; ++lane )
	{
		int32_t element = list[lane < count ? lane : count - 1];
		for ( int32_t k = 0; k < elements->arity; ++k )
		{
			int32_t point = elements->points[(int64_t)elements->arity * element + k];
			points[SUP_POINT_LANES * k + lane] = packing->slots[point];
		}
		rests[lane] = elements->inverseRests[element];
		weights[lane] = lane < count ? elements->weights[element] : 0.0f;
		if ( elements->arity == 4 )
		{
			weights[SUP_POINT_LANES + lane] =
				FindInverseSize( packing->body->rest, elements->points + 4 * (int64_t)element );
		}
	}
}

static int32_t FillChunk( Packing* packing, int32_t kind, int32_t chunk, void* blocks, size_t blockSize )
{
	int32_t count = packing->starts[kind][chunk + 1] - packing->starts[kind][chunk];
	int32_t blockCount = ( count + SUP_POINT_LANES - 1 ) / SUP_POINT_LANES;
	GroupElements( packing, kind, chunk );
	for ( int32_t b = 0; b < blockCount; ++b )
	{
		int32_t left = count - SUP_POINT_LANES * b;
		FillBlock( packing, packing->kinds[kind], packing->grouped + SUP_POINT_LANES * b,
				   left < SUP_POINT_LANES ? left : SUP_POINT_LANES, (char*)blocks + (size_t)b * blockSize );
	}
	return blockCount;
}

static int32_t CountBlocks( const Packing* packing, int32_t kind )
{
	int32_t blocks = 0;
	for ( int32_t c = 0; c < packing->body->chunkCount; ++c )
	{
		int32_t count = packing->starts[kind][c + 1] - packing->starts[kind][c];
		blocks += ( count + SUP_POINT_LANES - 1 ) / SUP_POINT_LANES;
	}
	return blocks;
}

static void FillChunks( Packing* packing )
{
	supPointBody* body = packing->body;
	supPointChunk at = { 0, 0, 0 };
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		packing->touched[i] = -1;
	}
	for ( int32_t c = 0; c < body->chunkCount; ++c )
	{
		ForEachTouch( packing, c, ChooseSlot );
		body->chunks[c] = at;
		at.edgeStart += FillChunk( packing, 0, c, body->edgeBlocks + at.edgeStart, sizeof( supEdgeBlock ) );
		at.triangleStart +=
			FillChunk( packing, 1, c, body->triangleBlocks + at.triangleStart, sizeof( supTriangleBlock ) );
		at.tetStart += FillChunk( packing, 2, c, body->tetBlocks + at.tetStart, sizeof( supTetBlock ) );
	}
	body->chunks[body->chunkCount] = at;
}

static bool AllocPacking( Packing* packing, supArena* scratch )
{
	supPointBody* body = packing->body;
	size_t points = (size_t)body->pointCount;
	int32_t most = 0;
	for ( int32_t k = 0; k < KINDS; ++k )
	{
		int32_t count = packing->kinds[k]->count;
		most = count > most ? count : most;
		packing->order[k] = supArena_AllocArray( scratch, (size_t)count, sizeof( int32_t ) );
		packing->starts[k] = supArena_AllocArray( scratch, (size_t)body->chunkCount + 2, sizeof( int32_t ) );
	}
	packing->slots = supArena_AllocArray( scratch, points, sizeof( int32_t ) );
	packing->touched = supArena_AllocArray( scratch, points, sizeof( int32_t ) );
	packing->touches = supArena_AllocArray( scratch, points, sizeof( int32_t ) );
	packing->copies = supArena_AllocArray( scratch, points, sizeof( int32_t ) );
	packing->grouped = supArena_AllocArray( scratch, (size_t)most, sizeof( int32_t ) );
	return scratch->failed == false;
}

static bool AllocBlocks( Packing* packing )
{
	supPointBody* body = packing->body;
	body->edgeBlockCount = CountBlocks( packing, 0 );
	body->triangleBlockCount = CountBlocks( packing, 1 );
	body->tetBlockCount = CountBlocks( packing, 2 );
	body->chunks = supArena_AllocArray( &body->arena, (size_t)body->chunkCount + 1, sizeof( supPointChunk ) );
	body->edgeBlocks = supArena_AllocArray( &body->arena, (size_t)body->edgeBlockCount, sizeof( supEdgeBlock ) );
	body->triangleBlocks =
		supArena_AllocArray( &body->arena, (size_t)body->triangleBlockCount, sizeof( supTriangleBlock ) );
	body->tetBlocks = supArena_AllocArray( &body->arena, (size_t)body->tetBlockCount, sizeof( supTetBlock ) );
	return body->arena.failed == false;
}

bool supPackElements( supPointBody* body, const supElements* edges, const supElements* triangles,
					  const supElements* tets )
{
	supArena scratch = { 0 };
	Packing packing = { .body = body, .kinds = { edges, triangles, tets } };
	body->chunkCount = ( body->pointCount + SUP_POINT_CHUNK - 1 ) / SUP_POINT_CHUNK;
	body->edgeCount = edges->count;
	body->triangleCount = triangles->count;
	body->tetCount = tets->count;
	bool ok = AllocPacking( &packing, &scratch );
	if ( ok )
	{
		for ( int32_t i = 0; i < body->pointCount; ++i )
		{
			packing.touched[i] = -1;
			packing.touches[i] = 0;
		}
		for ( int32_t k = 0; k < KINDS; ++k )
		{
			SortByChunk( &packing, k );
		}
		for ( int32_t c = 0; c < body->chunkCount; ++c )
		{
			ForEachTouch( &packing, c, CountTouch );
		}
		ok = ListShared( &packing ) && AllocBlocks( &packing );
	}
	if ( ok )
	{
		FillChunks( &packing );
	}
	supArena_Destroy( &scratch );
	return ok;
}
