// SPDX-License-Identifier: MIT
// Which voxels a soft region selects.
#include "volume/softness/softness_build.h"
#include "volume/voxels/voxel_graph.h"

#include <float.h>

// Samples of a triangle are half a voxel apart, at most so many along an edge.
#define MOST_SAMPLES 1024

// Of the character's largest extent, where a region does not say.
#define STANDARD_BORDER 0.05f

static float BorderOf( const supSoftBuilder* builder, const supSoftRegion* region )
{
	const supVoxels* v = builder->voxels;
	int32_t longest = v->nx > v->ny ? ( v->nx > v->nz ? v->nx : v->nz ) : ( v->ny > v->nz ? v->ny : v->nz );
	return region->border > 0.0f ? region->border : STANDARD_BORDER * (float)longest * (float)v->size;
}

bool supIsPainted( const supCharacter* character )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		for ( int32_t k = 0; k < mesh->vertexCount && mesh->softness != NULL; ++k )
		{
			if ( mesh->softness[k] > 0.0f )
			{
				return true;
			}
		}
	}
	return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts of the skin: samples of all triangles, half a voxel apart, and their mean in each voxel

// Selection of each vertex; of the vertices of a list, or as painted.
static void FillVertexValues( supSoftBuilder* builder, const supSoftRegion* region, float* values )
{
	const supSoftnessDef* def = builder->def;
	memset( values, 0, (size_t)def->surface->vertexCount * sizeof( float ) );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( def->character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( def->character, supCharacter_Instance( def->character, i )->mesh );
		float* own = values + def->surface->vertexStarts[i];
		if ( region->shape == sup_softPainted && mesh->softness != NULL )
		{
			memcpy( own, mesh->softness, (size_t)mesh->vertexCount * sizeof( float ) );
		}
		if ( region->shape == sup_softValues && i == region->instance )
		{
			memcpy( own, region->values, (size_t)mesh->vertexCount * sizeof( float ) );
		}
		for ( int32_t k = 0; k < region->vertexCount && region->shape == sup_softVertices && i == region->instance;
			  ++k )
		{
			own[region->vertices[k]] = 1.0f;
		}
	}
}

typedef struct Sampler
{
	supSoftBuilder* builder;
	const supSoftRegion* region;
	float border;
	const float* vertexValues; // NULL for a sphere or a capsule
	float* sums;
	int32_t* counts;
} Sampler;

static void AddSample( const uint32_t* corners, float u, float v, void* context )
{
	const Sampler* sampler = context;
	const supSoftnessDef* def = sampler->builder->def;
	const supVec3* positions = def->surface->positions;
	float w = 1.0f - u - v;
	supVec3 p = supAdd( supScale( w, positions[corners[0]] ),
						supAdd( supScale( u, positions[corners[1]] ), supScale( v, positions[corners[2]] ) ) );
	int32_t voxel = supVoxels_FindAt( sampler->builder->voxels, p );
	if ( voxel < 0 )
	{
		return;
	}
	float value;
	if ( sampler->vertexValues != NULL )
	{
		const float* values = sampler->vertexValues;
		value = w * values[corners[0]] + u * values[corners[1]] + v * values[corners[2]];
	}
	else
	{
		supSegment line = { sampler->region->center, sampler->region->center };
		line.b = sampler->region->shape == sup_softCapsule ? sampler->region->end : line.b;
		float beyond = supDistanceToSegment( &line, p ) - sampler->region->radius;
		value = 1.0f - supRamp( 0.0f, sampler->border, beyond );
	}
	sampler->sums[voxel] += value;
	sampler->counts[voxel] += 1;
}

void supSoftBuilder_SampleTriangle( const supSoftBuilder* builder, const uint32_t* corners,
									supTrianglePointFcn* function, void* context )
{
	const supVec3* positions = builder->def->surface->positions;
	supVec3 a = positions[corners[0]], b = positions[corners[1]], c = positions[corners[2]];
	float longest = supMaxFloat( supDistance( a, b ), supMaxFloat( supDistance( b, c ), supDistance( c, a ) ) );
	float wanted = 2.0f * longest / (float)builder->voxels->size;
	int32_t n = wanted < MOST_SAMPLES ? (int32_t)wanted + 1 : MOST_SAMPLES;
	for ( int32_t i = 0; i <= n; ++i )
	{
		for ( int32_t k = 0; k <= n - i; ++k )
		{
			function( corners, (float)i / (float)n, (float)k / (float)n, context );
		}
	}
}

// A corner of a triangle may reach into a voxel without a sample: that takes the mean of its neighbours' values.
static void FillGaps( supSoftBuilder* builder, const int32_t* counts )
{
	for ( int32_t i = 0; i < builder->voxels->count; ++i )
	{
		const int32_t* neighbours = builder->neighbours + 6 * (ptrdiff_t)i;
		float sum = 0.0f;
		int32_t found = 0;
		for ( int32_t axis = 0; axis < 3 && counts[i] == 0; ++axis )
		{
			// pairs, so that a mirrored body gives mirrored sums
			int32_t lower = neighbours[2 * axis], upper = neighbours[2 * axis + 1];
			bool hasLower = lower >= 0 && counts[lower] > 0, hasUpper = upper >= 0 && counts[upper] > 0;
			sum += ( hasLower ? builder->values[lower] : 0.0f ) + ( hasUpper ? builder->values[upper] : 0.0f );
			found += hasLower + hasUpper;
		}
		builder->values[i] = found > 0 ? sum / (float)found : builder->values[i];
	}
}

// The mean of the samples in each surface voxel, into builder->values.
static bool SampleSkin( supSoftBuilder* builder, const supSoftRegion* region )
{
	const supRestSurface* surface = builder->def->surface;
	size_t count = (size_t)builder->voxels->count;
	float* vertexValues = NULL;
	int32_t* counts = supAllocZeroed( count * sizeof( int32_t ) );
	if ( supIsSoftSolid( region ) == false )
	{
		vertexValues = supAllocArray( (size_t)surface->vertexCount, sizeof( float ) );
	}
	bool ok = counts != NULL && ( vertexValues != NULL || supIsSoftSolid( region ) );
	if ( ok )
	{
		if ( vertexValues != NULL )
		{
			FillVertexValues( builder, region, vertexValues );
		}
		memset( builder->values, 0, count * sizeof( float ) );
		Sampler sampler = { builder, region, BorderOf( builder, region ), vertexValues, builder->values, counts };
		for ( int32_t i = 0; i < surface->triangleCount; ++i )
		{
			supSoftBuilder_SampleTriangle( builder, surface->indices + 3 * (ptrdiff_t)i, AddSample, &sampler );
		}
		for ( size_t i = 0; i < count; ++i )
		{
			builder->values[i] /= counts[i] > 0 ? (float)counts[i] : 1.0f;
		}
		FillGaps( builder, counts );
	}
	supFree( vertexValues );
	supFree( counts );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Borders through the body

// Widens builder->values, of which `threshold` and more count as selected, so that they fade over the border.
static bool Widen( supSoftBuilder* builder, const supSoftRegion* region, float threshold )
{
	const supVoxels* v = builder->voxels;
	supVoxelSource* sources = supAllocArray( (size_t)v->count, sizeof( *sources ) );
	int32_t sourceCount = 0;
	for ( int32_t i = 0; i < v->count && sources != NULL; ++i )
	{
		if ( builder->values[i] >= threshold )
		{
			sources[sourceCount++] = ( supVoxelSource ){ .voxel = i, .owner = 0, .start = 0.0f };
		}
	}
	bool ok = sources != NULL &&
			  supComputeVoxelDistances( v, sup_voxelEuclidean, sources, sourceCount, builder->distances, NULL );
	float border = BorderOf( builder, region ) / (float)v->size;
	for ( int32_t i = 0; i < v->count && ok; ++i )
	{
		float faded = builder->distances[i] < FLT_MAX ? 1.0f - supRamp( 0.0f, border, builder->distances[i] ) : 0.0f;
		builder->values[i] = supMaxFloat( builder->values[i], faded );
	}
	supFree( sources );
	return ok;
}

// A vertex that is selected alone hardly shows in the mean of its triangles.
static void MarkVertices( supSoftBuilder* builder, const supSoftRegion* region )
{
	const supRestSurface* surface = builder->def->surface;
	const supVec3* positions = surface->positions + surface->vertexStarts[region->instance];
	for ( int32_t i = 0; i < region->vertexCount; ++i )
	{
		int32_t voxel = supVoxels_FindNearest( builder->voxels, positions[region->vertices[i]] );
		builder->values[voxel] = 1.0f;
	}
}

// Skin voxels hand their values to the flesh under them.
static void CarryInwards( supSoftBuilder* builder )
{
	for ( int32_t i = 0; i < builder->voxels->count; ++i )
	{
		builder->selection[i] = builder->values[builder->skins[i]];
	}
}

static bool SelectNode( supSoftBuilder* builder, const supSoftRegion* region )
{
	const supBones* bones = builder->def->bones;
	for ( int32_t i = 0; i < builder->voxels->count; ++i )
	{
		int32_t bone = builder->softness->bones[i];
		builder->values[i] = bone >= 0 && bones->nodes[bone] == region->node ? 1.0f : 0.0f;
	}
	bool ok = Widen( builder, region, 1.0f );
	memcpy( builder->selection, builder->values, (size_t)builder->voxels->count * sizeof( float ) );
	return ok;
}

bool supSoftBuilder_Select( supSoftBuilder* builder, const supSoftRegion* region )
{
	if ( region->shape == sup_softAll )
	{
		for ( int32_t i = 0; i < builder->voxels->count; ++i )
		{
			builder->selection[i] = 1.0f;
		}
		return true;
	}
	if ( region->shape == sup_softNode )
	{
		return SelectNode( builder, region );
	}
	bool ok = SampleSkin( builder, region );
	if ( ok && region->shape == sup_softVertices )
	{
		MarkVertices( builder, region );
		ok = Widen( builder, region, 0.5f );
	}
	if ( ok )
	{
		CarryInwards( builder );
	}
	return ok;
}
