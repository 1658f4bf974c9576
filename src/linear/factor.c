// SPDX-License-Identifier: MIT
#include "linear/factor.h"

#include "core/tasks.h"
#include "linear/dense_kernel.h"

#include <math.h>

// Rows of a panel above the subtrees that one piece of work takes. Each piece packs the other operand for itself.
#define ROWS_PER_PIECE 128

// Panels with fewer numbers are not shared out.
#define LEAST_SHARED_NUMBERS 8192

#define CALL( factor, name )                                                                                           \
	( ( factor )->precision == sup_precisionFloat ? SUP_CALL_KERNEL( name##Float ) : SUP_CALL_KERNEL( name##Double ) )

// ---------------------------------------------------------------------------------------------------------------------
// Memory

static size_t NumberSize( const supFactor* factor )
{
	return factor->precision == sup_precisionFloat ? sizeof( float ) : sizeof( double );
}

// Memory of the caller's, or only its size where base is NULL.
typedef struct Room
{
	char* base;
	size_t used;
} Room;

static void* Take( Room* room, size_t count, size_t itemSize )
{
	void* place = room->base != NULL ? room->base + room->used : NULL;
	room->used += ( count * itemSize + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

static void PlaceNumbers( supFactor* factor, Room* room )
{
	supPanelJob* job = &factor->job;
	size_t n = (size_t)factor->symbolic->unknownCount, size = NumberSize( factor );
	job->values = Take( room, (size_t)factor->symbolic->panelCounts[factor->precision], size );
	job->scales = Take( room, n, sizeof( double ) );
	for ( int i = 0; i < 4; ++i )
	{
		job->pivots[i] = Take( room, n, size );
	}
	job->pivotOrder = job->indefinite ? Take( room, n, sizeof( int32_t ) ) : NULL;
}

static void PlaceWorkers( supFactor* factor, Room* room )
{
	const supSymbolic* symbolic = factor->symbolic;
	size_t square = SUP_MAX_PANEL_WIDTH * SUP_MAX_PANEL_WIDTH;
	factor->workers = Take( room, (size_t)factor->workerCount, sizeof( supPanelScratch ) );
	for ( int32_t i = 0; i < factor->workerCount; ++i )
	{
		supPanelScratch worker = { 0 };
		worker.offsets = Take( room, (size_t)symbolic->unknownCount, sizeof( int32_t ) );
		worker.rowOffsets = Take( room, (size_t)symbolic->maxHeight, sizeof( int32_t ) );
		worker.packed = Take( room, square, NumberSize( factor ) );
		worker.dense = factor->job.indefinite ? Take( room, square, sizeof( double ) ) : NULL;
		if ( room->base != NULL )
		{
			factor->workers[i] = worker;
		}
	}
}

static supFactor MakeFactor( const supSymbolic* symbolic, const supFactorDef* def )
{
	SUP_ASSERT( def->workerCount >= 1 && def->workerCount <= SUP_MAX_THREADS );
	return ( supFactor ){ .symbolic = symbolic,
						  .precision = def->precision,
						  .workerCount = def->workerCount,
						  .job = { .symbolic = symbolic, .indefinite = def->indefinite } };
}

size_t supFactor_NumbersSize( const supSymbolic* symbolic, const supFactorDef* def )
{
	supFactor factor = MakeFactor( symbolic, def );
	Room room = { 0 };
	PlaceNumbers( &factor, &room );
	return room.used;
}

size_t supFactor_WorkSize( const supSymbolic* symbolic, const supFactorDef* def )
{
	supFactor factor = MakeFactor( symbolic, def );
	Room room = { 0 };
	PlaceWorkers( &factor, &room );
	return room.used;
}

supFactor supFactor_Place( const supSymbolic* symbolic, const supFactorDef* def, void* numbers, void* work )
{
	supFactor factor = MakeFactor( symbolic, def );
	Room numbersRoom = { .base = numbers }, workRoom = { .base = work };
	PlaceNumbers( &factor, &numbersRoom );
	if ( work != NULL )
	{
		PlaceWorkers( &factor, &workRoom );
	}
	return factor;
}

size_t supFactor_MemorySize( const supSymbolic* symbolic, const supFactorDef* def )
{
	return supFactor_NumbersSize( symbolic, def ) + supFactor_WorkSize( symbolic, def );
}

void supFactor_InitAt( supFactor* factor, const supSymbolic* symbolic, const supFactorDef* def, void* memory )
{
	void* work = memory != NULL ? (char*)memory + supFactor_NumbersSize( symbolic, def ) : NULL;
	*factor = supFactor_Place( symbolic, def, memory, work );
}

bool supFactor_Create( supFactor* factor, const supSymbolic* symbolic, const supFactorDef* def, supError* error )
{
	supArena arena = { 0 };
	void* memory = supArena_AllocArray( &arena, supFactor_MemorySize( symbolic, def ), 1 );
	if ( memory == NULL )
	{
		memset( factor, 0, sizeof( *factor ) );
		supArena_Destroy( &arena );
		return supSetMemoryError( error );
	}
	supFactor_InitAt( factor, symbolic, def, memory );
	factor->arena = arena;
	return true;
}

void supFactor_Destroy( supFactor* factor )
{
	supArena_Destroy( &factor->arena );
	memset( factor, 0, sizeof( *factor ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

static void FactorSubtrees( int32_t begin, int32_t end, int32_t worker, void* context )
{
	supFactor* factor = context;
	const supSymbolic* symbolic = factor->symbolic;
	supPanelScratch* scratch = factor->workers + worker;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supSubtree* subtree = symbolic->subtrees + symbolic->subtreeQueue[i];
		for ( int32_t k = subtree->first; k <= subtree->last; ++k )
		{
			int32_t tileRows = supTileRows( factor->precision );
			int32_t tiles = ( symbolic->supernodes[k].height + tileRows - 1 ) / tileRows;
			CALL( factor, supAssemblePanel )( &factor->job, k, scratch );
			CALL( factor, supUpdatePanel )( &factor->job, k, 0, INT32_MAX, scratch->offsets, scratch );
			CALL( factor, supFactorDiagonal )( &factor->job, k, scratch );
			CALL( factor, supSolvePanelRows )( &factor->job, k, 0, tiles, scratch );
		}
	}
}

typedef struct TopJob
{
	supFactor* factor;
	int32_t supernode;
} TopJob;

// Which unknown is row `row` of a panel, the diagonal block included.
static int32_t UnknownOfRow( const supSymbolic* symbolic, const supSupernode* s, int32_t row )
{
	if ( row >= s->width + s->height )
	{
		return INT32_MAX;
	}
	return row < s->width ? s->first + row : symbolic->rows[s->rowStart + row - s->width];
}

static void UpdateTopRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const TopJob* top = context;
	supFactor* factor = top->factor;
	const supSupernode* s = factor->symbolic->supernodes + top->supernode;
	CALL( factor, supUpdatePanel )
	( &factor->job, top->supernode, UnknownOfRow( factor->symbolic, s, begin ),
	  UnknownOfRow( factor->symbolic, s, end ), factor->workers[0].offsets, factor->workers + worker );
}

static void SolveTopRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const TopJob* top = context;
	CALL( top->factor, supSolvePanelRows )
	( &top->factor->job, top->supernode, begin, end, top->factor->workers + worker );
}

// A panel above the subtrees: its rows are shared out. The offsets stay those of worker 0 until the panel is done.
static void FactorTop( supFactor* factor, int32_t supernode, const supTasks* tasks )
{
	const supSupernode* s = factor->symbolic->supernodes + supernode;
	TopJob top = { factor, supernode };
	if ( (int64_t)s->width * ( s->width + s->height ) < LEAST_SHARED_NUMBERS )
	{
		tasks = NULL;
	}
	int32_t tileRows = supTileRows( factor->precision );
	int32_t rowCount = s->width + s->height, tileCount = ( s->height + tileRows - 1 ) / tileRows;
	// every number is the same sum however rows are shared out
	bool shared = supGetWorkerCount( tasks ) > 1;
	CALL( factor, supAssemblePanel )( &factor->job, supernode, factor->workers );
	supParallelFor( tasks, rowCount, shared ? ROWS_PER_PIECE : rowCount, UpdateTopRows, &top );
	CALL( factor, supFactorDiagonal )( &factor->job, supernode, factor->workers );
	supParallelFor( tasks, tileCount, ROWS_PER_PIECE / tileRows, SolveTopRows, &top );
}

// The node that an unknown belongs to.
static int32_t NodeOf( const supBlockMatrix* matrix, int32_t unknown )
{
	int32_t low = 0, high = matrix->nodeCount;
	while ( high - low > 1 )
	{
		int32_t middle = low + ( high - low ) / 2;
		if ( matrix->offsets[middle] <= unknown )
		{
			low = middle;
		}
		else
		{
			high = middle;
		}
	}
	return low;
}

static supFactorReport MergeReports( const supFactor* factor, const supBlockMatrix* matrix )
{
	supFactorReport report = { .badNode = -1, .smallestPivot = 1.0 };
	int32_t firstBad = INT32_MAX;
	for ( int32_t i = 0; i < factor->workerCount; ++i )
	{
		const supPanelReport* r = &factor->workers[i].report;
		firstBad = r->firstBad < firstBad ? r->firstBad : firstBad;
		report.badCount += r->badCount;
		report.negativeCount += r->negativeCount;
		report.smallestPivot = r->smallestPivot < report.smallestPivot ? r->smallestPivot : report.smallestPivot;
	}
	report.ok = report.badCount == 0;
	if ( report.ok == false )
	{
		report.badNode = NodeOf( matrix, factor->symbolic->unknownOrder[firstBad] );
	}
	return report;
}

supFactorReport supFactor_Refactor( supFactor* factor, const supBlockMatrix* matrix, const supTasks* tasks )
{
	const supSymbolic* symbolic = factor->symbolic;
	SUP_ASSERT( matrix->unknownCount == symbolic->unknownCount && matrix->blockCount == symbolic->blockCount );
	SUP_ASSERT( factor->workers != NULL && supGetWorkerCount( tasks ) <= factor->workerCount );
	for ( int32_t i = 0; i < factor->workerCount; ++i )
	{
		factor->workers[i].report = ( supPanelReport ){ .firstBad = INT32_MAX, .smallestPivot = 1.0 };
	}
	factor->job.matrix = matrix;
	factor->job.largestScale = 0.0;
	if ( factor->job.indefinite )
	{
		factor->job.largestScale =
			SUP_CALL_KERNEL( supLargestSize )( matrix->values, matrix->blockStarts[matrix->blockCount] );
	}
	supParallelFor( tasks, symbolic->subtreeCount, 1, FactorSubtrees, factor );
	for ( int32_t i = 0; i < symbolic->topCount; ++i )
	{
		FactorTop( factor, symbolic->tops[i], tasks );
	}
	factor->job.matrix = NULL;
	return MergeReports( factor, matrix );
}
