// SPDX-License-Identifier: MIT
// The system of all gaps as numbers, factored (src/linear). A row is a node of it, and rows that hold the same body are
// coupled. The pattern is found when an attachment is made, switched or removed; steps fill in numbers and factor them.
#include "scene/attachment_system.h"

#include "core/core.h"
#include "linear/factor.h"

// Factoring must not cost more than the products that conjugate residuals would take.
#define ITERATIONS_SAVED 50.0

// Pivots below this part of the matrix's own entry: attachments repeat each other, or are in conflict. Couplings are
// floats, which leave about 1e-7 where there should be nothing.
#define MIN_PIVOT_RATIO 1e-5

struct supGapSystem
{
	supBlockMatrix matrix;
	supSymbolic symbolic;
	supFactor factor;
	double* x;
	void* scratch;
};

void supDestroyGapSystem( supGapSystem* system )
{
	if ( system != NULL )
	{
		supFactor_Destroy( &system->factor );
		supSymbolic_Destroy( &system->symbolic );
		supBlockMatrix_Destroy( &system->matrix );
		supFree( system->x );
		supFree( system->scratch );
		supFree( system );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Pattern

static int32_t NumberRows( supAttachments* attachments )
{
	int32_t count = 0;
	for ( int32_t n = 0; n < attachments->generalCount; ++n )
	{
		supAttachment* attachment = attachments->general[n];
		for ( int32_t row = 0; row < attachment->placeCount; ++row )
		{
			attachment->places[row].gapRow.node = supAttachment_HasRow( attachment, row ) ? count++ : -1;
		}
	}
	return count;
}

// Rows that a place counts in: of a join its own or, for the first place, all.
typedef struct RowRange
{
	int32_t begin, end;
} RowRange;

static RowRange RowsOf( const supHeldPlace* place )
{
	const supAttachment* attachment = place->owner;
	int32_t index = (int32_t)( place - attachment->places );
	if ( attachment->kind != sup_attachmentJoin )
	{
		return ( RowRange ){ 0, attachment->slack > 0.0f ? 0 : 1 };
	}
	RowRange rows = index == 0 ? ( RowRange ){ 1, attachment->placeCount } : ( RowRange ){ index, index + 1 };
	return attachment->slack > 0.0f ? ( RowRange ){ 0, 0 } : rows;
}

static int32_t CountRows( const supActor* actor )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < actor->heldCount; ++i )
	{
		RowRange rows = RowsOf( actor->held[i] );
		count += rows.end - rows.begin;
	}
	return count;
}

static int32_t* ListRows( const supActor* actor, int32_t* nodes )
{
	for ( int32_t i = 0; i < actor->heldCount; ++i )
	{
		RowRange rows = RowsOf( actor->held[i] );
		for ( int32_t row = rows.begin; row < rows.end; ++row )
		{
			*nodes++ = actor->held[i]->owner->places[row].gapRow.node;
		}
	}
	return nodes;
}

// Rows of each body, as an element of the matrix.
static bool CreateMatrix( supBlockMatrix* matrix, const supAttachments* attachments, int32_t rowCount )
{
	int32_t total = 0;
	for ( int32_t i = 0; i < attachments->holderCount; ++i )
	{
		total += CountRows( attachments->holders[i] );
	}
	int32_t* starts = supAllocArray( (size_t)attachments->holderCount + 1, sizeof( int32_t ) );
	int32_t* nodes = supAllocArray( (size_t)total + 1, sizeof( int32_t ) );
	bool ok = starts != NULL && nodes != NULL;
	int32_t* at = nodes;
	for ( int32_t i = 0; ok && i < attachments->holderCount; ++i )
	{
		starts[i] = (int32_t)( at - nodes );
		at = ListRows( attachments->holders[i], at );
		starts[i + 1] = (int32_t)( at - nodes );
	}
	const supElements elements = { attachments->holderCount, 0, starts, nodes };
	supError error = { 0 };
	ok = ok &&
		 supBlockMatrix_Create( matrix, rowCount, 3, NULL, attachments->holderCount > 0 ? &elements : NULL, &error );
	supFree( starts );
	supFree( nodes );
	return ok;
}

static bool IsWorthIt( const supGapSystem* system )
{
	return system->symbolic.flops <= ITERATIONS_SAVED * 18.0 * (double)system->matrix.blockCount;
}

static bool CreateFactor( supGapSystem* system )
{
	const supFactorDef def = { .precision = sup_precisionDouble, .workerCount = 1 };
	supError error = { 0 };
	if ( supFactor_Create( &system->factor, &system->symbolic, &def, &error ) == false )
	{
		return false;
	}
	system->x = supAllocArray( (size_t)system->matrix.unknownCount, sizeof( double ) );
	system->scratch = supAlloc( supFactor_ScratchSize( &system->factor, 1, 1 ) );
	return system->x != NULL && system->scratch != NULL;
}

static bool HasSparse( const supAttachments* attachments )
{
	bool has = false;
	for ( int32_t i = 0; i < attachments->holderCount; ++i )
	{
		has = has || supActor_HasSparseCouplings( attachments->holders[i] );
	}
	return has;
}

supGapSystem* supCreateGapSystem( supAttachments* attachments )
{
	int32_t rowCount = HasSparse( attachments ) ? 0 : NumberRows( attachments );
	supGapSystem* system = rowCount > 0 ? supAllocZeroed( sizeof( supGapSystem ) ) : NULL;
	supError error = { 0 };
	bool ok = system != NULL && CreateMatrix( &system->matrix, attachments, rowCount ) &&
			  supSymbolic_Create( &system->symbolic, &system->matrix, NULL, NULL, &error ) && IsWorthIt( system ) &&
			  CreateFactor( system );
	if ( ok == false )
	{
		supDestroyGapSystem( system );
		system = NULL;
	}
	return system;
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

// s P m Q, where rows that slide leave only what counts for them
static void AddCoupling( supGapSystem* system, const supGapRow* row, const supGapRow* column, double s,
						 const supMat3* coupling )
{
	int32_t found = supBlockMatrix_Find( &system->matrix, row->node, column->node );
	double* block = supBlockMatrix_Block( &system->matrix, found );
	supMat3 m = *coupling;
	m = column->isPartial ? supMulMM( m, column->part ) : m;
	m = row->isPartial ? supMulMM( row->part, m ) : m;
	const float* from = &m.cx.x;
	for ( int32_t k = 0; k < 9; ++k )
	{
		block[k] += s * (double)from[k];
	}
}

static void AddPlaces( supGapSystem* system, const supHeldPlace* place, const supHeldPlace* pushed,
					   const supMat3* coupling )
{
	RowRange rows = RowsOf( place ), columns = RowsOf( pushed );
	for ( int32_t i = rows.begin; i < rows.end; ++i )
	{
		const supGapRow* row = &place->owner->places[i].gapRow;
		float a = supAttachment_Sign( place->owner, i, (int32_t)( place - place->owner->places ) );
		for ( int32_t k = columns.begin; row->active && k < columns.end; ++k )
		{
			const supGapRow* column = &pushed->owner->places[k].gapRow;
			float b = supAttachment_Sign( pushed->owner, k, (int32_t)( pushed - pushed->owner->places ) );
			if ( column->active )
			{
				AddCoupling( system, row, column, (double)a * (double)b, coupling );
			}
		}
	}
}

// What of a row that slides does not count has no part in anything; nor has one that is not active.
static void CloseRow( supGapSystem* system, const supGapRow* row )
{
	const float* part = &row->part.cx.x;
	double* block =
		supBlockMatrix_Block( &system->matrix, supBlockMatrix_Find( &system->matrix, row->node, row->node ) );
	double size = row->active ? block[0] + block[4] + block[8] : 1.0;
	const float* own = &row->block.cx.x;
	for ( int32_t k = 0; k < 9 && row->active && row->softness > 0.0; ++k )
	{
		block[k] += row->softness * (double)own[k];
	}
	for ( int32_t k = 0; k < 9 && ( row->isPartial || row->active == false ); ++k )
	{
		block[k] += size * ( ( k % 4 == 0 ? 1.0 : 0.0 ) - ( row->active ? (double)part[k] : 0.0 ) );
	}
}

bool supGapSystem_Refactor( supGapSystem* system, const supAttachments* attachments )
{
	supBlockMatrix_SetZero( &system->matrix );
	for ( int32_t h = 0; h < attachments->holderCount; ++h )
	{
		const supActor* actor = attachments->holders[h];
		for ( int32_t i = 0; i < actor->heldCount; ++i )
		{
			for ( int32_t k = 0; k < actor->heldCount; ++k )
			{
				AddPlaces( system, actor->held[i], actor->held[k],
						   actor->couplings + (size_t)i * (size_t)actor->heldCount + (size_t)k );
			}
		}
	}
	for ( int32_t n = 0; n < attachments->generalCount; ++n )
	{
		const supAttachment* attachment = attachments->general[n];
		for ( int32_t row = 0; row < attachment->placeCount; ++row )
		{
			if ( attachment->places[row].gapRow.node >= 0 )
			{
				CloseRow( system, &attachment->places[row].gapRow );
			}
		}
	}
	supFactorReport report = supFactor_Refactor( &system->factor, &system->matrix, NULL );
	return report.ok && report.smallestPivot > MIN_PIVOT_RATIO;
}

// From residuals to forces, or back into the rows.
static void CopyRows( supGapSystem* system, const supAttachments* attachments, bool isIn )
{
	for ( int32_t n = 0; n < attachments->generalCount; ++n )
	{
		supAttachment* attachment = attachments->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			supGapRow* row = &attachment->places[i].gapRow;
			double* x = row->node >= 0 ? system->x + 3 * (size_t)row->node : NULL;
			for ( int32_t k = 0; x != NULL && k < 3; ++k )
			{
				x[k] = isIn ? ( row->active ? row->residual[k] : 0.0 ) : x[k];
				row->force[k] = isIn ? row->force[k] : x[k];
			}
		}
	}
}

void supGapSystem_Solve( supGapSystem* system, const supAttachments* attachments )
{
	CopyRows( system, attachments, true );
	supFactor_Solve( &system->factor, system->x, 1, system->scratch, NULL );
	CopyRows( system, attachments, false );
}
