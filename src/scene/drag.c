// SPDX-License-Identifier: MIT
// Taking hold of the flesh: which place a ray meets, and what is pulled where.
#include "core/core.h"
#include "geometry/overlap.h"
#include "geometry/winding_moments.h"
#include "math/exponential.h"
#include "math/trigonometry.h"
#include "scene/device_crowd.h"

#include <float.h>

#define DRAG_COOKIE 0x44726167

bool supActor_CastRay( const supActor* actor, supVec3 origin, supVec3 direction, supSurfacePoint* point,
					   float* distance )
{
	const supCharacter* character = actor->flesh->character;
	supRay ray = supMakeRay( origin, direction );
	double nearest = DBL_MAX;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		const supVec3* p = supActor_Positions( actor, i );
		for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
		{
			const uint32_t* corners = mesh->indices + k;
			supTriangle triangle = { p[corners[0]], p[corners[1]], p[corners[2]] };
			supRayHit hit;
			if ( supRayHitsTriangle( &ray, &triangle, nearest, &hit ) == false || hit.t >= nearest )
			{
				continue;
			}
			nearest = hit.t;
			*point = ( supSurfacePoint ){ .instance = i,
										  .vertices = { (int32_t)corners[0], (int32_t)corners[1], (int32_t)corners[2] },
										  .weights = { supMaxFloat( 1.0f - hit.u - hit.v, 0.0f ), hit.u, hit.v } };
		}
	}
	if ( nearest == DBL_MAX )
	{
		return false;
	}
	if ( distance != NULL )
	{
		*distance = (float)nearest;
	}
	return true;
}

// Certainly farther away than the root of this: from its first corner it goes no farther than its longer edge.
static bool IsFarther( const supTriangle* triangle, supVec3 position, double least )
{
	double away = (double)supLengthSquared( supSub( position, triangle->a ) );
	double first = (double)supLengthSquared( supSub( triangle->b, triangle->a ) );
	double second = (double)supLengthSquared( supSub( triangle->c, triangle->a ) );
	return away > 2.001 * ( least + ( first > second ? first : second ) );
}

static double FindNearestOnInstance( const supActor* actor, int32_t instance, supVec3 position, double least,
									 supSurfacePoint* point )
{
	const supCharacter* character = actor->flesh->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	const supVec3* p = supActor_Positions( actor, instance );
	// no farther than the nearest corner
	double bound = least;
	for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
	{
		double corner = (double)supLengthSquared( supSub( position, p[mesh->indices[k]] ) );
		bound = corner < bound ? corner : bound;
	}
	for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
	{
		const uint32_t* v = mesh->indices + k;
		supTriangle triangle = { p[v[0]], p[v[1]], p[v[2]] };
		if ( IsFarther( &triangle, position, least < bound ? least : bound ) )
		{
			continue;
		}
		supTrianglePoint found = supClosestPointOnTriangle( &triangle, position );
		if ( found.distanceSquared < least )
		{
			least = found.distanceSquared;
			*point = ( supSurfacePoint ){ instance,
										  { (int32_t)v[0], (int32_t)v[1], (int32_t)v[2] },
										  // on an edge the sum of two may be above 1 by a rounding
										  { supMaxFloat( 1.0f - found.u - found.v, 0.0f ), found.u, found.v } };
		}
	}
	return least;
}

bool supActor_FindNearest( const supActor* actor, supVec3 position, supSurfacePoint* point )
{
	double least = DBL_MAX;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		least = FindNearestOnInstance( actor, i, position, least, point );
	}
	return least < DBL_MAX;
}

supVec3 supActor_PointPosition( const supActor* actor, const supSurfacePoint* point )
{
	const supVec3* p = supActor_Positions( actor, point->instance );
	supVec3 place = supScale( point->weights[0], p[point->vertices[0]] );
	place = supMulAdd( place, point->weights[1], p[point->vertices[1]] );
	return supMulAdd( place, point->weights[2], p[point->vertices[2]] );
}

// By the exact winding number.
static bool IsInside( const supActor* actor, supVec3 position )
{
	const supCharacter* character = actor->flesh->character;
	double halfAngles = 0.0;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		const supVec3* p = supActor_Positions( actor, i );
		for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
		{
			const uint32_t* v = mesh->indices + k;
			supTriangle triangle = { p[v[0]], p[v[1]], p[v[2]] };
			double x, y;
			supHalfSolidAngle( &triangle, position, &x, &y );
			halfAngles += supAtan2Double( y, x );
		}
	}
	return halfAngles > (double)SUP_PI;
}

bool supActor_FindInside( supActor* actor, supVec3 position, supPlace* place )
{
	supSurfacePoint near, far;
	if ( IsInside( actor, position ) == false || supActor_FindNearest( actor, position, &near ) == false )
	{
		return false;
	}
	supVec3 from = supActor_PointPosition( actor, &near ), way = supSub( position, from );
	float length = supLength( way ), distance = 0.0f;
	// at the surface there is no way through it to speak of
	if ( length < 1e-6f * actor->size ||
		 supActor_CastRay( actor, position, supScale( 1.0f / length, way ), &far, &distance ) == false )
	{
		return false;
	}
	*place = ( supPlace ){
		.kind = sup_placeInside, .actor = actor, .point = near, .opposite = far, .share = length / ( length + distance )
	};
	return true;
}

static float LargestExtent( const supActor* actor )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		for ( int32_t k = 0; k < actor->surfaces[i].vertexCount; ++k )
		{
			box = supBox_Include( box, supActor_Positions( actor, i )[k] );
		}
	}
	supVec3 size = supSub( box.upper, box.lower );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

supDragDef supDefaultDragDef( const supActor* actor, const supSurfacePoint* point )
{
	return ( supDragDef ){
		.point = *point, .radius = 0.15f * LargestExtent( actor ), .frequency = 20.0f, .cookie = DRAG_COOKIE
	};
}

// NULL where nothing can move the point.
static supAttachment* HoldPoint( supActor* actor, const supDragDef* def, supVec3 place )
{
	supError ignored;
	supAttachmentDef hold = supDefaultAttachmentDef();
	hold.name = "drag";
	hold.placeCount = 2;
	hold.places[0] =
		( supPlace ){ .kind = sup_placeSurface, .actor = actor, .point = def->point, .radius = def->radius };
	hold.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = place };
	return supScene_Attach( actor->scene, &hold, &ignored );
}

static bool TakeHold( supActor* actor, const supDragDef* def, int32_t id )
{
	const supMethod* method = actor->flesh->method;
	supDrag* drag = actor->drags + id;
	drag->grab = drag->grab != NULL ? drag->grab : supAlloc( sizeof( supGrab ) );
	supActor_Recall( actor );
	supActor_RaiseFlesh( actor, supScene_Tasks( actor->scene ) );
	drag->active =
		drag->grab != NULL && method->grab( actor->flesh->own, actor->state, &def->point, def->radius, drag->grab );
	if ( drag->active )
	{
		supVec3 place = supActor_PointPosition( actor, &def->point );
		drag->slip = supSub( place, drag->grab->place );
		drag->goal = drag->target = place;
		drag->speed = supVec3_zero;
		drag->hold = HoldPoint( actor, def, place );
		actor->pulls[id] = ( supPull ){ drag->grab, drag->grab->place, def->frequency };
	}
	return drag->active;
}

// As a critically damped spring goes.
static void AdvanceGoal( supDrag* drag, float frequency, float dt )
{
	float omega = 2.0f * SUP_PI * frequency, fading = (float)supExpNegative( -(double)( omega * dt ) );
	supVec3 away = supSub( drag->goal, drag->target ), drift = supMulAdd( drag->speed, omega, away );
	drag->goal = supMulAdd( drag->target, fading, supMulAdd( away, dt, drift ) );
	drag->speed = supScale( fading, supMulAdd( drag->speed, -omega * dt, drift ) );
}

void supActor_AdvanceDrags( supActor* actor, float dt )
{
	for ( int32_t i = 0; i < SUP_MAX_PULLS; ++i )
	{
		supDrag* drag = actor->drags + i;
		if ( drag->active )
		{
			AdvanceGoal( drag, actor->pulls[i].frequency, dt );
		}
		if ( drag->active && drag->hold != NULL )
		{
			supAttachment_SetPlace( drag->hold, 1, drag->goal, NULL );
		}
	}
}

supDragId supActor_StartDrag( supActor* actor, const supDragDef* def )
{
	SUP_ASSERT( def->cookie == DRAG_COOKIE );
	SUP_ASSERT( supIsFinite( def->radius ) && def->radius >= 0.0f );
	SUP_ASSERT( supIsFinite( def->frequency ) && def->frequency > 0.0f );
	for ( int32_t i = 0; actor->flesh->method->grab != NULL && i < SUP_MAX_PULLS; ++i )
	{
		if ( actor->drags[i].active == false )
		{
			return TakeHold( actor, def, i ) ? i : -1;
		}
	}
	return -1;
}

void supActor_MoveDrag( supActor* actor, supDragId drag, supVec3 target )
{
	SUP_ASSERT( 0 <= drag && drag < SUP_MAX_PULLS && actor->drags[drag].active );
	SUP_ASSERT( supIsFinite( target.x ) && supIsFinite( target.y ) && supIsFinite( target.z ) );
	actor->drags[drag].target = target;
	actor->pulls[drag].target = supSub( target, actor->drags[drag].slip );
}

void supActor_EndDrag( supActor* actor, supDragId drag )
{
	SUP_ASSERT( 0 <= drag && drag < SUP_MAX_PULLS && actor->drags[drag].active );
	if ( actor->drags[drag].hold != NULL )
	{
		supScene_Detach( actor->scene, actor->drags[drag].hold );
		actor->drags[drag].hold = NULL;
	}
	actor->drags[drag].active = false;
	supActor_WakeUp( actor );
}
