// SPDX-License-Identifier: MIT
#include "linear/subtrees.h"

#define MAX_SUBTREES 64

// Subtrees are cut until none has more than this part of all numbers: enough pieces for many threads, while what lies
// above them stays small.
#define LARGEST_SHARE 16

// Fewer numbers than this are not worth another piece (some microseconds).
#define LEAST_NUMBERS 16384

typedef struct Cutting
{
	const supSymbolic* symbolic;
	int64_t* weights; // of the subtree below each supernode, itself included
	int32_t* heads;   // children
	int32_t* siblings;
	int32_t* sizes; // supernodes of each subtree: they lie side by side
	bool joined;    // pieces are runs of whole trees
	int32_t roots[MAX_SUBTREES + 1];
	int32_t count;
} Cutting;

static bool PrepareCutting( Cutting* c, const supSymbolic* symbolic, supArena* scratch )
{
	size_t n = (size_t)symbolic->supernodeCount;
	c->symbolic = symbolic;
	c->weights = supArena_AllocArray( scratch, n, sizeof( int64_t ) );
	c->heads = supArena_AllocArray( scratch, n, sizeof( int32_t ) );
	c->siblings = supArena_AllocArray( scratch, n, sizeof( int32_t ) );
	c->sizes = supArena_AllocArray( scratch, n, sizeof( int32_t ) );
	if ( scratch->failed )
	{
		return false;
	}
	memset( c->heads, 0xff, n * sizeof( int32_t ) );
	memset( c->weights, 0, n * sizeof( int64_t ) );
	memset( c->sizes, 0, n * sizeof( int32_t ) );
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		const supSupernode* s = symbolic->supernodes + i;
		c->weights[i] += (int64_t)s->width * ( s->width + s->height );
		c->sizes[i] += 1;
		if ( s->parent >= 0 )
		{
			c->weights[s->parent] += c->weights[i];
			c->sizes[s->parent] += c->sizes[i];
			c->siblings[i] = c->heads[s->parent];
			c->heads[s->parent] = i;
		}
	}
	return true;
}

static int32_t CountChildren( const Cutting* c, int32_t supernode )
{
	int32_t count = 0;
	for ( int32_t child = c->heads[supernode]; child >= 0; child = c->siblings[child] )
	{
		count += 1;
	}
	return count;
}

// The heaviest subtree that is too heavy and can be replaced by its children, -1 for none.
static int32_t FindHeaviest( const Cutting* c, int64_t limit )
{
	int32_t heaviest = -1;
	for ( int32_t i = 0; i < c->count; ++i )
	{
		if ( c->weights[c->roots[i]] > limit && CountChildren( c, c->roots[i] ) + c->count - 1 <= MAX_SUBTREES &&
			 ( heaviest < 0 || c->weights[c->roots[i]] > c->weights[c->roots[heaviest]] ) )
		{
			heaviest = i;
		}
	}
	return heaviest;
}

static void SortRoots( Cutting* c )
{
	for ( int32_t i = 1; i < c->count; ++i )
	{
		int32_t root = c->roots[i], k = i;
		for ( ; k > 0 && c->roots[k - 1] > root; --k )
		{
			c->roots[k] = c->roots[k - 1];
		}
		c->roots[k] = root;
	}
}

// More trees than pieces are joined: they have no rows above, so that a run of them is as good as one.
static void CollectRoots( Cutting* c )
{
	const supSymbolic* symbolic = c->symbolic;
	int32_t rootCount = 0;
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		rootCount += symbolic->supernodes[i].parent < 0;
	}
	int32_t perPiece = ( rootCount + MAX_SUBTREES - 1 ) / MAX_SUBTREES, inPiece = 0;
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		inPiece += symbolic->supernodes[i].parent < 0;
		if ( inPiece > 0 && ( inPiece == perPiece || i + 1 == symbolic->supernodeCount ) )
		{
			c->roots[c->count++] = i;
			inPiece = 0;
		}
	}
	c->joined = perPiece > 1;
}

static void CutRoots( Cutting* c )
{
	int64_t total = 0;
	for ( int32_t i = 0; i < c->count; ++i )
	{
		total += c->weights[c->roots[i]];
	}
	int64_t limit = total / LARGEST_SHARE > LEAST_NUMBERS ? total / LARGEST_SHARE : LEAST_NUMBERS;
	for ( int32_t heaviest; ( heaviest = FindHeaviest( c, limit ) ) >= 0; )
	{
		int32_t root = c->roots[heaviest];
		c->roots[heaviest] = c->roots[--c->count];
		for ( int32_t child = c->heads[root]; child >= 0; child = c->siblings[child] )
		{
			c->roots[c->count++] = child;
		}
	}
	SortRoots( c );
}

// Subtrees are runs of supernodes, and what lies between them is the top.
static bool SetSubtrees( supSymbolic* symbolic, const Cutting* c )
{
	size_t most = (size_t)c->count;
	symbolic->subtrees = supArena_AllocArray( &symbolic->arena, most, sizeof( supSubtree ) );
	symbolic->subtreeQueue = supArena_AllocArray( &symbolic->arena, most, sizeof( int32_t ) );
	symbolic->tops = supArena_AllocArray( &symbolic->arena, (size_t)symbolic->supernodeCount, sizeof( int32_t ) );
	if ( symbolic->arena.failed )
	{
		return false;
	}
	symbolic->subtreeCount = c->count;
	symbolic->workCount = symbolic->unknownCount;
	for ( int32_t i = symbolic->supernodeCount - 1, k = c->count - 1; i >= 0; --i )
	{
		if ( k < 0 || c->roots[k] != i )
		{
			symbolic->tops[symbolic->topCount++] = i;
			continue;
		}
		int32_t first = i - c->sizes[i] + 1;
		if ( c->joined )
		{
			first = k > 0 ? c->roots[k - 1] + 1 : 0;
		}
		symbolic->subtrees[k] = ( supSubtree ){ first, i, symbolic->workCount };
		symbolic->workCount += symbolic->supernodes[i].height;
		i = first;
		k -= 1;
	}
	return true;
}

static void SetTargets( supSymbolic* symbolic )
{
	for ( int32_t i = 0; i < symbolic->topCount; ++i )
	{
		const supSupernode* s = symbolic->supernodes + symbolic->tops[i];
		memcpy( symbolic->rowTargets + s->rowStart, symbolic->rows + s->rowStart,
				(size_t)s->height * sizeof( int32_t ) );
	}
	for ( int32_t t = 0; t < symbolic->subtreeCount; ++t )
	{
		const supSubtree* subtree = symbolic->subtrees + t;
		const supSupernode* root = symbolic->supernodes + subtree->last;
		int32_t end = root->first + root->width;
		const int32_t* above = symbolic->rows + root->rowStart;
		for ( int32_t i = subtree->first; i <= subtree->last; ++i )
		{
			const supSupernode* s = symbolic->supernodes + i;
			for ( int32_t row = 0, at = 0; row < s->height; ++row )
			{
				int32_t unknown = symbolic->rows[s->rowStart + row];
				if ( unknown >= end )
				{
					while ( above[at] < unknown )
					{
						at += 1;
					}
					unknown = subtree->bufferStart + at;
				}
				symbolic->rowTargets[s->rowStart + row] = unknown;
			}
		}
	}
}

static void SortQueue( supSymbolic* symbolic, const Cutting* c )
{
	for ( int32_t i = 0; i < symbolic->subtreeCount; ++i )
	{
		int32_t k = i;
		int64_t weight = c->weights[symbolic->subtrees[i].last];
		for ( ; k > 0 && c->weights[symbolic->subtrees[symbolic->subtreeQueue[k - 1]].last] < weight; --k )
		{
			symbolic->subtreeQueue[k] = symbolic->subtreeQueue[k - 1];
		}
		symbolic->subtreeQueue[k] = i;
	}
}

bool supMakeSubtrees( supSymbolic* symbolic, supArena* scratch )
{
	Cutting cutting = { 0 };
	if ( PrepareCutting( &cutting, symbolic, scratch ) == false )
	{
		return false;
	}
	CollectRoots( &cutting );
	if ( cutting.joined == false )
	{
		CutRoots( &cutting );
	}
	if ( SetSubtrees( symbolic, &cutting ) == false )
	{
		return false;
	}
	// found from the last to the first; the order of elimination is the other way round
	for ( int32_t i = 0, k = symbolic->topCount - 1; i < k; ++i, --k )
	{
		int32_t swap = symbolic->tops[i];
		symbolic->tops[i] = symbolic->tops[k];
		symbolic->tops[k] = swap;
	}
	SetTargets( symbolic );
	SortQueue( symbolic, &cutting );
	return true;
}
