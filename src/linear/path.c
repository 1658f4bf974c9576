// SPDX-License-Identifier: MIT
#include "linear/path.h"

#include "linear/solve_layout.h"
#include "linear/sort_ints.h"

#define CALL( factor, name )                                                                                           \
	( ( factor )->precision == sup_precisionFloat ? SUP_CALL_KERNEL( name##Float ) : SUP_CALL_KERNEL( name##Double ) )

bool supPath_Create( supPath* path, const supSymbolic* symbolic, const supBlockMatrix* matrix, int32_t maxNodes,
					 supError* error )
{
	SUP_ASSERT( matrix->nodeCount == symbolic->nodeCount && matrix->unknownCount == symbolic->unknownCount );
	memset( path, 0, sizeof( *path ) );
	path->symbolic = symbolic;
	path->maxNodes = maxNodes;
	supArena* arena = &path->arena;
	size_t nodes = (size_t)symbolic->nodeCount, supernodes = (size_t)symbolic->supernodeCount;
	path->places = supArena_AllocArray( arena, (size_t)maxNodes * SUP_MAX_NODE_SIZE, sizeof( int32_t ) );
	path->supernodes = supArena_AllocArray( arena, supernodes, sizeof( int32_t ) );
	path->marks = supArena_AllocArray( arena, supernodes, 1 );
	path->sizes = supArena_AllocArray( arena, nodes, sizeof( int32_t ) );
	path->starts = supArena_AllocArray( arena, nodes, sizeof( int32_t ) );
	path->supernodeOf = supArena_AllocArray( arena, (size_t)symbolic->unknownCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		supPath_Destroy( path );
		return supSetMemoryError( error );
	}
	int32_t start = 0;
	for ( int32_t i = 0; i < symbolic->nodeCount; ++i )
	{
		int32_t node = symbolic->nodeOrder[i];
		path->starts[node] = start;
		path->sizes[node] = matrix->offsets[node + 1] - matrix->offsets[node];
		start += path->sizes[node];
	}
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		const supSupernode* s = symbolic->supernodes + i;
		for ( int32_t k = 0; k < s->width; ++k )
		{
			path->supernodeOf[s->first + k] = i;
		}
	}
	memset( path->marks, 0, supernodes );
	return true;
}

void supPath_Destroy( supPath* path )
{
	supArena_Destroy( &path->arena );
	memset( path, 0, sizeof( *path ) );
}

void supPath_SetNodes( supPath* path, const int32_t* nodes, int32_t nodeCount )
{
	SUP_ASSERT( nodeCount <= path->maxNodes );
	path->unknownCount = 0;
	path->supernodeCount = 0;
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		SUP_ASSERT( nodes[i] >= 0 && nodes[i] < path->symbolic->nodeCount );
		int32_t start = path->starts[nodes[i]];
		for ( int32_t k = 0; k < path->sizes[nodes[i]]; ++k )
		{
			path->places[path->unknownCount++] = start + k;
		}
		for ( int32_t s = path->supernodeOf[start]; s >= 0 && path->marks[s] == 0;
			  s = path->symbolic->supernodes[s].parent )
		{
			path->marks[s] = 1;
			path->supernodes[path->supernodeCount++] = s;
		}
	}
	supSortInts( path->supernodes, path->supernodeCount );
	for ( int32_t i = 0; i < path->supernodeCount; ++i )
	{
		path->marks[path->supernodes[i]] = 0;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Solving

static void ClearWork( const supPath* path, const supPanelJob* job, size_t numberSize )
{
	size_t place = (size_t)job->columns * numberSize;
	for ( int32_t i = 0; i < path->supernodeCount; ++i )
	{
		const supSupernode* s = path->symbolic->supernodes + path->supernodes[i];
		memset( (char*)job->work + (size_t)s->first * place, 0, (size_t)s->width * place );
	}
	// the last supernode of a subtree is on the path where any other of it is
	for ( int32_t t = 0, i = 0; t < path->symbolic->subtreeCount; ++t )
	{
		const supSubtree* subtree = path->symbolic->subtrees + t;
		while ( i < path->supernodeCount && path->supernodes[i] < subtree->last )
		{
			i += 1;
		}
		if ( i < path->supernodeCount && path->supernodes[i] == subtree->last )
		{
			memset( (char*)job->work + (size_t)subtree->bufferStart * place, 0,
					(size_t)path->symbolic->supernodes[subtree->last].height * place );
		}
	}
}

// Unknowns of the caller into the work vector, or back.
static void MoveUnknowns( const supPath* path, const supFactor* factor, const supPanelJob* job, double* x,
						  int32_t stride, bool in )
{
	for ( int32_t i = 0; i < path->unknownCount; ++i )
	{
		for ( int32_t c = 0; c < job->columns; ++c )
		{
			size_t at = (size_t)path->places[i] * (size_t)job->columns + (size_t)c;
			double* value = x + (size_t)i * (size_t)stride + c;
			if ( factor->precision == sup_precisionFloat )
			{
				float* work = job->work;
				work[at] = in ? (float)*value : work[at];
				*value = in ? *value : (double)work[at];
			}
			else
			{
				double* work = job->work;
				work[at] = in ? *value : work[at];
				*value = in ? *value : work[at];
			}
		}
	}
}

// Which subtree supernode i of the path is the last of, -1 for none.
static int32_t SubtreeEndingAt( const supPath* path, int32_t supernode, int32_t* next, int32_t step )
{
	const supSymbolic* symbolic = path->symbolic;
	while ( *next >= 0 && *next < symbolic->subtreeCount &&
			( step > 0 ? symbolic->subtrees[*next].last < supernode : symbolic->subtrees[*next].last > supernode ) )
	{
		*next += step;
	}
	return *next >= 0 && *next < symbolic->subtreeCount && symbolic->subtrees[*next].last == supernode ? *next : -1;
}

// One after the other: what a subtree gives to the unknowns above is there before they are reached.
static void SolveColumns( const supPath* path, const supFactor* factor, const supPanelJob* job, void* x, void* sums )
{
	int32_t next = 0;
	for ( int32_t i = 0; i < path->supernodeCount; ++i )
	{
		int32_t s = path->supernodes[i];
		CALL( factor, supForwardPanels )( job, s, s, x );
		int32_t subtree = SubtreeEndingAt( path, s, &next, 1 );
		if ( subtree >= 0 )
		{
			supMoveBuffer( factor, job, subtree, true );
		}
	}
	next = path->symbolic->subtreeCount - 1;
	for ( int32_t i = path->supernodeCount - 1; i >= 0; --i )
	{
		int32_t s = path->supernodes[i];
		int32_t subtree = SubtreeEndingAt( path, s, &next, -1 );
		if ( subtree >= 0 )
		{
			supMoveBuffer( factor, job, subtree, false );
		}
		CALL( factor, supBackwardPanels )( job, s, s, sums, x );
	}
}

void supPath_Solve( const supPath* path, const supFactor* factor, double* x, int32_t columns, void* scratch )
{
	SUP_ASSERT( columns >= 1 && factor->symbolic == path->symbolic );
	supSolveLayout layout = supMakeSolveLayout( factor, columns, 1 );
	supPanelJob job = factor->job;
	job.work = scratch;
	for ( int32_t column = 0; column < columns; column += job.columns )
	{
		job.columns = supColumnsAtOnce( columns - column );
		ClearWork( path, &job, layout.numberSize );
		MoveUnknowns( path, factor, &job, x + column, columns, true );
		SolveColumns( path, factor, &job, (char*)scratch + layout.xStart, (char*)scratch + layout.sumsStart );
		MoveUnknowns( path, factor, &job, x + column, columns, false );
	}
}
