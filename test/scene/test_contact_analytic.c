// SPDX-License-Identifier: MIT
// labels: release
// Contact against formulas: sliding and rolling down a slope, stacking and bouncing. Momentum is in
// test_contact_rigid.c and test_contact_actors.c.
#include "contact_stage.h"

#define DT ( 1.0f / 60.0f )
#define GRAVITY 9.81f

static void Run( supScene* scene, int32_t frames )
{
	for ( int32_t i = 0; i < frames; ++i )
	{
		supScene_Step( scene, DT );
	}
}

// The plane stays level and gravity is tilted.
static supVec3 Slope( float degrees )
{
	supCosSin angle = supComputeCosSin( degrees * SUP_PI / 180.0f );
	return supMakeVec3( GRAVITY * angle.sine, -GRAVITY * angle.cosine, 0.0f );
}

static supVec3 VelocityOf( supActor* actor )
{
	supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	supVec3 sum = supVec3_zero;
	float mass = 0.0f;
	for ( int32_t i = 0; i < particles.count; ++i )
	{
		const float *v = particles.v + 4 * i, m = 1.0f / particles.x[4 * i + 3];
		sum = supMulAdd( sum, m, supMakeVec3( v[0], v[1], v[2] ) );
		mass += m;
	}
	return supScale( 1.0f / mass, sum );
}

static const supSetting s_firm[] = { { "stretch", 1e6f }, { "volume", 2e6f }, { "air", 0.0f } };

#define FIRM ( (int32_t)( sizeof( s_firm ) / sizeof( s_firm[0] ) ) )

// ---------------------------------------------------------------------------------------------------------------------
// Coulomb friction: a = g sin - mu g cos above the angle of friction, 26.6 degrees, and rest below

static float SlideBox( float degrees )
{
	supScene* scene = MakeScene( 8, NULL );
	AddPlane( scene, 0.5f );
	supColliderDef def = supDefaultColliderDef();
	def.shape = ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = { 0.2f, 0.1f, 0.2f } };
	def.motion = sup_colliderDynamic;
	def.position = supMakeVec3( 0.0f, 0.1f, 0.0f );
	def.mass = 3.0f;
	supCollider* box = AddCollider( scene, &def );
	supScene_SetGravity( scene, Slope( degrees ) );
	Run( scene, 20 );
	float before = supCollider_Velocity( box ).x;
	Run( scene, 60 );
	float gained = supCollider_Velocity( box ).x - before;
	supDestroyScene( scene );
	return gained;
}

static float SlideCube( const Body* body, float degrees )
{
	supScene* scene = MakeScene( 8, NULL );
	supActor* actor = AddActor( scene, body );
	AddPlane( scene, 0.5f );
	supScene_SetGravity( scene, Slope( degrees ) );
	// what leans leans first
	Run( scene, 60 );
	float before = VelocityOf( actor ).x;
	Run( scene, 60 );
	float gained = VelocityOf( actor ).x - before;
	supDestroyScene( scene );
	return gained;
}

// To 1 %, whether rigid or soft.
static void TestSlope( void** state )
{
	(void)state;
	Body body = MakeCube( 0.2f, 3, 0.0f, s_firm, FIRM );
	const float degrees[] = { 30.0f, 35.0f, 45.0f };
	for ( int32_t i = 0; i < 3; ++i )
	{
		supVec3 g = Slope( degrees[i] );
		// in one second
		float expected = g.x + 0.5f * g.y;
		assert_float_equal( SlideBox( degrees[i] ), expected, 0.01f * expected );
		assert_float_equal( SlideCube( &body, degrees[i] ), expected, 0.01f * expected );
	}
	assert_float_equal( SlideBox( 25.0f ), 0.0f, 1e-3f );
	assert_float_equal( SlideCube( &body, 25.0f ), 0.0f, 1e-2f );
	DestroyBody( &body );
}

// ---------------------------------------------------------------------------------------------------------------------
// Rolling

// A ball of flesh: a cube whose shells are drawn out to spheres.
static Body MakeBall( float radius, int32_t cells )
{
	Body body = { 0 };
	supError error = { 0 };
	float cell = 2.0f * radius / (float)cells;
	supLattice lattice = { .nx = cells,
						   .ny = cells,
						   .nz = cells,
						   .origin = { -radius, -radius, -radius },
						   .x = { cell, 0.0f, 0.0f },
						   .y = { 0.0f, cell, 0.0f },
						   .z = { 0.0f, 0.0f, cell } };
	assert_true( supProp_AddLattice( &body.prop, &lattice ) );
	for ( int32_t i = 0; i < body.prop.points.count; ++i )
	{
		supVec3* p = body.prop.points.data + i;
		float most = supMaxFloat( fabsf( p->x ), supMaxFloat( fabsf( p->y ), fabsf( p->z ) ) );
		*p = most > 0.0f ? supScale( most / supLength( *p ), *p ) : *p;
		p->y += radius;
	}
	assert_true( supProp_Finish( &body.prop ) );
	body.character = supProp_CreateCharacter( &body.prop, "ball", &error );
	testRequire( body.character != NULL, &error );
	body.tets = supProp_Tets( &body.prop );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPoints;
	def.tets = &body.tets;
	def.settings = s_firm;
	def.settingCount = FIRM;
	body.flesh = supBuildFlesh( body.character, &def, NULL, &error );
	testRequire( body.flesh != NULL, &error );
	return body;
}

// Radians per second about the z axis.
static float SpinOf( supActor* actor )
{
	supParticles p = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	supVec3 v = VelocityOf( actor ), c = MeanOf( actor );
	double spin = 0.0, inertia = 0.0;
	for ( int32_t i = 0; i < p.count; ++i )
	{
		const float *x = p.x + 4 * i, *u = p.v + 4 * i;
		double mass = 1.0 / (double)x[3], rx = (double)( x[0] - c.x ), ry = (double)( x[1] - c.y );
		spin += mass * ( rx * (double)( u[1] - v.y ) - ry * (double)( u[0] - v.x ) );
		inertia += mass * ( rx * rx + ry * ry );
	}
	return (float)( spin / inertia );
}

// Rolls down without sliding: spin times radius is the speed. Flesh that is pressed flat at the bottom, and does so
// anew with every turn, is slower than a rigid ball, which gains 5/7 of what slides without friction.
static void TestRolling( void** state )
{
	(void)state;
	const float radius = 0.15f;
	Body body = MakeBall( radius, 6 );
	supScene* scene = MakeScene( 8, NULL );
	supActor* actor = AddActor( scene, &body );
	AddPlane( scene, 0.9f );
	supScene_SetGravity( scene, Slope( 10.0f ) );
	for ( int32_t i = 1; i <= 4; ++i )
	{
		Run( scene, 20 );
		float speed = VelocityOf( actor ).x, rigid = 5.0f / 7.0f * Slope( 10.0f ).x * (float)i / 3.0f;
		testGreater( speed, 0.7f * rigid );
		testLess( speed, 1.01f * rigid );
		assert_float_equal( -SpinOf( actor ) * radius, speed, 0.05f * speed );
	}
	supDestroyScene( scene );
	DestroyBody( &body );
}

// ---------------------------------------------------------------------------------------------------------------------
// Stacking

// Three boxes of flesh come to rest upon each other.
static void TestSoftStack( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 8, NULL );
	AddPlane( scene, 0.6f );
	Body bodies[3];
	supActor* actors[3];
	supContactSettings settings = supDefaultContactSettings();
	settings.withActors = true;
	for ( int32_t i = 0; i < 3; ++i )
	{
		supError error = { 0 };
		bodies[i] = MakeCube( 0.2f, 3, 0.202f * (float)i, s_firm, FIRM );
		actors[i] = AddActor( scene, bodies + i );
		testRequire( supActor_SetContact( actors[i], &settings, &error ), &error );
	}
	Run( scene, 150 );
	for ( int32_t i = 0; i < 3; ++i )
	{
		supVec3 mean = MeanOf( actors[i] );
		testLess( supLength( VelocityOf( actors[i] ) ), 5e-3f );
		testLess( fabsf( mean.x ), 2e-3f );
		testLess( fabsf( mean.z ), 2e-3f );
		// each is pressed together by its own weight and by what is upon it
		assert_float_equal( mean.y, 0.1f + 0.2f * (float)i, 0.02f );
		testLessEqual( supActor_Penetration( actors[i] ), actors[i]->contact->thickness );
	}
	supDestroyScene( scene );
	for ( int32_t i = 0; i < 3; ++i )
	{
		DestroyBody( bodies + i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Restitution

// A ball gives back the stated part of its speed along the normal, and keeps all of it along the floor.
static void TestRestitution( void** state )
{
	(void)state;
	for ( int32_t i = 0; i < 4; ++i )
	{
		supScene* scene = MakeScene( 8, NULL );
		AddPlane( scene, 0.0f );
		supScene_SetGravity( scene, supVec3_zero );
		supColliderDef def = supDefaultColliderDef();
		def.shape.radius = 0.1f;
		def.motion = sup_colliderDynamic;
		def.position = supMakeVec3( 0.0f, 0.5f, 0.0f );
		def.velocity = supMakeVec3( 0.7f, -3.0f, 0.0f );
		def.friction = 0.0f;
		def.restitution = 0.3f * (float)i;
		supCollider* ball = AddCollider( scene, &def );
		Run( scene, 20 );
		supVec3 v = supCollider_Velocity( ball );
		assert_float_equal( v.y, 3.0f * def.restitution, 3e-3f );
		assert_float_equal( v.x, 0.7f, 1e-3f );
		supDestroyScene( scene );
	}
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSlope ),
		cmocka_unit_test( TestRolling ),
		cmocka_unit_test( TestSoftStack ),
		cmocka_unit_test( TestRestitution ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
