// SPDX-License-Identifier: MIT
// Frames between those of two bones that share flesh.
//
// Blended linear elasticity is only as good as the frames that it is blended from: turned against each other by an
// angle a, two frames blend to a body that has shrunk to cos( a / 2 ) halfway between. So the way from a bone to the
// next is made in several smaller turns: frames in between turn about the joint, have regions of their own, and share a
// function with their neighbours as hats of its weights' ratio do. More regions are more places where a body is cut off
// from the rest, which costs more than it brings where bones are hardly turned: there the two bones share a function by
// its weights alone, and frames between them sleep.
#include "method/fem/model.h"
#include "supple/character.h"

#include <math.h>
#include <stdlib.h>

// The square of the cosine of half the angle between two bones: from 20 degrees on frames between them wake up, at 60
// the whole way is theirs.
#define WAKE 0.97
#define AWAKE 0.75

// The cosine of half the farthest that two bones are turned against each other the longer way, 240 degrees.
#define LONGEST_WAY ( -0.5 )

// A pair needs a function that is at least so much of a frame between: else its region is not worth having.
#define LEAST_PEAK 0.25f

// What a function is in, while it is being shared out: each pair has its two bones, and two frames of a hat.
#define MOST_CLAIMS ( 5 * SUP_MAX_INFLUENCES )

typedef struct Sharing
{
	int32_t count;
	supFemClaim claims[MOST_CLAIMS];
} Sharing;

typedef struct Maker
{
	supArena scratch;
	supFemModel* model;
	int32_t between;
	int32_t* partners; // of each bone the next above that has flesh, -1 for none
	int32_t* pairOf;   // of each bone and its partner, -1 for none
} Maker;

// ---------------------------------------------------------------------------------------------------------------------
// Pairs

static void FindPartners( Maker* maker, const supFemModelDef* def, uint8_t* hasFlesh )
{
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES * def->functionCount; ++i )
	{
		hasFlesh[def->joints[i]] |= def->weights[i] > 0.0f;
	}
	for ( int32_t i = 0; i < def->boneCount; ++i )
	{
		int32_t above = def->parents[i];
		// at most so many above: a file may have them in a circle
		for ( int32_t k = 0; above >= 0 && hasFlesh[above] == 0; ++k )
		{
			above = k < def->boneCount ? def->parents[above] : -1;
		}
		maker->partners[i] = above == i ? -1 : above;
	}
}

static void Add( Sharing* sharing, int32_t frame, int32_t pair, float straight, float turned )
{
	int32_t at = 0;
	while ( at < sharing->count && ( sharing->claims[at].frame != frame || sharing->claims[at].pair != pair ) )
	{
		at += 1;
	}
	if ( at == sharing->count )
	{
		SUP_ASSERT( at < MOST_CLAIMS );
		sharing->claims[at] = ( supFemClaim ){ frame, pair, 0.0f, 0.0f };
		sharing->count += 1;
	}
	sharing->claims[at].straight += straight;
	sharing->claims[at].turned += turned;
}

// On the way from the bone above to the bone: hats.
static void AddPair( const Maker* maker, Sharing* sharing, int32_t bone, float above, float own )
{
	int32_t pair = maker->pairOf[bone], first = maker->partners[bone];
	float whole = above + own, steps = (float)( maker->between + 1 );
	if ( whole <= 0.0f )
	{
		return;
	}
	Add( sharing, first, pair, above, 0.0f );
	Add( sharing, bone, pair, own, 0.0f );
	float part = own / whole * steps;
	int32_t step = part >= steps ? maker->between : (int32_t)part;
	float second = part - (float)step;
	for ( int side = 0; side < 2; ++side )
	{
		int32_t knot = step + side;
		int32_t frame = maker->model->boneCount + pair * maker->between + knot - 1;
		frame = knot == 0 ? first : ( knot == maker->between + 1 ? bone : frame );
		Add( sharing, frame, pair, 0.0f, whole * ( side == 0 ? 1.0f - second : second ) );
	}
}

// Each bone's weight goes to its pairs by what the others of these have; what has no pair keeps its weight.
static void ShareOut( const Maker* maker, int32_t function, Sharing* sharing )
{
	const supFemModel* model = maker->model;
	const uint16_t* joints = model->joints + SUP_MAX_INFLUENCES * (size_t)function;
	const float* weights = model->weights + SUP_MAX_INFLUENCES * (size_t)function;
	int32_t pairs[SUP_MAX_INFLUENCES];
	float sums[SUP_MAX_INFLUENCES] = { 0 };
	sharing->count = 0;
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		pairs[i] = -1;
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			bool isPair = weights[i] > 0.0f && weights[k] > 0.0f && maker->pairOf[joints[i]] >= 0 &&
						  maker->partners[joints[i]] == joints[k];
			pairs[i] = isPair ? k : pairs[i];
		}
		sums[i] += pairs[i] >= 0 ? weights[pairs[i]] : 0.0f;
		sums[pairs[i] >= 0 ? pairs[i] : i] += pairs[i] >= 0 ? weights[i] : 0.0f;
	}
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		int32_t k = pairs[i];
		if ( k >= 0 )
		{
			float both = weights[i] * weights[k];
			AddPair( maker, sharing, joints[i], both / sums[k], both / sums[i] );
		}
		if ( sums[i] <= 0.0f && weights[i] > 0.0f )
		{
			Add( sharing, joints[i], -1, weights[i], weights[i] );
		}
	}
}

static int CompareClaims( const void* a, const void* b )
{
	const supFemClaim *first = a, *second = b;
	int order = first->frame - second->frame;
	return order != 0 ? order : first->pair - second->pair;
}

// ---------------------------------------------------------------------------------------------------------------------

// All pairs first, to find out which of them have flesh that is mostly theirs.
static void Number( Maker* maker, const float* peaks )
{
	supFemModel* model = maker->model;
	model->pairCount = 0;
	for ( int32_t i = 0; i < model->boneCount; ++i )
	{
		bool isPair = maker->partners[i] >= 0 && ( peaks == NULL || peaks[i] >= LEAST_PEAK );
		maker->pairOf[i] = isPair ? model->pairCount++ : -1;
	}
	model->frameCount = model->boneCount + maker->between * model->pairCount;
}

static void FindPeaks( const Maker* maker, const int32_t* boneOf, float* peaks )
{
	const supFemModel* model = maker->model;
	Sharing sharing;
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		if ( model->isKnown[i] )
		{
			continue;
		}
		ShareOut( maker, i, &sharing );
		for ( int32_t k = 0; k < sharing.count; ++k )
		{
			const supFemClaim* claim = sharing.claims + k;
			if ( claim->frame >= model->boneCount )
			{
				float* peak = peaks + boneOf[claim->pair];
				*peak = supMaxFloat( *peak, claim->turned );
			}
		}
	}
}

// In two passes: how many, then which.
static bool Fill( Maker* maker )
{
	supFemModel* model = maker->model;
	Sharing sharing;
	int32_t total = 0;
	model->claimStarts = supArena_AllocArray( &model->arena, (size_t)model->functionCount + 1, sizeof( int32_t ) );
	for ( int pass = 0; pass < 2; ++pass )
	{
		if ( pass == 1 )
		{
			model->claims = supArena_AllocArray( &model->arena, (size_t)total, sizeof( supFemClaim ) );
		}
		if ( model->arena.failed )
		{
			return false;
		}
		total = 0;
		for ( int32_t i = 0; i < model->functionCount; ++i )
		{
			ShareOut( maker, i, &sharing );
			qsort( sharing.claims, (size_t)sharing.count, sizeof( supFemClaim ), CompareClaims );
			model->claimStarts[i] = total;
			for ( int32_t k = 0; k < sharing.count; ++k, ++total )
			{
				if ( pass == 1 )
				{
					model->claims[total] = sharing.claims[k];
				}
			}
		}
		model->claimStarts[model->functionCount] = total;
	}
	return true;
}

static bool MakePairs( Maker* maker, const supFemModelDef* def )
{
	supFemModel* model = maker->model;
	size_t bones = (size_t)model->boneCount;
	float* peaks = supArena_AllocZeroed( &maker->scratch, bones * sizeof( float ) );
	uint8_t* hasFlesh = supArena_AllocZeroed( &maker->scratch, bones );
	int32_t* boneOf = supArena_AllocArray( &maker->scratch, bones, sizeof( int32_t ) );
	if ( maker->scratch.failed )
	{
		return false;
	}
	FindPartners( maker, def, hasFlesh );
	Number( maker, NULL );
	for ( int32_t i = 0; i < model->boneCount; ++i )
	{
		if ( maker->pairOf[i] >= 0 )
		{
			boneOf[maker->pairOf[i]] = i;
		}
	}
	FindPeaks( maker, boneOf, peaks );
	Number( maker, peaks );
	model->pairs = supArena_AllocArray( &model->arena, (size_t)model->pairCount, sizeof( supFemPair ) );
	for ( int32_t i = 0; model->pairs != NULL && i < model->boneCount; ++i )
	{
		supVec3 origin = def->origins[i];
		if ( maker->pairOf[i] >= 0 )
		{
			model->pairs[maker->pairOf[i]] =
				( supFemPair ){ maker->partners[i], i, { (double)origin.x, (double)origin.y, (double)origin.z } };
		}
	}
	return model->arena.failed == false;
}

bool supFemModel_MakeBetweens( supFemModel* model, const supFemModelDef* def )
{
	Maker maker = { .model = model, .between = def->between };
	model->between = def->between;
	model->frameCount = model->boneCount;
	maker.partners = supArena_AllocArray( &maker.scratch, (size_t)model->boneCount, sizeof( int32_t ) );
	maker.pairOf = supArena_AllocArray( &maker.scratch, (size_t)model->boneCount, sizeof( int32_t ) );
	bool ok = maker.scratch.failed == false;
	for ( int32_t i = 0; ok && i < model->boneCount; ++i )
	{
		maker.pairOf[i] = -1;
	}
	if ( ok && def->between > 0 && def->wholeBone < 0 )
	{
		ok = MakePairs( &maker, def );
	}
	ok = ok && Fill( &maker );
	supArena_Destroy( &maker.scratch );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where they are

static void MapPoint( const supFemFrame* frame, const double in[3], double out[3] )
{
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = frame->a[i][0] * in[0] + frame->a[i][1] * in[1] + frame->a[i][2] * in[2] + frame->t[i];
	}
}

// What a frame does beside turning, R^T A.
static void FindStretch( const supFemFrame* frame, double part, double sum[3][3] )
{
	for ( int i = 0; i < 9; ++i )
	{
		int r = i / 3, c = i % 3;
		sum[r][c] += part * ( frame->r[0][r] * frame->a[0][c] + frame->r[1][r] * frame->a[1][c] +
							  frame->r[2][r] * frame->a[2][c] );
	}
}

static supFemFrame Interpolate( const supFemPair* pair, const supFemFrame* first, const supFemFrame* second, double b,
								double way )
{
	supFemFrame frame;
	double a = 1.0 - b, q[4], size = 0.0, stretch[3][3] = { 0 }, ends[2][3];
	for ( int i = 0; i < 4; ++i )
	{
		q[i] = a * first->q[i] + way * b * second->q[i];
		size += q[i] * q[i];
	}
	for ( int i = 0; i < 4; ++i )
	{
		frame.q[i] = q[i] / sqrt( size );
	}
	supFemFrame_TakeTurn( &frame );
	memcpy( frame.a, frame.r, sizeof( frame.r ) );
	if ( memcmp( first->a, first->r, sizeof( first->r ) ) != 0 ||
		 memcmp( second->a, second->r, sizeof( second->r ) ) != 0 )
	{
		FindStretch( first, a, stretch );
		FindStretch( second, b, stretch );
		for ( int i = 0; i < 9; ++i )
		{
			int r = i / 3, c = i % 3;
			frame.a[r][c] =
				frame.r[r][0] * stretch[0][c] + frame.r[r][1] * stretch[1][c] + frame.r[r][2] * stretch[2][c];
		}
	}
	MapPoint( first, pair->origin, ends[0] );
	MapPoint( second, pair->origin, ends[1] );
	for ( int i = 0; i < 3; ++i )
	{
		const double* o = pair->origin;
		frame.t[i] =
			a * ends[0][i] + b * ends[1][i] - ( frame.a[i][0] * o[0] + frame.a[i][1] * o[1] + frame.a[i][2] * o[2] );
	}
	return frame;
}

static double Dot( const supFemFrame* first, const supFemFrame* second )
{
	double dot = 0.0;
	for ( int i = 0; i < 4; ++i )
	{
		dot += first->q[i] * second->q[i];
	}
	return dot;
}

// Of the two ways around the one that flesh has taken so far, though it has become the longer: but not all the way
// around.
static double FindWay( double dot, double before )
{
	double shorter = dot < 0.0 ? -1.0 : 1.0;
	return before != 0.0 && before * dot > LONGEST_WAY ? before : shorter;
}

// 0 where they are turned like each other.
static double FindGate( double dot )
{
	double t = fmin( fmax( ( WAKE - dot * dot ) / ( WAKE - AWAKE ), 0.0 ), 1.0 );
	return t * t * ( 3.0 - 2.0 * t );
}

void supFemModel_PlaceFrames( const supFemModel* model, const supFemFrame* bones, supFemFrame* frames, double* gates,
							  double* ways )
{
	memcpy( frames, bones, (size_t)model->boneCount * sizeof( supFemFrame ) );
	for ( int32_t i = 0; i < model->pairCount; ++i )
	{
		const supFemPair* pair = model->pairs + i;
		const supFemFrame *first = bones + pair->first, *second = bones + pair->second;
		double dot = Dot( first, second );
		gates[i] = FindGate( dot );
		ways[i] = FindWay( dot, ways[i] );
		for ( int32_t k = 0; k < model->between; ++k )
		{
			frames[model->boneCount + i * model->between + k] =
				Interpolate( pair, first, second, (double)( k + 1 ) / (double)( model->between + 1 ), ways[i] );
		}
	}
}
