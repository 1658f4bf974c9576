// SPDX-License-Identifier: MIT
// Triangular solves with a panel, for one kind of number; see panel_factor_template.h. `columns` is known to the
// compiler in each of the copies that the switches at the end make.

#define INLINE static inline __attribute__( ( always_inline ) )

// Tiles that are in flight at once: one sum each, so that additions need not wait for each other.
#define TILES_AT_ONCE 4

#define X_STRIDE SUP_MAX_PANEL_WIDTH

// ---------------------------------------------------------------------------------------------------------------------
// Down

// One right-hand side whose pivots are in the order of the panel is solved for where it is.
INLINE bool IsInPlace( const supPanelJob* job, const int columns )
{
	return columns == 1 && job->indefinite == false;
}

// Where the unknowns of a supernode are while it is worked on.
INLINE REAL* PlaceOf( const supPanelJob* job, const supSupernode* s, REAL* x, const int columns )
{
	return IsInPlace( job, columns ) ? (REAL*)job->work + s->first : x;
}

// Lanes beyond `count` belong to somebody else, perhaps on another thread: they are not even read.
INLINE WIDE LoadSome( const REAL* from, int32_t count )
{
	if ( count == TILE )
	{
		return LOAD( from );
	}
	REAL lanes[TILE] = { 0 };
	for ( int32_t i = 0; i < count; ++i )
	{
		lanes[i] = from[i];
	}
	return LOAD( lanes );
}

INLINE void StoreSome( REAL* to, WIDE a, int32_t count )
{
	if ( count == TILE )
	{
		STORE( to, a );
		return;
	}
	REAL lanes[TILE];
	STORE( lanes, a );
	for ( int32_t i = 0; i < count; ++i )
	{
		to[i] = lanes[i];
	}
}

// The part of the work vector that belongs to the supernode, column after column.
INLINE void GatherUnknowns( const supPanelJob* job, const supSupernode* s, REAL* x, const int columns )
{
	const REAL* work = (const REAL*)job->work + (size_t)s->first * (size_t)columns;
	for ( int32_t i = 0; i < s->width; ++i )
	{
		int32_t row = job->indefinite ? job->pivotOrder[s->first + i] : i;
		for ( int c = 0; c < columns; ++c )
		{
			x[c * X_STRIDE + i] = work[row * columns + c];
		}
	}
}

INLINE void ForwardDiagonal( const supPanelJob* job, const supSupernode* s, REAL* scratch, const int columns )
{
	REAL* x = PlaceOf( job, s, scratch, columns );
	if ( IsInPlace( job, columns ) == false )
	{
		GatherUnknowns( job, s, x, columns );
	}
	const REAL* tile = PanelOf( job, s );
	for ( int32_t column = 0; column < s->width; column += TILE, tile += (size_t)TILE * (size_t)s->width )
	{
		int32_t count = s->width - column < TILE ? s->width - column : TILE;
		WIDE even[SUP_MAX_SOLVE_COLUMNS], odd[SUP_MAX_SOLVE_COLUMNS];
		for ( int c = 0; c < columns; ++c )
		{
			even[c] = LoadSome( x + c * X_STRIDE + column, count );
			odd[c] = SPLAT( 0 );
		}
		// `column` is a multiple of TILE, so of two
		for ( int32_t k = 0; k < column; k += 2 )
		{
			WIDE a = LOAD( tile + k * TILE ), b = LOAD( tile + k * TILE + TILE );
			for ( int c = 0; c < columns; ++c )
			{
				even[c] -= a * SPLAT( x[c * X_STRIDE + k] );
				odd[c] += b * SPLAT( x[c * X_STRIDE + k + 1] );
			}
		}
		for ( int c = 0; c < columns; ++c )
		{
			even[c] -= odd[c];
			odd[c] = SPLAT( 0 );
		}
		for ( int32_t k = 0; k < count; ++k )
		{
			WIDE a = LOAD( tile + ( column + k ) * TILE );
			for ( int c = 0; c < columns; ++c )
			{
				odd[c] += a * SPLAT( even[c][k] );
			}
		}
		for ( int c = 0; c < columns; ++c )
		{
			StoreSome( x + c * X_STRIDE + column, odd[c], count );
		}
	}
	REAL* work = (REAL*)job->work + (size_t)s->first * (size_t)columns;
	for ( int32_t i = 0; IsInPlace( job, columns ) == false && i < s->width; ++i )
	{
		for ( int c = 0; c < columns; ++c )
		{
			work[i * columns + c] = x[c * X_STRIDE + i];
		}
	}
}

// Subtracts what `group` tiles of rows from `tile` on give.
INLINE void ForwardTiles( const supPanelJob* job, const supSupernode* s, int32_t tile, REAL* scratch, const int group,
						  const int columns )
{
	size_t stride = (size_t)TILE * (size_t)s->width;
	const REAL* tiles = RowsOf( job, s ) + (size_t)tile * stride;
	const REAL* x = PlaceOf( job, s, scratch, columns );
	WIDE sums[TILES_AT_ONCE][SUP_MAX_SOLVE_COLUMNS];
	for ( int g = 0; g < group; ++g )
	{
		for ( int c = 0; c < columns; ++c )
		{
			sums[g][c] = SPLAT( 0 );
		}
	}
	for ( int32_t k = 0; k < s->width; ++k, tiles += TILE )
	{
		WIDE factors[SUP_MAX_SOLVE_COLUMNS];
		for ( int c = 0; c < columns; ++c )
		{
			factors[c] = SPLAT( x[c * X_STRIDE + k] );
		}
		for ( int g = 0; g < group; ++g )
		{
			WIDE a = LOAD( tiles + (size_t)g * stride );
			for ( int c = 0; c < columns; ++c )
			{
				sums[g][c] += a * factors[c];
			}
		}
	}
	const int32_t* targets = job->symbolic->rowTargets + s->rowStart;
	for ( int g = 0; g < group; ++g )
	{
		REAL out[SUP_MAX_SOLVE_COLUMNS][TILE];
		for ( int c = 0; c < columns; ++c )
		{
			STORE( out[c], sums[g][c] );
		}
		int32_t row = ( tile + g ) * TILE, count = s->height - row < TILE ? s->height - row : TILE;
		for ( int32_t i = 0; i < count; ++i )
		{
			REAL* to = (REAL*)job->work + (size_t)targets[row + i] * (size_t)columns;
			for ( int c = 0; c < columns; ++c )
			{
				to[c] -= out[c][i];
			}
		}
	}
}

INLINE void ForwardRows( const supPanelJob* job, const supSupernode* s, int32_t begin, int32_t end, REAL* x,
						 const int columns )
{
	const int group = columns == 1 ? 4 : ( columns <= 4 ? 2 : 1 );
	int32_t tile = begin;
	for ( ; tile + group <= end; tile += group )
	{
		ForwardTiles( job, s, tile, x, group, columns );
	}
	for ( ; tile < end; ++tile )
	{
		ForwardTiles( job, s, tile, x, 1, columns );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Up

// sums[column][k] += the panel's column k times the unknowns of `group` tiles of rows, lane by lane.
INLINE void BackwardTiles( const supPanelJob* job, const supSupernode* s, int32_t tile, REAL* sums, const int group,
						   const int columns )
{
	size_t stride = (size_t)TILE * (size_t)s->width;
	const REAL* tiles = RowsOf( job, s ) + (size_t)tile * stride;
	const int32_t* targets = job->symbolic->rowTargets + s->rowStart;
	WIDE factors[TILES_AT_ONCE][SUP_MAX_SOLVE_COLUMNS];
	for ( int g = 0; g < group; ++g )
	{
		REAL in[SUP_MAX_SOLVE_COLUMNS][TILE] = { { 0 } };
		int32_t row = ( tile + g ) * TILE, count = s->height - row < TILE ? s->height - row : TILE;
		for ( int32_t i = 0; i < count; ++i )
		{
			const REAL* from = (const REAL*)job->work + (size_t)targets[row + i] * (size_t)columns;
			for ( int c = 0; c < columns; ++c )
			{
				in[c][i] = from[c];
			}
		}
		for ( int c = 0; c < columns; ++c )
		{
			factors[g][c] = LOAD( in[c] );
		}
	}
	for ( int32_t k = 0; k < s->width; ++k, tiles += TILE )
	{
		WIDE a[TILES_AT_ONCE];
		for ( int g = 0; g < group; ++g )
		{
			a[g] = LOAD( tiles + (size_t)g * stride );
		}
		for ( int c = 0; c < columns; ++c )
		{
			REAL* to = sums + ( c * X_STRIDE + k ) * TILE;
			WIDE sum = LOAD( to );
			for ( int g = 0; g < group; ++g )
			{
				sum += a[g] * factors[g][c];
			}
			STORE( to, sum );
		}
	}
}

INLINE void BackwardRows( const supPanelJob* job, const supSupernode* s, int32_t begin, int32_t end, REAL* sums,
						  const int columns )
{
	for ( int c = 0; c < columns; ++c )
	{
		memset( sums + c * X_STRIDE * TILE, 0, (size_t)( TileCount( s->width ) * TILE * TILE ) * sizeof( REAL ) );
	}
	const int group = columns <= 3 ? 4 : ( columns <= 4 ? 2 : 1 );
	int32_t tile = begin;
	for ( ; tile + group <= end; tile += group )
	{
		BackwardTiles( job, s, tile, sums, group, columns );
	}
	for ( ; tile < end; ++tile )
	{
		BackwardTiles( job, s, tile, sums, 1, columns );
	}
}

// x := D^-1 of what the way down left
INLINE void DividePivots( const supPanelJob* job, const supSupernode* s, REAL* x, const int columns )
{
	const REAL* work = (const REAL*)job->work + (size_t)s->first * (size_t)columns;
	const REAL* inverse = (const REAL*)job->pivots[2] + s->first;
	const REAL* beside = (const REAL*)job->pivots[3] + s->first;
	int32_t first = 0;
	for ( ; columns == 1 && first + TILE <= s->width; first += TILE )
	{
		STORE( x + first, LOAD( work + first ) * LOAD( inverse + first ) );
	}
	for ( int32_t i = first; i < s->width; ++i )
	{
		for ( int c = 0; c < columns; ++c )
		{
			x[c * X_STRIDE + i] = work[i * columns + c] * inverse[i];
		}
	}
	for ( int32_t i = 0; job->indefinite && i + 1 < s->width; ++i )
	{
		for ( int c = 0; c < columns; ++c )
		{
			x[c * X_STRIDE + i] += work[( i + 1 ) * columns + c] * beside[i];
			x[c * X_STRIDE + i + 1] += work[i * columns + c] * beside[i];
		}
	}
}

// What the unknowns below leave of one tile's, times the inverted tile; 0 in lanes beyond `count`.
INLINE WIDE BackwardTile( const REAL* tile, const REAL* sums, WIDE right, int32_t count )
{
	WIDE products[TILE];
	REAL lanes[TILE];
	right -= SUMS( sums );
	if ( count == TILE )
	{
		for ( int k = 0; k < TILE; ++k )
		{
			products[k] = LOAD( tile + k * TILE ) * right;
		}
		return SUMS( (const REAL*)products );
	}
	STORE( lanes, right );
	for ( int32_t k = count; k < TILE; ++k )
	{
		lanes[k] = 0;
	}
	right = LOAD( lanes );
	for ( int32_t k = 0; k < TILE; ++k )
	{
		products[k] = k < count ? LOAD( tile + k * TILE ) * right : SPLAT( 0 );
	}
	return SUMS( (const REAL*)products );
}

INLINE void BackwardDiagonal( const supPanelJob* job, const supSupernode* s, REAL* sums, REAL* scratch,
							  const int columns )
{
	REAL* x = PlaceOf( job, s, scratch, columns );
	DividePivots( job, s, x, columns );
	const REAL* panel = PanelOf( job, s );
	for ( int32_t t = TileCount( s->width ) - 1; t >= 0; --t )
	{
		int32_t column = t * TILE, count = s->width - column < TILE ? s->width - column : TILE;
		const REAL* tile = panel + (size_t)t * TILE * (size_t)s->width;
		WIDE unknowns[SUP_MAX_SOLVE_COLUMNS];
		for ( int c = 0; c < columns; ++c )
		{
			REAL* at = x + c * X_STRIDE + column;
			WIDE right = LoadSome( at, count );
			unknowns[c] = BackwardTile( tile + column * TILE, sums + ( c * X_STRIDE + column ) * TILE, right, count );
			StoreSome( at, unknowns[c], count );
		}
		for ( int32_t k = 0; k < column; ++k )
		{
			WIDE a = LOAD( tile + k * TILE );
			for ( int c = 0; c < columns; ++c )
			{
				REAL* to = sums + ( c * X_STRIDE + k ) * TILE;
				STORE( to, LOAD( to ) + a * unknowns[c] );
			}
		}
	}
	REAL* work = (REAL*)job->work + (size_t)s->first * (size_t)columns;
	for ( int32_t i = 0; IsInPlace( job, columns ) == false && i < s->width; ++i )
	{
		int32_t row = job->indefinite ? job->pivotOrder[s->first + i] : i;
		for ( int c = 0; c < columns; ++c )
		{
			work[row * columns + c] = x[c * X_STRIDE + i];
		}
	}
}

// sums[k] += column k of `count` tiles, `stride` apart, times x, lane by lane.
INLINE void AddColumns( const REAL* tile, size_t stride, const REAL* x, int32_t count, const int columnCount,
						WIDE sums[TILE] )
{
	for ( int32_t r = 0; r < count; ++r, tile += stride, x += TILE )
	{
		WIDE a = LOAD( x );
		for ( int k = 0; k < columnCount; ++k )
		{
			sums[k] += LOAD( tile + k * TILE ) * a;
		}
	}
}

// One right-hand side and a panel that is not tall: column after column as products with all below, which need not be
// kept anywhere.
// - `below` has room for the rows, SUP_MAX_PANEL_WIDTH tiles
INLINE void BackwardOne( const supPanelJob* job, const supSupernode* s, REAL* below )
{
	REAL *work = job->work, *x = work + s->first;
	const int32_t* targets = job->symbolic->rowTargets + s->rowStart;
	const REAL *panel = PanelOf( job, s ), *rows = RowsOf( job, s );
	size_t stride = (size_t)TILE * (size_t)s->width;
	int32_t tiles = TileCount( s->width ), tilesBelow = TileCount( s->height );
	for ( int32_t i = 0; i < s->height; ++i )
	{
		below[i] = work[targets[i]];
	}
	for ( int32_t i = s->height; i < tilesBelow * TILE; ++i )
	{
		below[i] = 0;
	}
	DividePivots( job, s, x, 1 );
	// of the last tile: in the work vector lanes beyond the width belong to somebody else
	REAL last[TILE] = { 0 };
	for ( int32_t t = tiles - 1; t >= 0; --t )
	{
		int32_t column = t * TILE, count = s->width - column < TILE ? s->width - column : TILE;
		const REAL *top = rows + (size_t)column * TILE, *own = panel + (size_t)t * stride + (size_t)column * TILE;
		WIDE sums[TILE];
		for ( int k = 0; k < TILE; ++k )
		{
			sums[k] = SPLAT( 0 );
		}
		if ( count == TILE )
		{
			AddColumns( top, stride, below, tilesBelow, TILE, sums );
		}
		for ( int32_t k = 0; count < TILE && k < count; ++k )
		{
			AddColumns( top + k * TILE, stride, below, tilesBelow, 1, sums + k );
		}
		if ( t + 1 < tiles )
		{
			AddColumns( own + stride, stride, x + column + TILE, tiles - t - 2, TILE, sums );
			AddColumns( own + (size_t)( tiles - t - 1 ) * stride, stride, last, 1, TILE, sums );
		}
		WIDE found = BackwardTile( own, (const REAL*)sums, LoadSome( x + column, count ), count );
		StoreSome( x + column, found, count );
		if ( t + 1 == tiles )
		{
			STORE( last, found );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// One copy for each number of columns

#define FOR_COLUMNS( columns, call )                                                                                   \
	switch ( columns )                                                                                                 \
	{                                                                                                                  \
		case 1:                                                                                                        \
			call( 1 );                                                                                                 \
			break;                                                                                                     \
		case 2:                                                                                                        \
			call( 2 );                                                                                                 \
			break;                                                                                                     \
		case 3:                                                                                                        \
			call( 3 );                                                                                                 \
			break;                                                                                                     \
		case 4:                                                                                                        \
			call( 4 );                                                                                                 \
			break;                                                                                                     \
		default:                                                                                                       \
			SUP_ASSERT( columns == SUP_MAX_SOLVE_COLUMNS );                                                            \
			call( SUP_MAX_SOLVE_COLUMNS );                                                                             \
			break;                                                                                                     \
	}

void NAME( supForwardDiagonal )( const supPanelJob* job, int32_t supernode, void* x )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
#define CALL( n ) ForwardDiagonal( job, s, x, n )
	FOR_COLUMNS( job->columns, CALL )
#undef CALL
}

void NAME( supForwardRows )( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end, void* x )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
#define CALL( n ) ForwardRows( job, s, begin, end, x, n )
	FOR_COLUMNS( job->columns, CALL )
#undef CALL
}

void NAME( supBackwardRows )( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end, void* sums )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
#define CALL( n ) BackwardRows( job, s, begin, end, sums, n )
	FOR_COLUMNS( job->columns, CALL )
#undef CALL
}

void NAME( supBackwardDiagonal )( const supPanelJob* job, int32_t supernode, void* sums, void* x )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
#define CALL( n ) BackwardDiagonal( job, s, sums, x, n )
	FOR_COLUMNS( job->columns, CALL )
#undef CALL
}

// A right-hand side with few entries, such as a force on one place, leaves most supernodes alone.
static bool IsZero( const supPanelJob* job, const supSupernode* s )
{
	const REAL* work = (const REAL*)job->work + (size_t)s->first * (size_t)job->columns;
	int32_t i = 0, count = s->width * job->columns;
	while ( i < count && work[i] == 0 )
	{
		i += 1;
	}
	return i == count;
}

void NAME( supForwardPanels )( const supPanelJob* job, int32_t first, int32_t last, void* x )
{
	for ( int32_t i = first; i <= last; ++i )
	{
		if ( IsZero( job, job->symbolic->supernodes + i ) )
		{
			continue;
		}
		NAME( supForwardDiagonal )( job, i, x );
		NAME( supForwardRows )( job, i, 0, TileCount( job->symbolic->supernodes[i].height ), x );
	}
}

void NAME( supBackwardPanels )( const supPanelJob* job, int32_t first, int32_t last, void* sums, void* x )
{
	for ( int32_t i = last; i >= first; --i )
	{
		const supSupernode* s = job->symbolic->supernodes + i;
		if ( IsInPlace( job, job->columns ) && s->height <= SUP_MAX_PANEL_WIDTH * TILE )
		{
			BackwardOne( job, s, sums );
			continue;
		}
		NAME( supBackwardRows )( job, i, 0, TileCount( job->symbolic->supernodes[i].height ), sums );
		NAME( supBackwardDiagonal )( job, i, sums, x );
	}
}
