// SPDX-License-Identifier: MIT
// labels: threads
// Attachments: exact after every step for every integrator and kind, momentum kept, conflicts told by name.
#include "momentum.h"
#include "support.h"

#include "attach/attach.h"
#include "method/points/props.h"
#include "method/points/solver.h"

#include <stdlib.h>

#define CUBE 0.1f

// Single cubes in a row, corner ( x, y, z ) of cube i is point 8 i + 4 x + 2 z + y.
typedef struct Sample
{
	supProp prop;
	supPointBody body;
	supPointSettings settings;
	void* block;
	supPointState state;
	supTrouble trouble;
	supPointStep step;
	supAttach* attach;
} Sample;

static void InitSample( Sample* s, int32_t columns, int32_t rows, supIntegrator integrator, int32_t sweeps )
{
	*s = ( Sample ){ .settings = supDefaultPointSettings() };
	assert_true( supProp_AddCubeWall( &s->prop, columns, rows, CUBE ) && supProp_Finish( &s->prop ) );
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = s->prop.points.count;
	def.points = s->prop.points.data;
	def.tetCount = s->prop.tets.count / 4;
	def.tets = s->prop.tets.data;
	supError error = { 0 };
	testRequire( supPointBody_Init( &s->body, &def, &error ), &error );
	s->settings.integrator = integrator;
	s->settings.edges.damping = s->settings.tets.damping = 5e-4f;
	s->block = supAlloc( supPointState_Size( &s->body, integrator ) );
	supPointState_Reset( &s->body, integrator, s->block );
	s->state = supPointState_View( &s->body, integrator, s->block );
	s->step = ( supPointStep ){ .dt = 2e-4f };
	s->attach = supCreateAttach( def.pointCount, sweeps, &error );
	testRequire( s->attach != NULL, &error );
}

static void FreeSample( Sample* s )
{
	supDestroyAttach( s->attach );
	supFree( s->block );
	supPointBody_Destroy( &s->body );
	supProp_Destroy( &s->prop );
}

static void Advance( Sample* s )
{
	s->step.trouble = &s->trouble;
	supAttachPoints points = { s->state.x, s->state.v, s->state.oldX, s->step.dt, s->step.tasks };
	assert_true( supPointSolver_Predict( &s->body, &s->settings, &s->state, &s->step ) );
	supAttach_Solve( s->attach, &points );
	supPointSolver_Finish( &s->body, &s->settings, &s->state, &s->step );
	if ( supPointSolver_NeedsVelocities( s->settings.integrator ) )
	{
		supAttach_SolveVelocities( s->attach, &points );
	}
}

static int32_t Add( Sample* s, supAttachDef def )
{
	supError error = { 0 };
	int32_t index = supAttach_Add( s->attach, &def, s->state.x, &error );
	testRequire( index >= 0, &error );
	testRequire( supAttach_Activate( s->attach, index, s->state.x, &error ), &error );
	return index;
}

#define POINTS( ... )                                                                                                  \
	.pointCount = (int32_t)( sizeof( ( const int32_t[] ){ __VA_ARGS__ } ) / sizeof( int32_t ) ),                       \
	.points = ( const int32_t[] )                                                                                      \
	{                                                                                                                  \
		__VA_ARGS__                                                                                                    \
	}

// Every kind once in a chain that hangs from one nail, and one cube that is led.
#define CHAIN 10

enum
{
	chain_nail,
	chain_pair,
	chain_three,
	chain_line,
	chain_triangle,
	chain_tet,
	chain_link,
	chain_surface,
	chain_velocity,
	chain_slidingLine,
	chain_count
};

static void AddSurfaceOfCube( Sample* s, int32_t cube )
{
	int32_t triangles[36], count = 0;
	for ( int32_t i = 0; i < s->prop.triangles.count; i += 3 )
	{
		if ( s->prop.triangles.data[i] / 8 == cube )
		{
			memcpy( triangles + 3 * count, s->prop.triangles.data + i, 3 * sizeof( int32_t ) );
			count += 1;
		}
	}
	assert_int_equal( count, 12 );
	supError error = { 0 };
	testRequire( supAttach_AddSurface( s->attach, "ring", triangles, count, s->state.x, &error ) >= 0, &error );
}

static void AddChain( Sample* s, int32_t steps, bool held )
{
	const supVec3* rest = s->body.rest;
	AddSurfaceOfCube( s, 8 );
	int32_t nail = Add( s, ( supAttachDef ){ .kind = sup_attachNail, POINTS( 1 ), .goal = rest[1] } );
	Add( s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 7, 11 ), .assemblySteps = steps } );
	Add( s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 13, 17, 25 ), .assemblySteps = steps } );
	Add( s, ( supAttachDef ){
				.kind = sup_attachLine, POINTS( 31, 35, 34 ), .weights = { 0.5f, 0.5f }, .assemblySteps = steps } );
	Add( s, ( supAttachDef ){ .kind = sup_attachTriangle,
							  POINTS( 37, 40, 41, 42 ),
							  .weights = { 0.3f, 0.3f, 0.4f },
							  .assemblySteps = steps } );
	Add( s, ( supAttachDef ){ .kind = sup_attachTet,
							  POINTS( 47, 48, 49, 50, 52 ),
							  .weights = { 0.25f, 0.25f, 0.25f, 0.25f },
							  .assemblySteps = steps } );
	Add( s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 55, 67 ), .assemblySteps = steps } );
	Add( s, ( supAttachDef ){ .kind = sup_attachSurface, POINTS( 57 ), .surface = 0, .assemblySteps = steps } );
	int32_t velocity =
		Add( s, ( supAttachDef ){ .kind = sup_attachVelocity, POINTS( 72 ), .goal = { 0.0f, 0.01f, 0.0f } } );
	Add( s, ( supAttachDef ){ .kind = sup_attachLine, POINTS( 56, 53, 54 ), .slides = true, .assemblySteps = steps } );
	if ( held == false )
	{
		supAttach_Deactivate( s->attach, nail );
		supAttach_Deactivate( s->attach, velocity );
	}
}

// Metres: a few roundings of coordinates of about a metre.
#define ROUNDING 5e-7f

static void CheckExact( const Sample* s, int32_t step )
{
	for ( int32_t i = 0; i < chain_count; ++i )
	{
		float gap = supAttach_Gap( s->attach, i, s->state.x );
		bool exact = i <= chain_three || i == chain_link;
		if ( ( gap <= ( exact ? 0.0f : ROUNDING ) ) == false )
		{
			fail_msg( "%s, step %d: %s is off by %g m", supIntegratorNames[s->settings.integrator], step,
					  supAttach_Name( s->attach, i ), (double)gap );
		}
	}
}

// The long run (SUPPLE_SOAK) has 100 000 steps.
static void ExactAfterEveryStep( void** state )
{
	(void)state;
	int32_t steps = getenv( "SUPPLE_SOAK" ) != NULL ? 100000 : 1500;
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		Sample s;
		InitSample( &s, CHAIN, 1, (supIntegrator)i, 1 );
		AddChain( &s, 200, true );
		for ( int32_t k = 1; k <= steps; ++k )
		{
			Advance( &s );
			if ( k >= 200 )
			{
				CheckExact( &s, k );
			}
		}
		// the led cube is where its velocity has brought it, and nothing has gone wrong on the way
		double led = (double)s.body.rest[72].y + 0.01 * (double)s.step.dt * steps;
		// half a unit in the last place of a coordinate below 1/2 is lost in each step
		assert_true( fabs( (double)s.state.x[4 * 72 + 1] - led ) < 1.5e-8 * steps );
		assert_int_equal( s.trouble.notFinite, 0 );
		for ( int32_t p = 0; p < s.body.pointCount; ++p )
		{
			const float* v = s.state.v + 4 * p;
			assert_true( supLength( supMakeVec3( v[0], v[1], v[2] ) ) < 20.0f );
		}
		FreeSample( &s );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Against the paper's equations, in double precision

// Eq. 21 and 22, literally: F_i = -b_i + e_i / u Σ b_j.
static void JointIsEquation22( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int32_t n = 2; n <= 6; ++n )
	{
		float x[4 * 6], v[4 * 6] = { 0 }, before[4 * 6];
		const int32_t points[6] = { 0, 1, 2, 3, 4, 5 };
		for ( int32_t i = 0; i < 4 * 6; ++i )
		{
			x[i] = i % 4 == 3 ? testRandomFloat( &random, 0.5f, 20.0f ) : testRandomFloat( &random, -1.0f, 1.0f );
		}
		memcpy( before, x, sizeof( x ) );
		supError error = { 0 };
		supAttach* attach = supCreateAttach( 6, 1, &error );
		supAttachDef def = { .kind = sup_attachJoint, .pointCount = n, .points = points };
		assert_int_equal( supAttach_Add( attach, &def, x, &error ), 0 );
		testRequire( supAttach_Activate( attach, 0, x, &error ), &error );
		const double h = 0.01;
		supAttach_Solve( attach, &( supAttachPoints ){ x, v, before, (float)h, NULL } );
		double c[6], u = 0.0;
		for ( int32_t i = 0; i < n; ++i )
		{
			c[i] = h * h * (double)before[4 * i + 3];
			u += c[0] / c[i];
		}
		for ( int k = 0; k < 3; ++k )
		{
			double sum = 0.0, momentum = 0.0;
			for ( int32_t i = 0; i < n; ++i )
			{
				sum += ( (double)before[4 * i + k] - (double)before[k] ) / c[i];
			}
			for ( int32_t i = 0; i < n; ++i )
			{
				double b = ( (double)before[4 * i + k] - (double)before[k] ) / c[i];
				double force = -b + c[0] / c[i] / u * sum;
				assert_true( fabs( (double)x[4 * i + k] - ( (double)before[4 * i + k] + c[i] * force ) ) < 5e-7 );
				assert_true( fabs( (double)v[4 * i + k] - c[i] * force / h ) < 1e-4 );
				momentum += (double)v[4 * i + k] / (double)before[4 * i + 3];
			}
			assert_true( fabs( momentum ) < 1e-4 );
		}
		supDestroyAttach( attach );
	}
}

// Eq. 28, for lines, triangles and tets.
static void CornersAreEquation28( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	for ( int32_t n = 2; n <= 4; ++n )
	{
		float x[4 * 5], v[4 * 5] = { 0 }, before[4 * 5], weights[4] = { 0.2f, 0.5f, 0.2f, 0.1f };
		const int32_t points[5] = { 3, 1, 4, 0, 2 };
		weights[n - 1] += 1.0f - ( n == 2 ? 0.7f : ( n == 3 ? 0.9f : 1.0f ) );
		for ( int32_t i = 0; i < 4 * 5; ++i )
		{
			x[i] = i % 4 == 3 ? testRandomFloat( &random, 0.5f, 20.0f ) : testRandomFloat( &random, -1.0f, 1.0f );
		}
		memcpy( before, x, sizeof( x ) );
		supError error = { 0 };
		supAttach* attach = supCreateAttach( 5, 1, &error );
		supAttachDef def = { .kind = (supAttachKind)( sup_attachLine + n - 2 ), .pointCount = n + 1, .points = points };
		memcpy( def.weights, weights, (size_t)n * sizeof( float ) );
		testRequire( supAttach_Add( attach, &def, x, &error ) == 0, &error );
		testRequire( supAttach_Activate( attach, 0, x, &error ), &error );
		supAttach_Solve( attach, &( supAttachPoints ){ x, v, before, 0.01f, NULL } );
		double sum = (double)before[4 * 3 + 3];
		for ( int32_t i = 0; i < n; ++i )
		{
			sum += (double)before[4 * points[i + 1] + 3] * (double)weights[i] * (double)weights[i];
		}
		for ( int k = 0; k < 3; ++k )
		{
			double gap = -(double)before[4 * 3 + k];
			for ( int32_t i = 0; i < n; ++i )
			{
				gap += (double)weights[i] * (double)before[4 * points[i + 1] + k];
			}
			for ( int32_t i = 0; i <= n; ++i )
			{
				double w = (double)before[4 * points[i] + 3];
				double move = ( i == 0 ? w : -w * (double)weights[i - 1] ) * gap / sum;
				int32_t at = 4 * points[i] + k;
				assert_true( fabs( (double)x[at] - (double)before[at] - move ) < 5e-7 );
				assert_true( fabs( (double)v[at] - move / 0.01 ) < 1e-4 );
			}
		}
		supDestroyAttach( attach );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Momentum

static void MomentumIsKept( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		Sample s;
		InitSample( &s, CHAIN, 1, (supIntegrator)i, 1 );
		s.settings.gravity = supVec3_zero;
		s.settings.cgTolerance = 1e-6f;
		AddChain( &s, 200, false );
		testRandom random = testMakeRandom( 4 );
		for ( int32_t p = 0; p < s.body.pointCount; ++p )
		{
			supVec3 v = testRandomVec3( &random, 0.3f );
			memcpy( s.state.v + 4 * p, ( float[3] ){ v.x + 0.5f, v.y + 2.0f * s.state.x[4 * p], v.z }, 12 );
		}
		testMomentum start = testMeasureMomentum( &s.body, &s.state );
		for ( int32_t k = 0; k < 200; ++k )
		{
			Advance( &s );
		}
		// angular momentum counts from when the gaps are closed: a force across a gap has a moment
		testMomentum closed = testMeasureMomentum( &s.body, &s.state );
		for ( int32_t k = 0; k < 500; ++k )
		{
			Advance( &s );
		}
		testMomentum after = testMeasureMomentum( &s.body, &s.state );
		double linear = testMomentumChange( start.linear, after.linear );
		double angular = testMomentumChange( closed.angular, after.angular );
		if ( linear > 1e-5 || angular > 0.01 )
		{
			fail_msg( "%s: linear %g, angular %g", supIntegratorNames[i], linear, angular );
		}
		FreeSample( &s );
	}
}

// Joints and corners alone, with a scheme that keeps angular momentum: they keep it too.
static void AngularMomentumIsKept( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 4, 1, sup_integratorCromer, 1 );
	s.settings.gravity = supVec3_zero;
	Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 7, 11 ) } );
	Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 5, 9 ) } );
	Add( &s, ( supAttachDef ){ .kind = sup_attachLine, POINTS( 13, 17, 16 ) } );
	Add( &s, ( supAttachDef ){ .kind = sup_attachTriangle, POINTS( 23, 27, 26, 24 ) } );
	for ( int32_t p = 0; p < s.body.pointCount; ++p )
	{
		memcpy( s.state.v + 4 * p, ( float[3] ){ 0.3f, 3.0f * s.state.x[4 * p], -s.state.x[4 * p + 1] }, 12 );
	}
	testMomentum before = testMeasureMomentum( &s.body, &s.state );
	for ( int32_t k = 0; k < 3000; ++k )
	{
		Advance( &s );
	}
	testMomentum after = testMeasureMomentum( &s.body, &s.state );
	assert_true( testMomentumChange( before.linear, after.linear ) < 1e-5 );
	assert_true( testMomentumChange( before.angular, after.angular ) < 2e-5 );
	FreeSample( &s );
}

// ---------------------------------------------------------------------------------------------------------------------
// Sets that change

// Four cubes around a corner, moving apart: three joints hold all of them.
static void OverlappingJointsMerge( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 2, 2, sup_integratorVerlet, 1 );
	for ( int32_t p = 0; p < s.body.pointCount; ++p )
	{
		s.state.v[4 * p] = p / 8 % 2 == 0 ? -0.5f : 0.5f;
		s.state.v[4 * p + 1] = p / 16 == 0 ? -0.5f : 0.5f;
	}
	int32_t a = Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 5, 9 ) } );
	Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 20, 24 ) } );
	int32_t bridge = Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 9, 20 ) } );
	for ( int32_t k = 0; k < 50; ++k )
	{
		Advance( &s );
		assert_memory_equal( s.state.x + 4 * 5, s.state.x + 4 * 9, 12 );
		assert_memory_equal( s.state.x + 4 * 5, s.state.x + 4 * 20, 12 );
		assert_memory_equal( s.state.x + 4 * 5, s.state.x + 4 * 24, 12 );
	}
	// without the bridge there are two groups again
	supAttach_Deactivate( s.attach, bridge );
	assert_false( supAttach_IsActive( s.attach, bridge ) );
	for ( int32_t k = 0; k < 50; ++k )
	{
		Advance( &s );
	}
	assert_memory_equal( s.state.x + 4 * 5, s.state.x + 4 * 9, 12 );
	assert_memory_equal( s.state.x + 4 * 20, s.state.x + 4 * 24, 12 );
	assert_true( supAttach_Gap( s.attach, bridge, s.state.x ) > 1e-4f );
	supAttach_Deactivate( s.attach, a );
	for ( int32_t k = 0; k < 50; ++k )
	{
		Advance( &s );
	}
	assert_true( supAttach_Gap( s.attach, a, s.state.x ) > 1e-4f );
	assert_int_equal( s.trouble.notFinite, 0 );
	FreeSample( &s );
}

static void ConflictsAreNamed( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 4, 1, sup_integratorVerlet, 1 );
	supError error = { 0 };
	int32_t hook = Add( &s, ( supAttachDef ){ .name = "hook", .kind = sup_attachNail, POINTS( 7 ) } );
	supAttachDef def = { .name = "strap", .kind = sup_attachJoint, POINTS( 7, 11 ) };
	int32_t strap = supAttach_Add( s.attach, &def, s.state.x, &error );
	assert_true( strap >= 0 );
	assert_false( supAttach_Activate( s.attach, strap, s.state.x, &error ) );
	assert_non_null( strstr( error.message, "strap and hook both hold point 7" ) );
	assert_false( supAttach_IsActive( s.attach, strap ) );
	// joints that assemble are not merged
	supAttachDef slow = { .name = "slow", .kind = sup_attachJoint, POINTS( 17, 25 ), .assemblySteps = 10 };
	Add( &s, slow );
	supAttachDef other = { .name = "other", .kind = sup_attachJoint, POINTS( 17, 13 ) };
	int32_t index = supAttach_Add( s.attach, &other, s.state.x, &error );
	assert_false( supAttach_Activate( s.attach, index, s.state.x, &error ) );
	assert_non_null( strstr( error.message, "other and slow" ) );
	// the way is free once the first is off
	supAttach_Deactivate( s.attach, hook );
	testRequire( supAttach_Activate( s.attach, strap, s.state.x, &error ), &error );
	Advance( &s );
	assert_true( supAttach_Gap( s.attach, strap, s.state.x ) == 0.0f );
	FreeSample( &s );
}

// With sweeps the conflict is met in the limit.
static void SweepsMeetConflicts( void** state )
{
	(void)state;
	float gaps[2];
	for ( int run = 0; run < 2; ++run )
	{
		Sample s;
		InitSample( &s, 3, 1, sup_integratorVerlet, run == 0 ? 2 : 12 );
		Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 7, 11, 9 ) } );
		Add( &s, ( supAttachDef ){ .kind = sup_attachNail, POINTS( 7 ), .goal = s.body.rest[7] } );
		Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 13, 17 ) } );
		for ( int32_t k = 0; k < 300; ++k )
		{
			Advance( &s );
		}
		gaps[run] = supAttach_Gap( s.attach, 0, s.state.x );
		assert_true( supAttach_Gap( s.attach, 1, s.state.x ) < 1e-3f );
		assert_true( supAttach_Gap( s.attach, 2, s.state.x ) == 0.0f );
		FreeSample( &s );
	}
	assert_true( gaps[1] < 1e-4f && gaps[1] < 0.3f * gaps[0] );
}

// The gap closes evenly, never overshoots, and the constraint is plain afterwards.
static void AssemblyClosesTheGap( void** state )
{
	(void)state;
	for ( int kind = 0; kind < 3; ++kind )
	{
		Sample s;
		InitSample( &s, 12, 1, sup_integratorVerlet, 1 );
		s.settings.gravity = supVec3_zero;
		supAttachDef defs[3] = {
			{ .kind = sup_attachNail, POINTS( 1 ), .goal = { -1.0f, CUBE, 0.0f } },
			{ .kind = sup_attachJoint, POINTS( 1, 89 ) },
			{ .kind = sup_attachTriangle, POINTS( 1, 92, 93, 94 ), .weights = { 0.2f, 0.3f, 0.5f } },
		};
		defs[kind].assemblySteps = 1000;
		int32_t index = Add( &s, defs[kind] );
		float start = supAttach_Gap( s.attach, index, s.state.x );
		assert_true( start > 0.9f );
		for ( int32_t k = 1; k <= 1200; ++k )
		{
			Advance( &s );
			float expected = k < 1000 ? start * ( 1.0f - (float)k / 1000.0f ) : 0.0f;
			assert_true( fabsf( supAttach_Gap( s.attach, index, s.state.x ) - expected ) < 1e-5f );
		}
		assert_int_equal( s.trouble.notFinite, 0 );
		FreeSample( &s );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Sliding

// A cube hangs by one corner on the upper face of a held, tilted cube: it slides down, always on the surface.
static void PointSlides( void** state )
{
	(void)state;
	for ( int kind = 0; kind < 2; ++kind )
	{
		Sample s;
		InitSample( &s, 2, 1, sup_integratorCromer, 1 );
		s.settings.edges.stiffness = s.settings.tets.stiffness = 3e5f;
		// all corners of cube 1 are nailed, tilted: 40 degrees about z
		supQuat tilt = supMakeQuatAxisAngle( supMakeVec3( 0, 0, 1 ), -0.7f );
		for ( int32_t p = 8; p < 16; ++p )
		{
			supVec3 x = supRotate( tilt, s.body.rest[p] );
			memcpy( s.state.x + 4 * p, &x, sizeof( x ) );
			Add( &s, ( supAttachDef ){ .kind = sup_attachNail, .pointCount = 1, .points = &p, .goal = x } );
		}
		// corner 1 of cube 0 to the middle of the upper face
		supVec3 place = supScale( 0.5f, supAdd( *(supVec3*)( s.state.x + 4 * 9 ), *(supVec3*)( s.state.x + 4 * 11 ) ) );
		place = supMulAdd( place, 0.1f, supSub( *(supVec3*)( s.state.x + 4 * 13 ), *(supVec3*)( s.state.x + 4 * 9 ) ) );
		supVec3 move = supSub( place, s.body.rest[1] );
		for ( int32_t p = 0; p < 8; ++p )
		{
			supVec3 x = supAdd( s.body.rest[p], move );
			memcpy( s.state.x + 4 * p, &x, sizeof( x ) );
		}
		AddSurfaceOfCube( &s, 1 );
		int32_t index = -1;
		supError error = { 0 };
		if ( kind == 0 )
		{
			index = Add( &s, ( supAttachDef ){ .kind = sup_attachSurface, POINTS( 1 ) } );
		}
		else
		{
			// on the line along the slope, in the middle: its corners are nailed too, so that it has to sweep
			supAttachDef def = { .kind = sup_attachLine, POINTS( 1, 9, 13 ), .slides = true };
			index = supAttach_Add( s.attach, &def, s.state.x, &error );
			assert_true( index >= 0 );
			assert_false( supAttach_Activate( s.attach, index, s.state.x, &error ) );
			FreeSample( &s );
			continue;
		}
		float first = s.state.x[4 * 1 + 1];
		for ( int32_t k = 0; k < 400; ++k )
		{
			Advance( &s );
			assert_true( supAttach_Gap( s.attach, index, s.state.x ) < ROUNDING );
		}
		// free fall over this time is 0.031 m; down a slope of 40 degrees sin² of it, less what it swings
		float down = first - s.state.x[4 * 1 + 1];
		assert_true( down > 0.004f && down < 0.031f );
		FreeSample( &s );
	}
}

// Two points on one triangle: both exact, and it is counted.
static void TwoOnOneTriangle( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 3, 1, sup_integratorCromer, 1 );
	s.settings.gravity = supVec3_zero;
	AddSurfaceOfCube( &s, 1 );
	int32_t a = Add( &s, ( supAttachDef ){ .kind = sup_attachSurface, POINTS( 5 ) } );
	int32_t b = Add( &s, ( supAttachDef ){ .kind = sup_attachSurface, POINTS( 7 ) } );
	for ( int32_t k = 0; k < 100; ++k )
	{
		Advance( &s );
		assert_true( supAttach_Gap( s.attach, b, s.state.x ) < ROUNDING );
		assert_true( supAttach_Gap( s.attach, a, s.state.x ) < ROUNDING );
	}
	assert_true( supAttach_SharedCount( s.attach ) > 0 );
	FreeSample( &s );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bad input

static void ExpectRefused( Sample* s, supAttachDef def, const char* part )
{
	supError error = { 0 };
	def.name = "strap";
	int32_t count = supAttach_Count( s->attach );
	assert_int_equal( supAttach_Add( s->attach, &def, s->state.x, &error ), -1 );
	assert_int_equal( error.code, sup_errorArgument );
	if ( strstr( error.message, part ) == NULL || strstr( error.message, "strap" ) == NULL )
	{
		fail_msg( "'%s' does not say '%s'", error.message, part );
	}
	assert_int_equal( supAttach_Count( s->attach ), count );
}

static void RefusesBadInput( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 2, 1, sup_integratorVerlet, 1 );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachNail, POINTS( 16 ) },
				   "has point 16, but there are 16 points" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachNail, POINTS( -1 ) }, "has point -1" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 3, 4, 3 ) }, "attaches point 3 to itself" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 3 ) }, "at least 2 points" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachLine, POINTS( 3, 4 ) }, "takes 3 points, not 2" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachTet, POINTS( 3, 3, 4, 5, 6 ) }, "to itself" );
	// points 5 and 9 are in the same place, as are 4 and 8
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachLine, POINTS( 3, 5, 9 ) }, "no length" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachTriangle, POINTS( 3, 5, 9, 4 ) }, "no area" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachTet, POINTS( 3, 5, 9, 4, 0 ) }, "no volume" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachLine, POINTS( 3, 4, 5 ), .weights = { 0.5f, 0.7f } },
				   "add up to 1.2" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachNail, POINTS( 3 ), .goal = { NAN, 0, 0 } }, "not finite" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachSurface, POINTS( 3 ), .surface = 0 },
				   "there are 0 surfaces" );
	FreeSample( &s );
}

static void RefusesBadSurfaces( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 9, 1, sup_integratorVerlet, 1 );
	AddSurfaceOfCube( &s, 8 );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachSurface, POINTS( 66 ) }, "corner of ring" );
	supError error = { 0 };
	const int32_t beyond[3] = { 0, 1, 99 };
	assert_int_equal( supAttach_AddSurface( s.attach, "net", beyond, 1, s.state.x, &error ), -1 );
	assert_non_null( strstr( error.message, "triangle 0 of net has point 99" ) );
	assert_int_equal( supAttach_AddSurface( s.attach, "net", beyond, 0, s.state.x, &error ), -1 );
	// nothing that could be moved
	s.state.x[4 * 3 + 3] = s.state.x[4 * 4 + 3] = 0.0f;
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachNail, POINTS( 3 ) }, "cannot be met" );
	ExpectRefused( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 3, 4, 5 ) }, "cannot be met" );
	// one that cannot be moved is where the others go
	int32_t index = Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, POINTS( 7, 3 ) } );
	supVec3 place = *(supVec3*)( s.state.x + 4 * 3 );
	Advance( &s );
	assert_true( supAttach_Gap( s.attach, index, s.state.x ) == 0.0f );
	assert_memory_equal( &place, s.state.x + 4 * 3, sizeof( place ) );
	FreeSample( &s );
}

// ---------------------------------------------------------------------------------------------------------------------

static void SameBitsAndNoAllocation( void** state )
{
	(void)state;
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	supInstructionSet set = supGetInstructionSet();
	float* expected = NULL;
	for ( int run = 0; run < 6; ++run )
	{
		if ( supSetInstructionSet( run < 3 ? sup_instructionsBaseline : set ) == false )
		{
			continue;
		}
		Sample s;
		InitSample( &s, 80, 10, sup_integratorVelocityVerlet, 1 );
		for ( int32_t i = 0; i < s.prop.nails.count; ++i )
		{
			int32_t p = s.prop.nails.data[i];
			Add( &s, ( supAttachDef ){ .kind = sup_attachNail, POINTS( p ), .goal = s.body.rest[p] } );
		}
		for ( int32_t i = 0; i < s.prop.joints.count; i += 2 )
		{
			Add( &s, ( supAttachDef ){ .kind = sup_attachJoint, .pointCount = 2, .points = s.prop.joints.data + i } );
		}
		supThreadPool* pool = supCreateThreadPool( 1 + run % 3 );
		s.step.tasks = supThreadPool_Tasks( pool );
		int64_t allocations = heap.allocations;
		for ( int32_t k = 0; k < 15; ++k )
		{
			// switching costs no memory either
			supAttach_Deactivate( s.attach, 200 );
			Advance( &s );
			assert_true( supAttach_Activate( s.attach, 200, s.state.x, NULL ) );
		}
		assert_int_equal( heap.allocations, allocations );
		size_t size = 4 * sizeof( float ) * (size_t)s.body.pointCount;
		if ( expected == NULL )
		{
			expected = supAlloc( size );
			memcpy( expected, s.state.x, size );
		}
		assert_memory_equal( expected, s.state.x, size );
		supDestroyThreadPool( pool );
		FreeSample( &s );
	}
	supSetInstructionSet( set );
	supFree( expected );
	testUninstallHeap( &heap );
}

static bool BuildOnce( void* context )
{
	float* x = context;
	supError error = { 0 };
	supAttach* attach = supCreateAttach( 8, 1, &error );
	const int32_t triangles[6] = { 0, 1, 2, 0, 2, 3 };
	const int32_t points[2] = { 5, 6 };
	bool ok = attach != NULL && supAttach_AddSurface( attach, NULL, triangles, 2, x, &error ) >= 0;
	for ( int32_t i = 0; ok && i < 20; ++i )
	{
		supAttachDef def = { .kind = i % 2 == 0 ? sup_attachJoint : sup_attachSurface,
							 .pointCount = 2 - i % 2,
							 .points = points };
		ok = supAttach_Add( attach, &def, x, &error ) >= 0;
	}
	assert_true( ok || error.code == sup_errorMemory );
	supDestroyAttach( attach );
	return ok;
}

static void OutOfMemory( void** state )
{
	(void)state;
	float x[4 * 8];
	testRandom random = testMakeRandom( 1 );
	for ( int32_t i = 0; i < 4 * 8; ++i )
	{
		x[i] = testRandomFloat( &random, 0.1f, 1.0f );
	}
	testEachAllocationFailure( BuildOnce, x, 200 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( ExactAfterEveryStep ),   cmocka_unit_test( JointIsEquation22 ),
		cmocka_unit_test( CornersAreEquation28 ),  cmocka_unit_test( MomentumIsKept ),
		cmocka_unit_test( AngularMomentumIsKept ), cmocka_unit_test( OverlappingJointsMerge ),
		cmocka_unit_test( ConflictsAreNamed ),     cmocka_unit_test( SweepsMeetConflicts ),
		cmocka_unit_test( AssemblyClosesTheGap ),  cmocka_unit_test( PointSlides ),
		cmocka_unit_test( TwoOnOneTriangle ),      cmocka_unit_test( RefusesBadInput ),
		cmocka_unit_test( RefusesBadSurfaces ),    cmocka_unit_test( SameBitsAndNoAllocation ),
		cmocka_unit_test( OutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
