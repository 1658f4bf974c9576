// SPDX-License-Identifier: MIT
// The slowest swing of a body: the lowest λ of K x = λ M x, by going down the Rayleigh quotient along conjugate
// directions with the diagonal as preconditioner. A product with K costs about as much as an evaluation of the forces.
#include "method/points/solver_internal.h"

#define MAX_ITERATIONS 200

// Change of λ, relative, at which it is known well enough.
#define SETTLED 1e-5

enum
{
	vectorX,
	vectorKx,
	vectorP,
	vectorKp,
	vectorDiagonal,
	vectorPlace,
	vectorCount
};

typedef struct Search
{
	const supPointBody* body;
	supPointSettings settings;
	const supTasks* tasks;
	float* vectors[vectorCount];
} Search;

static float InverseMass( const Search* s, int64_t i )
{
	return s->body->inverseMasses[i / 4];
}

// a . b, or with masses a . M b
static double Dot( const Search* s, const float* a, const float* b, bool withMasses )
{
	double sum = 0.0;
	for ( int64_t i = 0; i < 4 * (int64_t)s->body->pointCount; ++i )
	{
		float w = InverseMass( s, i );
		if ( w > 0.0f && i % 4 != 3 )
		{
			sum += (double)a[i] * (double)b[i] / ( withMasses ? (double)w : 1.0 );
		}
	}
	return sum;
}

static void MultiplyStiffness( Search* s, float* p, float* y )
{
	supMultiplyStiffness( s->body, &s->settings, s->vectors[vectorPlace], p, y, 1.0f, s->tasks );
}

static bool Start( Search* s )
{
	const supPointBody* body = s->body;
	s->settings.edges.damping = s->settings.triangles.damping = s->settings.tets.damping = 0.0f;
	for ( int32_t i = 0; i < vectorCount; ++i )
	{
		s->vectors[i] = supAllocZeroed( 4 * sizeof( float ) * (size_t)body->slotCount );
		if ( s->vectors[i] == NULL )
		{
			return false;
		}
	}
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		bool isFree = body->inverseMasses[i] > 0.0f;
		const float place[4] = { body->rest[i].x, body->rest[i].y, body->rest[i].z, body->inverseMasses[i] };
		// all along no axis of symmetry
		const float x[4] = { isFree ? 1.0f : 0.0f, isFree ? 0.8f : 0.0f, isFree ? 0.6f : 0.0f, 0.0f };
		memcpy( s->vectors[vectorPlace] + 4 * (int64_t)i, place, sizeof( place ) );
		memcpy( s->vectors[vectorX] + 4 * (int64_t)i, x, sizeof( x ) );
	}
	supRefreshCopies( body, s->vectors[vectorPlace] );
	supMultiplyStiffness( body, &s->settings, s->vectors[vectorPlace], NULL, s->vectors[vectorDiagonal], 1.0f,
						  s->tasks );
	MultiplyStiffness( s, s->vectors[vectorX], s->vectors[vectorKx] );
	return true;
}

// direction = -D⁻¹ ( K x - λ M x ) + turn direction. Returns ( K x - λ M x ) . D⁻¹ ( K x - λ M x ); with `turns` NULL
// only that.
static double Descend( Search* s, double lambda, const double* turn )
{
	double sum = 0.0;
	for ( int64_t i = 0; i < 4 * (int64_t)s->body->pointCount; ++i )
	{
		float w = InverseMass( s, i ), diagonal = s->vectors[vectorDiagonal][i];
		if ( w > 0.0f && i % 4 != 3 && diagonal > 0.0f )
		{
			double gradient = (double)s->vectors[vectorKx][i] - lambda * (double)s->vectors[vectorX][i] / (double)w;
			double z = gradient / (double)diagonal;
			sum += gradient * z;
			if ( turn != NULL )
			{
				s->vectors[vectorP][i] = (float)( *turn * (double)s->vectors[vectorP][i] - z );
			}
		}
	}
	return sum;
}

// The lowest Rayleigh quotient of x + t p: a quadratic equation in t. Moves there.
static void MoveAlong( Search* s )
{
	float *x = s->vectors[vectorX], *kx = s->vectors[vectorKx], *p = s->vectors[vectorP], *kp = s->vectors[vectorKp];
	double xx = Dot( s, x, x, true ), xp = Dot( s, x, p, true ), pp = Dot( s, p, p, true );
	double kxx = Dot( s, x, kx, false ), kxp = Dot( s, p, kx, false ), kpp = Dot( s, p, kp, false );
	double a = kpp * xp - kxp * pp, b = kpp * xx - kxx * pp, c = kxp * xx - kxx * xp;
	double root = b * b - 4.0 * a * c;
	double t = root >= 0.0 && b + sqrt( root ) > 0.0 ? -2.0 * c / ( b + sqrt( root ) ) : 0.0;
	for ( int64_t i = 0; i < 4 * (int64_t)s->body->pointCount; ++i )
	{
		x[i] = (float)( (double)x[i] + t * (double)p[i] );
		kx[i] = (float)( (double)kx[i] + t * (double)kp[i] );
	}
}

static double Quotient( const Search* s )
{
	double mass = Dot( s, s->vectors[vectorX], s->vectors[vectorX], true );
	return mass > 0.0 ? Dot( s, s->vectors[vectorX], s->vectors[vectorKx], false ) / mass : 0.0;
}

static void Run( Search* s )
{
	double lambda = Quotient( s ), before = 0.0;
	for ( int32_t i = 0; i < MAX_ITERATIONS && lambda > 0.0; ++i )
	{
		double now = Descend( s, lambda, NULL );
		double turn = before > 0.0 ? now / before : 0.0;
		before = now;
		Descend( s, lambda, &turn );
		MultiplyStiffness( s, s->vectors[vectorP], s->vectors[vectorKp] );
		MoveAlong( s );
		double next = Quotient( s );
		bool isSettled = lambda - next < SETTLED * lambda && i > 10;
		lambda = next;
		if ( isSettled )
		{
			break;
		}
	}
}

static void Share( Search* s, float shares[3] )
{
	supMaterialLaw* laws[3] = { &s->settings.edges, &s->settings.triangles, &s->settings.tets };
	for ( int32_t k = 0; k < 3; ++k )
	{
		for ( int32_t l = 0; l < 3; ++l )
		{
			laws[l]->stiffness = l == k ? 1.0f : 0.0f;
		}
		MultiplyStiffness( s, s->vectors[vectorX], s->vectors[vectorKx] );
		shares[k] = (float)Quotient( s );
	}
}

bool supPointSolver_FindSlowest( const supPointBody* body, const supPointSettings* settings, const supTasks* tasks,
								 float shares[3] )
{
	Search search = { .body = body, .settings = *settings, .tasks = tasks };
	memset( shares, 0, 3 * sizeof( float ) );
	bool ok = Start( &search );
	if ( ok && body->fixedCount > 0 && body->fixedCount < body->pointCount )
	{
		Run( &search );
		Share( &search, shares );
	}
	for ( int32_t i = 0; i < vectorCount; ++i )
	{
		supFree( search.vectors[i] );
	}
	return ok;
}
