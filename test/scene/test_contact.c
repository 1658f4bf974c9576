// SPDX-License-Identifier: MIT
// Flesh of every method against colliders that stay or are moved.
#include "contact_stage.h"

// Points along each side of a triangle that are looked at.
#define SAMPLES 9

// ---------------------------------------------------------------------------------------------------------------------
// Things to lie on

typedef struct Ground
{
	supVec3 vertices[81];
	uint32_t indices[3 * 128];
	supShapeDef shape;
} Ground;

// Open, in waves.
static void MakeGround( Ground* ground, float size )
{
	for ( int32_t i = 0; i < 81; ++i )
	{
		float x = (float)( i % 9 - 4 ), z = (float)( i / 9 - 4 );
		float height = 0.05f * supComputeCosSin( x ).sine * supComputeCosSin( 0.7f * z ).cosine;
		ground->vertices[i] = supMakeVec3( 0.25f * size * x, size * height, 0.25f * size * z );
	}
	for ( int32_t i = 0; i < 64; ++i )
	{
		uint32_t a = (uint32_t)( i % 8 + 9 * ( i / 8 ) );
		const uint32_t cell[6] = { a, a + 9, a + 1, a + 1, a + 9, a + 10 };
		memcpy( ground->indices + 6 * i, cell, sizeof( cell ) );
	}
	ground->shape = ( supShapeDef ){ .kind = sup_shapeMesh,
									 .vertexCount = 81,
									 .vertices = ground->vertices,
									 .triangleCount = 128,
									 .indices = ground->indices };
}

// Its highest place is at the origin, more or less.
static supColliderDef MakeSupport( supShapeKind kind, float size, Ground* ground )
{
	supColliderDef def = supDefaultColliderDef();
	def.shape.kind = kind;
	switch ( kind )
	{
		case sup_shapeBox:
			def.shape.halfExtents = supMakeVec3( size, 0.1f * size, size );
			def.position.y = -0.1f * size;
			break;
		case sup_shapeSphere:
			def.shape.radius = size;
			def.position.y = -size;
			break;
		case sup_shapeCapsule:
			def.shape.radius = 0.5f * size;
			def.shape.halfHeight = size;
			def.rotation = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), 0.5f * SUP_PI );
			def.position.y = -0.5f * size;
			break;
		case sup_shapeMesh:
			MakeGround( ground, size );
			def.shape = ground->shape;
			def.position.y = -0.05f * size;
			break;
		default:
			break;
	}
	return def;
}

static void CheckLying( Body* body, bool isProp, supShapeKind kind )
{
	supScene* scene = MakeScene( isProp ? 6 : 2, NULL );
	supActor* actor = AddActor( scene, body );
	supBox box = SurfaceBox( actor );
	supVec3 extent = supBox_Size( box );
	float size = supMaxFloat( extent.x, supMaxFloat( extent.y, extent.z ) );
	Ground ground;
	supColliderDef def = MakeSupport( kind, size, &ground );
	def.position.y += box.lower.y - ( isProp ? 0.05f * size : 0.0f );
	supCollider* collider = AddCollider( scene, &def );
	float thickness = actor->contact->thickness;
	assert_float_equal( thickness, 0.003f * size, 1e-6f );
	float touched = 0.0f;
	for ( int32_t frame = 0; frame < 36; ++frame )
	{
		float sunk = 0.04f * size * supMinFloat( 1.0f, (float)frame / 24.0f );
		if ( isProp == false )
		{
			PlaceRoot( actor, supMakeVec3( 0.0f, -sunk, 0.0f ) );
		}
		supScene_Step( scene, 1.0f / 60.0f );
		float depth = DepthIn( actor, collider );
		testLessEqual( depth, thickness );
		supSceneStats stats = supScene_GetStats( scene );
		// as it is told; fem refines its basis after contacts, so that what is drawn differs a little
		if ( body->flesh->method != &supMethod_fem )
		{
			assert_float_equal( stats.contact.deepest, supMaxFloat( 0.0f, depth ), 0.1f * thickness );
		}
		testLessEqual( supActor_Measure( actor ).penetration, stats.contact.deepest );
		touched = supMaxFloat( touched, (float)stats.contact.contacts );
	}
	testGreaterEqual( touched, 3.0f );
	supSceneStats stats = supScene_GetStats( scene );
	assert_int_equal( stats.contact.dropped, 0 );
	assert_int_equal( stats.trouble.notFinite, 0 );
	supDestroyScene( scene );
}

// On the first so many shapes.
static void CheckLyingOn( Body* body, bool isProp, int32_t count )
{
	static const supShapeKind kinds[] = { sup_shapeMesh, sup_shapeBox, sup_shapePlane, sup_shapeSphere,
										  sup_shapeCapsule };
	for ( int32_t i = 0; i < count; ++i )
	{
		CheckLying( body, isProp, kinds[i] );
	}
	DestroyBody( body );
}

static void TestCubeFalls( void** state )
{
	(void)state;
	Body body = MakeCube( 0.2f, 4, 0.0f, NULL, 0 );
	CheckLyingOn( &body, true, 5 );
}

static void TestPositionLies( void** state )
{
	(void)state;
	Body body = MakeTube( sup_methodPosition );
	CheckLyingOn( &body, false, 3 );
}

static void TestLatticeLies( void** state )
{
	(void)state;
	Body body = MakeTube( sup_methodLattice );
	CheckLyingOn( &body, false, 3 );
}

static void TestPointsLie( void** state )
{
	(void)state;
	testMeasuresOnly();
	Body body = MakeTube( sup_methodPoints );
	CheckLyingOn( &body, false, 3 );
}

static void TestFemLies( void** state )
{
	(void)state;
	testMeasuresOnly();
	Body body = MakeTube( sup_methodFem );
	CheckLyingOn( &body, false, 2 );
}

static void TestLayeredLies( void** state )
{
	(void)state;
	Body body = MakeTube( sup_methodLayered );
	CheckLyingOn( &body, false, 2 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Fast

// A wall as thin as a coin comes at 40 m/s: the cube is thrown, and no vertex of it is left behind.
static void TestThinWallIsNotPassed( void** state )
{
	(void)state;
	Body body = MakeCube( 0.2f, 4, 0.0f, NULL, 0 );
	supScene* scene = MakeScene( 4, NULL );
	supScene_SetGravity( scene, supVec3_zero );
	supActor* actor = AddActor( scene, &body );
	supColliderDef def = supDefaultColliderDef();
	def.shape = ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = { 0.001f, 1.0f, 1.0f } };
	def.motion = sup_colliderKinematic;
	def.position.x = -0.8f;
	supCollider* wall = AddCollider( scene, &def );
	for ( int32_t frame = 1; frame <= 30; ++frame )
	{
		float x = -0.8f + 40.0f / 60.0f * (float)frame;
		assert_true( supCollider_SetTransform( wall, supMakeVec3( x, 0.0f, 0.0f ), supQuat_identity ) );
		supScene_Step( scene, 1.0f / 60.0f );
		if ( frame > 3 )
		{
			testGreater( SurfaceBox( actor ).lower.x, x - 0.001f );
		}
	}
	assert_float_equal( supCollider_Velocity( wall ).x, 40.0f, 0.1f );
	supDestroyScene( scene );
	DestroyBody( &body );
}

// ---------------------------------------------------------------------------------------------------------------------
// Nothing to touch

// A collider that is switched off for an actor, or far away, is not there: what the flesh does is what it does alone.
static void TestNothingTouchedNothingChanges( void** state )
{
	(void)state;
	Body body = MakeTube( sup_methodLattice );
	uint64_t hashes[3];
	for ( int32_t run = 0; run < 3; ++run )
	{
		supScene* scene = MakeScene( 1, NULL );
		supActor* actor = AddActor( scene, &body );
		supError error = { 0 };
		if ( run == 1 )
		{
			supContactSettings settings = supDefaultContactSettings();
			settings.friction = 0.9f;
			assert_true( supActor_SetContact( actor, &settings, &error ) );
			assert_true( supActor_GetContact( actor ).friction == 0.9f );
			assert_null( actor->contact );
		}
		if ( run == 2 )
		{
			supScene_RemoveCollider( scene, AddPlane( scene, 0.5f ) );
			assert_int_equal( supScene_ColliderCount( scene ), 0 );
		}
		hashes[run] = 1469598103934665603u;
		for ( int32_t frame = 0; frame < 10; ++frame )
		{
			PlaceRoot( actor, supMakeVec3( 0.01f * (float)frame, 0.0f, 0.0f ) );
			supScene_Step( scene, 1.0f / 60.0f );
			hashes[run] = HashSurface( actor, hashes[run] );
		}
		supDestroyScene( scene );
	}
	assert_true( hashes[0] == hashes[1] && hashes[0] == hashes[2] );
	DestroyBody( &body );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bad things

static bool Attempt( void* context )
{
	const Body* body = context;
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, &error );
	supActor* actor = scene != NULL ? supScene_AddActor( scene, body->flesh, &error ) : NULL;
	Ground ground;
	supColliderDef mesh = MakeSupport( sup_shapeMesh, 1.0f, &ground );
	bool ok = actor != NULL && supScene_AddCollider( scene, &mesh, &error ) != NULL &&
			  supScene_AddActor( scene, body->flesh, &error ) != NULL;
	if ( ok )
	{
		supScene_Step( scene, 0.01f );
	}
	else
	{
		assert_int_equal( error.code, sup_errorMemory );
	}
	supDestroyScene( scene );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Body body = MakeCube( 0.2f, 2, 0.5f, NULL, 0 );
	testEachAllocationFailure( Attempt, &body, 200 );
	DestroyBody( &body );
}

static void CheckRefused( supScene* scene, const supColliderDef* def, const char* word )
{
	supError error = { 0 };
	assert_null( supScene_AddCollider( scene, def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_non_null( strstr( error.message, word ) );
}

static void TestBadColliders( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 1, NULL );
	supColliderDef def = supDefaultColliderDef();
	def.position.y = NAN;
	CheckRefused( scene, &def, "not finite" );
	def = supDefaultColliderDef();
	def.rotation = ( supQuat ){ 0.0f, 0.0f, 0.0f, 0.0f };
	CheckRefused( scene, &def, "not finite" );
	def = supDefaultColliderDef();
	def.velocity.x = INFINITY;
	CheckRefused( scene, &def, "velocity" );
	def = supDefaultColliderDef();
	def.shape.radius = 0.0f;
	CheckRefused( scene, &def, "above 0" );
	def = supDefaultColliderDef();
	def.friction = -1.0f;
	CheckRefused( scene, &def, "friction" );
	def = supDefaultColliderDef();
	def.mass = NAN;
	CheckRefused( scene, &def, "mass" );
	def = supDefaultColliderDef();
	def.shape.kind = sup_shapePlane;
	def.motion = sup_colliderDynamic;
	CheckRefused( scene, &def, "no mass" );
	Ground ground;
	def = MakeSupport( sup_shapeMesh, 1.0f, &ground );
	def.motion = sup_colliderDynamic;
	CheckRefused( scene, &def, "close the mesh" );
	assert_int_equal( supScene_ColliderCount( scene ), 0 );
	supDestroyScene( scene );
}

// Colliders are found in the order in which they came, whoever has left, by names of their own.
static void TestList( void** state )
{
	(void)state;
	supScene* scene = MakeScene( 1, NULL );
	char name[] = "ball 0";
	supCollider* balls[3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		supColliderDef def = supDefaultColliderDef();
		name[5] = (char)( '0' + i );
		def.name = i < 2 ? name : NULL;
		balls[i] = AddCollider( scene, &def );
	}
	assert_int_equal( supScene_ColliderCount( scene ), 3 );
	assert_string_equal( supCollider_Name( balls[0] ), "ball 0" );
	assert_string_equal( supCollider_Name( balls[1] ), "ball 1" );
	assert_non_null( supCollider_Name( balls[2] ) );
	supScene_RemoveCollider( scene, balls[0] );
	assert_int_equal( supScene_ColliderCount( scene ), 2 );
	assert_ptr_equal( supScene_Collider( scene, 0 ), balls[1] );
	assert_ptr_equal( supScene_Collider( scene, 1 ), balls[2] );
	assert_true( supCollider_Mass( balls[1] ) == 0.0f );
	supDestroyScene( scene );
}

// Transforms that are not numbers change nothing, and what is told to be a kilometre away is there at once, without
// sweeping up all that lies between.
static void TestBadMotion( void** state )
{
	(void)state;
	Body body = MakeCube( 0.2f, 2, 0.0f, NULL, 0 );
	supScene* scene = MakeScene( 1, NULL );
	supScene_SetGravity( scene, supVec3_zero );
	supActor* actor = AddActor( scene, &body );
	supColliderDef def = supDefaultColliderDef();
	def.motion = sup_colliderKinematic;
	def.position.x = -500.0f;
	supCollider* ball = AddCollider( scene, &def );
	supVec3 before = MeanOf( actor );
	assert_false( supCollider_SetTransform( ball, supMakeVec3( NAN, 0.0f, 0.0f ), supQuat_identity ) );
	assert_false( supCollider_SetTransform( ball, supMakeVec3( 0.0f, INFINITY, 0.0f ), supQuat_identity ) );
	assert_false( supCollider_SetTransform( ball, supVec3_zero, ( supQuat ){ NAN, 0.0f, 0.0f, 1.0f } ) );
	assert_false( supCollider_Place( ball, supMakeVec3( NAN, 0.0f, 0.0f ), supQuat_identity ) );
	assert_false( supCollider_SetVelocity( ball, supVec3_zero, supVec3_zero ) );
	supScene_Step( scene, 1.0f / 60.0f );
	assert_true( supCollider_Position( ball ).x == -500.0f );
	assert_true( supCollider_SetTransform( ball, supMakeVec3( 500.0f, 0.0f, 0.0f ), supQuat_identity ) );
	supScene_Step( scene, 1.0f / 60.0f );
	assert_true( supCollider_Position( ball ).x == 500.0f );
	assert_int_equal( supScene_GetStats( scene ).contact.jumps, 1 );
	testLess( supDistance( MeanOf( actor ), before ), 1e-6f );
	supDestroyScene( scene );
	DestroyBody( &body );
}

// How deep the deepest point of the surface is inside of a collider, corners of triangles or not.
static float SurfaceDepthIn( const supActor* actor, const supCollider* collider )
{
	const supCharacter* character = actor->flesh->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh );
	supPlacement placement = supCollider_Placement( collider );
	float deepest = 0.0f;
	for ( int32_t t = 0; t < mesh->indexCount; t += 3 )
	{
		const supVec3* p = actor->surfaces[0].positions;
		supVec3 a = p[mesh->indices[t]], b = p[mesh->indices[t + 1]], c = p[mesh->indices[t + 2]];
		supShapeHit near;
		float radius = supMaxFloat( supDistance( a, b ), supDistance( a, c ) );
		bool isNear = supShape_FindClosest( &collider->shape, supPlacement_ToLocal( &placement, a ), radius, &near );
		for ( int32_t i = 0; i < SAMPLES * SAMPLES && isNear; ++i )
		{
			float u = (float)( i % SAMPLES ) / ( SAMPLES - 1 ), v = (float)( i / SAMPLES ) / ( SAMPLES - 1 );
			supVec3 q = supLerp( a, supLerp( b, c, u ), v );
			supShapeHit hit;
			if ( supShape_FindClosest( &collider->shape, supPlacement_ToLocal( &placement, q ), 0.0f, &hit ) )
			{
				deepest = supMaxFloat( deepest, -hit.distance );
			}
		}
	}
	return deepest;
}

// A box as a box, or as a mesh of twelve triangles.
static supShapeDef KnifeOf( bool isMesh )
{
	static supVec3 corners[8];
	static const uint32_t triangles[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
											2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
	supShapeDef shape = supDefaultColliderDef().shape;
	shape.kind = isMesh ? sup_shapeMesh : sup_shapeBox;
	shape.halfExtents = supMakeVec3( 0.05f, 0.05f, 0.5f );
	for ( int32_t i = 0; i < 8; ++i )
	{
		corners[i] = supMul( shape.halfExtents,
							 supMakeVec3( i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f ) );
	}
	if ( isMesh )
	{
		shape.vertexCount = 8;
		shape.vertices = corners;
		shape.triangleCount = 12;
		shape.indices = triangles;
	}
	return shape;
}

// Returns how many thicknesses the surface gets inside of an edge that is pressed between two rings of vertices that
// are 13 times as far apart as skin is thick.
static float PressKnife( supMethodId method, bool isMesh )
{
	Body body = MakeTube( method );
	supScene* scene = MakeScene( 4, NULL );
	supActor* actor = AddActor( scene, &body );
	supBox box = SurfaceBox( actor );
	supColliderDef def = supDefaultColliderDef();
	def.shape = KnifeOf( isMesh );
	def.motion = sup_colliderKinematic;
	float tip = 0.05f * sqrtf( 2.0f );
	supVec3 at = { 0.037f, box.lower.y - tip - 0.01f, 0.0f };
	def.position = at;
	def.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.25f * SUP_PI );
	supCollider* knife = AddCollider( scene, &def );
	float deepest = 0.0f;
	for ( int32_t frame = 1; frame <= 20; ++frame )
	{
		at.y += 0.003f;
		assert_true( supCollider_SetTransform( knife, at, def.rotation ) );
		supScene_Step( scene, 1.0f / 60.0f );
		deepest = supMaxFloat( deepest, SurfaceDepthIn( actor, knife ) );
	}
	testGreaterEqual( supScene_GetStats( scene ).contact.contacts, 2 );
	deepest /= actor->contact->thickness;
	supDestroyScene( scene );
	DestroyBody( &body );
	return deepest;
}

static void TestKnifeEdge( void** state )
{
	(void)state;
	static const struct
	{
		supMethodId method;
		bool isMesh;
	} cases[] = { { sup_methodLayered, true },  { sup_methodLayered, false }, { sup_methodPosition, false },
				  { sup_methodPosition, true }, { sup_methodPoints, false },  { sup_methodPoints, true },
				  { sup_methodLattice, false } };
	for ( int32_t i = 0; i < testRounds( SUP_COUNT( cases ), 1 ); ++i )
	{
		testLessEqual( PressKnife( cases[i].method, cases[i].isMesh ), 1.0f );
	}
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestKnifeEdge ),
		cmocka_unit_test( TestCubeFalls ),
		cmocka_unit_test( TestPositionLies ),
		cmocka_unit_test( TestLatticeLies ),
		cmocka_unit_test( TestPointsLie ),
		cmocka_unit_test( TestFemLies ),
		cmocka_unit_test( TestLayeredLies ),
		cmocka_unit_test( TestThinWallIsNotPassed ),
		cmocka_unit_test( TestNothingTouchedNothingChanges ),
		cmocka_unit_test( TestOutOfMemory ),
		cmocka_unit_test( TestBadColliders ),
		cmocka_unit_test( TestBadMotion ),
		cmocka_unit_test( TestList ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
