// SPDX-License-Identifier: MIT
#include "contact/shape.h"

#include "contact/shape_mesh.h"

#include <float.h>
#include <math.h>

// A march comes as near as this to the margin, in parts of the way.
#define SWEEP_TOLERANCE 1e-3f
#define SWEEP_STEPS 64

// ---------------------------------------------------------------------------------------------------------------------
// Making one

static bool CheckLength( float length, const char* name, supError* error )
{
	if ( length > 0.0f && length < SUP_MAX_COORDINATE )
	{
		return true;
	}
	return supSetError( error, sup_errorArgument, name, "must be above 0 (got %g)", length );
}

static bool CheckSizes( const supShapeDef* def, supError* error )
{
	switch ( def->kind )
	{
		case sup_shapeSphere:
			return CheckLength( def->radius, "radius", error );
		case sup_shapeCapsule:
			if ( !( def->halfHeight >= 0.0f && def->halfHeight < SUP_MAX_COORDINATE ) )
			{
				return supSetError( error, sup_errorArgument, "halfHeight", "must be 0 or more (got %g)",
									def->halfHeight );
			}
			return CheckLength( def->radius, "radius", error );
		case sup_shapeBox:
			return CheckLength( def->halfExtents.x, "halfExtents", error ) &&
				   CheckLength( def->halfExtents.y, "halfExtents", error ) &&
				   CheckLength( def->halfExtents.z, "halfExtents", error );
		default:
			return true;
	}
}

static supMat3 Diagonal( float x, float y, float z )
{
	return ( supMat3 ){ { x, 0.0f, 0.0f }, { 0.0f, y, 0.0f }, { 0.0f, 0.0f, z } };
}

static void MeasureSphere( supShape* shape )
{
	float r = shape->radius;
	shape->volume = 4.0f / 3.0f * SUP_PI * r * r * r;
	float i = 0.4f * shape->volume * r * r;
	shape->inertia = Diagonal( i, i, i );
	shape->bounds = ( supBox ){ supMakeVec3( -r, -r, -r ), supMakeVec3( r, r, r ) };
}

// A cylinder and two half spheres, each about the middle.
static void MeasureCapsule( supShape* shape )
{
	float r = shape->radius, h = shape->halfHeight;
	float cylinder = 2.0f * SUP_PI * r * r * h, ball = 4.0f / 3.0f * SUP_PI * r * r * r;
	shape->volume = cylinder + ball;
	float along = 0.5f * cylinder * r * r + 0.4f * ball * r * r;
	float across = cylinder * ( 0.25f * r * r + h * h / 3.0f ) + ball * ( 0.4f * r * r + h * h + 0.75f * h * r );
	shape->inertia = Diagonal( across, along, across );
	shape->bounds = ( supBox ){ supMakeVec3( -r, -h - r, -r ), supMakeVec3( r, h + r, r ) };
}

static void MeasureBox( supShape* shape )
{
	supVec3 e = shape->halfExtents;
	shape->volume = 8.0f * e.x * e.y * e.z;
	float k = shape->volume / 3.0f;
	shape->inertia =
		Diagonal( k * ( e.y * e.y + e.z * e.z ), k * ( e.x * e.x + e.z * e.z ), k * ( e.x * e.x + e.y * e.y ) );
	shape->bounds = ( supBox ){ supNeg( e ), e };
}

static void MeasureHull( supShape* shape )
{
	const supHull* hull = &shape->hull;
	shape->bounds = supBox_empty;
	for ( int32_t i = 0; i < hull->vertexCount; ++i )
	{
		shape->bounds = supBox_Include( shape->bounds, hull->vertices[i] );
	}
	supMeasureSolid( hull->vertices, (const uint32_t*)hull->indices, hull->faceCount, &shape->volume, &shape->center,
					 &shape->inertia );
}

bool supShape_Init( supShape* shape, const supShapeDef* def, supError* error )
{
	supClearError( error );
	if ( CheckSizes( def, error ) == false )
	{
		return false;
	}
	*shape = ( supShape ){
		.kind = def->kind, .radius = def->radius, .halfHeight = def->halfHeight, .halfExtents = def->halfExtents
	};
	switch ( def->kind )
	{
		case sup_shapePlane:
			return true;
		case sup_shapeSphere:
			MeasureSphere( shape );
			return true;
		case sup_shapeCapsule:
			MeasureCapsule( shape );
			return true;
		case sup_shapeBox:
			MeasureBox( shape );
			return true;
		case sup_shapeHull:
			if ( supHull_Init( &shape->hull, def->vertices, def->vertexCount, error ) == false )
			{
				return false;
			}
			MeasureHull( shape );
			return true;
		default:
			return supShape_InitMesh( shape, def, error );
	}
}

void supShape_Destroy( supShape* shape )
{
	supHull_Destroy( &shape->hull );
	supDestroyTree( shape->tree );
	supDestroyTree( shape->edgeTree );
	supArena_Destroy( &shape->arena );
	*shape = ( supShape ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances

// From a core (point or segment) that is grown by the radius.
static supShapeHit HitAroundCore( supVec3 core, float radius, supVec3 p )
{
	supVec3 d = supSub( p, core );
	float length = supLength( d );
	supVec3 normal = length > 1e-30f ? supScale( 1.0f / length, d ) : supMakeVec3( 1.0f, 0.0f, 0.0f );
	return ( supShapeHit ){ length - radius, normal, supMulAdd( core, radius, normal ) };
}

static supShapeHit HitBox( supVec3 e, supVec3 p )
{
	supVec3 inner = supMakeVec3( supClampFloat( p.x, -e.x, e.x ), supClampFloat( p.y, -e.y, e.y ),
								 supClampFloat( p.z, -e.z, e.z ) );
	supVec3 d = supSub( p, inner );
	float length = supLength( d );
	if ( length > 0.0f )
	{
		return ( supShapeHit ){ length, supScale( 1.0f / length, d ), inner };
	}
	// inside: out through the nearest face
	float depth[3] = { e.x - fabsf( p.x ), e.y - fabsf( p.y ), e.z - fabsf( p.z ) };
	int axis = depth[0] <= depth[1] ? ( depth[0] <= depth[2] ? 0 : 2 ) : ( depth[1] <= depth[2] ? 1 : 2 );
	supVec3 normal = supVec3_zero;
	if ( axis == 0 )
	{
		normal.x = p.x < 0.0f ? -1.0f : 1.0f;
	}
	else if ( axis == 1 )
	{
		normal.y = p.y < 0.0f ? -1.0f : 1.0f;
	}
	else
	{
		normal.z = p.z < 0.0f ? -1.0f : 1.0f;
	}
	return ( supShapeHit ){ -depth[axis], normal, supMulAdd( p, depth[axis], normal ) };
}

static supShapeHit HitHull( const supHull* hull, supVec3 p )
{
	int32_t nearest = 0;
	float height = -FLT_MAX;
	for ( int32_t f = 0; f < hull->faceCount; ++f )
	{
		float h = supDot( hull->normals[f], p ) - hull->offsets[f];
		if ( h > height )
		{
			height = h;
			nearest = f;
		}
	}
	if ( height <= 0.0f )
	{
		supVec3 normal = hull->normals[nearest];
		return ( supShapeHit ){ height, normal, supMulAdd( p, -height, normal ) };
	}
	double least = DBL_MAX;
	supVec3 point = supVec3_zero;
	for ( int32_t f = 0; f < hull->faceCount; ++f )
	{
		// faces that look away cannot be nearest
		if ( supDot( hull->normals[f], p ) < hull->offsets[f] )
		{
			continue;
		}
		const int32_t* v = hull->indices + 3 * f;
		supTriangle triangle = { hull->vertices[v[0]], hull->vertices[v[1]], hull->vertices[v[2]] };
		supTrianglePoint found = supClosestPointOnTriangle( &triangle, p );
		if ( found.distanceSquared < least )
		{
			least = found.distanceSquared;
			point = found.point;
		}
	}
	supVec3 d = supSub( p, point );
	float length = supLength( d );
	supVec3 normal = length > 0.0f ? supScale( 1.0f / length, d ) : hull->normals[nearest];
	return ( supShapeHit ){ length, normal, point };
}

bool supShape_FindClosest( const supShape* shape, supVec3 p, float maxDistance, supShapeHit* hit )
{
	switch ( shape->kind )
	{
		case sup_shapePlane:
			*hit = ( supShapeHit ){ p.y, supMakeVec3( 0.0f, 1.0f, 0.0f ), supMakeVec3( p.x, 0.0f, p.z ) };
			break;
		case sup_shapeSphere:
			*hit = HitAroundCore( supVec3_zero, shape->radius, p );
			break;
		case sup_shapeCapsule:
			*hit =
				HitAroundCore( supMakeVec3( 0.0f, supClampFloat( p.y, -shape->halfHeight, shape->halfHeight ), 0.0f ),
							   shape->radius, p );
			break;
		case sup_shapeBox:
			*hit = HitBox( shape->halfExtents, p );
			break;
		case sup_shapeHull:
			*hit = HitHull( &shape->hull, p );
			break;
		default:
			return supShape_FindClosestOnMesh( shape, p, maxDistance, hit );
	}
	return hit->distance <= maxDistance;
}

bool supShape_Sweep( const supShape* shape, supVec3 from, supVec3 to, float margin, float* time, supShapeHit* hit )
{
	float length = supDistance( from, to );
	float t = 0.0f;
	for ( int32_t i = 0; i < SWEEP_STEPS; ++i )
	{
		float left = length * ( 1.0f - t );
		if ( supShape_FindClosest( shape, supLerp( from, to, t ), left + margin, hit ) == false )
		{
			return false;
		}
		float room = hit->distance - margin;
		if ( room <= SWEEP_TOLERANCE * length || ( i == SWEEP_STEPS - 1 && room <= 0.1f * length ) )
		{
			*time = t;
			return room <= 0.0f || supDot( hit->normal, supSub( to, from ) ) < 0.0f;
		}
		t += room / length;
		if ( t >= 1.0f )
		{
			return false;
		}
	}
	return false;
}
