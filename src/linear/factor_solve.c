// SPDX-License-Identifier: MIT
// Solving with a factor, in phases:
//
//     gather       right-hand sides into the order of elimination
//     subtrees     down, all at the same time; what they give to unknowns above them goes into their buffers
//     collect      buffers added to the unknowns above, in order
//     top          down and up, panel after panel, rows of large ones shared out
//     hand out     unknowns above into the buffers
//     subtrees     up
//     scatter      solutions into the order of the matrix
#include "core/tasks.h"
#include "linear/factor.h"

#include <math.h>

#define UNKNOWNS_PER_PIECE 2048

// Numbers of a large panel that one piece of work reads: some ten microseconds.
#define NUMBERS_PER_PIECE 32768

// With panels of any width such a piece has at least this many rows.
#define LEAST_ROWS_PER_PIECE ( NUMBERS_PER_PIECE / SUP_MAX_PANEL_WIDTH )

#define CALL( factor, name )                                                                                           \
	( ( factor )->precision == sup_precisionFloat ? SUP_CALL_KERNEL( name##Float ) : SUP_CALL_KERNEL( name##Double ) )

// ---------------------------------------------------------------------------------------------------------------------
// Scratch
//
//     work vector | x of each worker | sums of each worker, or of each piece of a large panel | residual

typedef struct Layout
{
	size_t numberSize;
	size_t xSize;
	size_t sumsSize;
	size_t xStart, sumsStart, residualStart, total;
} Layout;

// How many of the columns that are left are solved for next.
static int32_t ColumnsAtOnce( int32_t columns )
{
	return columns >= SUP_MAX_SOLVE_COLUMNS ? SUP_MAX_SOLVE_COLUMNS : ( columns < 4 ? columns : 4 );
}

static size_t Align( size_t size )
{
	return ( size + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
}

static Layout MakeLayout( const supFactor* factor, int32_t columns, int32_t workerCount )
{
	const supSymbolic* symbolic = factor->symbolic;
	size_t atOnce = (size_t)ColumnsAtOnce( columns );
	size_t tileRows = (size_t)supTileRows( factor->precision );
	Layout layout = { .numberSize = factor->precision == sup_precisionFloat ? sizeof( float ) : sizeof( double ) };
	layout.xSize = Align( atOnce * SUP_MAX_PANEL_WIDTH * layout.numberSize );
	layout.sumsSize = Align( atOnce * SUP_MAX_PANEL_WIDTH * tileRows * layout.numberSize );
	int32_t pieces = symbolic->maxHeight / LEAST_ROWS_PER_PIECE + 1;
	size_t sumsCount = (size_t)( pieces > workerCount ? pieces : workerCount );
	layout.xStart = Align( (size_t)symbolic->workCount * atOnce * layout.numberSize );
	layout.sumsStart = layout.xStart + (size_t)workerCount * layout.xSize;
	layout.residualStart = layout.sumsStart + sumsCount * layout.sumsSize;
	layout.total = layout.residualStart + Align( (size_t)symbolic->unknownCount * (size_t)columns * sizeof( double ) );
	return layout;
}

size_t supFactor_ScratchSize( const supFactor* factor, int32_t columns, int32_t workerCount )
{
	SUP_ASSERT( columns >= 1 && workerCount >= 1 );
	return MakeLayout( factor, columns, workerCount ).total;
}

typedef struct Run
{
	const supFactor* factor;
	supPanelJob job;
	Layout layout;
	char* scratch;
	// the vectors of the caller, and which of their columns
	double* vectors;
	int32_t stride;
	int32_t column;
	// the panel above the subtrees that is being shared out
	int32_t top;
	int32_t tilesPerPiece;
} Run;

static void* WorkerX( const Run* run, int32_t worker )
{
	return run->scratch + run->layout.xStart + (size_t)worker * run->layout.xSize;
}

static void* Sums( const Run* run, int32_t index )
{
	return run->scratch + run->layout.sumsStart + (size_t)index * run->layout.sumsSize;
}

// ---------------------------------------------------------------------------------------------------------------------
// In and out

#define FOR_UNKNOWNS( statement )                                                                                      \
	for ( int32_t i = begin; columns == 1 && run->stride == 1 && i < end; ++i )                                        \
	{                                                                                                                  \
		const size_t from = (size_t)order[i], to = (size_t)i, c = 0;                                                   \
		statement;                                                                                                     \
	}                                                                                                                  \
	for ( int32_t i = columns == 1 && run->stride == 1 ? end : begin; i < end; ++i )                                   \
	{                                                                                                                  \
		size_t from = (size_t)order[i] * (size_t)run->stride + (size_t)run->column;                                    \
		size_t to = (size_t)i * (size_t)columns;                                                                       \
		for ( int32_t c = 0; c < columns; ++c )                                                                        \
		{                                                                                                              \
			statement;                                                                                                 \
		}                                                                                                              \
	}

static void GatherUnknowns( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	const int32_t* order = run->factor->symbolic->unknownOrder;
	int32_t columns = run->job.columns;
	float* floatWork = run->job.work;
	double* doubleWork = run->job.work;
	if ( run->factor->precision == sup_precisionFloat )
	{
		FOR_UNKNOWNS( floatWork[to + (size_t)c] = (float)run->vectors[from + (size_t)c] )
	}
	else
	{
		FOR_UNKNOWNS( doubleWork[to + (size_t)c] = run->vectors[from + (size_t)c] )
	}
}

static void ScatterUnknowns( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	const int32_t* order = run->factor->symbolic->unknownOrder;
	int32_t columns = run->job.columns;
	const float* floatWork = run->job.work;
	const double* doubleWork = run->job.work;
	if ( run->factor->precision == sup_precisionFloat )
	{
		FOR_UNKNOWNS( run->vectors[from + (size_t)c] = (double)floatWork[to + (size_t)c] )
	}
	else
	{
		FOR_UNKNOWNS( run->vectors[from + (size_t)c] = doubleWork[to + (size_t)c] )
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Subtrees

static void ForwardSubtrees( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const Run* run = context;
	const supSymbolic* symbolic = run->factor->symbolic;
	size_t place = (size_t)run->job.columns * run->layout.numberSize;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supSubtree* subtree = symbolic->subtrees + symbolic->subtreeQueue[i];
		memset( (char*)run->job.work + (size_t)subtree->bufferStart * place, 0,
				(size_t)symbolic->supernodes[subtree->last].height * place );
		CALL( run->factor, supForwardPanels )
		( &run->job, subtree->first, subtree->last, WorkerX( run, worker ) );
	}
}

static void BackwardSubtrees( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const Run* run = context;
	const supSymbolic* symbolic = run->factor->symbolic;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supSubtree* subtree = symbolic->subtrees + symbolic->subtreeQueue[i];
		CALL( run->factor, supBackwardPanels )
		( &run->job, subtree->first, subtree->last, Sums( run, worker ), WorkerX( run, worker ) );
	}
}

// The buffer of a subtree: down, into the unknowns above it, or up, out of them.
static void MoveBuffer( const supFactor* factor, const supPanelJob* job, int32_t subtree, bool down )
{
	const supSymbolic* symbolic = factor->symbolic;
	size_t columns = (size_t)job->columns;
	float* floats = job->work;
	double* doubles = job->work;
	const supSupernode* root = symbolic->supernodes + symbolic->subtrees[subtree].last;
	const int32_t* rows = symbolic->rows + root->rowStart;
	for ( int32_t i = 0; i < root->height; ++i )
	{
		size_t at = (size_t)( symbolic->subtrees[subtree].bufferStart + i ) * columns;
		size_t above = (size_t)rows[i] * columns;
		for ( size_t c = 0; c < columns; ++c )
		{
			if ( factor->precision == sup_precisionFloat )
			{
				floats[down ? above + c : at + c] = down ? floats[above + c] + floats[at + c] : floats[above + c];
			}
			else
			{
				doubles[down ? above + c : at + c] = down ? doubles[above + c] + doubles[at + c] : doubles[above + c];
			}
		}
	}
}

static void MoveBuffers( const Run* run, bool down )
{
	for ( int32_t t = 0; t < run->factor->symbolic->subtreeCount; ++t )
	{
		MoveBuffer( run->factor, &run->job, t, down );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Top

static int32_t CountTiles( const Run* run, const supSupernode* s )
{
	int32_t tileRows = supTileRows( run->factor->precision );
	return ( s->height + tileRows - 1 ) / tileRows;
}

static void SetTop( Run* run, int32_t supernode )
{
	const supSupernode* s = run->factor->symbolic->supernodes + supernode;
	int32_t tiles = NUMBERS_PER_PIECE / ( supTileRows( run->factor->precision ) * s->width );
	run->top = supernode;
	run->tilesPerPiece = tiles / 4 * 4;
}

static void ForwardTopRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	CALL( run->factor, supForwardRows )( &run->job, run->top, begin, end, WorkerX( run, 0 ) );
}

static void BackwardTopRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	CALL( run->factor, supBackwardRows )( &run->job, run->top, begin, end, Sums( run, begin / run->tilesPerPiece ) );
}

// The sums of all pieces into the first, in order.
static void AddSums( const Run* run, const supSupernode* s, int32_t pieces )
{
	int32_t tileRows = supTileRows( run->factor->precision );
	for ( int32_t p = 1; p < pieces; ++p )
	{
		for ( int32_t c = 0; c < run->job.columns; ++c )
		{
			int32_t begin = c * SUP_MAX_PANEL_WIDTH * tileRows, end = begin + s->width * tileRows;
			if ( run->factor->precision == sup_precisionFloat )
			{
				float* to = Sums( run, 0 );
				const float* from = Sums( run, p );
				for ( int32_t i = begin; i < end; ++i )
				{
					to[i] += from[i];
				}
			}
			else
			{
				double* to = Sums( run, 0 );
				const double* from = Sums( run, p );
				for ( int32_t i = begin; i < end; ++i )
				{
					to[i] += from[i];
				}
			}
		}
	}
}

static void SolveTop( Run* run, const supTasks* tasks )
{
	const supSymbolic* symbolic = run->factor->symbolic;
	for ( int32_t i = 0; i < symbolic->topCount; ++i )
	{
		SetTop( run, symbolic->tops[i] );
		const supSupernode* s = symbolic->supernodes + run->top;
		CALL( run->factor, supForwardDiagonal )( &run->job, run->top, WorkerX( run, 0 ) );
		supParallelFor( tasks, CountTiles( run, s ), run->tilesPerPiece, ForwardTopRows, run );
	}
	for ( int32_t i = symbolic->topCount - 1; i >= 0; --i )
	{
		SetTop( run, symbolic->tops[i] );
		const supSupernode* s = symbolic->supernodes + run->top;
		int32_t tiles = CountTiles( run, s );
		if ( tiles == 0 )
		{
			CALL( run->factor, supBackwardRows )( &run->job, run->top, 0, 0, Sums( run, 0 ) );
		}
		supParallelFor( tasks, tiles, run->tilesPerPiece, BackwardTopRows, run );
		AddSums( run, s, ( tiles + run->tilesPerPiece - 1 ) / run->tilesPerPiece );
		CALL( run->factor, supBackwardDiagonal )( &run->job, run->top, Sums( run, 0 ), WorkerX( run, 0 ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// One group of columns.
static void SolveColumns( Run* run, const supTasks* tasks )
{
	const supSymbolic* symbolic = run->factor->symbolic;
	supParallelFor( tasks, symbolic->unknownCount, UNKNOWNS_PER_PIECE, GatherUnknowns, run );
	supParallelFor( tasks, symbolic->subtreeCount, 1, ForwardSubtrees, run );
	MoveBuffers( run, true );
	SolveTop( run, tasks );
	MoveBuffers( run, false );
	supParallelFor( tasks, symbolic->subtreeCount, 1, BackwardSubtrees, run );
	supParallelFor( tasks, symbolic->unknownCount, UNKNOWNS_PER_PIECE, ScatterUnknowns, run );
}

void supFactor_Solve( const supFactor* factor, double* x, int32_t columns, void* scratch, const supTasks* tasks )
{
	SUP_ASSERT( columns >= 1 );
	Run run = { .factor = factor,
				.job = factor->job,
				.layout = MakeLayout( factor, columns, supGetWorkerCount( tasks ) ),
				.scratch = scratch,
				.vectors = x,
				.stride = columns };
	run.job.work = scratch;
	while ( run.column < columns )
	{
		run.job.columns = ColumnsAtOnce( columns - run.column );
		SolveColumns( &run, tasks );
		run.column += run.job.columns;
	}
}

static double LargestOf( const double* values, size_t count )
{
	double largest = 0.0;
	for ( size_t i = 0; i < count; ++i )
	{
		double size = fabs( values[i] );
		largest = size > largest || size != size ? size : largest;
	}
	return largest;
}

double supFactor_SolveRefined( const supFactor* factor, const supBlockMatrix* matrix, const double* b, double* x,
							   int32_t columns, int32_t rounds, void* scratch, const supTasks* tasks )
{
	SUP_ASSERT( matrix->unknownCount == factor->symbolic->unknownCount );
	size_t count = (size_t)matrix->unknownCount * (size_t)columns;
	Layout layout = MakeLayout( factor, columns, supGetWorkerCount( tasks ) );
	double* residual = (double*)( (char*)scratch + layout.residualStart );
	memcpy( x, b, count * sizeof( double ) );
	supFactor_Solve( factor, x, columns, scratch, tasks );
	double change = 0.0;
	for ( int32_t round = 0; round < rounds; ++round )
	{
		supBlockMatrix_Multiply( matrix, x, residual, columns, tasks );
		for ( size_t i = 0; i < count; ++i )
		{
			residual[i] = b[i] - residual[i];
		}
		supFactor_Solve( factor, residual, columns, scratch, tasks );
		for ( size_t i = 0; i < count; ++i )
		{
			x[i] += residual[i];
		}
		double size = LargestOf( x, count );
		change = size > 0.0 ? LargestOf( residual, count ) / size : 0.0;
	}
	return change;
}
