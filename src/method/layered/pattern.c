// SPDX-License-Identifier: MIT
// Coupling: frames of nodes, nodes of frames, pairs of frames with nodes in common, and the pattern of the
// skeleton's matrix that follows.
#include "method/layered/layered.h"

#include <stdlib.h>

typedef struct Maker
{
	supArena scratch;
	supLayeredFlesh* flesh;
	supError* error;
	int32_t* pairOf; // of a frame with the one at hand, of the last that it had one with
} Maker;

static bool ListNodes( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t points = flesh->layer.outerCount, frames = flesh->frameCount, total = 0;
	flesh->nodeStarts = supArena_AllocArray( &flesh->arena, (size_t)points + 1, sizeof( int32_t ) );
	flesh->frameStarts = supArena_AllocZeroed( &flesh->arena, ( (size_t)frames + 2 ) * sizeof( int32_t ) );
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t a = 0; a < points; ++a )
	{
		flesh->nodeStarts[a] = total;
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			int64_t slot = (int64_t)SUP_MAX_INFLUENCES * a + k;
			bool isMoved = flesh->pointFrameWeights[slot] > 0.0f;
			total += isMoved;
			flesh->frameStarts[flesh->pointFrames[slot] + 2] += isMoved && a < flesh->skin.nodeCount;
		}
	}
	flesh->nodeStarts[points] = total;
	for ( int32_t i = 0; i < frames; ++i )
	{
		flesh->frameStarts[i + 2] += flesh->frameStarts[i + 1];
	}
	flesh->nodeFrames = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( int32_t ) );
	flesh->nodeWeights = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( double ) );
	flesh->frameNodes = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( int32_t ) );
	flesh->frameWeights = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( double ) );
	return flesh->arena.failed == false || supSetMemoryError( maker->error );
}

// Weights sum to 1 in double too.
static void FillNodes( supLayeredFlesh* flesh )
{
	for ( int32_t a = 0; a < flesh->layer.outerCount; ++a )
	{
		int32_t at = flesh->nodeStarts[a];
		double sum = 0.0;
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			int64_t slot = (int64_t)SUP_MAX_INFLUENCES * a + k;
			if ( flesh->pointFrameWeights[slot] > 0.0f )
			{
				flesh->nodeFrames[at] = flesh->pointFrames[slot];
				flesh->nodeWeights[at++] = (double)flesh->pointFrameWeights[slot];
				sum += (double)flesh->pointFrameWeights[slot];
			}
		}
		for ( int32_t k = flesh->nodeStarts[a]; k < at; ++k )
		{
			flesh->nodeWeights[k] /= sum;
			if ( a < flesh->skin.nodeCount )
			{
				int32_t place = flesh->frameStarts[flesh->nodeFrames[k] + 1]++;
				flesh->frameNodes[place] = a;
				flesh->frameWeights[place] = flesh->nodeWeights[k];
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Pairs

static void CountPair( Maker* maker, supFramePair* pairs, int32_t first, int32_t i, int32_t j, int32_t nodes )
{
	supLayeredFlesh* flesh = maker->flesh;
	if ( maker->pairOf[j] < first )
	{
		maker->pairOf[j] = flesh->pairCount++;
	}
	if ( pairs != NULL )
	{
		supFramePair* pair = pairs + maker->pairOf[j];
		pair->i = i;
		pair->j = j;
		pair->end += nodes;
	}
}

// Visits each pair of frames with nodes in common, or that are a link and its parent, and each frame with itself: the
// lower frame first, pairs of one frame side by side. Without pairs to fill it only counts.
static void VisitPairs( Maker* maker, supFramePair* pairs, int32_t* nodeTotal )
{
	supLayeredFlesh* flesh = maker->flesh;
	flesh->pairCount = *nodeTotal = 0;
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		int32_t first = flesh->pairCount;
		CountPair( maker, pairs, first, i, i, 0 );
		for ( int32_t j = i + 1; j < flesh->links.count; ++j )
		{
			if ( flesh->links.links[j].parent == i )
			{
				CountPair( maker, pairs, first, i, j, 0 );
			}
		}
		for ( int32_t k = flesh->frameStarts[i]; k < flesh->frameStarts[i + 1]; ++k )
		{
			int32_t a = flesh->frameNodes[k];
			for ( int32_t n = flesh->nodeStarts[a]; n < flesh->nodeStarts[a + 1]; ++n )
			{
				if ( flesh->nodeFrames[n] >= i )
				{
					CountPair( maker, pairs, first, i, flesh->nodeFrames[n], 1 );
					*nodeTotal += 1;
				}
			}
		}
	}
}

static int ComparePairs( const void* a, const void* b )
{
	const supFramePair *first = a, *second = b;
	return first->i != second->i ? first->i - second->i : first->j - second->j;
}

static bool ListPairs( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t total = 0;
	maker->pairOf = supArena_AllocArray( &maker->scratch, (size_t)flesh->frameCount, sizeof( int32_t ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	memset( maker->pairOf, 0xFF, (size_t)flesh->frameCount * sizeof( int32_t ) );
	VisitPairs( maker, NULL, &total );
	flesh->pairs = supArena_AllocZeroed( &flesh->arena, (size_t)flesh->pairCount * sizeof( supFramePair ) );
	flesh->pairNodes = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( int32_t ) );
	flesh->pairWeights = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( double ) );
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	memset( maker->pairOf, 0xFF, (size_t)flesh->frameCount * sizeof( int32_t ) );
	VisitPairs( maker, flesh->pairs, &total );
	// frames between the same links side by side
	qsort( flesh->pairs, (size_t)flesh->pairCount, sizeof( supFramePair ), ComparePairs );
	total = 0;
	for ( int32_t p = 0; p < flesh->pairCount; ++p )
	{
		int32_t count = flesh->pairs[p].end;
		flesh->pairs[p].start = flesh->pairs[p].end = total;
		total += count;
	}
	return true;
}

// Pairs of a frame follow each other.
static void FillPairs( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t p = 0;
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		for ( ; p < flesh->pairCount && flesh->pairs[p].i == i; ++p )
		{
			maker->pairOf[flesh->pairs[p].j] = p;
		}
		for ( int32_t k = flesh->frameStarts[i]; k < flesh->frameStarts[i + 1]; ++k )
		{
			int32_t a = flesh->frameNodes[k];
			for ( int32_t n = flesh->nodeStarts[a]; n < flesh->nodeStarts[a + 1]; ++n )
			{
				if ( flesh->nodeFrames[n] >= i )
				{
					supFramePair* pair = flesh->pairs + maker->pairOf[flesh->nodeFrames[n]];
					flesh->pairNodes[pair->end] = a;
					flesh->pairWeights[pair->end++] = flesh->frameWeights[k] * flesh->nodeWeights[n];
				}
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The matrix

static bool MakeMatrix( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	size_t links = (size_t)flesh->links.count;
	int32_t* sizes = supArena_AllocArray( &maker->scratch, links, sizeof( int32_t ) );
	int32_t* nodes = supArena_AllocArray( &maker->scratch, 8 * (size_t)flesh->pairCount, sizeof( int32_t ) );
	supVec3* points = supArena_AllocArray( &maker->scratch, links, sizeof( supVec3 ) );
	if ( maker->scratch.failed )
	{
		return supSetMemoryError( maker->error );
	}
	for ( size_t i = 0; i < links; ++i )
	{
		sizes[i] = 6 + supJointRows[flesh->links.links[i].kind];
		points[i] = supNarrowVec3( flesh->links.links[i].center );
	}
	int32_t count = 0;
	for ( int32_t p = 0; p < flesh->pairCount; ++p )
	{
		const supFrame *first = flesh->frames + flesh->pairs[p].i, *second = flesh->frames + flesh->pairs[p].j;
		for ( int32_t e = 0; e < 4; ++e )
		{
			if ( first->links[e / 2] >= 0 && second->links[e % 2] >= 0 )
			{
				nodes[2 * count] = first->links[e / 2];
				nodes[2 * count++ + 1] = second->links[e % 2];
			}
		}
	}
	supElements elements = { count, 2, NULL, nodes };
	if ( supBlockMatrix_Create( &flesh->bones, flesh->links.count, 0, sizes, &elements, maker->error ) == false )
	{
		return false;
	}
	for ( int32_t p = 0; p < flesh->pairCount; ++p )
	{
		supFramePair* pair = flesh->pairs + p;
		for ( int32_t e = 0; e < 4; ++e )
		{
			int32_t i = flesh->frames[pair->i].links[e / 2], j = flesh->frames[pair->j].links[e % 2];
			bool isBlock = i >= 0 && j >= 0;
			pair->blocks[e / 2][e % 2] = isBlock ? supBlockMatrix_Find( &flesh->bones, i, j ) : -1;
			pair->transposed[e / 2][e % 2] = isBlock ? supBlockMatrix_Find( &flesh->bones, j, i ) : -1;
		}
	}
	return supSymbolic_Create( &flesh->symbolic, &flesh->bones, points, NULL, maker->error );
}

bool supLayeredFlesh_FinishBinding( supLayeredFlesh* flesh, supError* error )
{
	size_t count = (size_t)flesh->binding.pointCount;
	const supTets* tets = &flesh->layer.tets;
	bool* hasTets = supAllocZeroed( count );
	flesh->held = supArena_AllocArray( &flesh->arena, count, sizeof( int32_t ) );
	flesh->loose = supArena_AllocArray( &flesh->arena, count, sizeof( int32_t ) );
	if ( hasTets == NULL || flesh->arena.failed )
	{
		supFree( hasTets );
		return supSetMemoryError( error );
	}
	flesh->heldCount = supSurfaceBinding_ListHeld( &flesh->binding, flesh->held );
	for ( int64_t i = 0; i < 4 * (int64_t)tets->tetCount; ++i )
	{
		hasTets[tets->indices[i]] = true;
	}
	for ( int32_t i = 0; i < flesh->heldCount; ++i )
	{
		flesh->loose[flesh->looseCount] = flesh->held[i];
		flesh->looseCount += hasTets[flesh->held[i]] == false;
	}
	supFree( hasTets );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Shifts

// Weights below this are rounding.
#define LEAST_SHIFT_WEIGHT 1e-6f

// Adds one to a point's list, no frame twice.
static void AddShift( uint16_t* frames, float* weights, int32_t* count, uint16_t frame, float weight )
{
	int32_t at = 0;
	while ( at < *count && frames[at] != frame )
	{
		at += 1;
	}
	weights[at] = weight + ( at < *count ? weights[at] : 0.0f );
	frames[at] = frame;
	*count += at == *count;
}

// Most points ride on one bone, where frames and links agree.
static int32_t FindShifts( const supLayeredFlesh* flesh, int32_t point, uint16_t* frames, float* weights )
{
	uint16_t all[2 * SUP_MAX_INFLUENCES];
	float sums[2 * SUP_MAX_INFLUENCES];
	int32_t allCount = 0, count = 0;
	for ( size_t k = SUP_MAX_INFLUENCES * (size_t)point; k < SUP_MAX_INFLUENCES * ( (size_t)point + 1 ); ++k )
	{
		AddShift( all, sums, &allCount, flesh->pointFrames[k], flesh->pointFrameWeights[k] );
		AddShift( all, sums, &allCount, flesh->pointLinks[k], -flesh->pointWeights[k] );
	}
	for ( int32_t i = 0; i < allCount; ++i )
	{
		if ( sums[i] > LEAST_SHIFT_WEIGHT || sums[i] < -LEAST_SHIFT_WEIGHT )
		{
			frames[count] = all[i];
			weights[count++] = sums[i];
		}
	}
	return count;
}

static bool ListShifts( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t points = flesh->layer.tets.pointCount, total = 0;
	uint16_t frames[2 * SUP_MAX_INFLUENCES];
	float weights[2 * SUP_MAX_INFLUENCES];
	flesh->shiftStarts = supArena_AllocArray( &flesh->arena, (size_t)points + 1, sizeof( int32_t ) );
	for ( int32_t i = 0; i < points && flesh->arena.failed == false; ++i )
	{
		flesh->shiftStarts[i] = total;
		total += FindShifts( flesh, i, frames, weights );
	}
	flesh->shiftFrames = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( uint16_t ) );
	flesh->shiftWeights = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( float ) );
	if ( flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	flesh->shiftStarts[points] = total;
	for ( int32_t i = 0; i < points; ++i )
	{
		int32_t count = FindShifts( flesh, i, frames, weights );
		memcpy( flesh->shiftFrames + flesh->shiftStarts[i], frames, (size_t)count * sizeof( uint16_t ) );
		memcpy( flesh->shiftWeights + flesh->shiftStarts[i], weights, (size_t)count * sizeof( float ) );
	}
	return true;
}

bool supLayeredFlesh_Finish( supLayeredFlesh* flesh, supError* error )
{
	Maker maker = { .flesh = flesh, .error = error };
	bool ok = supLayeredFlesh_MakeFrames( flesh, error ) && ListShifts( &maker ) && ListNodes( &maker );
	if ( ok )
	{
		FillNodes( flesh );
		ok = ListPairs( &maker );
	}
	if ( ok )
	{
		FillPairs( &maker );
		ok = MakeMatrix( &maker ) && supLayeredFlesh_FindTriangles( flesh, error );
	}
	supArena_Destroy( &maker.scratch );
	return ok;
}
