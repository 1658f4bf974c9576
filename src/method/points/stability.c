// SPDX-License-Identifier: MIT
// How long a step may be, and energies.
//
// A mode of frequency ω, damped by k_d = k T, is x'' = -ω² x - T ω² x'. Its frequency is bounded by row sums of the
// matrix of second derivatives (Gershgorin): ω² <= max_i Σ k |∇_i C| Σ_j |∇_j C| / m_i.
#include "method/points/solver.h"

#include <math.h>

// What tets may have grown by within the bound at rest, which is about twice the true ω².
#define REST_GROWTH_RATIO 1.5

typedef struct Mode
{
	double a; // ω²
	double b; // T ω²
} Mode;

// Leapfrog schemes: h² ω² + 2 h T ω² < 4. Damping shortens the step.
static double LimitLeapfrog( Mode mode )
{
	return mode.a > 0.0 ? ( sqrt( mode.b * mode.b + 4.0 * mode.a ) - mode.b ) / mode.a : INFINITY;
}

// |1 + z| <= 1 for both roots s of s² + b s + a, z = h s: underdamped h <= T, overdamped h |s| <= 2.
static double LimitEuler( Mode mode )
{
	double square = 0.25 * mode.b * mode.b - mode.a;
	return square < 0.0 ? mode.b / mode.a : 2.0 / ( 0.5 * mode.b + sqrt( square ) );
}

// |1 + z + z²/2|² for the root that grows most.
static double GrowthOfRk2( Mode mode, double h )
{
	double square = 0.25 * mode.b * mode.b - mode.a;
	double re = -0.5 * mode.b * h, im = 0.0;
	if ( square >= 0.0 )
	{
		re -= h * sqrt( square );
	}
	else
	{
		im = h * sqrt( -square );
	}
	double pre = 1.0 + re + 0.5 * ( re * re - im * im ), pim = im + re * im;
	return pre * pre + pim * pim;
}

static double LimitRk2( Mode mode )
{
	double low = 0.0, high = 4.0 / sqrt( mode.a );
	for ( int i = 0; i < 60 && mode.b > 0.0; ++i )
	{
		double middle = 0.5 * ( low + high );
		*( GrowthOfRk2( mode, middle ) <= 1.0 ? &low : &high ) = middle;
	}
	return low;
}

static double Limit( supIntegrator integrator, Mode mode )
{
	switch ( integrator )
	{
		case sup_integratorEuler:
			return LimitEuler( mode );
		case sup_integratorMidpoint:
		case sup_integratorRk2:
			return LimitRk2( mode );
		default:
			return LimitLeapfrog( mode );
	}
}

float supPointSolver_StableStep( const supPointBody* body, const supPointSettings* settings, float growth )
{
	if ( settings->integrator == sup_integratorImplicit )
	{
		return INFINITY;
	}
	const supMaterialLaw *e = &settings->edges, *s = &settings->triangles, *t = &settings->tets;
	double tets = fmax( (double)growth / REST_GROWTH_RATIO, 1.0 );
	Mode worst = { 0.0, 0.0 };
	double shortest = INFINITY;
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		const supPointRow* row = body->rows + i;
		double w = (double)body->inverseMasses[i];
		double ke = w * (double)e->stiffness * (double)row->edges;
		double ks = w * (double)s->stiffness * (double)row->triangles;
		double kt = tets * w * (double)t->stiffness * (double)row->tets;
		Mode mode = { ke + ks + kt, ke * (double)e->damping + ks * (double)s->damping + kt * (double)t->damping };
		double limit = LimitLeapfrog( mode );
		if ( limit < shortest )
		{
			shortest = limit;
			worst = mode;
		}
	}
	return worst.a > 0.0 ? (float)Limit( settings->integrator, worst ) : INFINITY;
}

// ---------------------------------------------------------------------------------------------------------------------
// Energies, from the blocks: lanes of padding have weight 0

static void Read( const float* x, int32_t slot, double p[3] )
{
	for ( int k = 0; k < 3; ++k )
	{
		p[k] = (double)x[4 * (int64_t)slot + k];
	}
}

static void Edge( const float* x, int32_t from, int32_t to, double d[3] )
{
	double a[3], b[3];
	Read( x, from, a );
	Read( x, to, b );
	for ( int k = 0; k < 3; ++k )
	{
		d[k] = b[k] - a[k];
	}
}

static void Cross( const double a[3], const double b[3], double c[3] )
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

static double Dot( const double a[3], const double b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double Energy( double measure, float inverseRest, float weight )
{
	double c = measure * (double)inverseRest - 1.0;
	return 0.5 * (double)weight * c * c;
}

double supPointSolver_ElasticEnergy( const supPointBody* body, const supPointSettings* settings,
									 const supPointState* state )
{
	const float* x = state->x;
	double edges = 0.0, triangles = 0.0, tets = 0.0;
	for ( int64_t i = 0; i < (int64_t)SUP_POINT_LANES * body->edgeBlockCount; ++i )
	{
		const supEdgeBlock* block = body->edgeBlocks + i / SUP_POINT_LANES;
		int64_t lane = i % SUP_POINT_LANES;
		double d[3];
		Edge( x, supPointBody_Original( body, block->points[0][lane] ),
			  supPointBody_Original( body, block->points[1][lane] ), d );
		edges += Energy( sqrt( Dot( d, d ) ), block->inverseRest[lane], block->weight[lane] );
	}
	for ( int64_t i = 0; i < (int64_t)SUP_POINT_LANES * body->triangleBlockCount; ++i )
	{
		const supTriangleBlock* block = body->triangleBlocks + i / SUP_POINT_LANES;
		int64_t lane = i % SUP_POINT_LANES;
		int32_t p0 = supPointBody_Original( body, block->points[0][lane] );
		double e1[3], e2[3], n[3];
		Edge( x, p0, supPointBody_Original( body, block->points[1][lane] ), e1 );
		Edge( x, p0, supPointBody_Original( body, block->points[2][lane] ), e2 );
		Cross( e1, e2, n );
		triangles += Energy( sqrt( Dot( n, n ) ), block->inverseRest[lane], block->weight[lane] );
	}
	for ( int64_t i = 0; i < (int64_t)SUP_POINT_LANES * body->tetBlockCount; ++i )
	{
		const supTetBlock* block = body->tetBlocks + i / SUP_POINT_LANES;
		int64_t lane = i % SUP_POINT_LANES;
		int32_t p0 = supPointBody_Original( body, block->points[0][lane] );
		double e1[3], e2[3], e3[3], n[3];
		Edge( x, p0, supPointBody_Original( body, block->points[1][lane] ), e1 );
		Edge( x, p0, supPointBody_Original( body, block->points[2][lane] ), e2 );
		Edge( x, p0, supPointBody_Original( body, block->points[3][lane] ), e3 );
		Cross( e2, e3, n );
		tets += Energy( Dot( e1, n ), block->inverseRest[lane], block->weight[lane] );
	}
	return (double)settings->edges.stiffness * edges + (double)settings->triangles.stiffness * triangles +
		   (double)settings->tets.stiffness * tets;
}

double supPointSolver_KineticEnergy( const supPointBody* body, const supPointState* state )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		double v[3];
		Read( state->v, i, v );
		sum += body->inverseMasses[i] > 0.0f ? 0.5 * Dot( v, v ) / (double)body->inverseMasses[i] : 0.0;
	}
	return sum;
}
