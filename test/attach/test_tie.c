// SPDX-License-Identifier: MIT
// Ties between mass points and between implicit bodies, through the three calls alone.
#include "support.h"

#include "attach/tie.h"

// ---------------------------------------------------------------------------------------------------------------------
// Two kinds of bodies: free mass points, and a small linear implicit body with a dense matrix

#define POINTS 6

typedef struct Body
{
	int32_t count;
	double x[3 * POINTS];
	double v[3 * POINTS];
	double masses[POINTS];
	// of M + h² K
	double inverse[3 * POINTS][3 * POINTS];
	double h;
} Body;

static supVec3 Predict( void* context, int32_t point )
{
	const Body* body = context;
	const double* x = body->x + 3 * point;
	return supMakeVec3( (float)x[0], (float)x[1], (float)x[2] );
}

static supMat3 Compliance( void* context, int32_t point )
{
	const Body* body = context;
	float m[3][3];
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			m[c][r] = (float)( body->h * body->h * body->inverse[3 * point + r][3 * point + c] );
		}
	}
	return ( supMat3 ){ { m[0][0], m[0][1], m[0][2] }, { m[1][0], m[1][1], m[1][2] }, { m[2][0], m[2][1], m[2][2] } };
}

static void Respond( void* context, int32_t point, supVec3 force )
{
	Body* body = context;
	const float f[3] = { force.x, force.y, force.z };
	for ( int32_t i = 0; i < 3 * body->count; ++i )
	{
		double move = 0.0;
		for ( int k = 0; k < 3; ++k )
		{
			move += body->h * body->h * body->inverse[i][3 * point + k] * (double)f[k];
		}
		body->x[i] += move;
		body->v[i] += move / body->h;
	}
}

static const supTieCalls s_calls = { Predict, Compliance, Respond, NULL };

static void Invert( int n, double a[3 * POINTS][3 * POINTS], double inverse[3 * POINTS][3 * POINTS] )
{
	for ( int i = 0; i < n; ++i )
	{
		for ( int j = 0; j < n; ++j )
		{
			inverse[i][j] = i == j;
		}
	}
	for ( int i = 0; i < n; ++i )
	{
		double pivot = a[i][i];
		for ( int j = 0; j < n; ++j )
		{
			a[i][j] /= pivot;
			inverse[i][j] /= pivot;
		}
		for ( int k = 0; k < n; ++k )
		{
			double factor = a[k][i];
			for ( int j = 0; j < n && k != i; ++j )
			{
				a[k][j] -= factor * a[i][j];
				inverse[k][j] -= factor * inverse[i][j];
			}
		}
	}
}

// Springs between all pairs; 0 makes free mass points.
static void MakeBody( Body* body, testRandom* random, int32_t count, double stiffness )
{
	static double a[3 * POINTS][3 * POINTS];
	memset( a, 0, sizeof( a ) );
	*body = ( Body ){ .count = count, .h = 0.01 };
	for ( int32_t i = 0; i < count; ++i )
	{
		body->masses[i] = (double)testRandomFloat( random, 0.1f, 2.0f );
		supVec3 x = testRandomVec3( random, 1.0f );
		memcpy( body->x + 3 * i, ( double[3] ){ (double)x.x, (double)x.y, (double)x.z }, 3 * sizeof( double ) );
		for ( int k = 0; k < 3; ++k )
		{
			a[3 * i + k][3 * i + k] += body->masses[i];
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		for ( int32_t j = 0; j < i; ++j )
		{
			double n[3], length = 0.0;
			for ( int k = 0; k < 3; ++k )
			{
				n[k] = body->x[3 * i + k] - body->x[3 * j + k];
				length += n[k] * n[k];
			}
			for ( int r = 0; r < 9; ++r )
			{
				double s = body->h * body->h * stiffness * n[r / 3] * n[r % 3] / length;
				a[3 * i + r / 3][3 * i + r % 3] += s;
				a[3 * j + r / 3][3 * j + r % 3] += s;
				a[3 * i + r / 3][3 * j + r % 3] -= s;
				a[3 * j + r / 3][3 * i + r % 3] -= s;
			}
		}
	}
	Invert( 3 * count, a, body->inverse );
}

static void AddMomentum( const Body* body, double sum[3], double* size )
{
	for ( int32_t i = 0; i < 3 * body->count; ++i )
	{
		sum[i % 3] += body->masses[i / 3] * body->v[i];
		*size += fabs( body->masses[i / 3] * body->v[i] );
	}
}

static supTiePoint At( Body* body, int32_t point )
{
	return ( supTiePoint ){ &s_calls, body, point };
}

// ---------------------------------------------------------------------------------------------------------------------

// Mass points and implicit bodies mixed: exact, and the momentum of all together is kept.
static void LinksAreExact( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 9 );
	for ( int run = 0; run < 20; ++run )
	{
		static Body bodies[3];
		MakeBody( bodies + 0, &random, 5, 0.0 );
		MakeBody( bodies + 1, &random, 6, 1e4 );
		MakeBody( bodies + 2, &random, 4, 1e6 );
		supTie ties[3] = {
			{ .kind = sup_tieJoint, .pointCount = 2, .points = { At( bodies, 0 ), At( bodies + 1, 1 ) } },
			{ .kind = sup_tieJoint,
			  .pointCount = 3,
			  .points = { At( bodies, 1 ), At( bodies + 1, 2 ), At( bodies + 2, 0 ) } },
			{ .kind = sup_tieCorners,
			  .pointCount = 4,
			  .points = { At( bodies + 2, 3 ), At( bodies, 2 ), At( bodies, 3 ), At( bodies, 4 ) },
			  .weights = { 0.2f, 0.3f, 0.5f } },
		};
		supTie* tie = ties + run % 3;
		assert_int_equal( supSolveTies( tie, 1, 1 ), 0 );
		assert_true( supTie_Gap( tie ) < 3e-6f );
		double momentum[3] = { 0 }, size = 0.0;
		for ( int b = 0; b < 3; ++b )
		{
			AddMomentum( bodies + b, momentum, &size );
		}
		assert_true( size > 1.0 );
		for ( int k = 0; k < 3; ++k )
		{
			assert_true( fabs( momentum[k] ) < 1e-6 * size );
		}
	}
}

// A mass point of c = h²/m: the nail's force is the paper's Eq. 14.
static void NailIsEquation14( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	static Body body;
	MakeBody( &body, &random, 2, 0.0 );
	supVec3 before = Predict( &body, 1 );
	supTie tie = { .kind = sup_tieNail, .pointCount = 1, .points = { At( &body, 1 ) }, .goal = { 0.3f, 0.2f, 0.1f } };
	assert_int_equal( supSolveTies( &tie, 1, 1 ), 0 );
	double c = body.h * body.h / body.masses[1];
	assert_true( fabs( (double)tie.force.x - ( (double)tie.goal.x - (double)before.x ) / c ) < 1e-5 / c );
	assert_true( supTie_Gap( &tie ) < 1e-6f );
}

// What is left of a gap while it is being closed.
static void GapsAreLeft( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	static Body a, b;
	MakeBody( &a, &random, 3, 1e3 );
	MakeBody( &b, &random, 3, 1e4 );
	supTie tie = {
		.kind = sup_tieJoint, .pointCount = 2, .points = { At( &a, 0 ), At( &b, 2 ) }, .gap = { 0.5f, 0, 0 }
	};
	supSolveTies( &tie, 1, 1 );
	supVec3 d = supSub( Predict( &b, 2 ), Predict( &a, 0 ) );
	assert_true( supDistance( d, tie.gap ) < 3e-6f );
}

// Several ties on one body: one sweep misses, more come nearer.
static void SweepsConverge( void** state )
{
	(void)state;
	float worst[2] = { 0 };
	for ( int run = 0; run < 2; ++run )
	{
		testRandom random = testMakeRandom( 8 );
		static Body a, b;
		MakeBody( &a, &random, 6, 2e3 );
		MakeBody( &b, &random, 6, 2e3 );
		supTie ties[3];
		for ( int i = 0; i < 3; ++i )
		{
			ties[i] = ( supTie ){ .kind = sup_tieJoint, .pointCount = 2, .points = { At( &a, i ), At( &b, i ) } };
		}
		supSolveTies( ties, 3, run == 0 ? 1 : 30 );
		for ( int i = 0; i < 3; ++i )
		{
			worst[run] = supMaxFloat( worst[run], supTie_Gap( ties + i ) );
		}
	}
	assert_true( worst[0] > 1e-3f && worst[1] < 1e-2f * worst[0] );
}

static supMat3 Rigid( void* body, int32_t point )
{
	(void)body;
	(void)point;
	return ( supMat3 ){ supVec3_zero, supVec3_zero, supVec3_zero };
}

static void Ignore( void* body, int32_t point, supVec3 force )
{
	(void)body;
	(void)point;
	(void)force;
}

// One side that does not give is met by the other; two that do not give are told.
static void WallsDoNotGive( void** state )
{
	(void)state;
	static const supTieCalls wall = { Predict, Rigid, Ignore, NULL };
	testRandom random = testMakeRandom( 6 );
	static Body a, b;
	MakeBody( &a, &random, 3, 1e3 );
	MakeBody( &b, &random, 3, 0.0 );
	supVec3 place = Predict( &b, 0 );
	supTie tie = { .kind = sup_tieJoint, .pointCount = 2, .points = { At( &a, 0 ), { &wall, &b, 0 } } };
	assert_int_equal( supSolveTies( &tie, 1, 1 ), 0 );
	assert_true( supDistance( Predict( &a, 0 ), place ) < 2e-6f );
	tie.points[0] = ( supTiePoint ){ &wall, &b, 1 };
	assert_int_equal( supSolveTies( &tie, 1, 1 ), 1 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( LinksAreExact ),  cmocka_unit_test( NailIsEquation14 ), cmocka_unit_test( GapsAreLeft ),
		cmocka_unit_test( SweepsConverge ), cmocka_unit_test( WallsDoNotGive ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
