// SPDX-License-Identifier: MIT
// Transforms of helpers. With r_i the part of v_i that other bones leave to helper b, the error of a frame is
//     sum_i | w_ib M_b x_i - r_i |^2 ,   r_i = v_i - sum_{c != b} w_ic M_c x_i   (Le and Deng 2012, eq. 6)
// and the best rigid M_b follows from two sums: sum_i w_ib r_i x_i^T and sum_i w_ib^2 x_i x_i^T. The first needs
//     H_b(f) = sum_i w_ib v_i(f) x_i^T      per frame, one pass over the tracks
//     S_bc   = sum_i w_ib w_ic x_i x_i^T    for each bone c that shares vertices with b, the same in all frames
// so that sweeps over the helpers cost next to nothing once these are there.
#include "core/tasks.h"
#include "decompose/decompose.h"
#include "decompose/decompose_kernel.h"

#include <math.h>

#define FRAMES_PER_TASK 16
// How much a helper that hardly knows its rotation (few vertices, all in a line) follows its owner's.
#define OWNER_PULL 1e-3
#define LEAST_EMPHASIS 0.3f
#define MOST_EMPHASIS 10.0f
// Where scale is free, it stays in bounds that flesh does not reach.
#define LEAST_SCALE 0.25f
#define MOST_SCALE 4.0f

// One pair of bones: x is relative to the center of the helper, with 1 behind.
typedef struct Overlap
{
	int32_t bone;
	double s[4][4];
} Overlap;

typedef struct Fit
{
	supDecomposer* d;
	float* moments; // per helper: 12 rows
	Overlap* overlaps;
	int32_t* overlapStarts;
	int32_t* overlapEnds;
	int32_t sweeps;
	float meanPeak; // of squared distances
} Fit;

// ---------------------------------------------------------------------------------------------------------------------
// Members

static void ListMembers( supDecomposer* d )
{
	int32_t n = d->influences;
	// counted two places up: filling moves each start to where it belongs
	int32_t* starts = d->memberStarts;
	memset( starts, 0, ( (size_t)d->helperCount + 2 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < d->vertexCount * n; ++i )
	{
		if ( d->weights[i] > 0.0f && d->joints[i] >= d->fixedCount )
		{
			starts[d->joints[i] - d->fixedCount + 2] += 1;
		}
	}
	for ( int32_t h = 0; h < d->helperCount; ++h )
	{
		starts[h + 2] += starts[h + 1];
	}
	for ( int32_t i = 0; i < d->vertexCount * n; ++i )
	{
		if ( d->weights[i] > 0.0f && d->joints[i] >= d->fixedCount )
		{
			int32_t at = starts[d->joints[i] - d->fixedCount + 1]++;
			d->members[at] = i / n;
			d->memberWeights[at] = d->weights[i];
		}
	}
}

// The fixed bone that starts with most of what the helper moves.
static int32_t FindOwner( const supDecomposer* d, int32_t helper )
{
	int32_t n = d->startInfluences;
	float* shares = d->shares;
	memset( shares, 0, ( (size_t)d->fixedCount + 1 ) * sizeof( float ) );
	for ( int32_t k = d->memberStarts[helper]; k < d->memberStarts[helper + 1]; ++k )
	{
		int32_t i = d->members[k];
		for ( int32_t s = 0; s < n; ++s )
		{
			shares[d->startJoints[i * n + s]] += d->memberWeights[k] * d->masses[i] * d->startWeights[i * n + s];
		}
	}
	int32_t best = -1;
	for ( int32_t b = 0; b < d->fixedCount; ++b )
	{
		best = shares[b] > 0.0f && ( best < 0 || shares[b] > shares[best] ) ? b : best;
	}
	return best;
}

static void PlaceHelper( supDecomposer* d, int32_t helper )
{
	double sum = 0.0, x = 0.0, y = 0.0, z = 0.0, squares = 0.0;
	for ( int32_t k = d->memberStarts[helper]; k < d->memberStarts[helper + 1]; ++k )
	{
		supVec3 p = d->rest[d->members[k]];
		double w = (double)( d->memberWeights[k] * d->masses[d->members[k]] );
		sum += w;
		x += w * (double)p.x;
		y += w * (double)p.y;
		z += w * (double)p.z;
	}
	if ( sum <= 0.0 )
	{
		return; // stays where it was seeded
	}
	supVec3 center = { (float)( x / sum ), (float)( y / sum ), (float)( z / sum ) };
	for ( int32_t k = d->memberStarts[helper]; k < d->memberStarts[helper + 1]; ++k )
	{
		double w = (double)( d->memberWeights[k] * d->masses[d->members[k]] );
		squares += w * (double)supLengthSquared( supSub( d->rest[d->members[k]], center ) );
	}
	d->centers[helper] = center;
	d->radii[helper] = (float)sqrt( squares / sum );
}

void supDecomposer_UpdateHelpers( supDecomposer* d )
{
	ListMembers( d );
	for ( int32_t h = 0; h < d->helperCount; ++h )
	{
		PlaceHelper( d, h );
		int32_t owner = FindOwner( d, h );
		// one that nothing follows keeps its owner
		d->owners[h] = owner >= 0 ? owner : d->owners[h];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Sums over vertices

static void AddOuter( double s[4][4], supVec3 p, double w )
{
	double x[4] = { (double)p.x, (double)p.y, (double)p.z, 1.0 };
	for ( int a = 0; a < 4; ++a )
	{
		for ( int b = 0; b < 4; ++b )
		{
			s[a][b] += w * x[a] * x[b];
		}
	}
}

static Overlap* FindOverlap( Fit* fit, int32_t helper, int32_t bone )
{
	for ( int32_t k = fit->overlapStarts[helper]; k < fit->overlapEnds[helper]; ++k )
	{
		if ( fit->overlaps[k].bone == bone )
		{
			return fit->overlaps + k;
		}
	}
	Overlap* overlap = fit->overlaps + fit->overlapEnds[helper]++;
	*overlap = ( Overlap ){ .bone = bone };
	return overlap;
}

// Vertices that are far off at some moment count more: the worst is what one sees. The weights of a vertex do not
// depend on it, only helpers do.
static float GetEmphasis( const Fit* fit, int32_t vertex )
{
	float ratio = fit->meanPeak > 0.0f ? fit->d->peaks[vertex] / fit->meanPeak : 1.0f;
	return supClampFloat( sqrtf( ratio ), LEAST_EMPHASIS, MOST_EMPHASIS );
}

static void SumMembers( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Fit* fit = context;
	supDecomposer* d = fit->d;
	size_t rows = 12 * (size_t)d->frameStride;
	for ( int32_t h = begin; h < end; ++h )
	{
		float* moments = fit->moments + (size_t)h * rows;
		memset( moments, 0, rows * sizeof( float ) );
		// the helper's own sum stands first
		fit->overlapEnds[h] = fit->overlapStarts[h];
		FindOverlap( fit, h, d->fixedCount + h );
		for ( int32_t k = d->memberStarts[h]; k < d->memberStarts[h + 1]; ++k )
		{
			int32_t i = d->members[k];
			float w = d->memberWeights[k] * d->masses[i] * GetEmphasis( fit, i );
			supVec3 x = supSub( d->rest[i], d->centers[h] );
			SUP_CALL_KERNEL( supAddMoments )( moments, d->frameStride, x, w, supTrack( d, i ) );
			for ( int32_t s = i * d->influences; s < ( i + 1 ) * d->influences; ++s )
			{
				if ( d->weights[s] > 0.0f )
				{
					AddOuter( FindOverlap( fit, h, d->joints[s] )->s, x, (double)w * (double)d->weights[s] );
				}
			}
		}
	}
}

// The most bones that share vertices with a helper, as room to keep the sums in.
static int32_t CountRoom( const supDecomposer* d, int32_t helper )
{
	int64_t slots = (int64_t)( d->memberStarts[helper + 1] - d->memberStarts[helper] ) * ( d->influences - 1 ) + 1;
	int32_t bones = d->fixedCount + d->helperCount;
	return slots < bones ? (int32_t)slots : bones;
}

// ---------------------------------------------------------------------------------------------------------------------
// One frame

typedef struct Map
{
	double m[3][4]; // [row][column], of x relative to a helper's center
} Map;

static Map ReadRows( const float* rows, int32_t stride, supVec3 center )
{
	double c[3] = { (double)center.x, (double)center.y, (double)center.z };
	Map map;
	for ( int r = 0; r < 3; ++r )
	{
		double shift = 0.0;
		for ( int k = 0; k < 4; ++k )
		{
			map.m[r][k] = (double)rows[( 3 * k + r ) * stride];
			shift += k < 3 ? map.m[r][k] * c[k] : 0.0;
		}
		map.m[r][3] += shift;
	}
	return map;
}

static Map ReadBone( const supDecomposer* d, int32_t bone, int32_t frame, supVec3 center )
{
	return ReadRows( supBoneRows( d, bone ) + frame, d->frameStride, center );
}

static supMat3 LinearPart( double m[3][4] )
{
	return ( supMat3 ){ { (float)m[0][0], (float)m[1][0], (float)m[2][0] },
						{ (float)m[0][1], (float)m[1][1], (float)m[2][1] },
						{ (float)m[0][2], (float)m[1][2], (float)m[2][2] } };
}

float supGetBoneScale( const supDecomposer* d, int32_t bone, int32_t frame )
{
	const float* rows = supBoneRows( d, bone ) + frame;
	float sum = 0.0f;
	for ( int32_t k = 0; k < 3; ++k )
	{
		const float* column = rows + 3 * k * d->frameStride;
		sum += supLength( supMakeVec3( column[0], column[d->frameStride], column[2 * d->frameStride] ) );
	}
	return sum / 3.0f;
}

// What is left of the moments for the helper: rows r, columns x y z 1.
static void SubtractOthers( const Fit* fit, int32_t helper, int32_t frame, double left[3][4] )
{
	const supDecomposer* d = fit->d;
	const float* moments = fit->moments + (size_t)helper * 12 * (size_t)d->frameStride + frame;
	for ( int r = 0; r < 3; ++r )
	{
		for ( int k = 0; k < 4; ++k )
		{
			left[r][k] = (double)moments[( 3 * k + r ) * d->frameStride];
		}
	}
	for ( int32_t o = fit->overlapStarts[helper] + 1; o < fit->overlapEnds[helper]; ++o )
	{
		const Overlap* overlap = fit->overlaps + o;
		Map map = ReadBone( d, overlap->bone, frame, d->centers[helper] );
		for ( int r = 0; r < 3; ++r )
		{
			for ( int k = 0; k < 4; ++k )
			{
				left[r][k] -= map.m[r][0] * overlap->s[0][k] + map.m[r][1] * overlap->s[1][k] +
							  map.m[r][2] * overlap->s[2][k] + map.m[r][3] * overlap->s[3][k];
			}
		}
	}
}

static void WriteBone( const supDecomposer* d, int32_t helper, int32_t frame, supMat3 linear, const double t[3] )
{
	supVec3 c = d->centers[helper];
	supVec3 shift = supSub( supMakeVec3( (float)t[0], (float)t[1], (float)t[2] ), supMulMV( linear, c ) );
	const supVec3 columns[4] = { linear.cx, linear.cy, linear.cz, shift };
	float* rows = supBoneRows( d, d->fixedCount + helper ) + frame;
	for ( int32_t k = 0; k < 4; ++k )
	{
		rows[( 3 * k + 0 ) * d->frameStride] = columns[k].x;
		rows[( 3 * k + 1 ) * d->frameStride] = columns[k].y;
		rows[( 3 * k + 2 ) * d->frameStride] = columns[k].z;
	}
}

static void FitHelper( const Fit* fit, int32_t helper, int32_t frame )
{
	const supDecomposer* d = fit->d;
	const double( *s )[4] = (const double( * )[4])fit->overlaps[fit->overlapStarts[helper]].s;
	double mass = s[3][3];
	if ( mass <= 0.0 )
	{
		return; // nothing follows it: stays as it was seeded
	}
	double left[3][4];
	SubtractOthers( fit, helper, frame, left );
	double spread = s[0][0] + s[1][1] + s[2][2];
	double moment[3][4] = { 0 };
	for ( int r = 0; r < 3; ++r )
	{
		for ( int k = 0; k < 3; ++k )
		{
			moment[r][k] = left[r][k] - left[r][3] * s[3][k] / mass;
			spread -= r == 0 ? s[3][k] * s[3][k] / mass : 0.0;
		}
	}
	float scale = 1.0f;
	if ( d->owners[helper] >= 0 )
	{
		// what its owner is scaled by, it is too
		scale = supGetBoneScale( d, d->owners[helper], frame );
		Map owner = ReadBone( d, d->owners[helper], frame, d->centers[helper] );
		supMat3 turn = supMakeMat3Quat( supPolarRotation( LinearPart( owner.m ) ) );
		double pull = OWNER_PULL * mass * (double)d->radii[helper] * (double)d->radii[helper];
		const supVec3* columns = &turn.cx;
		for ( int k = 0; k < 3; ++k )
		{
			moment[0][k] += pull * (double)( scale * columns[k].x );
			moment[1][k] += pull * (double)( scale * columns[k].y );
			moment[2][k] += pull * (double)( scale * columns[k].z );
		}
		spread += 3.0 * pull;
	}
	// the sums are small where the mesh is: as floats they are scaled to the size of rotations
	for ( int r = 0; r < 3; ++r )
	{
		for ( int k = 0; k < 3; ++k )
		{
			moment[r][k] = spread > 0.0 ? moment[r][k] / spread : 0.0;
		}
	}
	supMat3 linear = supMakeMat3Quat( supPolarRotation( LinearPart( moment ) ) );
	if ( d->def->withScale )
	{
		supMat3 m = LinearPart( moment );
		scale = supDot( linear.cx, m.cx ) + supDot( linear.cy, m.cy ) + supDot( linear.cz, m.cz );
		scale = supClampFloat( scale, LEAST_SCALE, MOST_SCALE );
	}
	linear = ( supMat3 ){ supScale( scale, linear.cx ), supScale( scale, linear.cy ), supScale( scale, linear.cz ) };
	double t[3];
	const supVec3* columns = &linear.cx;
	for ( int r = 0; r < 3; ++r )
	{
		t[r] = left[r][3];
		for ( int k = 0; k < 3; ++k )
		{
			t[r] -= (double)( &columns[k].x )[r] * s[3][k];
		}
		t[r] /= mass;
	}
	WriteBone( d, helper, frame, linear, t );
}

static void FitFrames( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Fit* fit = context;
	for ( int32_t f = begin; f < end; ++f )
	{
		for ( int32_t sweep = 0; sweep < fit->sweeps; ++sweep )
		{
			for ( int32_t h = 0; h < fit->d->helperCount; ++h )
			{
				FitHelper( fit, h, f );
			}
		}
	}
}

bool supDecomposer_SolveTransforms( supDecomposer* d, int32_t sweeps )
{
	supDecomposer_UpdateHelpers( d );
	Fit fit = { .d = d, .sweeps = sweeps };
	size_t helpers = (size_t)d->helperCount;
	fit.overlapStarts = supAllocArray( helpers + 1, sizeof( int32_t ) );
	fit.overlapEnds = supAllocArray( helpers + 1, sizeof( int32_t ) );
	fit.moments = supAllocArray( helpers * 12 * (size_t)d->frameStride + 1, sizeof( float ) );
	int32_t room = 0;
	for ( int32_t h = 0; h < d->helperCount && fit.overlapStarts != NULL; ++h )
	{
		fit.overlapStarts[h] = room;
		room += CountRoom( d, h );
	}
	fit.overlaps = supAllocArray( (size_t)room + 1, sizeof( Overlap ) );
	bool ok = fit.overlapStarts != NULL && fit.overlapEnds != NULL && fit.moments != NULL && fit.overlaps != NULL;
	for ( int32_t i = 0; i < d->vertexCount; ++i )
	{
		fit.meanPeak += d->peaks[i] / (float)d->vertexCount;
	}
	if ( ok )
	{
		supParallelFor( d->tasks, d->helperCount, 1, SumMembers, &fit );
		supParallelFor( d->tasks, d->frameCount, FRAMES_PER_TASK, FitFrames, &fit );
	}
	supFree( fit.overlapStarts );
	supFree( fit.overlapEnds );
	supFree( fit.moments );
	supFree( fit.overlaps );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Extrapolation

typedef struct Push
{
	supDecomposer* d;
	const float* before;
	float share;
} Push;

static void PushHelper( const Push* push, int32_t helper, int32_t frame )
{
	const supDecomposer* d = push->d;
	Map now = ReadBone( d, d->fixedCount + helper, frame, d->centers[helper] );
	const float* rows = push->before + (size_t)helper * 12 * (size_t)d->frameStride + frame;
	Map before = ReadRows( rows, d->frameStride, d->centers[helper] );
	double t[3];
	double linear[3][4];
	for ( int r = 0; r < 3; ++r )
	{
		for ( int k = 0; k < 3; ++k )
		{
			linear[r][k] = now.m[r][k] + (double)push->share * ( now.m[r][k] - before.m[r][k] );
		}
		t[r] = now.m[r][3] + (double)push->share * ( now.m[r][3] - before.m[r][3] );
	}
	float scale = supGetBoneScale( d, d->fixedCount + helper, frame );
	supMat3 turn = supMakeMat3Quat( supPolarRotation( LinearPart( linear ) ) );
	turn = ( supMat3 ){ supScale( scale, turn.cx ), supScale( scale, turn.cy ), supScale( scale, turn.cz ) };
	WriteBone( d, helper, frame, turn, t );
}

static void PushHelpers( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Push* push = context;
	for ( int32_t h = begin; h < end; ++h )
	{
		for ( int32_t f = 0; f < push->d->frameCount; ++f )
		{
			PushHelper( push, h, f );
		}
	}
}

void supDecomposer_Extrapolate( supDecomposer* d, const float* before, float share )
{
	Push push = { .d = d, .before = before, .share = share };
	supParallelFor( d->tasks, d->helperCount, 1, PushHelpers, &push );
}
