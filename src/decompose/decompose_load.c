// SPDX-License-Identifier: MIT
// What is decomposed, in the shape that the solver wants: welded vertices, tracks per vertex, neighbours.
#include "core/sort.h"
#include "decompose/decompose.h"
#include "geometry/weld.h"

#include <math.h>

// Frames that weights look at; transforms look at all. Weights do not depend on single frames.
#define MOST_SAMPLES 96

// Vertices at one place at rest are one where they belong to one part and start with the same bones: then they move
// alike. What differs (a seam between two skins) stays apart.
static bool SameStart( const supBonesDef* def, int32_t a, int32_t b )
{
	if ( def->parts != NULL && def->parts[a] != def->parts[b] )
	{
		return false;
	}
	size_t n = def->fixedCount > 0 ? (size_t)def->startInfluences : 0;
	return n == 0 ||
		   ( memcmp( def->startJoints + (size_t)a * n, def->startJoints + (size_t)b * n, n * sizeof( uint16_t ) ) ==
				 0 &&
			 memcmp( def->startWeights + (size_t)a * n, def->startWeights + (size_t)b * n, n * sizeof( float ) ) == 0 );
}

// Positions in frames decide too: a seam that opens is no seam.
static bool MovesAlike( const supDecomposer* d, const float* tracks, int32_t a, int32_t b )
{
	size_t size = 3 * (size_t)d->frameStride;
	const float* p = tracks + (size_t)a * size;
	const float* q = tracks + (size_t)b * size;
	float most = 0.0f;
	for ( size_t i = 0; i < size; ++i )
	{
		most = supMaxFloat( most, fabsf( p[i] - q[i] ) );
	}
	return most <= 1e-5f * d->size;
}

static bool CheckPositions( const supDecomposer* d, const supVec3* positions, int32_t frame, supError* error )
{
	for ( int32_t i = 0; i < d->def->vertexCount; ++i )
	{
		if ( supIsFiniteVec3( positions[i] ) == false )
		{
			return frame < 0
					   ? supSetError( error, sup_errorArgument, "positions",
									  "vertex %d is not finite at rest; bones cannot reproduce it", i )
					   : supSetError( error, sup_errorArgument, "frames",
									  "vertex %d is not finite in frame %d; bones cannot reproduce it", i, frame );
		}
	}
	return true;
}

static bool ReadFrames( supDecomposer* d, float* tracks, supError* error )
{
	const supBonesDef* def = d->def;
	supVec3* positions = supAllocArray( (size_t)def->vertexCount, sizeof( supVec3 ) );
	if ( positions == NULL )
	{
		return supSetMemoryError( error );
	}
	bool ok = true;
	for ( int32_t f = 0; f < d->frameCount && ok; ++f )
	{
		ok = def->read( f, positions, def->readContext, error ) && CheckPositions( d, positions, f, error );
		double sum[3] = { 0 };
		for ( int32_t i = 0; i < def->vertexCount && ok; ++i )
		{
			sum[0] += (double)positions[i].x;
			sum[1] += (double)positions[i].y;
			sum[2] += (double)positions[i].z;
		}
		double n = (double)def->vertexCount;
		supVec3 c = { (float)( sum[0] / n ), (float)( sum[1] / n ), (float)( sum[2] / n ) };
		d->centroids[f] = c;
		for ( int32_t i = 0; i < def->vertexCount && ok; ++i )
		{
			float* track = tracks + (size_t)i * 3 * (size_t)d->frameStride + f;
			track[0] = positions[i].x - c.x;
			track[d->frameStride] = positions[i].y - c.y;
			track[2 * d->frameStride] = positions[i].z - c.z;
		}
	}
	supFree( positions );
	return ok;
}

// Fills places and counts welded vertices, in the order of their first vertex. `tracks` are moved together.
static bool Weld( supDecomposer* d, float* tracks )
{
	const supBonesDef* def = d->def;
	int32_t count = def->vertexCount;
	int32_t* roots = supArena_AllocArray( &d->arena, (size_t)count, sizeof( int32_t ) );
	d->places = supArena_AllocArray( &d->arena, (size_t)count, sizeof( int32_t ) );
	int32_t* next = supArena_AllocArray( &d->arena, (size_t)count, sizeof( int32_t ) );
	if ( d->arena.failed || supWeld( def->positions, count, &d->arena, roots ) == false )
	{
		return false;
	}
	// vertices at one place form a chain from the root; each joins the first of its chain that moves like it
	size_t size = 3 * (size_t)d->frameStride;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t like = -1;
		next[i] = -1;
		for ( int32_t k = roots[i]; k != i && k >= 0 && like < 0; k = next[k] )
		{
			like = SameStart( def, k, i ) && MovesAlike( d, tracks, k, i ) ? k : -1;
		}
		if ( like < 0 && roots[i] != i )
		{
			next[i] = next[roots[i]];
			next[roots[i]] = i;
		}
		d->places[i] = like >= 0 ? ~like : 0;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		d->places[i] = d->places[i] < 0 ? d->places[~d->places[i]] : d->vertexCount++;
	}
	supArena* arena = &d->arena;
	d->rest = supArena_AllocArray( arena, (size_t)d->vertexCount, sizeof( supVec3 ) );
	d->masses = supArena_AllocZeroed( arena, (size_t)d->vertexCount * sizeof( float ) );
	d->tracks = supArena_AllocArray( arena, (size_t)d->vertexCount * size, sizeof( float ) );
	for ( int32_t i = 0; i < count && arena->failed == false; ++i )
	{
		int32_t p = d->places[i];
		if ( d->masses[p] == 0.0f )
		{
			d->rest[p] = def->positions[i];
			memcpy( supTrack( d, p ), tracks + (size_t)i * size, size * sizeof( float ) );
		}
		d->masses[p] += 1.0f;
	}
	return arena->failed == false;
}

static bool CopyStart( supDecomposer* d )
{
	const supBonesDef* def = d->def;
	size_t n = def->fixedCount > 0 ? (size_t)def->startInfluences : 0;
	d->startInfluences = (int32_t)n;
	d->startJoints = supArena_AllocZeroed( &d->arena, ( (size_t)d->vertexCount * n + 1 ) * sizeof( uint16_t ) );
	d->startWeights = supArena_AllocZeroed( &d->arena, ( (size_t)d->vertexCount * n + 1 ) * sizeof( float ) );
	for ( int32_t i = 0; i < def->vertexCount && d->arena.failed == false; ++i )
	{
		for ( size_t k = 0; k < n; ++k )
		{
			d->startJoints[(size_t)d->places[i] * n + k] = def->startJoints[(size_t)i * n + k];
			d->startWeights[(size_t)d->places[i] * n + k] = def->startWeights[(size_t)i * n + k];
		}
	}
	return d->arena.failed == false;
}

static int32_t PartOf( const supBonesDef* def, uint32_t vertex )
{
	return def->parts != NULL ? def->parts[vertex] : 0;
}

bool supDecomposer_SetNeighbors( supDecomposer* d, uint64_t* edges, size_t count )
{
	uint64_t* scratch = supAllocArray( count + 1, sizeof( uint64_t ) );
	d->neighborStarts = supArena_AllocZeroed( &d->arena, ( (size_t)d->vertexCount + 1 ) * sizeof( int32_t ) );
	d->neighbors = supArena_AllocArray( &d->arena, count + 1, sizeof( int32_t ) );
	bool ok = scratch != NULL && d->arena.failed == false;
	if ( ok )
	{
		supSortKeys( edges, scratch, count, 63 );
	}
	int32_t kept = 0;
	for ( size_t i = 0; i < count && ok; ++i )
	{
		if ( i == 0 || edges[i] != edges[i - 1] )
		{
			d->neighbors[kept++] = (int32_t)( edges[i] & UINT32_MAX );
			d->neighborStarts[( edges[i] >> 32 ) + 1] = kept;
		}
	}
	for ( int32_t i = 0; i < d->vertexCount && ok; ++i )
	{
		d->neighborStarts[i + 1] = d->neighborStarts[i + 1] > 0 ? d->neighborStarts[i + 1] : d->neighborStarts[i];
	}
	supFree( scratch );
	return ok;
}

static bool FindNeighbors( supDecomposer* d )
{
	const supBonesDef* def = d->def;
	uint64_t* edges = supAllocArray( 2 * (size_t)def->indexCount + 1, sizeof( uint64_t ) );
	size_t count = 0;
	for ( int32_t i = 0; i < def->indexCount && edges != NULL; ++i )
	{
		uint32_t from = def->indices[i];
		uint32_t to = def->indices[i % 3 == 2 ? i - 2 : i + 1];
		uint64_t a = (uint64_t)d->places[from], b = (uint64_t)d->places[to];
		if ( a != b && PartOf( def, from ) == PartOf( def, to ) )
		{
			edges[count++] = a << 32 | b;
			edges[count++] = b << 32 | a;
		}
	}
	bool ok = edges != NULL && supDecomposer_SetNeighbors( d, edges, count );
	supFree( edges );
	return ok;
}

static void LoadFixedBones( supDecomposer* d )
{
	for ( int32_t b = 0; b < d->fixedCount; ++b )
	{
		float* rows = supBoneRows( d, b );
		for ( int32_t f = 0; f < d->frameCount; ++f )
		{
			supMat34 m = d->def->fixedMatrices[(size_t)f * (size_t)d->fixedCount + (size_t)b];
			m.t = supSub( m.t, d->centroids[f] );
			const supVec3* columns = &m.cx;
			for ( int32_t k = 0; k < 4; ++k )
			{
				rows[( 3 * k + 0 ) * d->frameStride + f] = columns[k].x;
				rows[( 3 * k + 1 ) * d->frameStride + f] = columns[k].y;
				rows[( 3 * k + 2 ) * d->frameStride + f] = columns[k].z;
			}
		}
	}
}

static bool CopySamples( supDecomposer* d )
{
	if ( d->sampleStep == 1 )
	{
		d->sampleTracks = d->tracks;
		d->sampleBones = d->bones;
		return true;
	}
	size_t rows = 3 * (size_t)d->vertexCount;
	d->sampleTracks = supArena_AllocZeroed( &d->arena, rows * (size_t)d->sampleStride * sizeof( float ) );
	d->sampleBones =
		supArena_AllocZeroed( &d->arena, (size_t)d->boneCapacity * 12 * (size_t)d->sampleStride * sizeof( float ) );
	for ( size_t r = 0; r < rows && d->arena.failed == false; ++r )
	{
		for ( int32_t s = 0; s < d->sampleCount; ++s )
		{
			d->sampleTracks[r * (size_t)d->sampleStride + (size_t)s] =
				d->tracks[r * (size_t)d->frameStride + (size_t)( s * d->sampleStep )];
		}
	}
	return d->arena.failed == false;
}

static bool AllocateState( supDecomposer* d )
{
	const supBonesDef* def = d->def;
	supArena* arena = &d->arena;
	size_t vertices = (size_t)d->vertexCount;
	size_t slots = vertices * (size_t)d->influences;
	size_t track = 3 * (size_t)d->frameStride;
	size_t helpers = (size_t)supCountSeeds( def ) + 1;
	d->bones = supArena_AllocZeroed( arena, (size_t)d->boneCapacity * 4 * track * sizeof( float ) );
	d->residuals = supArena_AllocZeroed( arena, vertices * track * sizeof( float ) );
	d->joints = supArena_AllocZeroed( arena, slots * sizeof( uint16_t ) );
	d->lastJoints = supArena_AllocZeroed( arena, slots * sizeof( uint16_t ) );
	d->weights = supArena_AllocZeroed( arena, slots * sizeof( float ) );
	d->lastWeights = supArena_AllocZeroed( arena, slots * sizeof( float ) );
	d->losses = supArena_AllocZeroed( arena, slots * sizeof( float ) );
	d->memberWeights = supArena_AllocZeroed( arena, slots * sizeof( float ) );
	d->members = supArena_AllocZeroed( arena, slots * sizeof( int32_t ) );
	d->memberStarts = supArena_AllocZeroed( arena, ( helpers + 2 ) * sizeof( int32_t ) );
	d->shares = supArena_AllocZeroed( arena, ( (size_t)d->fixedCount + 1 ) * sizeof( float ) );
	d->errors = supArena_AllocZeroed( arena, vertices * sizeof( float ) );
	d->peaks = supArena_AllocZeroed( arena, vertices * sizeof( float ) );
	d->owners = supArena_AllocZeroed( arena, helpers * sizeof( int32_t ) );
	d->centers = supArena_AllocZeroed( arena, helpers * sizeof( supVec3 ) );
	d->radii = supArena_AllocZeroed( arena, helpers * sizeof( float ) );
	return arena->failed == false;
}

// The heaviest starting bones, as many as a vertex may have.
static void SetStartWeights( supDecomposer* d )
{
	int32_t n = d->startInfluences;
	for ( int32_t i = 0; i < d->vertexCount && n > 0; ++i )
	{
		bool used[SUP_MOST_BONE_INFLUENCES] = { 0 };
		float sum = 0.0f;
		size_t first = (size_t)i * (size_t)d->influences;
		for ( int32_t k = 0; k < d->influences && k < n; ++k )
		{
			int32_t best = -1;
			for ( int32_t s = 0; s < n; ++s )
			{
				bool better =
					used[s] == false && ( best < 0 || d->startWeights[i * n + s] > d->startWeights[i * n + best] );
				best = better ? s : best;
			}
			used[best] = true;
			d->joints[first + (size_t)k] = d->startJoints[i * n + best];
			d->weights[first + (size_t)k] = d->startWeights[i * n + best];
			sum += d->startWeights[i * n + best];
		}
		for ( int32_t k = 0; k < d->influences; ++k )
		{
			d->weights[first + (size_t)k] = sum > 0.0f ? d->weights[first + (size_t)k] / sum : k == 0 ? 1.0f : 0.0f;
		}
	}
}

bool supDecomposer_Start( supDecomposer* d )
{
	if ( AllocateState( d ) == false )
	{
		return false;
	}
	LoadFixedBones( d );
	SetStartWeights( d );
	return CopySamples( d );
}

bool supDecomposer_Load( supDecomposer* d, supError* error )
{
	const supBonesDef* def = d->def;
	d->tasks = def->tasks;
	d->influences = def->influences;
	d->fixedCount = def->fixedCount;
	d->boneCapacity = def->fixedCount + supCountSeeds( def );
	d->frameCount = def->frameCount;
	d->frameStride = ( def->frameCount + 7 ) / 8 * 8;
	d->sampleStep = ( def->frameCount + MOST_SAMPLES - 1 ) / MOST_SAMPLES;
	d->sampleCount = ( def->frameCount + d->sampleStep - 1 ) / d->sampleStep;
	d->sampleStride = ( d->sampleCount + 7 ) / 8 * 8;
	supBox box = supBox_empty;
	if ( CheckPositions( d, def->positions, -1, error ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < def->vertexCount; ++i )
	{
		box = supBox_Include( box, def->positions[i] );
	}
	d->size = supLength( supBox_Size( box ) );
	d->centroids = supArena_AllocArray( &d->arena, (size_t)d->frameCount, sizeof( supVec3 ) );
	size_t size = (size_t)def->vertexCount * 3 * (size_t)d->frameStride;
	float* tracks = supAllocZeroed( size * sizeof( float ) );
	if ( tracks == NULL || d->arena.failed )
	{
		supFree( tracks );
		return supSetMemoryError( error );
	}
	bool ok = ReadFrames( d, tracks, error );
	bool fits = ok && Weld( d, tracks );
	supFree( tracks );
	// bones that agree within this share of the size leave weights to their neighbours
	float scale = 4e-4f * def->smoothness * d->size;
	d->lambda = scale * scale * (float)d->sampleCount;
	fits = fits && CopyStart( d ) && FindNeighbors( d ) && supDecomposer_Start( d );
	return fits || ( ok ? supSetMemoryError( error ) : false );
}
