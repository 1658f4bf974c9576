// SPDX-License-Identifier: MIT
// The mesh, carried by the voxels around each vertex (src/volume/surface_binding.h), and taking hold of it.
#include "method/lattice/lattice.h"

#define BRICK_GRAIN 24

static void StagePlaces( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supLatticePlaces )( context, begin, end );
}

void supLattice_FillFrames( supLatticeJob* job, const supTasks* tasks )
{
	const supLatticeArrays* a = &job->arrays;
	supParallelFor( tasks, job->flesh->brickCount, BRICK_GRAIN, StagePlaces, job );
	const supVec4* reference = a->head->carry == sup_latticeCarrySkin ? a->references : NULL;
	supSurfaceBinding_FrameRotations( &job->flesh->surface, a->points, a->turnsOfPoints, reference, tasks, a->frames );
}

// Arrays of a state that is only looked at.
static supLatticeArrays Look( const supLatticeFlesh* flesh, const void* state )
{
	return supLattice_Arrays( flesh, (void*)(uintptr_t)state );
}

void supLattice_WriteSurface( const void* ownFlesh, const void* state, supPose* pose, int32_t instance,
							  const supTasks* tasks, const supSkinOutput* output )
{
	const supLatticeFlesh* flesh = ownFlesh;
	supLatticeArrays arrays = Look( flesh, state );
	supBindReference reference = arrays.head->carry == sup_latticeCarrySkin ? sup_bindToLinear : sup_bindToRest;
	supSurfaceBinding_Write( &flesh->surface, arrays.frames, reference, pose, instance, tasks, output );
}

// ---------------------------------------------------------------------------------------------------------------------
// Dragging

typedef struct Nearest
{
	int32_t voxel;
	float distance;
} Nearest;

// Keeps the nearest, which stand sorted; of equals the first.
static void Offer( Nearest* nearest, int32_t* count, int32_t most, Nearest candidate )
{
	if ( *count == most && candidate.distance >= nearest[most - 1].distance )
	{
		return;
	}
	int32_t at = *count < most ? ( *count )++ : most - 1;
	for ( ; at > 0 && nearest[at - 1].distance > candidate.distance; --at )
	{
		nearest[at] = nearest[at - 1];
	}
	nearest[at] = candidate;
}

// The nearest free voxels to a place, within `radius`; those that the place hangs on in any case.
bool supLattice_Grab( const void* ownFlesh, const void* state, const supSurfacePoint* point, float radius,
					  supGrab* grab )
{
	const supLatticeFlesh* flesh = ownFlesh;
	supLatticeArrays arrays = Look( flesh, state );
	int32_t points[SUP_MAX_BIND_POINTS];
	float weights[SUP_MAX_BIND_POINTS];
	int32_t count = supSurfaceBinding_Resolve( &flesh->surface, point, points, weights );
	supVec3 place = supVec3_zero;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supVec4* p = arrays.points + points[i];
		place = supMulAdd( place, weights[i], supMakeVec3( p->x, p->y, p->z ) );
	}
	// a voxel's own size is the least that can be held
	float reach = supMaxFloat( radius, 1.5f * flesh->voxelSize );
	Nearest nearest[SUP_MAX_GRAB];
	int32_t found = 0;
	for ( int32_t i = 0; i < flesh->voxelCount; ++i )
	{
		const supVec4* p = arrays.points + i;
		float distance = supDistance( supMakeVec3( p->x, p->y, p->z ), place );
		if ( distance < reach && flesh->freedoms[flesh->voxelSlots[i]] > 0.0f )
		{
			Offer( nearest, &found, SUP_MAX_GRAB, ( Nearest ){ i, distance } );
		}
	}
	grab->count = found;
	for ( int32_t i = 0; i < found; ++i )
	{
		const supVec4* p = arrays.points + nearest[i].voxel;
		float part = nearest[i].distance / reach;
		grab->particles[i] = nearest[i].voxel;
		grab->weights[i] = 1.0f - part * part;
		grab->offsets[i] = supSub( supMakeVec3( p->x, p->y, p->z ), place );
	}
	return found > 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Energy

// Of the motion alone, with water's density: what the tethers hold is not told.
#define DENSITY 1000.0f

void supLattice_Measure( const void* ownFlesh, const void* state, supSurfaceMeasure* measure )
{
	const supLatticeFlesh* flesh = ownFlesh;
	supLatticeArrays arrays = Look( flesh, state );
	double sum = 0.0;
	for ( int32_t i = 0; i < flesh->voxelCount; ++i )
	{
		int32_t slot = flesh->voxelSlots[i];
		const float* v = arrays.velocities + (size_t)( slot >> 3 ) * 24 + ( slot & 7 );
		sum += (double)( v[0] * v[0] + v[8] * v[8] + v[16] * v[16] );
	}
	float size = flesh->voxelSize;
	measure->energy += 0.5f * DENSITY * size * size * size * size * size * (float)sum;
}
