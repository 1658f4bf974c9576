// SPDX-License-Identifier: MIT
// Each vertex of a skin finds its cell.
#include "core/tasks.h"
#include "volume/binding/surface_binding_internal.h"
#include "volume/lattice/cell_basis_internal.h"
#include "volume/lattice/cell_map.h"

#define GRAIN 256

// Vertices nearer to a cell than this part of the character's size count as held by it.
#define NEAR 1e-6f

typedef struct Context
{
	supBindArrays arrays;
	supVec3* offsets;
	uint8_t* isOutside;
	const supRestSurface* surface;
	const supCellBasis* basis;
	const supCellFinder* finder;
	int32_t width;
	float near;
} Context;

// The nodes around a place and their weights: corners of the cell at level 0, of the finest hexahedron elsewhere.
static int32_t NodesAt( const supCellBasis* basis, const supCellPlace* place, int32_t nodes[8], double weights[8] )
{
	const supControlLattice* lattice = basis->lattice;
	supCellKind kind = lattice->kinds[place->cell];
	double slopes[8][3];
	if ( basis->level == 0 )
	{
		supCellMap_Evaluate( kind, place->at, weights, slopes );
		int32_t count = supCellShapes[kind].cornerCount;
		memcpy( nodes, lattice->corners + lattice->cornerStarts[place->cell], (size_t)count * sizeof( int32_t ) );
		return count;
	}
	double u[3];
	int64_t hex = supCellBasis_FindHex( basis, place->cell, place->at, u );
	supEvaluateHexahedron( u, weights, slopes );
	memcpy( nodes, basis->hexes[basis->level] + 8 * hex, 8 * sizeof( int32_t ) );
	return 8;
}

static void BindVertex( const Context* context, int32_t vertex )
{
	supVec3 p = context->surface->positions[vertex];
	supCellPlace place;
	supCellFinder_FindNearest( context->finder, p, &place );
	int32_t nodes[8];
	double weights[8];
	int32_t count = NodesAt( context->basis, &place, nodes, weights );
	ptrdiff_t slot = (ptrdiff_t)vertex * context->width;
	for ( int32_t i = 0; i < context->width; ++i )
	{
		double weight = i < count && weights[i] > 0.0 ? weights[i] : 0.0;
		context->arrays.points[slot + i] = nodes[i < count ? i : 0];
		context->arrays.weights[slot + i] = (float)weight;
	}
	supVec3 offset = supSub( p, place.point );
	bool outside = supLength( offset ) > context->near;
	context->isOutside[vertex] = outside;
	context->offsets[vertex] = outside ? offset : supVec3_zero;
}

static void BindRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	for ( int32_t i = begin; i < end; ++i )
	{
		BindVertex( context, i );
	}
}

static void FillReport( supSurfaceBinding* binding, const uint8_t* isOutside )
{
	supBindReport* report = &binding->report;
	for ( int32_t i = 0; i < binding->vertexCount; ++i )
	{
		report->outside += isOutside[i];
		report->farthest = supMaxFloat( report->farthest, supLength( binding->offsets[i] ) );
	}
	report->inside = binding->vertexCount - report->outside;
	binding->offsets = report->outside > 0 ? binding->offsets : NULL;
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

static bool BindVertices( supSurfaceBinding* binding, const supBindArrays* arrays, const supRestSurface* surface,
						  const supCellBasis* basis, const supTasks* tasks, supError* error )
{
	size_t count = (size_t)surface->vertexCount;
	supCellFinder* finder = supCreateCellFinder( basis->lattice, error );
	uint8_t* isOutside = supAllocArray( count, 1 );
	supVec3* offsets = supArena_AllocArray( &binding->arena, count, sizeof( supVec3 ) );
	bool ok = isOutside != NULL && offsets != NULL ? finder != NULL : supSetMemoryError( error );
	if ( ok )
	{
		Context context = { *arrays, offsets, isOutside,      surface,
							basis,   finder,  binding->width, NEAR * SizeOf( surface ) };
		supParallelFor( tasks, surface->vertexCount, GRAIN, BindRange, &context );
		binding->offsets = offsets;
		FillReport( binding, isOutside );
	}
	supFree( isOutside );
	supDestroyCellFinder( finder );
	return ok;
}

// Tets between the nodes, for the mean gradients around each: cells themselves, or hexahedra cut into six.
static bool MakeTets( const supCellBasis* basis, supTets* tets, supError* error )
{
	static const int8_t kuhn[6][4] = { { 0, 1, 3, 7 }, { 0, 2, 6, 7 }, { 0, 4, 5, 7 },
									   { 0, 3, 2, 7 }, { 0, 6, 4, 7 }, { 0, 5, 1, 7 } };
	const supControlLattice* lattice = basis->lattice;
	int32_t hexCount = basis->level > 0 ? basis->hexCounts[basis->level] : 0;
	size_t most = basis->level > 0 ? 6 * (size_t)hexCount : 6 * (size_t)lattice->cellCount;
	tets->pointCount = basis->nodeCount;
	tets->points = basis->nodes;
	tets->indices = supArena_AllocArray( &tets->arena, 4 * most, sizeof( int32_t ) );
	if ( tets->indices == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < hexCount * 6; ++i )
	{
		for ( int32_t k = 0; k < 4; ++k )
		{
			tets->indices[4 * tets->tetCount + k] =
				basis->hexes[basis->level][8 * (ptrdiff_t)( i / 6 ) + kuhn[i % 6][k]];
		}
		tets->tetCount += 1;
	}
	for ( int32_t cell = 0; cell < lattice->cellCount && basis->level == 0; ++cell )
	{
		const int8_t( *parts )[4];
		int32_t count = supSplitCell( lattice->kinds[cell], &parts );
		for ( int32_t i = 0; i < 4 * count; ++i )
		{
			tets->indices[4 * tets->tetCount + i] = lattice->corners[lattice->cornerStarts[cell] + parts[i / 4][i % 4]];
		}
		tets->tetCount += count;
	}
	return true;
}

static bool IsAllTets( const supControlLattice* lattice )
{
	bool all = true;
	for ( int32_t i = 0; i < lattice->cellCount; ++i )
	{
		all = all && lattice->kinds[i] == sup_cellTet;
	}
	return all;
}

bool supSurfaceBinding_InitCells( supSurfaceBinding* binding, const supCharacter* character, const supCellBasis* basis,
								  const supTasks* tasks, supError* error )
{
	supClearError( error );
	supRestSurface surface = { 0 };
	supBindArrays arrays = { 0 };
	supTets tets = { 0 };
	int32_t width = basis->level == 0 && IsAllTets( basis->lattice ) ? 4 : 8;
	bool ok = supRestSurface_Init( &surface, character, tasks, error ) &&
			  supSurfaceBinding_Begin( binding, character, &surface, basis->nodeCount, width, tasks, &arrays, error ) &&
			  BindVertices( binding, &arrays, &surface, basis, tasks, error ) && MakeTets( basis, &tets, error ) &&
			  supSurfaceBinding_BuildGradients( binding, &tets, error );
	supArena_Destroy( &tets.arena );
	supRestSurface_Destroy( &surface );
	if ( ok == false )
	{
		supSurfaceBinding_Destroy( binding );
		return false;
	}
	for ( int32_t i = 0; i < basis->nodeCount; ++i )
	{
		supVec3 p = basis->nodes[i];
		arrays.restPoints[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
	return true;
}
