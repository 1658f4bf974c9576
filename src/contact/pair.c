// SPDX-License-Identifier: MIT
#include "contact/pair.h"

#include <math.h>

// Coordinates are floats, arithmetic is double: digits to spare.
typedef struct Vec
{
	double x, y, z;
} Vec;

static inline Vec Widen( supVec3 a )
{
	return ( Vec ){ (double)a.x, (double)a.y, (double)a.z };
}

static inline supVec3 Narrow( Vec a )
{
	return supMakeVec3( (float)a.x, (float)a.y, (float)a.z );
}

static inline Vec Add( Vec a, Vec b )
{
	return ( Vec ){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline Vec Sub( Vec a, Vec b )
{
	return ( Vec ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline Vec Scale( double s, Vec a )
{
	return ( Vec ){ s * a.x, s * a.y, s * a.z };
}

static inline double Dot( Vec a, Vec b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec Cross( Vec a, Vec b )
{
	return ( Vec ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// Zero where it has no direction.
static inline Vec Normalize( Vec a )
{
	double squared = Dot( a, a );
	return squared > 0.0 && squared < HUGE_VAL ? Scale( 1.0 / sqrt( squared ), a ) : ( Vec ){ 0.0, 0.0, 0.0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// The nearest point of a triangle, and on what part of it

typedef enum Region
{
	FACE,
	EDGE,  // from corner `index` to the next
	CORNER // `index`
} Region;

typedef struct Nearest
{
	Region region;
	int32_t index;
	double bary[3];
} Nearest;

static Nearest MakeCorner( int32_t index )
{
	Nearest n = { CORNER, index, { 0.0, 0.0, 0.0 } };
	n.bary[index] = 1.0;
	return n;
}

static Nearest MakeEdge( int32_t index, double t )
{
	Nearest n = { EDGE, index, { 0.0, 0.0, 0.0 } };
	n.bary[index] = 1.0 - t;
	n.bary[( index + 1 ) % 3] = t;
	return n;
}

// Ericson's regions (Real-Time Collision Detection, 5.1.5), areas by the normal so that needles keep their digits.
static Nearest FindNearest( const Vec corners[3], Vec p )
{
	Vec ab = Sub( corners[1], corners[0] ), ac = Sub( corners[2], corners[0] );
	Vec ap = Sub( p, corners[0] ), bp = Sub( p, corners[1] ), cp = Sub( p, corners[2] );
	double d1 = Dot( ab, ap ), d2 = Dot( ac, ap );
	if ( d1 <= 0.0 && d2 <= 0.0 )
	{
		return MakeCorner( 0 );
	}
	double d3 = Dot( ab, bp ), d4 = Dot( ac, bp );
	if ( d3 >= 0.0 && d4 <= d3 )
	{
		return MakeCorner( 1 );
	}
	Vec normal = Cross( ab, ac );
	double vc = Dot( normal, Cross( ap, bp ) );
	if ( vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 )
	{
		return MakeEdge( 0, d1 / ( d1 - d3 ) );
	}
	double d5 = Dot( ab, cp ), d6 = Dot( ac, cp );
	if ( d6 >= 0.0 && d5 <= d6 )
	{
		return MakeCorner( 2 );
	}
	double vb = Dot( normal, Cross( cp, ap ) );
	if ( vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 )
	{
		return MakeEdge( 2, 1.0 - d2 / ( d2 - d6 ) );
	}
	double va = Dot( normal, Cross( bp, cp ) );
	if ( va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 )
	{
		return MakeEdge( 1, ( d4 - d3 ) / ( ( d4 - d3 ) + ( d5 - d6 ) ) );
	}
	double sum = va + vb + vc;
	return ( Nearest ){ FACE, 0, { va / sum, vb / sum, vc / sum } };
}

// ---------------------------------------------------------------------------------------------------------------------
// Local minima and sides

// What of the angle to the surface is lost by rounding.
#define ANGLE_TOLERANCE 1e-6

// From the plane of an open border, as a cosine to the normal.
#define BORDER_FRONT 0.7

typedef struct Side
{
	bool minimum; // the surface around comes no nearer
	bool open;    // a border is here
	Vec normal;   // of the surface, any length
} Side;

static Vec CornerOf( const supSurfaceNow* s, int32_t triangle, int32_t k )
{
	return Widen( s->positions[s->skin->corners[3 * (size_t)triangle + (size_t)( k % 3 )]] );
}

static Vec UnitNormal( const supSurfaceNow* s, int32_t triangle )
{
	Vec a = CornerOf( s, triangle, 0 );
	return Normalize( Cross( Sub( CornerOf( s, triangle, 1 ), a ), Sub( CornerOf( s, triangle, 2 ), a ) ) );
}

// Does the surface come nearer to the offset's end in this direction?
static bool ComesNearer( Vec offset, Vec direction )
{
	double toward = Dot( offset, direction );
	return toward > 0.0 &&
		   toward * toward > ANGLE_TOLERANCE * ANGLE_TOLERANCE * Dot( offset, offset ) * Dot( direction, direction );
}

static Side LookAtEdge( const supSurfaceNow* s, int32_t triangle, int32_t edge, Vec normal, Vec offset )
{
	int32_t other = s->skin->neighbours[3 * (size_t)triangle + (size_t)edge];
	if ( other < 0 )
	{
		return ( Side ){ true, other == SUP_EDGE_OPEN, normal };
	}
	Vec a = CornerOf( s, triangle, edge ), along = Sub( CornerOf( s, triangle, edge + 1 ), a );
	int32_t from = s->skin->corners[3 * (size_t)triangle + (size_t)edge];
	int32_t to = s->skin->corners[3 * (size_t)triangle + (size_t)( ( edge + 1 ) % 3 )];
	Vec inward = { 0.0, 0.0, 0.0 };
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t corner = s->skin->corners[3 * (size_t)other + (size_t)k];
		if ( corner != from && corner != to )
		{
			inward = Sub( CornerOf( s, other, k ), a );
		}
	}
	double squared = Dot( along, along );
	inward = Sub( inward, Scale( squared > 0.0 ? Dot( inward, along ) / squared : 0.0, along ) );
	return ( Side ){ ComesNearer( offset, inward ) == false, false, Add( normal, UnitNormal( s, other ) ) };
}

static bool IsMinimumAtCorner( const supSurfaceNow* s, int32_t vertex, Vec offset )
{
	Vec at = Widen( s->positions[vertex] );
	for ( int32_t i = s->skin->fanStarts[vertex]; i < s->skin->fanStarts[vertex + 1]; ++i )
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			if ( ComesNearer( offset, Sub( CornerOf( s, s->skin->fans[i], k ), at ) ) )
			{
				return false;
			}
		}
	}
	return true;
}

static Side LookAtCorner( const supSurfaceNow* s, int32_t vertex, Vec offset )
{
	Side side = { .minimum = IsMinimumAtCorner( s, vertex, offset ) };
	Vec at = Widen( s->positions[vertex] );
	for ( int32_t i = s->skin->fanStarts[vertex]; side.minimum && i < s->skin->fanStarts[vertex + 1]; ++i )
	{
		int32_t triangle = s->skin->fans[i];
		const int32_t* corners = s->skin->corners + 3 * (size_t)triangle;
		int32_t k = corners[0] == vertex ? 0 : ( corners[1] == vertex ? 1 : 2 );
		Vec u = Sub( CornerOf( s, triangle, k + 1 ), at ), v = Sub( CornerOf( s, triangle, k + 2 ), at );
		const int32_t* neighbours = s->skin->neighbours + 3 * (size_t)triangle;
		side.open = side.open || neighbours[k] == SUP_EDGE_OPEN || neighbours[( k + 2 ) % 3] == SUP_EDGE_OPEN;
		double lengths = sqrt( Dot( u, u ) * Dot( v, v ) );
		float angle = lengths > 0.0 ? supAcos( (float)( Dot( u, v ) / lengths ) ) : 0.0f;
		side.normal = Add( side.normal, Scale( (double)angle, Normalize( Cross( u, v ) ) ) );
	}
	return side;
}

bool supTestVertexTriangle( const supSurfaceNow* surface, supVec3 p, int32_t triangle, supVec3 normal, float margin,
							float depth, supPairContact* contact )
{
	Vec corners[3] = { CornerOf( surface, triangle, 0 ), CornerOf( surface, triangle, 1 ),
					   CornerOf( surface, triangle, 2 ) };
	Vec q = Widen( p );
	Nearest nearest = FindNearest( corners, q );
	Vec point = Add( Add( Scale( nearest.bary[0], corners[0] ), Scale( nearest.bary[1], corners[1] ) ),
					 Scale( nearest.bary[2], corners[2] ) );
	Vec offset = Sub( q, point ), faceNormal = Widen( normal );
	double height = Dot( Sub( q, corners[nearest.index] ), faceNormal );
	bool front = height >= 0.0;
	double squared = Dot( offset, offset ), limit = front ? (double)margin : (double)depth;
	bool tooSlanted = front == false && height * height < (double)SUP_BEHIND_SLOPE * squared;
	// so far away that the difference of corners is lost, the nearest point is no number
	if ( !( squared <= limit * limit ) || tooSlanted )
	{
		return false;
	}
	Side side = { true, false, faceNormal };
	if ( nearest.region == EDGE )
	{
		side = LookAtEdge( surface, triangle, nearest.index, faceNormal, offset );
	}
	else if ( nearest.region == CORNER )
	{
		side = LookAtCorner( surface, surface->skin->corners[3 * (size_t)triangle + (size_t)nearest.index], offset );
	}
	double distance = sqrt( squared );
	bool agrees = nearest.region == FACE || ( Dot( offset, side.normal ) >= 0.0 ) == front;
	bool beside = side.open && ( front == false || height < BORDER_FRONT * distance );
	if ( side.minimum == false || agrees == false || beside )
	{
		return false;
	}
	Vec out = faceNormal;
	if ( nearest.region != FACE && distance > 1e-9 * limit )
	{
		// at the surface itself the offset has no direction
		out = Scale( front ? 1.0 / distance : -1.0 / distance, offset );
	}
	*contact = ( supPairContact ){
		.bary = { (float)nearest.bary[0], (float)nearest.bary[1], (float)nearest.bary[2] },
		.normal = Narrow( out ),
		.gap = (float)( front ? distance : -distance ),
		.point = Narrow( point ),
	};
	return true;
}

bool supSegmentEnters( const supVec3 corners[3], supVec3 p, supVec3 q )
{
	Vec a = Widen( corners[0] ), b = Widen( corners[1] ), c = Widen( corners[2] );
	Vec from = Widen( p ), way = Sub( Widen( q ), from );
	Vec n = Cross( Sub( b, a ), Sub( c, a ) );
	double start = Dot( n, Sub( from, a ) ), slope = Dot( n, way );
	// the end is on the surface: what is touched there does not count
	if ( !( start > 0.0 && slope < 0.0 && start < -0.999 * slope ) )
	{
		return false;
	}
	Vec pa = Sub( a, from ), pb = Sub( b, from ), pc = Sub( c, from );
	double u = Dot( way, Cross( pb, pc ) ), v = Dot( way, Cross( pc, pa ) ), w = Dot( way, Cross( pa, pb ) );
	return ( u <= 0.0 && v <= 0.0 && w <= 0.0 ) || ( u >= 0.0 && v >= 0.0 && w >= 0.0 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Crossings: the four points are in one plane where a cubic in time is zero

// How far beside the triangle a crossing counts, in its own size.
#define BESIDE 1e-4
#define HALVINGS 60

static double Evaluate( const double k[4], double t )
{
	return ( ( k[3] * t + k[2] ) * t + k[1] ) * t + k[0];
}

// Of a change of sign between the two.
static double FindRoot( const double k[4], double lower, double upper )
{
	bool rising = Evaluate( k, lower ) < 0.0;
	for ( int32_t i = 0; i < HALVINGS; ++i )
	{
		double middle = 0.5 * ( lower + upper );
		if ( ( Evaluate( k, middle ) < 0.0 ) == rising )
		{
			lower = middle;
		}
		else
		{
			upper = middle;
		}
	}
	return upper;
}

// Where the cubic turns within (0, 1), in order.
static int32_t FindTurns( const double k[4], double turns[2] )
{
	double a = 3.0 * k[3], b = 2.0 * k[2], c = k[1];
	double discriminant = b * b - 4.0 * a * c;
	if ( discriminant < 0.0 )
	{
		return 0;
	}
	double q = -0.5 * ( b + ( b < 0.0 ? -sqrt( discriminant ) : sqrt( discriminant ) ) );
	double roots[2] = { a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0 };
	if ( roots[0] > roots[1] )
	{
		double swap = roots[0];
		roots[0] = roots[1];
		roots[1] = swap;
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < 2; ++i )
	{
		if ( roots[i] > 0.0 && roots[i] < 1.0 )
		{
			turns[count++] = roots[i];
		}
	}
	return count;
}

static bool IsInside( const Vec before[4], const Vec motion[4], double t, float bary[3] )
{
	Vec p[4];
	for ( int32_t i = 0; i < 4; ++i )
	{
		p[i] = Add( before[i], Scale( t, motion[i] ) );
	}
	Vec n = Cross( Sub( p[2], p[1] ), Sub( p[3], p[1] ) );
	double area = Dot( n, n );
	if ( !( area > 0.0 ) )
	{
		return false;
	}
	double w[3], sum = 0.0;
	for ( int32_t k = 0; k < 3; ++k )
	{
		Vec to = Sub( p[1 + ( k + 1 ) % 3], p[0] ), next = Sub( p[1 + ( k + 2 ) % 3], p[0] );
		w[k] = Dot( n, Cross( to, next ) ) / area;
		if ( w[k] < -BESIDE )
		{
			return false;
		}
		w[k] = w[k] > 0.0 ? w[k] : 0.0;
		sum += w[k];
	}
	for ( int32_t k = 0; k < 3; ++k )
	{
		bary[k] = (float)( w[k] / sum );
	}
	return sum > 0.0;
}

float supFindCrossing( const supMovingPair* pair, bool* entering, float bary[3] )
{
	Vec before[4], motion[4];
	for ( int32_t i = 0; i < 4; ++i )
	{
		before[i] = Widen( pair->before[i] );
		motion[i] = Sub( Widen( pair->now[i] ), before[i] );
	}
	// n(t) . (p - a)(t), with n the area vector
	Vec u0 = Sub( before[2], before[1] ), u1 = Sub( motion[2], motion[1] );
	Vec v0 = Sub( before[3], before[1] ), v1 = Sub( motion[3], motion[1] );
	Vec w0 = Sub( before[0], before[1] ), w1 = Sub( motion[0], motion[1] );
	Vec n0 = Cross( u0, v0 ), n1 = Add( Cross( u0, v1 ), Cross( u1, v0 ) ), n2 = Cross( u1, v1 );
	double k[4] = { Dot( n0, w0 ), Dot( n0, w1 ) + Dot( n1, w0 ), Dot( n1, w1 ) + Dot( n2, w0 ), Dot( n2, w1 ) };
	// on the surface counts as in front, before as after
	bool frontBefore = k[0] >= 0.0, frontNow = Evaluate( k, 1.0 ) >= 0.0;
	*entering = frontBefore;
	if ( frontBefore == frontNow )
	{
		return INFINITY;
	}
	double turns[2], last = 0.0;
	int32_t count = FindTurns( k, turns );
	for ( int32_t i = 0; i <= count; ++i )
	{
		double next = i < count ? turns[i] : 1.0;
		bool changes = ( Evaluate( k, last ) >= 0.0 ) != ( Evaluate( k, next ) >= 0.0 );
		double time = changes ? FindRoot( k, last, next ) : 0.0;
		if ( changes && IsInside( before, motion, time, bary ) )
		{
			return (float)time;
		}
		last = next;
	}
	return INFINITY;
}
