// SPDX-License-Identifier: MIT
// labels: threads
// Integrators: order, conservation, stability, and what a step promises.
#include "momentum.h"
#include "support.h"

#include "method/points/props.h"
#include "method/points/solver.h"

typedef struct Sample
{
	supPointBody body;
	supPointSettings settings;
	void* block;
	supPointState state;
	supTrouble trouble;
	supPointStep step;
} Sample;

static void StartSample( Sample* s, supIntegrator integrator, float dt )
{
	s->settings = supDefaultPointSettings();
	s->settings.integrator = integrator;
	s->block = supAlloc( supPointState_Size( &s->body, integrator ) );
	supPointState_Reset( &s->body, integrator, s->block );
	s->state = supPointState_View( &s->body, integrator, s->block );
	s->step = ( supPointStep ){ .dt = dt };
}

static void FreeSample( Sample* s )
{
	supFree( s->block );
	supPointBody_Destroy( &s->body );
}

static bool Advance( Sample* s )
{
	s->step.trouble = &s->trouble;
	if ( supPointSolver_Predict( &s->body, &s->settings, &s->state, &s->step ) == false )
	{
		return false;
	}
	supPointSolver_Finish( &s->body, &s->settings, &s->state, &s->step );
	return true;
}

static void InitRope( Sample* s, int32_t segments, const uint8_t* fixed )
{
	supProp prop = { 0 };
	assert_true( supProp_AddRope( &prop, supVec3_zero, supMakeVec3( 0.1f * (float)segments, 0, 0 ), 0.1f, segments ) );
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = prop.points.count;
	def.points = prop.points.data;
	def.tetCount = prop.tets.count / 4;
	def.tets = prop.tets.data;
	def.fixed = fixed;
	supError error = { 0 };
	testRequire( supPointBody_Init( &s->body, &def, &error ), &error );
	supProp_Destroy( &prop );
}

// ---------------------------------------------------------------------------------------------------------------------
// Order: two points on a spring, which is linear along its line

#define PERIODS 0.65
#define AMPLITUDE 0.25f

// The error of length and speed after some time, against the solution of the damped oscillator.
static double OscillatorError( supIntegrator integrator, int32_t steps, float damping )
{
	const supVec3 points[2] = { { -0.5f, 0, 0 }, { 0.5f, 0, 0 } };
	const int32_t edge[2] = { 0, 1 };
	const float masses[2] = { 1.0f, 1.0f };
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = 2;
	def.points = points;
	def.masses = masses;
	def.edgeCount = 1;
	def.edges = edge;
	def.section = 1.0f;
	Sample s = { 0 };
	supError error = { 0 };
	testRequire( supPointBody_Init( &s.body, &def, &error ), &error );
	// l'' = -2 k ( l - 1 ) - 2 k T l'
	const double k = 50.0, omega2 = 2.0 * k, T = (double)damping;
	const double half = 0.5 * omega2 * T, omega = sqrt( omega2 - half * half );
	const double end = PERIODS * 2.0 * 3.14159265358979 / omega;
	StartSample( &s, integrator, (float)( end / steps ) );
	s.settings.edges = ( supMaterialLaw ){ (float)k, damping };
	s.settings.gravity = supVec3_zero;
	s.settings.allowUnstable = true;
	s.settings.newtonIterations = 2;
	s.settings.cgTolerance = 1e-7f;
	s.state.x[0] -= 0.5f * AMPLITUDE;
	s.state.x[4] += 0.5f * AMPLITUDE;
	for ( int32_t i = 0; i < steps; ++i )
	{
		assert_true( Advance( &s ) );
	}
	double t = (double)s.step.dt * steps;
	double exact = (double)AMPLITUDE * exp( -half * t ) * ( cos( omega * t ) + half / omega * sin( omega * t ) );
	double speed = -(double)AMPLITUDE * exp( -half * t ) * ( omega + half * half / omega ) * sin( omega * t );
	double lengthError = (double)s.state.x[4] - (double)s.state.x[0] - 1.0 - exact;
	double speedError = ( (double)s.state.v[4] - (double)s.state.v[0] - speed ) / omega;
	FreeSample( &s );
	return sqrt( lengthError * lengthError + speedError * speedError );
}

static void OrderIsAsInTheory( void** state )
{
	(void)state;
	static const double orders[sup_integratorCount] = { 1, 1, 2, 2, 2, 2, 2, 1 };
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		for ( int damped = 0; damped < 2; ++damped )
		{
			float damping = damped ? 0.02f : 0.0f;
			double coarse = OscillatorError( (supIntegrator)i, 60, damping );
			double fine = OscillatorError( (supIntegrator)i, 120, damping );
			double order = log2( coarse / fine );
			if ( fabs( order - orders[i] ) > 0.25 )
			{
				fail_msg( "%s, damping %g: order %g (errors %g and %g)", supIntegratorNames[i], (double)damping, order,
						  coarse, fine );
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Conservation

// A free rope that spins and wobbles for a tenth of a second. Returns the drift of angular momentum, relative.
static double Spin( supIntegrator integrator, float dt )
{
	Sample s = { 0 };
	InitRope( &s, 6, NULL );
	StartSample( &s, integrator, dt );
	s.settings.gravity = supVec3_zero;
	s.settings.allowUnstable = true;
	s.settings.cgTolerance = 1e-6f;
	testRandom random = testMakeRandom( 11 );
	for ( int32_t i = 0; i < s.body.pointCount; ++i )
	{
		supVec3 wobble = testRandomVec3( &random, 0.2f );
		float* v = s.state.v + 4 * i;
		v[0] = 0.5f + wobble.x;
		v[1] = 4.0f * s.state.x[4 * i] + wobble.y;
		v[2] = wobble.z;
	}
	testMomentum before = testMeasureMomentum( &s.body, &s.state );
	for ( int32_t i = 0; i < (int32_t)( 0.1f / dt + 0.5f ); ++i )
	{
		assert_true( Advance( &s ) );
	}
	testMomentum after = testMeasureMomentum( &s.body, &s.state );
	testLess( testMomentumChange( before.linear, after.linear ), 2e-6 );
	assert_int_equal( s.trouble.notFinite, 0 );
	FreeSample( &s );
	return testMomentumChange( before.angular, after.angular );
}

static void MomentumIsKept( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		double drift = Spin( (supIntegrator)i, 2e-4f );
		// x⁺ = x + h v⁺ and forces at x keep it exactly; the rest to their order
		bool exact = i == sup_integratorCromer || i == sup_integratorVelocityVerlet;
		if ( exact && drift > 1e-5 )
		{
			fail_msg( "%s loses %g of its angular momentum", supIntegratorNames[i], drift );
		}
		double fine = Spin( (supIntegrator)i, 1e-4f );
		if ( drift > 0.02 || ( drift > 1e-4 && fine > 0.7 * drift ) )
		{
			fail_msg( "%s: angular momentum drifts by %g, with half the step %g", supIntegratorNames[i], drift, fine );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Stability

static double TotalEnergy( const Sample* s )
{
	return supPointSolver_ElasticEnergy( &s->body, &s->settings, &s->state ) +
		   supPointSolver_KineticEnergy( &s->body, &s->state );
}

static void Pluck( Sample* s, float size )
{
	testRandom random = testMakeRandom( 5 );
	for ( int32_t i = 0; i < s->body.pointCount; ++i )
	{
		supVec3 d = testRandomVec3( &random, size );
		memcpy( s->state.x + 4 * i,
				( float[3] ){ s->state.x[4 * i] + d.x, s->state.x[4 * i + 1] + d.y, s->state.x[4 * i + 2] + d.z },
				3 * sizeof( float ) );
	}
}

// Just below the bound nothing grows; three times above it everything does. So the bound is safe and of use.
static void StableStepIsRight( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_integratorCount - 1; ++i )
	{
		Sample s = { 0 };
		InitRope( &s, 5, NULL );
		StartSample( &s, (supIntegrator)i, 1.0f );
		s.settings.gravity = supVec3_zero;
		s.settings.edges.damping = s.settings.tets.damping = 2e-4f;
		float stable = supPointSolver_StableStep( &s.body, &s.settings, 1.0f );
		testGreater( stable, 0.0f );
		testLess( stable, 0.1f );
		Pluck( &s, 1e-4f );
		double before = TotalEnergy( &s );
		s.step.dt = 0.99f * stable;
		for ( int32_t k = 0; k < 2000; ++k )
		{
			assert_true( Advance( &s ) );
		}
		if ( TotalEnergy( &s ) > 1.5 * before )
		{
			fail_msg( "%s: energy %g to %g at %g s", supIntegratorNames[i], before, TotalEnergy( &s ), (double)stable );
		}
		s.settings.allowUnstable = true;
		s.step.dt = 3.0f * stable;
		Pluck( &s, 1e-4f );
		for ( int32_t k = 0; k < 2000; ++k )
		{
			assert_true( Advance( &s ) );
		}
		if ( TotalEnergy( &s ) < 10.0 * before && s.trouble.notFinite == 0 )
		{
			fail_msg( "%s: still stable at three times %g s", supIntegratorNames[i], (double)stable );
		}
		FreeSample( &s );
	}
}

static void UnstableStepIsRefused( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_integratorCount - 1; ++i )
	{
		Sample s = { 0 };
		InitRope( &s, 5, NULL );
		StartSample( &s, (supIntegrator)i, 1e-6f );
		assert_true( Advance( &s ) );
		float stable = supPointSolver_StableStep( &s.body, &s.settings, 1.0f );
		size_t size = supPointState_Size( &s.body, s.settings.integrator );
		void* before = supAlloc( size );
		memcpy( before, s.block, size );
		s.step.dt = 1.01f * stable;
		assert_false( Advance( &s ) );
		assert_memory_equal( before, s.block, size );
		assert_int_equal( s.trouble.unstable, 1 );
		// a softer material bears it, and so does the scheme after the change
		s.settings.edges.stiffness *= 0.5f;
		s.settings.tets.stiffness *= 0.5f;
		s.step.dt = 0.99f * stable;
		assert_true( Advance( &s ) );
		supFree( before );
		FreeSample( &s );
	}
	// without damping explicit Euler has no stable step at all
	Sample s = { 0 };
	InitRope( &s, 2, NULL );
	StartSample( &s, sup_integratorEuler, 1e-6f );
	s.settings.edges.damping = s.settings.tets.damping = 0.0f;
	assert_true( supPointSolver_StableStep( &s.body, &s.settings, 1.0f ) == 0.0f );
	assert_false( Advance( &s ) );
	FreeSample( &s );
}

// A stiff rope with steps of a film: the energy only falls.
static void ImplicitTakesLongSteps( void** state )
{
	(void)state;
	Sample s = { 0 };
	InitRope( &s, 10, NULL );
	StartSample( &s, sup_integratorImplicit, 1.0f / 30.0f );
	s.settings.gravity = supVec3_zero;
	s.settings.edges.stiffness = s.settings.tets.stiffness = 1e7f;
	assert_true( isinf( supPointSolver_StableStep( &s.body, &s.settings, 1.0f ) ) );
	Pluck( &s, 0.01f );
	double before = TotalEnergy( &s );
	for ( int32_t i = 0; i < 60; ++i )
	{
		assert_true( Advance( &s ) );
	}
	testLess( TotalEnergy( &s ), 1e-3 * before );
	assert_int_equal( s.trouble.notConverged, 0 );
	FreeSample( &s );
}

// ---------------------------------------------------------------------------------------------------------------------
// What a step promises

static void FixedPointsFollow( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		uint8_t fixed[44] = { 1, 1, 1, 1 };
		Sample s = { 0 };
		InitRope( &s, 10, fixed );
		assert_int_equal( s.body.fixedCount, 4 );
		StartSample( &s, (supIntegrator)i, 2e-4f );
		s.settings.edges.damping = s.settings.tets.damping = 5e-4f;
		for ( int32_t k = 0; k < 300; ++k )
		{
			supVec3 targets[4];
			for ( int32_t p = 0; p < 4; ++p )
			{
				targets[p] = supAdd( s.body.rest[p], supMakeVec3( 0.0f, 1e-4f * (float)k, 2e-4f * (float)k ) );
			}
			s.step.targets = targets;
			assert_true( Advance( &s ) );
			assert_memory_equal( s.state.x, &targets[0], sizeof( supVec3 ) );
			assert_memory_equal( s.state.x + 12, &targets[3], sizeof( supVec3 ) );
		}
		// the rest comes along, and hangs
		float* end = s.state.x + 4 * 40;
		testGreater( end[2], -0.05f );
		testLess( end[1], 0.05f );
		assert_int_equal( s.trouble.notFinite, 0 );
		FreeSample( &s );
	}
}

// A push of 1 N on a body of 5 kg (0.05 m^3 x 100) for a while: its middle moves as one point would.
static void PushesMoveTheMiddle( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		Sample s = { 0 };
		InitRope( &s, 5, NULL );
		StartSample( &s, (supIntegrator)i, 1e-4f );
		s.settings.gravity = supMakeVec3( 0.0f, -1.0f, 0.0f );
		supPush push = { 7, { 0.0f, 0.0f, 3.0f } };
		s.step.pushes = &push;
		s.step.pushCount = 1;
		for ( int32_t k = 0; k < 1000; ++k )
		{
			assert_true( Advance( &s ) );
		}
		double mass = 0.0;
		for ( int32_t k = 0; k < s.body.pointCount; ++k )
		{
			mass += 1.0 / (double)s.body.inverseMasses[k];
		}
		testMomentum m = testMeasureMomentum( &s.body, &s.state );
		// Verlet's velocity is extrapolated: half a step of a sudden push is missing
		testLess( fabs( m.linear[2] - 0.3 ), 2e-3 );
		testLess( fabs( m.linear[1] + 0.1 * mass ), 2e-3 * mass );
		FreeSample( &s );
	}
}

// Explicit air of 2 per second: speed falls to exp( -2 t ).
static void AirSlows( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		Sample s = { 0 };
		InitRope( &s, 2, NULL );
		StartSample( &s, (supIntegrator)i, 2e-4f );
		s.settings.gravity = supVec3_zero;
		s.settings.drag = 2.0f;
		s.settings.wind = supMakeVec3( 0.0f, 0.0f, 1.0f );
		for ( int32_t k = 0; k < 1000; ++k )
		{
			assert_true( Advance( &s ) );
		}
		testLess( fabs( (double)s.state.v[2] - ( 1.0 - exp( -0.4 ) ) ), 1e-3 );
		FreeSample( &s );
	}
}

static void RepairsWhatIsNotANumber( void** state )
{
	(void)state;
	Sample s = { 0 };
	InitRope( &s, 3, NULL );
	StartSample( &s, sup_integratorVerlet, 1e-4f );
	assert_true( Advance( &s ) );
	s.state.v[4 * 3 + 1] = NAN;
	s.state.history[4 * 3 + 1] = NAN;
	assert_true( Advance( &s ) );
	testGreater( s.trouble.notFinite, 0 );
	int64_t count = s.trouble.notFinite;
	for ( int32_t i = 0; i < 100; ++i )
	{
		assert_true( Advance( &s ) );
	}
	assert_int_equal( s.trouble.notFinite, count );
	FreeSample( &s );
}

static void SameBitsAndNoAllocation( void** state )
{
	(void)state;
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	for ( int i = 0; i < sup_integratorCount; ++i )
	{
		uint8_t* expected = NULL;
		for ( int threads = 1; threads <= 3; ++threads )
		{
			Sample s = { 0 };
			InitRope( &s, 300, NULL );
			testGreater( s.body.chunkCount, 3 );
			StartSample( &s, (supIntegrator)i, 2e-4f );
			s.settings.edges.damping = s.settings.tets.damping = 5e-4f;
			Pluck( &s, 0.005f );
			supThreadPool* pool = supCreateThreadPool( threads );
			s.step.tasks = supThreadPool_Tasks( pool );
			assert_true( Advance( &s ) );
			int64_t allocations = heap.allocations;
			for ( int32_t k = 0; k < 10; ++k )
			{
				assert_true( Advance( &s ) );
			}
			assert_int_equal( heap.allocations, allocations );
			size_t size = supPointState_Size( &s.body, s.settings.integrator );
			if ( expected == NULL )
			{
				expected = supAlloc( size );
				memcpy( expected, s.block, size );
			}
			assert_memory_equal( expected, s.block, size );
			supDestroyThreadPool( pool );
			FreeSample( &s );
		}
		supFree( expected );
	}
	testUninstallHeap( &heap );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( OrderIsAsInTheory ),       cmocka_unit_test( MomentumIsKept ),
		cmocka_unit_test( StableStepIsRight ),       cmocka_unit_test( UnstableStepIsRefused ),
		cmocka_unit_test( ImplicitTakesLongSteps ),  cmocka_unit_test( FixedPointsFollow ),
		cmocka_unit_test( PushesMoveTheMiddle ),     cmocka_unit_test( AirSlows ),
		cmocka_unit_test( RepairsWhatIsNotANumber ), cmocka_unit_test( SameBitsAndNoAllocation ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
