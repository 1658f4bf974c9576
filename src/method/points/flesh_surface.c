// SPDX-License-Identifier: MIT
// The render mesh, dragging, measuring.
#include "core/tasks.h"
#include "method/grab.h"
#include "method/points/flesh.h"

#define GRAIN 2048

static supVec3 PositionOf( const supPointsView* view, int32_t point )
{
	const float* p = view->state.x + 4 * (int64_t)point;
	return supMakeVec3( p[0], p[1], p[2] );
}

// ---------------------------------------------------------------------------------------------------------------------
// Surface

typedef struct DirectRun
{
	const supPointsFlesh* flesh;
	const supPointsView* view;
	const supSkinOutput* output;
} DirectRun;

// Not of unit length: large triangles weigh more.
static void FaceRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const DirectRun* run = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const int32_t* t = run->flesh->triangles + 3 * (int64_t)i;
		supVec3 a = PositionOf( run->view, t[0] );
		supVec3 e1 = supSub( PositionOf( run->view, t[1] ), a ), e2 = supSub( PositionOf( run->view, t[2] ), a );
		run->view->faceNormals[i] = supCross( e1, e2 );
	}
}

static void DirectRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const DirectRun* run = context;
	const supPointsFlesh* flesh = run->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		if ( run->output->positions != NULL )
		{
			run->output->positions[i] = PositionOf( run->view, i );
		}
		if ( run->output->normals != NULL )
		{
			supVec3 sum = supVec3_zero;
			for ( int32_t k = flesh->aroundStarts[i]; k < flesh->aroundStarts[i + 1]; ++k )
			{
				sum = supAdd( sum, run->view->faceNormals[flesh->around[k]] );
			}
			run->output->normals[i] = supNormalize( sum );
		}
	}
}

void supPoints_FrameSurface( const supPointsFlesh* flesh, const supPointsView* view, const supTasks* tasks )
{
	if ( flesh->isDirect )
	{
		DirectRun run = { flesh, view, NULL };
		supParallelFor( tasks, flesh->triangleCount, GRAIN, FaceRange, &run );
		return;
	}
	supSurfaceBinding_FrameTets( &flesh->binding, (const supVec4*)view->state.x, flesh->isProp ? NULL : view->skinned,
								 tasks, view->frames );
}

void supPoints_WriteSurface( const void* fleshPointer, const void* block, supPose* pose, int32_t instance,
							 const supTasks* tasks, const supSkinOutput* output )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	if ( flesh->isDirect )
	{
		DirectRun run = { flesh, &view, output };
		supParallelFor( tasks, flesh->pointCount, GRAIN, DirectRange, &run );
		return;
	}
	supSurfaceBinding_Write( &flesh->binding, view.frames, flesh->isProp ? sup_bindToRest : sup_bindToDual, pose,
							 instance, tasks, output );
}

// ---------------------------------------------------------------------------------------------------------------------
// Dragging and measuring

static int32_t Resolve( const supPointsFlesh* flesh, const supSurfacePoint* place, int32_t points[SUP_MAX_BIND_POINTS],
						float weights[SUP_MAX_BIND_POINTS] )
{
	if ( flesh->isDirect == false )
	{
		return supSurfaceBinding_Resolve( &flesh->binding, place, points, weights );
	}
	for ( int k = 0; k < 3; ++k )
	{
		points[k] = place->vertices[k];
		weights[k] = place->weights[k];
	}
	return 3;
}

bool supPoints_Grab( const void* fleshPointer, const void* block, const supSurfacePoint* point, float radius,
					 supGrab* grab )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	supGrabber grabber;
	grabber.cornerCount = Resolve( flesh, point, grabber.corners, grabber.shares );
	supGrabBody body = { flesh->pointCount, view.state.x, flesh->body.rest, flesh->body.inverseMasses, 1 };
	return supGrabber_Take( &grabber, grab, &body, radius );
}

void supPoints_Measure( const void* fleshPointer, const void* block, supSurfaceMeasure* measure )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	supPointSettings settings = supDefaultPointSettings();
	const supPointHeader* header = view.state.header;
	settings.edges = header->laws[0];
	settings.triangles = header->laws[1];
	settings.tets = header->laws[2];
	// posed flesh has its stress about the pose, not about the rest shape
	double elastic = flesh->isPosed ? 0.0 : supPointSolver_ElasticEnergy( &flesh->body, &settings, &view.state );
	measure->energy = (float)( elastic + supPointSolver_KineticEnergy( &flesh->body, &view.state ) );
}

int32_t supPoints_BindVertex( const void* fleshPointer, int32_t instance, int32_t vertex, int32_t* particles,
							  float* weights )
{
	const supPointsFlesh* flesh = fleshPointer;
	if ( flesh->isDirect == false )
	{
		return supSurfaceBinding_ResolveVertex( &flesh->binding, instance, vertex, particles, weights );
	}
	particles[0] = vertex;
	weights[0] = 1.0f;
	return 1;
}

static void FindDirectRow( const supPointsView* view, const supSurfacePoint* point, supPlaceRow* row )
{
	row->count = 0;
	row->position = supVec3_zero;
	row->isConstant = true;
	row->isLimited = false;
	for ( int32_t k = 0; k < 3; ++k )
	{
		if ( point->weights[k] > 0.0f )
		{
			supPlaceRow_Add( row, point->vertices[k], point->weights[k] );
			row->position = supMulAdd( row->position, point->weights[k], PositionOf( view, point->vertices[k] ) );
		}
	}
}

void supPoints_FindRow( const void* fleshPointer, void* block, supPose* pose, const supSurfacePoint* point,
						supPlaceRow* row )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	if ( flesh->isDirect )
	{
		FindDirectRow( &view, point, row );
		return;
	}
	supBoundSurface surface = { .binding = &flesh->binding,
								.reference = flesh->isProp ? sup_bindToRest : sup_bindToDual,
								.pose = pose,
								.points = (const supVec4*)view.state.x,
								.references = flesh->isProp ? NULL : view.skinned };
	supBoundSurface_FindRow( &surface, point, row );
}

void supPoints_Frame( const void* fleshPointer, void* block, const supTasks* tasks )
{
	const supPointsFlesh* flesh = fleshPointer;
	supPointsView view = supPointsFlesh_View( flesh, block );
	supPoints_FrameSurface( flesh, &view, tasks );
}
