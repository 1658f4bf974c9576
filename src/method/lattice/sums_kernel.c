// SPDX-License-Identifier: MIT
// Sums over all regions at once, axis by axis, and the way back.
//
// A region needs S = sum of m p and, for each axis a, M_a = sum of m k_a p, where k is the cell as seen from the
// region. Along x a row of cells gives the sums of m p and k_x m p; along y these are summed once more, and the first
// gives k_y m p as well; along z likewise. Moments taken about each region's own cell from the start are small numbers:
// there is nothing to cancel at the end, as there is with sums of p p0 about a common origin.
//
// The way back is the transpose: a voxel needs the sum over the regions that it is in of t + R k. Along z t and the
// column R_z become one, along y that and R_y, along x that and R_x.
//
// A window is put together from narrow ones, which its neighbours share: nine cells are three windows of three, eight
// are four of two. So an axis costs much the same for every width from four to nine, and nothing of a running sum is
// ever taken off again, which would leave its rounding behind. Cells along y and z are whole registers, those along x
// the lanes of one: the same code, but for how it gets at what lies a few cells beyond.
#include "method/lattice/lattice.h"

#define CHANNELS 12

SUP_WIDE float* Channel( const supLatticeJob* job, int32_t brick, int32_t channel )
{
	return job->arrays.sums + ( (size_t)brick * CHANNELS + (size_t)channel ) * 8;
}

// ---------------------------------------------------------------------------------------------------------------------
// Windows

// Three channels of a row, column or stack side by side. What is its own begins behind the padding.
#define BESIDE 24
// cells (along x bricks) of nothing at both ends
#define PAD ( SUP_LATTICE_MAX_WIDTH / 2 )
#define LONGEST ( SUP_LATTICE_MAX_RESOLUTION + 2 * SUP_LATTICE_MAX_WIDTH + 2 * PAD )

typedef struct Strip
{
	int32_t count;
	float values[BESIDE * LONGEST];
	// of windows of three (odd widths) or two
	float sums[BESIDE * LONGEST], moments[BESIDE * LONGEST];
} Strip;

// Sum and moment over a window.
typedef struct Window
{
	supFloat8 sum, moment;
} Window;

// Eight lanes out of sixteen, from lane k on.
SUP_WIDE supFloat8 TakeLanes( supFloat8 a, supFloat8 b, int32_t k )
{
	switch ( k )
	{
		case 1:
			return __builtin_shufflevector( a, b, 1, 2, 3, 4, 5, 6, 7, 8 );
		case 2:
			return __builtin_shufflevector( a, b, 2, 3, 4, 5, 6, 7, 8, 9 );
		case 3:
			return __builtin_shufflevector( a, b, 3, 4, 5, 6, 7, 8, 9, 10 );
		case 4:
			return __builtin_shufflevector( a, b, 4, 5, 6, 7, 8, 9, 10, 11 );
		case 5:
			return __builtin_shufflevector( a, b, 5, 6, 7, 8, 9, 10, 11, 12 );
		case 6:
			return __builtin_shufflevector( a, b, 6, 7, 8, 9, 10, 11, 12, 13 );
		case 7:
			return __builtin_shufflevector( a, b, 7, 8, 9, 10, 11, 12, 13, 14 );
		default:
			return a;
	}
}

// What lies `cells` beyond a place in a strip. Loads that straddle what was just stored would wait for it, so along x
// whole bricks are loaded and shifted.
SUP_WIDE supFloat8 Beyond( const float* at, int32_t cells, bool isRow )
{
	if ( isRow == false )
	{
		return supLoad8( at + (ptrdiff_t)cells * BESIDE );
	}
	return cells >= 0 ? TakeLanes( supLoad8( at ), supLoad8( at + BESIDE ), cells )
					  : TakeLanes( supLoad8( at - BESIDE ), supLoad8( at ), 8 + cells );
}

SUP_WIDE bool IsPutTogether( int32_t width )
{
	return width > 5;
}

// Few cells, one by one. Even widths have their middle between the cell before and this one.
SUP_WIDE Window SumFew( const float* v, int32_t shift, int32_t width, bool isRow )
{
	bool isOdd = width % 2 == 1;
	supFloat8 a = Beyond( v, shift - 1, isRow ), m = Beyond( v, shift, isRow );
	supFloat8 b = isOdd ? Beyond( v, shift + 1, isRow ) : m;
	Window w = { isOdd ? a + m + b : a + b, isOdd ? b - a : 0.5f * ( b - a ) };
	if ( width > 3 )
	{
		supFloat8 c = Beyond( v, shift - 2, isRow ), d = Beyond( v, shift + ( isOdd ? 2 : 1 ), isRow );
		w.sum += c + d;
		w.moment += ( isOdd ? 2.0f : 1.5f ) * ( d - c );
	}
	return w;
}

// Of the narrow windows at both ends, `distance` cells from the middle.
SUP_WIDE Window SumEnds( const float* sums, const float* moments, int32_t shift, int32_t distance, bool isRow )
{
	supFloat8 a = Beyond( sums, shift - distance, isRow ), b = Beyond( sums, shift + distance, isRow );
	supFloat8 own = Beyond( moments, shift - distance, isRow ) + Beyond( moments, shift + distance, isRow );
	return ( Window ){ a + b, own + (float)distance * ( b - a ) };
}

// The window `shift` cells beyond float `i` of a strip.
SUP_WIDE Window SumAt( const Strip* strip, int32_t i, int32_t shift, int32_t width, bool isRow )
{
	if ( IsPutTogether( width ) == false )
	{
		return SumFew( strip->values + i, shift, width, isRow );
	}
	const float *sums = strip->sums + i, *moments = strip->moments + i;
	Window w = SumEnds( sums, moments, shift, width == 6 || width == 7 ? 2 : 3, isRow );
	if ( width == 6 || width == 9 )
	{
		w.sum += Beyond( sums, shift, isRow );
		w.moment += Beyond( moments, shift, isRow );
	}
	if ( width == 7 )
	{
		w.sum += Beyond( strip->values + i, shift, isRow );
	}
	if ( width == 8 )
	{
		Window inner = SumEnds( sums, moments, shift, 1, isRow );
		w.sum += inner.sum;
		w.moment += inner.moment;
	}
	return w;
}

// Begins a strip of `count` cells, or bricks along x.
SUP_WIDE void InitStrip( Strip* strip, int32_t count, bool isRow )
{
	strip->count = count;
	int32_t edge = isRow ? 2 : PAD;
	for ( int32_t i = 0; i < edge * BESIDE; i += 8 )
	{
		supStore8( strip->values + BESIDE * ( PAD - edge ) + i, supSplat8( 0.0f ) );
		supStore8( strip->values + BESIDE * ( PAD + count ) + i, supSplat8( 0.0f ) );
	}
}

// The narrow windows of a strip, as far as wide ones will ask for them.
SUP_WIDE void FillStrip( Strip* strip, int32_t width, bool withMoments, bool isRow )
{
	int32_t edge = isRow ? 1 : PAD - 1;
	// even windows as voxels see them reach one cell farther
	int32_t last = isRow == false && width % 2 == 0 ? edge + 1 : edge;
	int32_t end = IsPutTogether( width ) ? BESIDE * ( PAD + strip->count + last ) : 0;
	for ( int32_t i = BESIDE * ( PAD - edge ); i < end; i += 8 )
	{
		Window w = SumFew( strip->values + i, 0, 2 + width % 2, isRow );
		supStore8( strip->sums + i, w.sum );
		if ( withMoments )
		{
			supStore8( strip->moments + i, w.moment );
		}
	}
}

// Code of its own for each width, which comes last among the arguments.
#define FOR_WIDTH( width, function, ... )                                                                              \
	switch ( width )                                                                                                   \
	{                                                                                                                  \
		case 2:                                                                                                        \
			function( __VA_ARGS__, 2 );                                                                                \
			break;                                                                                                     \
		case 3:                                                                                                        \
			function( __VA_ARGS__, 3 );                                                                                \
			break;                                                                                                     \
		case 4:                                                                                                        \
			function( __VA_ARGS__, 4 );                                                                                \
			break;                                                                                                     \
		case 5:                                                                                                        \
			function( __VA_ARGS__, 5 );                                                                                \
			break;                                                                                                     \
		case 6:                                                                                                        \
			function( __VA_ARGS__, 6 );                                                                                \
			break;                                                                                                     \
		case 7:                                                                                                        \
			function( __VA_ARGS__, 7 );                                                                                \
			break;                                                                                                     \
		case 8:                                                                                                        \
			function( __VA_ARGS__, 8 );                                                                                \
			break;                                                                                                     \
		default:                                                                                                       \
			function( __VA_ARGS__, 9 );                                                                                \
			break;                                                                                                     \
	}

// ---------------------------------------------------------------------------------------------------------------------
// Lines along y and z

typedef struct Line
{
	const int32_t* bricks;
	int32_t count;
} Line;

static const float s_nothing[BESIDE];

// What becomes of three channels.
typedef enum Outcome
{
	// their sums over the window
	outSum,
	// their sums, and three more channels their moments
	outBoth,
	outMoment,
	// their sums, less three more channels
	outDifference,
} Outcome;

// `shift` is 1 for even windows as voxels see them: the other way round.
SUP_WIDE void SumWideLine( const supLatticeJob* job, const Line* line, int32_t channel, int32_t more, int32_t shift,
						   Outcome outcome, int32_t width )
{
	Strip strip;
	InitStrip( &strip, line->count, false );
	for ( int32_t i = 0; i < line->count; ++i )
	{
		const float* from = line->bricks[i] >= 0 ? Channel( job, line->bricks[i], channel ) : s_nothing;
		memcpy( strip.values + BESIDE * ( PAD + i ), from, BESIDE * sizeof( float ) );
	}
	FillStrip( &strip, width, outcome == outBoth || outcome == outMoment, false );
	for ( int32_t i = 0; i < line->count; ++i )
	{
		if ( line->bricks[i] < 0 )
		{
			continue;
		}
		float *out = Channel( job, line->bricks[i], channel ), *other = Channel( job, line->bricks[i], more );
		for ( int32_t c = 0; c < BESIDE; c += 8 )
		{
			Window w = SumAt( &strip, BESIDE * ( PAD + i ) + c, shift, width, false );
			supStore8( out + c, outcome == outMoment
									? w.moment
									: ( outcome == outDifference ? w.sum - supLoad8( other + c ) : w.sum ) );
			if ( outcome == outBoth )
			{
				supStore8( other + c, w.moment );
			}
		}
	}
}

SUP_WIDE supFloat8 LoadAt( const supLatticeJob* job, const Line* line, int32_t i, int32_t channel )
{
	return i < line->count && line->bricks[i] >= 0 ? supLoad8( Channel( job, line->bricks[i], channel ) )
												   : supSplat8( 0.0f );
}

// Windows of three in place: what a store overwrites is in a register already.
static void SumLineOfThree( const supLatticeJob* job, const Line* line, int32_t channel, int32_t moment )
{
	supFloat8 before = supSplat8( 0.0f ), here = LoadAt( job, line, 0, channel );
	for ( int32_t i = 0; i < line->count; ++i )
	{
		supFloat8 after = LoadAt( job, line, i + 1, channel );
		if ( line->bricks[i] >= 0 )
		{
			supStore8( Channel( job, line->bricks[i], channel ), before + here + after );
			if ( moment >= 0 )
			{
				supStore8( Channel( job, line->bricks[i], moment ), after - before );
			}
		}
		before = here;
		here = after;
	}
}

static void SpreadLineOfThree( const supLatticeJob* job, const Line* line, int32_t channel, int32_t turn )
{
	supFloat8 before = supSplat8( 0.0f ), here = LoadAt( job, line, 0, channel );
	supFloat8 turnBefore = supSplat8( 0.0f ), turnHere = LoadAt( job, line, 0, turn );
	for ( int32_t i = 0; i < line->count; ++i )
	{
		supFloat8 after = LoadAt( job, line, i + 1, channel );
		supFloat8 turnAfter = LoadAt( job, line, i + 1, turn );
		if ( line->bricks[i] >= 0 )
		{
			supStore8( Channel( job, line->bricks[i], channel ),
					   ( before + here + after ) - ( turnAfter - turnBefore ) );
		}
		before = here;
		here = after;
		turnBefore = turnHere;
		turnHere = turnAfter;
	}
}

static void TakeSums( const supLatticeJob* job, const Line* line, int32_t channel, int32_t shift )
{
	FOR_WIDTH( job->flesh->window.width, SumWideLine, job, line, channel, 0, shift, outSum )
}

static void TakeBoth( const supLatticeJob* job, const Line* line, int32_t channel, int32_t more )
{
	FOR_WIDTH( job->flesh->window.width, SumWideLine, job, line, channel, more, 0, outBoth )
}

static void TakeMoments( const supLatticeJob* job, const Line* line, int32_t channel, int32_t shift )
{
	FOR_WIDTH( job->flesh->window.width, SumWideLine, job, line, channel, 0, shift, outMoment )
}

static void TakeDifferences( const supLatticeJob* job, const Line* line, int32_t channel, int32_t more, int32_t shift ){
	FOR_WIDTH( job->flesh->window.width, SumWideLine, job, line, channel, more, shift, outDifference )
}

SUP_WIDE Line GetLine( const supLatticeLines* lines, int32_t i )
{
	return ( Line ){ lines->bricks + lines->starts[i], lines->starts[i + 1] - lines->starts[i] };
}

// The first `channels` are summed; the moments of the first three go behind them.
SUP_WIDE void SumLines( const supLatticeJob* job, const supLatticeLines* lines, int32_t begin, int32_t end,
						int32_t channels )
{
	for ( int32_t i = begin; i < end; ++i )
	{
		Line line = GetLine( lines, i );
		if ( job->flesh->window.width == 3 )
		{
			for ( int32_t c = channels - 1; c >= 0; --c )
			{
				SumLineOfThree( job, &line, c, c < 3 ? channels + c : -1 );
			}
			continue;
		}
		for ( int32_t c = 3; c < channels; c += 3 )
		{
			TakeSums( job, &line, c, 0 );
		}
		TakeBoth( job, &line, 0, channels );
	}
}

// The last three of `channels` are folded into the first three; those between are summed.
SUP_WIDE void SpreadLines( const supLatticeJob* job, const supLatticeLines* lines, int32_t begin, int32_t end,
						   int32_t channels )
{
	int32_t width = job->flesh->window.width, shift = width % 2 == 0 ? 1 : 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		Line line = GetLine( lines, i );
		if ( width == 3 )
		{
			for ( int32_t c = 0; c < channels - 3; ++c )
			{
				if ( c < 3 )
				{
					SpreadLineOfThree( job, &line, c, channels - 3 + c );
				}
				else
				{
					SumLineOfThree( job, &line, c, -1 );
				}
			}
			continue;
		}
		TakeMoments( job, &line, channels - 3, shift );
		TakeDifferences( job, &line, 0, channels - 3, shift );
		for ( int32_t c = 3; c < channels - 3; c += 3 )
		{
			TakeSums( job, &line, c, shift );
		}
	}
}

void SUP_KERNEL( supLatticeSumColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	SumLines( job, &job->flesh->columns, begin, end, 6 );
}

void SUP_KERNEL( supLatticeSumStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	SumLines( job, &job->flesh->stacks, begin, end, 9 );
}

void SUP_KERNEL( supLatticeSpreadStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	SpreadLines( job, &job->flesh->stacks, begin, end, 12 );
}

void SUP_KERNEL( supLatticeSpreadColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	SpreadLines( job, &job->flesh->columns, begin, end, 9 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows along x: bricks that follow each other in memory

SUP_WIDE void SumRow( const supLatticeJob* job, int32_t first, int32_t count, int32_t width )
{
	Strip strip;
	InitStrip( &strip, count, true );
	for ( int32_t b = 0; b < count; ++b )
	{
		supFloat8 mass = supLoad8( job->flesh->shares + (size_t)( first + b ) * 8 );
		const float* p = job->from + (size_t)( first + b ) * BESIDE;
		for ( int32_t c = 0; c < BESIDE; c += 8 )
		{
			supStore8( strip.values + BESIDE * ( PAD + b ) + c, mass * supLoad8( p + c ) );
		}
	}
	FillStrip( &strip, width, true, true );
	for ( int32_t b = 0; b < count; ++b )
	{
		float *sums = Channel( job, first + b, 0 ), *moments = Channel( job, first + b, 3 );
		for ( int32_t c = 0; c < BESIDE; c += 8 )
		{
			Window w = SumAt( &strip, BESIDE * ( PAD + b ) + c, 0, width, true );
			supStore8( sums + c, w.sum );
			supStore8( moments + c, w.moment );
		}
	}
}

// Three channels := their moments (of those behind), or their sums less these.
SUP_WIDE void SpreadThree( const supLatticeJob* job, int32_t first, int32_t count, bool isTurn, int32_t width )
{
	Strip strip;
	int32_t channel = isTurn ? 3 : 0;
	InitStrip( &strip, count, true );
	for ( int32_t b = 0; b < count; ++b )
	{
		memcpy( strip.values + BESIDE * ( PAD + b ), Channel( job, first + b, channel ), BESIDE * sizeof( float ) );
	}
	FillStrip( &strip, width, isTurn, true );
	for ( int32_t b = 0; b < count; ++b )
	{
		if ( job->flesh->masks[first + b] == 0 )
		{
			continue;
		}
		float *out = Channel( job, first + b, channel ), *turns = Channel( job, first + b, 3 );
		for ( int32_t c = 0; c < BESIDE; c += 8 )
		{
			Window w = SumAt( &strip, BESIDE * ( PAD + b ) + c, width % 2 == 0 ? 1 : 0, width, true );
			supStore8( out + c, isTurn ? w.moment : w.sum - supLoad8( turns + c ) );
		}
	}
}

SUP_WIDE void SpreadRow( const supLatticeJob* job, int32_t first, int32_t count, int32_t width )
{
	SpreadThree( job, first, count, true, width );
	SpreadThree( job, first, count, false, width );
}

void SUP_KERNEL( supLatticeSumRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeLines* rows = &job->flesh->rows;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t first = rows->bricks[rows->starts[i]], count = rows->starts[i + 1] - rows->starts[i];
		FOR_WIDTH( job->flesh->window.width, SumRow, job, first, count )
	}
}

void SUP_KERNEL( supLatticeSpreadRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeLines* rows = &job->flesh->rows;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t first = rows->bricks[rows->starts[i]], count = rows->starts[i + 1] - rows->starts[i];
		FOR_WIDTH( job->flesh->window.width, SpreadRow, job, first, count )
	}
}
