// SPDX-License-Identifier: MIT
#include "method/points/stiffness.h"

#include "method/points/stiffness_kernel.h"

// ---------------------------------------------------------------------------------------------------------------------
// Pattern

// Elements of all kinds, in the order of their blocks.
typedef struct ElementList
{
	int32_t count;
	int32_t* starts;
	int32_t* points; // nodes, for the pattern
} ElementList;

static void ListBlock( ElementList* list, const supPointBody* body, const int32_t* nodes, const int32_t* slots,
					   int32_t lane, int32_t count )
{
	int32_t at = list->starts[list->count];
	for ( int32_t k = 0; k < count; ++k )
	{
		list->points[at + k] = nodes[supPointBody_Original( body, slots[SUP_POINT_LANES * k + lane] )];
	}
	list->starts[++list->count] = at + count;
}

static bool ListElements( ElementList* list, const supPointBody* body, const int32_t* nodes )
{
	int32_t edges = SUP_POINT_LANES * body->edgeBlockCount;
	int32_t triangles = SUP_POINT_LANES * body->triangleBlockCount;
	int32_t tets = SUP_POINT_LANES * body->tetBlockCount;
	list->starts = supAllocArray( (size_t)( edges + triangles + tets ) + 1, sizeof( int32_t ) );
	list->points = supAllocArray( (size_t)( 2 * edges + 3 * triangles + 4 * tets ) + 1, sizeof( int32_t ) );
	if ( list->starts == NULL || list->points == NULL )
	{
		return false;
	}
	list->starts[0] = 0;
	for ( int32_t i = 0; i < edges; ++i )
	{
		ListBlock( list, body, nodes, body->edgeBlocks[i / SUP_POINT_LANES].points[0], i % SUP_POINT_LANES, 2 );
	}
	for ( int32_t i = 0; i < triangles; ++i )
	{
		ListBlock( list, body, nodes, body->triangleBlocks[i / SUP_POINT_LANES].points[0], i % SUP_POINT_LANES, 3 );
	}
	for ( int32_t i = 0; i < tets; ++i )
	{
		ListBlock( list, body, nodes, body->tetBlocks[i / SUP_POINT_LANES].points[0], i % SUP_POINT_LANES, 4 );
	}
	return true;
}

static int32_t FindSlot( const supBlockMatrix* matrix, const int32_t* positions, int32_t first, int32_t second,
						 bool isSame )
{
	if ( first < 0 || second < 0 )
	{
		return sup_slotNone;
	}
	if ( first == second )
	{
		return 4 * supBlockMatrix_Find( matrix, first, first ) + ( isSame ? sup_slotStraight : sup_slotBoth );
	}
	return positions[first] < positions[second] ? 4 * supBlockMatrix_Find( matrix, first, second ) + sup_slotStraight
												: 4 * supBlockMatrix_Find( matrix, second, first ) + sup_slotTransposed;
}

static bool FillSlots( supStiffness* stiffness, const supPointBody* body, const ElementList* list )
{
	size_t pairs = (size_t)SUP_POINT_LANES * ( SUP_EDGE_PAIRS * (size_t)body->edgeBlockCount +
											   SUP_TRIANGLE_PAIRS * (size_t)body->triangleBlockCount +
											   SUP_TET_PAIRS * (size_t)body->tetBlockCount );
	int32_t* positions = supAllocArray( (size_t)stiffness->nodeCount, sizeof( int32_t ) );
	stiffness->slots = supAllocArray( pairs + 1, sizeof( int32_t ) );
	stiffness->diagonals = supAllocArray( (size_t)stiffness->nodeCount, sizeof( int32_t ) );
	bool ok = positions != NULL && stiffness->slots != NULL && stiffness->diagonals != NULL;
	for ( int32_t i = 0; ok && i < stiffness->nodeCount; ++i )
	{
		positions[stiffness->symbolic.nodeOrder[i]] = i;
		stiffness->diagonals[i] = supBlockMatrix_Find( &stiffness->matrix, i, i );
	}
	int32_t* slot = stiffness->slots;
	for ( int32_t e = 0; ok && e < list->count; ++e )
	{
		const int32_t* nodes = list->points + list->starts[e];
		for ( int32_t i = 0; i < list->starts[e + 1] - list->starts[e]; ++i )
		{
			for ( int32_t j = 0; j <= i; ++j )
			{
				*slot++ = FindSlot( &stiffness->matrix, positions, nodes[i], nodes[j], i == j );
			}
		}
	}
	supFree( positions );
	return ok;
}

// Where nodes are at rest, for the order of elimination.
static supVec3* PlaceNodes( const supPointBody* body, const int32_t* nodes, int32_t nodeCount )
{
	supVec3* places = supAllocArray( (size_t)nodeCount, sizeof( supVec3 ) );
	for ( int32_t i = 0; places != NULL && i < body->pointCount; ++i )
	{
		if ( nodes[i] >= 0 )
		{
			places[nodes[i]] = body->rest[i];
		}
	}
	return places;
}

bool supStiffness_Create( supStiffness* stiffness, const supPointBody* body, const int32_t* nodes, int32_t nodeCount,
						  supError* error )
{
	*stiffness = ( supStiffness ){ .nodeCount = nodeCount, .pointCount = body->pointCount, .nodes = nodes };
	ElementList list = { 0 };
	supVec3* places = PlaceNodes( body, nodes, nodeCount );
	bool ok = places != NULL && ListElements( &list, body, nodes );
	supElements elements = { list.count, 0, list.starts, list.points };
	ok = ok ? supBlockMatrix_Create( &stiffness->matrix, nodeCount, 3, NULL, &elements, error ) &&
				  supSymbolic_Create( &stiffness->symbolic, &stiffness->matrix, places, NULL, error ) &&
				  ( FillSlots( stiffness, body, &list ) || supSetMemoryError( error ) )
			: supSetMemoryError( error );
	supFree( list.starts );
	supFree( list.points );
	supFree( places );
	return ok;
}

void supStiffness_Destroy( supStiffness* stiffness )
{
	supSymbolic_Destroy( &stiffness->symbolic );
	supBlockMatrix_Destroy( &stiffness->matrix );
	supFree( stiffness->slots );
	supFree( stiffness->diagonals );
	*stiffness = ( supStiffness ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

void supStiffness_Assemble( supStiffness* stiffness, const supPointBody* body, const supMaterialLaw laws[3],
							const float* x, float dt )
{
	supStiffnessJob job = { .values = stiffness->matrix.values, .slots = stiffness->slots, .x = x };
	double along[3], h = (double)dt;
	for ( int32_t k = 0; k < 3; ++k )
	{
		along[k] = (double)laws[k].stiffness * h * ( h + (double)laws[k].damping );
	}
	supBlockMatrix_SetZero( &stiffness->matrix );
	if ( along[0] > 0.0 )
	{
		SUP_CALL_KERNEL( supAddEdgeStiffness )
		( &job, body->edgeBlocks, body->edgeBlockCount, along[0], (double)laws[0].stiffness * h * h );
	}
	job.slots += SUP_EDGE_PAIRS * SUP_POINT_LANES * (int64_t)body->edgeBlockCount;
	if ( along[1] > 0.0 )
	{
		SUP_CALL_KERNEL( supAddTriangleStiffness )( &job, body->triangleBlocks, body->triangleBlockCount, along[1] );
	}
	job.slots += SUP_TRIANGLE_PAIRS * SUP_POINT_LANES * (int64_t)body->triangleBlockCount;
	if ( along[2] > 0.0 )
	{
		SUP_CALL_KERNEL( supAddTetStiffness )( &job, body->tetBlocks, body->tetBlockCount, along[2] );
	}
}

void supStiffness_AddMass( supStiffness* stiffness, int32_t node, double mass )
{
	double* block = supBlockMatrix_Block( &stiffness->matrix, stiffness->diagonals[node] );
	block[0] += mass;
	block[4] += mass;
	block[8] += mass;
}
