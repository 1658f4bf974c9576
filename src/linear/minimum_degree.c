// SPDX-License-Identifier: MIT
// Minimum degree on sets so small that the graph is a table of bits: eliminating a node is OR-ing its row into those of
// its neighbours.
#include "linear/minimum_degree.h"

#define BIT_COUNT ( 64 * SUP_LEAF_WORDS )

typedef struct Leaf
{
	int32_t count; // the set; behind it those around it, which are not eliminated here
	int32_t total;
	uint64_t rows[SUP_MAX_LEAF_NODES][SUP_LEAF_WORDS];
	int32_t degrees[SUP_MAX_LEAF_NODES];
	int32_t around[BIT_COUNT];
} Leaf;

static int32_t CountBits( uint64_t x )
{
	x -= x >> 1 & 0x5555555555555555u;
	x = ( x & 0x3333333333333333u ) + ( x >> 2 & 0x3333333333333333u );
	x = ( x + ( x >> 4 ) ) & 0x0f0f0f0f0f0f0f0fu;
	return (int32_t)( x * 0x0101010101010101u >> 56 );
}

static int32_t Degree( const uint64_t* row )
{
	int32_t degree = 0;
	for ( int w = 0; w < SUP_LEAF_WORDS; ++w )
	{
		degree += CountBits( row[w] );
	}
	return degree;
}

// Nodes around the set beyond what the table holds are left out: the order is then a little less good.
static void FillTable( Leaf* leaf, const supGraph* graph, const int32_t* nodes, int32_t* local )
{
	for ( int32_t i = 0; i < leaf->count; ++i )
	{
		local[nodes[i]] = i;
	}
	leaf->total = leaf->count;
	for ( int32_t i = 0; i < leaf->count; ++i )
	{
		memset( leaf->rows[i], 0, sizeof( leaf->rows[i] ) );
		for ( int32_t k = graph->rowStarts[nodes[i]]; k < graph->rowStarts[nodes[i] + 1]; ++k )
		{
			int32_t other = graph->columns[k];
			if ( local[other] < 0 && leaf->total < BIT_COUNT )
			{
				leaf->around[leaf->total] = other;
				local[other] = leaf->total++;
			}
			if ( local[other] >= 0 && local[other] != i )
			{
				leaf->rows[i][local[other] >> 6] |= 1ull << ( local[other] & 63 );
			}
		}
		leaf->degrees[i] = Degree( leaf->rows[i] );
	}
	for ( int32_t i = 0; i < leaf->count; ++i )
	{
		local[nodes[i]] = -1;
	}
	for ( int32_t i = leaf->count; i < leaf->total; ++i )
	{
		local[leaf->around[i]] = -1;
	}
}

static void Eliminate( Leaf* leaf, int32_t i )
{
	leaf->degrees[i] = INT32_MAX;
	for ( int32_t k = 0; k < leaf->count; ++k )
	{
		if ( ( leaf->rows[i][k >> 6] >> ( k & 63 ) & 1 ) == 0 )
		{
			continue;
		}
		for ( int w = 0; w < SUP_LEAF_WORDS; ++w )
		{
			leaf->rows[k][w] |= leaf->rows[i][w];
		}
		leaf->rows[k][i >> 6] &= ~( 1ull << ( i & 63 ) );
		leaf->rows[k][k >> 6] &= ~( 1ull << ( k & 63 ) );
		leaf->degrees[k] = Degree( leaf->rows[k] );
	}
}

void supOrderLeaf( const supGraph* graph, int32_t* nodes, int32_t count, int32_t* local )
{
	SUP_ASSERT( count <= SUP_MAX_LEAF_NODES );
	Leaf leaf;
	leaf.count = count;
	FillTable( &leaf, graph, nodes, local );
	int32_t order[SUP_MAX_LEAF_NODES];
	for ( int32_t k = 0; k < count; ++k )
	{
		int32_t best = 0;
		for ( int32_t i = 1; i < count; ++i )
		{
			best = leaf.degrees[i] < leaf.degrees[best] ? i : best;
		}
		order[k] = nodes[best];
		Eliminate( &leaf, best );
	}
	memcpy( nodes, order, (size_t)count * sizeof( int32_t ) );
}
