// SPDX-License-Identifier: MIT
#include "volume/voxels/voxels.h"

#include <float.h>

static int32_t Larger( int32_t a, int32_t b )
{
	return a > b ? a : b;
}

static int32_t Clamp( int32_t a, int32_t upper )
{
	return a < 0 ? 0 : ( a > upper ? upper : a );
}

typedef struct NearestVoxel
{
	const supVoxels* voxels;
	supVec3 point;
	int32_t voxel;
	float distanceSquared;
} NearestVoxel;

static void LookAt( NearestVoxel* nearest, int32_t x, int32_t y, int32_t z )
{
	int32_t voxel = supVoxels_Find( nearest->voxels, x, y, z );
	if ( voxel >= 0 )
	{
		supVec3 middle = supVoxels_CellCenter( nearest->voxels, nearest->voxels->cells[voxel] );
		float squared = supLengthSquared( supSub( middle, nearest->point ) );
		if ( squared < nearest->distanceSquared )
		{
			nearest->distanceSquared = squared;
			nearest->voxel = voxel;
		}
	}
}

// Cells at Chebyshev distance `ring` from the middle, as far as they are in the grid.
static void LookAtRing( NearestVoxel* nearest, supVoxelCell middle, int32_t ring )
{
	const supVoxels* v = nearest->voxels;
	for ( int32_t z = Clamp( middle.z - ring, v->nz - 1 ); z <= Clamp( middle.z + ring, v->nz - 1 ); ++z )
	{
		for ( int32_t y = Clamp( middle.y - ring, v->ny - 1 ); y <= Clamp( middle.y + ring, v->ny - 1 ); ++y )
		{
			bool whole = z == middle.z - ring || z == middle.z + ring || y == middle.y - ring || y == middle.y + ring;
			int32_t step = whole || ring == 0 ? 1 : 2 * ring;
			for ( int32_t x = middle.x - ring; x <= middle.x + ring; x += step )
			{
				if ( 0 <= x && x < v->nx )
				{
					LookAt( nearest, x, y, z );
				}
			}
		}
	}
}

// Rings of cells around the point's own, until no nearer one can come.
int32_t supVoxels_FindNearest( const supVoxels* voxels, supVec3 p )
{
	NearestVoxel nearest = { voxels, p, -1, FLT_MAX };
	supVoxelCell middle = supVoxels_CellAt( voxels, p );
	supVec3 corner = supVoxels_CellCenter( voxels, middle );
	float away = supDistance( corner, p );
	int32_t most = Larger( voxels->nx, Larger( voxels->ny, voxels->nz ) );
	for ( int32_t ring = 0; ring <= most; ++ring )
	{
		// a cell of this ring is at least so far from the point
		float least = (float)ring * (float)voxels->size - away;
		if ( nearest.voxel >= 0 && least > 0.0f && least * least > nearest.distanceSquared )
		{
			break;
		}
		LookAtRing( &nearest, middle, ring );
	}
	return nearest.voxel;
}
