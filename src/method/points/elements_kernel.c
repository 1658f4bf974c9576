// SPDX-License-Identifier: MIT
#include "method/points/elements_kernel.h"

#include "core/wide_points.h"

#include <math.h>

// Below it, in square metres, something has no direction and gets no force.
#define LEAST_SQUARE 1e-30f

SUP_WIDE supVec3x8 Negate( supVec3x8 a )
{
	return ( supVec3x8 ){ -a.x, -a.y, -a.z };
}

SUP_WIDE supVec3x8 Square( supVec3x8 a )
{
	return ( supVec3x8 ){ a.x * a.x, a.y * a.y, a.z * a.z };
}

// ---------------------------------------------------------------------------------------------------------------------
// Edges: C = l / l0 - 1, ∇_1 C = n / l0 = -∇_0 C

typedef struct Edge
{
	supVec3x8 n;
	supFloat8 stretch; // l / l0
} Edge;

SUP_WIDE Edge MeasureEdge( const supEdgeBlock* block, const float* x )
{
	supVec3x8 d = supSub8( supGather8( x, block->points[1] ), supGather8( x, block->points[0] ) );
	supFloat8 length = supSqrt8( supMax8( supDot8( d, d ), supSplat8( LEAST_SQUARE ) ) );
	return ( Edge ){ supScale8( supSplat8( 1.0f ) / length, d ), length * supLoad8( block->inverseRest ) };
}

void SUP_KERNEL( supAddEdgeForces )( const supEdgeBlock* blocks, int32_t count, const supElementForce* job )
{
	const supFloat8 stiffness = supSplat8( job->stiffness ), damping = supSplat8( job->damping );
	for ( const supEdgeBlock* block = blocks; block < blocks + count; ++block )
	{
		Edge edge = MeasureEdge( block, job->x );
		supVec3x8 v = supSub8( supGather8( job->v, block->points[1] ), supGather8( job->v, block->points[0] ) );
		supFloat8 inverse = supLoad8( block->inverseRest );
		supFloat8 rate = supDot8( edge.n, v ) * inverse;
		supFloat8 c = edge.stretch - supSplat8( 1.0f );
		supFloat8 force = ( stiffness * supLoad8( block->weight ) ) * ( c + damping * rate ) * inverse;
		supVec3x8 f = supScale8( force, edge.n );
		supScatterAdd8( job->f, block->points[0], f );
		supScatterAdd8( job->f, block->points[1], Negate( f ) );
	}
}

void SUP_KERNEL( supAddEdgeProducts )( const supEdgeBlock* blocks, int32_t count, const supElementProduct* job )
{
	const supFloat8 one = supSplat8( 1.0f );
	for ( const supEdgeBlock* block = blocks; block < blocks + count; ++block )
	{
		Edge edge = MeasureEdge( block, job->x );
		supFloat8 inverse = supLoad8( block->inverseRest );
		supFloat8 k = supLoad8( block->weight ) * inverse * inverse;
		supFloat8 along = supSplat8( job->along ) * k;
		// C ∇²C = C ( I - n nᵀ ) / ( l l0 ), and C l0 / l = 1 - l0 / l
		supFloat8 across = supSplat8( job->across ) * k * supMax8( one - one / edge.stretch, supSplat8( 0.0f ) );
		if ( job->p == NULL )
		{
			supVec3x8 n = Square( edge.n );
			supVec3x8 d = { along * n.x + across * ( one - n.x ), along * n.y + across * ( one - n.y ),
							along * n.z + across * ( one - n.z ) };
			supScatterAdd8( job->y, block->points[0], d );
			supScatterAdd8( job->y, block->points[1], d );
			continue;
		}
		supVec3x8 p = supSub8( supGather8( job->p, block->points[1] ), supGather8( job->p, block->points[0] ) );
		supFloat8 pn = supDot8( edge.n, p );
		supVec3x8 y = supAdd8( supScale8( ( along - across ) * pn, edge.n ), supScale8( across, p ) );
		supScatterAdd8( job->y, block->points[0], Negate( y ) );
		supScatterAdd8( job->y, block->points[1], y );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Triangles: C = |N| / |N0| - 1, N = e1 x e2; ∇_1 |N| = e2 x n, ∇_2 |N| = n x e1

typedef struct Triangle
{
	supVec3x8 g1, g2;
	supFloat8 ratio; // |N| / |N0|
} Triangle;

SUP_WIDE Triangle MeasureTriangle( const supTriangleBlock* block, const float* x )
{
	supVec3x8 x0 = supGather8( x, block->points[0] );
	supVec3x8 e1 = supSub8( supGather8( x, block->points[1] ), x0 );
	supVec3x8 e2 = supSub8( supGather8( x, block->points[2] ), x0 );
	supVec3x8 normal = supCross8( e1, e2 );
	supFloat8 length = supSqrt8( supMax8( supDot8( normal, normal ), supSplat8( LEAST_SQUARE ) ) );
	supFloat8 inverse = supLoad8( block->inverseRest );
	supVec3x8 n = supScale8( inverse / length, normal );
	return ( Triangle ){ supCross8( e2, n ), supCross8( n, e1 ), length * inverse };
}

SUP_WIDE void ScatterTriangle( float* f, const supTriangleBlock* block, supVec3x8 f1, supVec3x8 f2 )
{
	supScatterAdd8( f, block->points[0], Negate( supAdd8( f1, f2 ) ) );
	supScatterAdd8( f, block->points[1], f1 );
	supScatterAdd8( f, block->points[2], f2 );
}

SUP_WIDE supFloat8 RateTriangle( const Triangle* triangle, const supTriangleBlock* block, const float* v )
{
	supVec3x8 v0 = supGather8( v, block->points[0] );
	supVec3x8 v1 = supSub8( supGather8( v, block->points[1] ), v0 );
	supVec3x8 v2 = supSub8( supGather8( v, block->points[2] ), v0 );
	return supDot8( triangle->g1, v1 ) + supDot8( triangle->g2, v2 );
}

void SUP_KERNEL( supAddTriangleForces )( const supTriangleBlock* blocks, int32_t count, const supElementForce* job )
{
	const supFloat8 stiffness = supSplat8( job->stiffness ), damping = supSplat8( job->damping );
	for ( const supTriangleBlock* block = blocks; block < blocks + count; ++block )
	{
		Triangle triangle = MeasureTriangle( block, job->x );
		supFloat8 c = triangle.ratio - supSplat8( 1.0f );
		supFloat8 rate = RateTriangle( &triangle, block, job->v );
		supFloat8 force = -( stiffness * supLoad8( block->weight ) ) * ( c + damping * rate );
		ScatterTriangle( job->f, block, supScale8( force, triangle.g1 ), supScale8( force, triangle.g2 ) );
	}
}

void SUP_KERNEL( supAddTriangleProducts )( const supTriangleBlock* blocks, int32_t count, const supElementProduct* job )
{
	for ( const supTriangleBlock* block = blocks; block < blocks + count; ++block )
	{
		Triangle triangle = MeasureTriangle( block, job->x );
		supFloat8 along = supSplat8( job->along ) * supLoad8( block->weight );
		if ( job->p == NULL )
		{
			supVec3x8 g0 = supAdd8( triangle.g1, triangle.g2 );
			supScatterAdd8( job->y, block->points[0], supScale8( along, Square( g0 ) ) );
			supScatterAdd8( job->y, block->points[1], supScale8( along, Square( triangle.g1 ) ) );
			supScatterAdd8( job->y, block->points[2], supScale8( along, Square( triangle.g2 ) ) );
			continue;
		}
		supFloat8 y = along * RateTriangle( &triangle, block, job->p );
		ScatterTriangle( job->y, block, supScale8( y, triangle.g1 ), supScale8( y, triangle.g2 ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Tets: C = det / det0 - 1, det = e1 . ( e2 x e3 ); ∇_1 det = e2 x e3, and round

typedef struct Tet
{
	supVec3x8 g1, g2, g3; // of det
	supFloat8 determinant;
} Tet;

SUP_WIDE Tet MeasureTet( const supTetBlock* block, const float* x )
{
	supVec3x8 x0 = supGather8( x, block->points[0] );
	supVec3x8 e1 = supSub8( supGather8( x, block->points[1] ), x0 );
	supVec3x8 e2 = supSub8( supGather8( x, block->points[2] ), x0 );
	supVec3x8 e3 = supSub8( supGather8( x, block->points[3] ), x0 );
	supVec3x8 g1 = supCross8( e2, e3 );
	return ( Tet ){ g1, supCross8( e3, e1 ), supCross8( e1, e2 ), supDot8( e1, g1 ) };
}

SUP_WIDE void ScatterTet( float* f, const supTetBlock* block, supVec3x8 f1, supVec3x8 f2, supVec3x8 f3 )
{
	supScatterAdd8( f, block->points[0], Negate( supAdd8( supAdd8( f1, f2 ), f3 ) ) );
	supScatterAdd8( f, block->points[1], f1 );
	supScatterAdd8( f, block->points[2], f2 );
	supScatterAdd8( f, block->points[3], f3 );
}

SUP_WIDE supFloat8 RateTet( const Tet* tet, const supTetBlock* block, const float* v )
{
	supVec3x8 v0 = supGather8( v, block->points[0] );
	supVec3x8 v1 = supSub8( supGather8( v, block->points[1] ), v0 );
	supVec3x8 v2 = supSub8( supGather8( v, block->points[2] ), v0 );
	supVec3x8 v3 = supSub8( supGather8( v, block->points[3] ), v0 );
	return supDot8( tet->g1, v1 ) + supDot8( tet->g2, v2 ) + supDot8( tet->g3, v3 );
}

void SUP_KERNEL( supAddTetForces )( const supTetBlock* blocks, int32_t count, const supElementForce* job )
{
	const supFloat8 stiffness = supSplat8( job->stiffness ), damping = supSplat8( job->damping );
	for ( const supTetBlock* block = blocks; block < blocks + count; ++block )
	{
		Tet tet = MeasureTet( block, job->x );
		supFloat8 inverse = supLoad8( block->inverseRest );
		supFloat8 c = tet.determinant * inverse - supSplat8( 1.0f );
		supFloat8 rate = RateTet( &tet, block, job->v ) * inverse;
		supFloat8 force = -( stiffness * supLoad8( block->weight ) ) * ( c + damping * rate ) * inverse;
		ScatterTet( job->f, block, supScale8( force, tet.g1 ), supScale8( force, tet.g2 ), supScale8( force, tet.g3 ) );
	}
}

void SUP_KERNEL( supAddTetProducts )( const supTetBlock* blocks, int32_t count, const supElementProduct* job )
{
	for ( const supTetBlock* block = blocks; block < blocks + count; ++block )
	{
		Tet tet = MeasureTet( block, job->x );
		supFloat8 inverse = supLoad8( block->inverseRest );
		supFloat8 along = supSplat8( job->along ) * supLoad8( block->weight ) * inverse * inverse;
		if ( job->p == NULL )
		{
			supVec3x8 g0 = supAdd8( supAdd8( tet.g1, tet.g2 ), tet.g3 );
			supScatterAdd8( job->y, block->points[0], supScale8( along, Square( g0 ) ) );
			supScatterAdd8( job->y, block->points[1], supScale8( along, Square( tet.g1 ) ) );
			supScatterAdd8( job->y, block->points[2], supScale8( along, Square( tet.g2 ) ) );
			supScatterAdd8( job->y, block->points[3], supScale8( along, Square( tet.g3 ) ) );
			continue;
		}
		supFloat8 y = along * RateTet( &tet, block, job->p );
		ScatterTet( job->y, block, supScale8( y, tet.g1 ), supScale8( y, tet.g2 ), supScale8( y, tet.g3 ) );
	}
}

SUP_WIDE supFloat8 Length8( supVec3x8 a )
{
	return supSqrt8( supDot8( a, a ) );
}

float SUP_KERNEL( supFindGrowth )( const supTetBlock* blocks, int32_t count, const float* x )
{
	const supFloat8 one = supSplat8( 1.0f );
	supFloat8 most = one;
	for ( const supTetBlock* block = blocks; block < blocks + count; ++block )
	{
		Tet tet = MeasureTet( block, x );
		supFloat8 ratio = tet.determinant * supLoad8( block->inverseRest ), c = ratio - one;
		supFloat8 size = Length8( tet.g1 ) + Length8( tet.g2 ) + Length8( tet.g3 ) +
						 Length8( supAdd8( supAdd8( tet.g1, tet.g2 ), tet.g3 ) );
		supFloat8 bent = supMax8( c, -c ) / supMax8( ratio, one );
		supFloat8 growth = size * size * supLoad8( block->inverseSize ) * ( one + supMin8( bent, one ) );
		// what is not a number has grown without end
		most = supMax8( most, (supFloat8)( ( (supInt8)growth & ( growth == growth ) ) |
										   ( (supInt8)supSplat8( INFINITY ) & ~( growth == growth ) ) ) );
	}
	float result = 1.0f;
	for ( int i = 0; i < 8; ++i )
	{
		result = most[i] > result ? most[i] : result;
	}
	return result;
}
