// SPDX-License-Identifier: MIT
// Windows that slide along a line of cells: what they add up to, the moments about their middles, and the way back.
//
// Whoever includes this says what a cell is: a type `Cell`, `LoadCell` and `StoreCell`, and `Plus`, `Minus` and `Times`
// (a number and a cell), which are all the arithmetic there is here; WINDOW_FCN goes before each function, and
// WIDEST_WINDOW cells is as far as windows go. So a test counts operations in the very code that steps run.
//
// Nothing of a sum is ever taken off again, which would leave its rounding behind.

// Where the cells of a line are: to read, and to write or NULL. Read are also those half a window beyond both ends.
typedef struct Line
{
	int32_t count;
	const float** from;
	float** to;
} Line;

// Floats from one channel of a cell to the next.
#define CHANNEL_STEP 8
// channels that go along a line together
#define MOST_CHANNELS 9

WINDOW_FCN Cell CellAt( const Line* line, int32_t i, int32_t channel )
{
	return LoadCell( line->from[i] + CHANNEL_STEP * channel );
}

// ---------------------------------------------------------------------------------------------------------------------
// Narrow windows, cell by cell

typedef struct Window
{
	Cell sum, moment;
} Window;

// Of cells in a ring, the first of which is at `first`. Even widths have their middle between two cells.
WINDOW_FCN Window SumCells( const Cell* v, int32_t first, int32_t width )
{
	bool isOdd = width % 2 == 1;
	int32_t m = first + width / 2;
	Cell a = v[( m - 1 ) % width], b = v[( isOdd ? m + 1 : m ) % width];
	Window w = { isOdd ? Plus( Plus( a, v[m % width] ), b ) : Plus( a, b ),
				 isOdd ? Minus( b, a ) : Times( 0.5f, Minus( b, a ) ) };
	for ( int32_t k = 2; k <= width / 2; ++k )
	{
		Cell c = v[( m - k ) % width], d = v[( isOdd ? m + k : m + k - 1 ) % width];
		w.sum = Plus( w.sum, Plus( c, d ) );
		w.moment = Plus( w.moment, Times( isOdd ? (float)k : (float)k - 0.5f, Minus( d, c ) ) );
	}
	return w;
}

// Steps along a line come in rounds of as many as a window has cells, so that which cell of the ring is which is known
// when this is compiled.
#define ROUND _Pragma( "GCC unroll 9" )

// Three channels := their sums over the window, which begins at `start` as seen from its cell; three others := their
// moments, or none (-1); less the moments of three from `turn` on, or of none. In place: what a store overwrites has
// been read already.
WINDOW_FCN void SlideCells( const Line* line, int32_t channel, int32_t moment, int32_t turn, int32_t start,
							int32_t width )
{
	Cell own[3][WIDEST_WINDOW], turns[3][WIDEST_WINDOW];
	for ( int32_t c = 0; c < 3; ++c )
	{
		for ( int32_t k = 0; k < width - 1; ++k )
		{
			own[c][k] = CellAt( line, start + k, channel + c );
			turns[c][k] = turn >= 0 ? CellAt( line, start + k, turn + c ) : own[c][k];
		}
	}
	for ( int32_t first = 0; first < line->count; first += width )
	{
		ROUND for ( int32_t step = 0; step < width; ++step )
		{
			int32_t i = first + step, last = start + i + width - 1, at = ( step + width - 1 ) % width;
			if ( i >= line->count )
			{
				break;
			}
			float* to = line->to[i];
			ROUND for ( int32_t c = 0; c < 3; ++c )
			{
				own[c][at] = CellAt( line, last, channel + c );
				Window w = SumCells( own[c], step, width );
				if ( turn >= 0 )
				{
					turns[c][at] = CellAt( line, last, turn + c );
					w.sum = Minus( w.sum, SumCells( turns[c], step, width ).moment );
				}
				if ( to != NULL )
				{
					StoreCell( to + CHANNEL_STEP * ( channel + c ), w.sum );
					if ( moment >= 0 )
					{
						StoreCell( to + CHANNEL_STEP * ( moment + c ), w.moment );
					}
				}
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Wide windows, from blocks of their width (van Herk 1992)
//
// A line is cut into blocks as long as a window, so that each window is the end of one and the beginning of the next.
// Both grow by a cell at a time: three additions a cell, nine operations with the moment, whatever the width.

// From each cell of a block to its end: sums, and of the first three channels moments about that cell.
typedef struct Ends
{
	Cell sums[WIDEST_WINDOW][MOST_CHANNELS];
	Cell moments[WIDEST_WINDOW][3];
} Ends;

WINDOW_FCN void FillEnds( Ends* ends, const Line* line, int32_t begin, int32_t channel, int32_t channels,
						  int32_t withMoment, int32_t width )
{
	Cell sums[MOST_CHANNELS], moments[3];
	for ( int32_t c = 0; c < channels; ++c )
	{
		sums[c] = moments[c % 3] = NoCell();
	}
	for ( int32_t k = width - 1; k >= 0; --k )
	{
		ROUND for ( int32_t c = 0; c < channels; ++c )
		{
			if ( c < withMoment )
			{
				moments[c] = ends->moments[k][c] = Plus( moments[c], sums[c] );
			}
			sums[c] = ends->sums[k][c] = Plus( sums[c], CellAt( line, begin + k, channel + c ) );
		}
	}
}

// Windows from cell `first` on, as many as `count`: what is left of the block, and as much of the next one. About the
// middle, the end's moments are half a window too many and the beginning's, which count backwards, half too few.
WINDOW_FCN void JoinBlocks( const Ends* ends, const Line* line, int32_t first, int32_t count, int32_t channel,
							int32_t channels, int32_t moment, int32_t start, int32_t width )
{
	int32_t withMoment = moment >= 0 ? 3 : 0;
	float half = 0.5f * (float)( width - 1 );
	Cell sums[MOST_CHANNELS], moments[3];
	for ( int32_t c = 0; c < channels; ++c )
	{
		sums[c] = moments[c % 3] = NoCell();
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		float* to = line->to[first + k];
		ROUND for ( int32_t c = 0; c < channels && to != NULL; ++c )
		{
			StoreCell( to + CHANNEL_STEP * ( channel + c ), Plus( ends->sums[k][c], sums[c] ) );
			if ( c < withMoment )
			{
				StoreCell( to + CHANNEL_STEP * ( moment + c ),
						   Plus( Minus( ends->moments[k][c], moments[c] ),
								 Times( half, Minus( sums[c], ends->sums[k][c] ) ) ) );
			}
		}
		ROUND for ( int32_t c = 0; c < channels; ++c )
		{
			if ( c < withMoment )
			{
				moments[c] = Plus( moments[c], sums[c] );
			}
			sums[c] = Plus( sums[c], CellAt( line, first + k + start + width, channel + c ) );
		}
	}
}

// As SlideCells without `turn`, for more channels at once, the first three of which have moments. The ends of a block
// are taken before windows overwrite its first cells.
WINDOW_FCN void SlideBlocks( const Line* line, int32_t channel, int32_t channels, int32_t moment, int32_t start,
							 int32_t width )
{
	Ends ends[2];
	int32_t withMoment = moment >= 0 ? 3 : 0;
	FillEnds( &ends[0], line, start, channel, channels, withMoment, width );
	for ( int32_t first = 0, block = 0; first < line->count; first += width, block ^= 1 )
	{
		int32_t left = line->count - first;
		if ( left > width )
		{
			FillEnds( &ends[block ^ 1], line, first + width + start, channel, channels, withMoment, width );
		}
		JoinBlocks( &ends[block], line, first, left < width ? left : width, channel, channels, moment, start, width );
	}
}

// The same for three channels less the moments of three others. Of what a window has of a block and of the next, both
// are put together as they grow: sum of t - k r, k from the window's middle.
WINDOW_FCN void FoldEnds( Cell ( *ends )[3], const Line* line, int32_t begin, int32_t channel, int32_t turn,
						  int32_t width )
{
	float half = 0.5f * (float)( width - 1 );
	Cell sums[3], turns[3];
	for ( int32_t c = 0; c < 3; ++c )
	{
		sums[c] = turns[c] = NoCell();
	}
	for ( int32_t k = width - 1; k >= 0; --k )
	{
		ROUND for ( int32_t c = 0; c < 3; ++c )
		{
			Cell t = CellAt( line, begin + k, channel + c ), r = CellAt( line, begin + k, turn + c );
			sums[c] = ends[k][c] = Plus( Minus( sums[c], turns[c] ), Plus( t, Times( half, r ) ) );
			turns[c] = Plus( turns[c], r );
		}
	}
}

WINDOW_FCN void FoldBlocks( const Line* line, int32_t channel, int32_t turn, int32_t start, int32_t width )
{
	float half = 0.5f * (float)( width - 1 );
	Cell ends[2][WIDEST_WINDOW][3];
	FoldEnds( ends[0], line, start, channel, turn, width );
	for ( int32_t first = 0, block = 0; first < line->count; first += width, block ^= 1 )
	{
		int32_t left = line->count - first, next = first + start + width;
		if ( left > width )
		{
			FoldEnds( ends[block ^ 1], line, next, channel, turn, width );
		}
		Cell sums[3], turns[3];
		for ( int32_t c = 0; c < 3; ++c )
		{
			sums[c] = turns[c] = NoCell();
		}
		for ( int32_t k = 0; k < ( left < width ? left : width ); ++k )
		{
			float* to = line->to[first + k];
			ROUND for ( int32_t c = 0; c < 3; ++c )
			{
				Cell t = CellAt( line, next + k, channel + c ), r = CellAt( line, next + k, turn + c );
				if ( to != NULL )
				{
					StoreCell( to + CHANNEL_STEP * ( channel + c ), Plus( ends[block][k][c], sums[c] ) );
				}
				sums[c] = Plus( Plus( sums[c], turns[c] ), Minus( t, Times( half, r ) ) );
				turns[c] = Plus( turns[c], r );
			}
		}
	}
}
