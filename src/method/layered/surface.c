// SPDX-License-Identifier: MIT
// The render mesh, dragging, measuring.
#include "character/skinning_kernel.h"
#include "core/tasks.h"
#include "method/grab.h"
#include "method/layered/layered.h"

#define GRAIN 512

typedef struct SkinRun
{
	const supLayeredFlesh* flesh;
	const supLayeredView* view;
} SkinRun;

// x = Σ w ( c + R ( u + q - c0 ) ) over frames, outer points with their displacement, inner ones without.
static void SkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const SkinRun* run = context;
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = flesh->layer.tets.points[i];
		run->view->pose[i] =
			i < flesh->skin.nodeCount ? supAdd( p, supNarrowVec3( supLoadVec3d( run->view->q + 3 * (int64_t)i ) ) ) : p;
	}
	size_t slot = SUP_MAX_INFLUENCES * (size_t)begin;
	supSkinJob job = { .vertexCount = end - begin,
					   .influences = SUP_MAX_INFLUENCES,
					   .joints = flesh->pointFrames + slot,
					   .weights = flesh->pointFrameWeights + slot,
					   .palette = run->view->palette,
					   .positions = run->view->pose + begin,
					   .outPositions = run->view->fresh + begin };
	SUP_CALL_KERNEL( supSkinLinear )( &job );
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 p = run->view->fresh[i];
		run->view->points[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
}

static supMat34 MakeMatrix( const supLayeredFlesh* flesh, int32_t frame, supFramePlace place )
{
	supMat3d r = supMakeMat3dQuat( place.rotation );
	supVec3d rest = supMulMat3dVec( &r, flesh->frames[frame].center );
	supMat3 turn = supNarrowMat3( &r );
	return ( supMat34 ){ turn.cx, turn.cy, turn.cz, supNarrowVec3( supSubVec3d( place.center, rest ) ) };
}

void supLayered_SkinPoints( const supLayeredFlesh* flesh, const supLayeredView* view, const supTasks* tasks )
{
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		supFramePlace place = supLayered_PlaceFrame( flesh, i, view->links, view->ways );
		view->palette[i].matrix = MakeMatrix( flesh, i, place );
	}
	SkinRun run = { flesh, view };
	supParallelFor( tasks, flesh->layer.tets.pointCount, GRAIN, SkinRange, &run );
}

// A point that has no tets is turned as its frames are.
static void FrameLoose( const supLayeredFlesh* flesh, const supLayeredView* view, int32_t point )
{
	supBindFrame* frame = view->frames + point;
	supVec3* turn = frame->turn;
	turn[0] = turn[1] = turn[2] = supVec3_zero;
	for ( size_t k = SUP_MAX_INFLUENCES * (size_t)point; k < SUP_MAX_INFLUENCES * ( (size_t)point + 1 ); ++k )
	{
		const supMat34* m = &view->palette[flesh->pointFrames[k]].matrix;
		const supVec3 columns[3] = { m->cx, m->cy, m->cz };
		for ( int32_t c = 0; c < 3; ++c )
		{
			turn[c] = supMulAdd( turn[c], flesh->pointFrameWeights[k], columns[c] );
		}
	}
	turn[0].x -= 1.0f;
	turn[1].y -= 1.0f;
	turn[2].z -= 1.0f;
	supVec3 r = flesh->layer.tets.points[point];
	frame->turned = supMulAdd( supMulAdd( supScale( r.x, turn[0] ), r.y, turn[1] ), r.z, turn[2] );
}

void supLayered_FrameSurface( const supLayeredFlesh* flesh, const supLayeredView* view, const supTasks* tasks )
{
	size_t bytes = (size_t)flesh->layer.tets.pointCount * sizeof( supVec4 );
	if ( memcmp( view->framed, view->points, bytes ) != 0 )
	{
		memcpy( view->framed, view->points, bytes );
		supSurfaceBinding_FrameSomeTets( &flesh->binding, view->points, flesh->held, flesh->heldCount, tasks,
										 view->frames );
		for ( int32_t i = 0; i < flesh->looseCount; ++i )
		{
			FrameLoose( flesh, view, flesh->loose[i] );
		}
	}
}

void supLayered_Frame( const void* fleshPointer, void* block, const supTasks* tasks )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	for ( int32_t i = 0; i < flesh->layer.tets.pointCount; ++i )
	{
		view.points[i] = ( supVec4 ){ view.x[i].x, view.x[i].y, view.x[i].z, 0.0f };
	}
	supLayered_FrameSurface( flesh, &view, tasks );
}

int32_t supLayered_BindVertex( const void* fleshPointer, int32_t instance, int32_t vertex, int32_t* particles,
							   float* weights )
{
	const supLayeredFlesh* flesh = fleshPointer;
	return supSurfaceBinding_ResolveVertex( &flesh->binding, instance, vertex, particles, weights );
}

void supLayered_FindRow( const void* fleshPointer, void* block, supPose* pose, const supSurfacePoint* point,
						 supPlaceRow* row )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	supBoundSurface surface = {
		.binding = &flesh->binding, .reference = sup_bindToRest, .pose = pose, .points = view.x, .frames = view.frames
	};
	supBoundSurface_FindRow( &surface, point, row );
}

void supLayered_WriteSurface( const void* fleshPointer, const void* block, supPose* pose, int32_t instance,
							  const supTasks* tasks, const supSkinOutput* output )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	supSurfaceBinding_Write( &flesh->binding, view.frames, sup_bindToRest, pose, instance, tasks, output );
}

// ---------------------------------------------------------------------------------------------------------------------
// Without flesh

void supLayered_PlaceBase( const supLayeredFlesh* flesh, const supLayeredView* view )
{
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		const supFrame* frame = flesh->frames + i;
		supLinkState ends[2] = { { .center = view->targets[frame->links[0]].center,
								   .rotation = view->targets[frame->links[0]].rotation } };
		supFramePlace place = { ends[0].center, ends[0].rotation };
		if ( frame->links[1] >= 0 )
		{
			ends[1].center = view->targets[frame->links[1]].center;
			ends[1].rotation = view->targets[frame->links[1]].rotation;
			place = supLayered_BetweenPlace( flesh, i, ends, supLayered_BaseWay( flesh, view, i ) );
		}
		view->base[i] = MakeMatrix( flesh, i, place );
	}
}

typedef struct BaseRun
{
	const supLayeredFlesh* flesh;
	const supMat34* base;
	int32_t first;
	supVec3* positions;
} BaseRun;

// Where frames put a point, less where links alone put it.
static supVec3 FindBaseShift( const BaseRun* run, int32_t point )
{
	const supLayeredFlesh* flesh = run->flesh;
	supVec3 p = flesh->layer.tets.points[point], sum = supVec3_zero;
	for ( int32_t k = flesh->shiftStarts[point]; k < flesh->shiftStarts[point + 1]; ++k )
	{
		sum = supMulAdd( sum, flesh->shiftWeights[k], supTransformPoint( run->base[flesh->shiftFrames[k]], p ) );
	}
	return sum;
}

static void BaseRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const BaseRun* run = context;
	const supSurfaceBinding* binding = &run->flesh->binding;
	for ( int32_t v = begin; v < end; ++v )
	{
		for ( int64_t k = (int64_t)binding->width * ( run->first + v );
			  k < (int64_t)binding->width * ( run->first + v + 1 ); ++k )
		{
			if ( binding->weights[k] > 0.0f )
			{
				supVec3 shift = FindBaseShift( run, binding->points[k] );
				run->positions[v] = supMulAdd( run->positions[v], binding->weights[k], shift );
			}
		}
	}
}

void supLayered_AddBase( const void* fleshPointer, const void* block, int32_t instance, const supTasks* tasks,
						 supVec3* positions )
{
	const supLayeredFlesh* flesh = fleshPointer;
	int32_t first = flesh->binding.vertexStarts[instance], end = flesh->binding.vertexStarts[instance + 1];
	if ( flesh->between > 0 && flesh->binding.still[instance] == false )
	{
		BaseRun run = { flesh, supLayered_View( flesh, block ).base, first, positions };
		supParallelFor( tasks, end - first, GRAIN, BaseRange, &run );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Dragging and measuring

bool supLayered_Grab( const void* fleshPointer, const void* block, const supSurfacePoint* point, float radius,
					  supGrab* grab )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	supGrabber grabber;
	supVec3 now[SUP_MAX_BIND_POINTS], rest[SUP_MAX_BIND_POINTS];
	grabber.cornerCount = supSurfaceBinding_Resolve( &flesh->binding, point, grabber.corners, grabber.shares );
	for ( int32_t i = 0; i < grabber.cornerCount; ++i )
	{
		supVec4 p = view.points[grabber.corners[i]];
		now[i] = supMakeVec3( p.x, p.y, p.z );
		rest[i] = flesh->layer.tets.points[grabber.corners[i]];
	}
	supGrabber_Begin( &grabber, grab, now, rest, radius );
	for ( int32_t i = 0; i < flesh->layer.tets.pointCount; ++i )
	{
		supVec4 p = view.points[i];
		supGrabber_Offer( &grabber, i, supMakeVec3( p.x, p.y, p.z ), flesh->layer.tets.points[i],
						  i < flesh->layer.outerCount );
	}
	return supGrabber_End( &grabber );
}

// Of motion and of the skin's stress; what the clip's springs hold is not counted.
void supLayered_Measure( const void* fleshPointer, const void* block, supSurfaceMeasure* measure )
{
	const supLayeredFlesh* flesh = fleshPointer;
	supLayeredView view = supLayered_View( flesh, block );
	double energy = 0.0;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		const supLink* link = flesh->links.links + i;
		const supLinkState* state = view.links + i;
		energy += 0.5 * link->mass * supDotVec3d( state->velocity, state->velocity );
		energy += 0.5 * supDotVec3d( state->spin, supMulMat3dVec( &link->inertia, state->spin ) );
	}
	for ( int32_t f = 0; f < flesh->frameCount; ++f )
	{
		supFrameMap map = supLayered_MapFrame( flesh, f, view.links, view.ways );
		supFramePlace place = supLayered_PlaceFrame( flesh, f, view.links, view.ways );
		supFrameSpeed frame = supLayered_FrameSpeed( flesh->frames + f, &map, view.links );
		supMat3d r = supMakeMat3dQuat( place.rotation );
		for ( int32_t k = flesh->frameStarts[f]; k < flesh->frameStarts[f + 1]; ++k )
		{
			int32_t a = flesh->frameNodes[k];
			supVec3d arm = supLayered_Arm( flesh, view.q, a, f ), own = supLoadVec3d( view.v + 3 * (int64_t)a );
			supVec3d inner = supAddVec3d( supCrossVec3d( frame.spin, arm ), own );
			supVec3d speed = supAddVec3d( frame.velocity, supMulMat3dVec( &r, inner ) );
			energy += 0.5 * flesh->skin.masses[a] * flesh->frameWeights[k] * supDotVec3d( speed, speed );
		}
	}
	measure->energy += (float)( energy + supSkinBody_Energy( &flesh->skin, view.q ) );
}
