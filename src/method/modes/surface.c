// SPDX-License-Identifier: MIT
// The render mesh, and points for contacts and attachments.
#include "method/grab.h"
#include "method/modes/modes.h"

void supModes_Frame( const void* fleshPointer, void* block, const supTasks* tasks )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	supModes_Place( flesh, &view, tasks );
	supSurfaceBinding_FrameTets( &flesh->binding, view.x, view.skinned, tasks, view.frames );
}

void supModes_WriteSurface( const void* fleshPointer, const void* block, supPose* pose, int32_t instance,
							const supTasks* tasks, const supSkinOutput* output )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	supSurfaceBinding_Write( &flesh->binding, view.frames, sup_bindToDual, pose, instance, tasks, output );
}

bool supModes_Grab( const void* fleshPointer, const void* block, const supSurfacePoint* point, float radius,
					supGrab* grab )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	supGrabber grabber;
	grabber.cornerCount = supSurfaceBinding_Resolve( &flesh->binding, point, grabber.corners, grabber.shares );
	supGrabBody body = { flesh->pointCount, &view.x->x, flesh->points, flesh->inverseMasses, 1 };
	return supGrabber_Take( &grabber, grab, &body, radius );
}

int32_t supModes_BindVertex( const void* fleshPointer, int32_t instance, int32_t vertex, int32_t* particles,
							 float* weights )
{
	const supModesFlesh* flesh = fleshPointer;
	return supSurfaceBinding_ResolveVertex( &flesh->binding, instance, vertex, particles, weights );
}

void supModes_FindRow( const void* fleshPointer, void* block, supPose* pose, const supSurfacePoint* point,
					   supPlaceRow* row )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	supModes_Place( flesh, &view, NULL );
	supBoundSurface surface = { .binding = &flesh->binding,
								.reference = sup_bindToDual,
								.pose = pose,
								.points = view.x,
								.references = view.skinned };
	supBoundSurface_FindRow( &surface, point, row );
}

supParticles supModes_GetParticles( const void* fleshPointer, void* block )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	supModes_Place( flesh, &view, NULL );
	return ( supParticles ){ flesh->pointCount, &view.x->x, 1.0f, NULL };
}

void supModes_ListElements( const void* fleshPointer, supFleshElements* elements )
{
	const supModesFlesh* flesh = fleshPointer;
	elements->kind = sup_elementsTets;
	elements->pointCount = flesh->pointCount;
	elements->count = flesh->tetCount;
	elements->cornerCount = 4;
	elements->corners = flesh->tets;
}
