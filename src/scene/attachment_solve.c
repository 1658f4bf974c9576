// SPDX-License-Identifier: MIT
// Solves all attachments of a substep, between solve and finish of the methods.
//
// Ties come first (attachment_ties.c). For every other place the method gives the predicted drawn position, the
// particles it depends on, and the response of the body to a force on it; then all are solved as one system
// (attachment_system.c). If the method has a system of its own, the rest of the body moves along in the same substep
// (supMethod.computeResponse), otherwise in the next.
#include "scene/attachment_system.h"

#include "core/core.h"
#include "geometry/overlap.h"
#include "math/matrix.h"

#include <math.h>

// Responses are computed for leashes longer than this part of their slack.
#define TAUT_LENGTH_RATIO 0.8f

// Of a triangle's edges: places closer together than this share a response.
#define SAME_PLACE_EDGE_RATIO 0.05f

// Rounds beyond those of the scene, as a multiple of them; what each may leave of the largest gap; and a gap that
// nobody sees, as a part of a place's distance from the origin or of a metre.
#define MAX_ROUNDS_RATIO 4
#define MAX_GAP_RATIO 0.75
#define VISIBLE_GAP 2e-6

float supAttachment_OpenRatio( const supAttachment* attachment )
{
	if ( attachment->assembly <= 0.0f || attachment->assembled >= attachment->assembly )
	{
		return 0.0f;
	}
	return 1.0f - attachment->assembled / attachment->assembly;
}

supVec3 supAttachment_VelocityGoal( const supAttachment* attachment, float dt )
{
	return supMulAdd( attachment->slideStart, dt, attachment->velocity );
}

// ---------------------------------------------------------------------------------------------------------------------
// Leashes

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

static supVec3 LeashGap( const supAttachment* attachment )
{
	return supSub( supHeldPlace_Predict( attachment->places + 1 ), supHeldPlace_Predict( attachment->places ) );
}

static float LeashLength( const supAttachment* attachment )
{
	return attachment->slack + supAttachment_OpenRatio( attachment ) * supLength( attachment->places[1].gap );
}

// False if it is slack, or already has its length.
static bool SolveLeash( supAttachment* attachment )
{
	supHeldPlace* places = attachment->places;
	supVec3 gap = LeashGap( attachment );
	float allowed = LeashLength( attachment );
	float closed = SUP_CLOSED_GAP * supMaxFloat( 1.0f, supLength( places->predicted ) );
	if ( supLength( gap ) <= allowed + closed || attachment->hasCompliance == false )
	{
		return false;
	}
	supMat3 c = supMulAddMat3( supFindCoupling( places, places ), 1.0f, supFindCoupling( places + 1, places + 1 ) );
	c = supMulAddMat3( c, -1.0f, supFindCoupling( places, places + 1 ) );
	c = supMulAddMat3( c, -1.0f, supFindCoupling( places + 1, places ) );
	supVec3 force = FindLeashForce( gap, allowed, c );
	supHeldPlace_Apply( places, force );
	supHeldPlace_Apply( places + 1, supNeg( force ) );
	attachment->force = supAdd( attachment->force, force );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Slides

static supVec3 FindFaceNormal( const supActor* actor, const supSurfacePoint* point )
{
	const supVec3* p = supActor_Positions( actor, point->instance );
	const int32_t* v = point->vertices;
	return supNormalize( supCross( supSub( p[v[1]], p[v[0]] ), supSub( p[v[2]], p[v[0]] ) ) );
}

static int32_t ListCorners( const supSurfacePoint* point, int32_t corners[3] )
{
	int32_t count = 0;
	for ( int32_t k = 0; k < 3; ++k )
	{
		corners[count] = point->vertices[k];
		count += point->weights[k] > 0.0f;
	}
	return count;
}

// A new slide starts at the nearest place.
static void StartSlide( supAttachment* attachment )
{
	supHeldPlace* on = attachment->places + 1;
	on->share = 1.0f;
	attachment->starts = attachment->fresh;
	if ( attachment->fresh )
	{
		supSurfacePoint nearest = on->def.point;
		supActor_FindNearest( on->def.actor, supHeldPlace_Drawn( attachment->places ), &nearest );
		supHeldPlace_SlideTo( on, &nearest );
	}
}

// A place that is off the surface is moved straight to it. On the surface it is held along the normal of a face, across
// an edge (approaching one face of the edge would leave the other), and in all directions at a corner.
static void HoldNearest( supAttachment* attachment )
{
	const supHeldPlace* on = attachment->places + 1;
	const supVec3* p = supActor_Positions( on->def.actor, on->def.point.instance );
	supVec3 gap = supSub( supHeldPlace_Predict( attachment->places ), supHeldPlace_Predict( on ) );
	float length = supLength( gap );
	int32_t corners[3], count = ListCorners( &on->def.point, corners );
	if ( count == 3 || attachment->starts )
	{
		bool isOff = length > SUP_CLOSED_GAP;
		supAttachment_HoldAlong( attachment, isOff ? supScale( 1.0f / length, gap )
												   : FindFaceNormal( on->def.actor, &on->def.point ) );
	}
	else
	{
		supVec3 edge = count == 2 ? supNormalize( supSub( p[corners[1]], p[corners[0]] ) ) : supVec3_zero;
		supAttachment_HoldAcross( attachment, edge );
	}
}

// The point of the surface nearest to the predicted first place. Searched on the surface as it was last drawn, shifted
// so that the current point is where it is predicted: nearby it has hardly changed shape since.
static supSurfacePoint FindSlidePoint( const supAttachment* attachment )
{
	const supHeldPlace *first = attachment->places, *on = first + 1;
	supSurfacePoint nearest = on->def.point;
	supVec3 way = supSub( supHeldPlace_Predict( first ), supHeldPlace_Predict( on ) );
	supActor_FindNearest( on->def.actor, supAdd( supActor_PointPosition( on->def.actor, &nearest ), way ), &nearest );
	return nearest;
}

static void SlideTo( supHeldPlace* on, supSurfacePoint point )
{
	supHeldPlace_SlideTo( on, &point );
	supHeldPlace_UpdateAnchor( on );
}

// Close enough that a force at either place moves the body nearly alike.
static bool IsNearPlace( const supActor* actor, const supSurfacePoint* here, const supSurfacePoint* there )
{
	const supVec3* p = supActor_Positions( actor, there->instance );
	const int32_t* v = there->vertices;
	float edge = supMaxFloat( supDistance( p[v[0]], p[v[1]] ), supDistance( p[v[0]], p[v[2]] ) );
	return supDistance( supActor_PointPosition( actor, here ), supActor_PointPosition( actor, there ) ) <
		   SAME_PLACE_EDGE_RATIO * edge;
}

// The force applied so far moves along with the place.
static void SlideOn( supAttachment* attachment, float dt, const supTasks* tasks )
{
	supHeldPlace* on = attachment->places + 1;
	supSurfacePoint point = FindSlidePoint( attachment );
	if ( IsNearPlace( on->def.actor, &on->def.point, &point ) )
	{
		SlideTo( on, point );
	}
	else
	{
		supHeldPlace_Apply( on, attachment->force );
		SlideTo( on, point );
		supRefreshResponse( attachment->system, on, dt, tasks );
		supHeldPlace_Apply( on, supNeg( attachment->force ) );
	}
	HoldNearest( attachment );
}

static void FindShares( supAttachment* attachment, const supVec3* places )
{
	supHeldPlace* corners = attachment->places + 1;
	if ( attachment->kind == sup_attachmentLine )
	{
		supVec3 along = supSub( places[2], places[1] );
		float square = supDot( along, along );
		float t = square > 0.0f ? supDot( supSub( places[0], places[1] ), along ) / square : 0.5f;
		corners[1].share = supClampFloat( t, 0.0f, 1.0f );
		corners[0].share = 1.0f - corners[1].share;
		return;
	}
	supTriangle triangle = { places[1], places[2], places[3] };
	supTrianglePoint found = supClosestPointOnTriangle( &triangle, places[0] );
	corners[1].share = found.u;
	corners[2].share = found.v;
	corners[0].share = 1.0f - found.u - found.v;
}

static bool IsOnCorners( const supAttachment* attachment )
{
	return attachment->kind == sup_attachmentLine || attachment->kind == sup_attachmentTriangle;
}

#define MAX_CORNERS 4

static void FindPredictedShares( supAttachment* attachment )
{
	supVec3 places[MAX_CORNERS];
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		places[i] = attachment->places[i].predicted;
	}
	FindShares( attachment, places );
}

// ---------------------------------------------------------------------------------------------------------------------
// A substep

static void StoreStartGaps( supAttachment* attachment )
{
	supVec3 first = attachment->places[0].predicted;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		attachment->places[i].gap = supSub( attachment->places[i].predicted, first );
	}
	attachment->assembled = 0.0f;
}

static void FindRows( supAttachment* attachment, float weight )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_Move( attachment->places + i, weight );
		supHeldPlace_FindRow( attachment->places + i );
	}
}

// Time-dependent state, once all places are predicted.
static void Begin( supAttachment* attachment, float dt )
{
	attachment->force = supVec3_zero;
	attachment->hasCompliance = false;
	attachment->assembled += attachment->fresh ? 0.0f : dt;
	if ( attachment->kind == sup_attachmentSlide )
	{
		StartSlide( attachment );
	}
	if ( attachment->kind == sup_attachmentVelocity )
	{
		// the surface is drawn at the end of each step only; substeps in between continue from the goal
		attachment->slideStart =
			attachment->fresh ? supHeldPlace_Drawn( attachment->places ) : supAttachment_VelocityGoal( attachment, dt );
	}
}

static void UpdateAnchors( supAttachment* attachment )
{
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supHeldPlace_UpdateAnchor( attachment->places + i );
	}
	if ( IsOnCorners( attachment ) )
	{
		FindPredictedShares( attachment );
	}
	if ( attachment->fresh && attachment->kind == sup_attachmentJoin )
	{
		StoreStartGaps( attachment );
	}
	attachment->fresh = false;
}

// A slack leash needs no response.
static bool NeedsCompliance( const supAttachment* attachment )
{
	return attachment->slack <= 0.0f ||
		   supLength( LeashGap( attachment ) ) >= TAUT_LENGTH_RATIO * LeashLength( attachment );
}

static void Prepare( supAttachments* system, float weight, float dt, const supTasks* tasks )
{
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		FindRows( system->general[n], weight );
	}
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		Begin( system->general[n], dt );
	}
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		UpdateAnchors( system->general[n] );
	}
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		system->general[n]->hasCompliance = NeedsCompliance( system->general[n] );
	}
	// free along the surface: slide first, then hold the place there
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		if ( system->general[n]->kind == sup_attachmentSlide && system->general[n]->starts == false )
		{
			SlideTo( system->general[n]->places + 1, FindSlidePoint( system->general[n] ) );
		}
	}
	supPrepareCoupled( system, dt, tasks );
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		if ( system->general[n]->kind == sup_attachmentSlide )
		{
			HoldNearest( system->general[n] );
		}
	}
}

// Rows are linear: updates them after large moves.
static void UpdateRows( supAttachments* system, float dt, const supTasks* tasks )
{
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		supAttachment* attachment = system->general[n];
		if ( attachment->kind == sup_attachmentSlide )
		{
			SlideOn( attachment, dt, tasks );
		}
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			supHeldPlace* place = attachment->places + i;
			if ( place->moves && place->isPoint == false )
			{
				supHeldPlace_FindRow( place );
				supHeldPlace_UpdateAnchor( place );
			}
		}
	}
}

// False if all gaps are closed.
static bool SolveAll( supAttachments* system, float dt )
{
	bool isAtWork = false;
	for ( int32_t n = 0; n < system->generalCount; ++n )
	{
		if ( system->general[n]->slack > 0.0f )
		{
			isAtWork = SolveLeash( system->general[n] ) || isAtWork;
		}
	}
	return supSolveCoupled( system, dt ) || isAtWork;
}

// Slides that cross many faces, and attachments that nearly repeat each other, take more rounds while that helps.
static bool HasRound( supAttachments* system, int32_t round, int32_t rounds, float dt, double* gap )
{
	if ( round < rounds )
	{
		return true;
	}
	double before = *gap;
	*gap = supMeasureCoupled( system, dt );
	return round<MAX_ROUNDS_RATIO * rounds&& * gap> VISIBLE_GAP && *gap < MAX_GAP_RATIO * before;
}

void supAttachments_Solve( supAttachments* system, int32_t rounds, float weight, float dt, const supTasks* tasks )
{
	supAttachments_SolveTies( system, dt, false, tasks );
	if ( system->generalCount == 0 )
	{
		return;
	}
	Prepare( system, weight, dt, tasks );
	// leashes, ties, spread forces and nonlinear rows disturb each other
	double gap = INFINITY;
	system->startGap = 0.0;
	for ( int32_t round = 0; HasRound( system, round, rounds, dt, &gap ) && SolveAll( system, dt ); ++round )
	{
		supAttachments_SolveTies( system, dt, true, tasks );
		UpdateRows( system, dt, tasks );
	}
	if ( system->startGap > 0.0 )
	{
		supReportConflicts( system );
	}
	// rows that slide or are nonlinear have changed since responses were computed
	for ( int32_t i = 0; i < system->holderCount; ++i )
	{
		supActor_KeepHeldPlaces( system->holders[i], NULL );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Before and after

void supAttachments_Begin( supAttachments* system )
{
	if ( system->isStale )
	{
		supAttachments_FindTies( system );
		supRefreshCoupled( system );
	}
	for ( supAttachment* attachment = system->first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount && attachment->active; ++i )
		{
			supActor* actor = attachment->places[i].def.actor;
			if ( actor != NULL && actor->isHeld == false )
			{
				supActor_WakeUp( actor );
				actor->isHeld = true;
			}
		}
	}
}

// Attachments of one or two places report the force that the method applied in the end.
static void TakeForce( supAttachment* attachment )
{
	if ( attachment->isTied )
	{
		supAttachment_TakeTieForce( attachment );
		return;
	}
	bool isKnown = false;
	for ( int32_t i = 0; i < attachment->placeCount && attachment->placeCount <= 2 && isKnown == false; ++i )
	{
		const supHeldPlace* place = attachment->places + i;
		const supActor* actor = place->def.actor;
		supVec3 force;
		isKnown = place->responds && actor->flesh->method->getAttachmentForce != NULL &&
				  actor->flesh->method->getAttachmentForce( actor->flesh->own, actor->state, place->row.count,
															place->row.particles, place->row.weights, &force );
		if ( isKnown )
		{
			attachment->force = i == 0 ? force : supNeg( force );
		}
	}
}

static float MeasureGap( supAttachment* attachment )
{
	if ( attachment->kind == sup_attachmentVelocity )
	{
		// the goal of the last substep is where the next one starts from
		return supDistance( supHeldPlace_Drawn( attachment->places ),
							supMulAdd( attachment->slideStart, attachment->places[0].dt, attachment->velocity ) );
	}
	if ( IsOnCorners( attachment ) )
	{
		supVec3 places[MAX_CORNERS], on = supVec3_zero;
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			places[i] = supHeldPlace_Drawn( attachment->places + i );
		}
		FindShares( attachment, places );
		for ( int32_t i = 1; i < attachment->placeCount; ++i )
		{
			on = supMulAdd( on, attachment->places[i].share, places[i] );
		}
		return supDistance( places[0], on );
	}
	if ( attachment->kind == sup_attachmentSlide )
	{
		// to the surface as it is drawn now, wherever on it that is
		const supActor* actor = attachment->places[1].def.actor;
		supSurfacePoint nearest = attachment->places[1].def.point;
		supVec3 place = supHeldPlace_Drawn( attachment->places );
		supActor_FindNearest( actor, place, &nearest );
		return supDistance( place, supActor_PointPosition( actor, &nearest ) );
	}
	float largest = 0.0f;
	for ( int32_t i = 0; i < attachment->placeCount; ++i )
	{
		supVec3 place = supHeldPlace_Drawn( attachment->places + i );
		for ( int32_t k = 0; k < i; ++k )
		{
			largest = supMaxFloat( largest, supDistance( place, supHeldPlace_Drawn( attachment->places + k ) ) );
		}
	}
	return supMaxFloat( largest - attachment->slack, 0.0f );
}

static void Break( supAttachment* attachment )
{
	supVec3 force = attachment->force;
	supAttachment_SetActive( attachment, false );
	attachment->broken = true;
	attachment->force = force;
}

void supAttachments_End( supAttachments* system )
{
	for ( supAttachment* attachment = system->first; attachment != NULL; attachment = attachment->next )
	{
		for ( int32_t i = 0; i < attachment->placeCount; ++i )
		{
			supHeldPlace_EndMove( attachment->places + i );
		}
		if ( attachment->active )
		{
			TakeForce( attachment );
			attachment->gap = MeasureGap( attachment );
		}
		if ( attachment->active && supLength( attachment->force ) > attachment->breakingForce )
		{
			Break( attachment );
		}
	}
}
