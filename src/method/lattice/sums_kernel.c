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
// What a sum costs is bounded whatever the width. Windows as wide as SUP_LATTICE_BLOCKS_FROM or wider cut a line into
// blocks of their width: each window is the end of one block and the beginning of the next, and both grow by one cell
// at a time (as in van Herk 1992), so that there are three additions a cell, nine operations with the moment, for every
// width. Narrower windows take fewer where all their cells stay in registers while the line goes by. Either way nothing
// of a sum is ever taken off again, which would leave its rounding behind. Cells along y and z are whole registers,
// those along x the lanes of one, of which a window never has more than nine.
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

// A window on its way along a line.
typedef struct Slide
{
	// the ring of its cells; of blocks those of the next one
	supFloat8 cells[SUP_LATTICE_MAX_WIDTH];
	// of blocks: from each cell to the end of the block, and about that cell
	supFloat8 sums[SUP_LATTICE_MAX_WIDTH], moments[SUP_LATTICE_MAX_WIDTH];
	// from the beginning of the next block to the cell at hand, and about that cell the other way round
	supFloat8 sum, moment;
} Slide;

SUP_WIDE supFloat8 LoadCell( const Line* line, int32_t channel, int32_t shift, int32_t width, int32_t i )
{
	return supLoad8( line->from[PAD + shift - width / 2 + i] + 8 * channel );
}

// The cells of the first window but the last.
SUP_WIDE void Enter( Slide* slide, const Line* line, int32_t channel, int32_t shift, int32_t width )
{
	for ( int32_t k = 0; k < width - 1; ++k )
	{
		slide->cells[k] = LoadCell( line, channel, shift, width, k );
	}
}

// Steps along a line come in rounds of as many as a window has cells, so that which cell is which is known when this is
// compiled.
#define ROUND _Pragma( "GCC unroll 9" )

// A round begins where a window is a whole block.
SUP_WIDE void BeginRound( Slide* slide, const Line* line, int32_t channel, int32_t shift, int32_t width, int32_t first )
{
	supFloat8 sum = supSplat8( 0.0f ), moment = supSplat8( 0.0f );
	slide->sum = sum;
	slide->moment = moment;
	slide->cells[width - 1] = LoadCell( line, channel, shift, width, first + width - 1 );
	ROUND for ( int32_t k = width - 1; k >= 0; --k )
	{
		moment += sum;
		sum += slide->cells[k];
		slide->sums[k] = sum;
		slide->moments[k] = moment;
	}
}

// The window in a round's step: what is left of the block, and as much of the next one.
SUP_WIDE Window JoinBlocks( Slide* slide, const Line* line, int32_t channel, int32_t shift, int32_t width,
							int32_t first, int32_t step )
{
	if ( step > 0 )
	{
		supFloat8 cell = LoadCell( line, channel, shift, width, first + step + width - 1 );
		slide->cells[step - 1] = cell;
		slide->moment += slide->sum;
		slide->sum += cell;
	}
	float half = 0.5f * (float)( width - 1 );
	return ( Window ){ slide->sums[step] + slide->sum,
					   ( slide->moments[step] - slide->moment ) + half * ( slide->sum - slide->sums[step] ) };
}

SUP_WIDE Window NextWindow( Slide* slide, const Line* line, int32_t channel, int32_t shift, int32_t width,
							int32_t first, int32_t step )
{
	if ( width >= SUP_LATTICE_BLOCKS_FROM )
	{
		if ( step == 0 )
		{
			BeginRound( slide, line, channel, shift, width, first );
		}
		return JoinBlocks( slide, line, channel, shift, width, first, step );
	}
	slide->cells[( step + width - 1 ) % width] = LoadCell( line, channel, shift, width, first + step + width - 1 );
	return SumCells( slide->cells, step, width );
}

// Three channels := their sums over the window; three others := their moments, or none (-1); less the moments of three
// from `turn` on, or of none. `shift` is 1 for even windows as voxels see them: the other way round. In place: what a
// store overwrites has been read already.
SUP_WIDE void SumChannels( const Line* line, int32_t channel, int32_t moment, int32_t turn, int32_t shift,
						   int32_t width )
{
	Slide own[3], turns[3];
	for ( int32_t c = 0; c < 3; ++c )
	{
		Enter( own + c, line, channel + c, shift, width );
		if ( turn >= 0 )
		{
			Enter( turns + c, line, turn + c, shift, width );
		}
	}
	for ( int32_t first = 0; first < line->count; first += width )
	{
		ROUND for ( int32_t step = 0; step < width; ++step )
		{
			int32_t i = first + step;
			if ( i >= line->count )
			{
				break;
			}
			float* to = line->to[i];
			ROUND for ( int32_t c = 0; c < 3; ++c )
			{
				Window w = NextWindow( own + c, line, channel + c, shift, width, first, step );
				if ( turn >= 0 )
				{
					w.sum -= NextWindow( turns + c, line, turn + c, shift, width, first, step ).moment;
				}
				if ( to != NULL )
				{
					supStore8( to + 8 * ( channel + c ), w.sum );
					if ( moment >= 0 )
					{
						supStore8( to + 8 * ( moment + c ), w.moment );
					}
				}
			}
		}
	}
}

// The first `channels` are summed; the moments of the first three go behind them.
SUP_WIDE void SumLine( const Line* line, int32_t channels, int32_t width )
{
	for ( int32_t c = 3; c < channels; c += 3 )
	{
		SumChannels( line, c, -1, -1, 0, width );
	}
	SumChannels( line, 0, channels, -1, 0, width );
}

// The last three of `channels` are folded into the first three; those between are summed.
SUP_WIDE void SpreadLine( const Line* line, int32_t channels, int32_t width )
{
	int32_t shift = width % 2 == 0 ? 1 : 0;
	SumChannels( line, 0, -1, channels - 3, shift, width );
	for ( int32_t c = 3; c < channels - 3; c += 3 )
	{
		SumChannels( line, c, -1, -1, shift, width );
	}
}

// Some lines along one axis: which bricks are read and written, and what is done with how many channels.
#define RUN_LINES( function, lines, inputs, outputs, channels )                                                        \
	for ( int32_t i = begin; i < end; ++i )                                                                            \
	{                                                                                                                  \
		Line line;                                                                                                     \
		GetLine( job, lines, i, inputs, outputs, &line );                                                              \
		FOR_WIDTH( job->flesh->window.width, function, &line, channels )                                               \
	}

void SUP_KERNEL( supLatticeSumColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SumLine, &f->columns, f->brickCount, f->brickCount, 6 )
}

void SUP_KERNEL( supLatticeSumStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SumLine, &f->stacks, f->brickCount, f->regionBrickCount, 9 )
}

void SUP_KERNEL( supLatticeSpreadStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SpreadLine, &f->stacks, f->regionBrickCount, f->brickCount, 12 )
}

void SUP_KERNEL( supLatticeSpreadColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SpreadLine, &f->columns, f->brickCount, f->brickCount, 9 )
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

// A row's bricks, with nothing behind the last.
#define LONGEST_ROW ( SUP_LATTICE_MAX_RESOLUTION / 8 + 7 )

// Mass times place goes in, sums and moments come out.
SUP_WIDE void SumRow( const supLatticeJob* job, const int32_t* bricks, int32_t count, int32_t width )
{
	const Three nothing = { .after = supSplat8( 0.0f ) };
	Three threes[3] = { nothing, nothing, nothing };
	for ( int32_t i = 0; i <= count; ++i )
	{
		supFloat8 mass = supSplat8( 0.0f );
		const float* from = s_nothing;
		if ( i < count && bricks[i] < job->flesh->voxelBrickCount )
		{
			mass = supLoad8( job->flesh->shares + (size_t)bricks[i] * 8 );
			from = job->from + (size_t)bricks[i] * 24;
		}
		float* to = i > 0 ? Channel( job, bricks[i - 1], 0 ) : NULL;
		for ( int32_t c = 0; c < 3; ++c )
		{
			Push( threes + c, mass * supLoad8( from + 8 * c ) );
			if ( to != NULL )
			{
				Window w = SumLanes( threes + c, 0, width );
				supStore8( to + 8 * c, w.sum );
				supStore8( to + 24 + 8 * c, w.moment );
			}
		}
	}
}

// Sums of three channels less the moments of those behind, where there are voxels.
SUP_WIDE void SpreadRow( const supLatticeJob* job, const int32_t* bricks, int32_t count, int32_t width )
{
	int32_t shift = width % 2 == 0 ? 1 : 0;
	const float* from[LONGEST_ROW];
	float* to[LONGEST_ROW];
	for ( int32_t i = 0; i < count; ++i )
	{
		float* sums = Channel( job, bricks[i], 0 );
		from[i] = sums;
		to[i] = bricks[i] < job->flesh->voxelBrickCount ? sums : NULL;
	}
	from[count] = s_nothing;
	for ( int32_t c = 0; c < 24; c += 8 )
	{
		Three three = { .after = supLoad8( from[0] + c ) }, turns = { .after = supLoad8( from[0] + 24 + c ) };
		for ( int32_t i = 0; i < count; ++i )
		{
			Push( &three, supLoad8( from[i + 1] + c ) );
			Push( &turns, supLoad8( from[i + 1] + 24 + c ) );
			if ( to[i] != NULL )
			{
				Window w = SumLanes( &three, shift, width ), t = SumLanes( &turns, shift, width );
				supStore8( to[i] + c, w.sum - t.moment );
			}
		}
	}
}

#define RUN_ROWS( function )                                                                                           \
	const supLatticeLines* rows = &job->flesh->rows;                                                                   \
	for ( int32_t i = begin; i < end; ++i )                                                                            \
	{                                                                                                                  \
		const int32_t* bricks = rows->bricks + rows->starts[i];                                                        \
		int32_t count = rows->starts[i + 1] - rows->starts[i];                                                         \
		FOR_WIDTH( job->flesh->window.width, function, job, bricks, count )                                            \
	}

void SUP_KERNEL( supLatticeSumRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	RUN_ROWS( SumRow )
}

void SUP_KERNEL( supLatticeSpreadRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	RUN_ROWS( SpreadRow )
}
