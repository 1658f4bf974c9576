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
#define MAX_TURN_HALF_COSINE ( -0.5 )

// A pair needs a function that is at least so much of a frame between: else its region is not worth having.
#define LEAST_PEAK 0.25f

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

static supJointSharing Sharing( const Maker* maker )
{
	return ( supJointSharing ){ maker->model->boneCount, maker->between, maker->partners, maker->pairOf };
}

static int32_t ShareOut( const supFemModel* model, const supJointSharing* sharing, int32_t function,
						 supFrameShare shares[SUP_MOST_SHARES] )
{
	size_t slot = SUP_MAX_INFLUENCES * (size_t)function;
	return supShareJoints( sharing, model->joints + slot, model->weights + slot, shares );
}

static int CompareClaims( const void* a, const void* b )
{
	const supFrameShare *first = a, *second = b;
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
	supJointSharing sharing = Sharing( maker );
	supFrameShare shares[SUP_MOST_SHARES];
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		if ( model->isKnown[i] )
		{
			continue;
		}
		int32_t count = ShareOut( model, &sharing, i, shares );
		for ( int32_t k = 0; k < count; ++k )
		{
			const supFrameShare* claim = shares + k;
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
	supJointSharing sharing = Sharing( maker );
	supFrameShare shares[SUP_MOST_SHARES];
	int32_t total = 0;
	model->claimStarts = supArena_AllocArray( &model->arena, (size_t)model->functionCount + 1, sizeof( int32_t ) );
	for ( int pass = 0; pass < 2; ++pass )
	{
		if ( pass == 1 )
		{
			model->claims = supArena_AllocArray( &model->arena, (size_t)total, sizeof( supFrameShare ) );
		}
		if ( model->arena.failed )
		{
			return false;
		}
		total = 0;
		for ( int32_t i = 0; i < model->functionCount; ++i )
		{
			int32_t count = ShareOut( model, &sharing, i, shares );
			qsort( shares, (size_t)count, sizeof( supFrameShare ), CompareClaims );
			model->claimStarts[i] = total;
			for ( int32_t k = 0; k < count; ++k, ++total )
			{
				if ( pass == 1 )
				{
					model->claims[total] = shares[k];
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
	return before != 0.0 && before * dot > MAX_TURN_HALF_COSINE ? before : shorter;
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
