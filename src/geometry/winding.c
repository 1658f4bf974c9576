// SPDX-License-Identifier: MIT
// Moments and the exact sum; the hierarchical evaluation is in winding_kernel.c.
#include "geometry/winding.h"

#include "core/tasks.h"
#include "geometry/winding_moments.h"
#include "math/trigonometry.h"

#define FOUR_PI 12.566370614359172954

// Points that a worker takes at once; nodes: the first ones have many triangles each.
#define POINT_GRAIN 32
#define NODE_GRAIN 1

// ---------------------------------------------------------------------------------------------------------------------
// One triangle

typedef struct Vec3d
{
	double x, y, z;
} Vec3d;

static inline Vec3d Sub( supVec3 a, Vec3d b )
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

void supHalfSolidAngle( const supTriangle* triangle, supVec3 p, double* x, double* y )
{
	Vec3d origin = { p.x, p.y, p.z };
	Vec3d a = Sub( triangle->a, origin );
	Vec3d b = Sub( triangle->b, origin );
	Vec3d c = Sub( triangle->c, origin );
	double la = sqrt( Dot( a, a ) );
	double lb = sqrt( Dot( b, b ) );
	double lc = sqrt( Dot( c, c ) );
	double product = la * lb * lc;
	// at a corner there is no angle
	double inverse = product > 0.0 ? 1.0 / product : 0.0;
	*y = Dot( a, Cross( b, c ) ) * inverse;
	*x = 1.0 + ( Dot( a, b ) * lc + Dot( b, c ) * la + Dot( c, a ) * lb ) * inverse;
}

double supAngleSum_Angle( const supAngleSum* sum )
{
	return supAtan2Double( sum->y, sum->x ) + 0.5 * FOUR_PI * sum->turns;
}

// ---------------------------------------------------------------------------------------------------------------------
// Moments

typedef struct Moments
{
	double area;
	double radius;
	Vec3d center;
	double n[3];
	double m[3][3];
	// symmetric in the first two
	double t[3][3][3];
} Moments;

// Area times unit normal.
static Vec3d AreaVector( const supTriangle* t )
{
	Vec3d a = { t->a.x, t->a.y, t->a.z };
	Vec3d twice = Cross( Sub( t->b, a ), Sub( t->c, a ) );
	return ( Vec3d ){ 0.5 * twice.x, 0.5 * twice.y, 0.5 * twice.z };
}

// Area and its centre, rounded to floats since that is what the evaluation works with.
static void FindCenter( const supTree* tree, int32_t first, int32_t count, Moments* moments )
{
	Vec3d sum = { 0.0, 0.0, 0.0 };
	for ( int32_t i = first; i < first + count; ++i )
	{
		if ( supTree_IsUsable( tree, i ) )
		{
			supTriangle t = supTree_Triangle( tree, i );
			Vec3d vector = AreaVector( &t );
			double area = sqrt( Dot( vector, vector ) );
			moments->area += area;
			sum.x += area / 3.0 * ( (double)t.a.x + t.b.x + t.c.x );
			sum.y += area / 3.0 * ( (double)t.a.y + t.b.y + t.c.y );
			sum.z += area / 3.0 * ( (double)t.a.z + t.b.z + t.c.z );
		}
	}
	if ( moments->area > 0.0 )
	{
		moments->center = ( Vec3d ){ (float)( sum.x / moments->area ), (float)( sum.y / moments->area ),
									 (float)( sum.z / moments->area ) };
	}
}

// Integrals over one triangle: d is d at the centroid, d d is (v v summed over the corners + s s) / 12 with s their
// sum.
static void AddTriangle( const supTriangle* triangle, Moments* moments )
{
	Vec3d a = Sub( triangle->a, moments->center );
	Vec3d b = Sub( triangle->b, moments->center );
	Vec3d c = Sub( triangle->c, moments->center );
	Vec3d vector = AreaVector( triangle );
	const double corners[3][3] = { { a.x, a.y, a.z }, { b.x, b.y, b.z }, { c.x, c.y, c.z } };
	const double n[3] = { vector.x, vector.y, vector.z };
	double s[3];
	for ( int i = 0; i < 3; ++i )
	{
		s[i] = corners[0][i] + corners[1][i] + corners[2][i];
		double squared = Dot( ( Vec3d ){ corners[i][0], corners[i][1], corners[i][2] },
							  ( Vec3d ){ corners[i][0], corners[i][1], corners[i][2] } );
		moments->radius = moments->radius > squared ? moments->radius : squared;
	}
	for ( int i = 0; i < 3; ++i )
	{
		moments->n[i] += n[i];
		for ( int j = 0; j < 3; ++j )
		{
			double square = corners[0][i] * corners[0][j] + corners[1][i] * corners[1][j] +
							corners[2][i] * corners[2][j] + s[i] * s[j];
			moments->m[i][j] += s[i] / 3.0 * n[j];
			for ( int k = 0; k < 3; ++k )
			{
				moments->t[i][j][k] += square / 24.0 * n[k];
			}
		}
	}
}

static Moments SumMoments( const supTree* tree, int32_t first, int32_t count )
{
	Moments moments = { 0 };
	FindCenter( tree, first, count, &moments );
	for ( int32_t i = first; i < first + count; ++i )
	{
		if ( supTree_IsUsable( tree, i ) )
		{
			supTriangle triangle = supTree_Triangle( tree, i );
			AddTriangle( &triangle, &moments );
		}
	}
	moments.radius = sqrt( moments.radius );
	return moments;
}

// The part of M that counts: symmetric, trace zero.
static void StoreSecond( supWindingNode* node, int32_t child, const Moments* moments, double scale )
{
	static const int pairs[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
	double third = ( moments->m[0][0] + moments->m[1][1] + moments->m[2][2] ) / 3.0;
	for ( int i = 0; i < 6; ++i )
	{
		int a = pairs[i][0], b = pairs[i][1];
		double value = a == b ? moments->m[a][a] - third : moments->m[a][b] + moments->m[b][a];
		node->second[i][child] = (float)( scale * value );
	}
}

// The same of T: S = T made symmetric, less (1/5) (delta_ij V_k + delta_ik V_j + delta_jk V_i) with V_k = S_iik.
static void StoreThird( supWindingNode* node, int32_t child, const Moments* moments, double scale )
{
	static const int triples[10][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 2, 2, 2 }, { 0, 0, 1 }, { 0, 0, 2 },
										{ 0, 1, 1 }, { 1, 1, 2 }, { 0, 2, 2 }, { 1, 2, 2 }, { 0, 1, 2 } };
	static const double times[10] = { 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 6.0 };
	double s[3][3][3];
	for ( int i = 0; i < 3; ++i )
	{
		for ( int j = 0; j < 3; ++j )
		{
			for ( int k = 0; k < 3; ++k )
			{
				s[i][j][k] = ( moments->t[i][j][k] + moments->t[j][k][i] + moments->t[k][i][j] ) / 3.0;
			}
		}
	}
	double v[3];
	for ( int k = 0; k < 3; ++k )
	{
		v[k] = s[0][0][k] + s[1][1][k] + s[2][2][k];
	}
	for ( int n = 0; n < 10; ++n )
	{
		int i = triples[n][0], j = triples[n][1], k = triples[n][2];
		double trace = ( i == j ? v[k] : 0.0 ) + ( i == k ? v[j] : 0.0 ) + ( j == k ? v[i] : 0.0 );
		node->third[n][child] = (float)( scale * times[n] * ( s[i][j][k] - trace / 5.0 ) );
	}
}

static void StoreMoments( supWindingNode* node, int32_t child, const Moments* moments, float beta )
{
	double radius = moments->radius * 1.000001;
	double inverse = 1.0 / radius;
	node->center[0][child] = (float)moments->center.x;
	node->center[1][child] = (float)moments->center.y;
	node->center[2][child] = (float)moments->center.z;
	node->radius[child] = (float)radius;
	node->near[child] = beta * (float)( radius * 1.000001 );
	double scale = inverse * inverse / FOUR_PI;
	node->area[child] = (float)( scale * moments->area );
	for ( int i = 0; i < 3; ++i )
	{
		node->first[i][child] = (float)( scale * moments->n[i] );
	}
	StoreSecond( node, child, moments, -3.0 * scale * inverse );
	StoreThird( node, child, moments, 15.0 * scale * inverse * inverse );
}

static void ComputeNodes( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supWinding* winding = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supTreeNode* treeNode = winding->tree->nodes + i;
		supWindingNode* node = winding->nodes + i;
		memset( node, 0, sizeof( *node ) );
		for ( int32_t k = 0; k < SUP_TREE_WIDTH; ++k )
		{
			Moments moments = SumMoments( winding->tree, treeNode->firsts[k], treeNode->counts[k] );
			if ( moments.area > 0.0 )
			{
				StoreMoments( node, k, &moments, winding->beta );
			}
			else
			{
				node->near[k] = -1.0f;
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

supWinding* supCreateWinding( const supTree* tree, float beta, const supTasks* tasks, supError* error )
{
	if ( !( beta > 1.0f && beta <= 1.0e6f ) )
	{
		supSetError( error, sup_errorArgument, "", "beta is %g; it must be above 1, usually %g", (double)beta,
					 (double)SUP_WINDING_BETA );
		return NULL;
	}
	supWinding* winding = supAllocZeroed( sizeof( supWinding ) );
	supWindingNode* nodes = supAllocArray( (size_t)tree->nodeCount, sizeof( supWindingNode ) );
	if ( winding == NULL || nodes == NULL )
	{
		supFree( winding );
		supFree( nodes );
		supSetMemoryError( error );
		return NULL;
	}
	*winding = ( supWinding ){ tree, beta, nodes };
	supWinding_Refit( winding, tasks );
	return winding;
}

void supDestroyWinding( supWinding* winding )
{
	if ( winding != NULL )
	{
		supFree( winding->nodes );
		supFree( winding );
	}
}

void supWinding_Refit( supWinding* winding, const supTasks* tasks )
{
	supParallelFor( tasks, winding->tree->nodeCount, NODE_GRAIN, ComputeNodes, winding );
}

float supWinding_EvaluateBounded( const supWinding* winding, supVec3 point, float* bound )
{
	*bound = 0.0f;
	if ( supIsFiniteVec3( point ) == false )
	{
		return NAN;
	}
	return winding->tree->nodeCount > 0 ? SUP_CALL_KERNEL( supEvaluateWinding )( winding, point, bound ) : 0.0f;
}

float supWinding_Evaluate( const supWinding* winding, supVec3 point )
{
	float bound;
	return supWinding_EvaluateBounded( winding, point, &bound );
}

double supWinding_EvaluateExact( const supWinding* winding, supVec3 point )
{
	if ( supIsFiniteVec3( point ) == false )
	{
		return NAN;
	}
	const supTree* tree = winding->tree;
	double sum = 0.0;
	for ( int32_t i = 0; i < tree->triangleCount; ++i )
	{
		double x, y;
		supTriangle triangle = supTree_Triangle( tree, i );
		supHalfSolidAngle( &triangle, point, &x, &y );
		// in the triangle's plane: between both sides
		sum += supTree_IsUsable( tree, i ) && y != 0.0 ? supAtan2Double( y, x ) : 0.0;
	}
	return 2.0 * sum / FOUR_PI;
}

typedef struct Batch
{
	const supWinding* winding;
	const supVec3* points;
	float* values;
} Batch;

static void EvaluateRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Batch* batch = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		batch->values[i] = supWinding_Evaluate( batch->winding, batch->points[i] );
	}
}

void supWinding_EvaluateMany( const supWinding* winding, const supVec3* points, int32_t count, float* values,
							  const supTasks* tasks )
{
	Batch batch = { winding, points, values };
	supParallelFor( tasks, count, POINT_GRAIN, EvaluateRange, &batch );
}
