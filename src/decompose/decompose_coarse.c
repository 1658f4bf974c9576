// SPDX-License-Identifier: MIT
// Fewer vertices for most of the work. Flesh is smooth, so that a few thousand vertices, each standing for those around
// it, lead to the same helpers as all of them; only the last rounds look at every vertex.
#include "core/tasks.h"
#include "decompose/decompose.h"

#include <math.h>

// So many for each helper, and never fewer than the least.
#define VERTICES_PER_HELPER 32
#define LEAST_COARSE_VERTICES 1024
// Coarse vertices at most this share of all, or it is not worth the second set of arrays.
#define MOST_COARSE_SHARE 0.5f

int32_t supSpreadVertices( const supDecomposer* d, int32_t most, float* distances, int32_t* places )
{
	int32_t count = d->vertexCount < most ? d->vertexCount : most;
	supVec3 last = { 0 };
	for ( int32_t i = 0; i < d->vertexCount; ++i )
	{
		last = supMulAdd( last, 1.0f / (float)d->vertexCount, d->rest[i] );
		distances[i] = INFINITY;
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		int32_t farthest = 0;
		for ( int32_t i = 0; i < d->vertexCount; ++i )
		{
			float distance = supLengthSquared( supSub( d->rest[i], last ) );
			distances[i] = distance < distances[i] ? distance : distances[i];
			farthest = distances[i] > distances[farthest] ? i : farthest;
		}
		places[k] = farthest;
		last = d->rest[farthest];
		distances[farthest] = 0.0f;
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Clusters

typedef struct Clusters
{
	int32_t count;
	int32_t* middles; // per cluster: its vertex
	int32_t* of;      // per vertex: its cluster
	int32_t* queue;
	int32_t queued;
} Clusters;

static void OpenCluster( Clusters* clusters, int32_t vertex )
{
	clusters->middles[clusters->count] = vertex;
	clusters->of[vertex] = clusters->count++;
	clusters->queue[clusters->queued++] = vertex;
}

// Over edges, nearest middle first. Pieces of the mesh without a middle get one.
static void GrowClusters( const supDecomposer* d, Clusters* clusters )
{
	int32_t next = 0, at = 0;
	while ( at < clusters->queued || next < d->vertexCount )
	{
		if ( at == clusters->queued )
		{
			if ( clusters->of[next] < 0 )
			{
				OpenCluster( clusters, next );
			}
			next += 1;
			continue;
		}
		int32_t i = clusters->queue[at++];
		for ( int32_t k = d->neighborStarts[i]; k < d->neighborStarts[i + 1]; ++k )
		{
			int32_t other = d->neighbors[k];
			if ( clusters->of[other] < 0 )
			{
				clusters->of[other] = clusters->of[i];
				clusters->queue[clusters->queued++] = other;
			}
		}
	}
}

static bool FindClusters( const supDecomposer* d, int32_t wanted, supArena* arena, Clusters* clusters )
{
	size_t vertices = (size_t)d->vertexCount;
	clusters->middles = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	clusters->of = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	clusters->queue = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	float* distances = supAllocArray( vertices, sizeof( float ) );
	int32_t* places = supAllocArray( (size_t)wanted, sizeof( int32_t ) );
	bool ok = arena->failed == false && distances != NULL && places != NULL;
	if ( ok )
	{
		memset( clusters->of, 0xFF, vertices * sizeof( int32_t ) );
		int32_t count = supSpreadVertices( d, wanted, distances, places );
		for ( int32_t k = 0; k < count; ++k )
		{
			// vertices at one place that move apart are never more than one of them
			if ( clusters->of[places[k]] < 0 )
			{
				OpenCluster( clusters, places[k] );
			}
		}
		GrowClusters( d, clusters );
	}
	supFree( distances );
	supFree( places );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// The coarse problem

static void CopyVertices( const supDecomposer* d, const Clusters* clusters, supDecomposer* coarse )
{
	size_t track = 3 * (size_t)d->frameStride;
	size_t starts = (size_t)d->startInfluences;
	for ( int32_t c = 0; c < clusters->count; ++c )
	{
		int32_t i = clusters->middles[c];
		coarse->rest[c] = d->rest[i];
		memcpy( coarse->tracks + (size_t)c * track, d->tracks + (size_t)i * track, track * sizeof( float ) );
		memcpy( coarse->startJoints + (size_t)c * starts, d->startJoints + (size_t)i * starts,
				starts * sizeof( uint16_t ) );
		memcpy( coarse->startWeights + (size_t)c * starts, d->startWeights + (size_t)i * starts,
				starts * sizeof( float ) );
	}
	for ( int32_t i = 0; i < d->vertexCount; ++i )
	{
		coarse->masses[clusters->of[i]] += d->masses[i];
	}
}

// Clusters are neighbours where an edge joins them.
static bool JoinClusters( const supDecomposer* d, const Clusters* clusters, supDecomposer* coarse )
{
	int32_t most = d->neighborStarts[d->vertexCount];
	uint64_t* edges = supAllocArray( (size_t)most + 1, sizeof( uint64_t ) );
	size_t count = 0;
	for ( int32_t i = 0; i < d->vertexCount && edges != NULL; ++i )
	{
		for ( int32_t k = d->neighborStarts[i]; k < d->neighborStarts[i + 1]; ++k )
		{
			// each edge stands in both directions
			uint64_t a = (uint64_t)clusters->of[i], b = (uint64_t)clusters->of[d->neighbors[k]];
			if ( a != b )
			{
				edges[count++] = a << 32 | b;
			}
		}
	}
	bool ok = edges != NULL && supDecomposer_SetNeighbors( coarse, edges, count );
	supFree( edges );
	return ok;
}

bool supDecomposer_Coarsen( const supDecomposer* d, supDecomposer* coarse, int32_t** clusterOf )
{
	*coarse = ( supDecomposer ){ .def = d->def,
								 .tasks = d->tasks,
								 .startInfluences = d->startInfluences,
								 .size = d->size,
								 .frameCount = d->frameCount,
								 .frameStride = d->frameStride,
								 .centroids = d->centroids,
								 .sampleCount = d->sampleCount,
								 .sampleStride = d->sampleStride,
								 .sampleStep = d->sampleStep,
								 .fixedCount = d->fixedCount,
								 .boneCapacity = d->boneCapacity,
								 .influences = d->influences };
	*clusterOf = NULL;
	int32_t wanted = VERTICES_PER_HELPER * d->def->helperCount;
	wanted = wanted > LEAST_COARSE_VERTICES ? wanted : LEAST_COARSE_VERTICES;
	if ( (float)d->vertexCount * MOST_COARSE_SHARE < (float)wanted )
	{
		return true;
	}
	supArena* arena = &coarse->arena;
	Clusters clusters = { 0 };
	if ( FindClusters( d, wanted, arena, &clusters ) == false )
	{
		return false;
	}
	if ( (float)clusters.count > MOST_COARSE_SHARE * (float)d->vertexCount )
	{
		return true;
	}
	size_t count = (size_t)clusters.count;
	size_t starts = count * (size_t)d->startInfluences + 1;
	coarse->vertexCount = clusters.count;
	coarse->rest = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	coarse->masses = supArena_AllocZeroed( arena, count * sizeof( float ) );
	coarse->tracks = supArena_AllocArray( arena, count * 3 * (size_t)d->frameStride, sizeof( float ) );
	coarse->startJoints = supArena_AllocArray( arena, starts, sizeof( uint16_t ) );
	coarse->startWeights = supArena_AllocArray( arena, starts, sizeof( float ) );
	if ( arena->failed )
	{
		return false;
	}
	CopyVertices( d, &clusters, coarse );
	// neighbours are farther apart, and their weights differ more: second differences go with the square of the
	// distance, and the penalty with the square of those
	float ratio = (float)clusters.count / (float)d->vertexCount;
	coarse->lambda = d->lambda * ratio * ratio;
	*clusterOf = clusters.of;
	return JoinClusters( d, &clusters, coarse ) && supDecomposer_Start( coarse );
}

void supDecomposer_Refine( const supDecomposer* coarse, const int32_t* clusterOf, supDecomposer* d )
{
	size_t n = (size_t)d->influences;
	size_t helpers = (size_t)coarse->helperCount;
	d->helperCount = coarse->helperCount;
	memcpy( supBoneRows( d, d->fixedCount ), supBoneRows( coarse, d->fixedCount ),
			helpers * 12 * (size_t)d->frameStride * sizeof( float ) );
	memcpy( d->owners, coarse->owners, helpers * sizeof( int32_t ) );
	memcpy( d->centers, coarse->centers, helpers * sizeof( supVec3 ) );
	memcpy( d->radii, coarse->radii, helpers * sizeof( float ) );
	for ( int32_t i = 0; i < d->vertexCount; ++i )
	{
		size_t from = (size_t)clusterOf[i] * n;
		memcpy( d->joints + (size_t)i * n, coarse->joints + from, n * sizeof( uint16_t ) );
		memcpy( d->weights + (size_t)i * n, coarse->weights + from, n * sizeof( float ) );
	}
}
