// SPDX-License-Identifier: MIT
// Each vertex of a skin finds the voxels around it.
#include "core/tasks.h"
#include "volume/surface_binding_internal.h"
#include "volume/voxel_graph.h"

#include <float.h>

#define GRAIN 256

typedef struct VoxelContext
{
	supBindArrays arrays;
	const supRestSurface* surface;
	const supVoxels* voxels;
	uint8_t* outside;
} VoxelContext;

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

// The voxel whose middle is nearest: rings of cells around the point's own, until no nearer one can come.
static int32_t FindNearestVoxel( const supVoxels* voxels, supVec3 p )
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

static void BindRange( int32_t begin, int32_t end, int32_t worker, void* contextPointer )
{
	(void)worker;
	const VoxelContext* context = contextPointer;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = context->surface->positions[i];
		int32_t around[8];
		float weights[8] = { 1.0f };
		int32_t count = supVoxels_Around( context->voxels, p, around, weights );
		context->outside[i] = count == 0;
		if ( count == 0 )
		{
			around[0] = FindNearestVoxel( context->voxels, p );
			weights[0] = 1.0f;
			count = 1;
		}
		for ( int32_t k = 0; k < 8; ++k )
		{
			context->arrays.points[8 * (ptrdiff_t)i + k] = around[k < count ? k : 0];
			context->arrays.weights[8 * (ptrdiff_t)i + k] = k < count ? weights[k] : 0.0f;
		}
	}
}

static void FillReport( supSurfaceBinding* binding, const VoxelContext* context )
{
	for ( int32_t i = 0; i < binding->vertexCount; ++i )
	{
		if ( context->outside[i] != 0 )
		{
			supVec4 r = binding->restPoints[binding->points[8 * (ptrdiff_t)i]];
			float distance = supDistance( context->surface->positions[i], supMakeVec3( r.x, r.y, r.z ) );
			binding->report.outside += 1;
			binding->report.farthest = supMaxFloat( binding->report.farthest, distance );
		}
	}
	binding->report.inside = binding->vertexCount - binding->report.outside;
}

static bool BindVertices( supSurfaceBinding* binding, const supBindArrays* arrays, const supRestSurface* surface,
						  const supVoxels* voxels, const supTasks* tasks, supError* error )
{
	uint8_t* outside = supAllocArray( (size_t)surface->vertexCount, 1 );
	if ( outside == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < voxels->count; ++i )
	{
		supVec3 p = supVoxels_CellCenter( voxels, voxels->cells[i] );
		arrays->restPoints[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
	VoxelContext context = { *arrays, surface, voxels, outside };
	supParallelFor( tasks, surface->vertexCount, GRAIN, BindRange, &context );
	FillReport( binding, &context );
	supFree( outside );
	return true;
}

bool supSurfaceBinding_InitVoxels( supSurfaceBinding* binding, const supCharacter* character, const supVoxels* voxels,
								   const supTasks* tasks, supError* error )
{
	supClearError( error );
	SUP_ASSERT( voxels->count > 0 );
	supRestSurface surface = { 0 };
	supBindArrays arrays = { 0 };
	bool ok = supRestSurface_Init( &surface, character, tasks, error ) &&
			  supSurfaceBinding_Begin( binding, character, &surface, voxels->count, 8, tasks, &arrays, error ) &&
			  BindVertices( binding, &arrays, &surface, voxels, tasks, error );
	supRestSurface_Destroy( &surface );
	if ( ok == false )
	{
		supSurfaceBinding_Destroy( binding );
		return false;
	}
	binding->smoothness = 1.0f;
	return true;
}
