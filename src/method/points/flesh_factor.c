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
#include "method/points/flesh.h"
#include "method/points/stiffness.h"

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
	int32_t* nodes;         // of each point; -1: fixed
	supStiffness stiffness; // its values are those of the factor that was made last
	Slot slots[FACTORS];
};

static const supFactorDef s_def = { .precision = sup_precisionFloat, .workerCount = 1 };

// ---------------------------------------------------------------------------------------------------------------------
// Building

static bool ListNodes( supPointsFactors* factors, const supPointsFlesh* flesh )
{
	factors->nodes = supAllocArray( (size_t)flesh->pointCount, sizeof( int32_t ) );
	for ( int32_t i = 0; factors->nodes != NULL && i < flesh->pointCount; ++i )
	{
		factors->nodes[i] = flesh->body.inverseMasses[i] > 0.0f ? factors->nodeCount++ : -1;
	}
	return factors->nodes != NULL;
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
	bool ok = supStiffness_Create( &factors->stiffness, &flesh->body, factors->nodes, factors->nodeCount, error );
	for ( int32_t i = 0; i < FACTORS && ok; ++i )
	{
		Slot* slot = factors->slots + i;
		slot->massFactors = supAllocArray( (size_t)factors->nodeCount, sizeof( float ) );
		ok = slot->massFactors != NULL ? supFactor_Create( &slot->factor, &factors->stiffness.symbolic, &s_def, error )
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
		supStiffness_Destroy( &factors->stiffness );
		supFree( factors->nodes );
		supFree( factors );
	}
	flesh->factors = NULL;
}

static bool MakeFactor( supPointsFactors* factors, const supPointsFlesh* flesh, Slot* slot )
{
	supStiffness_Assemble( &factors->stiffness, &flesh->body, slot->key.laws, flesh->shape, slot->key.dt );
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		int32_t node = factors->nodes[i];
		if ( node >= 0 )
		{
			double mass = (double)slot->massFactors[node] / (double)flesh->body.inverseMasses[i];
			supStiffness_AddMass( &factors->stiffness, node, mass );
		}
	}
	return supFactor_Refactor( &slot->factor, &factors->stiffness.matrix, NULL ).ok;
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

static bool Fits( const supPointsFactors* factors, const supPointsFlesh* flesh, const Slot* slot, const Key* key,
				  const supPointStep* step )
{
	bool fits = slot->isReady && memcmp( &slot->key, key, sizeof( Key ) ) == 0;
	for ( int32_t i = 0; i < flesh->pointCount && fits; ++i )
	{
		int32_t node = factors->nodes[i];
		fits = node < 0 || slot->massFactors[node] == MassFactor( step, key->drag, i );
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
		if ( Fits( factors, flesh, slot, key, step ) )
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
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		if ( factors->nodes[i] >= 0 )
		{
			oldest->massFactors[factors->nodes[i]] = MassFactor( step, key->drag, i );
		}
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
								  .nodes = factors->nodes,
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
	supFactor_InitAt( &factor, &flesh->factors->stiffness.symbolic, &s_def, NULL );
	return supFactor_ScratchSize( &factor, 3, 1 );
}
