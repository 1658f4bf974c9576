// SPDX-License-Identifier: MIT
// The render mesh, dragging, measuring.
#include "method/fem/flesh.h"
#include "method/grab.h"

void supFem_Frame( const void* fleshPointer, void* block, const supTasks* tasks )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	supCellBasis_ToNodes( &flesh->basis, view.particles, view.nodes );
	supSurfaceBinding_FrameTets( &flesh->binding, view.nodes, flesh->skin == sup_femSkinned ? view.reference : NULL,
								 tasks, view.bindFrames );
}

void supFem_WriteSurface( const void* fleshPointer, const void* block, supPose* pose, int32_t instance,
						  const supTasks* tasks, const supSkinOutput* output )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	supSurfaceBinding_Write( &flesh->binding, view.bindFrames,
							 flesh->skin == sup_femSkinned ? sup_bindToDual : sup_bindToRest, pose, instance, tasks,
							 output );
	supFemDetail_AddToSurface( &flesh->detail, &view.detail, flesh->binding.vertexStarts[instance],
							   flesh->binding.vertexStarts[instance + 1], output );
}

// ---------------------------------------------------------------------------------------------------------------------
// What a place depends on

bool supFem_Grab( const void* fleshPointer, const void* block, const supSurfacePoint* point, float radius,
				  supGrab* grab )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	supGrabber grabber;
	grabber.cornerCount = supSurfaceBinding_Resolve( &flesh->binding, point, grabber.corners, grabber.shares );
	supGrabBody body = { flesh->model.functionCount, &view.particles->x, flesh->model.rests, &view.particles->w, 4 };
	return supGrabber_Take( &grabber, grab, &body, radius );
}

int32_t supFem_BindVertex( const void* fleshPointer, int32_t instance, int32_t vertex, int32_t* particles,
						   float* weights )
{
	const supFemFlesh* flesh = fleshPointer;
	return supSurfaceBinding_ResolveVertex( &flesh->binding, instance, vertex, particles, weights );
}

// Most finer functions at a place: those of two levels in the cells of three vertices.
#define MOST_AT_PLACE 96

void supFem_FindRow( const void* fleshPointer, void* block, supPose* pose, const supSurfacePoint* point,
					 supPlaceRow* row )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	bool toSkin = flesh->skin == sup_femSkinned;
	supCellBasis_ToNodes( &flesh->basis, view.particles, view.nodes );
	supBoundSurface surface = { .binding = &flesh->binding,
								.reference = toSkin ? sup_bindToDual : sup_bindToRest,
								.pose = pose,
								.points = view.nodes,
								.references = toSkin ? view.reference : NULL };
	supBoundSurface_FindRow( &surface, point, row );
	int32_t slots[MOST_AT_PLACE], first = flesh->binding.vertexStarts[point->instance];
	float values[MOST_AT_PLACE];
	int32_t count = supFemDetail_FindAt( &flesh->detail, &view.detail, point, first, MOST_AT_PLACE, slots, values );
	// others may be at this place in the next step
	row->isConstant = row->isConstant && flesh->detail.count == 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t particle = flesh->model.functionCount + slots[i];
		const supVec4* y = view.particles + particle;
		row->position = supMulAdd( row->position, values[i], supMakeVec3( y->x, y->y, y->z ) );
		supPlaceRow_Add( row, particle, values[i] );
	}
}

void supFem_Measure( const void* fleshPointer, const void* block, supSurfaceMeasure* measure )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	measure->energy = (float)( supFemSolver_ElasticEnergy( &flesh->model, &view.solver, view.tunings ) +
							   supFemSolver_KineticEnergy( &flesh->model, &view.solver ) );
	measure->finerFunctions = view.detail.header->activeCount;
}

void supFem_FillLevels( const void* fleshPointer, const void* block, int32_t instance, float* levels )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	const int32_t* starts = flesh->binding.vertexStarts + instance;
	memset( levels, 0, (size_t)( starts[1] - starts[0] ) * sizeof( float ) );
	supFemDetail_FillLevels( &flesh->detail, &view.detail, starts[0], starts[1], levels );
}
