// SPDX-License-Identifier: MIT
// The numeric factorisation of a panel, for one kind of number: REAL, WIDE (a register of TILE of them), LOAD, STORE,
// SPLAT, SUM, SUMS, PRECISION, EPSILON and NAME are defined by the file that includes this.

#include "linear/dense.h"

#include <math.h>

// A pivot below this part of the matrix's own entry is rounding and nothing else.
#define PIVOT_TOLERANCE ( 8.0 * EPSILON )

static inline int32_t TileCount( int32_t rows )
{
	return ( rows + TILE - 1 ) / TILE;
}

static inline REAL* PanelOf( const supPanelJob* job, const supSupernode* s )
{
	return (REAL*)job->values + s->panelStarts[PRECISION];
}

// Tiles of the rows below the diagonal block.
static inline REAL* RowsOf( const supPanelJob* job, const supSupernode* s )
{
	return PanelOf( job, s ) + (size_t)TileCount( s->width ) * TILE * (size_t)s->width;
}

// Of a row, counted with the padding of the diagonal block.
static inline int32_t RowOffset( int32_t row, int32_t width )
{
	return row / TILE * TILE * width + row % TILE;
}

// ---------------------------------------------------------------------------------------------------------------------
// Assembly

static void SetOffsets( const supPanelJob* job, const supSupernode* s, int32_t* offsets )
{
	const int32_t* rows = job->symbolic->rows + s->rowStart;
	int32_t below = TileCount( s->width ) * TILE;
	for ( int32_t i = 0; i < s->width; ++i )
	{
		offsets[s->first + i] = RowOffset( i, s->width );
	}
	for ( int32_t i = 0; i < s->height; ++i )
	{
		offsets[rows[i]] = RowOffset( below + i, s->width );
	}
}

// Sizes of the matrix's own entries, for judging pivots: of a definite matrix those of the diagonal.
static void FindScales( const supPanelJob* job, const supSupernode* s, const REAL* panel )
{
	double* scales = job->scales + s->first;
	for ( int32_t k = 0; k < s->width; ++k )
	{
		scales[k] = job->indefinite ? 0.0 : fabs( (double)panel[RowOffset( k, s->width ) + k * TILE] );
	}
	for ( int32_t k = s->blockStart; job->indefinite && k < s->blockEnd; ++k )
	{
		const supPanelBlock* block = job->symbolic->blocks + k;
		const double* value = job->matrix->values + job->matrix->blockStarts[block->block];
		int32_t count = block->row < s->width ? block->rowCount * block->columnCount : 0;
		for ( int32_t i = 0; i < count; ++i )
		{
			double* scale = scales + block->column + i % block->columnCount;
			*scale = fmax( *scale, fabs( value[i] ) );
		}
	}
}

// The counts are known to the compiler where they are.
static inline __attribute__( ( always_inline ) ) void AddBlock( const supSupernode* s, const supPanelBlock* block,
																const double* value, int32_t rowCount,
																int32_t columnCount, REAL* panel )
{
	int32_t padding = TileCount( s->width ) * TILE - s->width;
	for ( int32_t i = 0; i < rowCount; ++i )
	{
		int32_t row = block->row + i;
		REAL* to = panel + RowOffset( row < s->width ? row : row + padding, s->width ) + block->column * TILE;
		for ( int32_t j = 0; j < columnCount; ++j, ++value, to += TILE )
		{
			*to += (REAL)*value;
		}
	}
}

void NAME( supAssemblePanel )( const supPanelJob* job, int32_t supernode, const supPanelScratch* scratch )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
	REAL* panel = PanelOf( job, s );
	int32_t tiles = TileCount( s->width ) + TileCount( s->height );
	memset( panel, 0, (size_t)tiles * TILE * (size_t)s->width * sizeof( REAL ) );
	SetOffsets( job, s, scratch->offsets );
	for ( int32_t k = s->blockStart; k < s->blockEnd; ++k )
	{
		const supPanelBlock* block = job->symbolic->blocks + k;
		const double* value = job->matrix->values + job->matrix->blockStarts[block->block];
		// points in space are what there is most of
		if ( block->rowCount == 3 && block->columnCount == 3 )
		{
			AddBlock( s, block, value, 3, 3, panel );
		}
		else
		{
			AddBlock( s, block, value, block->rowCount, block->columnCount, panel );
		}
	}
	FindScales( job, s, panel );
}

// ---------------------------------------------------------------------------------------------------------------------
// Products of panels

// sums[4 t + c] := sum over k of tile t's column k times b[k * stride + c], for two tiles and four columns: as many
// sums as there are registers to spare.
static inline __attribute__( ( always_inline ) ) void Multiply( const REAL* tile0, const REAL* tile1, const REAL* b,
																int32_t stride, int32_t count, WIDE sums[8] )
{
	WIDE s00 = { 0 }, s01 = { 0 }, s02 = { 0 }, s03 = { 0 };
	WIDE s10 = { 0 }, s11 = { 0 }, s12 = { 0 }, s13 = { 0 };
	for ( int32_t k = 0; k < count; ++k, b += stride )
	{
		WIDE a0 = LOAD( tile0 + k * TILE ), a1 = LOAD( tile1 + k * TILE );
		WIDE b0 = SPLAT( b[0] ), b1 = SPLAT( b[1] );
		s00 += a0 * b0;
		s10 += a1 * b0;
		s01 += a0 * b1;
		s11 += a1 * b1;
		WIDE b2 = SPLAT( b[2] ), b3 = SPLAT( b[3] );
		s02 += a0 * b2;
		s12 += a1 * b2;
		s03 += a0 * b3;
		s13 += a1 * b3;
	}
	sums[0] = s00;
	sums[1] = s01;
	sums[2] = s02;
	sums[3] = s03;
	sums[4] = s10;
	sums[5] = s11;
	sums[6] = s12;
	sums[7] = s13;
}

// Rows [begin, end) of a panel as columns of D Lt, four side by side: packed[( group * width + k ) * 4 + column].
static void PackRows( const supPanelJob* job, const supSupernode* d, int32_t begin, int32_t end, REAL* packed )
{
	const REAL* diagonal = (const REAL*)job->pivots[0] + d->first;
	const REAL* beside = (const REAL*)job->pivots[1] + d->first;
	int32_t width = d->width;
	for ( int32_t row = begin; row < begin + ( end - begin + 3 ) / 4 * 4; ++row )
	{
		REAL* to = packed + ( row - begin ) / 4 * 4 * width + ( row - begin ) % 4;
		const REAL* from = RowsOf( job, d ) + RowOffset( row < end ? row : begin, width );
		for ( int32_t k = 0; k < width; ++k )
		{
			to[4 * k] = from[k * TILE] * diagonal[k];
		}
		for ( int32_t k = 0; job->indefinite && k + 1 < width; ++k )
		{
			to[4 * k] += from[( k + 1 ) * TILE] * beside[k];
			to[4 * k + 4] += from[k * TILE] * beside[k];
		}
	}
}

typedef struct Update
{
	REAL* panel;         // that is updated
	const int32_t* rows; // of the other panel: where in `panel` each goes
	int32_t begin, end;  // rows that are wanted
	const REAL* tiles;   // of the other panel
	int32_t width;       // of the other panel
	int32_t columns[4];  // of `panel`
	int32_t columnCount;
} Update;

// Subtracts the product of tiles `tile` and `tile + 1` with four packed columns.
static inline void SubtractTiles( const Update* u, int32_t tile, const REAL* packed )
{
	WIDE sums[8];
	const REAL* first = u->tiles + (size_t)tile * TILE * (size_t)u->width;
	bool both = ( tile + 1 ) * TILE < u->end;
	Multiply( first, both ? first + (size_t)TILE * (size_t)u->width : first, packed, 4, u->width, sums );
	REAL out[4][2 * TILE];
	for ( int c = 0; c < 4; ++c )
	{
		STORE( out[c], sums[c] );
		STORE( out[c] + TILE, sums[4 + c] );
	}
	int32_t begin = u->begin > tile * TILE ? u->begin : tile * TILE;
	int32_t end = u->end < ( tile + 2 ) * TILE ? u->end : ( tile + 2 ) * TILE;
	if ( u->columnCount == 4 )
	{
		for ( int32_t row = begin; row < end; ++row )
		{
			REAL* to = u->panel + u->rows[row];
			to[u->columns[0]] -= out[0][row - tile * TILE];
			to[u->columns[1]] -= out[1][row - tile * TILE];
			to[u->columns[2]] -= out[2][row - tile * TILE];
			to[u->columns[3]] -= out[3][row - tile * TILE];
		}
		return;
	}
	for ( int32_t row = begin; row < end; ++row )
	{
		for ( int32_t c = 0; c < u->columnCount; ++c )
		{
			u->panel[u->rows[row] + u->columns[c]] -= out[c][row - tile * TILE];
		}
	}
}

// The first of rows [begin, end) that is not below `unknown`.
static int32_t FindRow( const int32_t* rows, int32_t begin, int32_t end, int32_t unknown )
{
	while ( begin < end )
	{
		int32_t middle = begin + ( end - begin ) / 2;
		if ( rows[middle] < unknown )
		{
			begin = middle + 1;
		}
		else
		{
			end = middle;
		}
	}
	return begin;
}

static void ApplyUpdate( const supPanelJob* job, const supSupernode* s, const supPanelUpdate* update, int32_t begin,
						 int32_t end, const int32_t* offsets, const supPanelScratch* scratch )
{
	const supSupernode* d = job->symbolic->supernodes + update->supernode;
	const int32_t* rows = job->symbolic->rows + d->rowStart;
	Update u = {
		.panel = PanelOf( job, s ), .rows = scratch->rowOffsets, .tiles = RowsOf( job, d ), .width = d->width
	};
	u.begin = FindRow( rows, update->rowBegin, d->height, begin );
	u.end = FindRow( rows, u.begin, d->height, end );
	if ( u.begin == u.end )
	{
		return;
	}
	for ( int32_t row = u.begin; row < u.end; ++row )
	{
		scratch->rowOffsets[row] = offsets[rows[row]];
	}
	PackRows( job, d, update->rowBegin, update->rowEnd, scratch->packed );
	const REAL* packed = scratch->packed;
	for ( int32_t column = update->rowBegin; column < update->rowEnd; column += 4, packed += 4 * (size_t)d->width )
	{
		u.columnCount = update->rowEnd - column < 4 ? update->rowEnd - column : 4;
		for ( int32_t c = 0; c < u.columnCount; ++c )
		{
			u.columns[c] = ( rows[column + c] - s->first ) * TILE;
		}
		// what lies above the diagonal is not needed
		int32_t row = column > u.begin ? column : u.begin;
		for ( int32_t tile = row / TILE; tile * TILE < u.end; tile += 2 )
		{
			SubtractTiles( &u, tile, packed );
		}
	}
}

void NAME( supUpdatePanel )( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end,
							 const int32_t* offsets, const supPanelScratch* scratch )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
	for ( int32_t k = s->updateStart; k < s->updateEnd; ++k )
	{
		ApplyUpdate( job, s, job->symbolic->updates + k, begin, end, offsets, scratch );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The diagonal block, definite

static void ReportBad( supPanelReport* report, int32_t unknown )
{
	report->badCount += 1;
	report->firstBad = unknown < report->firstBad ? unknown : report->firstBad;
}

// A pivot that is rounding, negative or no number is replaced by the size of the matrix's own entry: the solution is
// then wrong there, but finite.
static REAL CheckPivot( const supPanelJob* job, int32_t unknown, REAL pivot, supPanelReport* report )
{
	double scale = job->scales[unknown];
	double share = (double)pivot / scale;
	if ( share > PIVOT_TOLERANCE && share < INFINITY )
	{
		report->smallestPivot = share < report->smallestPivot ? share : report->smallestPivot;
		return pivot;
	}
	ReportBad( report, unknown );
	report->negativeCount += pivot < 0;
	report->smallestPivot = 0.0;
	return scale > 0.0 && scale < INFINITY ? (REAL)scale : (REAL)1;
}

// The inverse of a unit lower triangle, l[column][row].
static void InvertTriangle( REAL l[TILE][TILE], REAL inverse[TILE][TILE] )
{
	for ( int j = 0; j < TILE; ++j )
	{
		for ( int i = 0; i < TILE; ++i )
		{
			REAL sum = i == j ? 1 : 0;
			for ( int k = j; k < i; ++k )
			{
				sum -= l[k][i] * inverse[j][k];
			}
			inverse[j][i] = i >= j ? sum : 0;
		}
	}
}

// Writes the inverse of a triangle over it; rows of padding stay zero.
static void StoreInverse( REAL* tile, REAL l[TILE][TILE], int32_t count )
{
	REAL inverse[TILE][TILE];
	InvertTriangle( l, inverse );
	for ( int32_t j = 0; j < count; ++j )
	{
		for ( int32_t i = 0; i < TILE; ++i )
		{
			tile[j * TILE + i] = i < count ? inverse[j][i] : 0;
		}
	}
}

static void FactorTile( const supPanelJob* job, REAL* tile, int32_t first, int32_t count, supPanelReport* report )
{
	REAL* diagonal = (REAL*)job->pivots[0] + first;
	REAL* inverse = (REAL*)job->pivots[2] + first;
	REAL a[TILE][TILE] = { { 0 } };
	for ( int32_t j = 0; j < count; ++j )
	{
		memcpy( a[j], tile + j * TILE, sizeof( a[j] ) );
	}
	for ( int32_t j = 0; j < count; ++j )
	{
		diagonal[j] = CheckPivot( job, first + j, a[j][j], report );
		inverse[j] = 1 / diagonal[j];
		for ( int32_t k = j + 1; k < count; ++k )
		{
			REAL factor = a[j][k] * inverse[j];
			for ( int32_t i = k; i < count; ++i )
			{
				a[k][i] -= a[j][i] * factor;
			}
		}
		for ( int32_t i = j + 1; i < count; ++i )
		{
			a[j][i] *= inverse[j];
		}
	}
	StoreInverse( tile, a, count );
}

// columns := columns (inverse of the tile's triangle)t, in the registers of one tile of rows.
static inline void MultiplyInverse( const REAL* triangle, int32_t count, const WIDE in[TILE], WIDE out[TILE] )
{
	for ( int32_t c = 0; c < count; ++c )
	{
		WIDE sum = in[c];
		for ( int32_t j = 0; j < c; ++j )
		{
			sum += in[j] * SPLAT( triangle[j * TILE + c] );
		}
		out[c] = sum;
	}
}

// Columns [column, column + count) of two tiles of rows: minus the columns before them times `b`.
static inline void SubtractColumns( REAL* tile0, REAL* tile1, const REAL* b, int32_t column, int32_t count )
{
	for ( int32_t half = 0; half < count; half += 4 )
	{
		WIDE sums[8];
		Multiply( tile0, tile1, b + half, TILE, column, sums );
		for ( int32_t c = 0; c < 4 && half + c < count; ++c )
		{
			REAL* to = tile0 + ( column + half + c ) * TILE;
			STORE( to, LOAD( to ) - sums[c] );
		}
		for ( int32_t c = 0; tile1 != tile0 && c < 4 && half + c < count; ++c )
		{
			REAL* to = tile1 + ( column + half + c ) * TILE;
			STORE( to, LOAD( to ) - sums[4 + c] );
		}
	}
}

// One tile's width of columns after the other, each looking left.
static void FactorDefinite( const supPanelJob* job, const supSupernode* s, supPanelScratch* scratch )
{
	REAL* panel = PanelOf( job, s );
	const REAL* diagonal = (const REAL*)job->pivots[0] + s->first;
	const REAL* inverse = (const REAL*)job->pivots[2] + s->first;
	REAL* packed = scratch->packed;
	int32_t tiles = TileCount( s->width );
	size_t stride = (size_t)TILE * (size_t)s->width;
	for ( int32_t t = 0; t < tiles; ++t )
	{
		int32_t column = t * TILE, count = s->width - column < TILE ? s->width - column : TILE;
		REAL* tile = panel + (size_t)t * stride;
		for ( int32_t k = 0; k < column; ++k )
		{
			STORE( packed + k * TILE, LOAD( tile + k * TILE ) * SPLAT( diagonal[k] ) );
		}
		for ( int32_t r = t; r < tiles && column > 0; r += 2 )
		{
			REAL* tile0 = panel + (size_t)r * stride;
			SubtractColumns( tile0, r + 1 < tiles ? tile0 + stride : tile0, packed, column, count );
		}
		FactorTile( job, tile + column * TILE, s->first + column, count, &scratch->report );
		for ( int32_t r = t + 1; r < tiles; ++r )
		{
			REAL* columns = panel + (size_t)r * stride + column * TILE;
			WIDE in[TILE], out[TILE];
			for ( int32_t c = 0; c < count; ++c )
			{
				in[c] = LOAD( columns + c * TILE );
			}
			MultiplyInverse( tile + column * TILE, count, in, out );
			for ( int32_t c = 0; c < count; ++c )
			{
				STORE( columns + c * TILE, out[c] * SPLAT( inverse[column + c] ) );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The diagonal block, indefinite: pivots are chosen among the rows of the supernode

static void StorePivots( const supPanelJob* job, const supSupernode* s, const double* diagonal, const double* beside )
{
	REAL* pivots[4];
	for ( int i = 0; i < 4; ++i )
	{
		pivots[i] = (REAL*)job->pivots[i] + s->first;
	}
	for ( int32_t i = 0; i < s->width; ++i )
	{
		pivots[0][i] = (REAL)diagonal[i];
		pivots[1][i] = (REAL)beside[i];
		pivots[3][i] = 0;
		if ( beside[i] == 0.0 )
		{
			pivots[2][i] = (REAL)( 1.0 / diagonal[i] );
			continue;
		}
		double inverse[3];
		supInvertPivot( diagonal[i], beside[i], diagonal[i + 1], inverse );
		pivots[2][i] = (REAL)inverse[0];
		pivots[3][i] = (REAL)inverse[1];
		pivots[2][i + 1] = (REAL)inverse[2];
		pivots[0][i + 1] = (REAL)diagonal[i + 1];
		pivots[1][i + 1] = 0;
		pivots[3][i + 1] = 0;
		i += 1;
	}
}

// Entries of the unit lower triangle into the panel, the triangles on its diagonal inverted.
static void StoreTriangle( const supPanelJob* job, const supSupernode* s, const double* dense )
{
	REAL* panel = PanelOf( job, s );
	size_t n = (size_t)s->width;
	for ( int32_t j = 0; j < s->width; ++j )
	{
		for ( int32_t i = j; i < s->width; ++i )
		{
			panel[RowOffset( i, s->width ) + j * TILE] = i > j ? (REAL)dense[(size_t)j * n + (size_t)i] : 1;
		}
	}
	for ( int32_t column = 0; column < s->width; column += TILE )
	{
		int32_t count = s->width - column < TILE ? s->width - column : TILE;
		REAL* tile = panel + RowOffset( column, s->width ) + column * TILE;
		REAL l[TILE][TILE] = { { 0 } };
		for ( int32_t j = 0; j < count; ++j )
		{
			memcpy( l[j], tile + j * TILE, sizeof( l[j] ) );
		}
		StoreInverse( tile, l, count );
	}
}

static void FactorIndefinite( const supPanelJob* job, const supSupernode* s, supPanelScratch* scratch )
{
	REAL* panel = PanelOf( job, s );
	double* dense = scratch->dense;
	size_t n = (size_t)s->width;
	double scale = 0.0;
	for ( int32_t j = 0; j < s->width; ++j )
	{
		scale = job->scales[s->first + j] > scale ? job->scales[s->first + j] : scale;
		for ( int32_t i = j; i < s->width; ++i )
		{
			dense[(size_t)j * n + (size_t)i] = (double)panel[RowOffset( i, s->width ) + j * TILE];
		}
	}
	scale = scale > 0.0 ? scale : ( job->largestScale > 0.0 ? job->largestScale : 1.0 );
	double diagonal[SUP_MAX_PANEL_WIDTH], beside[SUP_MAX_PANEL_WIDTH];
	supPivots pivots = supDense_FactorIndefinite( dense, s->width, job->pivotOrder + s->first, diagonal, beside, scale,
												  PIVOT_TOLERANCE * scale, sqrt( EPSILON ) * scale );
	supPanelReport* report = &scratch->report;
	report->negativeCount += pivots.negative;
	report->smallestPivot = pivots.smallest < report->smallestPivot ? pivots.smallest : report->smallestPivot;
	if ( pivots.repaired > 0 )
	{
		ReportBad( report, s->first + pivots.firstBad );
		report->badCount += pivots.repaired - 1;
	}
	StorePivots( job, s, diagonal, beside );
	StoreTriangle( job, s, dense );
}

void NAME( supFactorDiagonal )( const supPanelJob* job, int32_t supernode, supPanelScratch* scratch )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
	if ( job->indefinite )
	{
		FactorIndefinite( job, s, scratch );
	}
	else
	{
		FactorDefinite( job, s, scratch );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows below the diagonal block

// Columns of one tile of rows into the order of the pivots.
static void PermuteColumns( const supPanelJob* job, const supSupernode* s, REAL* tile, REAL* copy )
{
	memcpy( copy, tile, (size_t)s->width * TILE * sizeof( REAL ) );
	for ( int32_t k = 0; k < s->width; ++k )
	{
		STORE( tile + k * TILE, LOAD( copy + job->pivotOrder[s->first + k] * TILE ) );
	}
}

// times D^-1
static void ScaleColumns( const supPanelJob* job, const supSupernode* s, REAL* tile )
{
	const REAL* inverse = (const REAL*)job->pivots[2] + s->first;
	const REAL* beside = (const REAL*)job->pivots[3] + s->first;
	for ( int32_t k = 0; k < s->width; ++k )
	{
		REAL* column = tile + k * TILE;
		WIDE a = LOAD( column );
		if ( job->indefinite && beside[k] != 0 )
		{
			WIDE b = LOAD( column + TILE );
			STORE( column, a * SPLAT( inverse[k] ) + b * SPLAT( beside[k] ) );
			STORE( column + TILE, a * SPLAT( beside[k] ) + b * SPLAT( inverse[k + 1] ) );
			k += 1;
			continue;
		}
		STORE( column, a * SPLAT( inverse[k] ) );
	}
}

void NAME( supSolvePanelRows )( const supPanelJob* job, int32_t supernode, int32_t begin, int32_t end,
								const supPanelScratch* scratch )
{
	const supSupernode* s = job->symbolic->supernodes + supernode;
	size_t stride = (size_t)TILE * (size_t)s->width;
	const REAL* panel = PanelOf( job, s );
	for ( int32_t r = begin; r < end; r += 2 )
	{
		REAL* tiles[2] = { RowsOf( job, s ) + (size_t)r * stride };
		int tileCount = r + 1 < end ? 2 : 1;
		tiles[1] = tiles[0] + ( tileCount == 2 ? stride : 0 );
		for ( int i = 0; i < tileCount && job->indefinite; ++i )
		{
			PermuteColumns( job, s, tiles[i], scratch->packed );
		}
		for ( int32_t column = 0; column < s->width; column += TILE )
		{
			int32_t count = s->width - column < TILE ? s->width - column : TILE;
			const REAL* diagonalTile = panel + RowOffset( column, s->width );
			SubtractColumns( tiles[0], tiles[1], diagonalTile, column, count );
			for ( int i = 0; i < tileCount; ++i )
			{
				WIDE in[TILE], out[TILE];
				for ( int32_t c = 0; c < count; ++c )
				{
					in[c] = LOAD( tiles[i] + ( column + c ) * TILE );
				}
				MultiplyInverse( diagonalTile + column * TILE, count, in, out );
				for ( int32_t c = 0; c < count; ++c )
				{
					STORE( tiles[i] + ( column + c ) * TILE, out[c] );
				}
			}
		}
		for ( int i = 0; i < tileCount; ++i )
		{
			ScaleColumns( job, s, tiles[i] );
		}
	}
}
