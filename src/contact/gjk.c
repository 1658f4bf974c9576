// SPDX-License-Identifier: MIT
#include "contact/gjk.h"

#include "core/core.h"

#include <math.h>

// Bodies of a few tens of vertices need three to eight rounds; needles some more.
#define MOST_ROUNDS 64

typedef struct Vec
{
	double x, y, z;
} Vec;

typedef struct Vertex
{
	Vec p; // of the difference
	int32_t ia, ib;
} Vertex;

typedef struct Simplex
{
	int32_t count;
	Vertex v[4];
	double weights[4]; // of the point that is nearest to the origin
} Simplex;

static Vec Sub( Vec a, Vec b )
{
	return ( Vec ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static double Dot( Vec a, Vec b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Vec Cross( Vec a, Vec b )
{
	return ( Vec ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static int32_t Support( const supConvex* body, Vec direction )
{
	int32_t best = 0;
	double largest = -HUGE_VAL;
	for ( int32_t i = 0; i < body->count; ++i )
	{
		supVec3 p = body->points[i];
		double reach = (double)p.x * direction.x + (double)p.y * direction.y + (double)p.z * direction.z;
		if ( reach > largest )
		{
			largest = reach;
			best = i;
		}
	}
	return best;
}

static Vertex MakeVertex( const supConvex* a, const supConvex* b, int32_t ia, int32_t ib )
{
	supVec3 pa = a->points[ia], pb = b->points[ib];
	return (
		Vertex ){ { (double)pa.x - (double)pb.x, (double)pa.y - (double)pb.y, (double)pa.z - (double)pb.z }, ia, ib };
}

static Vec NearestPoint( const Simplex* s )
{
	Vec p = { 0 };
	for ( int32_t i = 0; i < s->count; ++i )
	{
		p.x += s->weights[i] * s->v[i].p.x;
		p.y += s->weights[i] * s->v[i].p.y;
		p.z += s->weights[i] * s->v[i].p.z;
	}
	return p;
}

// ---------------------------------------------------------------------------------------------------------------------
// The part of a simplex that is nearest to the origin

static Simplex Single( const Simplex* s, int32_t i )
{
	return ( Simplex ){ .count = 1, .v = { s->v[i] }, .weights = { 1.0 } };
}

static Simplex ReduceSegment( const Simplex* s )
{
	Vec ab = Sub( s->v[1].p, s->v[0].p );
	double length = Dot( ab, ab );
	double t = length > 0.0 ? -Dot( s->v[0].p, ab ) / length : 0.0;
	if ( t <= 0.0 || t >= 1.0 )
	{
		return Single( s, t >= 1.0 );
	}
	return ( Simplex ){ .count = 2, .v = { s->v[0], s->v[1] }, .weights = { 1.0 - t, t } };
}

static double LengthSquaredOf( const Simplex* s )
{
	Vec p = NearestPoint( s );
	return Dot( p, p );
}

// The best of the edges.
static Simplex ReduceEdges( const Simplex* s )
{
	Simplex best = Single( s, 0 );
	for ( int32_t i = 0; i < s->count; ++i )
	{
		for ( int32_t k = i + 1; k < s->count; ++k )
		{
			Simplex edge = { .count = 2, .v = { s->v[i], s->v[k] } };
			edge = ReduceSegment( &edge );
			best = LengthSquaredOf( &edge ) < LengthSquaredOf( &best ) ? edge : best;
		}
	}
	return best;
}

static Simplex ReduceTriangle( const Simplex* s )
{
	Vec a = s->v[0].p, b = s->v[1].p, c = s->v[2].p;
	Vec n = Cross( Sub( b, a ), Sub( c, a ) );
	double area = Dot( n, n );
	double wa = Dot( n, Cross( b, c ) ), wb = Dot( n, Cross( c, a ) ), wc = Dot( n, Cross( a, b ) );
	if ( area > 0.0 && wa >= 0.0 && wb >= 0.0 && wc >= 0.0 )
	{
		double sum = wa + wb + wc;
		return (
			Simplex ){ .count = 3, .v = { s->v[0], s->v[1], s->v[2] }, .weights = { wa / sum, wb / sum, wc / sum } };
	}
	return ReduceEdges( s );
}

// All four are kept only where the origin is inside.
static Simplex ReduceTetrahedron( const Simplex* s )
{
	static const int32_t faces[4][4] = { { 0, 1, 2, 3 }, { 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 1, 3, 2, 0 } };
	Simplex best = { 0 };
	double least = HUGE_VAL;
	bool inside = true;
	for ( int32_t i = 0; i < 4; ++i )
	{
		Simplex face = { .count = 3, .v = { s->v[faces[i][0]], s->v[faces[i][1]], s->v[faces[i][2]] } };
		Vec n = Cross( Sub( face.v[1].p, face.v[0].p ), Sub( face.v[2].p, face.v[0].p ) );
		double opposite = Dot( n, Sub( s->v[faces[i][3]].p, face.v[0].p ) );
		double origin = -Dot( n, face.v[0].p );
		if ( opposite * origin > 0.0 )
		{
			continue;
		}
		inside = false;
		face = ReduceTriangle( &face );
		double distance = LengthSquaredOf( &face );
		if ( distance < least )
		{
			least = distance;
			best = face;
		}
	}
	return inside ? *s : best;
}

static Simplex Reduce( const Simplex* s )
{
	switch ( s->count )
	{
		case 1:
			return Single( s, 0 );
		case 2:
			return ReduceSegment( s );
		case 3:
			return ReduceTriangle( s );
		default:
			return ReduceTetrahedron( s );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static bool HasVertex( const Simplex* s, const Vertex* v )
{
	for ( int32_t i = 0; i < s->count; ++i )
	{
		if ( s->v[i].ia == v->ia && s->v[i].ib == v->ib )
		{
			return true;
		}
	}
	return false;
}

static supVec3 Blend( const Simplex* s, const supConvex* body, bool first )
{
	Vec p = { 0 };
	for ( int32_t i = 0; i < s->count; ++i )
	{
		supVec3 q = body->points[first ? s->v[i].ia : s->v[i].ib];
		p.x += s->weights[i] * (double)q.x;
		p.y += s->weights[i] * (double)q.y;
		p.z += s->weights[i] * (double)q.z;
	}
	return supMakeVec3( (float)p.x, (float)p.y, (float)p.z );
}

// The simplex of the difference that is nearest to the origin; all four vertices of it where the origin is inside.
static Simplex Walk( const supConvex* a, const supConvex* b, double* distanceSquared )
{
	Simplex simplex = { .count = 1, .v = { MakeVertex( a, b, 0, 0 ) }, .weights = { 1.0 } };
	Vec nearest = simplex.v[0].p;
	*distanceSquared = Dot( nearest, nearest );
	for ( int32_t round = 0; round<MOST_ROUNDS&& * distanceSquared> 0.0; ++round )
	{
		Vec outwards = { -nearest.x, -nearest.y, -nearest.z };
		Vertex next = MakeVertex( a, b, Support( a, outwards ), Support( b, nearest ) );
		// no vertex is nearer to the origin than the plane through the nearest point
		bool done = *distanceSquared - Dot( nearest, next.p ) <= 1e-12 * *distanceSquared;
		if ( done || HasVertex( &simplex, &next ) )
		{
			break;
		}
		Simplex grown = simplex;
		grown.v[grown.count++] = next;
		grown = Reduce( &grown );
		if ( grown.count == 4 )
		{
			*distanceSquared = 0.0;
			return grown;
		}
		double improved = LengthSquaredOf( &grown );
		if ( improved >= *distanceSquared )
		{
			break;
		}
		simplex = grown;
		nearest = NearestPoint( &simplex );
		*distanceSquared = improved;
	}
	return simplex;
}

supGjkResult supMeasureConvexDistance( const supConvex* a, const supConvex* b )
{
	double distanceSquared;
	Simplex simplex = Walk( a, b, &distanceSquared );
	float radii = a->radius + b->radius;
	if ( distanceSquared == 0.0 )
	{
		supVec3 p = simplex.count < 4 ? Blend( &simplex, a, true ) : a->points[simplex.v[0].ia];
		return ( supGjkResult ){ .distance = -radii, .a = p, .b = p };
	}
	Vec nearest = NearestPoint( &simplex );
	double distance = sqrt( distanceSquared );
	return ( supGjkResult ){
		.distance = (float)distance - radii,
		.a = Blend( &simplex, a, true ),
		.b = Blend( &simplex, b, false ),
		.normal = supMakeVec3( (float)( -nearest.x / distance ), (float)( -nearest.y / distance ),
							   (float)( -nearest.z / distance ) ),
	};
}

// The volumes that the origin makes with each face; a flat tetrahedron is taken as one of its vertices.
static void WeighTetrahedron( Simplex* s )
{
	Vec a = s->v[0].p, b = s->v[1].p, c = s->v[2].p, d = s->v[3].p;
	double whole = Dot( Sub( b, a ), Cross( Sub( c, a ), Sub( d, a ) ) );
	double w[3] = { Dot( b, Cross( c, d ) ), -Dot( a, Cross( c, d ) ), Dot( a, Cross( b, d ) ) };
	double sum = 0.0;
	for ( int32_t i = 0; i < 3; ++i )
	{
		double share = whole != 0.0 ? w[i] / whole : 0.0;
		double left = 1.0 - sum;
		s->weights[i] = share > 0.0 ? ( share < left ? share : left ) : 0.0;
		sum += s->weights[i];
	}
	s->weights[3] = 1.0 - sum;
}

void supMixConvex( const supConvex* body, supVec3 point, int32_t indices[4], float weights[4] )
{
	double distanceSquared;
	supConvex single = { &point, 1, 0.0f };
	Simplex simplex = Walk( body, &single, &distanceSquared );
	if ( simplex.count == 4 )
	{
		WeighTetrahedron( &simplex );
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		indices[i] = i < simplex.count ? simplex.v[i].ia : simplex.v[0].ia;
		weights[i] = i < simplex.count ? (float)simplex.weights[i] : 0.0f;
	}
}
