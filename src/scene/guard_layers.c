// SPDX-License-Identifier: MIT
// What lies on each other: cloth on skin, whether it is a shell of its own or hems join them, lining on cloth, the two
// sides of an ear. Each has flesh of its own, or none; the guard keeps them from sinking into each other.
#include "geometry/tree.h"
#include "scene/guard_build.h"

// Of the size: what is farther away is not a layer.
#define LAYER_GAP 0.025f

// Of the size: what is nearer is the same skin.
#define SAME_SKIN 1e-5f

// Of the weight of bones that both follow: less is another limb.
#define SAME_LIMB 0.5f

typedef struct Linker
{
	supGuardBuilder* b;
	supTree* tree;
	supVec3* normals; // of each place, not of unit length
} Linker;

static void FindNormals( Linker* linker )
{
	const supRestSurface* surface = &linker->b->surface;
	const int32_t* places = linker->b->mesh->places;
	for ( int64_t t = 0; t < surface->triangleCount; ++t )
	{
		const uint32_t* corners = surface->indices + 3 * t;
		const supVec3* p = surface->positions;
		supVec3 area = supCross( supSub( p[corners[1]], p[corners[0]] ), supSub( p[corners[2]], p[corners[0]] ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			supVec3* normal = linker->normals + places[corners[k]];
			*normal = supAdd( *normal, area );
		}
	}
}

// How much of their weight two vertices have on the same bones.
static float CommonWeight( const supGuardBuilder* b, int32_t first, int32_t second )
{
	float sum = 0.0f;
	for ( size_t i = SUP_MAX_INFLUENCES * (size_t)first; i < SUP_MAX_INFLUENCES * ( (size_t)first + 1 ); ++i )
	{
		for ( size_t k = SUP_MAX_INFLUENCES * (size_t)second; k < SUP_MAX_INFLUENCES * ( (size_t)second + 1 ); ++k )
		{
			sum += b->joints[i] == b->joints[k] ? supMinFloat( b->weights[i], b->weights[k] ) : 0.0f;
		}
	}
	return sum;
}

// Meshes that hang on a joint are as hard as they were made.
static bool IsSkinned( const supGuardBuilder* b, int32_t vertex )
{
	int32_t instance = 0;
	while ( b->mesh->vertexStarts[instance + 1] <= vertex )
	{
		instance += 1;
	}
	return supCharacter_Instance( b->character, instance )->skin >= 0;
}

// The first surface along a ray from a place, unless another limb is there.
static bool CastFrom( const Linker* linker, int32_t place, supVec3 direction, supLayerLink* link )
{
	const supGuardBuilder* b = linker->b;
	float size = b->mesh->size;
	supVec3 origin =
		supMulAdd( b->surface.positions[supGuardMesh_Vertex( b->mesh, place )], SAME_SKIN * size, direction );
	supTreeHit hit;
	if ( supTree_CastRay( linker->tree, origin, direction, LAYER_GAP * size, &hit ) == false )
	{
		return false;
	}
	const uint32_t* corners = b->surface.indices + 3 * (int64_t)hit.triangle;
	*link = ( supLayerLink ){ .place = place,
							  .weights = { 1.0f - hit.u - hit.v, hit.u, hit.v },
							  .distance = hit.distance + SAME_SKIN * size };
	float common = 0.0f;
	bool isOther = true;
	for ( int32_t k = 0; k < 3; ++k )
	{
		link->others[k] = b->mesh->places[corners[k]];
		isOther = isOther && link->others[k] != place;
		common += link->weights[k] * CommonWeight( b, supGuardMesh_Vertex( b->mesh, place ), (int32_t)corners[k] );
	}
	return isOther && common >= SAME_LIMB && IsSkinned( b, supGuardMesh_Vertex( b->mesh, place ) ) &&
		   IsSkinned( b, (int32_t)corners[0] );
}

static bool FillLinks( Linker* linker )
{
	supGuardMesh* mesh = linker->b->mesh;
	supLayerLink* links =
		supArena_AllocArray( &linker->b->scratch, 2 * (size_t)mesh->placeCount, sizeof( supLayerLink ) );
	if ( links == NULL )
	{
		return false;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < mesh->placeCount; ++i )
	{
		if ( supLengthSquared( linker->normals[i] ) > 0.0f )
		{
			supVec3 out = supNormalize( linker->normals[i] );
			count += CastFrom( linker, i, out, links + count );
			count += CastFrom( linker, i, supScale( -1.0f, out ), links + count );
		}
	}
	mesh->layerCount = count;
	mesh->layers = supArena_CopyArray( &mesh->arena, links, (size_t)count, sizeof( supLayerLink ) );
	return count == 0 || mesh->layers != NULL;
}

// To the nearest corner of the triangle above or below.
static void AddLinks( supGuardBuilder* b )
{
	for ( int32_t i = 0; i < b->mesh->layerCount; ++i )
	{
		const supLayerLink* layer = b->mesh->layers + i;
		int32_t heaviest = 0;
		for ( int32_t k = 1; k < 3; ++k )
		{
			heaviest = layer->weights[k] > layer->weights[heaviest] ? k : heaviest;
		}
		b->links[b->linkCount++] = ( supGuardLink ){ layer->place, layer->others[heaviest], layer->distance };
	}
}

bool supGuardBuilder_LinkLayers( supGuardBuilder* b )
{
	if ( b->boneCount == 0 || b->surface.triangleCount == 0 || !( b->mesh->size > 0.0f ) )
	{
		return true;
	}
	size_t places = (size_t)b->mesh->placeCount;
	Linker linker = { .b = b };
	linker.normals = supArena_AllocZeroed( &b->scratch, places * sizeof( supVec3 ) );
	linker.tree = supCreateLeanTree( b->surface.positions, b->surface.vertexCount, b->surface.indices,
									 b->surface.triangleCount, 16, NULL );
	bool ok = b->scratch.failed == false && linker.tree != NULL;
	if ( ok )
	{
		FindNormals( &linker );
		ok = FillLinks( &linker );
	}
	if ( ok )
	{
		AddLinks( b );
	}
	supDestroyTree( linker.tree );
	return ok;
}
