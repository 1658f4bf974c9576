// SPDX-License-Identifier: MIT
// Shells that lie on others: clothes, straps, pouches, buttons, plates.
//
// Each has flesh of its own, or none where it is rigid, and would sink into the body or come off it. What is drawn of
// it is where skinning puts it, moved as the flesh beneath is: of each vertex as at the nearest place of the host, of
// small shells as on average beneath all of it, so that a button keeps its shape.
#include "geometry/tree.h"
#include "geometry/weld.h"
#include "scene/guard_build.h"

#include <math.h>
#include <stdlib.h>

// Of the size: a shell lies on another if so much of it is so near.
#define HOST_GAP 0.03f
#define NEAR_SHARE 0.6f

// A host has at least so many times the area.
#define HOST_AREA_RATIO 2.0f

// Of the size: smaller shells keep their shape, if they sit on one side of what they lie on: the sum of the directions
// beneath is this part of their number. A wrap around a waist does not.
#define SMALL_SHELL 0.2f
#define ONE_SIDE 0.5f

// The largest shells, which others may lie on.
#define MOST_HOSTS 8

typedef struct Shell
{
	int32_t root; // a place
	float area;
	supBox box;
	int32_t vertexCount;
	bool isFixed; // hangs on a joint without a skin
	bool rides;
} Shell;

typedef struct Host
{
	int32_t shell;
	supTree* tree;
	uint32_t* indices;
} Host;

typedef struct Finder
{
	supGuardBuilder* b;
	int32_t shellCount;
	Shell* shells;  // the largest first
	int32_t* ranks; // of each place: its shell
	Host hosts[MOST_HOSTS];
	int32_t hostCount;
	// vertices in the order of their shells; shellCount + 1
	int32_t* starts;
	int32_t* members;
} Finder;

static int32_t ShellOf( const Finder* f, int32_t vertex )
{
	return f->ranks[f->b->mesh->places[vertex]];
}

static int CompareShells( const void* first, const void* second )
{
	const Shell *a = first, *b = second;
	int byArea = ( a->area < b->area ) - ( a->area > b->area );
	return byArea != 0 ? byArea : ( a->root > b->root ) - ( a->root < b->root );
}

static void MeasureShells( Finder* f )
{
	const supRestSurface* surface = &f->b->surface;
	for ( int64_t t = 0; t < surface->triangleCount; ++t )
	{
		const uint32_t* corners = surface->indices + 3 * t;
		const supVec3* p = surface->positions;
		Shell* shell = f->shells + ShellOf( f, (int32_t)corners[0] );
		supVec3 normal = supCross( supSub( p[corners[1]], p[corners[0]] ), supSub( p[corners[2]], p[corners[0]] ) );
		shell->area += 0.5f * supLength( normal );
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( f->b->character ); ++i )
	{
		bool isFixed = supCharacter_Instance( f->b->character, i )->skin < 0;
		for ( int32_t k = surface->vertexStarts[i]; k < surface->vertexStarts[i + 1]; ++k )
		{
			Shell* shell = f->shells + ShellOf( f, k );
			shell->box = supBox_Include( shell->box, surface->positions[k] );
			shell->vertexCount += 1;
			shell->isFixed = shell->isFixed || isFixed;
		}
	}
}

static bool FindShells( Finder* f )
{
	supGuardBuilder* b = f->b;
	size_t places = (size_t)b->mesh->placeCount;
	f->ranks = supArena_AllocArray( &b->scratch, places, sizeof( int32_t ) );
	int32_t* ranks = supArena_AllocArray( &b->scratch, places, sizeof( int32_t ) );
	for ( int32_t i = 0; b->scratch.failed == false && i < b->mesh->placeCount; ++i )
	{
		f->ranks[i] = b->shells[i] == i ? f->shellCount++ : -1;
	}
	f->shells = supArena_AllocArray( &b->scratch, (size_t)f->shellCount, sizeof( Shell ) );
	if ( b->scratch.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < b->mesh->placeCount; ++i )
	{
		if ( b->shells[i] == i )
		{
			f->shells[f->ranks[i]] = ( Shell ){ .root = i, .box = supBox_empty };
		}
	}
	for ( int32_t i = 0; i < b->mesh->placeCount; ++i )
	{
		f->ranks[i] = f->ranks[b->shells[i]];
	}
	MeasureShells( f );
	qsort( f->shells, (size_t)f->shellCount, sizeof( Shell ), CompareShells );
	for ( int32_t i = 0; i < f->shellCount; ++i )
	{
		ranks[f->shells[i].root] = i;
	}
	for ( int32_t i = 0; i < b->mesh->placeCount; ++i )
	{
		f->ranks[i] = ranks[b->shells[i]];
	}
	return true;
}

static bool ListMembers( Finder* f )
{
	const supGuardMesh* mesh = f->b->mesh;
	f->starts = supArena_AllocZeroed( &f->b->scratch, ( (size_t)f->shellCount + 2 ) * sizeof( int32_t ) );
	f->members = supArena_AllocArray( &f->b->scratch, (size_t)mesh->vertexCount, sizeof( int32_t ) );
	if ( f->b->scratch.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < f->shellCount; ++i )
	{
		f->starts[i + 2] = f->starts[i + 1] + f->shells[i].vertexCount;
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		f->members[f->starts[ShellOf( f, i ) + 1]++] = i;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Hosts

static bool AddHost( Finder* f, int32_t shell )
{
	const supRestSurface* surface = &f->b->surface;
	Host* host = f->hosts + f->hostCount;
	host->shell = shell;
	host->indices = supArena_AllocArray( &f->b->scratch, 3 * (size_t)surface->triangleCount, sizeof( uint32_t ) );
	if ( host->indices == NULL )
	{
		return false;
	}
	int32_t count = 0;
	for ( int64_t t = 0; t < surface->triangleCount; ++t )
	{
		const uint32_t* corners = surface->indices + 3 * t;
		if ( ShellOf( f, (int32_t)corners[0] ) == shell )
		{
			memcpy( host->indices + 3 * (ptrdiff_t)count++, corners, 3 * sizeof( uint32_t ) );
		}
	}
	host->tree = supCreateLeanTree( surface->positions, surface->vertexCount, host->indices, count, 16, NULL );
	f->hostCount += host->tree != NULL;
	return host->tree != NULL;
}

static bool LiesOn( const Finder* f, int32_t shell, const Host* host )
{
	const supGuardMesh* mesh = f->b->mesh;
	float near = 0.0f, count = 0.0f;
	for ( int32_t k = f->starts[shell]; k < f->starts[shell + 1]; ++k )
	{
		supTreeHit hit;
		int32_t vertex = f->members[k];
		// copies of a vertex along seams count as one
		float share = mesh->shares[mesh->places[vertex]];
		count += share;
		near += supTree_FindClosest( host->tree, f->b->surface.positions[vertex], HOST_GAP * mesh->size, &hit ) ? share
																												: 0.0f;
	}
	return near >= NEAR_SHARE * count;
}

// The largest host that it lies on; NULL for none.
static const Host* FindHost( const Finder* f, int32_t shell )
{
	for ( int32_t i = 0; i < f->hostCount; ++i )
	{
		const Host* host = f->hosts + i;
		if ( f->shells[host->shell].area >= HOST_AREA_RATIO * f->shells[shell].area && LiesOn( f, shell, host ) )
		{
			return host;
		}
	}
	return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Riders

static supVec3 DirectionOf( const supVec3* p, const uint32_t* corners )
{
	supVec3 area = supCross( supSub( p[corners[1]], p[corners[0]] ), supSub( p[corners[2]], p[corners[0]] ) );
	return supLengthSquared( area ) > 0.0f ? supNormalize( area ) : supVec3_zero;
}

static void AddRiders( const Finder* f, int32_t shell, const Host* host, supRider* riders, int32_t* count )
{
	const supGuardMesh* mesh = f->b->mesh;
	supVec3 size = supBox_Size( f->shells[shell].box ), sum = supVec3_zero;
	float shares = 0.0f;
	float extent = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	int32_t first = *count;
	for ( int32_t k = f->starts[shell]; k < f->starts[shell + 1]; ++k )
	{
		supTreeHit hit;
		int32_t vertex = f->members[k];
		supTree_FindClosest( host->tree, f->b->surface.positions[vertex], INFINITY, &hit );
		const uint32_t* corners = host->indices + 3 * (ptrdiff_t)hit.triangle;
		riders[( *count )++] =
			( supRider ){ .vertex = vertex,
						  .group = -1,
						  .anchors = { (int32_t)corners[0], (int32_t)corners[1], (int32_t)corners[2] },
						  .weights = { 1.0f - hit.u - hit.v, hit.u, hit.v } };
		float share = mesh->shares[mesh->places[vertex]];
		sum = supMulAdd( sum, share, DirectionOf( f->b->surface.positions, corners ) );
		shares += share;
	}
	bool isSmall = extent <= SMALL_SHELL * mesh->size;
	bool keepsShape = isSmall && supLength( sum ) >= ONE_SIDE * shares;
	for ( int32_t k = first; k < *count && keepsShape; ++k )
	{
		riders[k].group = shell;
	}
}

static bool FindRiders( Finder* f )
{
	supGuardMesh* mesh = f->b->mesh;
	supRider* riders = supArena_AllocArray( &f->b->scratch, (size_t)mesh->vertexCount, sizeof( supRider ) );
	if ( riders == NULL )
	{
		return false;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < f->shellCount; ++i )
	{
		Shell* shell = f->shells + i;
		if ( shell->isFixed || !( shell->area > 0.0f ) )
		{
			continue;
		}
		const Host* host = FindHost( f, i );
		if ( host != NULL )
		{
			AddRiders( f, i, host, riders, &count );
		}
		else if ( f->hostCount < MOST_HOSTS && AddHost( f, i ) == false )
		{
			return false;
		}
	}
	mesh->riderCount = count;
	mesh->riders = supArena_CopyArray( &mesh->arena, riders, (size_t)count, sizeof( supRider ) );
	return count == 0 || mesh->riders != NULL;
}

bool supGuardBuilder_FindRiders( supGuardBuilder* b )
{
	Finder f = { .b = b };
	bool ok = FindShells( &f ) && ( f.shellCount < 2 || ( ListMembers( &f ) && FindRiders( &f ) ) );
	for ( int32_t i = 0; i < f.hostCount; ++i )
	{
		supDestroyTree( f.hosts[i].tree );
	}
	return ok;
}
