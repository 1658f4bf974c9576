// SPDX-License-Identifier: MIT
// Which parts of a mesh are no skin: small closed ones that hang on one bone, as eyes, teeth and buttons do, and meshes
// that hang on a joint without a skin, as armour and machines do. They go with their link as they are. Nothing of them
// is solved for, and what touches them pushes the bone.
#include "core/sort.h"
#include "geometry/weld.h"
#include "method/layered/layered.h"

// A vertex with more than this on one bone hangs on it alone.
#define WHOLE 0.999f

typedef struct Part
{
	supBox bounds;
	int32_t bone; // -1: several
	bool isOpen;
	bool isMade; // rigid by its author
} Part;

typedef struct Finder
{
	supArena* scratch;
	const supRestSurface* surface;
	int32_t* places;
	int32_t* partOf; // of a place: the place that stands for its part
	Part* parts;
} Finder;

static bool Allocate( Finder* finder )
{
	size_t count = (size_t)finder->surface->vertexCount;
	finder->places = supArena_AllocArray( finder->scratch, count, sizeof( int32_t ) );
	finder->partOf = supArena_AllocArray( finder->scratch, count, sizeof( int32_t ) );
	finder->parts = supArena_AllocArray( finder->scratch, count, sizeof( Part ) );
	return finder->scratch->failed == false &&
		   supWeld( finder->surface->positions, finder->surface->vertexCount, finder->scratch, finder->places );
}

static void JoinParts( const Finder* finder )
{
	const supRestSurface* surface = finder->surface;
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		finder->partOf[i] = i;
		finder->parts[i] = ( Part ){ supBox_empty, -1, false, false };
	}
	for ( int64_t i = 0; i < 3 * (int64_t)surface->triangleCount; ++i )
	{
		int32_t first = finder->places[surface->indices[i - i % 3]];
		supUnite( finder->partOf, first, finder->places[surface->indices[i]] );
	}
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		finder->partOf[i] = supFindRoot( finder->partOf, i );
	}
}

static Part* PartAt( const Finder* finder, uint32_t vertex )
{
	return finder->parts + finder->partOf[finder->places[vertex]];
}

static void MeasureParts( const Finder* finder, const uint16_t* bones, const float* weights, const bool* made )
{
	const supRestSurface* surface = finder->surface;
	for ( int64_t i = 0; i < 3 * (int64_t)surface->triangleCount; ++i )
	{
		uint32_t vertex = surface->indices[i];
		Part* part = PartAt( finder, vertex );
		bool isFirst = part->bounds.lower.x > part->bounds.upper.x;
		int32_t bone =
			weights[SUP_MAX_INFLUENCES * (size_t)vertex] > WHOLE ? bones[SUP_MAX_INFLUENCES * (size_t)vertex] : -1;
		part->bone = isFirst || part->bone == bone ? bone : -1;
		part->isMade = ( isFirst || part->isMade ) && made != NULL && made[vertex];
		part->bounds = supBox_Include( part->bounds, surface->positions[vertex] );
	}
}

// Every edge of what is closed has two triangles.
static bool FindOpen( const Finder* finder )
{
	const supRestSurface* surface = finder->surface;
	size_t most = 3 * (size_t)surface->triangleCount, count = 0;
	uint64_t* keys = supArena_AllocArray( finder->scratch, most, sizeof( uint64_t ) );
	uint64_t* sorted = supArena_AllocArray( finder->scratch, most, sizeof( uint64_t ) );
	if ( finder->scratch->failed )
	{
		return false;
	}
	for ( size_t i = 0; i < most; ++i )
	{
		size_t next = i % 3 == 2 ? i - 2 : i + 1;
		uint64_t a = (uint64_t)finder->places[surface->indices[i]];
		uint64_t b = (uint64_t)finder->places[surface->indices[next]];
		if ( a != b )
		{
			keys[count++] = a < b ? a << 32 | b : b << 32 | a;
		}
	}
	supSortKeys( keys, sorted, count, 64 );
	for ( size_t first = 0, end = 0; first < count; first = end )
	{
		while ( end < count && keys[end] == keys[first] )
		{
			end += 1;
		}
		Part* part = PartAt( finder, (uint32_t)( keys[first] >> 32 ) );
		part->isOpen = part->isOpen || end - first != 2;
	}
	return true;
}

static bool IsRigid( const Part* part, float most )
{
	supVec3 size = supBox_Size( part->bounds );
	bool isSmall = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) ) <= most;
	return part->isMade || ( part->bone >= 0 && part->isOpen == false && isSmall );
}

bool supSortRigidParts( const supRestSurface* surface, const uint16_t* bones, const float* weights, const bool* made,
						float most, supArena* scratch, uint32_t* indices, int32_t* softCount )
{
	Finder finder = { .scratch = scratch, .surface = surface };
	if ( Allocate( &finder ) == false )
	{
		return false;
	}
	JoinParts( &finder );
	MeasureParts( &finder, bones, weights, made );
	if ( FindOpen( &finder ) == false )
	{
		return false;
	}
	int32_t count = 0;
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < surface->triangleCount; ++i )
		{
			const uint32_t* corners = surface->indices + 3 * (int64_t)i;
			if ( IsRigid( PartAt( &finder, corners[0] ), most ) == ( pass == 1 ) )
			{
				memcpy( indices + 3 * (int64_t)count++, corners, 3 * sizeof( uint32_t ) );
			}
		}
		*softCount = pass == 0 ? count : *softCount;
	}
	// a body of such parts alone has them for its skin
	*softCount = *softCount > 0 ? *softCount : surface->triangleCount;
	return true;
}
