// SPDX-License-Identifier: MIT
// The guard makes nothing worse: where skin that it has moved is squeezed or stretched far more than before, it gives
// way. Skinning squeezes the skin inside of a bend that flesh only folds.
#include "scene/guard_work.h"

#include <math.h>

// Edges down to a half and up to twice their length at rest are as good as any: the guard itself calls none squeezed
// that are longer.
#define FREE_STRAIN 2.0f

// Beyond that skin may be strained so many times as much as it was, since what is blended fades; at the second of them
// nothing is left of what the guard does.
#define FREE_GAIN 1.1f
#define WORST_GAIN 1.5f

// Most that an edge counts for: beyond it is a point.
#define MOST_STRAIN 100.0f

// The length of an edge now against at rest, or at rest against now, whichever is more.
static float FindStrain( const supGuardMesh* mesh, const supVec3* positions, int32_t place )
{
	supVec3 own = positions[supGuardMesh_Vertex( mesh, place )];
	float strain = 1.0f;
	for ( int32_t k = mesh->starts[place]; k < mesh->edgeEnds[place]; ++k )
	{
		float rest = mesh->distances[k];
		float length = supDistance( own, positions[supGuardMesh_Vertex( mesh, mesh->neighbours[k] )] );
		strain = supMaxFloat( strain, length > rest ? length / rest : rest / length );
	}
	return supMinFloat( strain, MOST_STRAIN );
}

// As above, whether it is more than FREE_STRAIN.
static bool IsStrained( const supGuardMesh* mesh, const supVec3* positions, int32_t place )
{
	supVec3 own = positions[supGuardMesh_Vertex( mesh, place )];
	bool isStrained = false;
	for ( int32_t k = mesh->starts[place]; k < mesh->edgeEnds[place]; ++k )
	{
		float rest = mesh->distances[k] * mesh->distances[k];
		supVec3 edge = supSub( positions[supGuardMesh_Vertex( mesh, mesh->neighbours[k] )], own );
		float square = supLengthSquared( edge );
		isStrained =
			isStrained || square > FREE_STRAIN * FREE_STRAIN * rest || FREE_STRAIN * FREE_STRAIN * square < rest;
	}
	return isStrained;
}

float supGuard_FindGain( const supGuardWork* work, const supVec3* before, const supVec3* now, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	if ( IsStrained( mesh, now, place ) == false )
	{
		return 1.0f;
	}
	float least = supMaxFloat( FindStrain( mesh, before, place ), FREE_STRAIN );
	float gain = FindStrain( mesh, now, place ) / least;
	return supClampFloat( ( WORST_GAIN - gain ) / ( WORST_GAIN - FREE_GAIN ), 0.0f, 1.0f );
}
