// SPDX-License-Identifier: MIT
#include "scene/attachment_system.h"

#include "core/core.h"
#include "math/matrix.h"

#include <math.h>

// Part of the gaps at the beginning, squared and in the preconditioner's measure, at which they are met: what is left
// is below the rounding of positions.
#define TOLERANCE 1e-16
#define MAX_ITERATIONS 300

// Work that attachments may do, as a multiple of what it would take to close each gap by itself. Smooth targets take
// less than that. Places near each other with very different targets take far more, and would fling the flesh around
// them away by the root of this times the gap: those that do the work then give by a part of their compliance.
#define MAX_WORK_RATIO 25.0
#define CONFLICT_SOFTNESS 0.25
#define MAX_SOFTENINGS 3

// Gaps that give less than this part of what their blocks would give by themselves do not give at all.
#define MIN_COMPLIANCE_RATIO 1e-10

// Part of the largest gap at the beginning that is left where attachments contradict each other.
#define CONFLICT_GAP_RATIO 1e-2

// Of a place's distance from the origin: a hundred times what a float has.
#define POSITION_ROUNDING 1e-5

static double Dot( const double a[3], const double b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void MulAdd( double result[3], double s, const double a[3] )
{
	for ( int32_t k = 0; k < 3; ++k )
	{
		result[k] += s * a[k];
	}
}

// result = m a
static void Transform( double result[3], const supMat3* m, const double a[3] )
{
	const float* c = &m->cx.x;
	for ( int32_t k = 0; k < 3; ++k )
	{
		result[k] = (double)c[k] * a[0] + (double)c[3 + k] * a[1] + (double)c[6 + k] * a[2];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

static void PrepareRow( supAttachment* attachment, int32_t row )
{
	supGapRow* gapRow = &attachment->places[row].gapRow;
	supMat3 sum = { supVec3_zero, supVec3_zero, supVec3_zero };
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		float a = supAttachment_Sign( attachment, row, i );
		for ( int32_t k = 0; k < attachment->placeCount && a != 0.0f; ++k )
		{
			float b = supAttachment_Sign( attachment, row, k );
			if ( b != 0.0f )
			{
				sum = supMulAddMat3( sum, a * b, supFindCoupling( attachment->places + i, attachment->places + k ) );
			}
		}
	}
	gapRow->block = sum;
	gapRow->isPartial = false;
	gapRow->softness = 0.0;
	gapRow->active = supInvertMat3( sum, &gapRow->inverse );
}

// Of what counts; the rest gives so much that it can be inverted.
static void HoldPart( supAttachment* attachment, supMat3 part, supMat3 rest )
{
	supGapRow* row = &attachment->places[0].gapRow;
	supMat3 block = supMulMM( part, supMulMM( row->block, part ) ), inverse;
	block = supMulAddMat3( block, row->block.cx.x + row->block.cy.y + row->block.cz.z, rest );
	row->isPartial = true;
	row->part = part;
	row->active = supInvertMat3( block, &inverse );
	row->inverse = supMulMM( part, supMulMM( inverse, part ) );
	attachment->system->isFactored = attachment->system->isDependent = false;
}

static supMat3 OuterProduct( supVec3 n )
{
	return ( supMat3 ){ supScale( n.x, n ), supScale( n.y, n ), supScale( n.z, n ) };
}

void supAttachment_HoldAlong( supAttachment* attachment, supVec3 normal )
{
	supMat3 along = OuterProduct( normal );
	HoldPart( attachment, along, supMulAddMat3( supMat3_identity, -1.0f, along ) );
}

void supAttachment_HoldAcross( supAttachment* attachment, supVec3 edge )
{
	supMat3 along = OuterProduct( edge );
	HoldPart( attachment, supMulAddMat3( supMat3_identity, -1.0f, along ), along );
}

void supActor_KeepHeldPlaces( const supActor* actor, const supHeldPlace* except )
{
	const supMethod* method = actor->flesh->method;
	if ( method->beginHeldPlaces == NULL )
	{
		return;
	}
	method->beginHeldPlaces( actor->flesh->own, actor->state );
	for ( int32_t k = 0; k < actor->heldCount; ++k )
	{
		const supHeldPlace* place = actor->held[k];
		if ( place->responds && place != except )
		{
			method->addHeldPlace( actor->flesh->own, actor->state, place->row.count, place->row.particles,
								  place->row.weights );
		}
	}
}

void supRefreshResponse( supAttachments* system, supHeldPlace* place, float dt, const supTasks* tasks )
{
	supActor* actor = place->def.actor;
	bool isHeld = place->moves && place->index < actor->heldCount && actor->held[place->index] == place;
	if ( isHeld == false )
	{
		return;
	}
	supActor_KeepHeldPlaces( actor, place );
	supHeldPlace_ComputeResponse( place, dt, tasks );
	supActor_FindCouplings( actor, system->scratch );
	PrepareRow( place->owner, 0 );
}

// Leaves of a vector what counts for the row.
static void Restrict( const supGapRow* row, double vector[3] )
{
	if ( row->isPartial )
	{
		double part[3];
		Transform( part, &row->part, vector );
		memcpy( vector, part, sizeof( part ) );
	}
}

// Which places of each actor are held, in the order of the attachments: at this moment, or ever.
static void FindHeld( supAttachments* system, bool ever )
{
	system->holderCount = 0;
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			if ( supHeldPlace_HasFlesh( attachment->places + i ) )
			{
				attachment->places[i].def.actor->heldCount = 0;
			}
		}
	}
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			supHeldPlace* place = attachment->places + i;
			bool isHeld = ever ? supHeldPlace_HasFlesh( place ) : place->moves && attachment->hasCompliance;
			if ( isHeld )
			{
				supActor* actor = place->def.actor;
				if ( actor->heldCount == 0 )
				{
					system->holders[system->holderCount++] = actor;
				}
				place->index = actor->heldCount++;
				actor->held[place->index] = place;
			}
		}
	}
}

void supRefreshCoupled( supAttachments* system )
{
	supDestroyGapSystem( system->gaps );
	FindHeld( system, true );
	system->gaps = supCreateGapSystem( system );
}

typedef struct ResponseRun
{
	const supAttachments* system;
	float dt;
	const supTasks* tasks;
} ResponseRun;

// Places of one actor one after the other: they share its scratch.
static void RespondRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const ResponseRun* run = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supActor* actor = run->system->holders[i];
		for ( int32_t k = 0; k < actor->heldCount; ++k )
		{
			supHeldPlace_ComputeResponse( actor->held[k], run->dt, run->tasks );
		}
	}
}

void supPrepareCoupled( supAttachments* system, float dt, const supTasks* tasks )
{
	FindHeld( system, false );
	system->isFactored = system->isDependent = false;
	// threads go to the actors where there are several, else to the one
	bool isAcross = system->holderCount > 1;
	ResponseRun run = { system, dt, isAcross ? NULL : tasks };
	supParallelFor( isAcross ? tasks : NULL, system->holderCount, 1, RespondRange, &run );
	for ( int32_t i = 0; i < system->holderCount; ++i )
	{
		supActor_FindCouplings( system->holders[i], system->scratch );
	}
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			attachment->places[i].gapRow.active = false;
			memset( attachment->places[i].push, 0, sizeof( attachment->places[i].push ) );
			if ( supAttachment_HasRow( attachment, i ) )
			{
				PrepareRow( attachment, i );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Conjugate residuals (Stiefel 1955, in the form of Saad 2003, algorithm 6.20): of each step the one that leaves the
// smallest gaps, so that contradictions, along which S does not give, make no force grow.

typedef double RowFcn( supGapRow* row, double factor );

// Of all active rows, in order. Returns the sum of what the function returns.
static double ForRows( supAttachments* system, RowFcn* function, double factor )
{
	double sum = 0.0;
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			if ( attachment->places[i].gapRow.active )
			{
				sum += function( &attachment->places[i].gapRow, factor );
			}
		}
	}
	return sum;
}

// Forces of rows on the places, from the vector at this offset of a row.
static void PushPlaces( supAttachments* system, size_t offset )
{
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			memset( attachment->places[i].push, 0, sizeof( attachment->places[i].push ) );
		}
		for ( int32_t row = 0; row < attachment->placeCount; ++row )
		{
			const supGapRow* gapRow = &attachment->places[row].gapRow;
			const double* force = (const double*)( (const char*)gapRow + offset );
			for ( int32_t i = 0; i < attachment->placeCount && gapRow->active; ++i )
			{
				MulAdd( attachment->places[i].push, (double)supAttachment_Sign( attachment, row, i ), force );
			}
		}
	}
}

// image = S inside
static void Multiply( supAttachments* system )
{
	PushPlaces( system, offsetof( supGapRow, inside ) );
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			memset( attachment->places[i].move, 0, sizeof( attachment->places[i].move ) );
		}
	}
	for ( int32_t i = 0; i < system->holderCount; ++i )
	{
		supActor_MoveHeld( system->holders[i], system->scratch );
	}
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t row = 0; row < attachment->placeCount && supAttachment_IsCoupled( attachment ); ++row )
		{
			supGapRow* gapRow = &attachment->places[row].gapRow;
			memset( gapRow->image, 0, sizeof( gapRow->image ) );
			for ( int32_t i = 0; i < attachment->placeCount && gapRow->active; ++i )
			{
				MulAdd( gapRow->image, (double)supAttachment_Sign( attachment, row, i ), attachment->places[i].move );
			}
			Restrict( gapRow, gapRow->image );
		}
	}
}

static double StartRow( supGapRow* row, double factor )
{
	(void)factor;
	memset( row->force, 0, sizeof( row->force ) );
	memset( row->direction, 0, sizeof( row->direction ) );
	memset( row->product, 0, sizeof( row->product ) );
	Transform( row->inside, &row->inverse, row->residual );
	return Dot( row->residual, row->inside );
}

static double MeasureRow( supGapRow* row, double factor )
{
	(void)factor;
	return Dot( row->inside, row->image );
}

// Returns the size of the product in the preconditioner's measure.
static double TurnRow( supGapRow* row, double turn )
{
	double turned[3];
	memcpy( turned, row->inside, sizeof( turned ) );
	MulAdd( turned, turn, row->direction );
	memcpy( row->direction, turned, sizeof( turned ) );
	memcpy( turned, row->image, sizeof( turned ) );
	MulAdd( turned, turn, row->product );
	memcpy( row->product, turned, sizeof( turned ) );
	Transform( turned, &row->inverse, row->product );
	return Dot( row->product, turned );
}

static double AdvanceRow( supGapRow* row, double step )
{
	MulAdd( row->force, step, row->direction );
	MulAdd( row->residual, -step, row->product );
	Transform( row->inside, &row->inverse, row->residual );
	return Dot( row->residual, row->inside );
}

static double FindWork( supGapRow* row, double factor )
{
	(void)factor;
	return Dot( row->gap, row->force );
}

static double MeasureAlone( const supGapRow* row )
{
	double own[3];
	Transform( own, &row->inverse, row->gap );
	return Dot( row->gap, own );
}

static double FindMostWork( const supAttachments* system )
{
	double most = 0.0;
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		const supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			const supGapRow* row = &attachment->places[i].gapRow;
			most = row->active ? fmax( most, Dot( row->gap, row->force ) ) : most;
		}
	}
	return most;
}

// Returns 1 where it does too much work and has not been softened yet. Others near it work against that, but less.
static double SoftenRow( supGapRow* row, double mostWork )
{
	double work = Dot( row->gap, row->force );
	bool does = row->softness == 0.0 && work > MAX_WORK_RATIO * MeasureAlone( row ) && work > 0.25 * mostWork;
	row->softness = does ? CONFLICT_SOFTNESS : row->softness;
	return does ? 1.0 : 0.0;
}

static void AddOwn( supGapRow* row, const double from[3], double* to, double scale )
{
	double own[3];
	Transform( own, &row->block, from );
	Restrict( row, own );
	MulAdd( to, scale * row->softness, own );
}

// S with the softness of rows.
static double SoftenImage( supGapRow* row, double factor )
{
	if ( row->softness > 0.0 )
	{
		AddOwn( row, row->inside, row->image, factor );
	}
	return 0.0;
}

// The gap that is left, without it.
static double HardenResidual( supGapRow* row, double factor )
{
	if ( row->softness > 0.0 )
	{
		AddOwn( row, row->force, row->residual, factor );
	}
	return 0.0;
}

static void SolveByResiduals( supAttachments* system )
{
	double left = ForRows( system, StartRow, 0.0 ), goal = TOLERANCE * left, before = 0.0;
	for ( int32_t i = 0; i < MAX_ITERATIONS && left > goal; ++i )
	{
		Multiply( system );
		ForRows( system, SoftenImage, 1.0 );
		double give = ForRows( system, MeasureRow, 0.0 );
		// what is left is what attachments contradict each other by
		if ( ( give > MIN_COMPLIANCE_RATIO * left && give < (double)INFINITY ) == false )
		{
			break;
		}
		double size = ForRows( system, TurnRow, i > 0 ? give / before : 0.0 );
		left = ForRows( system, AdvanceRow, give / size );
		before = give;
	}
	ForRows( system, HardenResidual, 1.0 );
}

static double TakeForce( supGapRow* row, double factor )
{
	(void)factor;
	memcpy( row->inside, row->force, sizeof( row->inside ) );
	return 0.0;
}

static double LeaveRow( supGapRow* row, double factor )
{
	MulAdd( row->residual, factor, row->image );
	return 0.0;
}

static double KeepGap( supGapRow* row, double factor )
{
	(void)factor;
	memcpy( row->gap, row->residual, sizeof( row->gap ) );
	return MeasureAlone( row );
}

static double StartAgain( supGapRow* row, double factor )
{
	(void)factor;
	memcpy( row->residual, row->gap, sizeof( row->gap ) );
	return 0.0;
}

static void SolveOnce( supAttachments* system )
{
	if ( system->gaps != NULL && system->isFactored == false && system->isDependent == false )
	{
		system->isFactored = supGapSystem_Refactor( system->gaps, system );
		system->isDependent = system->isFactored == false;
	}
	if ( system->isFactored == false )
	{
		SolveByResiduals( system );
		return;
	}
	supGapSystem_Solve( system->gaps, system );
	ForRows( system, TakeForce, 0.0 );
	Multiply( system );
	ForRows( system, LeaveRow, -1.0 );
}

static void Solve( supAttachments* system )
{
	double most = MAX_WORK_RATIO * ForRows( system, KeepGap, 0.0 );
	for ( int32_t i = 0;; ++i )
	{
		SolveOnce( system );
		bool isSound = ForRows( system, FindWork, 0.0 ) <= most;
		if ( isSound || i == MAX_SOFTENINGS || ForRows( system, SoftenRow, FindMostWork( system ) ) == 0.0 )
		{
			return;
		}
		system->isFactored = system->isDependent = false;
		ForRows( system, StartAgain, 0.0 );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Contradictions

static double LargestGap( const supAttachment* attachment )
{
	double largest = 0.0;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		const supGapRow* row = &attachment->places[i].gapRow;
		double square = row->active ? Dot( row->residual, row->residual ) : 0.0;
		largest = square > largest ? square : largest;
	}
	return sqrt( largest );
}

// Never less than what rounding of positions makes.
static double LargestOfAll( const supAttachments* system )
{
	double largest = 0.0;
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		const supAttachment* attachment = system->general[n];
		double size = POSITION_ROUNDING * (double)supLength( attachment->places[0].predicted );
		largest = fmax( largest, supAttachment_IsCoupled( attachment ) ? fmax( LargestGap( attachment ), size ) : 0.0 );
	}
	return largest;
}

void supReportConflicts( supAttachments* system )
{
	double gap = system->startGap;
	const supAttachment* reported[2] = { NULL, NULL };
	int32_t count = 0, fresh = 0;
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		bool isInConflict = LargestGap( attachment ) > CONFLICT_GAP_RATIO * gap;
		fresh += isInConflict && attachment->isInConflict == false;
		attachment->isInConflict = isInConflict;
		if ( isInConflict )
		{
			reported[count < 2 ? count : 1] = count < 2 ? attachment : reported[1];
			count += 1;
		}
	}
	if ( fresh > 0 )
	{
		supLog( sup_logWarning, "the attachments '%s' and '%s'%s conflict: their gaps are as small as possible",
				reported[0]->name, reported[count > 1]->name, count > 2 ? ", and others," : "" );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static supVec3 FindGap( const supAttachment* attachment, int32_t row, float dt )
{
	supVec3 wanted = supVec3_zero, sum = supVec3_zero;
	if ( attachment->kind == sup_attachmentVelocity )
	{
		wanted = supAttachment_VelocityGoal( attachment, dt );
	}
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		float sign = supAttachment_Sign( attachment, row, i );
		if ( sign != 0.0f )
		{
			supVec3 open = supScale( supAttachment_OpenRatio( attachment ), place->gap );
			sum = supMulAdd( sum, sign, supSub( supHeldPlace_Predict( place ), open ) );
		}
	}
	return supSub( wanted, sum );
}

double supMeasureCoupled( supAttachments* system, float dt )
{
	double largest = 0.0;
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		double size = fmax( 1.0, (double)supLength( attachment->places[0].predicted ) );
		for ( int32_t row = 0; row < attachment->placeCount; ++row )
		{
			if ( attachment->places[row].gapRow.active )
			{
				supVec3 gap = FindGap( attachment, row, dt );
				double wide[3] = { (double)gap.x, (double)gap.y, (double)gap.z };
				Restrict( &attachment->places[row].gapRow, wide );
				memcpy( attachment->places[row].gapRow.residual, wide, sizeof( wide ) );
				largest = fmax( largest, Dot( wide, wide ) / ( size * size ) );
			}
		}
	}
	return sqrt( largest );
}

bool supSolveCoupled( supAttachments* system, float dt )
{
	if ( supMeasureCoupled( system, dt ) <= (double)SUP_CLOSED_GAP )
	{
		return false;
	}
	system->startGap = fmax( system->startGap, LargestOfAll( system ) );
	Solve( system );
	PushPlaces( system, offsetof( supGapRow, force ) );
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		for ( int32_t i = 0; i < attachment->placeCount && supAttachment_IsCoupled( attachment ); ++i )
		{
			const double* push = attachment->places[i].push;
			supVec3 force = supMakeVec3( (float)push[0], (float)push[1], (float)push[2] );
			supHeldPlace_Apply( attachment->places + i, force );
			attachment->force = i == 0 ? supAdd( attachment->force, force ) : attachment->force;
		}
	}
	return true;
}
