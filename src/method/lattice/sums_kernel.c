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
// What a sum costs is bounded whatever the width: along y and z wide windows are put together from blocks (windows.h).
// Cells along y and z are whole registers, those along x the lanes of one, of which a window never has more than nine.
//
// Each sheet of the body has bricks and lines of its own (sums.c). Where only sums pass through no sum ends and no
// motion begins: bricks have roles, which say what is written there on the way to regions and read on the way back.
#include "method/lattice/lattice.h"

#define CHANNELS 12

SUP_WIDE float* Channel( const supLatticeJob* job, int32_t brick, int32_t channel )
{
	return job->arrays.sums + ( (size_t)brick * CHANNELS + (size_t)channel ) * 8;
}

// ---------------------------------------------------------------------------------------------------------------------
// Windows

typedef supFloat8 Cell;
#define WINDOW_FCN SUP_WIDE
#define WIDEST_WINDOW SUP_LATTICE_MAX_WIDTH
#define LoadCell supLoad8
#define StoreCell supStore8
#define NoCell() supSplat8( 0.0f )
#define Plus( a, b ) ( ( a ) + ( b ) )
#define Minus( a, b ) ( ( a ) - ( b ) )
#define Times( a, b ) ( ( a ) * ( b ) )
#include "method/lattice/windows.h"

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

// cells of nothing at both ends: half a window, and what blocks read ahead
#define PAD ( SUP_LATTICE_MAX_WIDTH / 2 + 2 )
#define MAX_LINE_CELLS ( SUP_LATTICE_MAX_RESOLUTION + 4 * SUP_LATTICE_MAX_WIDTH )

static const float s_nothing[8 * CHANNELS];

// Where a line's cells are: zeros to read if there are none.
typedef struct Places
{
	const float* from[MAX_LINE_CELLS + 2 * PAD];
	float* to[MAX_LINE_CELLS];
} Places;

// Bricks for `inputs` are read, those for `outputs` written.
SUP_WIDE Line GetLine( const supLatticeJob* job, const supLatticeLines* lines, int32_t i, uint8_t inputs,
					   uint8_t outputs, Places* places )
{
	const int32_t* bricks = lines->bricks + lines->starts[i];
	Line line = { lines->starts[i + 1] - lines->starts[i], places->from + PAD, places->to };
	for ( int32_t k = 1; k <= PAD; ++k )
	{
		line.from[-k] = s_nothing;
		line.from[line.count - 1 + k] = s_nothing;
	}
	for ( int32_t k = 0; k < line.count; ++k )
	{
		int32_t brick = bricks[k] < 0 ? 0 : bricks[k];
		uint8_t roles = bricks[k] < 0 ? 0 : job->flesh->roles[brick];
		float* sums = Channel( job, brick, 0 );
		line.from[k] = ( roles & inputs ) != 0 ? sums : s_nothing;
		line.to[k] = ( roles & outputs ) != 0 ? sums : NULL;
	}
	return line;
}

// The first `channels` are summed; the moments of the first three go behind them.
SUP_WIDE void SumLine( const Line* line, int32_t channels, int32_t width )
{
	int32_t start = -( width / 2 );
	if ( width >= SUP_LATTICE_BLOCKS_FROM )
	{
		SlideBlocks( line, 0, channels, channels, start, width );
		return;
	}
	for ( int32_t c = 3; c < channels; c += 3 )
	{
		SlideCells( line, c, -1, -1, start, width );
	}
	SlideCells( line, 0, channels, -1, start, width );
}

// The last three of `channels` are folded into the first three; those between are summed. Even windows are the other
// way round as voxels see them.
SUP_WIDE void SpreadLine( const Line* line, int32_t channels, int32_t width )
{
	int32_t start = width % 2 == 0 ? 1 - width / 2 : -( width / 2 );
	if ( width >= SUP_LATTICE_BLOCKS_BACK_FROM )
	{
		FoldBlocks( line, 0, channels - 3, start, width );
		SlideBlocks( line, 3, channels - 6, -1, start, width );
		return;
	}
	SlideCells( line, 0, -1, channels - 3, start, width );
	for ( int32_t c = 3; c < channels - 3; c += 3 )
	{
		SlideCells( line, c, -1, -1, start, width );
	}
}

// Some lines along one axis: which bricks are read and written, and what is done with how many channels.
#define RUN_LINES( function, lines, inputs, outputs, channels )                                                        \
	for ( int32_t i = begin; i < end; ++i )                                                                            \
	{                                                                                                                  \
		Places places;                                                                                                 \
		Line line = GetLine( job, lines, i, inputs, outputs, &places );                                                \
		FOR_WIDTH( job->flesh->window.width, function, &line, channels )                                               \
	}

void SUP_KERNEL( supLatticeSumColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SumLine, &f->columns, sup_latticeSumsRow, sup_latticeSumsColumn, 6 )
}

void SUP_KERNEL( supLatticeSumStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SumLine, &f->stacks, sup_latticeSumsColumn, sup_latticeSumsRegion, 9 )
}

void SUP_KERNEL( supLatticeSpreadStacks )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SpreadLine, &f->stacks, sup_latticeSumsRegion, sup_latticeSumsColumn, 12 )
}

void SUP_KERNEL( supLatticeSpreadColumns )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* f = job->flesh;
	RUN_LINES( SpreadLine, &f->columns, sup_latticeSumsColumn, sup_latticeSumsRow, 9 )
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
#define MAX_ROW_BRICKS ( SUP_LATTICE_MAX_RESOLUTION / 8 + 7 )

// Mass times place goes in, sums and moments come out.
SUP_WIDE void SumRow( const supLatticeJob* job, const int32_t* bricks, int32_t count, int32_t width )
{
	const Three nothing = { .after = supSplat8( 0.0f ) };
	Three threes[3] = { nothing, nothing, nothing };
	for ( int32_t i = 0; i <= count; ++i )
	{
		supFloat8 mass = supSplat8( 0.0f );
		const float* from = s_nothing;
		if ( i < count && ( job->flesh->roles[bricks[i]] & sup_latticeSumsVoxels ) != 0 )
		{
			mass = supLoad8( job->flesh->rowShares + (size_t)bricks[i] * 8 );
			from = job->from + (size_t)job->flesh->sources[bricks[i]] * 24;
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
	const float* from[MAX_ROW_BRICKS];
	float* to[MAX_ROW_BRICKS];
	for ( int32_t i = 0; i < count; ++i )
	{
		float* sums = Channel( job, bricks[i], 0 );
		from[i] = sums;
		to[i] = ( job->flesh->roles[bricks[i]] & sup_latticeSumsVoxels ) != 0 ? sums : NULL;
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
