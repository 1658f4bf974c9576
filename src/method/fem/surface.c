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
}

// ---------------------------------------------------------------------------------------------------------------------
// What a place hangs on

// Room for what nodes of the finest level hang on.
#define MOST_VERTICES 256

typedef struct Places
{
	int32_t count;
	int32_t points[MOST_VERTICES];
	float weights[MOST_VERTICES];
} Places;

static void AddPlace( Places* places, int32_t point, float weight )
{
	for ( int32_t i = 0; i < places->count; ++i )
	{
		if ( places->points[i] == point )
		{
			places->weights[i] += weight;
			return;
		}
	}
	if ( places->count < MOST_VERTICES )
	{
		places->points[places->count] = point;
		places->weights[places->count++] = weight;
	}
}

// Nodes into vertices of the lattice: finer functions have no place of their own that could be pulled at.
static void Coarsen( const supCellBasis* basis, Places* places )
{
	int32_t vertexCount = basis->nodeStarts[1];
	for ( int32_t finest; places->count > 0; )
	{
		finest = 0;
		for ( int32_t i = 1; i < places->count; ++i )
		{
			finest = places->points[i] > places->points[finest] ? i : finest;
		}
		int32_t node = places->points[finest];
		if ( node < vertexCount )
		{
			return;
		}
		float weight = places->weights[finest];
		places->count -= 1;
		places->points[finest] = places->points[places->count];
		places->weights[finest] = places->weights[places->count];
		int32_t begin = basis->parentStarts[node], end = basis->parentStarts[node + 1];
		for ( int32_t k = begin; k < end; ++k )
		{
			AddPlace( places, basis->parents[k], weight / (float)( end - begin ) );
		}
	}
}

// The heaviest `most`, brought to sum 1.
static int32_t KeepHeaviest( Places* places, int32_t most, int32_t* points, float* weights )
{
	int32_t count = 0;
	float sum = 0.0f;
	while ( count < most && places->count > 0 )
	{
		int32_t best = 0;
		for ( int32_t i = 1; i < places->count; ++i )
		{
			best = places->weights[i] > places->weights[best] ? i : best;
		}
		points[count] = places->points[best];
		weights[count] = places->weights[best];
		sum += weights[count++];
		places->count -= 1;
		places->points[best] = places->points[places->count];
		places->weights[best] = places->weights[places->count];
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		weights[i] /= sum;
	}
	return count;
}

bool supFem_Grab( const void* fleshPointer, const void* block, const supSurfacePoint* point, float radius,
				  supGrab* grab )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	supGrabber grabber;
	Places places = { .count = supSurfaceBinding_Resolve( &flesh->binding, point, places.points, places.weights ) };
	Coarsen( &flesh->basis, &places );
	grabber.cornerCount = KeepHeaviest( &places, SUP_MAX_BIND_POINTS, grabber.corners, grabber.shares );
	supGrabBody body = { flesh->model.vertexCount, &view.particles->x, flesh->model.rests, &view.particles->w, 4 };
	return supGrabber_Take( &grabber, grab, &body, radius );
}

int32_t supFem_BindVertex( const void* fleshPointer, int32_t instance, int32_t vertex, int32_t* particles,
						   float* weights )
{
	const supFemFlesh* flesh = fleshPointer;
	Places places = { 0 };
	places.count = supSurfaceBinding_ResolveVertex( &flesh->binding, instance, vertex, places.points, places.weights );
	Coarsen( &flesh->basis, &places );
	return KeepHeaviest( &places, SUP_MAX_BOUND, particles, weights );
}

// The weight of a node is that of its own function, and goes on to its parents.
static void NodesToFunctions( const supCellBasis* basis, supPlaceRow* nodes, supPlaceRow* row )
{
	while ( nodes->count > 0 )
	{
		int32_t finest = 0;
		for ( int32_t i = 1; i < nodes->count; ++i )
		{
			finest = nodes->points[i] > nodes->points[finest] ? i : finest;
		}
		int32_t node = nodes->points[finest], begin = basis->parentStarts[node], end = basis->parentStarts[node + 1];
		float weight = nodes->weights[finest];
		nodes->count -= 1;
		nodes->points[finest] = nodes->points[nodes->count];
		nodes->weights[finest] = nodes->weights[nodes->count];
		if ( basis->nodeFunctions[node] >= 0 )
		{
			supPlaceRow_Add( row, basis->nodeFunctions[node], weight );
		}
		for ( int32_t k = begin; k < end; ++k )
		{
			supPlaceRow_Add( nodes, basis->parents[k], weight / (float)( end - begin ) );
		}
	}
}

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
	supPlaceRow nodes;
	supBoundSurface_FindRow( &surface, point, &nodes );
	*row = ( supPlaceRow ){ .position = nodes.position, .isConstant = nodes.isConstant, .isLimited = nodes.isLimited };
	NodesToFunctions( &flesh->basis, &nodes, row );
}

void supFem_Measure( const void* fleshPointer, const void* block, supSurfaceMeasure* measure )
{
	const supFemFlesh* flesh = fleshPointer;
	supFemView view = supFemFlesh_View( flesh, block );
	measure->energy = (float)( supFemSolver_ElasticEnergy( &flesh->model, &view.solver, view.tunings ) +
							   supFemSolver_KineticEnergy( &flesh->model, &view.solver ) );
}
