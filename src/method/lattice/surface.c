// SPDX-License-Identifier: MIT
// The mesh, carried by the voxels around each vertex (src/volume/binding/surface_binding.h), and taking hold of it.
#include "method/grab.h"
#include "method/lattice/lattice.h"

#define BRICK_GRAIN 24

static void StagePlaces( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supLatticePlaces )( context, begin, end );
}

// Arrays of an actor, with frames. They are worked out when they are first asked for after a substep, so that only the
// last one of a step pays for them: the one thing that looking at a state may change.
static supLatticeArrays Look( const supLatticeFlesh* flesh, const void* state, const supTasks* tasks )
{
	supLatticeArrays a = supLattice_Arrays( flesh, (void*)(uintptr_t)state );
	if ( a.head->hasFrames == 0 )
	{
		supLatticeJob job = { .flesh = flesh, .arrays = a };
		supParallelFor( tasks, flesh->voxelBrickCount, BRICK_GRAIN, StagePlaces, &job );
		const supVec4* reference = a.head->carry == sup_latticeCarrySkin ? a.references : NULL;
		supSurfaceBinding_FrameRotations( &flesh->surface, a.points, a.turnsOfPoints, reference, tasks, a.frames );
		a.head->hasFrames = 1;
	}
	return a;
}

void supLattice_WriteSurface( const void* ownFlesh, const void* state, supPose* pose, int32_t instance,
							  const supTasks* tasks, const supSkinOutput* output )
{
	const supLatticeFlesh* flesh = ownFlesh;
	supLatticeArrays arrays = Look( flesh, state, tasks );
	supBindReference reference = arrays.head->carry == sup_latticeCarrySkin ? sup_bindToLinear : sup_bindToRest;
	supSurfaceBinding_Write( &flesh->surface, arrays.frames, reference, pose, instance, tasks, output );
}

// ---------------------------------------------------------------------------------------------------------------------
// Dragging

static supVec3 PointOf( const supLatticeArrays* arrays, int32_t voxel )
{
	const supVec4* p = arrays->points + voxel;
	return supMakeVec3( p->x, p->y, p->z );
}

// From cell 0.
static supVec3 RestOf( const supLatticeFlesh* flesh, int32_t voxel )
{
	int32_t slot = flesh->voxelSlots[voxel];
	supVoxelCell cell = flesh->brickCells[slot >> 3];
	return supScale( flesh->voxelSize, supMakeVec3( (float)( cell.x + ( slot & 7 ) ), (float)cell.y, (float)cell.z ) );
}

bool supLattice_Grab( const void* ownFlesh, const void* state, const supSurfacePoint* point, float radius,
					  supGrab* grab )
{
	const supLatticeFlesh* flesh = ownFlesh;
	supLatticeArrays arrays = Look( flesh, state, NULL );
	supGrabber grabber;
	supVec3 now[SUP_MAX_BIND_POINTS], rest[SUP_MAX_BIND_POINTS];
	grabber.cornerCount = supSurfaceBinding_Resolve( &flesh->surface, point, grabber.corners, grabber.shares );
	for ( int32_t i = 0; i < grabber.cornerCount; ++i )
	{
		now[i] = PointOf( &arrays, grabber.corners[i] );
		rest[i] = RestOf( flesh, grabber.corners[i] );
	}
	supGrabber_Begin( &grabber, grab, now, rest, radius );
	for ( int32_t i = 0; i < flesh->voxelCount; ++i )
	{
		supGrabber_Offer( &grabber, i, PointOf( &arrays, i ), RestOf( flesh, i ),
						  flesh->freedoms[flesh->voxelSlots[i]] > 0.0f );
	}
	return supGrabber_End( &grabber );
}

// ---------------------------------------------------------------------------------------------------------------------
// Moved from outside

#define VOXEL_GRAIN 512

// kg/m^3: flesh is mostly water
#define DENSITY 1000.0f

// The place of a voxel in the world, rounded: the same bits every time.
static supVec3 PlaceOf( const supLatticeJob* job, int32_t voxel )
{
	int32_t slot = job->flesh->voxelSlots[voxel];
	const float* p = job->arrays.positions + (size_t)( slot >> 3 ) * 24 + ( slot & 7 );
	const double* origin = job->arrays.head->origin;
	double size = (double)job->flesh->voxelSize;
	return supMakeVec3( (float)( origin[0] + size * (double)p[0] ), (float)( origin[1] + size * (double)p[8] ),
						(float)( origin[2] + size * (double)p[16] ) );
}

// Only what somebody moved: rounding to the world and back would be a motion too.
static void StageTake( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLatticeJob* job = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = PlaceOf( job, i );
		const supVec4* now = job->arrays.points + i;
		if ( now->x != p.x || now->y != p.y || now->z != p.z )
		{
			int32_t slot = job->flesh->voxelSlots[i];
			float* out = job->arrays.positions + (size_t)( slot >> 3 ) * 24 + ( slot & 7 );
			out[0] += ( now->x - p.x ) / job->flesh->voxelSize;
			out[8] += ( now->y - p.y ) / job->flesh->voxelSize;
			out[16] += ( now->z - p.z ) / job->flesh->voxelSize;
		}
	}
}

void supLattice_TakeParticles( supLatticeJob* job, const supTasks* tasks )
{
	if ( job->arrays.head->isShown != 0 )
	{
		supParallelFor( tasks, job->flesh->voxelCount, VOXEL_GRAIN, StageTake, job );
		job->arrays.head->isShown = 0;
	}
}

supParticles supLattice_GetParticles( const void* ownFlesh, void* state )
{
	const supLatticeFlesh* flesh = ownFlesh;
	supLatticeJob job = { .flesh = flesh, .arrays = supLattice_Arrays( flesh, state ) };
	for ( int32_t i = 0; i < flesh->voxelCount && job.arrays.head->isShown == 0; ++i )
	{
		supVec3 p = PlaceOf( &job, i );
		job.arrays.points[i] = ( supVec4 ){ p.x, p.y, p.z, flesh->freedoms[flesh->voxelSlots[i]] };
	}
	job.arrays.head->isShown = 1;
	float size = flesh->voxelSize;
	return ( supParticles ){ .count = flesh->voxelCount,
							 .x = &job.arrays.points->x,
							 .massUnit = DENSITY * size * size * size };
}

int32_t supLattice_BindVertex( const void* ownFlesh, int32_t instance, int32_t vertex, int32_t* particles,
							   float* weights )
{
	const supLatticeFlesh* flesh = ownFlesh;
	return supSurfaceBinding_ResolveVertex( &flesh->surface, instance, vertex, particles, weights );
}

void supLattice_FindRow( const void* ownFlesh, void* state, supPose* pose, const supSurfacePoint* point,
						 supPlaceRow* row )
{
	const supLatticeFlesh* flesh = ownFlesh;
	// somebody may have moved the particles since they were handed out
	if ( supLattice_Arrays( flesh, state ).head->isShown != 0 )
	{
		supLattice_Frame( flesh, state, NULL );
	}
	supLatticeArrays arrays = Look( flesh, state, NULL );
	bool toSkin = arrays.head->carry == sup_latticeCarrySkin;
	supBoundSurface surface = { .binding = &flesh->surface,
								.reference = toSkin ? sup_bindToLinear : sup_bindToRest,
								.pose = pose,
								.points = arrays.points,
								.references = toSkin ? arrays.references : NULL,
								.rotations = arrays.turnsOfPoints };
	supBoundSurface_FindRow( &surface, point, row );
}

void supLattice_Frame( const void* ownFlesh, void* state, const supTasks* tasks )
{
	supLatticeJob job = { .flesh = ownFlesh, .arrays = supLattice_Arrays( ownFlesh, state ) };
	supLattice_TakeParticles( &job, tasks );
	job.arrays.head->hasFrames = 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Energy

// Of the motion alone: what the tethers hold is not told.

void supLattice_Measure( const void* ownFlesh, const void* state, supSurfaceMeasure* measure )
{
	const supLatticeFlesh* flesh = ownFlesh;
	supLatticeArrays arrays = supLattice_Arrays( flesh, (void*)(uintptr_t)state );
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
