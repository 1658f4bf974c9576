// SPDX-License-Identifier: MIT
// What is around each place: its vertices, neighbours, triangles, and the layers that it is part of.
#include "scene/guard_build.h"

// Lists of a group each: counts how many each has, then fills them in the order of the items. `starts` has room for
// groups + 2, the first being 0; afterwards starts[i] to starts[i + 1] are those of group i.
static void OpenLists( int32_t* starts, int32_t groupCount )
{
	for ( int32_t i = 2; i < groupCount + 2; ++i )
	{
		starts[i] += starts[i - 1];
	}
}

static int32_t* AllocStarts( supGuardMesh* mesh )
{
	return supArena_AllocZeroed( &mesh->arena, ( (size_t)mesh->placeCount + 2 ) * sizeof( int32_t ) );
}

static bool ListVertices( supGuardMesh* mesh )
{
	int32_t* starts = AllocStarts( mesh );
	int32_t* vertices = supArena_AllocArray( &mesh->arena, (size_t)mesh->vertexCount, sizeof( int32_t ) );
	if ( mesh->arena.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		starts[mesh->places[i] + 2] += 1;
	}
	OpenLists( starts, mesh->placeCount );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		vertices[starts[mesh->places[i] + 1]++] = i;
	}
	mesh->vertexListStarts = starts;
	mesh->vertexLists = vertices;
	return true;
}

// The place of a corner of an instance.
static int32_t CornerPlace( const supGuardMesh* mesh, const supMesh* triangles, int32_t instance, int32_t corner )
{
	return mesh->places[mesh->vertexStarts[instance] + (int32_t)triangles->indices[corner]];
}

static bool ListTriangles( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	int32_t instanceCount = supCharacter_InstanceCount( b->character );
	int32_t* firsts = supArena_AllocArray( &mesh->arena, (size_t)instanceCount + 1, sizeof( int32_t ) );
	int32_t* starts = AllocStarts( mesh );
	int32_t count = 0;
	for ( int32_t i = 0; i < instanceCount && mesh->arena.failed == false; ++i )
	{
		const supMesh* triangles = supInstanceMesh( b->character, i );
		firsts[i] = count;
		count += triangles->indexCount / 3;
		for ( int32_t k = 0; k < triangles->indexCount / 3 * 3; ++k )
		{
			starts[CornerPlace( mesh, triangles, i, k ) + 2] += 1;
		}
	}
	int32_t* lists = supArena_AllocArray( &mesh->arena, 3 * (size_t)count, sizeof( int32_t ) );
	if ( mesh->arena.failed )
	{
		return false;
	}
	firsts[instanceCount] = count;
	OpenLists( starts, mesh->placeCount );
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		const supMesh* triangles = supInstanceMesh( b->character, i );
		for ( int32_t k = 0; k < triangles->indexCount / 3 * 3; ++k )
		{
			lists[starts[CornerPlace( mesh, triangles, i, k ) + 1]++] = firsts[i] + k / 3;
		}
	}
	mesh->triangleStarts = firsts;
	mesh->triangleListStarts = starts;
	mesh->triangleLists = lists;
	return true;
}

static bool ListNeighbours( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	int32_t* starts = AllocStarts( mesh );
	int32_t* neighbours = supArena_AllocArray( &mesh->arena, 2 * (size_t)b->linkCount, sizeof( int32_t ) );
	float* distances = supArena_AllocArray( &mesh->arena, 2 * (size_t)b->linkCount, sizeof( float ) );
	int32_t* ends = supArena_AllocArray( &mesh->arena, (size_t)mesh->placeCount, sizeof( int32_t ) );
	if ( mesh->arena.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < b->linkCount; ++i )
	{
		starts[b->links[i].a + 2] += 1;
		starts[b->links[i].b + 2] += 1;
	}
	OpenLists( starts, mesh->placeCount );
	for ( int32_t i = 0; i < b->linkCount; ++i )
	{
		if ( i == b->edgeLinkCount )
		{
			memcpy( ends, starts + 1, (size_t)mesh->placeCount * sizeof( int32_t ) );
		}
		const supGuardLink* link = b->links + i;
		int32_t atA = starts[link->a + 1]++, atB = starts[link->b + 1]++;
		neighbours[atA] = link->b;
		neighbours[atB] = link->a;
		distances[atA] = distances[atB] = link->distance;
	}
	if ( b->linkCount == b->edgeLinkCount )
	{
		memcpy( ends, starts + 1, (size_t)mesh->placeCount * sizeof( int32_t ) );
	}
	mesh->edgeEnds = ends;
	mesh->starts = starts;
	mesh->neighbours = neighbours;
	mesh->distances = distances;
	return true;
}

// Neighbours along edges as pairs, each once, in the order of places.
static bool ListLinks( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	size_t room = ( (size_t)b->edgeLinkCount + 7 ) / 8 * 8;
	int32_t* starts = supArena_AllocArray( &mesh->arena, (size_t)mesh->placeCount + 1, sizeof( int32_t ) );
	int32_t* from = supArena_AllocArray( &mesh->arena, room, sizeof( int32_t ) );
	int32_t* to = supArena_AllocArray( &mesh->arena, room, sizeof( int32_t ) );
	float* distances = supArena_AllocZeroed( &mesh->arena, room * sizeof( float ) );
	float* lengths = supArena_AllocZeroed( &mesh->arena, (size_t)mesh->placeCount * sizeof( float ) );
	if ( mesh->arena.failed )
	{
		return false;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		starts[i] = count;
		for ( int32_t k = mesh->starts[i]; k < mesh->edgeEnds[i]; ++k )
		{
			lengths[i] += mesh->distances[k];
			if ( mesh->neighbours[k] > i )
			{
				from[count] = i;
				to[count] = mesh->neighbours[k];
				distances[count++] = mesh->distances[k];
			}
		}
	}
	starts[mesh->placeCount] = count;
	mesh->linkCount = count;
	mesh->linkStarts = starts;
	mesh->linkFrom = from;
	mesh->linkTo = to;
	mesh->linkDistances = distances;
	mesh->aroundLengths = lengths;
	return true;
}

bool supGuardBuilder_ListCorners( supGuardBuilder* b )
{
	return ListVertices( b->mesh ) && ListTriangles( b );
}

bool supGuardBuilder_ListAround( supGuardBuilder* b )
{
	return ListNeighbours( b ) && ListLinks( b );
}

bool supGuardBuilder_ListLayers( supGuardBuilder* b )
{
	supGuardMesh* mesh = b->mesh;
	int32_t* starts = AllocStarts( mesh );
	int32_t* layers = supArena_AllocArray( &mesh->arena, 4 * (size_t)mesh->layerCount, sizeof( int32_t ) );
	if ( mesh->arena.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < mesh->layerCount; ++i )
	{
		const supLayerLink* link = mesh->layers + i;
		starts[link->place + 2] += 1;
		for ( int32_t k = 0; k < 3; ++k )
		{
			starts[link->others[k] + 2] += 1;
		}
	}
	OpenLists( starts, mesh->placeCount );
	for ( int32_t i = 0; i < mesh->layerCount; ++i )
	{
		const supLayerLink* link = mesh->layers + i;
		layers[starts[link->place + 1]++] = i;
		for ( int32_t k = 0; k < 3; ++k )
		{
			layers[starts[link->others[k] + 1]++] = i;
		}
	}
	mesh->layerListStarts = starts;
	mesh->layerLists = layers;
	return true;
}
