// SPDX-License-Identifier: MIT
// The course of a decomposition: more helpers than wanted in batches, the least useful removed again, then rounds of
// weights and transforms.
#include "decompose/decompose.h"

#include <math.h>

#define BONES_COOKIE 0x426F6E65
#define MOST_HELPERS 1024
#define MOST_FIXED 65000
#define MOST_STEPS 64
#define ROUNDS_PER_BATCH 2
#define SWEEPS 2
// More helpers are seeded than are wanted, this share, and the least useful go again.
#define EXTRA_SHARE 0.5f
#define PRUNE_STEPS 3
// Of the squared error: a round that gains less counts as converged.
#define LEAST_GAIN 5e-4
// Extrapolation: the share of the last step that is added to it, how it grows while that helps, and its limit.
#define FIRST_SHARE 0.5f
#define SHARE_GROWTH 1.1f
#define MOST_SHARE_GROWTH 1.05f
#define MOST_SHARE 4.0f
// Rounds over all vertices after those over some of them.
#define FINE_ROUNDS 4
// An RMS of this share of the size is rounding, and no more helpers are added.
#define ROUNDING_SHARE 1e-5f

supBonesDef supDefaultBonesDef( void )
{
	return (
		supBonesDef ){ .helperCount = 32, .influences = 4, .smoothness = 0.5f, .rounds = 32, .cookie = BONES_COOKIE };
}

// What is handed out; everything in one piece.
typedef struct Result
{
	supBakedBones bones;
	supArena arena;
} Result;

typedef struct Snapshot
{
	uint16_t* joints;
	float* weights;
	float* bones;
	int32_t* owners;
	supVec3* centers;
	float* radii;
} Snapshot;

typedef struct Course
{
	supDecomposer d;
	Snapshot best;
	double bestError;
	// helpers after this round and the one before, for extrapolation
	float* latest;
	float* before;
	int32_t roundsDone, roundsExpected;
	int32_t stepHelpers[MOST_STEPS];
	float stepErrors[MOST_STEPS];
	int32_t stepCount;
	bool stopped;
} Course;

// ---------------------------------------------------------------------------------------------------------------------
// Keeping the best

int32_t supCountSeeds( const supBonesDef* def )
{
	return def->helperCount < 4 ? def->helperCount
								: def->helperCount + (int32_t)( EXTRA_SHARE * (float)def->helperCount );
}

static bool StartSnapshot( Course* course )
{
	supDecomposer* d = &course->d;
	Snapshot* s = &course->best;
	supArena* arena = &d->arena;
	size_t slots = (size_t)d->vertexCount * (size_t)d->influences;
	size_t helpers = (size_t)supCountSeeds( d->def ) + 1;
	s->joints = supArena_AllocArray( arena, slots, sizeof( uint16_t ) );
	s->weights = supArena_AllocArray( arena, slots, sizeof( float ) );
	s->bones = supArena_AllocArray( arena, helpers * 12 * (size_t)d->frameStride, sizeof( float ) );
	course->latest = supArena_AllocArray( arena, helpers * 12 * (size_t)d->frameStride, sizeof( float ) );
	course->before = supArena_AllocArray( arena, helpers * 12 * (size_t)d->frameStride, sizeof( float ) );
	s->owners = supArena_AllocArray( arena, helpers, sizeof( int32_t ) );
	s->centers = supArena_AllocArray( arena, helpers, sizeof( supVec3 ) );
	s->radii = supArena_AllocArray( arena, helpers, sizeof( float ) );
	return arena->failed == false;
}

// One of the two directions.
static void Move( void* a, void* b, size_t size, bool store )
{
	memcpy( store ? b : a, store ? a : b, size );
}

static void MoveState( Course* course, bool store )
{
	supDecomposer* d = &course->d;
	Snapshot* s = &course->best;
	size_t slots = (size_t)d->vertexCount * (size_t)d->influences;
	size_t helpers = (size_t)d->helperCount;
	Move( d->joints, s->joints, slots * sizeof( uint16_t ), store );
	Move( d->weights, s->weights, slots * sizeof( float ), store );
	Move( supBoneRows( d, d->fixedCount ), s->bones, helpers * 12 * (size_t)d->frameStride * sizeof( float ), store );
	Move( d->owners, s->owners, helpers * sizeof( int32_t ), store );
	Move( d->centers, s->centers, helpers * sizeof( supVec3 ), store );
	Move( d->radii, s->radii, helpers * sizeof( float ), store );
}

static void KeepIfBetter( Course* course, double error )
{
	if ( error < course->bestError )
	{
		course->bestError = error;
		MoveState( course, true );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Rounds

static float RmsOf( const supDecomposer* d, double error )
{
	return (float)sqrt( error / ( (double)d->def->vertexCount * (double)d->frameCount ) );
}

static bool RunRound( Course* course, double* error )
{
	supDecomposer* d = &course->d;
	// those that are to go are chosen by them
	d->withLosses = d->helperCount > d->def->helperCount;
	if ( supDecomposer_SolveWeights( d ) == false || supDecomposer_SolveTransforms( d, SWEEPS ) == false )
	{
		return false;
	}
	*error = supDecomposer_Evaluate( d );
	course->roundsDone += 1;
	float share = (float)course->roundsDone / (float)course->roundsExpected;
	const supBonesDef* def = d->def;
	if ( course->stopped == false && def->progress != NULL &&
		 def->progress( supMinFloat( share, 1.0f ), def->progressContext ) == false )
	{
		course->stopped = true;
	}
	return true;
}

static int32_t BatchSize( const supBonesDef* def )
{
	return def->helperCount > 12 ? ( def->helperCount + 5 ) / 6 : 2;
}

// Helpers a batch at a time, each followed by a few rounds: later ones see what earlier ones left.
static bool AddHelpers( Course* course )
{
	supDecomposer* d = &course->d;
	int32_t most = supCountSeeds( d->def );
	double error = supDecomposer_Evaluate( d );
	while ( d->helperCount < most && course->stopped == false && RmsOf( d, error ) > ROUNDING_SHARE * d->size )
	{
		bool isFirst = d->fixedCount + d->helperCount == 0;
		int32_t batch = isFirst ? 1 : BatchSize( d->def );
		batch = batch < most - d->helperCount ? batch : most - d->helperCount;
		int32_t added = supDecomposer_Seed( d, batch );
		if ( added < 0 )
		{
			return false;
		}
		if ( added == 0 )
		{
			break;
		}
		for ( int32_t i = 0; i < ROUNDS_PER_BATCH && course->stopped == false; ++i )
		{
			if ( RunRound( course, &error ) == false )
			{
				return false;
			}
		}
		if ( course->stepCount < MOST_STEPS )
		{
			course->stepHelpers[course->stepCount] = d->helperCount;
			course->stepErrors[course->stepCount++] = RmsOf( d, error );
		}
		course->bestError = error;
		MoveState( course, true );
	}
	return true;
}

// What the error would grow by without each helper, if nothing else changed.
static void SumCosts( const supDecomposer* d, double* costs )
{
	for ( int32_t s = 0; s < d->vertexCount * d->influences; ++s )
	{
		if ( d->weights[s] > 0.0f && d->joints[s] >= d->fixedCount )
		{
			costs[d->joints[s] - d->fixedCount] += (double)d->masses[s / d->influences] * (double)d->losses[s];
		}
	}
}

// The last helper takes the place of the one that goes, whose weights go to the other bones of each vertex.
static void RemoveHelper( supDecomposer* d, int32_t helper )
{
	int32_t last = d->helperCount - 1;
	size_t rows = 12 * (size_t)d->frameStride;
	memmove( supBoneRows( d, d->fixedCount + helper ), supBoneRows( d, d->fixedCount + last ), rows * sizeof( float ) );
	d->owners[helper] = d->owners[last];
	d->centers[helper] = d->centers[last];
	d->radii[helper] = d->radii[last];
	d->helperCount = last;
	for ( int32_t s = 0; s < d->vertexCount * d->influences; ++s )
	{
		bool gone = d->joints[s] == d->fixedCount + helper;
		d->weights[s] = gone ? 0.0f : d->weights[s];
		d->joints[s] = (uint16_t)( gone                                   ? 0
								   : d->joints[s] == d->fixedCount + last ? d->fixedCount + helper
																		  : d->joints[s] );
	}
}

// Removes those that cost least, so that `count` are left. False when out of memory.
static bool RemoveHelpers( supDecomposer* d, int32_t count )
{
	double* costs = supAllocZeroed( ( (size_t)d->helperCount + 1 ) * sizeof( double ) );
	if ( costs == NULL )
	{
		return false;
	}
	SumCosts( d, costs );
	while ( d->helperCount > count )
	{
		int32_t least = 0;
		for ( int32_t h = 1; h < d->helperCount; ++h )
		{
			least = costs[h] < costs[least] ? h : least;
		}
		costs[least] = costs[d->helperCount - 1];
		RemoveHelper( d, least );
	}
	supFree( costs );
	return true;
}

// Down from more helpers than are wanted, a few at a time: those that others can stand in for go.
static bool Prune( Course* course )
{
	supDecomposer* d = &course->d;
	int32_t wanted = d->def->helperCount;
	int32_t extra = d->helperCount - wanted;
	for ( int32_t step = 1; step <= PRUNE_STEPS && extra > 0; ++step )
	{
		double error;
		int32_t left = course->stopped ? wanted : wanted + extra * ( PRUNE_STEPS - step ) / PRUNE_STEPS;
		if ( RemoveHelpers( d, left ) == false || RunRound( course, &error ) == false )
		{
			return false;
		}
		course->bestError = INFINITY;
		KeepIfBetter( course, error );
	}
	return true;
}

// Until two rounds in a row gain next to nothing, or all are done. Alternating is slow along valleys where weights fall
// as motions grow, so that each round starts from where the last two lead to (Ang and Gillis 2019 do so for
// non-negative factors); where that makes things worse, it is taken back and tried with less.
static bool Refine( Course* course, int32_t rounds )
{
	supDecomposer* d = &course->d;
	float* bones = supBoneRows( d, d->fixedCount );
	size_t size = (size_t)d->helperCount * 12 * (size_t)d->frameStride * sizeof( float );
	float share = FIRST_SHARE, most = 1.0f;
	bool hasBefore = false;
	int32_t idle = 0;
	for ( int32_t i = 0; i < rounds && course->stopped == false && d->helperCount > 0 && idle < 2; ++i )
	{
		double error, bestError = course->bestError;
		memcpy( course->latest, bones, size );
		if ( hasBefore )
		{
			supDecomposer_Extrapolate( d, course->before, share );
		}
		if ( RunRound( course, &error ) == false )
		{
			return false;
		}
		if ( error < bestError )
		{
			KeepIfBetter( course, error );
			memcpy( course->before, course->latest, size );
			idle = error > ( 1.0 - LEAST_GAIN ) * bestError ? idle + 1 : 0;
			share = supMinFloat( share * SHARE_GROWTH, most );
			most = supMinFloat( most * MOST_SHARE_GROWTH, MOST_SHARE );
			hasBefore = true;
		}
		else
		{
			// without extrapolation there is nothing to take back but the round
			idle = hasBefore ? idle : idle + 1;
			MoveState( course, false );
			hasBefore = false;
			most = share;
			share *= 0.5f;
		}
	}
	return true;
}

static bool RunAll( Course* course )
{
	bool ok = AddHelpers( course ) && Prune( course ) && Refine( course, course->d.def->rounds );
	if ( ok && course->d.helperCount > 0 )
	{
		MoveState( course, false );
	}
	return ok;
}

// All on some of the vertices, then the last rounds on all of them.
static bool RunCoarse( Course* course, Course* coarse, const int32_t* clusterOf )
{
	supDecomposer* d = &course->d;
	if ( StartSnapshot( coarse ) == false || RunAll( coarse ) == false )
	{
		return false;
	}
	supDecomposer_Refine( &coarse->d, clusterOf, d );
	course->stepCount = coarse->stepCount;
	memcpy( course->stepHelpers, coarse->stepHelpers, sizeof( course->stepHelpers ) );
	memcpy( course->stepErrors, coarse->stepErrors, sizeof( course->stepErrors ) );
	course->roundsDone = coarse->roundsDone;
	if ( d->helperCount == 0 )
	{
		return true;
	}
	// weights of a cluster are not those of its vertices: at least one round, even when stopped
	double error;
	course->stopped = coarse->stopped;
	if ( RunRound( course, &error ) == false )
	{
		return false;
	}
	KeepIfBetter( course, error );
	bool ok = Refine( course, FINE_ROUNDS - 1 );
	MoveState( course, false );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// The result

static supBonesError MeasureError( supDecomposer* d )
{
	double error = supDecomposer_Evaluate( d );
	float peak = 0.0f;
	for ( int32_t i = 0; i < d->vertexCount; ++i )
	{
		peak = supMaxFloat( peak, d->peaks[i] );
	}
	return ( supBonesError ){ RmsOf( d, error ), sqrtf( peak ) };
}

// Heaviest first, without helpers that nothing follows.
static void WriteVertex( const supDecomposer* d, int32_t vertex, const int32_t* numbers, uint16_t* joints,
						 float* weights )
{
	int32_t n = d->influences;
	const float* from = d->weights + (size_t)vertex * (size_t)n;
	bool used[SUP_MOST_BONE_INFLUENCES] = { 0 };
	for ( int32_t k = 0; k < n; ++k )
	{
		int32_t best = -1;
		for ( int32_t s = 0; s < n; ++s )
		{
			best = used[s] == false && ( best < 0 || from[s] > from[best] ) ? s : best;
		}
		used[best] = true;
		int32_t bone = d->joints[vertex * n + best];
		bool isHelper = bone >= d->fixedCount;
		weights[k] = from[best];
		joints[k] = (uint16_t)( from[best] <= 0.0f ? 0
								: isHelper         ? d->fixedCount + numbers[bone - d->fixedCount]
												   : bone );
	}
}

static supMat34 ReadMatrix( const supDecomposer* d, int32_t helper, int32_t frame )
{
	const float* rows = supBoneRows( d, d->fixedCount + helper ) + frame;
	int32_t s = d->frameStride;
	supVec3 c[4];
	for ( int32_t k = 0; k < 4; ++k )
	{
		c[k] = supMakeVec3( rows[3 * k * s], rows[( 3 * k + 1 ) * s], rows[( 3 * k + 2 ) * s] );
	}
	return ( supMat34 ){ c[0], c[1], c[2], supAdd( c[3], d->centroids[frame] ) };
}

static bool AllocateResult( Result* result, const Course* course, int32_t helpers, int32_t** owners, supVec3** centers,
							float** radii, supMat34** matrices, uint16_t** joints, float** weights )
{
	const supDecomposer* d = &course->d;
	supArena* arena = &result->arena;
	size_t slots = (size_t)d->def->vertexCount * (size_t)d->influences;
	*owners = supArena_AllocArray( arena, (size_t)helpers + 1, sizeof( int32_t ) );
	*centers = supArena_AllocArray( arena, (size_t)helpers + 1, sizeof( supVec3 ) );
	*radii = supArena_AllocArray( arena, (size_t)helpers + 1, sizeof( float ) );
	*matrices = supArena_AllocArray( arena, (size_t)helpers * (size_t)d->frameCount + 1, sizeof( supMat34 ) );
	*joints = supArena_AllocArray( arena, slots, sizeof( uint16_t ) );
	*weights = supArena_AllocArray( arena, slots, sizeof( float ) );
	size_t steps = (size_t)course->stepCount;
	result->bones.stepHelpers = supArena_CopyArray( arena, course->stepHelpers, steps, sizeof( int32_t ) );
	result->bones.stepErrors = supArena_CopyArray( arena, course->stepErrors, steps, sizeof( float ) );
	return arena->failed == false;
}

static Result* WriteResult( Course* course )
{
	supDecomposer* d = &course->d;
	Result* result = supAllocZeroed( sizeof( Result ) );
	int32_t* numbers = supAllocArray( (size_t)d->helperCount + 1, sizeof( int32_t ) );
	supDecomposer_UpdateHelpers( d );
	int32_t kept = 0;
	for ( int32_t h = 0; h < d->helperCount && numbers != NULL; ++h )
	{
		numbers[h] = d->memberStarts[h + 1] > d->memberStarts[h] ? kept++ : -1;
	}
	int32_t* owners;
	supVec3* centers;
	float *radii, *weights;
	supMat34* matrices;
	uint16_t* joints;
	bool ok = result != NULL && numbers != NULL &&
			  AllocateResult( result, course, kept, &owners, &centers, &radii, &matrices, &joints, &weights );
	for ( int32_t h = 0; h < d->helperCount && ok; ++h )
	{
		int32_t to = numbers[h];
		for ( int32_t f = 0; f < d->frameCount && to >= 0; ++f )
		{
			matrices[(size_t)f * (size_t)kept + (size_t)to] = ReadMatrix( d, h, f );
		}
		if ( to >= 0 )
		{
			owners[to] = d->owners[h];
			centers[to] = d->centers[h];
			radii[to] = d->radii[h];
		}
	}
	for ( int32_t i = 0; i < d->def->vertexCount && ok; ++i )
	{
		size_t first = (size_t)i * (size_t)d->influences;
		WriteVertex( d, d->places[i], numbers, joints + first, weights + first );
	}
	supFree( numbers );
	if ( ok == false )
	{
		supDestroyBakedBones( result != NULL ? &result->bones : NULL );
		return NULL;
	}
	supBakedBones* bones = &result->bones;
	bones->vertexCount = d->def->vertexCount;
	bones->frameCount = d->frameCount;
	bones->fixedCount = d->fixedCount;
	bones->helperCount = kept;
	bones->owners = owners;
	bones->centers = centers;
	bones->radii = radii;
	bones->matrices = matrices;
	bones->influences = d->influences;
	bones->joints = joints;
	bones->weights = weights;
	bones->stepCount = course->stepCount;
	return result;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool CheckRange( supError* error, const char* name, int64_t value, int64_t least, int64_t most )
{
	return ( value >= least && value <= most ) ||
		   supSetError( error, sup_errorArgument, name, "must be %lld to %lld (got %lld)", (long long)least,
						(long long)most, (long long)value );
}

static bool CheckStart( const supBonesDef* def, supError* error )
{
	int64_t slots = (int64_t)def->vertexCount * def->startInfluences;
	for ( int64_t i = 0; i < slots && def->fixedCount > 0; ++i )
	{
		if ( def->startJoints[i] >= def->fixedCount )
		{
			return supSetError( error, sup_errorArgument, "startJoints", "vertex %d starts with bone %d of %d",
								(int)( i / def->startInfluences ), (int)def->startJoints[i], (int)def->fixedCount );
		}
	}
	return true;
}

static bool CheckDef( const supBonesDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == BONES_COOKIE );
	bool ok = CheckRange( error, "vertexCount", def->vertexCount, 1, INT32_MAX / 64 ) &&
			  CheckRange( error, "frameCount", def->frameCount, 1, 1000000 ) &&
			  CheckRange( error, "indexCount", def->indexCount, 0, INT32_MAX ) &&
			  CheckRange( error, "fixedCount", def->fixedCount, 0, MOST_FIXED - MOST_HELPERS ) &&
			  CheckRange( error, "helperCount", def->helperCount, 0, MOST_HELPERS ) &&
			  CheckRange( error, "influences", def->influences, 1, SUP_MOST_BONE_INFLUENCES ) &&
			  CheckRange( error, "rounds", def->rounds, 1, 1000 );
	ok = ok && ( def->fixedCount == 0 ||
				 CheckRange( error, "startInfluences", def->startInfluences, 1, SUP_MOST_BONE_INFLUENCES ) );
	if ( ok && !( def->smoothness >= 0.0f && def->smoothness <= 1.0f ) )
	{
		return supSetError( error, sup_errorArgument, "smoothness", "must be 0 to 1 (got %g)",
							(double)def->smoothness );
	}
	if ( ok && def->fixedCount + def->helperCount == 0 )
	{
		return supSetError( error, sup_errorArgument, "helperCount",
							"without fixed bones at least 1 helper is needed" );
	}
	for ( int32_t i = 0; i < def->indexCount && ok; ++i )
	{
		ok = CheckRange( error, "indices", def->indices[i], 0, def->vertexCount - 1 );
	}
	return ok &&
		   ( def->indexCount % 3 == 0 || supSetError( error, sup_errorArgument, "indexCount",
													  "must be a multiple of 3 (got %d)", def->indexCount ) ) &&
		   CheckStart( def, error );
}

supBakedBones* supBakeBones( const supBonesDef* def, supError* error )
{
	supError own = { 0 };
	error = error != NULL ? error : &own;
	supClearError( error );
	if ( CheckDef( def, error ) == false )
	{
		return NULL;
	}
	Course course = { .d.def = def, .bestError = INFINITY }, coarse = { .bestError = INFINITY };
	int32_t* clusterOf;
	int32_t batches = ( supCountSeeds( def ) + BatchSize( def ) - 1 ) / BatchSize( def );
	course.roundsExpected = batches * ROUNDS_PER_BATCH + PRUNE_STEPS + def->rounds + FINE_ROUNDS;
	coarse.roundsExpected = course.roundsExpected;
	Result* result = NULL;
	if ( supDecomposer_Load( &course.d, error ) )
	{
		supBonesError start = MeasureError( &course.d );
		if ( supDecomposer_Coarsen( &course.d, &coarse.d, &clusterOf ) && StartSnapshot( &course ) &&
			 ( clusterOf != NULL ? RunCoarse( &course, &coarse, clusterOf ) : RunAll( &course ) ) )
		{
			result = WriteResult( &course );
		}
		if ( result != NULL )
		{
			result->bones.startError = start;
			result->bones.error = MeasureError( &course.d );
		}
		else
		{
			supSetMemoryError( error );
		}
	}
	supArena_Destroy( &coarse.d.arena );
	supArena_Destroy( &course.d.arena );
	return result != NULL ? &result->bones : NULL;
}

void supDestroyBakedBones( supBakedBones* bones )
{
	if ( bones != NULL )
	{
		Result* result = (Result*)bones;
		supArena_Destroy( &result->arena );
		supFree( result );
	}
}

int32_t supBakedBones_EstimateHelpers( const supBakedBones* bones, float rms )
{
	int32_t n = bones->stepCount;
	if ( bones->error.rms <= rms )
	{
		return bones->helperCount;
	}
	// errors fall like a power of the number of helpers: the slope over the last doubling, which the first helpers say
	// little about, or of the only step against no helper, where one bone more counts as the first
	bool hasSteps = n > 1;
	int32_t first = 0;
	while ( first + 2 < n && 2 * bones->stepHelpers[first + 1] <= bones->stepHelpers[n - 1] )
	{
		first += 1;
	}
	double span = hasSteps ? (double)bones->stepHelpers[n - 1] / (double)bones->stepHelpers[first]
						   : (double)bones->helperCount + 1.0;
	double fall = hasSteps ? (double)bones->stepErrors[n - 1] / (double)bones->stepErrors[first]
						   : (double)bones->error.rms / (double)bones->startError.rms;
	if ( bones->helperCount < 1 || !( rms > 0.0f ) || !( fall < 0.98 ) )
	{
		return 0;
	}
	double helpers = (double)bones->helperCount, error = (double)bones->error.rms;
	// square roots until the span is below two: the fall over that span
	while ( span > 1.2 )
	{
		span = sqrt( span );
		fall = sqrt( fall );
	}
	while ( error > (double)rms && helpers < MOST_HELPERS )
	{
		helpers *= span;
		error *= fall;
	}
	return error <= (double)rms ? (int32_t)ceil( helpers / 8.0 ) * 8 : 0;
}
