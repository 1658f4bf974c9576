// SPDX-License-Identifier: MIT
// Clusters that lie side by side at rest, and how near they come to each other (rest_culling.c).
#include "contact/detection.h"
#include "contact/skin_build.h"
#include "core/sort.h"
#include "core/tasks.h"
#include "geometry/overlap.h"

// Within so many lengths of edges, and no more than that many of one cluster: of others their bounding spheres tell.
#define NEAR_EDGES 3.0f
#define MOST_KIN 128

// Nor is it worth knowing of more than so many.
#define FAR_EDGES 8.0f

#define CLUSTER_GRAIN 8

typedef struct Builder
{
	supContactSkin* skin;
	// clusters from left to right
	int32_t* order;
	float widest;
	// MOST_KIN a cluster
	int32_t* kins;
	float* distances;
	int32_t* counts;
} Builder;

static float Apart( const supSkinCluster* a, const supSkinCluster* b )
{
	return supDistance( a->center, b->center ) - a->radius - b->radius;
}

static bool AllocateBuilder( Builder* b, supArena* scratch )
{
	size_t clusters = (size_t)b->skin->clusterCount;
	b->order = supArena_AllocArray( scratch, clusters, sizeof( int32_t ) );
	b->kins = supArena_AllocArray( scratch, MOST_KIN * clusters, sizeof( int32_t ) );
	b->distances = supArena_AllocArray( scratch, MOST_KIN * clusters, sizeof( float ) );
	b->counts = supArena_AllocArray( scratch, clusters, sizeof( int32_t ) );
	return scratch->failed == false;
}

// Floats in an order that integers have too.
static uint32_t OrderedBits( float value )
{
	uint32_t bits;
	memcpy( &bits, &value, sizeof( bits ) );
	return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static bool SortClusters( Builder* b, supArena* scratch )
{
	int32_t count = b->skin->clusterCount;
	uint64_t* keys = supArena_AllocArray( scratch, 2 * (size_t)count, sizeof( uint64_t ) );
	if ( keys == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		keys[i] = (uint64_t)OrderedBits( b->skin->clusters[i].center.x ) << 32 | (uint32_t)i;
		b->widest = supMaxFloat( b->widest, b->skin->clusters[i].radius );
	}
	supSortKeys( keys, keys + count, (size_t)count, 64 );
	for ( int32_t i = 0; i < count; ++i )
	{
		b->order[i] = (int32_t)( keys[i] & 0xFFFFFFFFu );
	}
	return true;
}

// The least distance at rest between a vertex of the first and a triangle of the other that are not neighbours, as far
// as it is worth knowing.
static float LeastDistance( const supContactSkin* skin, int32_t index, int32_t other )
{
	const supSkinCluster *own = skin->clusters + index, *theirs = skin->clusters + other;
	float least = FAR_EDGES * skin->edgeLength;
	for ( int32_t t = theirs->firstTriangle; t < theirs->firstTriangle + theirs->triangleCount; ++t )
	{
		const int32_t* corners = skin->corners + 3 * (size_t)t;
		supTriangle triangle = { skin->rest[corners[0]], skin->rest[corners[1]], skin->rest[corners[2]] };
		supVec3 center = supScale( 1.0f / 3.0f, supAdd( triangle.a, supAdd( triangle.b, triangle.c ) ) );
		float radius =
			supMaxFloat( supDistance( center, triangle.a ),
						 supMaxFloat( supDistance( center, triangle.b ), supDistance( center, triangle.c ) ) );
		for ( int32_t v = own->firstVertex; v < own->firstVertex + own->vertexCount; ++v )
		{
			float reach = least + radius;
			if ( supLengthSquared( supSub( skin->rest[v], center ) ) < reach * reach &&
				 supContactSkin_AreNear( skin, v, t ) == false )
			{
				least = supMinFloat( least, supDistanceToTriangle( &triangle, skin->rest[v] ) );
			}
		}
	}
	return least;
}

static void AddKin( Builder* b, int32_t index, int32_t other )
{
	int32_t* kins = b->kins + (size_t)MOST_KIN * (size_t)index;
	if ( b->counts[index] < MOST_KIN )
	{
		int32_t at = b->counts[index]++;
		for ( ; at > 0 && kins[at - 1] > other; --at )
		{
			kins[at] = kins[at - 1];
		}
		kins[at] = other;
	}
}

static void ListKin( Builder* b )
{
	const supContactSkin* skin = b->skin;
	float reach = NEAR_EDGES * skin->edgeLength;
	for ( int32_t i = 0; i < skin->clusterCount; ++i )
	{
		const supSkinCluster* own = skin->clusters + b->order[i];
		AddKin( b, b->order[i], b->order[i] );
		for ( int32_t k = i + 1; k < skin->clusterCount && b->counts[b->order[i]] < MOST_KIN; ++k )
		{
			const supSkinCluster* other = skin->clusters + b->order[k];
			if ( other->center.x - own->center.x > own->radius + b->widest + reach )
			{
				break;
			}
			if ( Apart( own, other ) < reach )
			{
				AddKin( b, b->order[i], b->order[k] );
				AddKin( b, b->order[k], b->order[i] );
			}
		}
	}
}

static void MeasureRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Builder* b = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		size_t first = (size_t)MOST_KIN * (size_t)i;
		supMakeSkinFrame( b->skin, i );
		for ( int32_t k = 0; k < b->counts[i]; ++k )
		{
			b->distances[first + (size_t)k] = LeastDistance( b->skin, i, b->kins[first + (size_t)k] );
		}
	}
}

// Blocks of eight that the kin of a cluster are in, sorted as they are.
static int32_t CountBlocks( const Builder* b, int32_t index )
{
	const int32_t* kins = b->kins + (size_t)MOST_KIN * (size_t)index;
	int32_t count = 0;
	for ( int32_t k = 0; k < b->counts[index]; ++k )
	{
		count += k == 0 || kins[k] / 8 != kins[k - 1] / 8;
	}
	return count;
}

static void KeepBlocks( const Builder* b, int32_t index )
{
	supContactSkin* skin = b->skin;
	size_t first = (size_t)MOST_KIN * (size_t)index;
	int32_t at = skin->kinStarts[index] - 1;
	for ( int32_t k = 0; k < b->counts[index]; ++k )
	{
		int32_t kin = b->kins[first + (size_t)k];
		if ( k == 0 || kin / 8 != skin->kinBlocks[at] )
		{
			skin->kinBlocks[++at] = kin / 8;
			for ( int32_t i = 0; i < 8; ++i )
			{
				skin->kinDistances[8 * (size_t)at + (size_t)i] = -1.0f;
			}
		}
		skin->kinDistances[8 * (size_t)at + (size_t)( kin % 8 )] = b->distances[first + (size_t)k];
	}
}

static bool KeepKin( const Builder* b )
{
	supContactSkin* skin = b->skin;
	int32_t total = 0;
	for ( int32_t i = 0; i < skin->clusterCount; ++i )
	{
		skin->kinStarts[i] = total;
		total += CountBlocks( b, i );
	}
	skin->kinStarts[skin->clusterCount] = total;
	skin->kinBlocks = supArena_AllocArray( &skin->arena, (size_t)total, sizeof( int32_t ) );
	skin->kinDistances = supArena_AllocArray( &skin->arena, 8 * (size_t)total, sizeof( float ) );
	for ( int32_t i = 0; i < skin->clusterCount && skin->kinDistances != NULL && skin->kinBlocks != NULL; ++i )
	{
		KeepBlocks( b, i );
	}
	return skin->kinBlocks != NULL && skin->kinDistances != NULL;
}

// Room for the levers of all clusters.
static bool AllocateLevers( supContactSkin* skin )
{
	int32_t total = 0;
	for ( int32_t i = 0; i < skin->clusterCount; ++i )
	{
		skin->frames[i].firstLever = total;
		total += ( skin->clusters[i].vertexCount + skin->clusters[i].borderCount + 7 ) / 8 * 24;
	}
	skin->levers = supArena_AllocArray( &skin->arena, (size_t)total, sizeof( float ) );
	return skin->levers != NULL;
}

bool supContactSkin_BuildKin( supContactSkin* skin, const supTasks* tasks )
{
	supArena scratch = { 0 };
	Builder b = { .skin = skin };
	skin->frames = supArena_AllocArray( &skin->arena, (size_t)skin->clusterCount, sizeof( supSkinFrame ) );
	skin->kinStarts = supArena_AllocArray( &skin->arena, (size_t)skin->clusterCount + 1, sizeof( int32_t ) );
	bool ok = skin->frames != NULL && skin->kinStarts != NULL && AllocateLevers( skin ) &&
			  AllocateBuilder( &b, &scratch ) && SortClusters( &b, &scratch );
	if ( ok )
	{
		memset( b.counts, 0, (size_t)skin->clusterCount * sizeof( int32_t ) );
		ListKin( &b );
		supParallelFor( tasks, skin->clusterCount, CLUSTER_GRAIN, MeasureRange, &b );
		ok = KeepKin( &b );
	}
	supArena_Destroy( &scratch );
	return ok;
}
