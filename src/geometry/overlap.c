// SPDX-License-Identifier: MIT
#include "geometry/overlap.h"

#include "core/core.h"

#include <float.h>

typedef struct Vec3d
{
	double x, y, z;
} Vec3d;

static inline Vec3d Widen( supVec3 a )
{
	return ( Vec3d ){ a.x, a.y, a.z };
}

static inline Vec3d Sub( Vec3d a, Vec3d b )
{
	return ( Vec3d ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline double Dot( Vec3d a, Vec3d b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3d Cross( Vec3d a, Vec3d b )
{
	return ( Vec3d ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline double Max3( double a, double b, double c )
{
	double ab = a > b ? a : b;
	return ab > c ? ab : c;
}

static inline double Min3( double a, double b, double c )
{
	double ab = a < b ? a : b;
	return ab < c ? ab : c;
}

// ---------------------------------------------------------------------------------------------------------------------
// Box (Akenine-Möller 2001): thirteen axes. Whatever an axis computes is off by less than eight roundings of the sizes
// that go into it; a gap must be wider than that to part the two.

#define ROUNDINGS ( 8.0 * DBL_EPSILON )

typedef struct CenteredBox
{
	double half[3];
	// what coordinates on each axis are made of: centre, half size and distance from the centre
	double size[3];
} CenteredBox;

// The axis e x (unit vector i), with j and k the other two: projections are e[k] p[j] - e[j] p[k]. The two ends of the
// edge e project alike, so that two corners stand for three.
static inline bool EdgeAxisParts( const CenteredBox* box, const double* e, const double* p, const double* q, int j,
								  int k )
{
	double first = e[k] * p[j] - e[j] * p[k];
	double second = e[k] * q[j] - e[j] * q[k];
	double absJ = fabs( e[j] );
	double absK = fabs( e[k] );
	double radius = absK * box->half[j] + absJ * box->half[k];
	radius += ROUNDINGS * ( absK * box->size[j] + absJ * box->size[k] );
	double lower = first < second ? first : second;
	double upper = first < second ? second : first;
	return lower > radius || upper < -radius;
}

static inline bool EdgeAxesPart( const CenteredBox* box, const double* e, const double* p, const double* q )
{
	return EdgeAxisParts( box, e, p, q, 1, 2 ) || EdgeAxisParts( box, e, p, q, 2, 0 ) ||
		   EdgeAxisParts( box, e, p, q, 0, 1 );
}

static inline bool PlaneParts( const CenteredBox* box, const double* e, const double* f, const double* p )
{
	double distance = 0.0;
	double radius = 0.0;
	for ( int i = 0; i < 3; ++i )
	{
		int j = ( i + 1 ) % 3;
		int k = ( i + 2 ) % 3;
		double left = e[j] * f[k];
		double right = e[k] * f[j];
		distance += ( left - right ) * p[i];
		radius += fabs( left - right ) * box->half[i];
		radius += 2.0 * ROUNDINGS * ( fabs( left ) + fabs( right ) ) * box->size[i];
	}
	return fabs( distance ) > radius;
}

bool supTriangleOverlapsBox( const supTriangle* triangle, supBox box )
{
	// the box's own axes, exactly
	supBox bounds = supTriangle_Bounds( triangle );
	if ( supBox_IsEmpty( box ) || bounds.lower.x > box.upper.x || bounds.lower.y > box.upper.y ||
		 bounds.lower.z > box.upper.z || bounds.upper.x < box.lower.x || bounds.upper.y < box.lower.y ||
		 bounds.upper.z < box.lower.z )
	{
		return false;
	}

	const float* corners[3] = { &triangle->a.x, &triangle->b.x, &triangle->c.x };
	const float* boxLower = &box.lower.x;
	const float* boxUpper = &box.upper.x;
	CenteredBox centered;
	double p[3][3];
	for ( int i = 0; i < 3; ++i )
	{
		double center = 0.5 * ( (double)boxLower[i] + (double)boxUpper[i] );
		double largest = 0.0;
		for ( int k = 0; k < 3; ++k )
		{
			p[k][i] = corners[k][i] - center;
			largest = largest > fabs( p[k][i] ) ? largest : fabs( p[k][i] );
		}
		centered.half[i] = 0.5 * ( (double)boxUpper[i] - (double)boxLower[i] );
		centered.size[i] = fabs( center ) + centered.half[i] + largest;
	}
	double e[3][3];
	for ( int i = 0; i < 3; ++i )
	{
		e[0][i] = p[1][i] - p[0][i];
		e[1][i] = p[2][i] - p[1][i];
		e[2][i] = p[0][i] - p[2][i];
	}
	return !EdgeAxesPart( &centered, e[0], p[0], p[2] ) && !EdgeAxesPart( &centered, e[1], p[1], p[0] ) &&
		   !EdgeAxesPart( &centered, e[2], p[2], p[1] ) && !PlaneParts( &centered, e[0], e[1], p[0] );
}

// ---------------------------------------------------------------------------------------------------------------------
// Point

static inline supTrianglePoint MakePoint( const supTriangle* t, Vec3d p, double u, double v )
{
	double w = 1.0 - u - v;
	Vec3d a = Widen( t->a ), b = Widen( t->b ), c = Widen( t->c );
	Vec3d q = { w * a.x + u * b.x + v * c.x, w * a.y + u * b.y + v * c.y, w * a.z + u * b.z + v * c.z };
	Vec3d d = Sub( q, p );
	return ( supTrianglePoint ){
		{ (float)q.x, (float)q.y, (float)q.z },
		(float)u,
		(float)v,
		Dot( d, d ),
	};
}

// Where on the segment from a, along ab: in [0, 1].
static double ProjectOntoSegment( Vec3d a, Vec3d ab, Vec3d p )
{
	double length = Dot( ab, ab );
	double s = length > 0.0 ? Dot( ab, Sub( p, a ) ) / length : 0.0;
	return s < 0.0 ? 0.0 : ( s > 1.0 ? 1.0 : s );
}

static supTrianglePoint ClosestPointOnEdges( const supTriangle* t, Vec3d p )
{
	Vec3d a = Widen( t->a ), b = Widen( t->b ), c = Widen( t->c );
	double s = ProjectOntoSegment( a, Sub( b, a ), p );
	supTrianglePoint best = MakePoint( t, p, s, 0.0 );
	s = ProjectOntoSegment( b, Sub( c, b ), p );
	supTrianglePoint next = MakePoint( t, p, 1.0 - s, s );
	best = next.distanceSquared < best.distanceSquared ? next : best;
	s = ProjectOntoSegment( c, Sub( a, c ), p );
	next = MakePoint( t, p, 0.0, 1.0 - s );
	return next.distanceSquared < best.distanceSquared ? next : best;
}

supTrianglePoint supClosestPointOnTriangle( const supTriangle* t, supVec3 point )
{
	Vec3d p = Widen( point );
	Vec3d a = Widen( t->a );
	Vec3d ab = Sub( Widen( t->b ), a );
	Vec3d ac = Sub( Widen( t->c ), a );
	Vec3d normal = Cross( ab, ac );
	// sine of the angle at a below 1e-7
	if ( !( Dot( normal, normal ) > 1.0e-14 * Dot( ab, ab ) * Dot( ac, ac ) ) )
	{
		return ClosestPointOnEdges( t, p );
	}
	Vec3d ap = Sub( p, a );
	double d1 = Dot( ab, ap );
	double d2 = Dot( ac, ap );
	if ( d1 <= 0.0 && d2 <= 0.0 )
	{
		return MakePoint( t, p, 0.0, 0.0 );
	}
	Vec3d bp = Sub( p, Widen( t->b ) );
	double d3 = Dot( ab, bp );
	double d4 = Dot( ac, bp );
	if ( d3 >= 0.0 && d4 <= d3 )
	{
		return MakePoint( t, p, 1.0, 0.0 );
	}
	// Ericson's d1 d4 - d3 d2 is the same number, but loses all digits on needles: its error is that of two lengths to
	// the fourth, this one's shrinks with the triangle's width
	double vc = Dot( normal, Cross( ap, bp ) );
	if ( vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 )
	{
		return MakePoint( t, p, d1 / ( d1 - d3 ), 0.0 );
	}
	Vec3d cp = Sub( p, Widen( t->c ) );
	double d5 = Dot( ab, cp );
	double d6 = Dot( ac, cp );
	if ( d6 >= 0.0 && d5 <= d6 )
	{
		return MakePoint( t, p, 0.0, 1.0 );
	}
	double vb = Dot( normal, Cross( cp, ap ) );
	if ( vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 )
	{
		return MakePoint( t, p, 0.0, d2 / ( d2 - d6 ) );
	}
	double va = Dot( normal, Cross( bp, cp ) );
	if ( va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 )
	{
		double v = ( d4 - d3 ) / ( ( d4 - d3 ) + ( d5 - d6 ) );
		return MakePoint( t, p, 1.0 - v, v );
	}
	double sum = va + vb + vc;
	return MakePoint( t, p, vb / sum, vc / sum );
}

float supDistanceToTriangle( const supTriangle* triangle, supVec3 p )
{
	return (float)sqrt( supClosestPointOnTriangle( triangle, p ).distanceSquared );
}

float supDistanceToBox( supBox box, supVec3 p )
{
	double x = Max3( (double)box.lower.x - p.x, (double)p.x - box.upper.x, 0.0 );
	double y = Max3( (double)box.lower.y - p.y, (double)p.y - box.upper.y, 0.0 );
	double z = Max3( (double)box.lower.z - p.z, (double)p.z - box.upper.z, 0.0 );
	return (float)sqrt( x * x + y * y + z * z );
}

// ---------------------------------------------------------------------------------------------------------------------
// Ray

static float Component( supVec3 a, int32_t axis )
{
	return axis == 0 ? a.x : ( axis == 1 ? a.y : a.z );
}

static float FlushComponent( float a, float largest )
{
	// adding zero turns -0 into 0
	return fabsf( a ) < 1.0e-30f * largest ? 0.0f : a + 0.0f;
}

supRay supMakeRay( supVec3 origin, supVec3 direction )
{
	supRay ray = { .origin = origin };
	float x = fabsf( direction.x ), y = fabsf( direction.y ), z = fabsf( direction.z );
	float largest = supMaxFloat( supMaxFloat( x, y ), z );
	if ( supIsFiniteVec3( direction ) == false || supIsFiniteVec3( origin ) == false || !( largest >= 1.0e-30f ) )
	{
		return ray;
	}
	ray.valid = true;
	ray.direction = supMakeVec3( FlushComponent( direction.x, largest ), FlushComponent( direction.y, largest ),
								 FlushComponent( direction.z, largest ) );
	ray.kz = x == largest ? 0 : ( y == largest ? 1 : 2 );
	ray.kx = ( ray.kz + 1 ) % 3;
	ray.ky = ( ray.kx + 1 ) % 3;
	double along = Component( ray.direction, ray.kz );
	if ( along < 0.0 )
	{
		int32_t swap = ray.kx;
		ray.kx = ray.ky;
		ray.ky = swap;
	}
	ray.shearX = Component( ray.direction, ray.kx ) / along;
	ray.shearY = Component( ray.direction, ray.ky ) / along;
	ray.shearZ = 1.0 / along;
	return ray;
}

// The ray's own space: it starts at the origin and runs along z.
static inline Vec3d Shear( const supRay* ray, supVec3 p )
{
	double z = (double)Component( p, ray->kz ) - (double)Component( ray->origin, ray->kz );
	double x = (double)Component( p, ray->kx ) - (double)Component( ray->origin, ray->kx );
	double y = (double)Component( p, ray->ky ) - (double)Component( ray->origin, ray->ky );
	return ( Vec3d ){ x - ray->shearX * z, y - ray->shearY * z, ray->shearZ * z };
}

// Seen from the ray the triangle is a line: its width is no more than what the rounding of its corners makes of it, and
// so are the areas that decide.
static bool IsEdgeOn( const supRay* ray, Vec3d a, Vec3d b, Vec3d c )
{
	double abx = b.x - a.x, aby = b.y - a.y, acx = c.x - a.x, acy = c.y - a.y;
	double length = Max3( Max3( fabs( abx ), fabs( aby ), fabs( acx ) ), fabs( acy ), 0.0 );
	double reach = Max3( fabs( a.z ), fabs( b.z ), fabs( c.z ) ) / fabs( ray->shearZ );
	reach += fabs( a.x ) + fabs( a.y );
	return fabs( abx * acy - aby * acx ) <= 4.0 * ROUNDINGS * ( reach + length ) * length;
}

bool supRayHitsTriangle( const supRay* ray, const supTriangle* triangle, double maxT, supRayHit* hit )
{
	if ( ray->valid == false )
	{
		return false;
	}
	Vec3d a = Shear( ray, triangle->a );
	Vec3d b = Shear( ray, triangle->b );
	Vec3d c = Shear( ray, triangle->c );
	// twice the areas that the ray's point of passage makes with the edges; of an edge's two triangles one gets exactly
	// the other's number negated
	double u = c.x * b.y - c.y * b.x;
	double v = a.x * c.y - a.y * c.x;
	double w = b.x * a.y - b.y * a.x;
	if ( Min3( u, v, w ) < 0.0 && Max3( u, v, w ) > 0.0 )
	{
		return false;
	}
	double determinant = u + v + w;
	if ( determinant == 0.0 || IsEdgeOn( ray, a, b, c ) )
	{
		return false;
	}
	double t = ( u * a.z + v * b.z + w * c.z ) / determinant;
	if ( !( t >= 0.0 && t <= maxT ) )
	{
		return false;
	}
	*hit = ( supRayHit ){ t, (float)( v / determinant ), (float)( w / determinant ), determinant > 0.0 };
	return true;
}
