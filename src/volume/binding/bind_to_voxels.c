// SPDX-License-Identifier: MIT
// Each vertex of a skin finds the voxels around it.
#include "core/tasks.h"
#include "volume/binding/surface_binding_internal.h"
#include "volume/voxels/voxel_graph.h"

#define GRAIN 256

typedef struct VoxelContext
{
	supBindArrays arrays;
	const supRestSurface* surface;
	const supVoxels* voxels;
	uint8_t* outside;
} VoxelContext;

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
			around[0] = supVoxels_FindNearest( context->voxels, p );
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

void supSurfaceBinding_ShareOut( supSurfaceBinding* binding, supBindShareFcn* share, supBindOwnFcn* findOwn,
								 const void* context )
{
	SUP_ASSERT( binding->width == 8 );
	// its own, and not yet anybody else's
	float* all = (float*)(uintptr_t)binding->weights;
	int32_t* allPoints = (int32_t*)(uintptr_t)binding->points;
	for ( int32_t i = 0; i < binding->vertexCount; ++i )
	{
		float *weights = all + (ptrdiff_t)i * 8, kept[8], sum = 0.0f;
		memcpy( kept, weights, sizeof( kept ) );
		share( i, binding->points + (ptrdiff_t)i * 8, kept, 8, context );
		for ( int32_t k = 0; k < 8; ++k )
		{
			sum += kept[k];
		}
		int32_t own = sum > 0.0f ? -1 : findOwn( i, context );
		for ( int32_t k = 0; k < 8 && own >= 0; ++k )
		{
			allPoints[(ptrdiff_t)i * 8 + k] = own;
			weights[k] = k == 0 ? 1.0f : 0.0f;
		}
		for ( int32_t k = 0; k < 8 && sum > 0.0f; ++k )
		{
			weights[k] = kept[k] / sum;
		}
	}
}
