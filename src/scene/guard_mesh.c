// SPDX-License-Identifier: MIT
// The drawn surface as a graph: edges, places, neighbours.
#include "core/sort.h"
#include "geometry/weld.h"
#include "scene/guard_build.h"
#include "volume/body/bones.h"
#include "volume/weights/point_weights.h"

#include <float.h>

// Of the size: shells this close to each other are blended alike.
#define SHELL_GAP 0.02f

// Cells of the grid that neighbouring shells are looked up in, along an axis at most.
#define MOST_CELLS 1024

// How far from skinning skin may get: a little of the size and some of the distance to its bone, so that a belly has
// more room than a neck; never more than this part of the size.
#define FREE_REACH 0.02f
#define REACH_RATIO 0.75f
#define MAX_REACH 0.15f

// Steps of coordinates that places are sorted by, at most: two to this.
#define SORTING_BITS 14

// Pairs of passes that smooth it over neighbours: where it changes quickly, skin that is held back would fold.
#define SMOOTHING 4

static bool FindSurface( supGuardBuilder* b, const supTasks* tasks )
{
	supGuardMesh* mesh = b->mesh;
	size_t instances = (size_t)supCharacter_InstanceCount( b->character );
	if ( supRestSurface_Init( &b->surface, b->character, tasks, NULL ) == false )
	{
		return false;
	}
	mesh->vertexStarts = supArena_CopyArray( &mesh->arena, b->surface.vertexStarts, instances + 1, sizeof( int32_t ) );
	mesh->vertexCount = b->surface.vertexCount;
	b->box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		b->box = supBox_Include( b->box, b->surface.positions[i] );
	}
	mesh->size = mesh->vertexCount > 0 ? supLength( supBox_Size( b->box ) ) : 0.0f;
	return mesh->vertexStarts != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Edges

static void AddKeys( const supMesh* mesh, uint64_t* keys, size_t* count )
{
	for ( int32_t k = 0; k < mesh->indexCount; ++k )
	{
		uint64_t from = mesh->indices[k], to = mesh->indices[k % 3 == 2 ? k - 2 : k + 1];
		if ( from != to )
		{
			keys[( *count )++] = from < to ? from << 32 | to : to << 32 | from;
		}
	}
}

static void TakeEdges( supGuardBuilder* b, int32_t instance, uint64_t* keys, uint64_t* sorted )
{
	size_t count = 0;
	AddKeys( supInstanceMesh( b->character, instance ), keys, &count );
	supSortKeys( keys, sorted, count, 64 );
	const supVec3* positions = b->surface.positions + b->mesh->vertexStarts[instance];
	for ( size_t i = 0; i < count; ++i )
	{
		if ( i == 0 || keys[i] != keys[i - 1] )
		{
			int32_t from = (int32_t)( keys[i] >> 32 ), to = (int32_t)( keys[i] & UINT32_MAX );
			b->edges[2 * (ptrdiff_t)b->edgeCount] = from;
			b->edges[2 * (ptrdiff_t)b->edgeCount + 1] = to;
			b->lengths[b->edgeCount++] = supDistance( positions[from], positions[to] );
		}
	}
}

static bool FindEdges( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	int32_t instanceCount = supCharacter_InstanceCount( b->character );
	size_t most = 0, largest = 0;
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		size_t corners = (size_t)supInstanceMesh( b->character, i )->indexCount;
		most += corners;
		largest = corners > largest ? corners : largest;
	}
	int32_t* starts = supArena_AllocArray( &mesh->arena, (size_t)instanceCount + 1, sizeof( int32_t ) );
	b->edges = supArena_AllocArray( &b->scratch, 2 * most, sizeof( int32_t ) );
	b->lengths = supArena_AllocArray( &b->scratch, most, sizeof( float ) );
	uint64_t* keys = supArena_AllocArray( &b->scratch, 2 * largest, sizeof( uint64_t ) );
	if ( mesh->arena.failed || b->scratch.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		starts[i] = b->edgeCount;
		TakeEdges( b, i, keys, keys + largest );
	}
	starts[instanceCount] = b->edgeCount;
	mesh->edgeStarts = starts;
	mesh->edges = supArena_CopyArray( &mesh->arena, b->edges, 2 * (size_t)b->edgeCount, sizeof( int32_t ) );
	mesh->lengths = supArena_CopyArray( &mesh->arena, b->lengths, (size_t)b->edgeCount, sizeof( float ) );
	return mesh->arena.failed == false;
}

static bool MeasureTriangles( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	int32_t instanceCount = supCharacter_InstanceCount( b->character );
	size_t count = 0;
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		count += (size_t)supInstanceMesh( b->character, i )->indexCount / 3;
	}
	float* areas = supArena_AllocArray( &mesh->arena, count, sizeof( float ) );
	mesh->areas = areas;
	for ( int32_t i = 0; i < instanceCount && areas != NULL; ++i )
	{
		const supMesh* triangles = supInstanceMesh( b->character, i );
		const supVec3* p = b->surface.positions + mesh->vertexStarts[i];
		for ( int32_t k = 0; k + 2 < triangles->indexCount; k += 3 )
		{
			const uint32_t* corners = triangles->indices + k;
			supVec3 area = supCross( supSub( p[corners[1]], p[corners[0]] ), supSub( p[corners[2]], p[corners[0]] ) );
			*areas++ = 0.5f * supLength( area );
		}
	}
	return mesh->arena.failed == false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Places

// Steps along an axis.
static uint64_t StepAlong( float x, float lower, float scale )
{
	return (uint64_t)( ( x - lower ) * scale + 0.5f );
}

// Places by where they are, so that sweeps over them do not depend on the order in which a program has written the
// vertices: rounded coordinates, and the smallest vertex in the lowest bits, whose number is returned.
static int32_t SortPlaces( const supGuardBuilder* b, uint64_t* keys, int32_t* vertexBits )
{
	const supGuardMesh* mesh = b->mesh;
	int32_t vertex = 1;
	while ( vertex < 31 && mesh->vertexCount >> vertex != 0 )
	{
		vertex += 1;
	}
	int32_t bits = ( 63 - vertex ) / 3 < SORTING_BITS ? ( 63 - vertex ) / 3 : SORTING_BITS;
	supVec3 lower = b->box.lower, size = supBox_Size( b->box );
	float longest = supMaxFloat( supMaxFloat( size.x, size.y ), size.z );
	float scale = longest > 0.0f ? (float)( ( 1 << bits ) - 1 ) / longest : 0.0f;
	int32_t count = 0;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		if ( b->roots[i] == i )
		{
			supVec3 p = b->surface.positions[i];
			uint64_t place = StepAlong( p.x, lower.x, scale );
			place = place << bits | StepAlong( p.y, lower.y, scale );
			place = place << bits | StepAlong( p.z, lower.z, scale );
			keys[count++] = place << vertex | (uint64_t)i;
		}
	}
	supSortKeys( keys, keys + count, (size_t)count, 64 );
	*vertexBits = vertex;
	return count;
}

static bool FindPlaces( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	size_t count = (size_t)mesh->vertexCount;
	b->places = supArena_AllocArray( &mesh->arena, count, sizeof( int32_t ) );
	b->roots = supArena_AllocArray( &b->scratch, count, sizeof( int32_t ) );
	b->placePositions = supArena_AllocArray( &b->scratch, count, sizeof( supVec3 ) );
	uint64_t* keys = supArena_AllocArray( &b->scratch, 2 * count, sizeof( uint64_t ) );
	if ( mesh->arena.failed || b->scratch.failed ||
		 supWeld( b->surface.positions, mesh->vertexCount, &b->scratch, b->roots ) == false )
	{
		return false;
	}
	int32_t bits;
	mesh->placeCount = SortPlaces( b, keys, &bits );
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		int32_t vertex = (int32_t)( keys[i] & ( ( (uint64_t)1 << bits ) - 1 ) );
		b->places[vertex] = i;
		b->placePositions[i] = b->surface.positions[vertex];
	}
	float* shares = supArena_AllocZeroed( &mesh->arena, count * sizeof( float ) );
	for ( int32_t i = 0; i < mesh->vertexCount && shares != NULL; ++i )
	{
		b->places[i] = b->places[b->roots[i]];
		shares[b->places[i]] += 1.0f;
	}
	for ( int32_t i = 0; i < mesh->placeCount && shares != NULL; ++i )
	{
		shares[i] = 1.0f / shares[i];
	}
	mesh->shares = shares;
	mesh->places = b->places;
	return shares != NULL;
}

// Each pair of places once, though edges along seams are there twice.
static void LinkPlaces( supGuardBuilder* b )
{
	size_t count = (size_t)b->linkCount;
	supSortKeys( b->keys, b->keys + count, count, 64 );
	b->linkCount = 0;
	for ( size_t i = 0; i < count; ++i )
	{
		if ( i == 0 || b->keys[i] != b->keys[i - 1] )
		{
			int32_t from = (int32_t)( b->keys[i] >> 32 ), to = (int32_t)( b->keys[i] & UINT32_MAX );
			float distance = supDistance( b->placePositions[from], b->placePositions[to] );
			b->links[b->linkCount++] = ( supGuardLink ){ from, to, distance };
		}
	}
	b->edgeLinkCount = b->linkCount;
}

static bool FindShells( supGuardBuilder* b )
{
	const supGuardMesh* mesh = b->mesh;
	b->shells = supArena_AllocArray( &b->scratch, (size_t)mesh->placeCount, sizeof( int32_t ) );
	// along edges, to another shell, and to the layers above and below
	size_t most = (size_t)b->edgeCount + 3 * (size_t)mesh->placeCount;
	b->links = supArena_AllocArray( &b->scratch, most, sizeof( supGuardLink ) );
	b->keys = supArena_AllocArray( &b->scratch, 2 * (size_t)b->edgeCount, sizeof( uint64_t ) );
	if ( b->scratch.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		b->shells[i] = i;
	}
	for ( int32_t instance = 0; instance < supCharacter_InstanceCount( b->character ); ++instance )
	{
		const int32_t* places = mesh->places + mesh->vertexStarts[instance];
		for ( int32_t e = mesh->edgeStarts[instance]; e < mesh->edgeStarts[instance + 1]; ++e )
		{
			int32_t from = places[mesh->edges[2 * (ptrdiff_t)e]], to = places[mesh->edges[2 * (ptrdiff_t)e + 1]];
			if ( from != to )
			{
				supUnite( b->shells, from, to );
				b->keys[b->linkCount++] =
					(uint64_t)( from < to ? from : to ) << 32 | (uint64_t)( from < to ? to : from );
			}
		}
	}
	LinkPlaces( b );
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		b->shells[i] = supFindRoot( b->shells, i );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Other shells nearby

static int32_t CellAlong( float x, float lower, float size )
{
	float cell = ( x - lower ) / size;
	return cell > 0.0f ? ( cell < (float)( MOST_CELLS - 1 ) ? (int32_t)cell : MOST_CELLS - 1 ) : 0;
}

static uint64_t KeyOf( int32_t x, int32_t y, int32_t z )
{
	return ( (uint64_t)x * MOST_CELLS + (uint64_t)y ) * MOST_CELLS + (uint64_t)z;
}

static int32_t FirstOfCell( const supGuardBuilder* b, uint64_t cell )
{
	int32_t low = 0, high = b->mesh->placeCount;
	while ( low < high )
	{
		int32_t middle = low + ( high - low ) / 2;
		if ( b->keys[middle] >> 32 < cell )
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return low;
}

static void SearchCell( const supGuardBuilder* b, int32_t place, uint64_t cell, supGuardLink* nearest )
{
	for ( int32_t i = FirstOfCell( b, cell ); i < b->mesh->placeCount && b->keys[i] >> 32 == cell; ++i )
	{
		int32_t other = (int32_t)( b->keys[i] & UINT32_MAX );
		float distance = supDistance( b->placePositions[place], b->placePositions[other] );
		if ( b->shells[other] != b->shells[place] && distance < nearest->distance )
		{
			*nearest = ( supGuardLink ){ place, other, distance };
		}
	}
}

static bool LinkShells( supGuardBuilder* b )
{
	const supGuardMesh* mesh = b->mesh;
	float size = SHELL_GAP * mesh->size;
	size_t count = (size_t)mesh->placeCount;
	b->keys = supArena_AllocArray( &b->scratch, 2 * count, sizeof( uint64_t ) );
	if ( b->keys == NULL )
	{
		return false;
	}
	supVec3 lower = b->box.lower;
	for ( size_t i = 0; i < count; ++i )
	{
		supVec3 p = b->placePositions[i];
		uint64_t cell =
			KeyOf( CellAlong( p.x, lower.x, size ), CellAlong( p.y, lower.y, size ), CellAlong( p.z, lower.z, size ) );
		b->keys[i] = cell << 32 | i;
	}
	supSortKeys( b->keys, b->keys + count, count, 64 );
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		supVec3 p = b->placePositions[i];
		int32_t x = CellAlong( p.x, lower.x, size ), y = CellAlong( p.y, lower.y, size );
		int32_t z = CellAlong( p.z, lower.z, size );
		supGuardLink nearest = { .distance = size };
		for ( int32_t k = 0; k < 27; ++k )
		{
			int32_t cx = x + k / 9 - 1, cy = y + k / 3 % 3 - 1, cz = z + k % 3 - 1;
			if ( cx >= 0 && cy >= 0 && cz >= 0 )
			{
				SearchCell( b, i, KeyOf( cx, cy, cz ), &nearest );
			}
		}
		if ( nearest.distance < size )
		{
			b->links[b->linkCount++] = nearest;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// How far skin may get

// Weights of each vertex, and by them how far from its bones it is, into its place.
static bool WeighPlaces( supGuardBuilder* b )
{
	const supGuardMesh* mesh = b->mesh;
	size_t count = (size_t)mesh->vertexCount;
	b->joints = supArena_AllocArray( &b->scratch, SUP_MAX_INFLUENCES * count, sizeof( uint16_t ) );
	b->weights = supArena_AllocArray( &b->scratch, SUP_MAX_INFLUENCES * count, sizeof( float ) );
	b->thickness = supArena_AllocZeroed( &b->mesh->arena, (size_t)mesh->placeCount * sizeof( float ) );
	const float* weights = b->weights;
	supBones bones = { 0 };
	bool ok = b->scratch.failed == false && b->thickness != NULL &&
			  supBones_InitCharacter( &bones, b->character, NULL ) &&
			  ( bones.count == 0 ||
				supWeighVertices( b->character, &b->surface, &bones, b->joints, b->weights, NULL, NULL ) );
	for ( int32_t i = 0; ok && bones.count > 0 && i < mesh->vertexCount; ++i )
	{
		float distance = 0.0f;
		for ( size_t k = SUP_MAX_INFLUENCES * (size_t)i; k < SUP_MAX_INFLUENCES * ( (size_t)i + 1 ); ++k )
		{
			float nearest =
				weights[k] > 0.0f ? supFindOnBone( &bones, b->joints[k], b->surface.positions[i] ).distance : 0.0f;
			distance += weights[k] * nearest;
		}
		float* thickness = b->thickness + mesh->places[i];
		*thickness = supMaxFloat( *thickness, distance );
	}
	b->boneCount = bones.count;
	supBones_Destroy( &bones );
	return ok;
}

static void SmoothOverPlaces( const supGuardMesh* mesh, const float* from, float* to )
{
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		float sum = from[i];
		for ( int32_t k = mesh->starts[i]; k < mesh->starts[i + 1]; ++k )
		{
			sum += from[mesh->neighbours[k]];
		}
		to[i] = sum / (float)( 1 + mesh->starts[i + 1] - mesh->starts[i] );
	}
}

static bool FindReaches( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	size_t count = (size_t)mesh->placeCount;
	float* reaches = b->thickness;
	float* other = supArena_AllocArray( &b->scratch, count, sizeof( float ) );
	if ( other == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < SMOOTHING; ++i )
	{
		SmoothOverPlaces( mesh, reaches, other );
		SmoothOverPlaces( mesh, other, reaches );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		float reach = FREE_REACH * mesh->size + REACH_RATIO * reaches[i];
		reaches[i] = supMinFloat( reach, MAX_REACH * mesh->size );
	}
	mesh->reaches = reaches;
	// limits of soft regions come on top
	for ( int32_t i = 0; i < mesh->vertexCount && b->limits != NULL; ++i )
	{
		float* reach = reaches + mesh->places[i];
		*reach = b->limits[i] > 0.0f ? supMinFloat( *reach, b->limits[i] ) : *reach;
	}
	return true;
}

supGuardMesh* supCreateGuardMesh( const supCharacter* character, const float* limits, const supTasks* tasks )
{
	supGuardMesh* mesh = supAllocZeroed( sizeof( supGuardMesh ) );
	if ( mesh == NULL )
	{
		return NULL;
	}
	mesh->users = 1;
	supGuardBuilder b = { .character = character, .mesh = mesh, .limits = limits };
	bool ok = FindSurface( &b, tasks ) && supGuardBuilder_PairJoints( &b ) && FindEdges( &b ) &&
			  MeasureTriangles( &b ) && FindPlaces( &b ) && FindShells( &b ) &&
			  ( !( mesh->size > 0.0f ) || LinkShells( &b ) ) && supGuardBuilder_ListCorners( &b ) &&
			  WeighPlaces( &b ) && supGuardBuilder_LinkLayers( &b ) && supGuardBuilder_ListAround( &b ) &&
			  FindReaches( &b ) && supGuardBuilder_ListLayers( &b ) && supGuardBuilder_FindRiders( &b );
	supRestSurface_Destroy( &b.surface );
	supArena_Destroy( &b.scratch );
	if ( ok == false )
	{
		supGuardMesh_Release( mesh );
		mesh = NULL;
	}
	return mesh;
}

void supGuardMesh_Release( supGuardMesh* mesh )
{
	if ( mesh != NULL && --mesh->users == 0 )
	{
		supArena_Destroy( &mesh->arena );
		supFree( mesh );
	}
}
