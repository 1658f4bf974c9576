// SPDX-License-Identifier: MIT
#include "volume/softness/rigid_parts.h"

#include "core/sort.h"
#include "geometry/weld.h"

// A vertex with more weight on one bone follows it alone.
#define SINGLE_BONE_WEIGHT 0.999f

// Weights that differ by less are the same.
#define SAME_WEIGHT 0.02f

typedef struct Part
{
	supBox bounds;
	int32_t bone;  // -1: several
	int32_t first; // a vertex of it
	bool isOpen;
	bool isStiff; // all vertices have the same weights
	bool isMade;  // rigid by its author
} Part;

typedef struct Finder
{
	supArena* scratch;
	const supRigidPartsDef* def;
	const supRestSurface* surface;
	int32_t* places;
	int32_t* partOf; // of a place: the place that stands for its part
	Part* parts;
	bool hasSeveral;
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
		finder->parts[i] = ( Part ){ supBox_empty, -1, -1, false, true, false };
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

static float WeightOn( const supRigidPartsDef* def, uint32_t vertex, uint16_t bone )
{
	float sum = 0.0f;
	for ( size_t i = SUP_MAX_INFLUENCES * (size_t)vertex; i < SUP_MAX_INFLUENCES * ( (size_t)vertex + 1 ); ++i )
	{
		sum += def->bones[i] == bone ? def->weights[i] : 0.0f;
	}
	return sum;
}

static bool HasWeightsOf( const supRigidPartsDef* def, uint32_t vertex, uint32_t other )
{
	for ( size_t i = SUP_MAX_INFLUENCES * (size_t)vertex; i < SUP_MAX_INFLUENCES * ( (size_t)vertex + 1 ); ++i )
	{
		float difference = WeightOn( def, vertex, def->bones[i] ) - WeightOn( def, other, def->bones[i] );
		if ( difference > SAME_WEIGHT || difference < -SAME_WEIGHT )
		{
			return false;
		}
	}
	return true;
}

static void MeasureParts( const Finder* finder )
{
	const supRestSurface* surface = finder->surface;
	const supRigidPartsDef* def = finder->def;
	for ( int64_t i = 0; i < 3 * (int64_t)surface->triangleCount; ++i )
	{
		uint32_t vertex = surface->indices[i];
		Part* part = PartAt( finder, vertex );
		bool isFirst = part->first < 0;
		size_t heaviest = SUP_MAX_INFLUENCES * (size_t)vertex;
		int32_t bone = def->weights[heaviest] > SINGLE_BONE_WEIGHT ? def->bones[heaviest] : -1;
		part->first = isFirst ? (int32_t)vertex : part->first;
		part->bone = isFirst || part->bone == bone ? bone : -1;
		part->isStiff = part->isStiff && HasWeightsOf( def, vertex, (uint32_t)part->first );
		part->isMade = ( isFirst || part->isMade ) && def->made != NULL && def->made[vertex];
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

static bool IsRigid( const Finder* finder, const Part* part )
{
	supVec3 size = supBox_Size( part->bounds );
	float extent = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	bool isSmall = extent <= finder->def->most;
	bool isShell = finder->def->isStrict ? part->bone >= 0 && part->isOpen == false && isSmall
										 : ( extent <= finder->def->mostBent && part->isOpen == false ) ||
											   ( part->isStiff && ( isSmall || finder->hasSeveral ) );
	return part->isMade || isShell;
}

// Are there parts that other bones move?
static bool HasSeveral( const Finder* finder )
{
	const supRestSurface* surface = finder->surface;
	int32_t first = -1;
	for ( int64_t i = 0; i < 3 * (int64_t)surface->triangleCount; i += 3 )
	{
		const Part* part = PartAt( finder, surface->indices[i] );
		first = first < 0 ? part->first : first;
		if ( part->isStiff == false || HasWeightsOf( finder->def, (uint32_t)part->first, (uint32_t)first ) == false )
		{
			return true;
		}
	}
	return false;
}

bool supFindRigidParts( const supRigidPartsDef* def, supArena* scratch, bool* isRigid )
{
	Finder finder = { .scratch = scratch, .def = def, .surface = def->surface };
	if ( Allocate( &finder ) == false )
	{
		return false;
	}
	JoinParts( &finder );
	MeasureParts( &finder );
	if ( FindOpen( &finder ) == false )
	{
		return false;
	}
	finder.hasSeveral = HasSeveral( &finder );
	for ( int32_t i = 0; i < def->surface->vertexCount; ++i )
	{
		const Part* part = PartAt( &finder, (uint32_t)i );
		isRigid[i] = part->first >= 0 && IsRigid( &finder, part );
	}
	return true;
}

bool supSortRigidParts( const supRigidPartsDef* def, supArena* scratch, uint32_t* indices, int32_t* softCount )
{
	const supRestSurface* surface = def->surface;
	bool* isRigid = supArena_AllocArray( scratch, (size_t)surface->vertexCount, sizeof( bool ) );
	if ( isRigid == NULL || supFindRigidParts( def, scratch, isRigid ) == false )
	{
		return false;
	}
	int32_t count = 0;
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < surface->triangleCount; ++i )
		{
			const uint32_t* corners = surface->indices + 3 * (int64_t)i;
			if ( isRigid[corners[0]] == ( pass == 1 ) )
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
