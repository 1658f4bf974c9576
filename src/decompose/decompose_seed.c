// SPDX-License-Identifier: MIT
// Where to put a helper. Regions of several sizes are grown over the surface around places spread evenly on it. For
// each a rigid motion is fitted to the vertices of the region, and its gain is how much the error would fall if every
// vertex of the region blended what it has now with that motion:
//     min over a in [0, 1] of | (1 - a) r + a d |^2 , r the residual, d what the motion alone would leave.
// The best regions that do not overlap become helpers.
#include "core/tasks.h"
#include "decompose/decompose.h"
#include "decompose/decompose_kernel.h"

#include <math.h>

#define MOST_PLACES 256
#define REGION_SIZES 3
// Vertices that are looked at to judge a region; they are spread over it.
#define MOST_JUDGES 160
// Frames that are looked at for that, spread over all; the helper's motion is found in all of them.
#define MOST_SEED_FRAMES 48

typedef struct Region
{
	int32_t place; // vertex in the middle
	int32_t size;  // vertices wanted
	double gain;
} Region;

// Every n-th frame: tracks as in the decomposer.
typedef struct FrameSet
{
	int32_t count, stride, step;
	const float* tracks;
} FrameSet;

typedef struct SeedJob
{
	supDecomposer* d;
	FrameSet judged;
	float* tracks;
	float* residuals; // like the tracks that are judged
	Region* regions;
	int32_t regionCount;
	// per worker
	int32_t* lists; // vertices of a region
	int32_t* marks; // per vertex: region that it was last seen in, counted from 1
	float* bones;   // twelve rows
	float* moments; // likewise
} SeedJob;

// ---------------------------------------------------------------------------------------------------------------------
// Places and regions

// Vertices around a place, ring by ring. Where the surface ends, or there are no triangles, all that is there.
static int32_t GrowRegion( const supDecomposer* d, const Region* region, int32_t mark, int32_t* list, int32_t* marks )
{
	int32_t count = 0;
	list[count++] = region->place;
	marks[region->place] = mark;
	for ( int32_t at = 0; at < count && count < region->size; ++at )
	{
		int32_t i = list[at];
		for ( int32_t k = d->neighborStarts[i]; k < d->neighborStarts[i + 1] && count < region->size; ++k )
		{
			int32_t other = d->neighbors[k];
			if ( marks[other] != mark )
			{
				marks[other] = mark;
				list[count++] = other;
			}
		}
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Motions

// The fixed bone that a vertex starts with most; -1 without.
static int32_t FindOwner( const supDecomposer* d, int32_t vertex )
{
	int32_t n = d->startInfluences;
	int32_t best = 0;
	for ( int32_t k = 1; k < n; ++k )
	{
		best = d->startWeights[vertex * n + k] > d->startWeights[vertex * n + best] ? k : best;
	}
	return n > 0 ? d->startJoints[vertex * n + best] : -1;
}

// Rigid motion of a region, by Procrustes, with the scale of its owner: twelve rows.
static void FitRegion( const supDecomposer* d, const FrameSet* frames, int32_t owner, const int32_t* list,
					   int32_t count, float* moments, float* bone )
{
	int32_t stride = frames->stride;
	supVec3 center = { 0 };
	float mass = 0.0f;
	for ( int32_t k = 0; k < count; ++k )
	{
		center = supMulAdd( center, d->masses[list[k]], d->rest[list[k]] );
		mass += d->masses[list[k]];
	}
	center = supScale( 1.0f / mass, center );
	memset( moments, 0, 12 * (size_t)stride * sizeof( float ) );
	float spread = 0.0f;
	for ( int32_t k = 0; k < count; ++k )
	{
		supVec3 x = supSub( d->rest[list[k]], center );
		spread += d->masses[list[k]] * supLengthSquared( x );
		SUP_CALL_KERNEL( supAddMoments )
		( moments, stride, x, d->masses[list[k]], frames->tracks + (size_t)list[k] * 3 * (size_t)stride );
	}
	float scale = spread > 0.0f ? 1.0f / spread : 0.0f;
	for ( int32_t f = 0; f < frames->count; ++f )
	{
		const float* m = moments + f;
		supMat3 moment = { supScale( scale, supMakeVec3( m[0], m[stride], m[2 * stride] ) ),
						   supScale( scale, supMakeVec3( m[3 * stride], m[4 * stride], m[5 * stride] ) ),
						   supScale( scale, supMakeVec3( m[6 * stride], m[7 * stride], m[8 * stride] ) ) };
		supMat3 turn = supMakeMat3Quat( supPolarRotation( moment ) );
		float size = owner >= 0 ? supGetBoneScale( d, owner, f * frames->step ) : 1.0f;
		turn = ( supMat3 ){ supScale( size, turn.cx ), supScale( size, turn.cy ), supScale( size, turn.cz ) };
		supVec3 mean = supScale( 1.0f / mass, supMakeVec3( m[9 * stride], m[10 * stride], m[11 * stride] ) );
		const supVec3 columns[4] = { turn.cx, turn.cy, turn.cz, supSub( mean, supMulMV( turn, center ) ) };
		for ( int32_t k = 0; k < 4; ++k )
		{
			bone[( 3 * k + 0 ) * stride + f] = columns[k].x;
			bone[( 3 * k + 1 ) * stride + f] = columns[k].y;
			bone[( 3 * k + 2 ) * stride + f] = columns[k].z;
		}
	}
}

static double MeasureGain( const SeedJob* job, const int32_t* list, int32_t count, const float* bone )
{
	const supDecomposer* d = job->d;
	int32_t stride = job->judged.stride;
	double gain = 0.0;
	for ( int32_t k = 0; k < count; ++k )
	{
		int32_t i = list[k];
		size_t first = (size_t)i * 3 * (size_t)stride;
		float p[3];
		SUP_CALL_KERNEL( supCompareResidual )
		( bone, stride, d->rest[i], job->judged.tracks + first, job->residuals + first, p );
		// along a, the error is rr - 2 a (rr - dr) + a^2 (rr - 2 dr + dd)
		float slope = p[2] - p[1];
		float bend = p[2] - 2.0f * p[1] + p[0];
		float a = bend > 0.0f ? supClampFloat( slope / bend, 0.0f, 1.0f ) : 0.0f;
		gain += (double)d->masses[i] * (double)( 2.0f * a * slope - a * a * bend );
	}
	return gain;
}

static void MeasureRegions( int32_t begin, int32_t end, int32_t worker, void* context )
{
	SeedJob* job = context;
	supDecomposer* d = job->d;
	size_t rows = 12 * (size_t)d->frameStride;
	int32_t* list = job->lists + (size_t)worker * (size_t)d->vertexCount;
	int32_t* marks = job->marks + (size_t)worker * (size_t)d->vertexCount;
	float* bone = job->bones + (size_t)worker * rows;
	for ( int32_t k = begin; k < end; ++k )
	{
		Region* region = job->regions + k;
		int32_t whole = GrowRegion( d, region, k + 1, list, marks );
		int32_t step = ( whole + MOST_JUDGES - 1 ) / MOST_JUDGES;
		int32_t count = ( whole + step - 1 ) / step;
		for ( int32_t m = 0; m < count; ++m )
		{
			list[m] = list[m * step];
		}
		FitRegion( d, &job->judged, FindOwner( d, region->place ), list, count, job->moments + (size_t)worker * rows,
				   bone );
		region->gain = (double)step * MeasureGain( job, list, count, bone );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// Tracks and residuals of some frames.
static void CopyFrames( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SeedJob* job = context;
	const supDecomposer* d = job->d;
	const FrameSet* judged = &job->judged;
	for ( int32_t row = 3 * begin; row < 3 * end; ++row )
	{
		size_t from = (size_t)row * (size_t)d->frameStride, to = (size_t)row * (size_t)judged->stride;
		for ( int32_t f = 0; f < judged->count; ++f )
		{
			job->tracks[to + (size_t)f] = d->tracks[from + (size_t)( f * judged->step )];
			job->residuals[to + (size_t)f] = d->residuals[from + (size_t)( f * judged->step )];
		}
	}
}

static bool StartSeedJob( SeedJob* job, int32_t expected )
{
	supDecomposer* d = job->d;
	size_t workers = (size_t)supGetWorkerCount( d->tasks );
	size_t vertices = (size_t)d->vertexCount;
	size_t rows = 12 * (size_t)d->frameStride;
	job->regions = supAllocArray( (size_t)MOST_PLACES * REGION_SIZES, sizeof( Region ) );
	job->lists = supAllocArray( workers * vertices, sizeof( int32_t ) );
	job->marks = supAllocZeroed( workers * vertices * sizeof( int32_t ) );
	job->bones = supAllocZeroed( workers * rows * sizeof( float ) );
	job->moments = supAllocArray( workers * rows, sizeof( float ) );
	int32_t step = ( d->frameCount + MOST_SEED_FRAMES - 1 ) / MOST_SEED_FRAMES;
	int32_t frames = ( d->frameCount + step - 1 ) / step;
	job->judged = ( FrameSet ){ .count = frames, .stride = ( frames + 7 ) / 8 * 8, .step = step };
	size_t track = 3 * (size_t)job->judged.stride;
	job->tracks = supAllocZeroed( vertices * track * sizeof( float ) );
	job->residuals = supAllocZeroed( vertices * track * sizeof( float ) );
	job->judged.tracks = job->tracks;
	float* distances = supAllocArray( vertices, sizeof( float ) );
	int32_t places[MOST_PLACES];
	bool ok = job->regions != NULL && job->lists != NULL && job->marks != NULL && job->bones != NULL &&
			  job->moments != NULL && job->tracks != NULL && job->residuals != NULL && distances != NULL;
	int32_t count = ok ? supSpreadVertices( d, MOST_PLACES, distances, places ) : 0;
	// helpers overlap: each reaches over some times its share of the surface, and details over less
	static const float shares[REGION_SIZES] = { 4.0f, 1.5f, 0.5f };
	// fewer than four vertices hardly know how they turn, but a mesh of a handful has no more
	float least = supClampFloat( (float)d->vertexCount / 8.0f, 1.0f, 4.0f );
	for ( int32_t k = 0; k < count; ++k )
	{
		for ( int32_t s = 0; s < REGION_SIZES; ++s )
		{
			float size = shares[s] * (float)d->vertexCount / (float)expected;
			size = supClampFloat( size, least, (float)d->vertexCount );
			job->regions[job->regionCount++] = ( Region ){ .place = places[k], .size = (int32_t)size };
		}
	}
	supFree( distances );
	if ( ok )
	{
		supParallelFor( d->tasks, d->vertexCount, 64, CopyFrames, job );
	}
	return ok;
}

static void EndSeedJob( SeedJob* job )
{
	supFree( job->regions );
	supFree( job->lists );
	supFree( job->marks );
	supFree( job->bones );
	supFree( job->moments );
	supFree( job->tracks );
	supFree( job->residuals );
}

// Whether most of the region is free; then it is taken. Marks of taken vertices are -1.
static bool TakeRegion( SeedJob* job, const Region* region, int32_t mark, int32_t* taken )
{
	int32_t* list = job->lists;
	int32_t count = GrowRegion( job->d, region, mark, list, job->marks );
	int32_t free = 0;
	for ( int32_t k = 0; k < count; ++k )
	{
		free += taken[list[k]] == 0;
	}
	if ( 4 * free < 3 * count )
	{
		return false;
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		taken[list[k]] = 1;
	}
	return true;
}

// The helper starts with the region's motion and nothing that follows it: weights find what does.
static void PutHelper( SeedJob* job, const Region* region, int32_t mark, int32_t helper )
{
	supDecomposer* d = job->d;
	int32_t count = GrowRegion( d, region, mark, job->lists, job->marks );
	FrameSet all = { d->frameCount, d->frameStride, 1, d->tracks };
	FitRegion( d, &all, FindOwner( d, region->place ), job->lists, count, job->moments,
			   supBoneRows( d, d->fixedCount + helper ) );
	supVec3 center = { 0 };
	for ( int32_t k = 0; k < count; ++k )
	{
		center = supMulAdd( center, 1.0f / (float)count, d->rest[job->lists[k]] );
	}
	d->centers[helper] = center;
	d->radii[helper] = 0.0f;
	for ( int32_t k = 0; k < count; ++k )
	{
		d->radii[helper] = supMaxFloat( d->radii[helper], supDistance( center, d->rest[job->lists[k]] ) );
	}
	d->owners[helper] = FindOwner( d, region->place );
}

int32_t supDecomposer_Seed( supDecomposer* d, int32_t count )
{
	SeedJob job = { .d = d };
	int32_t* taken = supAllocZeroed( (size_t)d->vertexCount * sizeof( int32_t ) );
	// without fixed bones the first helper has all there is to move
	bool isFirst = d->fixedCount + d->helperCount == 0;
	int32_t expected = isFirst ? 1 : d->helperCount + count;
	bool ok = StartSeedJob( &job, expected ) && taken != NULL;
	int32_t added = 0;
	if ( ok )
	{
		supParallelFor( d->tasks, job.regionCount, 1, MeasureRegions, &job );
	}
	while ( ok && added < count )
	{
		int32_t best = -1;
		for ( int32_t k = 0; k < job.regionCount; ++k )
		{
			best = job.regions[k].gain > 0.0 && ( best < 0 || job.regions[k].gain > job.regions[best].gain ) ? k : best;
		}
		if ( best < 0 )
		{
			break;
		}
		int32_t mark = job.regionCount + 2 * ( best + 1 );
		if ( TakeRegion( &job, job.regions + best, mark, taken ) )
		{
			PutHelper( &job, job.regions + best, mark + 1, d->helperCount );
			d->helperCount += 1;
			added += 1;
		}
		job.regions[best].gain = -1.0;
	}
	EndSeedJob( &job );
	supFree( taken );
	return ok ? added : -1;
}
