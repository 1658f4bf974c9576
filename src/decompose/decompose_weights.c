// SPDX-License-Identifier: MIT
// Weights of one vertex at a time. With d_b = M_b x - v over all sampled frames and weights that sum to 1, the error is
// | sum_b w_b d_b |^2 = w^T G w, where G holds the dot products of the d_b. Smoothness adds lambda | w - mean |^2, with
// the mean of the neighbours' weights of the round before. Which bones: the support of the round before, changed by
// one swap where that helps; a support is solved by its normal equations, bones that come out negative leave it.
// Candidates are many, so they are screened first: by how much the error would fall if the vertex blended what it has
// with that bone alone. G is computed for the best of them.
#include "core/tasks.h"
#include "decompose/decompose.h"
#include "decompose/decompose_kernel.h"

#include <math.h>

#define VERTICES_PER_TASK 64
// Helpers nearest to a vertex are candidates even where no neighbour has them.
#define NEAREST_HELPERS 16
// Candidates beside the support that are looked at closely.
#define SCREENED 6
#define MOST_PICKS ( SUP_MOST_BONE_INFLUENCES + SCREENED )
// Not farther than this from the center, in mean distances of what they move: the left hand is not for the right one.
#define NEAR_RADII 6.0f
// A swap must be worth this share of the error.
#define LEAST_IMPROVEMENT 1e-4

typedef struct Problem
{
	int32_t count; // candidates
	int32_t bones[SUP_MOST_CANDIDATES];
	float gram[MOST_PICKS * MOST_PICKS];
	double means[MOST_PICKS];
	double lambda;
} Problem;

// Some of the candidates, with weights.
typedef struct Support
{
	int32_t count;
	int32_t picks[SUP_MOST_BONE_INFLUENCES];
	double weights[SUP_MOST_BONE_INFLUENCES];
	double error;
} Support;

// ---------------------------------------------------------------------------------------------------------------------
// Candidates

static void AddCandidate( Problem* problem, int32_t bone )
{
	for ( int32_t k = 0; k < problem->count; ++k )
	{
		if ( problem->bones[k] == bone )
		{
			return;
		}
	}
	if ( problem->count < SUP_MOST_CANDIDATES )
	{
		problem->bones[problem->count++] = bone;
	}
}

static void AddBones( const supDecomposer* d, Problem* problem, int32_t vertex )
{
	for ( int32_t s = vertex * d->influences; s < ( vertex + 1 ) * d->influences; ++s )
	{
		if ( d->lastWeights[s] > 0.0f )
		{
			AddCandidate( problem, d->lastJoints[s] );
		}
	}
}

static int32_t GroupOf( const supDecomposer* d, int32_t fixed )
{
	return d->def->fixedGroups != NULL && fixed >= 0 ? d->def->fixedGroups[fixed] : 0;
}

static void AddNearestHelpers( const supDecomposer* d, Problem* problem, int32_t vertex )
{
	float distances[NEAREST_HELPERS];
	int32_t helpers[NEAREST_HELPERS];
	int32_t count = 0;
	int32_t group = d->startInfluences > 0 ? GroupOf( d, d->startJoints[vertex * d->startInfluences] ) : 0;
	for ( int32_t h = 0; h < d->helperCount; ++h )
	{
		float distance = supLengthSquared( supSub( d->rest[vertex], d->centers[h] ) );
		bool isFar = distance > NEAR_RADII * NEAR_RADII * d->radii[h] * d->radii[h];
		if ( d->fixedCount > 0 && ( isFar || GroupOf( d, d->owners[h] ) != group ) )
		{
			continue;
		}
		int32_t at = count < NEAREST_HELPERS ? count++ : NEAREST_HELPERS;
		for ( ; at > 0 && ( at == NEAREST_HELPERS || distance < distances[at - 1] ); --at )
		{
			if ( at == NEAREST_HELPERS && distance >= distances[at - 1] )
			{
				break;
			}
			if ( at < NEAREST_HELPERS )
			{
				distances[at] = distances[at - 1];
				helpers[at] = helpers[at - 1];
			}
		}
		if ( at < NEAREST_HELPERS )
		{
			distances[at] = distance;
			helpers[at] = h;
		}
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		AddCandidate( problem, d->fixedCount + helpers[k] );
	}
}

static void FindCandidates( const supDecomposer* d, Problem* problem, int32_t vertex )
{
	problem->count = 0;
	AddBones( d, problem, vertex );
	for ( int32_t s = vertex * d->startInfluences; s < ( vertex + 1 ) * d->startInfluences; ++s )
	{
		if ( d->startWeights[s] > 0.0f )
		{
			AddCandidate( problem, d->startJoints[s] );
		}
	}
	AddNearestHelpers( d, problem, vertex );
	for ( int32_t k = d->neighborStarts[vertex]; k < d->neighborStarts[vertex + 1]; ++k )
	{
		AddBones( d, problem, d->neighbors[k] );
	}
}

// The mean of the neighbours' weights.
static void FindMeans( const supDecomposer* d, Problem* problem, int32_t vertex )
{
	int32_t first = d->neighborStarts[vertex], end = d->neighborStarts[vertex + 1];
	memset( problem->means, 0, sizeof( problem->means ) );
	problem->lambda = end > first ? (double)d->lambda : 0.0;
	for ( int32_t k = first; k < end; ++k )
	{
		int32_t i = d->neighbors[k];
		for ( int32_t s = i * d->influences; s < ( i + 1 ) * d->influences; ++s )
		{
			for ( int32_t c = 0; c < problem->count && d->lastWeights[s] > 0.0f; ++c )
			{
				problem->means[c] += problem->bones[c] == d->lastJoints[s] ? (double)d->lastWeights[s] : 0.0;
			}
		}
	}
	for ( int32_t c = 0; c < problem->count && end > first; ++c )
	{
		problem->means[c] /= end - first;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Solving

// Cholesky in place: lower half of a. False where it is not positive definite.
static bool Factor( double a[SUP_MOST_BONE_INFLUENCES][SUP_MOST_BONE_INFLUENCES], int32_t n )
{
	for ( int32_t i = 0; i < n; ++i )
	{
		for ( int32_t k = 0; k <= i; ++k )
		{
			double sum = a[i][k];
			for ( int32_t m = 0; m < k; ++m )
			{
				sum -= a[i][m] * a[k][m];
			}
			if ( i == k )
			{
				if ( !( sum > 0.0 ) )
				{
					return false;
				}
				a[i][i] = sqrt( sum );
			}
			else
			{
				a[i][k] = sum / a[k][k];
			}
		}
	}
	return true;
}

static void SolveFactored( double a[SUP_MOST_BONE_INFLUENCES][SUP_MOST_BONE_INFLUENCES], int32_t n, double* x )
{
	for ( int32_t i = 0; i < n; ++i )
	{
		for ( int32_t m = 0; m < i; ++m )
		{
			x[i] -= a[i][m] * x[m];
		}
		x[i] /= a[i][i];
	}
	for ( int32_t i = n - 1; i >= 0; --i )
	{
		for ( int32_t m = i + 1; m < n; ++m )
		{
			x[i] -= a[m][i] * x[m];
		}
		x[i] /= a[i][i];
	}
}

static double MeasureError( const Problem* problem, const Support* support )
{
	double error = 0.0;
	for ( int32_t a = 0; a < support->count; ++a )
	{
		const float* row = problem->gram + support->picks[a] * problem->count;
		double sum = 0.0;
		for ( int32_t b = 0; b < support->count; ++b )
		{
			sum += (double)row[support->picks[b]] * support->weights[b];
		}
		double w = support->weights[a];
		error += w * ( sum + problem->lambda * ( w - 2.0 * problem->means[support->picks[a]] ) );
	}
	return error;
}

// Weights that sum to 1 and minimise the error, of any sign. False where the equations are singular.
static bool SolveEquations( const Problem* problem, Support* support )
{
	int32_t n = support->count;
	double a[SUP_MOST_BONE_INFLUENCES][SUP_MOST_BONE_INFLUENCES];
	double ones[SUP_MOST_BONE_INFLUENCES], pulled[SUP_MOST_BONE_INFLUENCES];
	double trace = 0.0;
	for ( int32_t i = 0; i < n; ++i )
	{
		trace += (double)problem->gram[support->picks[i] * ( problem->count + 1 )];
	}
	for ( int32_t i = 0; i < n; ++i )
	{
		for ( int32_t k = 0; k <= i; ++k )
		{
			a[i][k] = (double)problem->gram[support->picks[i] * problem->count + support->picks[k]];
		}
		// bones that move alike share a vertex evenly
		a[i][i] += problem->lambda + 1e-7 * trace + 1e-30;
		ones[i] = 1.0;
		pulled[i] = problem->lambda * problem->means[support->picks[i]];
	}
	if ( Factor( a, n ) == false )
	{
		return false;
	}
	SolveFactored( a, n, ones );
	SolveFactored( a, n, pulled );
	double sumOnes = 0.0, sumPulled = 0.0;
	for ( int32_t i = 0; i < n; ++i )
	{
		sumOnes += ones[i];
		sumPulled += pulled[i];
	}
	for ( int32_t i = 0; i < n; ++i )
	{
		support->weights[i] = pulled[i] + ones[i] * ( 1.0 - sumPulled ) / sumOnes;
	}
	return true;
}

static void RemovePick( Support* support, int32_t index )
{
	support->count -= 1;
	for ( int32_t i = index; i < support->count; ++i )
	{
		support->picks[i] = support->picks[i + 1];
		support->weights[i] = support->weights[i + 1];
	}
}

static void SolveSupport( const Problem* problem, Support* support )
{
	while ( support->count > 1 )
	{
		bool solved = SolveEquations( problem, support );
		int32_t least = 0;
		for ( int32_t i = 1; i < support->count && solved; ++i )
		{
			least = support->weights[i] < support->weights[least] ? i : least;
		}
		if ( solved && support->weights[least] >= 0.0 )
		{
			break;
		}
		RemovePick( support, solved ? least : support->count - 1 );
	}
	if ( support->count == 1 )
	{
		support->weights[0] = 1.0;
	}
	support->error = MeasureError( problem, support );
}

static bool HasPick( const Support* support, int32_t candidate )
{
	for ( int32_t i = 0; i < support->count; ++i )
	{
		if ( support->picks[i] == candidate )
		{
			return true;
		}
	}
	return false;
}

// The best support that differs by one bone: exchanged, or added where there is room. One a round is enough, since
// transforms change in between.
static void Swap( const Problem* problem, int32_t influences, Support* support )
{
	Support best = *support;
	bool hasRoom = support->count < influences;
	for ( int32_t c = 0; c < problem->count; ++c )
	{
		if ( HasPick( support, c ) )
		{
			continue;
		}
		for ( int32_t slot = hasRoom ? support->count : 0; slot < support->count + hasRoom; ++slot )
		{
			Support tried = *support;
			tried.picks[slot] = c;
			tried.count += hasRoom;
			SolveSupport( problem, &tried );
			if ( tried.error < best.error )
			{
				best = tried;
			}
		}
	}
	bool isBetter = best.error < support->error - LEAST_IMPROVEMENT * fabs( support->error );
	*support = isBetter ? best : *support;
}

static void StartSupport( const supDecomposer* d, const Problem* problem, int32_t vertex, Support* support )
{
	support->count = 0;
	// what the vertex had stands first among the candidates
	for ( int32_t s = vertex * d->influences; s < ( vertex + 1 ) * d->influences; ++s )
	{
		if ( d->lastWeights[s] > 0.0f )
		{
			support->picks[support->count] = support->count;
			support->count += 1;
		}
	}
	if ( support->count == 0 )
	{
		int32_t best = 0;
		for ( int32_t c = 1; c < problem->count; ++c )
		{
			best = problem->gram[c * ( problem->count + 1 )] < problem->gram[best * ( problem->count + 1 )] ? c : best;
		}
		support->picks[support->count++] = best;
	}
	SolveSupport( problem, support );
}

// ---------------------------------------------------------------------------------------------------------------------
// All vertices

typedef struct WeightsJob
{
	supDecomposer* d;
	float* scratch; // per worker: residuals of all candidates, and their blend
} WeightsJob;

// What the error would grow by without each bone.
static void WriteLosses( const supDecomposer* d, const Problem* problem, const Support* support, int32_t vertex )
{
	for ( int32_t k = 0; k < support->count; ++k )
	{
		float loss = 0.0f;
		if ( support->count > 1 )
		{
			Support without = *support;
			RemovePick( &without, k );
			SolveSupport( problem, &without );
			loss = (float)( without.error - support->error );
		}
		d->losses[vertex * d->influences + k] = loss;
	}
}

// Keeps the support, which stands first, and the candidates that promise most; `rows` gets their residuals.
static void Screen( const supDecomposer* d, Problem* problem, int32_t vertex, float* scratch, const float** rows )
{
	int32_t size = 3 * d->sampleStride;
	float weights[SUP_MOST_BONE_INFLUENCES];
	int32_t support = 0;
	for ( int32_t s = vertex * d->influences; s < ( vertex + 1 ) * d->influences; ++s )
	{
		if ( d->lastWeights[s] > 0.0f )
		{
			weights[support++] = d->lastWeights[s];
		}
	}
	float products[1 + 2 * SUP_MOST_CANDIDATES];
	float gains[SUP_MOST_CANDIDATES];
	SUP_CALL_KERNEL( supScreenResiduals )
	( scratch, problem->count, size, weights, support, scratch + (size_t)SUP_MOST_CANDIDATES * (size_t)size, products );
	for ( int32_t c = 0; c < problem->count; ++c )
	{
		float own = products[1 + 2 * c], shared = products[2 + 2 * c];
		float slope = supMaxFloat( products[0] - shared, 0.0f );
		float bend = products[0] - 2.0f * shared + own;
		// without a support the bone alone counts
		gains[c] = support == 0 ? -own : bend > 0.0f ? slope * slope / bend : 0.0f;
		rows[c] = scratch + (size_t)c * (size_t)size;
	}
	int32_t kept = support;
	for ( ; kept < problem->count && kept < support + SCREENED; ++kept )
	{
		int32_t best = kept;
		for ( int32_t c = kept + 1; c < problem->count; ++c )
		{
			best = gains[c] > gains[best] ? c : best;
		}
		float gain = gains[best];
		int32_t bone = problem->bones[best];
		const float* row = rows[best];
		gains[best] = gains[kept];
		problem->bones[best] = problem->bones[kept];
		rows[best] = rows[kept];
		gains[kept] = gain;
		problem->bones[kept] = bone;
		rows[kept] = row;
	}
	problem->count = kept;
}

static void SolveVertex( const WeightsJob* job, int32_t vertex, float* scratch )
{
	supDecomposer* d = job->d;
	Problem problem;
	FindCandidates( d, &problem, vertex );
	const float* rows[SUP_MOST_CANDIDATES];
	for ( int32_t c = 0; c < problem.count; ++c )
	{
		rows[c] = d->sampleBones + (size_t)problem.bones[c] * 12 * (size_t)d->sampleStride;
	}
	const float* track = d->sampleTracks + (size_t)vertex * 3 * (size_t)d->sampleStride;
	SUP_CALL_KERNEL( supBoneResiduals )( rows, problem.count, d->sampleStride, d->rest[vertex], track, scratch );
	Screen( d, &problem, vertex, scratch, rows );
	SUP_CALL_KERNEL( supGramOfRows )( rows, problem.count, 3 * d->sampleStride, problem.gram );
	FindMeans( d, &problem, vertex );
	Support support;
	StartSupport( d, &problem, vertex, &support );
	Swap( &problem, d->influences, &support );
	if ( d->withLosses )
	{
		WriteLosses( d, &problem, &support, vertex );
	}
	for ( int32_t k = 0; k < d->influences; ++k )
	{
		bool used = k < support.count;
		d->joints[vertex * d->influences + k] = used ? (uint16_t)problem.bones[support.picks[k]] : 0;
		d->weights[vertex * d->influences + k] = used ? (float)support.weights[k] : 0.0f;
	}
}

static void SolveVertices( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const WeightsJob* job = context;
	size_t size = (size_t)( SUP_MOST_CANDIDATES + 1 ) * 3 * (size_t)job->d->sampleStride;
	for ( int32_t i = begin; i < end; ++i )
	{
		SolveVertex( job, i, job->scratch + (size_t)worker * size );
	}
}

static void CopySampleBones( supDecomposer* d )
{
	if ( d->sampleBones == d->bones )
	{
		return;
	}
	size_t rows = 12 * (size_t)( d->fixedCount + d->helperCount );
	for ( size_t r = 0; r < rows; ++r )
	{
		for ( int32_t s = 0; s < d->sampleCount; ++s )
		{
			d->sampleBones[r * (size_t)d->sampleStride + (size_t)s] =
				d->bones[r * (size_t)d->frameStride + (size_t)( s * d->sampleStep )];
		}
	}
}

bool supDecomposer_SolveWeights( supDecomposer* d )
{
	WeightsJob job = { .d = d };
	size_t workers = (size_t)supGetWorkerCount( d->tasks );
	job.scratch = supAllocArray( workers * ( SUP_MOST_CANDIDATES + 1 ) * 3 * (size_t)d->sampleStride, sizeof( float ) );
	if ( job.scratch == NULL )
	{
		return false;
	}
	CopySampleBones( d );
	size_t slots = (size_t)d->vertexCount * (size_t)d->influences;
	memcpy( d->lastWeights, d->weights, slots * sizeof( float ) );
	memcpy( d->lastJoints, d->joints, slots * sizeof( uint16_t ) );
	supParallelFor( d->tasks, d->vertexCount, VERTICES_PER_TASK, SolveVertices, &job );
	supFree( job.scratch );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// What is left

static void EvaluateVertices( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supDecomposer* d = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const float* bones[SUP_MOST_BONE_INFLUENCES];
		float weights[SUP_MOST_BONE_INFLUENCES];
		int32_t count = 0;
		for ( int32_t s = i * d->influences; s < ( i + 1 ) * d->influences; ++s )
		{
			if ( d->weights[s] > 0.0f )
			{
				bones[count] = supBoneRows( d, d->joints[s] );
				weights[count++] = d->weights[s];
			}
		}
		float* residual = d->residuals + (size_t)i * 3 * (size_t)d->frameStride;
		SUP_CALL_KERNEL( supBlendResidual )
		( bones, weights, count, d->frameStride, d->rest[i], supTrack( d, i ), residual, d->errors + i, d->peaks + i );
	}
}

double supDecomposer_Evaluate( supDecomposer* d )
{
	supParallelFor( d->tasks, d->vertexCount, VERTICES_PER_TASK, EvaluateVertices, d );
	double sum = 0.0;
	for ( int32_t i = 0; i < d->vertexCount; ++i )
	{
		sum += (double)d->masses[i] * (double)d->errors[i];
	}
	return sum;
}
