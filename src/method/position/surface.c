// SPDX-License-Identifier: MIT
// The render mesh: carried along by the particles, dragged by the surface, measured.
#include "core/reduce.h"
#include "method/grab.h"
#include "method/position/position.h"
#include "method/position/volume_math.h"

static supBindReference ReferenceOf( const supPositionFlesh* flesh )
{
	return flesh->start == sup_skinningDualQuaternion ? sup_bindToDual : sup_bindToLinear;
}

// The view of a state that nobody writes to.
static supPositionView ReadState( const supPositionFlesh* flesh, const void* state )
{
	union
	{
		const void* read;
		void* write;
	} pointer = { .read = state };
	return supPositionFlesh_View( flesh, pointer.write );
}

void supPosition_FrameSurface( const supPositionFlesh* flesh, const supPositionView* view, const supTasks* tasks )
{
	if ( flesh->binding.pointCount > 0 )
	{
		supSurfaceBinding_FrameTets( &flesh->binding, (const supVec4*)view->positions, view->skinned, tasks,
									 view->frames );
	}
}

void supPosition_WriteSurface( const void* fleshPointer, const void* state, supPose* pose, int32_t instance,
							   const supTasks* tasks, const supSkinOutput* output )
{
	const supPositionFlesh* flesh = fleshPointer;
	supPositionView view = ReadState( flesh, state );
	supSurfaceBinding_Write( &flesh->binding, view.frames, ReferenceOf( flesh ), pose, instance, tasks, output );
}

// ---------------------------------------------------------------------------------------------------------------------
// Volume of the render mesh

typedef struct Triangles
{
	const supMesh* mesh;
	const supVec3* positions;
	supVec3 middle;
} Triangles;

static void SumTriangles( int32_t begin, int32_t end, void* partial, void* context )
{
	const Triangles* t = context;
	double* sums = partial;
	for ( int32_t i = begin; i < end; ++i )
	{
		const uint32_t* corners = t->mesh->indices + 3 * (size_t)i;
		sums[i % PARTIAL_SUMS] += (double)TriangleVolume( t->positions[corners[0]], t->positions[corners[1]],
														  t->positions[corners[2]], t->middle );
	}
}

static void AddSums( void* total, const void* partial, void* context )
{
	(void)context;
	for ( int32_t i = 0; i < PARTIAL_SUMS; ++i )
	{
		( (double*)total )[i] += ( (const double*)partial )[i];
	}
}

// About the middle of the mesh, so that a hole costs little.
static double InstanceVolume( const supMesh* mesh, const supVec3* positions, const supTasks* tasks )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, positions[i] );
	}
	Triangles triangles = { mesh, positions, supLerp( box.lower, box.upper, 0.5f ) };
	double sums[PARTIAL_SUMS] = { 0 };
	supReduce( tasks, mesh->indexCount / 3, sizeof( sums ), SumTriangles, AddSums, sums, &triangles );
	return FoldSums( sums );
}

double supPosition_SurfaceVolume( const supPositionFlesh* flesh, const supPositionView* view, supPose* pose,
								  const supTasks* tasks )
{
	const supCharacter* character = supPose_Character( pose );
	double volume = 0.0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		if ( flesh->binding.still[i] )
		{
			continue;
		}
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		supSkinOutput output = { .positions = view->surface };
		supSurfaceBinding_Write( &flesh->binding, view->frames, ReferenceOf( flesh ), pose, i, tasks, &output );
		volume += InstanceVolume( mesh, view->surface, tasks );
	}
	return volume;
}

// ---------------------------------------------------------------------------------------------------------------------
// Dragging and measuring

bool supPosition_Grab( const void* fleshPointer, const void* state, const supSurfacePoint* point, float radius,
					   supGrab* grab )
{
	const supPositionFlesh* flesh = fleshPointer;
	supPositionView view = ReadState( flesh, state );
	supGrabber grabber;
	grabber.cornerCount = supSurfaceBinding_Resolve( &flesh->binding, point, grabber.corners, grabber.shares );
	supGrabBody body = { flesh->particleCount, view.positions, flesh->rest, flesh->inverseMasses, 1 };
	return supGrabber_Take( &grabber, grab, &body, radius );
}

void supPosition_FindRow( const void* fleshPointer, void* state, supPose* pose, const supSurfacePoint* point,
						  supPlaceRow* row )
{
	const supPositionFlesh* flesh = fleshPointer;
	supPositionView view = supPositionFlesh_View( flesh, state );
	supBoundSurface surface = { .binding = &flesh->binding,
								.reference = ReferenceOf( flesh ),
								.pose = pose,
								.points = (const supVec4*)view.positions,
								.references = view.skinned };
	supBoundSurface_FindRow( &surface, point, row );
}

// Kinetic energy against the world.
void supPosition_Measure( const void* fleshPointer, const void* state, supSurfaceMeasure* measure )
{
	const supPositionFlesh* flesh = fleshPointer;
	supPositionView view = ReadState( flesh, state );
	double energy = 0.0;
	for ( int32_t i = 0; i < flesh->particleCount; ++i )
	{
		const float* v = view.velocities + 4 * (size_t)i;
		float w = flesh->inverseMasses[i];
		energy += w > 0.0f ? (double)( ( v[0] * v[0] + v[1] * v[1] + v[2] * v[2] ) / w ) : 0.0;
	}
	measure->energy += (float)( 0.5 * energy * (double)flesh->meanMass );
}

// Velocities follow from positions in finish.
supParticles supPosition_GetParticles( const void* fleshPointer, void* state )
{
	const supPositionFlesh* flesh = fleshPointer;
	supPositionView view = supPositionFlesh_View( flesh, state );
	return ( supParticles ){ .count = flesh->particleCount, .x = view.positions, .massUnit = flesh->meanMass };
}

int32_t supPosition_BindVertex( const void* fleshPointer, int32_t instance, int32_t vertex, int32_t* particles,
								float* weights )
{
	const supPositionFlesh* flesh = fleshPointer;
	return supSurfaceBinding_ResolveVertex( &flesh->binding, instance, vertex, particles, weights );
}

void supPosition_Frame( const void* fleshPointer, void* state, const supTasks* tasks )
{
	const supPositionFlesh* flesh = fleshPointer;
	supPositionView view = supPositionFlesh_View( flesh, state );
	supPosition_FrameSurface( flesh, &view, tasks );
}
