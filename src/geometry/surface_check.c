// SPDX-License-Identifier: MIT
// Is the skin closed? Vertices at the same place are welded, then edges and triangles are counted.
#include "core/arena.h"
#include "core/sort.h"
#include "geometry/weld.h"
#include "supple/character.h"

#define NONE ( -1 )

typedef struct Surface
{
	int32_t vertexCount;
	int32_t triangleCount;
	supVec3* positions;
	// place of each vertex once welded: the smallest vertex there
	int32_t* places;
	// three vertices each; after welding, three places
	int32_t* corners;
	supBox bounds;
} Surface;

// ---------------------------------------------------------------------------------------------------------------------
// Gathering

// Meshes that some instance shows, each once. The mark of a mesh is set when it has been counted.
static void CountMeshes( const supCharacter* character, bool* shown, Surface* surface )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t index = supCharacter_Instance( character, i )->mesh;
		if ( shown[index] == false )
		{
			const supMesh* mesh = supCharacter_Mesh( character, index );
			surface->vertexCount += mesh->vertexCount;
			surface->triangleCount += mesh->indexCount / 3;
			shown[index] = true;
		}
	}
}

static void CopyMeshes( const supCharacter* character, const bool* shown, Surface* surface )
{
	int32_t vertex = 0;
	int32_t corner = 0;
	surface->bounds = supBox_empty;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, i );
		if ( shown[i] == false )
		{
			continue;
		}
		for ( int32_t k = 0; k < mesh->indexCount; ++k )
		{
			surface->corners[corner++] = vertex + (int32_t)mesh->indices[k];
		}
		for ( int32_t k = 0; k < mesh->vertexCount; ++k )
		{
			surface->positions[vertex++] = mesh->positions[k];
			surface->bounds = supBox_Include( surface->bounds, mesh->positions[k] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Counting

// Drops triangles with two corners at one place; the others stand on places from here on.
static void DropDegenerate( Surface* surface, supSurfaceReport* report )
{
	int32_t kept = 0;
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		int32_t a = surface->places[surface->corners[3 * i]];
		int32_t b = surface->places[surface->corners[3 * i + 1]];
		int32_t c = surface->places[surface->corners[3 * i + 2]];
		if ( a == b || b == c || c == a )
		{
			report->degenerateTriangles += 1;
			continue;
		}
		surface->corners[3 * kept] = a;
		surface->corners[3 * kept + 1] = b;
		surface->corners[3 * kept + 2] = c;
		kept += 1;
	}
	surface->triangleCount = kept;
}

// An edge as one number: smaller place, larger place, and whether the triangle runs from large to small.
#define PLACE_BITS 27
#define EDGE_BITS ( 2 * PLACE_BITS + 1 )

static uint64_t EdgeKey( int32_t from, int32_t to )
{
	uint64_t lower = (uint64_t)( from < to ? from : to );
	uint64_t upper = (uint64_t)( from < to ? to : from );
	return lower << ( PLACE_BITS + 1 ) | upper << 1 | ( from > to ? 1u : 0u );
}

static bool CountEdges( const Surface* surface, supArena* arena, supSurfaceReport* report )
{
	size_t count = 3 * (size_t)surface->triangleCount;
	uint64_t* keys = supArena_AllocArray( arena, count, sizeof( uint64_t ) );
	uint64_t* scratch = supArena_AllocArray( arena, count, sizeof( uint64_t ) );
	if ( keys == NULL || scratch == NULL )
	{
		return false;
	}
	for ( size_t i = 0; i < count; i += 3 )
	{
		const int32_t* corners = surface->corners + i;
		keys[i] = EdgeKey( corners[0], corners[1] );
		keys[i + 1] = EdgeKey( corners[1], corners[2] );
		keys[i + 2] = EdgeKey( corners[2], corners[0] );
	}
	supSortKeys( keys, scratch, count, EDGE_BITS );
	for ( size_t i = 0; i < count; )
	{
		size_t end = i + 1;
		while ( end < count && keys[end] >> 1 == keys[i] >> 1 )
		{
			end += 1;
		}
		size_t uses = end - i;
		report->boundaryEdges += uses == 1 ? 1 : 0;
		report->nonManifoldEdges += uses > 2 ? 1 : 0;
		report->misorientedEdges += uses == 2 && keys[i] == keys[i + 1] ? 1 : 0;
		i = end;
	}
	return true;
}

static void SortCorners( const int32_t* corners, int32_t sorted[3] )
{
	int32_t a = corners[0], b = corners[1], c = corners[2];
	int32_t lower = a < b ? a : b;
	int32_t upper = a < b ? b : a;
	sorted[0] = lower < c ? lower : c;
	sorted[2] = upper > c ? upper : c;
	sorted[1] = (int32_t)( (int64_t)a + b + c - sorted[0] - sorted[2] );
}

static bool CountDuplicates( const Surface* surface, supArena* arena, supSurfaceReport* report )
{
	size_t tableSize = 16;
	while ( tableSize < 2 * (size_t)surface->triangleCount )
	{
		tableSize *= 2;
	}
	int32_t* table = supArena_AllocArray( arena, tableSize, sizeof( int32_t ) );
	if ( table == NULL )
	{
		return false;
	}
	memset( table, 0xFF, tableSize * sizeof( int32_t ) );
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		int32_t sorted[3];
		SortCorners( surface->corners + 3 * i, sorted );
		uint64_t hash = (uint64_t)sorted[0] * 0x9E3779B97F4A7C15ull ^ (uint64_t)sorted[1] * 0xC2B2AE3D27D4EB4Full ^
						(uint64_t)sorted[2] * 0x165667B19E3779F9ull;
		hash ^= hash >> 31;
		for ( size_t slot = (size_t)hash & ( tableSize - 1 );; slot = ( slot + 1 ) & ( tableSize - 1 ) )
		{
			if ( table[slot] == NONE )
			{
				table[slot] = i;
				break;
			}
			int32_t other[3];
			SortCorners( surface->corners + 3 * table[slot], other );
			if ( memcmp( sorted, other, sizeof( sorted ) ) == 0 )
			{
				report->duplicateTriangles += 1;
				break;
			}
		}
	}
	return true;
}

static bool CountParts( const Surface* surface, supArena* arena, supSurfaceReport* report )
{
	int32_t* parents = supArena_AllocArray( arena, (size_t)surface->vertexCount, sizeof( int32_t ) );
	bool* used = supArena_AllocZeroed( arena, (size_t)surface->vertexCount * sizeof( bool ) );
	if ( parents == NULL || used == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		parents[i] = i;
	}
	for ( int32_t i = 0; i < 3 * surface->triangleCount; ++i )
	{
		used[surface->corners[i]] = true;
		supUnite( parents, surface->corners[i], surface->corners[i - i % 3] );
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		report->weldedVertexCount += surface->places[i] == i ? 1 : 0;
		report->parts += used[i] && parents[i] == i ? 1 : 0;
	}
	return true;
}

// Signed volumes of the tetrahedra from the middle of the box, so that a mesh far from the origin loses no digits.
static float ComputeVolume( const Surface* surface )
{
	supBox b = surface->bounds;
	double middle[3] = { 0.5 * ( (double)b.lower.x + (double)b.upper.x ),
						 0.5 * ( (double)b.lower.y + (double)b.upper.y ),
						 0.5 * ( (double)b.lower.z + (double)b.upper.z ) };
	double sum = 0.0;
	for ( int32_t i = 0; i < surface->triangleCount; ++i )
	{
		double p[3][3];
		for ( int k = 0; k < 3; ++k )
		{
			supVec3 corner = surface->positions[surface->corners[3 * i + k]];
			p[k][0] = (double)corner.x - middle[0];
			p[k][1] = (double)corner.y - middle[1];
			p[k][2] = (double)corner.z - middle[2];
		}
		sum += p[0][0] * ( p[1][1] * p[2][2] - p[1][2] * p[2][1] ) +
			   p[0][1] * ( p[1][2] * p[2][0] - p[1][0] * p[2][2] ) +
			   p[0][2] * ( p[1][0] * p[2][1] - p[1][1] * p[2][0] );
	}
	return (float)( sum / 6.0 );
}

static bool Check( const supCharacter* character, supArena* arena, supSurfaceReport* report )
{
	Surface surface = { 0 };
	bool* shown = supArena_AllocZeroed( arena, (size_t)supCharacter_MeshCount( character ) * sizeof( bool ) );
	if ( shown == NULL )
	{
		return false;
	}
	CountMeshes( character, shown, &surface );
	surface.positions = supArena_AllocArray( arena, (size_t)surface.vertexCount, sizeof( supVec3 ) );
	surface.places = supArena_AllocArray( arena, (size_t)surface.vertexCount, sizeof( int32_t ) );
	surface.corners = supArena_AllocArray( arena, 3 * (size_t)surface.triangleCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	CopyMeshes( character, shown, &surface );
	report->vertexCount = surface.vertexCount;
	report->triangleCount = surface.triangleCount;
	report->bounds = surface.bounds;
	if ( supWeld( surface.positions, surface.vertexCount, arena, surface.places ) == false )
	{
		return false;
	}
	DropDegenerate( &surface, report );
	bool ok = CountEdges( &surface, arena, report ) && CountDuplicates( &surface, arena, report ) &&
			  CountParts( &surface, arena, report );
	report->watertight = surface.triangleCount > 0 && report->boundaryEdges == 0 && report->nonManifoldEdges == 0;
	report->volume = ComputeVolume( &surface );
	return ok;
}

bool supCheckSurface( const supCharacter* character, supSurfaceReport* report, supError* error )
{
	supClearError( error );
	*report = ( supSurfaceReport ){ .bounds = supBox_empty };
	supArena arena = { 0 };
	bool ok = Check( character, &arena, report );
	supArena_Destroy( &arena );
	return ok || supSetMemoryError( error );
}
