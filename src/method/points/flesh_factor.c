// SPDX-License-Identifier: MIT
// The matrix of posed flesh, factored. Forces are linear about the rest shape in frames that turn with the points, so
// that the matrix of a step
//
//     A = m ( 1 + h drag + h damping + h² spring ) + h ( h + T ) K
//
// is the same in every step of the same length with the same material: it is factored once (src/linear) and shared by
// all actors of the flesh. There is room for FACTORS of them, so that those far away may take longer steps; where more
// are asked for (soft regions that are tuned one way here and another there) the one that nobody has asked for longest
// is made anew.
#include "core/hash.h"
#include "linear/factor.h"
#include "method/points/flesh.h"

#include <stdatomic.h>

#define FACTORS 2

// All that a factor depends on beside the flesh.
typedef struct Key
{
	float dt;
	float drag;
	supMaterialLaw laws[3];
} Key;

typedef struct Slot
{
	bool isReady;
	int32_t userCount;
	int64_t asked; // when, by count
	Key key;
	float* massFactors; // of each unknown point
	supFactor factor;
} Slot;

struct supPointsFactors
{
	atomic_flag lock;
	int64_t count; // of times that a factor was asked for
	int32_t nodeCount;
	int32_t* nodes;        // of each point; -1: fixed
	int32_t* points;       // of each node
	supBlockMatrix matrix; // its values are those of the factor that was made last
	supSymbolic symbolic;
	Slot slots[FACTORS];
};

static const supFactorDef s_def = { .precision = sup_precisionFloat, .workerCount = 1 };

// ---------------------------------------------------------------------------------------------------------------------
// Building

static bool ListNodes( supPointsFactors* factors, const supPointsFlesh* flesh )
{
	factors->nodes = supAllocArray( (size_t)flesh->pointCount, sizeof( int32_t ) );
	factors->points = supAllocArray( (size_t)flesh->pointCount, sizeof( int32_t ) );
	if ( factors->nodes == NULL || factors->points == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		bool isFree = flesh->body.inverseMasses[i] > 0.0f;
		factors->nodes[i] = isFree ? factors->nodeCount : -1;
		factors->points[factors->nodeCount] = i;
		factors->nodeCount += isFree;
	}
	return true;
}

static bool CreateSymbolic( supPointsFactors* factors, const supPointsFlesh* flesh, supError* error )
{
	int32_t* corners = supAllocArray( 4 * (size_t)flesh->tetCount, sizeof( int32_t ) );
	supVec3* places = supAllocArray( (size_t)factors->nodeCount, sizeof( supVec3 ) );
	bool ok = corners != NULL && places != NULL;
	for ( int32_t i = 0; ok && i < 4 * flesh->tetCount; ++i )
	{
		corners[i] = factors->nodes[flesh->tets[i]];
	}
	for ( int32_t i = 0; ok && i < factors->nodeCount; ++i )
	{
		places[i] = flesh->points[factors->points[i]];
	}
	supElements elements = { flesh->tetCount, 4, NULL, corners };
	ok = ok ? supBlockMatrix_Create( &factors->matrix, factors->nodeCount, 3, NULL, &elements, error ) &&
				  supSymbolic_Create( &factors->symbolic, &factors->matrix, places, NULL, error )
			: supSetMemoryError( error );
	supFree( corners );
	supFree( places );
	return ok;
}

bool supPointsFlesh_CreateFactors( supPointsFlesh* flesh, supError* error )
{
	supPointsFactors* factors = supAllocZeroed( sizeof( supPointsFactors ) );
	flesh->factors = factors;
	if ( factors == NULL || ListNodes( factors, flesh ) == false )
	{
		return supSetMemoryError( error );
	}
	atomic_flag_clear( &factors->lock );
	if ( factors->nodeCount == 0 )
	{
		return true;
	}
	bool ok = CreateSymbolic( factors, flesh, error );
	for ( int32_t i = 0; i < FACTORS && ok; ++i )
	{
		Slot* slot = factors->slots + i;
		slot->massFactors = supAllocArray( (size_t)factors->nodeCount, sizeof( float ) );
		ok = slot->massFactors != NULL ? supFactor_Create( &slot->factor, &factors->symbolic, &s_def, error )
									   : supSetMemoryError( error );
	}
	return ok;
}

void supPointsFlesh_DestroyFactors( supPointsFlesh* flesh )
{
	supPointsFactors* factors = flesh->factors;
	for ( int32_t i = 0; factors != NULL && i < FACTORS; ++i )
	{
		supFactor_Destroy( &factors->slots[i].factor );
		supFree( factors->slots[i].massFactors );
	}
	if ( factors != NULL )
	{
		supSymbolic_Destroy( &factors->symbolic );
		supBlockMatrix_Destroy( &factors->matrix );
		supFree( factors->nodes );
		supFree( factors->points );
		supFree( factors );
	}
	flesh->factors = NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// The matrix

typedef struct Assembly
{
	const supPointsFactors* factors;
	const supPointsFlesh* flesh;
	supBlockMatrix matrix;
} Assembly;

// Adds s ∇_i C ∇_j Cᵀ of an element.
static void AddElement( Assembly* assembly, int32_t count, const int32_t* points, double ( *gradients )[3], double s )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		for ( int32_t j = 0; j <= i; ++j )
		{
			int32_t row = assembly->factors->nodes[points[i]], column = assembly->factors->nodes[points[j]];
			double block[9];
			for ( int32_t k = 0; k < 9; ++k )
			{
				block[k] = s * gradients[i][k % 3] * gradients[j][k / 3];
			}
			if ( row >= 0 && column >= 0 )
			{
				supBlockMatrix_AddBlock( &assembly->matrix, row, column, block );
			}
		}
	}
}

static void Difference( const supVec3* rest, int32_t from, int32_t to, double d[3] )
{
	d[0] = (double)rest[to].x - (double)rest[from].x;
	d[1] = (double)rest[to].y - (double)rest[from].y;
	d[2] = (double)rest[to].z - (double)rest[from].z;
}

static void Cross( const double a[3], const double b[3], double s, double c[3] )
{
	c[0] = s * ( a[1] * b[2] - a[2] * b[1] );
	c[1] = s * ( a[2] * b[0] - a[0] * b[2] );
	c[2] = s * ( a[0] * b[1] - a[1] * b[0] );
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

static void AddEdge( Assembly* assembly, const int32_t points[2], double inverse, double s )
{
	double gradients[2][3], d[3];
	Difference( assembly->flesh->body.rest, points[0], points[1], d );
	for ( int32_t c = 0; c < 3; ++c )
	{
		// n / l0, and the length is that at rest
		gradients[1][c] = d[c] * inverse * inverse;
	}
	Balance( gradients, 2 );
	AddElement( assembly, 2, points, gradients, s );
}

static void AddTriangle( Assembly* assembly, const int32_t points[3], double inverse, double s )
{
	double gradients[3][3], e1[3], e2[3], n[3];
	Difference( assembly->flesh->body.rest, points[0], points[1], e1 );
	Difference( assembly->flesh->body.rest, points[0], points[2], e2 );
	Cross( e1, e2, inverse * inverse, n );
	Cross( e2, n, 1.0, gradients[1] );
	Cross( n, e1, 1.0, gradients[2] );
	Balance( gradients, 3 );
	AddElement( assembly, 3, points, gradients, s );
}

static void AddTet( Assembly* assembly, const int32_t points[4], double inverse, double s )
{
	double gradients[4][3], e1[3], e2[3], e3[3];
	Difference( assembly->flesh->body.rest, points[0], points[1], e1 );
	Difference( assembly->flesh->body.rest, points[0], points[2], e2 );
	Difference( assembly->flesh->body.rest, points[0], points[3], e3 );
	Cross( e2, e3, inverse, gradients[1] );
	Cross( e3, e1, inverse, gradients[2] );
	Cross( e1, e2, inverse, gradients[3] );
	Balance( gradients, 4 );
	AddElement( assembly, 4, points, gradients, s );
}

// Points of a lane of a block; copies of shared points are the points themselves.
static void ReadLane( const supPointBody* body, const int32_t* slots, int32_t lane, int32_t count, int32_t* points )
{
	for ( int32_t k = 0; k < count; ++k )
	{
		points[k] = supPointBody_Original( body, slots[SUP_POINT_LANES * k + lane] );
	}
}

static void AddStiffness( Assembly* assembly, const Key* key )
{
	const supPointBody* body = &assembly->flesh->body;
	double scales[3];
	int32_t points[4];
	for ( int32_t k = 0; k < 3; ++k )
	{
		scales[k] =
			(double)key->laws[k].stiffness * (double)key->dt * ( (double)key->dt + (double)key->laws[k].damping );
	}
	for ( int32_t i = 0; scales[0] > 0.0 && i < SUP_POINT_LANES * body->edgeBlockCount; ++i )
	{
		const supEdgeBlock* block = body->edgeBlocks + i / SUP_POINT_LANES;
		int32_t lane = i % SUP_POINT_LANES;
		ReadLane( body, block->points[0], lane, 2, points );
		AddEdge( assembly, points, (double)block->inverseRest[lane], scales[0] * (double)block->weight[lane] );
	}
	for ( int32_t i = 0; scales[1] > 0.0 && i < SUP_POINT_LANES * body->triangleBlockCount; ++i )
	{
		const supTriangleBlock* block = body->triangleBlocks + i / SUP_POINT_LANES;
		int32_t lane = i % SUP_POINT_LANES;
		ReadLane( body, block->points[0], lane, 3, points );
		AddTriangle( assembly, points, (double)block->inverseRest[lane], scales[1] * (double)block->weight[lane] );
	}
	for ( int32_t i = 0; scales[2] > 0.0 && i < SUP_POINT_LANES * body->tetBlockCount; ++i )
	{
		const supTetBlock* block = body->tetBlocks + i / SUP_POINT_LANES;
		int32_t lane = i % SUP_POINT_LANES;
		ReadLane( body, block->points[0], lane, 4, points );
		AddTet( assembly, points, (double)block->inverseRest[lane], scales[2] * (double)block->weight[lane] );
	}
}

static bool MakeFactor( const supPointsFactors* factors, const supPointsFlesh* flesh, Slot* slot )
{
	Assembly assembly = { factors, flesh, factors->matrix };
	supBlockMatrix_SetZero( &assembly.matrix );
	AddStiffness( &assembly, &slot->key );
	for ( int32_t i = 0; i < factors->nodeCount; ++i )
	{
		double m = (double)slot->massFactors[i] / (double)flesh->body.inverseMasses[factors->points[i]];
		double* block = supBlockMatrix_Block( &assembly.matrix, supBlockMatrix_Find( &assembly.matrix, i, i ) );
		block[0] += m;
		block[4] += m;
		block[8] += m;
	}
	return supFactor_Refactor( &slot->factor, &assembly.matrix, NULL ).ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Asking

static float MassFactor( const supPointStep* step, float drag, int32_t point )
{
	float factor = 1.0f + step->dt * drag;
	const supPointTether* tether = step->tethers != NULL ? step->tethers + point : NULL;
	return tether != NULL ? factor + step->dt * ( tether->damping + step->dt * tether->spring ) : factor;
}

static Key MakeKey( const supPointSettings* settings, const supPointStep* step )
{
	return ( Key ){ .dt = step->dt,
					.drag = settings->drag,
					.laws = { settings->edges, settings->triangles, settings->tets } };
}

uint64_t supPoints_HashSystem( const supPointsFlesh* flesh, const supPointSettings* settings, const supPointStep* step )
{
	Key key = MakeKey( settings, step );
	uint64_t hash = supHashBytes( SUP_HASH_SEED, &key, sizeof( key ) );
	for ( int32_t i = 0; step->tethers != NULL && i < flesh->pointCount; ++i )
	{
		const float numbers[2] = { step->tethers[i].spring, step->tethers[i].damping };
		hash = supHashBytes( hash, numbers, sizeof( numbers ) );
	}
	return hash;
}

static bool Fits( const supPointsFactors* factors, const Slot* slot, const Key* key, const supPointStep* step )
{
	bool fits = slot->isReady && memcmp( &slot->key, key, sizeof( Key ) ) == 0;
	for ( int32_t i = 0; i < factors->nodeCount && fits; ++i )
	{
		fits = slot->massFactors[i] == MassFactor( step, key->drag, factors->points[i] );
	}
	return fits;
}

// NULL where all are in use, or the matrix has no factor.
static Slot* FindSlot( supPointsFactors* factors, const supPointsFlesh* flesh, const Key* key, const supPointStep* step,
					   bool* isFull )
{
	Slot* oldest = NULL;
	for ( int32_t i = 0; i < FACTORS; ++i )
	{
		Slot* slot = factors->slots + i;
		if ( Fits( factors, slot, key, step ) )
		{
			return slot;
		}
		oldest = slot->userCount == 0 && ( oldest == NULL || slot->asked < oldest->asked ) ? slot : oldest;
	}
	*isFull = oldest == NULL;
	if ( oldest == NULL )
	{
		return NULL;
	}
	oldest->key = *key;
	for ( int32_t i = 0; i < factors->nodeCount; ++i )
	{
		oldest->massFactors[i] = MassFactor( step, key->drag, factors->points[i] );
	}
	oldest->isReady = MakeFactor( factors, flesh, oldest );
	return oldest->isReady ? oldest : NULL;
}

static void Lock( supPointsFactors* factors )
{
	while ( atomic_flag_test_and_set_explicit( &factors->lock, memory_order_acquire ) )
	{
	}
}

static void Unlock( supPointsFactors* factors )
{
	atomic_flag_clear_explicit( &factors->lock, memory_order_release );
}

bool supPoints_AskFactor( const supPointsFlesh* flesh, const supPointSettings* settings, const supPointStep* step,
						  double* x, void* scratch, supPointDirect* direct )
{
	supPointsFactors* factors = flesh->factors;
	if ( factors == NULL || factors->nodeCount == 0 )
	{
		return false;
	}
	Key key = MakeKey( settings, step );
	Slot* slot = NULL;
	// somebody else's solve takes a millisecond
	for ( bool isFull = true; slot == NULL && isFull; )
	{
		isFull = false;
		Lock( factors );
		slot = FindSlot( factors, flesh, &key, step, &isFull );
		if ( slot != NULL )
		{
			slot->userCount += 1;
			slot->asked = ++factors->count;
		}
		Unlock( factors );
	}
	*direct = ( supPointDirect ){ .factor = slot != NULL ? &slot->factor : NULL,
								  .nodeCount = factors->nodeCount,
								  .points = factors->points,
								  .x = x,
								  .scratch = scratch };
	return slot != NULL;
}

void supPoints_ReleaseFactor( const supPointsFlesh* flesh, const supPointDirect* direct )
{
	supPointsFactors* factors = flesh->factors;
	Lock( factors );
	for ( int32_t i = 0; i < FACTORS; ++i )
	{
		factors->slots[i].userCount -= direct->factor == &factors->slots[i].factor;
	}
	Unlock( factors );
}

size_t supPoints_DirectSize( const supPointsFlesh* flesh )
{
	return flesh->factors != NULL ? 9 * (size_t)flesh->factors->nodeCount * sizeof( double ) : 0;
}

size_t supPoints_DirectScratchSize( const supPointsFlesh* flesh )
{
	if ( flesh->factors == NULL || flesh->factors->nodeCount == 0 )
	{
		return 0;
	}
	supFactor factor;
	supFactor_InitAt( &factor, &flesh->factors->symbolic, &s_def, NULL );
	return supFactor_ScratchSize( &factor, 3, 1 );
}
