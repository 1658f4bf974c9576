// SPDX-License-Identifier: MIT
#include "linear/symbolic.h"

#include "linear/elimination.h"
#include "linear/sort_ints.h"
#include "linear/subtrees.h"

// While a symbolic factorisation is made.
typedef struct Build
{
	supSymbolic* symbolic;
	const supBlockMatrix* matrix;
	supArena scratch;
	supElimination elimination;
	int32_t* groupOf;        // by position
	int32_t* groupRowStarts; // the positions below each group, ascending
	int32_t* groupRows;
	int32_t* unknownStarts; // [nodeCount + 1], by position
	int32_t* supernodeOf;   // by unknown
} Build;

static int32_t NodeSize( const Build* b, int32_t position )
{
	return b->unknownStarts[position + 1] - b->unknownStarts[position];
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows of each group of columns

static int32_t CollectFromMatrix( const Build* b, int32_t group, int32_t* marks, int32_t* rows )
{
	const supElimination* e = &b->elimination;
	int32_t end = e->groupStarts[group + 1], count = 0;
	for ( int32_t i = e->groupStarts[group]; i < end; ++i )
	{
		int32_t node = e->order[i];
		for ( int32_t k = b->matrix->rowStarts[node]; k < b->matrix->rowStarts[node + 1]; ++k )
		{
			int32_t at = e->positions[b->matrix->columns[k]];
			if ( at >= end && marks[at] != group )
			{
				marks[at] = group;
				rows[count++] = at;
			}
		}
	}
	return count;
}

static int32_t CollectFromChild( const Build* b, int32_t group, int32_t child, int32_t* marks, int32_t* rows )
{
	int32_t end = b->elimination.groupStarts[group + 1], count = 0;
	for ( int32_t k = b->groupRowStarts[child]; k < b->groupRowStarts[child + 1]; ++k )
	{
		int32_t at = b->groupRows[k];
		if ( at >= end && marks[at] != group )
		{
			marks[at] = group;
			rows[count++] = at;
		}
	}
	return count;
}

// The rows of a group are those of its columns in the matrix and those of its children; how many is known already.
static bool FindGroupRows( Build* b )
{
	const supElimination* e = &b->elimination;
	size_t n = (size_t)b->matrix->nodeCount, groups = (size_t)e->groupCount;
	b->groupOf = supArena_AllocArray( &b->scratch, n, sizeof( int32_t ) );
	b->groupRowStarts = supArena_AllocArray( &b->scratch, groups + 1, sizeof( int32_t ) );
	int32_t* marks = supArena_AllocArray( &b->scratch, n, sizeof( int32_t ) );
	int32_t* heads = supArena_AllocArray( &b->scratch, groups, sizeof( int32_t ) );
	int32_t* siblings = supArena_AllocArray( &b->scratch, groups, sizeof( int32_t ) );
	if ( b->scratch.failed )
	{
		return false;
	}
	int64_t total = 0;
	for ( int32_t g = 0; g < e->groupCount; ++g )
	{
		heads[g] = -1;
		b->groupRowStarts[g] = (int32_t)total;
		total += e->counts[e->groupStarts[g + 1] - 1] - 1;
		for ( int32_t i = e->groupStarts[g]; i < e->groupStarts[g + 1]; ++i )
		{
			b->groupOf[i] = g;
		}
	}
	b->groupRowStarts[e->groupCount] = (int32_t)total;
	b->groupRows = total <= INT32_MAX ? supArena_AllocArray( &b->scratch, (size_t)total, sizeof( int32_t ) ) : NULL;
	if ( b->groupRows == NULL )
	{
		return false;
	}
	memset( marks, 0xff, n * sizeof( int32_t ) );
	for ( int32_t g = 0; g < e->groupCount; ++g )
	{
		int32_t* rows = b->groupRows + b->groupRowStarts[g];
		int32_t count = CollectFromMatrix( b, g, marks, rows );
		for ( int32_t child = heads[g]; child >= 0; child = siblings[child] )
		{
			count += CollectFromChild( b, g, child, marks, rows + count );
		}
		SUP_ASSERT( count == b->groupRowStarts[g + 1] - b->groupRowStarts[g] );
		supSortInts( rows, count );
		if ( count > 0 )
		{
			int32_t parent = b->groupOf[rows[0]];
			siblings[g] = heads[parent];
			heads[parent] = g;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Supernodes

// Where a supernode that starts at `begin` ends: at the end of its group, or before it gets too wide.
static int32_t CutGroup( const Build* b, int32_t begin, int32_t groupEnd )
{
	int32_t end = begin, width = 0;
	while ( end < groupEnd && width + NodeSize( b, end ) <= SUP_MAX_PANEL_WIDTH )
	{
		width += NodeSize( b, end++ );
	}
	return end;
}

// Unknowns of the rows below the positions [begin, end) of a group, written where `rows` is not NULL.
static int64_t ExpandRows( const Build* b, int32_t group, int32_t end, int32_t* rows )
{
	int32_t groupEnd = b->elimination.groupStarts[group + 1];
	int64_t count = 0;
	int32_t below = b->groupRowStarts[group + 1] - b->groupRowStarts[group];
	for ( int32_t i = 0; i < groupEnd - end + below; ++i )
	{
		int32_t position =
			end + i < groupEnd ? end + i : b->groupRows[b->groupRowStarts[group] + i - ( groupEnd - end )];
		for ( int32_t k = 0; k < NodeSize( b, position ); ++k, ++count )
		{
			if ( rows != NULL )
			{
				rows[count] = b->unknownStarts[position] + k;
			}
		}
	}
	return count;
}

static bool SetUnknowns( Build* b )
{
	supSymbolic* symbolic = b->symbolic;
	const supBlockMatrix* m = b->matrix;
	size_t n = (size_t)m->nodeCount;
	b->unknownStarts = supArena_AllocArray( &b->scratch, n + 1, sizeof( int32_t ) );
	symbolic->unknownOrder = supArena_AllocArray( &symbolic->arena, (size_t)m->unknownCount, sizeof( int32_t ) );
	if ( b->unknownStarts == NULL || symbolic->unknownOrder == NULL )
	{
		return false;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < m->nodeCount; ++i )
	{
		b->unknownStarts[i] = count;
		for ( int32_t k = m->offsets[symbolic->nodeOrder[i]]; k < m->offsets[symbolic->nodeOrder[i] + 1]; ++k )
		{
			symbolic->unknownOrder[count++] = k;
		}
	}
	b->unknownStarts[m->nodeCount] = count;
	return true;
}

static void SetPanelSizes( supSymbolic* symbolic, supSupernode* s )
{
	for ( int p = 0; p < 2; ++p )
	{
		int64_t tile = supTileRows( (supPrecision)p );
		int64_t tiles = ( s->width + tile - 1 ) / tile + ( s->height + tile - 1 ) / tile;
		s->panelStarts[p] = symbolic->panelCounts[p];
		symbolic->panelCounts[p] += tiles * tile * s->width;
	}
	symbolic->factorCount += (int64_t)s->width * ( s->width + 1 ) / 2 + (int64_t)s->width * s->height;
	for ( int32_t i = 0; i < s->width; ++i )
	{
		double length = s->width - i + s->height;
		symbolic->flops += length * length;
	}
	symbolic->maxHeight = s->height > symbolic->maxHeight ? s->height : symbolic->maxHeight;
}

// Visits the supernodes; fills them where `fill` is set, else counts them and their rows.
static int64_t VisitSupernodes( Build* b, bool fill )
{
	supSymbolic* symbolic = b->symbolic;
	const supElimination* e = &b->elimination;
	int64_t rowCount = 0;
	symbolic->supernodeCount = 0;
	for ( int32_t g = 0; g < e->groupCount; ++g )
	{
		int32_t groupEnd = e->groupStarts[g + 1], end;
		for ( int32_t begin = e->groupStarts[g]; begin < groupEnd; begin = end )
		{
			end = CutGroup( b, begin, groupEnd );
			int64_t height = ExpandRows( b, g, end, fill ? symbolic->rows + rowCount : NULL );
			int32_t index = symbolic->supernodeCount++;
			if ( fill )
			{
				supSupernode* s = symbolic->supernodes + index;
				*s = ( supSupernode ){ .first = b->unknownStarts[begin],
									   .width = b->unknownStarts[end] - b->unknownStarts[begin],
									   .height = (int32_t)height,
									   .parent = -1,
									   .rowStart = (int32_t)rowCount };
				SetPanelSizes( symbolic, s );
				for ( int32_t i = 0; i < s->width; ++i )
				{
					b->supernodeOf[s->first + i] = index;
				}
			}
			rowCount += height;
		}
	}
	return rowCount;
}

static bool MakeSupernodes( Build* b )
{
	supSymbolic* symbolic = b->symbolic;
	int64_t rowCount = VisitSupernodes( b, false );
	if ( rowCount > INT32_MAX )
	{
		return false;
	}
	symbolic->supernodes =
		supArena_AllocArray( &symbolic->arena, (size_t)symbolic->supernodeCount, sizeof( supSupernode ) );
	symbolic->rows = supArena_AllocArray( &symbolic->arena, (size_t)rowCount, sizeof( int32_t ) );
	symbolic->rowTargets = supArena_AllocArray( &symbolic->arena, (size_t)rowCount, sizeof( int32_t ) );
	b->supernodeOf = supArena_AllocArray( &b->scratch, (size_t)symbolic->unknownCount, sizeof( int32_t ) );
	if ( symbolic->arena.failed || b->supernodeOf == NULL )
	{
		return false;
	}
	VisitSupernodes( b, true );
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		supSupernode* s = symbolic->supernodes + i;
		s->parent = s->height > 0 ? b->supernodeOf[symbolic->rows[s->rowStart]] : -1;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Contributions between subtrees

// The end of the run of rows from `row` on that are columns of the same supernode.
static int32_t RunEnd( const Build* b, const supSupernode* s, int32_t row )
{
	const int32_t* rows = b->symbolic->rows + s->rowStart;
	const supSupernode* target = b->symbolic->supernodes + b->supernodeOf[rows[row]];
	int32_t end = row + 1;
	while ( end < s->height && rows[end] < target->first + target->width )
	{
		end += 1;
	}
	return end;
}

static bool MakeUpdates( Build* b )
{
	supSymbolic* symbolic = b->symbolic;
	int64_t total = 0;
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		const supSupernode* s = symbolic->supernodes + i;
		for ( int32_t row = 0; row < s->height; row = RunEnd( b, s, row ) )
		{
			symbolic->supernodes[b->supernodeOf[symbolic->rows[s->rowStart + row]]].updateEnd += 1;
			total += 1;
		}
	}
	symbolic->updates =
		total <= INT32_MAX ? supArena_AllocArray( &symbolic->arena, (size_t)total, sizeof( supPanelUpdate ) ) : NULL;
	if ( symbolic->updates == NULL )
	{
		return false;
	}
	int32_t start = 0;
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		supSupernode* s = symbolic->supernodes + i;
		int32_t count = s->updateEnd;
		s->updateStart = s->updateEnd = start;
		start += count;
	}
	for ( int32_t i = 0; i < symbolic->supernodeCount; ++i )
	{
		const supSupernode* s = symbolic->supernodes + i;
		for ( int32_t row = 0, end; row < s->height; row = end )
		{
			end = RunEnd( b, s, row );
			supSupernode* target = symbolic->supernodes + b->supernodeOf[symbolic->rows[s->rowStart + row]];
			symbolic->updates[target->updateEnd++] = ( supPanelUpdate ){ i, row, end };
		}
	}
	return true;
}

static int32_t FindRow( const int32_t* rows, int32_t count, int32_t unknown )
{
	int32_t low = 0, high = count;
	while ( low < high )
	{
		int32_t middle = low + ( high - low ) / 2;
		if ( rows[middle] < unknown )
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return low;
}

// The lower triangle in the order of elimination: blocks (column, row) of the matrix, which are read transposed.
static bool MakeBlocks( Build* b )
{
	supSymbolic* symbolic = b->symbolic;
	const supBlockMatrix* m = b->matrix;
	const supElimination* e = &b->elimination;
	size_t count = ( (size_t)m->blockCount + (size_t)m->nodeCount ) / 2;
	symbolic->blocks = supArena_AllocArray( &symbolic->arena, count, sizeof( supPanelBlock ) );
	if ( symbolic->blocks == NULL )
	{
		return false;
	}
	int32_t at = 0;
	for ( int32_t i = 0; i < m->nodeCount; ++i )
	{
		supSupernode* s = symbolic->supernodes + b->supernodeOf[b->unknownStarts[i]];
		if ( s->first == b->unknownStarts[i] )
		{
			s->blockStart = at;
		}
		int32_t node = e->order[i];
		for ( int32_t k = m->rowStarts[node]; k < m->rowStarts[node + 1]; ++k )
		{
			int32_t other = e->positions[m->columns[k]];
			if ( other < i )
			{
				continue;
			}
			int32_t unknown = b->unknownStarts[other], row = unknown - s->first;
			if ( row >= s->width )
			{
				row = s->width + FindRow( symbolic->rows + s->rowStart, s->height, unknown );
			}
			symbolic->blocks[at++] = ( supPanelBlock ){ k, row, b->unknownStarts[i] - s->first,
														(int16_t)NodeSize( b, other ), (int16_t)NodeSize( b, i ) };
		}
		s->blockEnd = at;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool CheckOrder( const int32_t* order, int32_t* copy, int32_t count, supArena* scratch, supError* error )
{
	uint8_t* seen = supArena_AllocZeroed( scratch, (size_t)count );
	if ( seen == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( order[i] < 0 || order[i] >= count || seen[order[i]] )
		{
			return supSetError( error, sup_errorArgument, "",
								"entry %d of the order, %d, is no permutation of %d nodes", i, order[i], count );
		}
		seen[order[i]] = 1;
		copy[i] = order[i];
	}
	return true;
}

static bool MakeOrder( Build* b, const supVec3* points, const int32_t* order, supError* error )
{
	supSymbolic* symbolic = b->symbolic;
	const supGraph graph = { b->matrix->nodeCount, b->matrix->rowStarts, b->matrix->columns };
	symbolic->nodeOrder = supArena_AllocArray( &symbolic->arena, (size_t)graph.nodeCount, sizeof( int32_t ) );
	if ( symbolic->nodeOrder == NULL )
	{
		return supSetMemoryError( error );
	}
	if ( order != NULL )
	{
		if ( CheckOrder( order, symbolic->nodeOrder, graph.nodeCount, &b->scratch, error ) == false )
		{
			return false;
		}
	}
	else if ( supOrderNodes( &graph, points, symbolic->nodeOrder ) == false )
	{
		return supSetMemoryError( error );
	}
	if ( supElimination_Create( &b->elimination, &b->scratch, &graph, b->matrix->offsets, symbolic->nodeOrder ) ==
		 false )
	{
		return supSetMemoryError( error );
	}
	return true;
}

bool supSymbolic_Create( supSymbolic* symbolic, const supBlockMatrix* matrix, const supVec3* points,
						 const int32_t* order, supError* error )
{
	memset( symbolic, 0, sizeof( *symbolic ) );
	symbolic->nodeCount = matrix->nodeCount;
	symbolic->unknownCount = matrix->unknownCount;
	symbolic->blockCount = matrix->blockCount;
	Build build = { .symbolic = symbolic, .matrix = matrix };
	bool ok = MakeOrder( &build, points, order, error );
	if ( ok && !( FindGroupRows( &build ) && SetUnknowns( &build ) && MakeSupernodes( &build ) &&
				  MakeUpdates( &build ) && MakeBlocks( &build ) && supMakeSubtrees( symbolic, &build.scratch ) ) )
	{
		ok = supSetMemoryError( error );
	}
	supArena_Destroy( &build.scratch );
	if ( ok == false )
	{
		supSymbolic_Destroy( symbolic );
	}
	return ok;
}

void supSymbolic_Destroy( supSymbolic* symbolic )
{
	supArena_Destroy( &symbolic->arena );
	memset( symbolic, 0, sizeof( *symbolic ) );
}
