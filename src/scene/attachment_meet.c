// SPDX-License-Identifier: MIT
// Attachments between bodies of any method.
//
// After all methods have solved for themselves, each attachment asks where its places will be and how far a force moves
// them, and applies the force that brings them together (src/attach/anchor.h). The places then meet to rounding, forces
// are equal and opposite. Where the method has a system of its own the rest of the body follows at once
// (supMethod.computeResponse), else with the next substep. Attachments that share particles, or a body that follows as
// a whole, disturb each other: they are met in turn, several times over.
#include "scene/attachment_system.h"

#include "attach/tie.h"
#include "core/core.h"
#include "math/matrix.h"

// ---------------------------------------------------------------------------------------------------------------------
// Meeting

// What share of the gap is still allowed.
float supAttachment_LeftOver( const supAttachment* attachment )
{
	if ( attachment->assembly <= 0.0f || attachment->assembled >= attachment->assembly )
	{
		return 0.0f;
	}
	return 1.0f - attachment->assembled / attachment->assembly;
}

// The three questions, as ties ask them (src/attach/tie.h).
static supVec3 PredictPlace( void* body, int32_t point )
{
	return supHeldPlace_PredictAgain( (const supHeldPlace*)body + point );
}

static supMat3 CompliancePlace( void* body, int32_t point )
{
	return ( (const supHeldPlace*)body )[point].compliance;
}

// Particles that move each for itself are shared by no two places that are worth joining.
static supMat3 CrossPlaces( void* body, int32_t point, int32_t other )
{
	const supHeldPlace* place = (const supHeldPlace*)body + point;
	const supHeldPlace* pushed = (const supHeldPlace*)body + other;
	bool moves = place->moves && pushed->responds && place->def.actor == pushed->def.actor;
	return moves ? supAnchor_Gather( &place->anchor, pushed->columns )
				 : ( supMat3 ){ supVec3_zero, supVec3_zero, supVec3_zero };
}

static void RespondPlace( void* body, int32_t point, supVec3 force )
{
	supHeldPlace_Apply( (supHeldPlace*)body + point, force );
}

static const supTieCalls s_placeCalls = { PredictPlace, CompliancePlace, RespondPlace, CrossPlaces };

// Brings two places together, up to what is left of their gap. The force is on the first.
static supVec3 MeetPair( supAttachment* attachment, int32_t first, int32_t second, float left )
{
	supHeldPlace* places = attachment->places;
	supTie tie = { .kind = sup_tieJoint,
				   .pointCount = 2,
				   .points = { { &s_placeCalls, places, first }, { &s_placeCalls, places, second } },
				   .gap = supScale( left, supSub( places[second].gap, places[first].gap ) ) };
	supSolveTies( &tie, 1, 1 );
	return tie.force;
}

static int32_t FindFixed( const supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		if ( supHeldPlace_Gives( attachment->places + i ) == false )
		{
			return i;
		}
	}
	return -1;
}

// No force on one of the places moves another one.
static bool AreIndependent( const supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		for ( int32_t k = 0; k < i; ++k )
		{
			const supHeldPlace* a = attachment->places + i;
			if ( a->responds && a->def.actor == attachment->places[k].def.actor )
			{
				return false;
			}
		}
	}
	return true;
}

static void MeetJoin( supAttachment* attachment )
{
	float left = supAttachment_LeftOver( attachment );
	int32_t count = attachment->placeCount;
	int32_t fixed = FindFixed( attachment );
	supVec3 onFirst = supVec3_zero;
	bool atOnce = count > 2 && fixed < 0 && left == 0.0f && AreIndependent( attachment );
	if ( atOnce )
	{
		supTie tie = { .kind = sup_tieJoint, .pointCount = count };
		for ( int32_t i = 0; i < count; ++i )
		{
			tie.points[i] = ( supTiePoint ){ &s_placeCalls, attachment->places, i };
		}
		supSolveTies( &tie, 1, 1 );
		onFirst = tie.force;
	}
	// to the place that cannot be moved; or, while they are still apart or move each other, each to the first
	int32_t hub = fixed >= 0 ? fixed : 0;
	for ( int32_t i = 0; i < count && atOnce == false; ++i )
	{
		if ( i != hub )
		{
			supVec3 onHub = MeetPair( attachment, hub, i, left );
			onFirst = hub == 0 ? supAdd( onFirst, onHub ) : i == 0 ? supSub( onFirst, onHub ) : onFirst;
		}
	}
	attachment->force = supAdd( attachment->force, onFirst );
}

// A leash of length a pulls along itself as it is afterwards: gap = ( a + f C ) d with a unit vector d. Newton for
// 1/|d|, which is nearly straight in f, from f = 0; exact at once where C is a number.
static supVec3 FindLeashForce( supVec3 gap, float allowed, supMat3 c )
{
	float f = 0.0f;
	supVec3 d = supVec3_zero;
	for ( int32_t i = 0; i < 8; ++i )
	{
		supMat3 m = { supScale( f, c.cx ), supScale( f, c.cy ), supScale( f, c.cz ) }, inverse;
		m.cx.x += allowed;
		m.cy.y += allowed;
		m.cz.z += allowed;
		if ( supInvertMat3( m, &inverse ) == false )
		{
			return supVec3_zero;
		}
		d = supMulMV( inverse, gap );
		float length = supLength( d ), slope = supDot( d, supMulMV( inverse, supMulMV( c, d ) ) );
		if ( length <= 1.0f || slope <= 0.0f )
		{
			break;
		}
		f += length * length * ( length - 1.0f ) / slope;
	}
	return supScale( f, supNormalize( d ) );
}

supVec3 supAttachment_VelocityGoal( const supAttachment* attachment, float dt )
{
	return supMulAdd( attachment->slideStart, dt, attachment->velocity );
}

static void MeetVelocity( supAttachment* attachment, float dt )
{
	supHeldPlace* place = attachment->places;
	supMat3 inverse;
	if ( supInvertMat3( place->compliance, &inverse ) )
	{
		supVec3 gap = supSub( supAttachment_VelocityGoal( attachment, dt ), supHeldPlace_PredictAgain( place ) );
		supVec3 force = supMulMV( inverse, gap );
		supHeldPlace_Apply( place, force );
		attachment->force = supAdd( attachment->force, force );
	}
}

// The nearest place on a surface as it is predicted: particles if it has any, else skinned.
static void FindSlide( supAttachment* attachment )
{
	supHeldPlace* on = attachment->places + 1;
	supActor* actor = on->def.actor;
	supSurfacePoint nearest = on->def.point;
	// the surface as drawn last: the place on it hardly moves within a substep, and where it goes is predicted below
	supActor_FindNearest( actor, attachment->places[0].predicted, &nearest );
	supPlace def = on->def;
	def.point = nearest;
	on->moves = false;
	supHeldPlace_Init( on, &def, false );
	supHeldPlace_Predict( on );
}

static void TakeGaps( supAttachment* attachment )
{
	supVec3 first = attachment->places[0].predicted;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		attachment->places[i].gap = supSub( attachment->places[i].predicted, first );
	}
	attachment->assembled = 0.0f;
}

static void ComplyAll( supAttachment* attachment, float dt, const supTasks* tasks )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_Comply( attachment->places + i, dt, tasks );
	}
	attachment->isComplied = true;
}

// Two places that pull only when they are too far apart; what a pull would do is asked for only then.
static void MeetLeash( supAttachment* attachment, float dt, const supTasks* tasks )
{
	supHeldPlace* places = attachment->places;
	supVec3 gap = supSub( supHeldPlace_PredictAgain( places + 1 ), supHeldPlace_PredictAgain( places ) );
	float left = supAttachment_LeftOver( attachment );
	float allowed = attachment->slack + left * supDistance( places[1].gap, places[0].gap );
	if ( supLength( gap ) <= allowed )
	{
		return;
	}
	if ( attachment->isComplied == false )
	{
		ComplyAll( attachment, dt, tasks );
	}
	supMat3 c = supMulAddMat3( places[0].compliance, 1.0f, places[1].compliance );
	c = supMulAddMat3( c, -1.0f, CrossPlaces( places, 0, 1 ) );
	c = supMulAddMat3( c, -1.0f, CrossPlaces( places, 1, 0 ) );
	supVec3 force = FindLeashForce( gap, allowed, c );
	supHeldPlace_Apply( places, force );
	supHeldPlace_Apply( places + 1, supNeg( force ) );
	attachment->force = supAdd( attachment->force, force );
}

// Where its places are, and what of it depends on time.
static void Begin( supAttachment* attachment, float dt )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_Predict( attachment->places + i );
	}
	if ( attachment->kind == sup_attachmentSlide )
	{
		FindSlide( attachment );
	}
	if ( attachment->kind == sup_attachmentVelocity )
	{
		// where it was: the surface is drawn at the end of each step, the substeps between go on from the goal
		const supPlace* def = &attachment->places[0].def;
		attachment->slideStart = attachment->fresh ? supActor_PointPosition( def->actor, &def->point )
												   : supAttachment_VelocityGoal( attachment, dt );
	}
	attachment->force = supVec3_zero;
	attachment->assembled += attachment->fresh ? 0.0f : dt;
	if ( attachment->fresh && attachment->kind == sup_attachmentJoin )
	{
		TakeGaps( attachment );
	}
	attachment->isComplied = false;
}

static void Meet( supAttachment* attachment, float dt, const supTasks* tasks )
{
	if ( attachment->slack > 0.0f )
	{
		MeetLeash( attachment, dt, tasks );
	}
	else if ( attachment->kind == sup_attachmentVelocity )
	{
		MeetVelocity( attachment, dt );
	}
	else
	{
		MeetJoin( attachment );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Conflicts: attachments that hold the same flesh undo each other's work

static bool SharesParticle( const supHeldPlace* a, const supHeldPlace* b )
{
	if ( a->moves == false || b->moves == false || a->def.actor != b->def.actor )
	{
		return false;
	}
	for ( int32_t i = 0; i < a->anchor.count; ++i )
	{
		for ( int32_t k = 0; k < b->anchor.count; ++k )
		{
			if ( a->anchor.particles[i] == b->anchor.particles[k] )
			{
				return true;
			}
		}
	}
	return false;
}

static bool IsInConflict( const supAttachment* a, const supAttachment* b )
{
	if ( a->isTogether && b->isTogether )
	{
		return false;
	}
	for ( int32_t i = 0; i < a->placeCount * b->placeCount; ++i )
	{
		if ( SharesParticle( a->places + i / b->placeCount, b->places + i % b->placeCount ) )
		{
			return true;
		}
	}
	return false;
}

// Tells of those that have just become active, the first pair by name.
static void TellConflicts( const supAttachment* first )
{
	const supAttachment* pair[2] = { NULL, NULL };
	int32_t count = 0;
	for ( const supAttachment* a = first; a != NULL && count < 2; a = a->next )
	{
		bool passed = false;
		for ( const supAttachment* b = first; b != NULL && a->active && a->fresh && count < 2; b = b->next )
		{
			passed = passed || b == a;
			// of two new ones the later tells
			bool isOther = b != a && b->active && ( b->fresh == false || passed == false );
			if ( isOther && IsInConflict( a, b ) )
			{
				pair[0] = count == 0 ? b : pair[0];
				pair[1] = count == 0 ? a : pair[1];
				count += 1;
			}
		}
	}
	if ( count > 0 )
	{
		supLog( sup_logWarning,
				"the attachments '%s' and '%s' hold the same flesh%s: they are met in turn, and no longer exactly",
				pair[0]->name, pair[1]->name, count > 1 ? ", and others likewise" : "" );
	}
}

// Which places of an actor are held. Either all of them are answered by its system or none: one without room is one too
// many.
static void FindHeld( supAttachment* first )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			if ( attachment->places[i].def.actor != NULL )
			{
				attachment->places[i].def.actor->heldCount = 0;
			}
		}
	}
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			supHeldPlace* place = attachment->places + i;
			supActor* actor = place->def.actor;
			if ( place->moves && actor->heldCount < SUP_MAX_RESPONSES )
			{
				actor->held[actor->heldCount] = place;
			}
			bool hasNoRoom = place->answers && place->columns == NULL;
			if ( place->moves )
			{
				actor->heldCount += hasNoRoom ? SUP_MAX_RESPONSES + 1 : 1;
			}
		}
	}
}

void supMeetAttachments( supAttachment* first, int32_t sweeps, float weight, float dt, const supTasks* tasks )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			supHeldPlace_Move( attachment->places + i, weight );
		}
		if ( attachment->active )
		{
			Begin( attachment, dt );
		}
	}
	FindHeld( first );
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		if ( attachment->active && attachment->slack <= 0.0f )
		{
			ComplyAll( attachment, dt, tasks );
		}
	}
	bool anyTogether = supPrepareTogether( first );
	TellConflicts( first );
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		attachment->fresh = attachment->fresh && attachment->active == false;
	}
	for ( int32_t sweep = 0; sweep < sweeps; ++sweep )
	{
		for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
		{
			if ( attachment->active && attachment->isTogether == false )
			{
				Meet( attachment, dt, tasks );
			}
		}
		if ( anyTogether )
		{
			supMeetTogether( first, dt );
		}
	}
}

// Of one or two places: the force on the first is what the method says that it took, or the opposite on the second.
static void TakeForce( supAttachment* attachment )
{
	bool isKnown = false;
	for ( int32_t i = 0; i < attachment->placeCount && attachment->placeCount <= 2 && isKnown == false; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		const supActor* actor = place->def.actor;
		supVec3 force;
		isKnown = place->responds && actor->flesh->method->tellForce != NULL &&
				  actor->flesh->method->tellForce( actor->flesh->own, actor->state, place->anchor.count,
												   place->anchor.particles, place->anchor.weights, &force );
		if ( isKnown )
		{
			attachment->force = i == 0 ? force : supNeg( force );
		}
	}
}

void supMeasureAttachments( supAttachment* first )
{
	for ( supAttachment* attachment = first; attachment != NULL; attachment = attachment->next )
	{
		if ( attachment->active )
		{
			TakeForce( attachment );
		}
		attachment->gap = 0.0f;
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			supHeldPlace_StayPut( attachment->places + i );
		}
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			supHeldPlace_Predict( attachment->places + i );
			for ( int32_t k = 0; k < i; ++k )
			{
				float gap = supDistance( attachment->places[i].predicted, attachment->places[k].predicted );
				attachment->gap = supMaxFloat( attachment->gap, gap - attachment->slack );
			}
		}
	}
}
