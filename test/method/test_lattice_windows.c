// SPDX-License-Identifier: MIT
// Windows along a line, in the very code that steps run: what comes out against sums in double, and how many operations
// it takes, which do not grow with the width.
#include "support.h"

#include "method/lattice/lattice.h"

#include <math.h>

static int64_t s_operations;

typedef float Cell;
#define WINDOW_FCN static
#define WIDEST_WINDOW 65

static Cell LoadCell( const float* p )
{
	return *p;
}

static void StoreCell( float* p, Cell a )
{
	*p = a;
}

static Cell NoCell( void )
{
	return 0.0f;
}

static Cell Plus( Cell a, Cell b )
{
	s_operations += 1;
	return a + b;
}

static Cell Minus( Cell a, Cell b )
{
	s_operations += 1;
	return a - b;
}

static Cell Times( float a, Cell b )
{
	s_operations += 1;
	return a * b;
}

#include "method/lattice/windows.h"

#define CELLS 1000
#define PAD ( WIDEST_WINDOW + 1 )
#define FLOATS ( CHANNEL_STEP * 12 )

// A line of cells with twelve channels, of which a window knows the first six.
typedef struct Board
{
	float cells[CELLS][FLOATS];
	double before[CELLS][12];
	float nothing[FLOATS];
	const float* from[CELLS + 2 * PAD];
	float* to[CELLS];
	Line line;
} Board;

static void FillBoard( Board* board, uint64_t seed )
{
	testRandom random = testMakeRandom( seed );
	memset( board->nothing, 0, sizeof( board->nothing ) );
	board->line = ( Line ){ CELLS, board->from + PAD, board->to };
	for ( int32_t i = 0; i < CELLS + 2 * PAD; ++i )
	{
		board->from[i] = board->nothing;
	}
	for ( int32_t i = 0; i < CELLS; ++i )
	{
		board->from[PAD + i] = board->to[i] = board->cells[i];
		for ( int32_t c = 0; c < 12; ++c )
		{
			board->cells[i][CHANNEL_STEP * c] = testRandomFloat( &random, -1.0f, 1.0f );
			board->before[i][c] = (double)board->cells[i][CHANNEL_STEP * c];
		}
	}
}

// Sum and moment about the middle of the window that begins at `begin`.
static void SumDirectly( const Board* board, int32_t begin, int32_t width, int32_t channel, double* sum,
						 double* moment )
{
	*sum = *moment = 0.0;
	for ( int32_t k = 0; k < width; ++k )
	{
		int32_t i = begin + k;
		double value = i >= 0 && i < CELLS ? board->before[i][channel] : 0.0;
		*sum += value;
		*moment += ( k - 0.5 * ( width - 1 ) ) * value;
	}
}

// Roundings of that many additions of numbers up to 1, up to half a width from the middle.
static double Allowed( int32_t width )
{
	return 6.0e-8 * width * width;
}

static float Get( const Board* board, int32_t cell, int32_t channel )
{
	return board->cells[cell][CHANNEL_STEP * channel];
}

// Three channels with moments and three without, and the way back: t - moment of r. Operations a cell of each.
typedef struct Cost
{
	double sum, moment, fold;
} Cost;

static Cost MeasureWindows( int32_t width, bool byBlocks, int32_t start )
{
	static Board board;
	Cost cost;
	FillBoard( &board, 5 );
	s_operations = 0;
	byBlocks ? SlideBlocks( &board.line, 3, 3, -1, start, width ) : SlideCells( &board.line, 3, -1, -1, start, width );
	cost.sum = (double)s_operations / ( 3.0 * CELLS );
	s_operations = 0;
	byBlocks ? SlideBlocks( &board.line, 0, 3, 6, start, width ) : SlideCells( &board.line, 0, 6, -1, start, width );
	cost.moment = (double)s_operations / ( 3.0 * CELLS );
	for ( int32_t i = 0; i < CELLS; ++i )
	{
		for ( int32_t c = 0; c < 6; ++c )
		{
			double sum, moment;
			SumDirectly( &board, i + start, width, c, &sum, &moment );
			assert_float_equal( Get( &board, i, c ), sum, Allowed( width ) );
			if ( c < 3 )
			{
				assert_float_equal( Get( &board, i, 6 + c ), moment, Allowed( width ) );
			}
		}
	}
	FillBoard( &board, 6 );
	s_operations = 0;
	byBlocks ? FoldBlocks( &board.line, 0, 9, start, width ) : SlideCells( &board.line, 0, -1, 9, start, width );
	cost.fold = (double)s_operations / ( 3.0 * CELLS );
	for ( int32_t i = 0; i < CELLS; ++i )
	{
		for ( int32_t c = 0; c < 3; ++c )
		{
			double sum, moment, unused;
			SumDirectly( &board, i + start, width, c, &sum, &unused );
			SumDirectly( &board, i + start, width, 9 + c, &unused, &moment );
			assert_float_equal( Get( &board, i, c ), sum - moment, Allowed( width ) );
		}
	}
	return cost;
}

// Whatever the width: three additions for a sum, nine operations with its moment, eleven on the way back.
static void BlocksCostTheSameForEveryWidth( void** state )
{
	(void)state;
	static const int32_t widths[] = { 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 64, 65 };
	for ( int32_t i = 0; i < SUP_COUNT( widths ); ++i )
	{
		int32_t width = widths[i];
		Cost cost = MeasureWindows( width, true, -( width / 2 ) );
		// the last block is as long as the others
		double whole = 1.0 + (double)width / CELLS;
		print_message( "width %2d by blocks: %.2f, %.2f, %.2f operations a cell\n", width, cost.sum, cost.moment,
					   cost.fold );
		testLessEqual( cost.sum, 3.0 * whole );
		testLessEqual( cost.moment, 9.0 * whole );
		testLessEqual( cost.fold, 11.0 * whole );
	}
}

// What steps take for each width, and on both sides of even windows: cell by cell at most 13 operations for a sum and
// its moment, where seven cells are the most. Here they are always both taken; a compiler leaves out what nobody reads.
static void StepsTakeBoundedOperations( void** state )
{
	(void)state;
	for ( int32_t width = 2; width <= SUP_LATTICE_MAX_WIDTH; ++width )
	{
		int32_t below = -( width / 2 ), back = width % 2 == 0 ? below + 1 : below;
		Cost there = MeasureWindows( width, width >= SUP_LATTICE_BLOCKS_FROM, below );
		Cost home = MeasureWindows( width, width >= SUP_LATTICE_BLOCKS_BACK_FROM, back );
		print_message( "width %d: %.2f, %.2f and %.2f operations a cell\n", width, there.sum, there.moment, home.fold );
		testLessEqual( there.sum, 13.0 );
		testLessEqual( there.moment, 13.0 );
		testLessEqual( home.fold, 17.0 );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( BlocksCostTheSameForEveryWidth ),
		cmocka_unit_test( StepsTakeBoundedOperations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
