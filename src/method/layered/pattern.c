// SPDX-License-Identifier: MIT
// Who moves whom: links of nodes, nodes of links, pairs of links with nodes in common, and the pattern of the
// skeleton's matrix that follows.
#include "method/layered/layered.h"

typedef struct Maker
{
	supArena scratch;
	supLayeredFlesh* flesh;
	supError* error;
	int32_t* pairOf; // of two links, -1 where they have nothing in common: links * links
} Maker;

static bool ListNodes( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t points = flesh->layer.outerCount, links = flesh->links.count, total = 0;
	flesh->nodeStarts = supArena_AllocArray( &flesh->arena, (size_t)points + 1, sizeof( int32_t ) );
	flesh->linkStarts = supArena_AllocZeroed( &flesh->arena, ( (size_t)links + 2 ) * sizeof( int32_t ) );
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
			bool isMoved = flesh->pointWeights[slot] > 0.0f;
			total += isMoved;
			flesh->linkStarts[flesh->pointLinks[slot] + 2] += isMoved && a < flesh->skin.nodeCount;
		}
	}
	flesh->nodeStarts[points] = total;
	for ( int32_t i = 0; i < links; ++i )
	{
		flesh->linkStarts[i + 2] += flesh->linkStarts[i + 1];
	}
	flesh->nodeLinks = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( int32_t ) );
	flesh->nodeWeights = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( double ) );
	flesh->linkNodes = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( int32_t ) );
	flesh->linkWeights = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( double ) );
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
			if ( flesh->pointWeights[slot] > 0.0f )
			{
				flesh->nodeLinks[at] = flesh->pointLinks[slot];
				flesh->nodeWeights[at++] = (double)flesh->pointWeights[slot];
				sum += (double)flesh->pointWeights[slot];
			}
		}
		for ( int32_t k = flesh->nodeStarts[a]; k < at; ++k )
		{
			flesh->nodeWeights[k] /= sum;
			if ( a < flesh->skin.nodeCount )
			{
				int32_t place = flesh->linkStarts[flesh->nodeLinks[k] + 1]++;
				flesh->linkNodes[place] = a;
				flesh->linkWeights[place] = flesh->nodeWeights[k];
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Pairs

static void CountPair( Maker* maker, int32_t i, int32_t j, int32_t nodes )
{
	supLayeredFlesh* flesh = maker->flesh;
	int32_t lower = i < j ? i : j, upper = i < j ? j : i;
	int32_t* pair = maker->pairOf + (int64_t)lower * flesh->links.count + upper;
	if ( *pair < 0 )
	{
		*pair = flesh->pairCount++;
		flesh->pairs[*pair] = ( supLinkPair ){ .i = lower, .j = upper };
	}
	flesh->pairs[*pair].end += nodes;
}

static void CountPairs( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		CountPair( maker, i, i, 0 );
		if ( flesh->links.links[i].parent >= 0 )
		{
			CountPair( maker, i, flesh->links.links[i].parent, 0 );
		}
	}
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			for ( int32_t n = k; n < flesh->nodeStarts[a + 1]; ++n )
			{
				CountPair( maker, flesh->nodeLinks[k], flesh->nodeLinks[n], 1 );
			}
		}
	}
}

static bool ListPairs( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	size_t links = (size_t)flesh->links.count;
	// a node has 36 pairs of different links at most
	size_t most = links * ( links + 1 ) / 2;
	maker->pairOf = supArena_AllocArray( &maker->scratch, links * links, sizeof( int32_t ) );
	flesh->pairs = supArena_AllocArray( &flesh->arena, most, sizeof( supLinkPair ) );
	if ( maker->scratch.failed || flesh->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	memset( maker->pairOf, 0xFF, links * links * sizeof( int32_t ) );
	CountPairs( maker );
	int32_t total = 0;
	for ( int32_t p = 0; p < flesh->pairCount; ++p )
	{
		int32_t count = flesh->pairs[p].end;
		flesh->pairs[p].start = flesh->pairs[p].end = total;
		total += count;
	}
	flesh->pairNodes = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( int32_t ) );
	flesh->pairWeights = supArena_AllocArray( &flesh->arena, (size_t)total, sizeof( double ) );
	return flesh->arena.failed == false || supSetMemoryError( maker->error );
}

static void FillPairs( Maker* maker )
{
	supLayeredFlesh* flesh = maker->flesh;
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			for ( int32_t n = k; n < flesh->nodeStarts[a + 1]; ++n )
			{
				int32_t i = flesh->nodeLinks[k], j = flesh->nodeLinks[n];
				int32_t lower = i < j ? i : j, upper = i < j ? j : i;
				supLinkPair* pair = flesh->pairs + maker->pairOf[(int64_t)lower * flesh->links.count + upper];
				flesh->pairNodes[pair->end] = a;
				flesh->pairWeights[pair->end++] = flesh->nodeWeights[k] * flesh->nodeWeights[n];
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
	int32_t* nodes = supArena_AllocArray( &maker->scratch, 2 * (size_t)flesh->pairCount, sizeof( int32_t ) );
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
	for ( int32_t p = 0; p < flesh->pairCount; ++p )
	{
		nodes[2 * p] = flesh->pairs[p].i;
		nodes[2 * p + 1] = flesh->pairs[p].j;
	}
	supElements elements = { flesh->pairCount, 2, NULL, nodes };
	if ( supBlockMatrix_Create( &flesh->bones, flesh->links.count, 0, sizes, &elements, maker->error ) == false )
	{
		return false;
	}
	for ( int32_t p = 0; p < flesh->pairCount; ++p )
	{
		supLinkPair* pair = flesh->pairs + p;
		pair->block = supBlockMatrix_Find( &flesh->bones, pair->i, pair->j );
		pair->transposed = supBlockMatrix_Find( &flesh->bones, pair->j, pair->i );
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

bool supLayeredFlesh_Finish( supLayeredFlesh* flesh, supError* error )
{
	Maker maker = { .flesh = flesh, .error = error };
	bool ok = ListNodes( &maker );
	if ( ok )
	{
		FillNodes( flesh );
		ok = ListPairs( &maker );
	}
	if ( ok )
	{
		FillPairs( &maker );
		ok = MakeMatrix( &maker );
	}
	supArena_Destroy( &maker.scratch );
	return ok;
}
