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
// The cells of a window are in registers while a line goes by: each is read once and each sum written once, whatever
// the width, and that is what a sum costs. Nothing of a running sum is ever taken off again, which would leave its
// rounding behind. Up to nine cells a register each beat putting windows together from narrower ones or from sums of
// blocks, which add less but must go through memory. Cells along y and z are whole registers, those along x the lanes
// of one.
//
// Where only sums pass through (bricks.c) no sum ends and no motion begins: stacks leave these bricks alone on the way
// to regions, and take them for zero on the way back.
#include "method/lattice/lattice.h"

#define CHANNELS 12

SUP_WIDE float* Channel( const supLatticeJob* job, int32_t brick, int32_t channel )
{
	return job->arrays.sums + ( (size_t)brick * CHANNELS + (size_t)channel ) * 8;
}

// ---------------------------------------------------------------------------------------------------------------------
// Windows

// Sum and moment over a window.
typedef struct Window
{
	supFloat8 sum, moment;
} Window;

// Of cells in a ring, the first of which is at `first`. Even widths have their middle between two cells.
SUP_WIDE Window SumCells( const supFloat8* v, int32_t first, int32_t width )
{
	bool isOdd = width % 2 == 1;
	int32_t m = first + width / 2;
	supFloat8 a = v[( m - 1 ) % width], b = v[( isOdd ? m + 1 : m ) % width];
	Window w = { isOdd ? a + v[m % width] + b : a + b, isOdd ? b - a : 0.5f * ( b - a ) };
	for ( int32_t k = 2; k <= width / 2; ++k )
	{
		supFloat8 c = v[( m - k ) % width], d = v[( isOdd ? m + k : m + k - 1 ) % width];
		w.sum += c + d;
		w.moment += ( isOdd ? (float)k : (float)k - 0.5f ) * ( d - c );
	}
	return w;
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

// cells of nothing at both ends
#define PAD 5
#define LONGEST ( SUP_LATTICE_MAX_RESOLUTION + 4 * SUP_LATTICE_MAX_WIDTH + 2 * PAD )

static const float s_nothing[8 * CHANNELS];

// Where the sums of a line's cells are: to read, zeros where there are none; to write, NULL there.
typedef struct Line
{
	int32_t count;
	const float* from[LONGEST];
	float* to[LONGEST];
} Line;

// Bricks below `inputs` are read, those below `outputs` written.
SUP_WIDE void GetLine( const supLatticeJob* job, const supLatticeLines* lines, int32_t i, int32_t inputs,
					   int32_t outputs, Line* line )
{
	const int32_t* bricks = lines->bricks + lines->starts[i];
	line->count = lines->starts[i + 1] - lines->starts[i];
	for ( int32_t k = 0; k < PAD; ++k )
	{
		line->from[k] = s_nothing;
		line->from[PAD + line->count + k] = s_nothing;
	}
	for ( int32_t k = 0; k < line->count; ++k )
	{
		float* sums = Channel( job, bricks[k] < 0 ? 0 : bricks[k], 0 );
		line->from[PAD + k] = (uint32_t)bricks[k] < (uint32_t)inputs ? sums : s_nothing;
		line->to[k] = (uint32_t)bricks[k] < (uint32_t)outputs ? sums : NULL;
	}
}

// The cells of a window but the last, `shift` cells beyond the first of a line.
SUP_WIDE void EnterWindow( const Line* line, int32_t channel, int32_t shift, int32_t width, supFloat8* cells )
{
	for ( int32_t k = 0; k < width - 1; ++k )
	{
		cells[k] = supLoad8( line->from[PAD + shift - width / 2 + k] + 8 * channel );
	}
}

// Takes the last cell in.
SUP_WIDE Window SlideWindow( const Line* line, int32_t i, int32_t step, int32_t channel, int32_t shift, int32_t width,
							 supFloat8* cells )
{
	cells[( step + width - 1 ) % width] = supLoad8( line->from[PAD + i + shift + ( width - 1 ) / 2] + 8 * channel );
	return SumCells( cells, step, width );
}

// Steps along a line come in rounds of as many as a window has cells, so that which cell of the ring is which is known
// when this is compiled.
#define ROUND _Pragma( "GCC unroll 9" )

// A channel := its sums over the window, and another one its moments, or none (-1). `shift` is 1 for even windows as
// voxels see them: the other way round. In place: what a store overwrites has been read already.
SUP_WIDE void SumChannel( const Line* line, int32_t channel, int32_t moment, int32_t shift, int32_t width )
{
	supFloat8 cells[SUP_LATTICE_MAX_WIDTH];
	EnterWindow( line, channel, shift, width, cells );
	for ( int32_t first = 0; first < line->count; first += width )
	{
		ROUND for ( int32_t step = 0; step < width; ++step )
		{
			int32_t i = first + step;
			if ( i >= line->count )
			{
				break;
			}
			Window w = SlideWindow( line, i, step, channel, shift, width, cells );
			if ( line->to[i] != NULL )
			{
				supStore8( line->to[i] + 8 * channel, w.sum );
				if ( moment >= 0 )
				{
					supStore8( line->to[i] + 8 * moment, w.moment );
				}
			}
		}
	}
}

// A channel := its sums less the moments of another one.
SUP_WIDE void FoldChannel( const Line* line, int32_t channel, int32_t turn, int32_t shift, int32_t width )
{
	supFloat8 cells[SUP_LATTICE_MAX_WIDTH], turnCells[SUP_LATTICE_MAX_WIDTH];
	EnterWindow( line, channel, shift, width, cells );
	EnterWindow( line, turn, shift, width, turnCells );
	for ( int32_t first = 0; first < line->count; first += width )
	{
		ROUND for ( int32_t step = 0; step < width; ++step )
		{
			int32_t i = first + step;
			if ( i >= line->count )
			{
				break;
			}
			Window w = SlideWindow( line, i, step, channel, shift, width, cells );
			Window t = SlideWindow( line, i, step, turn, shift, width, turnCells );
			if ( line->to[i] != NULL )
			{
				supStore8( line->to[i] + 8 * channel, w.sum - t.moment );
			}
		}
	}
}

// The first `channels` are summed; the moments of the first three go behind them.
SUP_WIDE void SumLine( const Line* line, int32_t channels, int32_t width )
{
	for ( int32_t c = 3; c < channels; ++c )
	{
		SumChannel( line, c, -1, 0, width );
	}
	for ( int32_t c = 0; c < 3; ++c )
	{
		SumChannel( line, c, channels + c, 0, width );
	}
}

// The last three of `channels` are folded into the first three; those between are summed.
SUP_WIDE void SpreadLine( const Line* line, int32_t channels, int32_t width )
{
	int32_t shift = width % 2 == 0 ? 1 : 0;
	for ( int32_t c = 0; c < 3; ++c )
	{
		FoldChannel( line, c, channels - 3 + c, shift, width );
	}
	for ( int32_t c = 3; c < channels - 3; ++c )
	{
		SumChannel( line, c, -1, shift, width );
	}
}

void SUP_KERNEL( supLatticeSumColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		Line line;
		GetLine( job, &f->columns, i, f->brickCount, f->brickCount, &line );
		FOR_WIDTH( f->window.width, SumLine, &line, 6 )
	}
}

void SUP_KERNEL( supLatticeSumStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		Line line;
		GetLine( job, &f->stacks, i, f->brickCount, f->regionBrickCount, &line );
		FOR_WIDTH( f->window.width, SumLine, &line, 9 )
	}
}

void SUP_KERNEL( supLatticeSpreadStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		Line line;
		GetLine( job, &f->stacks, i, f->regionBrickCount, f->brickCount, &line );
		FOR_WIDTH( f->window.width, SpreadLine, &line, 12 )
	}
}

void SUP_KERNEL( supLatticeSpreadColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		Line line;
		GetLine( job, &f->columns, i, f->brickCount, f->brickCount, &line );
		FOR_WIDTH( f->window.width, SpreadLine, &line, 9 )
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows along x

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

// Three bricks in a row.
typedef struct Three
{
	supFloat8 before, here, after;
} Three;

SUP_WIDE void Push( Three* three, supFloat8 next )
{
	three->before = three->here;
	three->here = three->after;
	three->after = next;
}

// What lies `cells` beyond.
SUP_WIDE supFloat8 Beyond( const Three* three, int32_t cells )
{
	return cells >= 0 ? TakeLanes( three->here, three->after, cells )
					  : TakeLanes( three->before, three->here, 8 + cells );
}

SUP_WIDE Window SumLanes( const Three* three, int32_t shift, int32_t width )
{
	supFloat8 cells[SUP_LATTICE_MAX_WIDTH];
	for ( int32_t k = 0; k < width; ++k )
	{
		cells[k] = Beyond( three, shift - width / 2 + k );
	}
	return SumCells( cells, 0, width );
}

// Mass times place, zero where there is no voxel.
SUP_WIDE supFloat8 LoadVoxels( const supLatticeJob* job, const int32_t* bricks, int32_t count, int32_t i, int32_t c )
{
	if ( i >= count || bricks[i] >= job->flesh->voxelBrickCount )
	{
		return supSplat8( 0.0f );
	}
	return supLoad8( job->flesh->shares + (size_t)bricks[i] * 8 ) *
		   supLoad8( job->from + (size_t)bricks[i] * 24 + (size_t)( 8 * c ) );
}

SUP_WIDE void SumRow( const supLatticeJob* job, const int32_t* bricks, int32_t count, int32_t width )
{
	for ( int32_t c = 0; c < 3; ++c )
	{
		Three three = { .after = LoadVoxels( job, bricks, count, 0, c ) };
		for ( int32_t i = 0; i < count; ++i )
		{
			Push( &three, LoadVoxels( job, bricks, count, i + 1, c ) );
			Window w = SumLanes( &three, 0, width );
			supStore8( Channel( job, bricks[i], c ), w.sum );
			supStore8( Channel( job, bricks[i], 3 + c ), w.moment );
		}
	}
}

SUP_WIDE supFloat8 LoadMotion( const supLatticeJob* job, const int32_t* bricks, int32_t count, int32_t i, int32_t c )
{
	return i < count ? supLoad8( Channel( job, bricks[i], c ) ) : supSplat8( 0.0f );
}

// Sums of three channels less the moments of those behind, where there are voxels.
SUP_WIDE void SpreadRow( const supLatticeJob* job, const int32_t* bricks, int32_t count, int32_t width )
{
	int32_t shift = width % 2 == 0 ? 1 : 0;
	for ( int32_t c = 0; c < 3; ++c )
	{
		Three three = { .after = LoadMotion( job, bricks, count, 0, c ) };
		Three turns = { .after = LoadMotion( job, bricks, count, 0, 3 + c ) };
		for ( int32_t i = 0; i < count; ++i )
		{
			Push( &three, LoadMotion( job, bricks, count, i + 1, c ) );
			Push( &turns, LoadMotion( job, bricks, count, i + 1, 3 + c ) );
			if ( bricks[i] < job->flesh->voxelBrickCount )
			{
				Window w = SumLanes( &three, shift, width ), t = SumLanes( &turns, shift, width );
				supStore8( Channel( job, bricks[i], c ), w.sum - t.moment );
			}
		}
	}
}

void SUP_KERNEL( supLatticeSumRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeLines* rows = &job->flesh->rows;
	for ( int32_t i = begin; i < end; ++i )
	{
		const int32_t* bricks = rows->bricks + rows->starts[i];
		int32_t count = rows->starts[i + 1] - rows->starts[i];
		FOR_WIDTH( job->flesh->window.width, SumRow, job, bricks, count )
	}
}

void SUP_KERNEL( supLatticeSpreadRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeLines* rows = &job->flesh->rows;
	for ( int32_t i = begin; i < end; ++i )
	{
		const int32_t* bricks = rows->bricks + rows->starts[i];
		int32_t count = rows->starts[i + 1] - rows->starts[i];
		FOR_WIDTH( job->flesh->window.width, SpreadRow, job, bricks, count )
	}
}
