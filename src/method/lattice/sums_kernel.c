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
// Along y and z a window slides over a line by sums from both ends of blocks as wide as the window (van Herk 1992): the
// window is the end of one block and the beginning of the next, so that its cost does not depend on its width, and
// nothing is ever subtracted. Windows of three are added up. Along x the eight cells of a brick lie in one register,
// and shifted loads from a row in the first cache are cheaper than anything clever.
#include "method/lattice/lattice.h"

// the longest line with what is added at both ends
#define LONGEST ( SUP_LATTICE_MAX_RESOLUTION + 6 * SUP_LATTICE_MAX_WIDTH )

#define CHANNELS 12

SUP_WIDE float* Channel( const supLatticeJob* job, int32_t brick, int32_t channel )
{
	return job->arrays.sums + ( (size_t)brick * CHANNELS + (size_t)channel ) * 8;
}

// ---------------------------------------------------------------------------------------------------------------------
// Lines along y and z

// Blocks of `width` cells with the running sums from their beginnings and ends, and the moments of these about the cell
// at hand.
typedef struct Blocks
{
	supFloat8 fromBegin[LONGEST], fromEnd[LONGEST];
	supFloat8 momentFromBegin[LONGEST], momentFromEnd[LONGEST];
} Blocks;

SUP_WIDE void FillBlocks( Blocks* blocks, const supFloat8* values, int32_t count, int32_t width, bool withMoments )
{
	supFloat8 zero = supSplat8( 0.0f );
	for ( int32_t first = 0; first < count; first += width )
	{
		int32_t last = first + width < count ? first + width : count;
		supFloat8 sum = zero, moment = zero;
		for ( int32_t i = first; i < last; ++i )
		{
			moment -= sum;
			sum += values[i];
			blocks->fromBegin[i] = sum;
			if ( withMoments )
			{
				blocks->momentFromBegin[i] = moment;
			}
		}
		sum = zero;
		moment = zero;
		for ( int32_t i = last - 1; i >= first; --i )
		{
			moment += sum;
			sum += values[i];
			blocks->fromEnd[i] = sum;
			if ( withMoments )
			{
				blocks->momentFromEnd[i] = moment;
			}
		}
	}
}

typedef struct Line
{
	const int32_t* bricks;
	int32_t count;
	// the window, and what is added to an offset in it
	int32_t lower, upper;
	float half;
} Line;

// One channel of the line's bricks, with `pad` zeros at both ends.
static void LoadLine( const supLatticeJob* job, const Line* line, int32_t channel, int32_t pad, supFloat8* values )
{
	supFloat8 zero = supSplat8( 0.0f );
	for ( int32_t i = 0; i < pad; ++i )
	{
		values[i] = zero;
		values[pad + line->count + i] = zero;
	}
	for ( int32_t i = 0; i < line->count; ++i )
	{
		int32_t brick = line->bricks[i];
		values[pad + i] = brick >= 0 ? supLoad8( Channel( job, brick, channel ) ) : zero;
	}
}

SUP_WIDE supFloat8 SumAt( const Blocks* blocks, int32_t a, int32_t b, int32_t width )
{
	supFloat8 sum = blocks->fromBegin[b];
	return a % width != 0 ? sum + blocks->fromEnd[a] : sum;
}

// The sum over the window of ( offset + half ) times the values.
SUP_WIDE supFloat8 MomentAt( const Blocks* blocks, int32_t a, int32_t b, int32_t width, const Line* line )
{
	float lower = (float)line->lower + line->half, upper = (float)line->upper + line->half;
	supFloat8 moment = blocks->momentFromBegin[b] + upper * blocks->fromBegin[b];
	return a % width != 0 ? moment + ( blocks->momentFromEnd[a] + lower * blocks->fromEnd[a] ) : moment;
}

// channel := its sum over the window; moment (unless negative) := its moment.
static void SumWideLine( const supLatticeJob* job, const Line* line, int32_t channel, int32_t moment )
{
	int32_t width = line->upper - line->lower + 1;
	supFloat8 values[LONGEST];
	Blocks blocks;
	LoadLine( job, line, channel, width, values );
	if ( moment >= 0 )
	{
		FillBlocks( &blocks, values, line->count + 2 * width, width, true );
	}
	else
	{
		FillBlocks( &blocks, values, line->count + 2 * width, width, false );
	}
	for ( int32_t i = 0; i < line->count; ++i )
	{
		if ( line->bricks[i] >= 0 )
		{
			int32_t a = width + i + line->lower, b = width + i + line->upper;
			supStore8( Channel( job, line->bricks[i], channel ), SumAt( &blocks, a, b, width ) );
			if ( moment >= 0 )
			{
				supStore8( Channel( job, line->bricks[i], moment ), MomentAt( &blocks, a, b, width, line ) );
			}
		}
	}
}

// channel := its sum over the window + moment of channel `turn` over the window.
static void SpreadWideLine( const supLatticeJob* job, const Line* line, int32_t channel, int32_t turn )
{
	int32_t width = line->upper - line->lower + 1;
	supFloat8 values[LONGEST], turns[LONGEST];
	Blocks blocks, turnBlocks;
	LoadLine( job, line, channel, width, values );
	LoadLine( job, line, turn, width, turns );
	FillBlocks( &blocks, values, line->count + 2 * width, width, false );
	FillBlocks( &turnBlocks, turns, line->count + 2 * width, width, true );
	for ( int32_t i = 0; i < line->count; ++i )
	{
		if ( line->bricks[i] >= 0 )
		{
			int32_t a = width + i + line->lower, b = width + i + line->upper;
			supStore8( Channel( job, line->bricks[i], channel ),
					   SumAt( &blocks, a, b, width ) - MomentAt( &turnBlocks, a, b, width, line ) );
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

// The first `channels` are summed; the moments of the first three go behind them.
SUP_WIDE void SumLines( const supLatticeJob* job, const supLatticeLines* lines, int32_t begin, int32_t end,
						int32_t channels )
{
	const supLatticeWindow* window = &job->flesh->window;
	for ( int32_t i = begin; i < end; ++i )
	{
		Line line = { lines->bricks + lines->starts[i], lines->starts[i + 1] - lines->starts[i], window->lower,
					  window->upper, window->half };
		for ( int32_t c = channels - 1; c >= 0; --c )
		{
			int32_t moment = c < 3 ? channels + c : -1;
			if ( window->width == 3 )
			{
				SumLineOfThree( job, &line, c, moment );
			}
			else
			{
				SumWideLine( job, &line, c, moment );
			}
		}
	}
}

// The last three of `channels` are folded into the first three; those between are summed.
SUP_WIDE void SpreadLines( const supLatticeJob* job, const supLatticeLines* lines, int32_t begin, int32_t end,
						   int32_t channels )
{
	const supLatticeWindow* window = &job->flesh->window;
	for ( int32_t i = begin; i < end; ++i )
	{
		// regions as seen from a voxel: the window the other way round
		Line line = { lines->bricks + lines->starts[i], lines->starts[i + 1] - lines->starts[i], -window->upper,
					  -window->lower, -window->half };
		bool isThree = window->width == 3;
		for ( int32_t c = 0; c < 3; ++c )
		{
			int32_t turn = channels - 3 + c;
			if ( isThree )
			{
				SpreadLineOfThree( job, &line, c, turn );
			}
			else
			{
				SpreadWideLine( job, &line, c, turn );
			}
		}
		for ( int32_t c = 3; c < channels - 3; ++c )
		{
			if ( isThree )
			{
				SumLineOfThree( job, &line, c, -1 );
			}
			else
			{
				SumWideLine( job, &line, c, -1 );
			}
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

// cells at both ends of a row
#define ROW_PAD 8

typedef struct Row
{
	float cells[SUP_LATTICE_MAX_RESOLUTION + 6 * 8 + 2 * ROW_PAD];
} Row;

SUP_WIDE void CloseRow( Row* row, int32_t bricks )
{
	supStore8( row->cells, supSplat8( 0.0f ) );
	supStore8( row->cells + ROW_PAD + 8 * bricks, supSplat8( 0.0f ) );
}

SUP_WIDE supFloat8 RowSum( const float* cell, int32_t lower, int32_t upper )
{
	supFloat8 sum = supLoad8( cell + lower );
	for ( int32_t k = lower + 1; k <= upper; ++k )
	{
		sum += supLoad8( cell + k );
	}
	return sum;
}

SUP_WIDE supFloat8 RowMoment( const float* cell, int32_t lower, int32_t upper, float half )
{
	supFloat8 sum = supSplat8( 0.0f );
	for ( int32_t k = lower; k <= upper; ++k )
	{
		sum += ( (float)k + half ) * supLoad8( cell + k );
	}
	return sum;
}

void SUP_KERNEL( supLatticeSumRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* flesh = job->flesh;
	int32_t lower = flesh->window.lower, upper = flesh->window.upper;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t first = flesh->rows.bricks[flesh->rows.starts[i]];
		int32_t count = flesh->rows.starts[i + 1] - flesh->rows.starts[i];
		for ( int32_t c = 0; c < 3; ++c )
		{
			Row row;
			CloseRow( &row, count );
			for ( int32_t b = 0; b < count; ++b )
			{
				supFloat8 mass = supLoad8( flesh->shares + (size_t)( first + b ) * 8 );
				supFloat8 p = supLoad8( job->from + ( (size_t)( first + b ) * 3 + (size_t)c ) * 8 );
				supStore8( row.cells + ROW_PAD + 8 * b, mass * p );
			}
			for ( int32_t b = 0; b < count; ++b )
			{
				const float* cell = row.cells + ROW_PAD + 8 * b;
				supFloat8 sum, moment;
				if ( flesh->window.width == 3 )
				{
					supFloat8 before = supLoad8( cell - 1 ), after = supLoad8( cell + 1 );
					sum = before + supLoad8( cell ) + after;
					moment = after - before;
				}
				else
				{
					sum = RowSum( cell, lower, upper );
					moment = RowMoment( cell, lower, upper, flesh->window.half );
				}
				supStore8( Channel( job, first + b, c ), sum );
				supStore8( Channel( job, first + b, 3 + c ), moment );
			}
		}
	}
}

void SUP_KERNEL( supLatticeSpreadRows )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* flesh = job->flesh;
	int32_t lower = -flesh->window.upper, upper = -flesh->window.lower;
	for ( int32_t i = begin; i < end; ++i )
	{
		int32_t first = flesh->rows.bricks[flesh->rows.starts[i]];
		int32_t count = flesh->rows.starts[i + 1] - flesh->rows.starts[i];
		for ( int32_t c = 0; c < 3; ++c )
		{
			Row row, turns;
			CloseRow( &row, count );
			CloseRow( &turns, count );
			for ( int32_t b = 0; b < count; ++b )
			{
				supStore8( row.cells + ROW_PAD + 8 * b, supLoad8( Channel( job, first + b, c ) ) );
				supStore8( turns.cells + ROW_PAD + 8 * b, supLoad8( Channel( job, first + b, 3 + c ) ) );
			}
			for ( int32_t b = 0; b < count; ++b )
			{
				const float* cell = row.cells + ROW_PAD + 8 * b;
				const float* turn = turns.cells + ROW_PAD + 8 * b;
				supStore8( Channel( job, first + b, c ),
						   RowSum( cell, lower, upper ) - RowMoment( turn, lower, upper, -flesh->window.half ) );
			}
		}
	}
}
