// SPDX-License-Identifier: MIT
// Tets by the simplest way there is: six for each voxel, sharing the voxels' corners. Contains the surface.
#pragma once

#include "support.h"

#include "volume/tets/tets.h"
#include "volume/voxels/voxels.h"

#include <stdlib.h>

// `keep` (may be NULL) says which voxels become tets.
static inline void MakeVoxelTets( supTets* tets, const supVoxels* v, bool ( *keep )( const supVoxels*, int32_t, void* ),
								  void* context )
{
	static const int32_t cube[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
										{ 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
	int32_t nx = v->nx + 1, ny = v->ny + 1, nz = v->nz + 1;
	int32_t* numbers = malloc( (size_t)nx * (size_t)ny * (size_t)nz * sizeof( int32_t ) );
	assert_non_null( numbers );
	for ( int32_t i = 0; i < nx * ny * nz; ++i )
	{
		numbers[i] = -1;
	}
	tets->points = supArena_AllocArray( &tets->arena, 8 * (size_t)v->count, sizeof( supVec3 ) );
	tets->indices = supArena_AllocArray( &tets->arena, 24 * (size_t)v->count, sizeof( int32_t ) );
	assert_false( tets->arena.failed );
	for ( int32_t i = 0; i < v->count; ++i )
	{
		if ( keep != NULL && keep( v, i, context ) == false )
		{
			continue;
		}
		int32_t corners[8];
		for ( int32_t k = 0; k < 8; ++k )
		{
			int32_t x = v->cells[i].x + ( k & 1 ), y = v->cells[i].y + ( k >> 1 & 1 ), z = v->cells[i].z + ( k >> 2 );
			int32_t* number = numbers + ( z * ny + y ) * nx + x;
			if ( *number < 0 )
			{
				*number = tets->pointCount;
				tets->points[tets->pointCount++] = supMakeVec3(
					supVoxels_Border( v, 0, x ), supVoxels_Border( v, 1, y ), supVoxels_Border( v, 2, z ) );
			}
			corners[k] = *number;
		}
		for ( int32_t k = 0; k < 24; ++k )
		{
			tets->indices[4 * tets->tetCount + k] = corners[cube[k / 4][k % 4]];
		}
		tets->tetCount += 6;
	}
	free( numbers );
}
