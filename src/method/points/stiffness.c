// SPDX-License-Identifier: MIT
#include "method/points/stiffness.h"

#include <math.h>

// Where a pair of points goes: block * 4 + one of these.
enum
{
	slot_none,
	slot_straight,   // the first point's rows
	slot_transposed, // the second point's rows
	slot_both,       // two points of one node
};

// Pairs of an element's points, each with itself included.
#define EDGE_PAIRS 3
#define TRIANGLE_PAIRS 6
#define TET_PAIRS 10

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
		return slot_none;
	}
	if ( first == second )
	{
		return 4 * supBlockMatrix_Find( matrix, first, first ) + ( isSame ? slot_straight : slot_both );
	}
	return positions[first] < positions[second] ? 4 * supBlockMatrix_Find( matrix, first, second ) + slot_straight
												: 4 * supBlockMatrix_Find( matrix, second, first ) + slot_transposed;
}

static bool FillSlots( supStiffness* stiffness, const supPointBody* body, const ElementList* list )
{
	size_t pairs = (size_t)SUP_POINT_LANES *
				   ( EDGE_PAIRS * (size_t)body->edgeBlockCount + TRIANGLE_PAIRS * (size_t)body->triangleBlockCount +
					 TET_PAIRS * (size_t)body->tetBlockCount );
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

typedef struct Assembly
{
	double* values;
	const int32_t* blockStarts;
	const int32_t* slots; // the next ones
	const float* x;
} Assembly;

// Adds s a bᵀ, and t on the diagonal.
static inline void AddPair( Assembly* assembly, const double a[3], const double b[3], double s, double t )
{
	int32_t slot = *assembly->slots++, kind = slot & 3;
	// lanes that stand for nothing have no weight
	if ( kind == slot_none || s == 0.0 )
	{
		return;
	}
	double* block = assembly->values + assembly->blockStarts[slot >> 2];
	const double *row = kind == slot_transposed ? b : a, *column = kind == slot_transposed ? a : b;
	for ( int32_t c = 0; c < 3; ++c )
	{
		double scaled = s * column[c];
		block[3 * c] += scaled * row[0];
		block[3 * c + 1] += scaled * row[1];
		block[3 * c + 2] += scaled * row[2];
		block[4 * c] += t;
	}
	for ( int32_t c = 0; kind == slot_both && c < 3; ++c )
	{
		double scaled = s * row[c];
		block[3 * c] += scaled * column[0];
		block[3 * c + 1] += scaled * column[1];
		block[3 * c + 2] += scaled * column[2];
		block[4 * c] += t;
	}
}

static inline void AddElement( Assembly* assembly, int32_t count, double ( *gradients )[3], double s )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		for ( int32_t j = 0; j <= i; ++j )
		{
			AddPair( assembly, gradients[i], gradients[j], s, 0.0 );
		}
	}
}

static void Difference( const float* x, int32_t from, int32_t to, double d[3] )
{
	const float *a = x + 4 * (int64_t)from, *b = x + 4 * (int64_t)to;
	d[0] = (double)b[0] - (double)a[0];
	d[1] = (double)b[1] - (double)a[1];
	d[2] = (double)b[2] - (double)a[2];
}

static void Cross( const double a[3], const double b[3], double s, double c[3] )
{
	c[0] = s * ( a[1] * b[2] - a[2] * b[1] );
	c[1] = s * ( a[2] * b[0] - a[0] * b[2] );
	c[2] = s * ( a[0] * b[1] - a[1] * b[0] );
}

static double Dot( const double a[3], const double b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The gradient of the first point is what the others leave.
static void Balance( double ( *gradients )[3], int32_t count )
{
	for ( int32_t c = 0; c < 3; ++c )
	{
		gradients[0][c] = 0.0;
		for ( int32_t i = 1; i < count; ++i )
		{
			gradients[0][c] -= gradients[i][c];
		}
	}
}

// along n nᵀ + across ( I - n nᵀ ), see supAddEdgeProducts
static void AddEdge( Assembly* assembly, const supEdgeBlock* block, int32_t lane, double along, double across )
{
	double d[3], inverse = (double)block->inverseRest[lane];
	Difference( assembly->x, block->points[0][lane], block->points[1][lane], d );
	double square = fmax( Dot( d, d ), 1e-30 ), stretch = sqrt( square ) * inverse;
	double k = (double)block->weight[lane] * inverse * inverse;
	double t = across * k * fmax( 1.0 - 1.0 / stretch, 0.0 ), s = ( along * k - t ) / square;
	AddPair( assembly, d, d, s, t );
	AddPair( assembly, d, d, -s, -t );
	AddPair( assembly, d, d, s, t );
}

static void AddTriangle( Assembly* assembly, const supTriangleBlock* block, int32_t lane, double along )
{
	double gradients[3][3], e1[3], e2[3], n[3];
	Difference( assembly->x, block->points[0][lane], block->points[1][lane], e1 );
	Difference( assembly->x, block->points[0][lane], block->points[2][lane], e2 );
	Cross( e1, e2, 1.0, n );
	double scale = (double)block->inverseRest[lane] / sqrt( fmax( Dot( n, n ), 1e-30 ) );
	Cross( e2, n, scale, gradients[1] );
	Cross( n, e1, scale, gradients[2] );
	Balance( gradients, 3 );
	AddElement( assembly, 3, gradients, along * (double)block->weight[lane] );
}

static void AddTet( Assembly* assembly, const supTetBlock* block, int32_t lane, double along )
{
	double gradients[4][3], e1[3], e2[3], e3[3], inverse = (double)block->inverseRest[lane];
	Difference( assembly->x, block->points[0][lane], block->points[1][lane], e1 );
	Difference( assembly->x, block->points[0][lane], block->points[2][lane], e2 );
	Difference( assembly->x, block->points[0][lane], block->points[3][lane], e3 );
	Cross( e2, e3, inverse, gradients[1] );
	Cross( e3, e1, inverse, gradients[2] );
	Cross( e1, e2, inverse, gradients[3] );
	Balance( gradients, 4 );
	AddElement( assembly, 4, gradients, along * (double)block->weight[lane] );
}

void supStiffness_Assemble( supStiffness* stiffness, const supPointBody* body, const supMaterialLaw laws[3],
							const float* x, float dt )
{
	Assembly assembly = { stiffness->matrix.values, stiffness->matrix.blockStarts, stiffness->slots, x };
	int32_t edges = SUP_POINT_LANES * body->edgeBlockCount;
	int32_t triangles = SUP_POINT_LANES * body->triangleBlockCount;
	int32_t tets = SUP_POINT_LANES * body->tetBlockCount;
	double along[3], h = (double)dt;
	for ( int32_t k = 0; k < 3; ++k )
	{
		along[k] = (double)laws[k].stiffness * h * ( h + (double)laws[k].damping );
	}
	supBlockMatrix_SetZero( &stiffness->matrix );
	for ( int32_t i = 0; along[0] > 0.0 && i < edges; ++i )
	{
		AddEdge( &assembly, body->edgeBlocks + i / SUP_POINT_LANES, i % SUP_POINT_LANES, along[0],
				 (double)laws[0].stiffness * h * h );
	}
	assembly.slots = stiffness->slots + EDGE_PAIRS * (int64_t)edges;
	for ( int32_t i = 0; along[1] > 0.0 && i < triangles; ++i )
	{
		AddTriangle( &assembly, body->triangleBlocks + i / SUP_POINT_LANES, i % SUP_POINT_LANES, along[1] );
	}
	assembly.slots = stiffness->slots + EDGE_PAIRS * (int64_t)edges + TRIANGLE_PAIRS * (int64_t)triangles;
	for ( int32_t i = 0; along[2] > 0.0 && i < tets; ++i )
	{
		AddTet( &assembly, body->tetBlocks + i / SUP_POINT_LANES, i % SUP_POINT_LANES, along[2] );
	}
}

void supStiffness_AddMass( supStiffness* stiffness, int32_t node, double mass )
{
	double* block = supBlockMatrix_Block( &stiffness->matrix, stiffness->diagonals[node] );
	block[0] += mass;
	block[4] += mass;
	block[8] += mass;
}
