// SPDX-License-Identifier: MIT
// What flesh was built from, beside the character, as one number: two that were built from the same are the same.
#include "core/hash.h"
#include "method/method.h"
#include "volume/lattice/control_lattice.h"

static uint64_t HashRegions( uint64_t hash, const supFleshDef* def )
{
	for ( int32_t i = 0; i < def->softRegionCount; ++i )
	{
		const supSoftRegion* r = def->softRegions + i;
		int32_t integers[5] = { (int32_t)r->shape, r->node, r->instance, r->vertexCount, r->isInBoneSpace };
		float numbers[13] = { r->center.x, r->center.y, r->center.z, r->radius, r->border, r->softness, r->frequency,
							  r->damping,  r->end.x,    r->end.y,    r->end.z,  r->reach,  r->even };
		hash = supHashBytes( hash, integers, sizeof( integers ) );
		hash = supHashBytes( hash, numbers, sizeof( numbers ) );
		const void* list = r->shape == sup_softValues ? (const void*)r->values : (const void*)r->vertices;
		hash = supHashBytes( hash, list, list != NULL ? (size_t)r->vertexCount * sizeof( int32_t ) : 0 );
	}
	return hash;
}

static uint64_t HashLayers( uint64_t hash, const supFleshDef* def )
{
	for ( int32_t i = 0; i < def->layerCount; ++i )
	{
		const supLayer* layer = def->layers + i;
		hash = supHashBytes( hash, &layer->share, sizeof( float ) );
		hash = supHashBytes( hash, &layer->tissue, sizeof( supTissue ) );
	}
	for ( int32_t i = 0; i < def->layerOverrideCount; ++i )
	{
		const supLayerOverride* part = def->layerOverrides + i;
		hash = supHashBytes( hash, &part->node, sizeof( int32_t ) );
		hash = supHashBytes( hash, &part->boneWidth, sizeof( float ) );
		if ( part->shares != NULL )
		{
			hash = supHashBytes( hash, part->shares, (size_t)def->layerCount * sizeof( float ) );
		}
	}
	return supHashBytes( hash, &def->boneWidth, sizeof( float ) );
}

static uint64_t HashTets( uint64_t hash, const supTetMesh* tets )
{
	if ( tets == NULL )
	{
		return hash;
	}
	hash = supHashBytes( hash, tets->points, (size_t)tets->pointCount * sizeof( supVec3 ) );
	return supHashBytes( hash, tets->indices, 4 * (size_t)tets->tetCount * sizeof( int32_t ) );
}

static uint64_t HashJoints( uint64_t hash, const supFleshDef* def )
{
	for ( int32_t i = 0; i < def->jointCount; ++i )
	{
		const supJointSetting* j = def->joints + i;
		int32_t integers[4] = { j->node, (int32_t)j->kind, j->hasLimits[0], j->hasLimits[1] };
		supVec3 directions[3] = { j->axis, j->secondAxis, j->middle };
		float numbers[8] = { j->lower[0], j->lower[1], j->upper[0],  j->upper[1],
							 j->swing,    j->strength, j->stiffness, j->damping };
		hash = supHashBytes( hash, integers, sizeof( integers ) );
		hash = supHashBytes( hash, directions, sizeof( directions ) );
		hash = supHashBytes( hash, numbers, sizeof( numbers ) );
	}
	return hash;
}

static uint64_t HashLattice( uint64_t hash, const supControlLattice* lattice )
{
	if ( lattice == NULL )
	{
		return hash;
	}
	hash = supHashBytes( hash, lattice->vertices, (size_t)lattice->vertexCount * sizeof( supVec3 ) );
	hash = supHashBytes( hash, lattice->pins, (size_t)lattice->vertexCount * sizeof( supLatticePin ) );
	hash = supHashBytes( hash, lattice->kinds, (size_t)lattice->cellCount );
	hash =
		supHashBytes( hash, lattice->corners, (size_t)lattice->cornerStarts[lattice->cellCount] * sizeof( int32_t ) );
	hash = supHashBytes( hash, lattice->joints, (size_t)lattice->jointCount * sizeof( supLatticeJoint ) );
	hash = supHashBytes( hash, lattice->bones, (size_t)lattice->boneCount * sizeof( supLatticeBone ) );
	return supHashBytes( hash, lattice->edges, (size_t)lattice->edgeCount * sizeof( supBoneEdge ) );
}

uint64_t supHashFleshDef( const supMethod* method, const supFleshDef* def, const float* parameters )
{
	uint64_t hash = supHashString( SUP_HASH_SEED, method->name );
	hash = supHashBytes( hash, parameters, (size_t)method->parameterCount * sizeof( float ) );
	hash = HashTets( HashJoints( HashLayers( HashRegions( hash, def ), def ), def ), def->tets );
	return HashLattice( hash, def->lattice );
}
