// SPDX-License-Identifier: MIT
// Rigid bodies: alone, against each other, and against flesh of every method.
#include "contact_stage.h"

#define DT ( 1.0f / 60.0f )

static supCollider* AddBall( supScene* scene, float radius, supVec3 position, float mass, float friction )
{
	supColliderDef def = supDefaultColliderDef();
	def.shape.radius = radius;
	def.motion = sup_colliderDynamic;
	def.position = position;
	def.mass = mass;
	def.friction = friction;
	return AddCollider( scene, &def );
}

static supColliderDef MakeBox( supVec3 halfExtents, supVec3 position, float mass, float friction )
{
	supColliderDef def = supDefaultColliderDef();
	def.shape = ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = halfExtents };
	def.motion = sup_colliderDynamic;
	def.position = position;
	def.mass = mass;
	def.friction = friction;
	return def;
}

static void Run( supScene* scene, int32_t frames )
{
	for ( int32_t i = 0; i < frames; ++i )
	{
		supScene_Step( scene, DT );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Alone

static void TestFreeFlight( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 8, NULL );
	supColliderDef def = MakeBox( supMakeVec3( 0.1f, 0.2f, 0.3f ), supMakeVec3( 0.0f, 10.0f, 0.0f ), 0.0f, 0.5f );
	def.velocity = supMakeVec3( 3.0f, 5.0f, 0.0f );
	def.spin = supMakeVec3( 2.0f, 7.0f, 0.5f );
	supCollider* box = AddCollider( scene, &def );
	// density 1000
	assert_float_equal( supCollider_Mass( box ), 48.0f, 1e-3f );
	// a box about its middle: mass / 3 of the squares of the other two half extents
	const float inertia[3] = { 16.0f * 0.13f, 16.0f * 0.10f, 16.0f * 0.05f };
	double first[3] = { 0 };
	for ( int32_t frame = 0; frame <= 60; ++frame )
	{
		supVec3 w = supRotate( supConjugate( supCollider_Rotation( box ) ), supCollider_Spin( box ) );
		supVec3 l = supRotate( supCollider_Rotation( box ),
							   supMakeVec3( inertia[0] * w.x, inertia[1] * w.y, inertia[2] * w.z ) );
		const double now[3] = { (double)l.x, (double)l.y, (double)l.z };
		for ( int32_t k = 0; k < 3; ++k )
		{
			first[k] = frame == 0 ? now[k] : first[k];
			// 11 kg m^2/s, 488 substeps
			testLess( fabs( now[k] - first[k] ), 2e-3 );
		}
		supScene_Step( scene, DT );
	}
	// half a substep of the fall
	float t = 61.0f / 60.0f, error = 1.1f * 9.81f * t * ( 1.0f / 960.0f );
	supVec3 p = supCollider_Position( box );
	assert_float_equal( p.x, 3.0f * t, 1e-3f );
	assert_float_equal( p.y, 10.0f + 5.0f * t - 0.5f * 9.81f * t * t, error );
	supDestroyScene( scene );
}

static void TestBallBouncesAndRests( void** state )
{
	(void)state;
	for ( int32_t bouncy = 0; bouncy < 2; ++bouncy )
	{
		supScene* scene = MakeScene( 8, NULL );
		AddPlane( scene, 0.5f );
		supColliderDef def = supDefaultColliderDef();
		def.shape.radius = 0.1f;
		def.motion = sup_colliderDynamic;
		def.position = supMakeVec3( 0.0f, 1.1f, 0.0f );
		def.restitution = bouncy != 0 ? 0.8f : 0.0f;
		supCollider* ball = AddCollider( scene, &def );
		float highest = 0.0f;
		bool met = false;
		for ( int32_t i = 0; i < 70; ++i )
		{
			supScene_Step( scene, DT );
			met = met || supScene_GetStats( scene ).contact.contacts > 0 || supCollider_Position( ball ).y < 0.12f;
			testGreater( supCollider_Position( ball ).y, 0.1f - 1e-3f );
			highest = met ? supMaxFloat( highest, supCollider_Position( ball ).y ) : 0.0f;
		}
		// 0.8 of the speed is 0.64 of the height
		assert_float_equal( highest, bouncy != 0 ? 0.74f : 0.1f, bouncy != 0 ? 0.03f : 0.02f );
		Run( scene, bouncy != 0 ? 0 : 60 );
		assert_true( bouncy != 0 || supCollider_IsAsleep( ball ) );
		supDestroyScene( scene );
	}
}

static supVec3 Slope( float degrees )
{
	supCosSin angle = supComputeCosSin( degrees * SUP_PI / 180.0f );
	return supMakeVec3( 9.81f * angle.sine, -9.81f * angle.cosine, 0.0f );
}

// The angle of 0.5 is 26.6 degrees. The plane stays and gravity is tilted.
static void TestBoxOnSlope( void** state )
{
	(void)state;
	for ( int32_t steep = 0; steep < 2; ++steep )
	{
		supScene* scene = MakeScene( 4, NULL );
		AddPlane( scene, 0.5f );
		supColliderDef def = MakeBox( supMakeVec3( 0.2f, 0.1f, 0.2f ), supMakeVec3( 0.0f, 0.1f, 0.0f ), 3.0f, 0.5f );
		supCollider* box = AddCollider( scene, &def );
		float degrees = steep != 0 ? 31.0f : 22.0f;
		supScene_SetGravity( scene, Slope( degrees ) );
		Run( scene, 60 );
		supVec3 g = Slope( degrees );
		float expected = steep != 0 ? 0.5f * ( g.x + 0.5f * g.y ) : 0.0f;
		assert_float_equal( supCollider_Position( box ).x, expected, steep != 0 ? 0.1f * expected : 2e-3f );
		assert_float_equal( supCollider_Position( box ).y, 0.1f, 2e-3f );
		supDestroyScene( scene );
	}
}

static void TestStack( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 8, NULL );
	AddPlane( scene, 0.6f );
	supCollider* boxes[3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		supColliderDef def = MakeBox( supMakeVec3( 0.1f, 0.1f, 0.1f ),
									  supMakeVec3( 0.01f * (float)i, 0.1f + 0.201f * (float)i, 0.0f ), 1.0f, 0.6f );
		def.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 0.3f * (float)i );
		boxes[i] = AddCollider( scene, &def );
	}
	supCollider* ball = AddBall( scene, 0.05f, supMakeVec3( 0.02f, 0.72f, 0.0f ), 0.3f, 0.6f );
	Run( scene, 120 );
	for ( int32_t i = 0; i < 3; ++i )
	{
		assert_float_equal( supCollider_Position( boxes[i] ).y, 0.1f + 0.2f * (float)i, 0.01f );
		assert_float_equal( supCollider_Position( boxes[i] ).x, 0.01f * (float)i, 0.01f );
	}
	assert_float_equal( supCollider_Position( ball ).y, 0.65f, 0.012f );
	supDestroyScene( scene );
}

// Edges crossing: neither has a corner inside of the other.
static void TestEdgesCross( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 8, NULL );
	supColliderDef still = MakeBox( supMakeVec3( 1.0f, 0.1f, 0.1f ), supVec3_zero, 1.0f, 0.5f );
	still.motion = sup_colliderStill;
	still.rotation = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), 0.25f * SUP_PI );
	AddCollider( scene, &still );
	supColliderDef falling = MakeBox( supMakeVec3( 0.1f, 0.1f, 1.0f ), supMakeVec3( 0.0f, 0.5f, 0.0f ), 1.0f, 0.5f );
	falling.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.25f * SUP_PI );
	supCollider* bar = AddCollider( scene, &falling );
	Run( scene, 30 );
	// it balances on the crossing for a while
	assert_float_equal( supCollider_Position( bar ).y, 0.2f * 1.41421356f, 0.02f );
	supDestroyScene( scene );
}

// A ball at 200 m/s against 4 mm of wood.
static void TestThrownBallDoesNotPass( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 1, NULL );
	supScene_SetGravity( scene, supVec3_zero );
	supColliderDef wall = MakeBox( supMakeVec3( 0.002f, 1.0f, 1.0f ), supVec3_zero, 1.0f, 0.5f );
	wall.motion = sup_colliderStill;
	AddCollider( scene, &wall );
	supCollider* ball = AddBall( scene, 0.05f, supMakeVec3( -5.0f, 0.0f, 0.0f ), 0.4f, 0.5f );
	assert_true( supCollider_SetVelocity( ball, supMakeVec3( 200.0f, 0.0f, 0.0f ), supVec3_zero ) );
	assert_false( supCollider_SetVelocity( ball, supMakeVec3( 2000.0f, 0.0f, 0.0f ), supVec3_zero ) );
	Run( scene, 10 );
	assert_float_equal( supCollider_Position( ball ).x, -0.052f, 2e-3f );
	supDestroyScene( scene );
}

// ---------------------------------------------------------------------------------------------------------------------
// With flesh

typedef struct Momentum
{
	double linear[3];
	double angular[3];
} Momentum;

static void AddMomentum( Momentum* sum, double mass, supVec3 p, supVec3 v )
{
	const double x[3] = { (double)p.x, (double)p.y, (double)p.z }, u[3] = { (double)v.x, (double)v.y, (double)v.z };
	for ( int32_t i = 0; i < 3; ++i )
	{
		int32_t j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		sum->linear[i] += mass * u[i];
		sum->angular[i] += mass * ( x[j] * u[k] - x[k] * u[j] );
	}
}

static Momentum MeasureMomentum( supActor* actor, const supCollider* ball, float radius )
{
	Momentum sum = { 0 };
	supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	for ( int32_t i = 0; i < particles.count; ++i )
	{
		const float* x = particles.x + 4 * i;
		const float* v = particles.v + 4 * i;
		AddMomentum( &sum, (double)( particles.massUnit / x[3] ), supMakeVec3( x[0], x[1], x[2] ),
					 supMakeVec3( v[0], v[1], v[2] ) );
	}
	double mass = (double)supCollider_Mass( ball ), inertia = 0.4 * mass * (double)( radius * radius );
	AddMomentum( &sum, mass, supCollider_Position( ball ), supCollider_Velocity( ball ) );
	supVec3 spin = supCollider_Spin( ball );
	sum.angular[0] += inertia * (double)spin.x;
	sum.angular[1] += inertia * (double)spin.y;
	sum.angular[2] += inertia * (double)spin.z;
	return sum;
}

// A ball flies into a soft cube off its middle, in space: what one gains the other loses.
static void TestMomentumIsExchanged( void** state )
{
	(void)state;
	// an integrator that keeps momentum by itself to rounding
	const supSetting settings[3] = { { "air", 0.0f },
									 { "damping", 0.0f },
									 { "integrator", (float)sup_integratorCromer } };
	Body body = MakeCube( 0.2f, 4, -0.1f, settings, 3 );
	supScene* scene = MakeScene( 32, NULL );
	supScene_SetGravity( scene, supVec3_zero );
	supActor* actor = AddActor( scene, &body );
	supCollider* ball = AddBall( scene, 0.06f, supMakeVec3( 0.03f, 0.3f, -0.02f ), 1.5f, 0.7f );
	supCollider_SetVelocity( ball, supMakeVec3( 0.3f, -2.0f, 0.4f ), supMakeVec3( 5.0f, 3.0f, -4.0f ) );
	Momentum before = MeasureMomentum( actor, ball, 0.06f );
	Run( scene, 40 );
	Momentum after = MeasureMomentum( actor, ball, 0.06f );
	for ( int32_t k = 0; k < 3; ++k )
	{
		// of 3 kg m/s and 0.3 kg m^2/s
		testLess( fabs( after.linear[k] - before.linear[k] ), 2e-5 );
		testLess( fabs( after.angular[k] - before.angular[k] ), 2e-5 );
	}
	// and it was exchanged
	testGreater( supCollider_Velocity( ball ).y, -1.0f );
	testLess( MeanOf( actor ).y, -0.02f );
	supDestroyScene( scene );
	DestroyBody( &body );
}

static void CheckCubeOnSlope( float degrees, bool slides )
{
	const supSetting firm[2] = { { "stretch", 2e5f }, { "volume", 5e5f } };
	Body body = MakeCube( 0.2f, 3, 0.0f, firm, 2 );
	supScene* scene = MakeScene( 8, NULL );
	supActor* actor = AddActor( scene, &body );
	supContactSettings settings = supDefaultContactSettings();
	assert_true( settings.friction == 0.5f );
	AddPlane( scene, 0.5f );
	supScene_SetGravity( scene, Slope( degrees ) );
	// what leans leans first
	Run( scene, 30 );
	supVec3 before = MeanOf( actor );
	Run( scene, 60 );
	float way = MeanOf( actor ).x - before.x;
	supVec3 g = Slope( degrees );
	// it was sliding for half a second when the second second began
	float expected = ( g.x + 0.5f * g.y ) * ( 0.5f + 0.5f );
	assert_float_equal( way, slides ? expected : 0.0f, slides ? 0.2f * expected : 4e-3f );
	supDestroyScene( scene );
	DestroyBody( &body );
}

static void TestSoftCubeOnSlope( void** state )
{
	(void)state;
	CheckCubeOnSlope( 22.0f, false );
	CheckCubeOnSlope( 31.0f, true );
}

// A plate lies on flesh, and gravity tilts: it stays below the angle of friction and slides above.
static void CheckPlateOnFlesh( supMethodId method )
{
	// friction is the subject: mass points that swing at 2 Hz, the default, lean with the plate by up to g sin 20° /
	// ω², 2 cm, and that is not sliding
	Body body = MakeTubeAt( "tube", method, method == sup_methodPoints ? 4.0f : 0.0f );
	for ( int32_t steep = 0; steep < 2; ++steep )
	{
		supScene* scene = MakeScene( 4, NULL );
		supActor* actor = AddActor( scene, &body );
		supBox box = SurfaceBox( actor );
		supVec3 size = supBox_Size( box );
		supVec3 middle = supLerp( box.lower, box.upper, 0.5f );
		// upon the end of the tube
		supColliderDef def = MakeBox( supMakeVec3( 0.4f * size.x, 0.02f * size.y, 0.4f * size.z ),
									  supMakeVec3( middle.x, box.upper.y + 0.025f * size.y, middle.z ), 0.0f, 0.5f );
		def.density = 300.0f;
		supCollider* plate = AddCollider( scene, &def );
		Run( scene, 20 );
		float before = supCollider_Position( plate ).x;
		supScene_SetGravity( scene, Slope( steep != 0 ? 34.0f : 20.0f ) );
		float deepest = 0.0f;
		for ( int32_t i = 0; i < 20; ++i )
		{
			supScene_Step( scene, DT );
			deepest = supMaxFloat( deepest, DepthIn( actor, plate ) );
		}
		float way = supCollider_Position( plate ).x - before;
		supVec3 g = Slope( 34.0f );
		// a third of a second
		float free = 0.5f * ( g.x + 0.5f * g.y ) / 9.0f;
		assert_float_equal( way, steep != 0 ? free : 0.0f, steep != 0 ? 0.15f * free : 2e-3f );
		testLessEqual( deepest, actor->contact->thickness );
		supDestroyScene( scene );
	}
	DestroyBody( &body );
}

static void TestPlateOnFlesh( void** state )
{
	(void)state;
	testMeasuresOnly();
	CheckPlateOnFlesh( sup_methodPosition );
	CheckPlateOnFlesh( sup_methodLattice );
	CheckPlateOnFlesh( sup_methodPoints );
	CheckPlateOnFlesh( sup_methodFem );
}

// ---------------------------------------------------------------------------------------------------------------------
// Deep starts and coming back

// It starts with its lower third in the ground and comes out no faster than it may, without a jump after.
static void TestDeepStart( void** state )
{
	(void)state;
	Body body = MakeCube( 0.2f, 4, -0.07f, NULL, 0 );
	supScene* scene = MakeScene( 4, NULL );
	supActor* actor = AddActor( scene, &body );
	AddPlane( scene, 0.5f );
	float lowest = -0.07f, fastest = 0.0f, highest = 0.0f;
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( scene, DT );
		float now = SurfaceBox( actor ).lower.y;
		fastest = supMaxFloat( fastest, ( now - lowest ) / DT );
		highest = supMaxFloat( highest, now );
		lowest = now;
	}
	testLessEqual( fastest, 1.0f * 1.02f );
	testGreater( fastest, 0.5f );
	testGreater( lowest, -actor->contact->thickness );
	testLess( highest, 0.01f );
	supDestroyScene( scene );
	DestroyBody( &body );
}

static void TestRollback( void** state )
{
	(void)state;
	Body body = MakeCube( 0.2f, 4, 0.0f, NULL, 0 );
	supScene* scene = MakeScene( 4, NULL );
	supActor* actor = AddActor( scene, &body );
	AddPlane( scene, 0.5f );
	supCollider* ball = AddBall( scene, 0.06f, supMakeVec3( 0.02f, 0.35f, 0.01f ), 1.0f, 0.5f );
	Run( scene, 15 );
	void* saved = test_malloc( supActor_StateSize( actor ) );
	supActor_SaveState( actor, saved );
	supColliderState savedBall = supCollider_GetState( ball );
	Run( scene, 20 );
	supColliderState expected = supCollider_GetState( ball );
	supVec3 mean = MeanOf( actor );
	supActor_RestoreState( actor, saved );
	supCollider_SetState( ball, &savedBall );
	Run( scene, 20 );
	supColliderState again = supCollider_GetState( ball );
	supVec3 meanAgain = MeanOf( actor );
	assert_memory_equal( &expected, &again, sizeof( expected ) );
	assert_memory_equal( &mean, &meanAgain, sizeof( mean ) );
	testGreater( supScene_GetStats( scene ).contact.contacts, 10 );
	test_free( saved );
	supDestroyScene( scene );
	DestroyBody( &body );
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestFreeFlight ),
		cmocka_unit_test( TestBallBouncesAndRests ),
		cmocka_unit_test( TestBoxOnSlope ),
		cmocka_unit_test( TestStack ),
		cmocka_unit_test( TestEdgesCross ),
		cmocka_unit_test( TestThrownBallDoesNotPass ),
		cmocka_unit_test( TestMomentumIsExchanged ),
		cmocka_unit_test( TestSoftCubeOnSlope ),
		cmocka_unit_test( TestPlateOnFlesh ),
		cmocka_unit_test( TestDeepStart ),
		cmocka_unit_test( TestRollback ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
