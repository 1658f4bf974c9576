// SPDX-License-Identifier: MIT
// Which finer functions take part.
#include "method/fem/detail.h"

#include <math.h>

// Part of a threshold below which a function fades out, and what is left of its coefficient after each step of that.
#define LEAVE_THRESHOLD_RATIO 0.4
#define FADE 0.6

// Part of the body's extent below which a coefficient cannot be seen.
#define MIN_COEFFICIENT_RATIO 1e-7

// A threshold where flesh is held.
#define HELD_THRESHOLD_RATIO 0.25

// Most cells that are searched in a step, and functions that join in it.
#define MOST_CELLS 32
#define MOST_JOINS 24

typedef struct Adapter
{
	const supFemDetail* detail;
	const supDetailState* state;
	const supFemModel* model;
	const supFemState* body;
	const supFemTuning* tunings;
	const float* refine;
	int32_t joined;
} Adapter;

static int32_t LevelOf( const supFemDetail* detail, int32_t function )
{
	int32_t level = 0;
	while ( function >= detail->levelStarts[level + 1] )
	{
		level += 1;
	}
	return level;
}

// Solves the 3 x 3 system of a function alone, with its stiffness. By elimination: it is definite.
static double EstimateCorrection( const Adapter* a, int32_t function, const double turn[9] )
{
	const supFemDetail* detail = a->detail;
	double k[9] = { 0 }, f[3];
	supFemDetail_Drive( detail, a->state, a->tunings, function, turn, f );
	for ( int32_t e = detail->rowStarts[function]; e < detail->rowStarts[function + 1]; ++e )
	{
		const float* row = detail->rows + SUP_DETAIL_ROW * (size_t)e;
		for ( int i = 0; detail->rowColumns[e] == function && i < 9; ++i )
		{
			k[i] += a->tunings[detail->rowRegions[e]].stiffness * (double)row[i];
		}
	}
	for ( int p = 0; p < 3; ++p )
	{
		if ( !( k[4 * p] > 0.0 ) )
		{
			return 0.0;
		}
		for ( int r = p + 1; r < 3; ++r )
		{
			double factor = k[3 * r + p] / k[4 * p];
			for ( int c = p; c < 3; ++c )
			{
				k[3 * r + c] -= factor * k[3 * p + c];
			}
			f[r] -= factor * f[p];
		}
	}
	for ( int r = 2; r >= 0; --r )
	{
		for ( int c = r + 1; c < 3; ++c )
		{
			f[r] -= k[3 * r + c] * f[c];
		}
		f[r] /= k[4 * r];
	}
	return sqrt( f[0] * f[0] + f[1] * f[1] + f[2] * f[2] );
}

static bool IsHeld( const supDetailState* state, int32_t function )
{
	bool any = false;
	for ( int32_t i = 0; i < state->header->heldCount; ++i )
	{
		any = any || state->held[i] == function;
	}
	return any;
}

// m: a part of the function's width, less where it is held.
static double ThresholdOf( const Adapter* a, int32_t function )
{
	double part = (double)a->refine[LevelOf( a->detail, function )];
	return part * (double)a->detail->widths[function] * ( IsHeld( a->state, function ) ? HELD_THRESHOLD_RATIO : 1.0 );
}

static void Join( Adapter* a, int32_t function, const double turn[9] )
{
	const supDetailState* state = a->state;
	int32_t slot = state->header->activeCount++;
	state->slots[function] = slot;
	state->functions[slot] = function;
	state->isLeaving[slot] = 0;
	memset( state->z + 3 * (size_t)slot, 0, 3 * sizeof( double ) );
	memset( state->w + 3 * (size_t)slot, 0, 3 * sizeof( double ) );
	memcpy( state->turns + 9 * (size_t)slot, turn, 9 * sizeof( double ) );
	a->joined += 1;
}

static void TryJoin( Adapter* a, int32_t function )
{
	if ( a->state->slots[function] >= 0 || a->joined >= MOST_JOINS || a->state->header->activeCount >= SUP_MAX_DETAIL )
	{
		return;
	}
	double turn[9];
	supFemDetail_FindTurn( a->detail, a->body->frames, function, turn );
	if ( EstimateCorrection( a, function, turn ) > ThresholdOf( a, function ) )
	{
		Join( a, function, turn );
	}
}

// The last slot takes the place of one that leaves.
static void Leave( const supDetailState* state, int32_t slot )
{
	int32_t last = --state->header->activeCount;
	state->slots[state->functions[slot]] = -1;
	if ( slot < last )
	{
		state->functions[slot] = state->functions[last];
		state->slots[state->functions[slot]] = slot;
		state->isLeaving[slot] = state->isLeaving[last];
		memcpy( state->z + 3 * (size_t)slot, state->z + 3 * (size_t)last, 3 * sizeof( double ) );
		memcpy( state->w + 3 * (size_t)slot, state->w + 3 * (size_t)last, 3 * sizeof( double ) );
		memcpy( state->turns + 9 * (size_t)slot, state->turns + 9 * (size_t)last, 9 * sizeof( double ) );
	}
}

// Returns how many left.
static int32_t FadeOut( Adapter* a )
{
	const supDetailState* state = a->state;
	int32_t left = 0;
	for ( int32_t slot = state->header->activeCount - 1; slot >= 0; --slot )
	{
		double *z = state->z + 3 * (size_t)slot, *w = state->w + 3 * (size_t)slot;
		double size = sqrt( z[0] * z[0] + z[1] * z[1] + z[2] * z[2] );
		double threshold = LEAVE_THRESHOLD_RATIO * ThresholdOf( a, state->functions[slot] );
		double wanted = EstimateCorrection( a, state->functions[slot], state->turns + 9 * (size_t)slot );
		state->isLeaving[slot] = wanted < threshold && ( size < threshold || state->isLeaving[slot] );
		if ( state->isLeaving[slot] == 0 )
		{
			continue;
		}
		for ( int i = 0; i < 3; ++i )
		{
			z[i] *= FADE;
			w[i] *= FADE;
		}
		if ( size < MIN_COEFFICIENT_RATIO * (double)a->model->extent )
		{
			Leave( state, slot );
			left += 1;
		}
	}
	return left;
}

// Is a function of the level below active in a cell?
static bool HasCoarser( const Adapter* a, int32_t cell, int32_t level )
{
	bool any = false;
	for ( int32_t k = a->detail->cellStarts[cell]; k < a->detail->cellStarts[cell + 1] && any == false; ++k )
	{
		int32_t function = a->detail->cellFunctions[k];
		any = LevelOf( a->detail, function ) == level - 1 && a->state->slots[function] >= 0;
	}
	return any;
}

static void SearchCell( Adapter* a, int32_t cell )
{
	for ( int32_t level = 0; level < a->detail->levelCount; ++level )
	{
		if ( level > 0 && HasCoarser( a, cell, level ) == false )
		{
			return;
		}
		for ( int32_t k = a->detail->cellStarts[cell]; k < a->detail->cellStarts[cell + 1]; ++k )
		{
			if ( LevelOf( a->detail, a->detail->cellFunctions[k] ) == level )
			{
				TryJoin( a, a->detail->cellFunctions[k] );
			}
		}
	}
}

static double SizeOf( const double h[9] )
{
	double sum = 0.0;
	for ( int i = 0; i < 9; ++i )
	{
		sum += h[i] * h[i];
	}
	return sum;
}

bool supFemDetail_Adapt( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
						 const supFemState* body, const supFemTuning* tunings, const float* refine )
{
	if ( detail->count == 0 )
	{
		return false;
	}
	Adapter a = { detail, state, model, body, tunings, refine, 0 };
	supFemDetail_Look( detail, state, model, body );
	int32_t left = FadeOut( &a );
	// a function corrects no more than the strain times its width, whatever its cells
	float least = INFINITY;
	for ( int32_t i = 0; i < detail->levelCount; ++i )
	{
		least = supMinFloat( least, refine[i] );
	}
	double gate = ( state->header->heldCount > 0 ? HELD_THRESHOLD_RATIO : 1.0 ) * (double)least;
	int32_t searched = 0, cell = state->header->cursor;
	for ( int32_t i = 0; i < detail->cellCount && searched < MOST_CELLS; ++i )
	{
		if ( SizeOf( state->strains + 9 * (size_t)cell ) > gate * gate )
		{
			SearchCell( &a, cell );
			searched += 1;
		}
		cell = cell + 1 < detail->cellCount ? cell + 1 : 0;
	}
	state->header->cursor = cell;
	state->header->heldCount = 0;
	return left > 0 || a.joined > 0;
}
