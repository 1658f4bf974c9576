// SPDX-License-Identifier: MIT
#include "core/tasks.h"
#include "linear/block_matrix.h"

#define ROWS_PER_PIECE 128

static int32_t FirstOf( const supElements* elements, int32_t e )
{
	return elements->starts != NULL ? elements->starts[e] : e * elements->width;
}

static int32_t WidthOf( const supElements* elements, int32_t e )
{
	return FirstOf( elements, e + 1 ) - FirstOf( elements, e );
}

// How many corners each node has. Returns the blocks of all element matrices.
static int64_t CountCorners( const supElements* elements, int32_t nodeCount, int32_t* starts )
{
	memset( starts, 0, ( (size_t)nodeCount + 2 ) * sizeof( int32_t ) );
	int64_t blockCount = 0;
	for ( int32_t e = 0; e < elements->count; ++e )
	{
		int32_t width = WidthOf( elements, e );
		blockCount += (int64_t)width * width;
		for ( int32_t a = 0; a < width; ++a )
		{
			int32_t node = elements->nodes[FirstOf( elements, e ) + a];
			if ( node >= 0 )
			{
				starts[node + 2] += 1;
			}
		}
	}
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		starts[i + 2] += starts[i + 1];
	}
	return blockCount;
}

// Counted two places ahead above: after this each start is where it belongs.
static void PlaceCorners( supAssembly* assembly, const supElements* elements, int32_t* cornerElements )
{
	int32_t blockStart = 0;
	for ( int32_t e = 0; e < elements->count; ++e )
	{
		int32_t width = WidthOf( elements, e );
		for ( int32_t a = 0; a < width; ++a )
		{
			int32_t node = elements->nodes[FirstOf( elements, e ) + a];
			if ( node >= 0 )
			{
				int32_t corner = assembly->cornerStarts[node + 1]++;
				assembly->sources[corner] = blockStart + a * width;
				assembly->widths[corner] = width;
				cornerElements[corner] = e;
			}
		}
		blockStart += width * width;
	}
}

static void FindSlots( supAssembly* assembly, const supBlockMatrix* matrix, const supElements* elements,
					   const int32_t* cornerElements )
{
	int32_t slot = 0;
	for ( int32_t node = 0; node < matrix->nodeCount; ++node )
	{
		for ( int32_t corner = assembly->cornerStarts[node]; corner < assembly->cornerStarts[node + 1]; ++corner )
		{
			assembly->slotStarts[corner] = slot;
			const int32_t* nodes = elements->nodes + FirstOf( elements, cornerElements[corner] );
			for ( int32_t b = 0; b < assembly->widths[corner]; ++b )
			{
				assembly->slots[slot] = nodes[b] >= 0 ? supBlockMatrix_Find( matrix, node, nodes[b] ) : -1;
				SUP_ASSERT( nodes[b] < 0 || assembly->slots[slot] >= 0 );
				slot += 1;
			}
		}
	}
}

bool supAssembly_Create( supAssembly* assembly, const supBlockMatrix* matrix, const supElements* elements,
						 supError* error )
{
	memset( assembly, 0, sizeof( *assembly ) );
	assembly->nodeCount = matrix->nodeCount;
	supArena* arena = &assembly->arena;
	size_t cornerCount = (size_t)FirstOf( elements, elements->count );
	assembly->cornerStarts = supArena_AllocArray( arena, (size_t)matrix->nodeCount + 2, sizeof( int32_t ) );
	if ( assembly->cornerStarts == NULL )
	{
		return supSetMemoryError( error );
	}
	int64_t blockCount = CountCorners( elements, matrix->nodeCount, assembly->cornerStarts );
	if ( blockCount > INT32_MAX )
	{
		supAssembly_Destroy( assembly );
		return supSetError( error, sup_errorTooLarge, "", "the element matrices have more than 2^31 blocks" );
	}
	assembly->sources = supArena_AllocArray( arena, cornerCount, sizeof( int32_t ) );
	assembly->widths = supArena_AllocArray( arena, cornerCount, sizeof( int32_t ) );
	assembly->slotStarts = supArena_AllocArray( arena, cornerCount, sizeof( int32_t ) );
	assembly->slots = supArena_AllocArray( arena, (size_t)blockCount, sizeof( int32_t ) );
	int32_t* cornerElements = supAllocArray( cornerCount, sizeof( int32_t ) );
	bool ok = arena->failed == false && cornerElements != NULL;
	if ( ok )
	{
		PlaceCorners( assembly, elements, cornerElements );
		FindSlots( assembly, matrix, elements, cornerElements );
	}
	else
	{
		supAssembly_Destroy( assembly );
		supSetMemoryError( error );
	}
	supFree( cornerElements );
	return ok;
}

void supAssembly_Destroy( supAssembly* assembly )
{
	supArena_Destroy( &assembly->arena );
	memset( assembly, 0, sizeof( *assembly ) );
}

typedef struct GatherJob
{
	supBlockMatrix* matrix;
	const supAssembly* assembly;
	const double* elementMatrices;
} GatherJob;

static void GatherRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const GatherJob* job = context;
	const supAssembly* assembly = job->assembly;
	int32_t size = job->matrix->nodeSize * job->matrix->nodeSize;
	for ( int32_t corner = assembly->cornerStarts[begin]; corner < assembly->cornerStarts[end]; ++corner )
	{
		const double* from = job->elementMatrices + (size_t)assembly->sources[corner] * (size_t)size;
		const int32_t* slots = assembly->slots + assembly->slotStarts[corner];
		for ( int32_t b = 0; b < assembly->widths[corner]; ++b, from += size )
		{
			if ( slots[b] < 0 )
			{
				continue;
			}
			double* to = supBlockMatrix_Block( job->matrix, slots[b] );
			for ( int32_t i = 0; i < size; ++i )
			{
				to[i] += from[i];
			}
		}
	}
}

void supBlockMatrix_AddElements( supBlockMatrix* matrix, const supAssembly* assembly, const double* elementMatrices,
								 const supTasks* tasks )
{
	SUP_ASSERT( matrix->nodeSize > 0 && matrix->nodeCount == assembly->nodeCount );
	GatherJob job = { matrix, assembly, elementMatrices };
	supParallelFor( tasks, matrix->nodeCount, ROWS_PER_PIECE, GatherRows, &job );
}
