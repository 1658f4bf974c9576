// SPDX-License-Identifier: MIT
// Welding, and cutting into patches and clusters. See skin_topology.c, skin_proxies.c and skin_rest.c for the rest.
#include "contact/skin.h"

#include "contact/skin_build.h"
#include "core/sort.h"
#include "geometry/overlap.h"
#include "geometry/weld.h"
#include "volume/body/rest_surface.h"

#define NONE ( -1 )

// More vertices at one place that all move differently than this are noise, and the rest of them one.
#define MOST_TWINS 64

// Weights that differ by less in sum move alike.
#define WEIGHT_TOLERANCE 0.01f

// Triangles in a square have 2 (the diagonal's square, in areas), in a strip of 16 by 1 quads 16.
#define MAX_CLUSTER_SPREAD_RATIO 6.0f

// Bones of one vertex; the character keeps no more.
#define MOST_INFLUENCES 8

typedef struct Influence
{
	int32_t node;
	float weight;
} Influence;

typedef struct Builder
{
	const supCharacter* character;
	supRestSurface surface;
	supArena scratch;
	// of each vertex of the surface
	int32_t* instances;
	int32_t* welded; // the vertex that stands for it
	// triangles that are left, in the order of clusters in the end
	int32_t triangleCount;
	uint64_t* keys;
	uint64_t* sorting;
	int32_t* order;  // numbers in the surface
	int32_t* joints; // by number in the surface: the node that moves it most; NONE where it is left out
	supVec3* centers;
	int32_t* clusterStarts;
	int32_t clusterCount;
} Builder;

// ---------------------------------------------------------------------------------------------------------------------
// Welding

static int32_t GetInfluences( const Builder* b, int32_t vertex, Influence* influences )
{
	int32_t i = b->instances[vertex];
	const supInstance* instance = supCharacter_Instance( b->character, i );
	const supMesh* mesh = supCharacter_Mesh( b->character, instance->mesh );
	if ( instance->skin < 0 || mesh->influences == 0 )
	{
		influences[0] = ( Influence ){ instance->node, 1.0f };
		return 1;
	}
	const int32_t* joints = supCharacter_Skin( b->character, instance->skin )->joints;
	size_t first = (size_t)( vertex - b->surface.vertexStarts[i] ) * (size_t)mesh->influences;
	int32_t count = 0;
	for ( int32_t k = 0; k < mesh->influences && k < MOST_INFLUENCES; ++k )
	{
		if ( mesh->weights[first + (size_t)k] > 0.0f )
		{
			influences[count++] =
				( Influence ){ joints[mesh->joints[first + (size_t)k]], mesh->weights[first + (size_t)k] };
		}
	}
	return count;
}

static float WeightOf( const Influence* influences, int32_t count, int32_t node )
{
	float weight = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		weight += influences[i].node == node ? influences[i].weight : 0.0f;
	}
	return weight;
}

// Morph targets move both by the same.
static bool MorphAlike( const Builder* b, int32_t vertex, int32_t other )
{
	int32_t i = b->instances[vertex], k = b->instances[other];
	const supMesh* mesh = supCharacter_Mesh( b->character, supCharacter_Instance( b->character, i )->mesh );
	const supMesh* otherMesh = supCharacter_Mesh( b->character, supCharacter_Instance( b->character, k )->mesh );
	if ( i != k )
	{
		return mesh->targetCount == 0 && otherMesh->targetCount == 0;
	}
	vertex -= b->surface.vertexStarts[i];
	other -= b->surface.vertexStarts[i];
	for ( int32_t t = 0; t < mesh->targetCount; ++t )
	{
		const supVec3* offsets = mesh->targets[t].positions;
		float size = offsets != NULL ? supLength( offsets[vertex] ) : 0.0f;
		if ( offsets != NULL && supDistance( offsets[vertex], offsets[other] ) > 1e-3f * size )
		{
			return false;
		}
	}
	return true;
}

static bool MoveAlike( const Builder* b, int32_t vertex, int32_t other )
{
	Influence first[MOST_INFLUENCES], second[MOST_INFLUENCES];
	int32_t firstCount = GetInfluences( b, vertex, first );
	int32_t secondCount = GetInfluences( b, other, second );
	float difference = 0.0f;
	for ( int32_t i = 0; i < firstCount; ++i )
	{
		difference += fabsf( first[i].weight - WeightOf( second, secondCount, first[i].node ) );
	}
	for ( int32_t i = 0; i < secondCount; ++i )
	{
		difference += fabsf( second[i].weight - WeightOf( first, firstCount, second[i].node ) );
	}
	return difference < WEIGHT_TOLERANCE && MorphAlike( b, vertex, other );
}

// Of the vertices at each place, those that move alike become one.
static bool Weld( Builder* b )
{
	int32_t count = b->surface.vertexCount;
	int32_t* places = supArena_AllocArray( &b->scratch, (size_t)count, sizeof( int32_t ) );
	int32_t* twins = supArena_AllocArray( &b->scratch, (size_t)count, sizeof( int32_t ) ); // next that moves otherwise
	if ( places == NULL || twins == NULL || supWeld( b->surface.positions, count, &b->scratch, places ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		twins[i] = NONE;
		b->welded[i] = i;
		int32_t last = NONE, tries = 0;
		for ( int32_t k = places[i]; k != NONE && k != i; k = twins[k], ++tries )
		{
			if ( tries == MOST_TWINS || MoveAlike( b, i, k ) )
			{
				b->welded[i] = k;
				break;
			}
			last = k;
		}
		if ( b->welded[i] == i && last != NONE )
		{
			twins[last] = i;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Patches

// The node with the largest sum of weights over the corners, the smallest of several.
static int32_t FindJoint( const Builder* b, const uint32_t* corners )
{
	Influence all[3 * MOST_INFLUENCES];
	int32_t count = 0;
	for ( int32_t k = 0; k < 3; ++k )
	{
		count += GetInfluences( b, (int32_t)corners[k], all + count );
	}
	int32_t best = NONE;
	float largest = -1.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		float weight = WeightOf( all, count, all[i].node );
		if ( weight > largest || ( weight == largest && all[i].node < best ) )
		{
			best = all[i].node;
			largest = weight;
		}
	}
	return best;
}

// Triangles that are some, sorted by their joints.
static void ChooseTriangles( Builder* b )
{
	const supRestSurface* surface = &b->surface;
	for ( int32_t t = 0; t < surface->triangleCount; ++t )
	{
		const uint32_t* corners = surface->indices + 3 * (size_t)t;
		int32_t a = b->welded[corners[0]], c = b->welded[corners[1]], d = b->welded[corners[2]];
		b->joints[t] = a == c || c == d || d == a ? NONE : FindJoint( b, corners );
		supVec3 sum = supAdd( supAdd( surface->positions[a], surface->positions[c] ), surface->positions[d] );
		b->centers[t] = supScale( 1.0f / 3.0f, sum );
		if ( b->joints[t] != NONE )
		{
			b->keys[b->triangleCount++] = (uint64_t)b->joints[t] << 32 | (uint32_t)t;
		}
	}
	supSortKeys( b->keys, b->sorting, (size_t)b->triangleCount, 64 );
	for ( int32_t i = 0; i < b->triangleCount; ++i )
	{
		b->order[i] = (int32_t)( b->keys[i] & 0xFFFFFFFFu );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Clusters

// Floats in an order that integers have too.
static uint32_t OrderedBits( float value )
{
	uint32_t bits;
	memcpy( &bits, &value, sizeof( bits ) );
	return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float Component( supVec3 a, int32_t axis )
{
	return axis == 0 ? a.x : ( axis == 1 ? a.y : a.z );
}

static void SortAlongLongestAxis( Builder* b, int32_t first, int32_t count )
{
	supBox bounds = supBox_empty;
	for ( int32_t i = first; i < first + count; ++i )
	{
		bounds = supBox_Include( bounds, b->centers[b->order[i]] );
	}
	supVec3 size = supBox_Size( bounds );
	int32_t axis = size.x >= size.y && size.x >= size.z ? 0 : ( size.y >= size.z ? 1 : 2 );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t t = b->order[first + i];
		b->keys[i] = (uint64_t)OrderedBits( Component( b->centers[t], axis ) ) << 32 | (uint32_t)t;
	}
	supSortKeys( b->keys, b->sorting, (size_t)count, 64 );
	for ( int32_t i = 0; i < count; ++i )
	{
		b->order[first + i] = (int32_t)( b->keys[i] & 0xFFFFFFFFu );
	}
}

// Are the triangles scattered over far more than their area? What one joint moves most may be here and there.
static bool AreScattered( const Builder* b, int32_t first, int32_t count )
{
	supBox bounds = supBox_empty;
	float area = 0.0f;
	for ( int32_t i = first; i < first + count; ++i )
	{
		const uint32_t* corners = b->surface.indices + 3 * (size_t)b->order[i];
		supVec3 p = b->surface.positions[corners[0]];
		supVec3 u = supSub( b->surface.positions[corners[1]], p ), v = supSub( b->surface.positions[corners[2]], p );
		area += 0.5f * supLength( supCross( u, v ) );
		bounds = supBox_Include( bounds, b->centers[b->order[i]] );
	}
	return supLengthSquared( supBox_Size( bounds ) ) > MAX_CLUSTER_SPREAD_RATIO * area;
}

// Halves until a cluster is left; the first half is a whole number of clusters, so that they are full, or of blocks of
// eight triangles. The depth is the logarithm of the count.
static void CutIntoClusters( Builder* b, int32_t first, int32_t count )
{
	while ( count > SUP_CLUSTER_TRIANGLES || ( count > 8 && AreScattered( b, first, count ) ) )
	{
		SortAlongLongestAxis( b, first, count );
		int32_t whole = count > SUP_CLUSTER_TRIANGLES ? SUP_CLUSTER_TRIANGLES : 8;
		int32_t half = ( count + whole - 1 ) / whole / 2 * whole;
		CutIntoClusters( b, first, half );
		first += half;
		count -= half;
	}
	b->clusterStarts[b->clusterCount++] = first;
}

static bool AllocateSkin( Builder* b, supContactSkin* skin )
{
	supArena* arena = &skin->arena;
	size_t vertices = (size_t)b->surface.vertexCount, triangles = (size_t)b->triangleCount;
	size_t clusters = (size_t)b->clusterCount;
	skin->triangleCount = b->triangleCount;
	skin->clusterCount = b->clusterCount;
	skin->instances = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	skin->sources = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	skin->rest = supArena_AllocArray( arena, vertices, sizeof( supVec3 ) );
	skin->vertexClusters = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	skin->corners = supArena_AllocArray( arena, 3 * triangles, sizeof( int32_t ) );
	skin->neighbours = supArena_AllocArray( arena, 3 * triangles, sizeof( int32_t ) );
	skin->triangleClusters = supArena_AllocArray( arena, triangles, sizeof( int32_t ) );
	skin->clusters = supArena_AllocArray( arena, clusters, sizeof( supSkinCluster ) );
	skin->borders = supArena_AllocArray( arena, 3 * triangles, sizeof( int32_t ) );
	skin->patches = supArena_AllocArray( arena, clusters, sizeof( supSkinPatch ) );
	skin->restCenters = supArena_AllocArray( arena, 3 * SUP_CLUSTER_TRIANGLES * clusters, sizeof( float ) );
	return arena->failed == false;
}

// The number of a vertex in the skin; it gets one, and belongs to the cluster at work, where it has none.
static int32_t NumberVertex( Builder* b, supContactSkin* skin, int32_t* numbers, int32_t vertex, int32_t cluster )
{
	if ( numbers[vertex] == NONE )
	{
		int32_t number = skin->vertexCount++;
		numbers[vertex] = number;
		skin->instances[number] = b->instances[vertex];
		skin->sources[number] = vertex - b->surface.vertexStarts[b->instances[vertex]];
		skin->rest[number] = b->surface.positions[vertex];
		skin->vertexClusters[number] = cluster;
	}
	return numbers[vertex];
}

static bool HasBorder( const supContactSkin* skin, const supSkinCluster* cluster, int32_t vertex )
{
	for ( int32_t i = cluster->firstBorder; i < cluster->firstBorder + cluster->borderCount; ++i )
	{
		if ( skin->borders[i] == vertex )
		{
			return true;
		}
	}
	return false;
}

static void FillCluster( Builder* b, supContactSkin* skin, int32_t* numbers, int32_t index )
{
	supSkinCluster* cluster = skin->clusters + index;
	const supSkinCluster* before = index > 0 ? cluster - 1 : NULL;
	int32_t first = b->clusterStarts[index], end = b->clusterStarts[index + 1];
	*cluster = ( supSkinCluster ){ .firstVertex = skin->vertexCount,
								   .firstTriangle = first,
								   .triangleCount = end - first,
								   .firstBorder = before != NULL ? before->firstBorder + before->borderCount : 0 };
	for ( int32_t i = first; i < end; ++i )
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			int32_t vertex = b->welded[b->surface.indices[3 * (size_t)b->order[i] + (size_t)k]];
			int32_t number = NumberVertex( b, skin, numbers, vertex, index );
			skin->corners[3 * (size_t)i + (size_t)k] = number;
			if ( skin->vertexClusters[number] != index && HasBorder( skin, cluster, number ) == false )
			{
				skin->borders[cluster->firstBorder + cluster->borderCount++] = number;
			}
		}
		skin->triangleClusters[i] = index;
	}
	cluster->vertexCount = skin->vertexCount - cluster->firstVertex;
	int32_t joint = b->joints[b->order[first]];
	if ( skin->patchCount == 0 || skin->patches[skin->patchCount - 1].joint != joint )
	{
		skin->patches[skin->patchCount++] = ( supSkinPatch ){ .joint = joint, .firstCluster = index };
	}
	cluster->patch = skin->patchCount - 1;
	skin->patches[cluster->patch].clusterCount += 1;
}

static void BoundAtRest( const Builder* b, const supContactSkin* skin, int32_t index )
{
	supSkinCluster* cluster = skin->clusters + index;
	supBox box = supBox_empty;
	const int32_t* corners = skin->corners + 3 * (size_t)cluster->firstTriangle;
	for ( int32_t i = 0; i < 3 * cluster->triangleCount; ++i )
	{
		box = supBox_Include( box, skin->rest[corners[i]] );
	}
	cluster->center = supLerp( box.lower, box.upper, 0.5f );
	for ( int32_t i = 0; i < 3 * cluster->triangleCount; ++i )
	{
		cluster->radius = supMaxFloat( cluster->radius, supDistance( cluster->center, skin->rest[corners[i]] ) );
	}
	float* centers = skin->restCenters + (size_t)index * 3 * SUP_CLUSTER_TRIANGLES;
	for ( int32_t i = 0; i < SUP_CLUSTER_TRIANGLES; ++i )
	{
		bool present = i < cluster->triangleCount;
		supVec3 center = present ? b->centers[b->order[cluster->firstTriangle + i]] : supVec3_zero;
		centers[i / 8 * 24 + i % 8] = center.x;
		centers[i / 8 * 24 + 8 + i % 8] = center.y;
		centers[i / 8 * 24 + 16 + i % 8] = center.z;
	}
}

static void MeasureSkin( supContactSkin* skin )
{
	supBox bounds = supBox_empty;
	double sum = 0.0;
	for ( int32_t i = 0; i < skin->vertexCount; ++i )
	{
		bounds = supBox_Include( bounds, skin->rest[i] );
	}
	for ( int32_t i = 0; i < 3 * skin->triangleCount; ++i )
	{
		int32_t next = i % 3 < 2 ? i + 1 : i - 2;
		sum += (double)supDistance( skin->rest[skin->corners[i]], skin->rest[skin->corners[next]] );
	}
	supVec3 size = supBox_Size( bounds );
	skin->size = supMaxFloat( supMaxFloat( size.x, size.y ), size.z );
	skin->edgeLength = skin->triangleCount > 0 ? (float)( sum / ( 3.0 * skin->triangleCount ) ) : 0.0f;
}

static bool FillSkin( Builder* b, supContactSkin* skin )
{
	int32_t* numbers = supArena_AllocArray( &b->scratch, (size_t)b->surface.vertexCount, sizeof( int32_t ) );
	if ( numbers == NULL || AllocateSkin( b, skin ) == false )
	{
		return false;
	}
	memset( numbers, 0xFF, (size_t)b->surface.vertexCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < b->clusterCount; ++i )
	{
		FillCluster( b, skin, numbers, i );
		BoundAtRest( b, skin, i );
	}
	MeasureSkin( skin );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool AllocateBuilder( Builder* b )
{
	size_t vertices = (size_t)b->surface.vertexCount, triangles = (size_t)b->surface.triangleCount;
	b->instances = supArena_AllocArray( &b->scratch, vertices, sizeof( int32_t ) );
	b->welded = supArena_AllocArray( &b->scratch, vertices, sizeof( int32_t ) );
	b->keys = supArena_AllocArray( &b->scratch, triangles, sizeof( uint64_t ) );
	b->sorting = supArena_AllocArray( &b->scratch, triangles, sizeof( uint64_t ) );
	b->order = supArena_AllocArray( &b->scratch, triangles, sizeof( int32_t ) );
	b->joints = supArena_AllocArray( &b->scratch, triangles, sizeof( int32_t ) );
	b->centers = supArena_AllocArray( &b->scratch, triangles, sizeof( supVec3 ) );
	b->clusterStarts = supArena_AllocArray( &b->scratch, triangles + 1, sizeof( int32_t ) );
	return b->scratch.failed == false;
}

static bool BuildSurface( Builder* b, supContactSkin* skin )
{
	if ( AllocateBuilder( b ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( b->character ); ++i )
	{
		for ( int32_t v = b->surface.vertexStarts[i]; v < b->surface.vertexStarts[i + 1]; ++v )
		{
			b->instances[v] = i;
		}
	}
	if ( Weld( b ) == false )
	{
		return false;
	}
	ChooseTriangles( b );
	for ( int32_t first = 0, end = 0; first < b->triangleCount; first = end )
	{
		while ( end < b->triangleCount && b->joints[b->order[end]] == b->joints[b->order[first]] )
		{
			++end;
		}
		CutIntoClusters( b, first, end - first );
	}
	b->clusterStarts[b->clusterCount] = b->triangleCount;
	return FillSkin( b, skin );
}

static bool IsFinite( const supRestSurface* surface )
{
	for ( int32_t i = 0; i < surface->vertexCount; ++i )
	{
		// false for NaN; beyond this, squares of distances do not fit
		supVec3 p = surface->positions[i];
		if ( !( supMaxFloat( supMaxFloat( fabsf( p.x ), fabsf( p.y ) ), fabsf( p.z ) ) <= SUP_MAX_COORDINATE ) ||
			 supIsFiniteVec3( p ) == false )
		{
			return false;
		}
	}
	return true;
}

bool supContactSkin_Init( supContactSkin* skin, const supCharacter* character, const supTasks* tasks, supError* error )
{
	supClearError( error );
	Builder b = { .character = character };
	if ( supRestSurface_Init( &b.surface, character, tasks, error ) == false )
	{
		return false;
	}
	if ( IsFinite( &b.surface ) == false )
	{
		supRestSurface_Destroy( &b.surface );
		return supSetError( error, sup_errorArgument, supCharacter_Name( character ),
							"some vertices are at infinity in the rest pose; check the scales of its nodes" );
	}
	bool ok = BuildSurface( &b, skin ) && supContactSkin_BuildTopology( skin ) && supContactSkin_BuildProxies( skin ) &&
			  supContactSkin_BuildKin( skin, tasks );
	supArena_Destroy( &b.scratch );
	supRestSurface_Destroy( &b.surface );
	ok = ok && supContactSkin_BuildTouches( skin, tasks, error );
	if ( ok == false )
	{
		supContactSkin_Destroy( skin );
		return supSetMemoryError( error );
	}
	return true;
}

void supContactSkin_Destroy( supContactSkin* skin )
{
	supArena_Destroy( &skin->arena );
	*skin = ( supContactSkin ){ 0 };
}
