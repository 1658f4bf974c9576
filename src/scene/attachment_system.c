// SPDX-License-Identifier: MIT
#include "scene/attachment_system.h"

#include "math/matrix.h"

#include <math.h>

// Part of the gaps at the beginning, squared and in the preconditioner's measure, at which they are met: what is left
// is below the rounding of positions.
#define TOLERANCE 1e-16
#define MAX_ITERATIONS 300

// Gaps that give less than this part of what their blocks would give by themselves do not give at all.
#define RIGID 1e-10

// Part of the largest gap at the beginning that is left where attachments contradict each other.
#define REFUTED 1e-2

// Of a place's distance from the origin: a hundred times what a float has.
#define ROUNDING 1e-5

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
// Which, and how their places move each other

static bool IsTogether( const supAttachment* attachment )
{
	bool responds = false, fits = true;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		responds = responds || place->responds;
		fits = fits && ( place->moves == false || place->def.actor->heldCount <= SUP_MAX_RESPONSES );
	}
	return attachment->active && attachment->slack <= 0.0f && responds && fits;
}

// Of particles that move each for itself: by those that both places have.
static supMat3 CoupleLocally( const supHeldPlace* place, const supHeldPlace* pushed )
{
	float sum = 0.0f;
	for ( int32_t i = 0; i < place->anchor.count; ++i )
	{
		for ( int32_t k = 0; k < pushed->anchor.count; ++k )
		{
			int32_t particle = place->anchor.particles[i];
			if ( pushed->anchor.particles[k] == particle )
			{
				float inverseMass = place->body.x[4 * (size_t)particle + 3] / place->body.massUnit;
				sum += place->anchor.weights[i] * pushed->anchor.weights[k] * inverseMass;
			}
		}
	}
	float c = place->dt * place->dt * sum;
	return ( supMat3 ){ { c, 0.0f, 0.0f }, { 0.0f, c, 0.0f }, { 0.0f, 0.0f, c } };
}

static void CouplePlace( supHeldPlace* place )
{
	const supActor* actor = place->def.actor;
	for ( int32_t k = 0; place->moves && k < actor->heldCount; ++k )
	{
		const supHeldPlace* pushed = actor->held[k];
		place->couplings[k] =
			pushed->responds ? supAnchor_Gather( &place->anchor, pushed->columns ) : CoupleLocally( place, pushed );
	}
}

// How far a force on `pushed` moves `place`.
static supMat3 FindCoupling( const supHeldPlace* place, const supHeldPlace* pushed )
{
	const supActor* actor = place->def.actor;
	for ( int32_t k = 0; place->moves && pushed->def.actor == actor && k < actor->heldCount; ++k )
	{
		if ( actor->held[k] == pushed )
		{
			return place->couplings[k];
		}
	}
	return ( supMat3 ){ supVec3_zero, supVec3_zero, supVec3_zero };
}

static bool HasRow( const supAttachment* attachment, int32_t place )
{
	return place > 0 || attachment->kind == sup_attachmentVelocity;
}

static void PrepareRow( supAttachment* attachment, int32_t index )
{
	const supHeldPlace* hub = attachment->places;
	supHeldPlace* place = attachment->places + index;
	supMat3 sum = FindCoupling( place, place );
	if ( index > 0 )
	{
		sum = supMulAddMat3( sum, 1.0f, FindCoupling( hub, hub ) );
		sum = supMulAddMat3( sum, -1.0f, FindCoupling( hub, place ) );
		sum = supMulAddMat3( sum, -1.0f, FindCoupling( place, hub ) );
	}
	place->row.active = supInvertMat3( sum, &place->row.inverse );
}

bool supPrepareTogether( supAttachment* first )
{
	bool any = false;
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		attachment->isTogether = IsTogether( attachment );
		any = any || attachment->isTogether;
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			memset( attachment->places[i].push, 0, sizeof( attachment->places[i].push ) );
			if ( attachment->isTogether )
			{
				CouplePlace( attachment->places + i );
			}
		}
		for ( int32_t i = 0; attachment->isTogether && i < attachment->placeCount; ++i )
		{
			attachment->places[i].row.active = false;
			if ( HasRow( attachment, i ) )
			{
				PrepareRow( attachment, i );
			}
		}
	}
	return any;
}

// ---------------------------------------------------------------------------------------------------------------------
// Conjugate residuals (Stiefel 1955, in the form of Saad 2003, algorithm 6.20): of each step the one that leaves the
// smallest gaps, so that contradictions, along which S does not give, make no force grow.

typedef double RowFcn( supHeldPlace* place, double factor );

// Of all active rows, in order. Returns the sum of what the function returns.
static double ForRows( supAttachment* first, RowFcn* function, double factor )
{
	double sum = 0.0;
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; attachment->isTogether && i < attachment->placeCount; ++i )
		{
			if ( attachment->places[i].row.active )
			{
				sum += function( attachment->places + i, factor );
			}
		}
	}
	return sum;
}

// Forces of rows on the places, from the vector at this offset of a row.
static void PushPlaces( supAttachment* first, size_t offset )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; attachment->isTogether && i < attachment->placeCount; ++i )
		{
			supHeldPlace* place = attachment->places + i;
			memset( place->push, 0, sizeof( place->push ) );
			if ( place->row.active )
			{
				const double* force = (const double*)( (const char*)&place->row + offset );
				MulAdd( place->push, 1.0, force );
				if ( i > 0 )
				{
					MulAdd( attachment->places[0].push, -1.0, force );
				}
			}
		}
	}
}

static void MovePlace( supHeldPlace* place )
{
	const supActor* actor = place->def.actor;
	memset( place->move, 0, sizeof( place->move ) );
	for ( int32_t k = 0; place->moves && k < actor->heldCount; ++k )
	{
		double move[3];
		Transform( move, place->couplings + k, actor->held[k]->push );
		MulAdd( place->move, 1.0, move );
	}
}

// image = S inside
static void Multiply( supAttachment* first )
{
	PushPlaces( first, offsetof( supGapRow, inside ) );
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; attachment->isTogether && i < attachment->placeCount; ++i )
		{
			supHeldPlace* place = attachment->places + i;
			MovePlace( place );
			memcpy( place->row.image, place->move, sizeof( place->move ) );
			if ( i > 0 )
			{
				MulAdd( place->row.image, -1.0, attachment->places[0].move );
			}
		}
	}
}

static double StartRow( supHeldPlace* place, double factor )
{
	(void)factor;
	supGapRow* row = &place->row;
	memset( row->force, 0, sizeof( row->force ) );
	memset( row->direction, 0, sizeof( row->direction ) );
	memset( row->product, 0, sizeof( row->product ) );
	Transform( row->inside, &row->inverse, row->residual );
	return Dot( row->residual, row->inside );
}

static double MeasureRow( supHeldPlace* place, double factor )
{
	(void)factor;
	return Dot( place->row.inside, place->row.image );
}

// Returns the size of the product in the preconditioner's measure.
static double TurnRow( supHeldPlace* place, double turn )
{
	supGapRow* row = &place->row;
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

static double AdvanceRow( supHeldPlace* place, double step )
{
	supGapRow* row = &place->row;
	MulAdd( row->force, step, row->direction );
	MulAdd( row->residual, -step, row->product );
	Transform( row->inside, &row->inverse, row->residual );
	return Dot( row->residual, row->inside );
}

static void Solve( supAttachment* first )
{
	double left = ForRows( first, StartRow, 0.0 ), goal = TOLERANCE * left, before = 0.0;
	for ( int32_t i = 0; i < MAX_ITERATIONS && left > goal; ++i )
	{
		Multiply( first );
		double give = ForRows( first, MeasureRow, 0.0 );
		// what is left is what attachments contradict each other by
		if ( ( give > RIGID * left && give < (double)INFINITY ) == false )
		{
			break;
		}
		double size = ForRows( first, TurnRow, i > 0 ? give / before : 0.0 );
		left = ForRows( first, AdvanceRow, give / size );
		before = give;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Contradictions

static double LargestGap( const supAttachment* attachment )
{
	double largest = 0.0;
	for ( int32_t i = 0; attachment->isTogether && i < attachment->placeCount; ++i )
	{
		const supGapRow* row = &attachment->places[i].row;
		double square = row->active ? Dot( row->residual, row->residual ) : 0.0;
		largest = square > largest ? square : largest;
	}
	return sqrt( largest );
}

// Never less than what rounding of positions makes.
static double LargestOfAll( const supAttachment* first )
{
	double largest = 0.0;
	for ( const supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		supVec3 at = attachment->places[0].predicted;
		double gap = LargestGap( attachment ), size = ROUNDING * (double)supLength( at );
		largest = fmax( largest, attachment->isTogether ? fmax( gap, size ) : 0.0 );
	}
	return largest;
}

// Those that are left with a gap, once until they are met again.
// - gap: the largest at the beginning
static void TellRefuted( supAttachment* first, double gap )
{
	const supAttachment* told[2] = { NULL, NULL };
	int32_t count = 0, fresh = 0;
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		bool isRefuted = attachment->isTogether && gap > 0.0 && LargestGap( attachment ) > REFUTED * gap;
		fresh += isRefuted && attachment->isRefuted == false;
		attachment->isRefuted = isRefuted;
		if ( isRefuted )
		{
			told[count < 2 ? count : 1] = count < 2 ? attachment : told[1];
			count += 1;
		}
	}
	if ( fresh > 0 )
	{
		supLog( sup_logWarning,
				"the attachments '%s' and '%s'%s contradict each other: they are met as nearly as they can be",
				told[0]->name, told[count > 1]->name, count > 2 ? ", and others," : "" );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static void MeasureGaps( supAttachment* attachment, float dt )
{
	const supHeldPlace* hub = attachment->places;
	float left = supAttachment_LeftOver( attachment );
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace* place = attachment->places + i;
		supHeldPlace_Predict( place );
		supVec3 gap = i > 0 ? supSub( supScale( left, supSub( place->gap, hub->gap ) ),
									  supSub( place->predicted, hub->predicted ) )
							: supSub( supAttachment_VelocityGoal( attachment, dt ), place->predicted );
		const double wide[3] = { (double)gap.x, (double)gap.y, (double)gap.z };
		memcpy( place->row.residual, wide, sizeof( wide ) );
	}
}

void supMeetTogether( supAttachment* first, float dt )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		if ( attachment->isTogether )
		{
			MeasureGaps( attachment, dt );
		}
	}
	double gap = LargestOfAll( first );
	Solve( first );
	TellRefuted( first, gap );
	PushPlaces( first, offsetof( supGapRow, force ) );
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; attachment->isTogether && i < attachment->placeCount; ++i )
		{
			const double* push = attachment->places[i].push;
			supVec3 force = supMakeVec3( (float)push[0], (float)push[1], (float)push[2] );
			supHeldPlace_Apply( attachment->places + i, force );
			attachment->force = i == 0 ? supAdd( attachment->force, force ) : attachment->force;
		}
	}
}
