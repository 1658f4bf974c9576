// SPDX-License-Identifier: MIT
// Each vertex of a skin finds its tet.
#include "core/tasks.h"
#include "geometry/tree.h"
#include "geometry/weld.h"
#include "volume/binding/surface_binding_internal.h"
#include "volume/tets/tet_finder.h"

#include <float.h>

#define GRAIN 256

// Places along the way inwards that are looked at, and halvings between two of them. Gaps between two parts of the
// flesh that are narrower than an eighth of a tet may be overlooked.
#define PROBES 8
#define HALVINGS 12

// The way inwards ends before the far side of the body.
#define THICKNESS 0.9f

// Vertices nearer to a tet than this part of the character's size count as held by it.
#define NEAR 1e-6f

// Cosine of the angle between normals from which on two vertices at one place belong to two sides.
#define OPPOSITE_NORMAL_COSINE -0.7f

typedef struct TetContext
{
	supBindArrays arrays;
	supVec3* offsets;
	const supRestSurface* surface;
	const supTets* tets;
	const supTetFinder* finder;
	const supTree* tree;
	// of the surface, outwards; zero where a vertex has no triangle
	const supVec3* normals;
	float near;
	// of each vertex: 1 outside, 2 bound to its own side
	uint8_t* marks;
	// of each vertex: how far it is from the nearest tet
	float* gaps;
} TetContext;

static float LongestEdge( const supTets* tets, int32_t tet )
{
	float longest = 0.0f;
	const int32_t* corners = tets->indices + 4 * tet;
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t k = 0; k < i; ++k )
		{
			longest = supMaxFloat( longest, supDistance( tets->points[corners[i]], tets->points[corners[k]] ) );
		}
	}
	return longest;
}

// How far to look inwards: a tet's size, but not through the body.
static float FindReach( const TetContext* context, supVec3 p, supVec3 inwards, float size )
{
	float start = 1e-3f * size;
	supTreeHit hit;
	supVec3 origin = supMulAdd( p, start, inwards );
	bool limited = supTree_CastRay( context->tree, origin, inwards, size, &hit );
	return limited ? THICKNESS * ( hit.distance + start ) : size;
}

// The place where the way from `outer`, which no tet holds, to `inner`, which one does, enters the flesh.
static void FindEntry( const supTetFinder* finder, supVec3 outer, supVec3 inner, supTetPlace* place )
{
	for ( int32_t i = 0; i < HALVINGS; ++i )
	{
		supVec3 middle = supLerp( outer, inner, 0.5f );
		supTetPlace found;
		if ( supTetFinder_Find( finder, middle, &found ) )
		{
			*place = found;
			inner = middle;
		}
		else
		{
			outer = middle;
		}
	}
}

// The first flesh along a ray inwards after some distance outside all flesh. False if there is none.
static bool FindOwnSide( const TetContext* context, int32_t vertex, bool held, float size, supTetPlace* place )
{
	supVec3 p = context->surface->positions[vertex];
	supVec3 inwards = supNeg( context->normals[vertex] );
	if ( supDot( inwards, inwards ) == 0.0f )
	{
		return false;
	}
	float reach = FindReach( context, p, inwards, size );
	supVec3 before = p;
	bool wasHeld = held;
	for ( int32_t i = 1; i <= PROBES; ++i )
	{
		supVec3 probe = supMulAdd( p, reach * (float)i / PROBES, inwards );
		bool isHeld = supTetFinder_Find( context->finder, probe, place );
		if ( isHeld && wasHeld == false )
		{
			FindEntry( context->finder, before, probe, place );
			return true;
		}
		before = probe;
		wasHeld = isHeld;
	}
	return false;
}

static void BindVertex( const TetContext* context, int32_t vertex )
{
	supVec3 p = context->surface->positions[vertex];
	supTetPlace place, own;
	supTetFinder_FindNearest( context->finder, p, &place );
	context->gaps[vertex] = supDistance( p, place.point );
	bool held = context->gaps[vertex] <= context->near;
	uint8_t mark = held ? 0 : 1;
	if ( FindOwnSide( context, vertex, held, LongestEdge( context->tets, place.tet ), &own ) )
	{
		mark = own.tet != place.tet ? 3 : 1;
		place = own;
	}
	context->marks[vertex] = mark;
	context->offsets[vertex] = mark != 0 ? supSub( p, place.point ) : supVec3_zero;
	memcpy( context->arrays.points + 4 * vertex, context->tets->indices + 4 * place.tet, 4 * sizeof( int32_t ) );
	memcpy( context->arrays.weights + 4 * vertex, place.coordinates, sizeof( place.coordinates ) );
}

static void BindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	for ( int32_t i = begin; i < end; ++i )
	{
		BindVertex( context, i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// Copies of a vertex, where a mesh is split for its normals or texture, have one normal and hang on the same points, so
// that no seam opens and the split does not matter. They are copies where triangles join them around their place: two
// at an edge, or three, one of which is a fin. Lips that only touch have four and are not.
// - copies[i] becomes the smallest copy of vertex i
static bool FindCopies( const supRestSurface* surface, const int32_t* places, supArena* scratch, int32_t* copies )
{
	int32_t corners = 3 * surface->triangleCount;
	int32_t* rings = supArena_AllocArray( scratch, (size_t)corners + 1, sizeof( int32_t ) );
	if ( rings == NULL || supRestSurface_FindRings( surface, places, scratch, rings ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		copies[i] = i;
	}
	for ( int32_t i = 0; i < corners; ++i )
	{
		int32_t k = rings[i], nextI = i % 3 == 2 ? i - 2 : i + 1, nextK = k % 3 == 2 ? k - 2 : k + 1;
		int32_t from = (int32_t)surface->indices[i], other = (int32_t)surface->indices[nextK];
		// triangles that pass the edge in opposite directions
		bool isPair = k != i && ( rings[k] == i || rings[rings[k]] == i );
		if ( isPair && places[from] == places[other] )
		{
			supUnite( copies, from, other );
			supUnite( copies, (int32_t)surface->indices[nextI], (int32_t)surface->indices[k] );
		}
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		copies[i] = supFindRoot( copies, i );
	}
	return true;
}

static void FillNormals( const supRestSurface* surface, const int32_t* copies, supVec3* normals )
{
	memset( normals, 0, (size_t)surface->vertexCount * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		const uint32_t* corners = surface->indices + 3 * (ptrdiff_t)i;
		supVec3 a = surface->positions[corners[0]];
		supVec3 area =
			supCross( supSub( surface->positions[corners[1]], a ), supSub( surface->positions[corners[2]], a ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			supVec3* sum = normals + copies[corners[k]];
			*sum = supAdd( *sum, area );
		}
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		// the smallest copy comes first
		supVec3 n = copies[i] == i ? supNormalize( normals[i] ) : normals[copies[i]];
		normals[i] = supIsFiniteVec3( n ) ? n : supVec3_zero;
	}
}

// Where triangles meet at a point only, or more than three of them at an edge, those that do not look the opposite way
// of the first at their place are copies too.
static void JoinCopies( const supRestSurface* surface, const int32_t* places, const supVec3* normals, int32_t* copies )
{
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		if ( copies[i] == i && places[i] != i && supDot( normals[i], normals[places[i]] ) > OPPOSITE_NORMAL_COSINE )
		{
			supUnite( copies, i, places[i] );
		}
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		copies[i] = supFindRoot( copies, i );
	}
}

static void CloseSeams( const TetContext* context, const int32_t* copies )
{
	for ( int32_t i = 0; i < context->surface->vertexCount; ++i )
	{
		size_t to = (size_t)i, from = (size_t)copies[i];
		if ( to != from )
		{
			memcpy( context->arrays.points + 4 * to, context->arrays.points + 4 * from, 4 * sizeof( int32_t ) );
			memcpy( context->arrays.weights + 4 * to, context->arrays.weights + 4 * from, 4 * sizeof( float ) );
			context->offsets[to] = context->offsets[from];
			context->marks[to] = context->marks[from];
		}
	}
}

static float SizeOf( const supRestSurface* surface )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		box = supBox_Include( box, surface->positions[i] );
	}
	supVec3 size = supBox_Size( box );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

static void FillReport( supSurfaceBinding* binding, const uint8_t* marks, const float* gaps )
{
	supBindReport* report = &binding->report;
	for ( int32_t i = 0; i < binding->vertexCount; ++i )
	{
		report->outside += marks[i] & 1;
		report->resided += marks[i] >> 1;
		report->farthest = supMaxFloat( report->farthest, gaps[i] );
	}
	report->inside = binding->vertexCount - report->outside;
	binding->offsets = report->outside > 0 ? binding->offsets : NULL;
}

static bool BindVertices( supSurfaceBinding* binding, const supBindArrays* arrays, const supRestSurface* surface,
						  const supTets* tets, const supTasks* tasks, supError* error )
{
	size_t count = (size_t)surface->vertexCount;
	supTree* tree =
		supCreateTree( surface->positions, surface->vertexCount, surface->indices, surface->triangleCount, error );
	supTetFinder* finder = tree != NULL ? supCreateTetFinder( tets, error ) : NULL;
	uint8_t* marks = supAllocArray( count, 1 );
	supVec3* offsets = supArena_AllocArray( &binding->arena, count, sizeof( supVec3 ) );
	supArena scratch = { 0 };
	supVec3* normals = supArena_AllocArray( &scratch, count, sizeof( supVec3 ) );
	int32_t* places = supArena_AllocArray( &scratch, count, sizeof( int32_t ) );
	int32_t* copies = supArena_AllocArray( &scratch, count, sizeof( int32_t ) );
	float* gaps = supArena_AllocArray( &scratch, count, sizeof( float ) );
	bool ok = scratch.failed == false && marks != NULL && offsets != NULL &&
					  supWeld( surface->positions, surface->vertexCount, &scratch, places ) &&
					  FindCopies( surface, places, &scratch, copies )
				  ? true
				  : supSetMemoryError( error );
	ok = ok && tree != NULL && finder != NULL;
	if ( ok )
	{
		FillNormals( surface, copies, normals );
		JoinCopies( surface, places, normals, copies );
		FillNormals( surface, copies, normals );
		TetContext context = { *arrays, offsets, surface, tets, finder, tree, normals, NEAR * SizeOf( surface ),
							   marks,   gaps };
		supParallelFor( tasks, surface->vertexCount, GRAIN, BindRange, &context );
		CloseSeams( &context, copies );
		binding->offsets = offsets;
		FillReport( binding, marks, gaps );
	}
	supArena_Destroy( &scratch );
	supFree( marks );
	supDestroyTetFinder( finder );
	supDestroyTree( tree );
	return ok;
}

bool supSurfaceBinding_InitTets( supSurfaceBinding* binding, const supCharacter* character, const supTets* tets,
								 const supTasks* tasks, supError* error )
{
	supClearError( error );
	if ( tets->tetCount == 0 )
	{
		return supSetError( error, sup_errorArgument, supCharacter_Name( character ),
							"the mesh has no tetrahedra to bind the skin to" );
	}
	supRestSurface surface = { 0 };
	supBindArrays arrays = { 0 };
	bool ok = supRestSurface_Init( &surface, character, tasks, error ) &&
			  supSurfaceBinding_Begin( binding, character, &surface, tets->pointCount, 4, tasks, &arrays, error ) &&
			  BindVertices( binding, &arrays, &surface, tets, tasks, error ) &&
			  supSurfaceBinding_BuildGradients( binding, tets, error );
	supRestSurface_Destroy( &surface );
	if ( ok == false )
	{
		supSurfaceBinding_Destroy( binding );
		return false;
	}
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		supVec3 p = tets->points[i];
		arrays.restPoints[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
	binding->smoothness = 0.5f;
	return true;
}

void supSurfaceBinding_TakeOwn( supSurfaceBinding* binding, const int32_t* ownPoints )
{
	// all its own, and not yet anybody else's
	int32_t* points = (int32_t*)(uintptr_t)binding->points;
	float* weights = (float*)(uintptr_t)binding->weights;
	supVec3* offsets = (supVec3*)(uintptr_t)binding->offsets;
	for ( int32_t i = 0; i < binding->vertexCount; ++i )
	{
		for ( size_t k = 4 * (size_t)i; ownPoints[i] >= 0 && k < 4 * (size_t)i + 4; ++k )
		{
			points[k] = ownPoints[i];
			weights[k] = k % 4 == 0 ? 1.0f : 0.0f;
		}
		if ( ownPoints[i] >= 0 && offsets != NULL )
		{
			offsets[i] = supVec3_zero;
		}
	}
}

// The nearest of the points around those of a vertex that it belongs to; -1 if there is none.
static int32_t FindOwnPoint( const supSurfaceBinding* binding, int32_t vertex, supBindBelongFcn* belongs,
							 const void* context )
{
	int32_t best = -1;
	float nearest = FLT_MAX;
	for ( int32_t k = 0; k < 4; ++k )
	{
		int32_t point = binding->points[4 * (size_t)vertex + (size_t)k];
		for ( int32_t i = binding->neighbourStarts[point]; i < binding->neighbourStarts[point + 1]; ++i )
		{
			int32_t other = binding->neighbours[i];
			supVec4 p = binding->restPoints[other];
			float distance = supDistance( binding->positions[vertex], supMakeVec3( p.x, p.y, p.z ) );
			if ( distance < nearest && belongs( vertex, other, context ) > 0.0f )
			{
				nearest = distance;
				best = other;
			}
		}
	}
	return best;
}

void supSurfaceBinding_KeepOwn( supSurfaceBinding* binding, supBindBelongFcn* belongs, const void* context )
{
	// its own, and not yet anybody else's
	int32_t* allPoints = (int32_t*)(uintptr_t)binding->points;
	float* allWeights = (float*)(uintptr_t)binding->weights;
	for ( int32_t i = 0; i < binding->vertexCount; ++i )
	{
		int32_t* points = allPoints + 4 * (size_t)i;
		float *weights = allWeights + 4 * (size_t)i, kept[4], sum = 0.0f;
		for ( int32_t k = 0; k < 4; ++k )
		{
			kept[k] = weights[k] > 0.0f ? weights[k] * belongs( i, points[k], context ) : 0.0f;
			sum += kept[k];
		}
		int32_t own = sum > 0.0f ? -1 : FindOwnPoint( binding, i, belongs, context );
		for ( int32_t k = 0; k < 4 && own >= 0; ++k )
		{
			points[k] = own;
			weights[k] = k == 0 ? 1.0f : 0.0f;
		}
		for ( int32_t k = 0; k < 4 && own < 0 && sum > 0.0f; ++k )
		{
			weights[k] = kept[k] / sum;
		}
	}
}
