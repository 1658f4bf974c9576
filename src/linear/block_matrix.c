// SPDX-License-Identifier: MIT
#include "linear/block_matrix.h"

#include "core/tasks.h"
#include "linear/block_matrix_kernel.h"
#include "linear/sort_ints.h"

#define ROWS_PER_PIECE 256

// ---------------------------------------------------------------------------------------------------------------------
// Pattern

static int32_t FirstOf( const supElements* elements, int32_t e )
{
	return elements->starts != NULL ? elements->starts[e] : e * elements->width;
}

// Which elements are at each node: starts[node] to starts[node + 1] of `items`, ascending.
typedef struct Incidence
{
	int32_t* starts;
	int32_t* items;
} Incidence;

static bool CheckElements( const supElements* elements, int32_t nodeCount, supError* error )
{
	if ( elements->starts == NULL && (int64_t)elements->count * elements->width > INT32_MAX )
	{
		return supSetError( error, sup_errorTooLarge, "", "%d elements of %d nodes are more than 2^31 corners",
							elements->count, elements->width );
	}
	for ( int32_t e = 0; e < elements->count; ++e )
	{
		for ( int32_t k = FirstOf( elements, e ); k < FirstOf( elements, e + 1 ); ++k )
		{
			if ( elements->nodes[k] >= nodeCount )
			{
				return supSetError( error, sup_errorArgument, "", "element %d uses node %d of %d", e,
									elements->nodes[k], nodeCount );
			}
		}
	}
	return true;
}

static bool FindIncidence( Incidence* incidence, supArena* arena, const supElements* elements, int32_t nodeCount )
{
	int32_t cornerCount = FirstOf( elements, elements->count );
	incidence->starts = supArena_AllocArray( arena, (size_t)nodeCount + 2, sizeof( int32_t ) );
	incidence->items = supArena_AllocArray( arena, (size_t)cornerCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	// counted two places ahead, so that filling leaves each start where it belongs
	memset( incidence->starts, 0, ( (size_t)nodeCount + 2 ) * sizeof( int32_t ) );
	for ( int32_t k = 0; k < cornerCount; ++k )
	{
		if ( elements->nodes[k] >= 0 )
		{
			incidence->starts[elements->nodes[k] + 2] += 1;
		}
	}
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		incidence->starts[i + 2] += incidence->starts[i + 1];
	}
	for ( int32_t e = 0; e < elements->count; ++e )
	{
		for ( int32_t k = FirstOf( elements, e ); k < FirstOf( elements, e + 1 ); ++k )
		{
			if ( elements->nodes[k] >= 0 )
			{
				incidence->items[incidence->starts[elements->nodes[k] + 1]++] = e;
			}
		}
	}
	return true;
}

// The neighbours of a row, itself included, sorted into `columns` where that is not NULL. `marks` is -1 or a row.
static int32_t CollectRow( const supElements* elements, const Incidence* incidence, int32_t row, int32_t* marks,
						   int32_t* columns )
{
	int32_t count = 0;
	marks[row] = row;
	if ( columns != NULL )
	{
		columns[count] = row;
	}
	count += 1;
	for ( int32_t i = incidence->starts[row]; i < incidence->starts[row + 1]; ++i )
	{
		int32_t e = incidence->items[i];
		for ( int32_t k = FirstOf( elements, e ); k < FirstOf( elements, e + 1 ); ++k )
		{
			int32_t node = elements->nodes[k];
			if ( node < 0 || marks[node] == row )
			{
				continue;
			}
			marks[node] = row;
			if ( columns != NULL )
			{
				columns[count] = node;
			}
			count += 1;
		}
	}
	if ( columns != NULL )
	{
		supSortInts( columns, count );
	}
	return count;
}

static bool FindPattern( supBlockMatrix* m, const supElements* elements, supArena* scratch, supError* error )
{
	size_t n = (size_t)m->nodeCount;
	Incidence incidence;
	int32_t* marks = supArena_AllocArray( scratch, n, sizeof( int32_t ) );
	m->rowStarts = supArena_AllocArray( &m->arena, n + 1, sizeof( int32_t ) );
	if ( marks == NULL || m->rowStarts == NULL || !FindIncidence( &incidence, scratch, elements, m->nodeCount ) )
	{
		return supSetMemoryError( error );
	}
	memset( marks, 0xff, n * sizeof( int32_t ) );
	int64_t blockCount = 0;
	for ( int32_t row = 0; row < m->nodeCount; ++row )
	{
		m->rowStarts[row] = (int32_t)blockCount;
		blockCount += CollectRow( elements, &incidence, row, marks, NULL );
		if ( blockCount > INT32_MAX )
		{
			return supSetError( error, sup_errorTooLarge, "", "the matrix has more than 2^31 blocks" );
		}
	}
	m->rowStarts[m->nodeCount] = (int32_t)blockCount;
	m->blockCount = (int32_t)blockCount;
	m->columns = supArena_AllocArray( &m->arena, (size_t)blockCount, sizeof( int32_t ) );
	if ( m->columns == NULL )
	{
		return supSetMemoryError( error );
	}
	memset( marks, 0xff, n * sizeof( int32_t ) );
	for ( int32_t row = 0; row < m->nodeCount; ++row )
	{
		CollectRow( elements, &incidence, row, marks, m->columns + m->rowStarts[row] );
	}
	return true;
}

// Checked before anything is allocated for them.
static bool CountUnknowns( supBlockMatrix* m, const int32_t* sizes, supError* error )
{
	int64_t count = 0;
	for ( int32_t i = 0; i < m->nodeCount; ++i )
	{
		int32_t size = sizes != NULL ? sizes[i] : m->nodeSize;
		if ( size < 1 || size > SUP_MAX_NODE_SIZE )
		{
			return supSetError( error, sup_errorArgument, "", "node %d has %d unknowns; 1 to %d are possible", i, size,
								SUP_MAX_NODE_SIZE );
		}
		count += size;
	}
	if ( count > INT32_MAX )
	{
		return supSetError( error, sup_errorTooLarge, "", "the matrix has more than 2^31 unknowns" );
	}
	m->unknownCount = (int32_t)count;
	return true;
}

static bool SetOffsets( supBlockMatrix* m, const int32_t* sizes, supError* error )
{
	m->offsets = supArena_AllocArray( &m->arena, (size_t)m->nodeCount + 1, sizeof( int32_t ) );
	if ( m->offsets == NULL )
	{
		return supSetMemoryError( error );
	}
	m->offsets[0] = 0;
	for ( int32_t i = 0; i < m->nodeCount; ++i )
	{
		m->offsets[i + 1] = m->offsets[i] + ( sizes != NULL ? sizes[i] : m->nodeSize );
	}
	return true;
}

static bool SetValues( supBlockMatrix* m, supError* error )
{
	m->blockStarts = supArena_AllocArray( &m->arena, (size_t)m->blockCount + 1, sizeof( int32_t ) );
	if ( m->blockStarts == NULL )
	{
		return supSetMemoryError( error );
	}
	int64_t start = 0;
	for ( int32_t row = 0; row < m->nodeCount; ++row )
	{
		int32_t rows = m->offsets[row + 1] - m->offsets[row];
		for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1]; ++k )
		{
			m->blockStarts[k] = (int32_t)start;
			start += (int64_t)rows * ( m->offsets[m->columns[k] + 1] - m->offsets[m->columns[k]] );
			if ( start > INT32_MAX - SUP_BLOCK_PADDING )
			{
				return supSetError( error, sup_errorTooLarge, "", "the matrix has more than 2^31 values" );
			}
		}
	}
	m->blockStarts[m->blockCount] = (int32_t)start;
	m->values = supArena_AllocArray( &m->arena, (size_t)start + SUP_BLOCK_PADDING, sizeof( double ) );
	if ( m->values == NULL )
	{
		return supSetMemoryError( error );
	}
	memset( m->values, 0, ( (size_t)start + SUP_BLOCK_PADDING ) * sizeof( double ) );
	return true;
}

bool supBlockMatrix_Create( supBlockMatrix* matrix, int32_t nodeCount, int32_t nodeSize, const int32_t* sizes,
							const supElements* elements, supError* error )
{
	SUP_ASSERT( nodeCount >= 0 );
	memset( matrix, 0, sizeof( *matrix ) );
	matrix->nodeCount = nodeCount;
	matrix->nodeSize = sizes != NULL ? 0 : nodeSize;
	const supElements none = { 0, 1, NULL, NULL };
	elements = elements != NULL ? elements : &none;
	supArena scratch = { 0 };
	bool ok = CheckElements( elements, nodeCount, error ) && CountUnknowns( matrix, sizes, error ) &&
			  SetOffsets( matrix, sizes, error ) && FindPattern( matrix, elements, &scratch, error ) &&
			  SetValues( matrix, error );
	supArena_Destroy( &scratch );
	if ( ok == false )
	{
		supBlockMatrix_Destroy( matrix );
	}
	return ok;
}

void supBlockMatrix_Destroy( supBlockMatrix* matrix )
{
	supArena_Destroy( &matrix->arena );
	memset( matrix, 0, sizeof( *matrix ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

void supBlockMatrix_SetZero( supBlockMatrix* matrix )
{
	memset( matrix->values, 0, (size_t)matrix->blockStarts[matrix->blockCount] * sizeof( double ) );
}

int32_t supBlockMatrix_Find( const supBlockMatrix* matrix, int32_t row, int32_t column )
{
	int32_t low = matrix->rowStarts[row], high = matrix->rowStarts[row + 1];
	while ( low < high )
	{
		int32_t middle = low + ( high - low ) / 2;
		if ( matrix->columns[middle] < column )
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return low < matrix->rowStarts[row + 1] && matrix->columns[low] == column ? low : -1;
}

void supBlockMatrix_AddBlock( supBlockMatrix* matrix, int32_t row, int32_t column, const double* block )
{
	int32_t k = supBlockMatrix_Find( matrix, row, column );
	SUP_ASSERT( k >= 0 );
	int32_t rows = matrix->offsets[row + 1] - matrix->offsets[row];
	int32_t columns = matrix->offsets[column + 1] - matrix->offsets[column];
	double* to = supBlockMatrix_Block( matrix, k );
	for ( int32_t i = 0; i < rows * columns; ++i )
	{
		to[i] += block[i];
	}
	if ( row == column )
	{
		return;
	}
	double* mirror = supBlockMatrix_Block( matrix, supBlockMatrix_Find( matrix, column, row ) );
	for ( int32_t j = 0; j < columns; ++j )
	{
		for ( int32_t i = 0; i < rows; ++i )
		{
			mirror[i * columns + j] += block[j * rows + i];
		}
	}
}

typedef struct MultiplyJob
{
	const supBlockMatrix* matrix;
	const double* x;
	double* y;
	int32_t columns;
} MultiplyJob;

static void MultiplyPiece( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const MultiplyJob* job = context;
	SUP_CALL_KERNEL( supMultiplyRows )( job->matrix, job->x, job->y, job->columns, begin, end );
}

void supBlockMatrix_Multiply( const supBlockMatrix* matrix, const double* x, double* y, int32_t columns,
							  const supTasks* tasks )
{
	SUP_ASSERT( columns >= 1 );
	MultiplyJob job = { matrix, x, y, columns };
	supParallelFor( tasks, matrix->nodeCount, ROWS_PER_PIECE, MultiplyPiece, &job );
}
