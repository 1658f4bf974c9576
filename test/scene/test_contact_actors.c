// SPDX-License-Identifier: MIT
// Actors of any methods against each other, and against themselves.
#include "contact_stage.h"

#include "geometry/tree.h"
#include "geometry/winding.h"

#define DT ( 1.0f / 60.0f )

// Along each side of a triangle.
#define PLACES 9

static void LetTouch( supActor* actor, bool itself )
{
	supError error = { 0 };
	supContactSettings settings = supDefaultContactSettings();
	settings.withActors = true;
	settings.withItself = itself;
	testRequire( supActor_SetContact( actor, &settings, &error ), &error );
}

static const supMesh* MeshOf( const supActor* actor )
{
	return supCharacter_Mesh( actor->flesh->character, supCharacter_Instance( actor->flesh->character, 0 )->mesh );
}

// How deep the deepest vertex of one is inside of the other, whose surface is closed: by winding numbers and the
// nearest triangle, not by what contact uses; or the deepest place between vertices.
static float DepthInActor( const supActor* actor, const supActor* other, bool isBetween )
{
	supError error = { 0 };
	const supMesh* mesh = MeshOf( other );
	supTree* tree =
		supCreateTree( other->surfaces[0].positions, mesh->vertexCount, mesh->indices, mesh->indexCount / 3, &error );
	testRequire( tree != NULL, &error );
	supWinding* winding = supCreateWinding( tree, SUP_WINDING_BETA, NULL, &error );
	testRequire( winding != NULL, &error );
	float deepest = 0.0f;
	const supMesh* own = MeshOf( actor );
	const supVec3* x = actor->surfaces[0].positions;
	int32_t count = isBetween ? own->indexCount / 3 * PLACES * PLACES : actor->surfaces[0].vertexCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 p = x[isBetween ? 0 : i];
		if ( isBetween )
		{
			const uint32_t* c = own->indices + 3 * ( i / ( PLACES * PLACES ) );
			float u = (float)( i % PLACES ) / ( PLACES - 1 ), v = (float)( i / PLACES % PLACES ) / ( PLACES - 1 );
			p = supLerp( x[c[0]], supLerp( x[c[1]], x[c[2]], u ), v );
		}
		supTreeHit hit;
		if ( supWinding_Evaluate( winding, p ) > 0.5f && supTree_FindClosest( tree, p, INFINITY, &hit ) )
		{
			deepest = supMaxFloat( deepest, hit.distance );
		}
	}
	supDestroyWinding( winding );
	supDestroyTree( tree );
	return deepest;
}

// Two tubes across each other, one lowered into the other.
static void CheckCrossing( const Body* lower, const Body* upper )
{
	supScene* scene = MakeScene( 2, NULL );
	supActor* actors[2] = { AddActor( scene, lower ), AddActor( scene, upper ) };
	LetTouch( actors[0], false );
	LetTouch( actors[1], false );
	for ( int32_t i = 0; i < supCharacter_NodeCount( upper->character ); ++i )
	{
		if ( supCharacter_Node( upper->character, i )->parent < 0 )
		{
			supTransform rest = supCharacter_Node( upper->character, i )->rest;
			rest.rotation = supMulQuat( supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 1.3f ), rest.rotation );
			rest.translation =
				supAdd( supRotate( supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 1.3f ), rest.translation ),
						supMakeVec3( 0.0f, 0.33f, 0.0f ) );
			supPose_SetLocal( supActor_Pose( actors[1] ), i, rest );
		}
	}
	supActor_Reset( actors[1] );
	supTransform root = supPose_GetLocal( supActor_Pose( actors[1] ), 1 );
	float deepest = 0.0f;
	int32_t contacts = 0;
	for ( int32_t frame = 0; frame < 25; ++frame )
	{
		supTransform now = root;
		now.translation.y -= 0.1f * supMinFloat( 1.0f, (float)frame / 20.0f );
		supPose_SetLocal( supActor_Pose( actors[1] ), 1, now );
		supScene_Step( scene, DT );
		// edges that cross between vertices, where they are pressed together most
		bool isBetween = frame == 24;
		deepest = supMaxFloat( deepest, DepthInActor( actors[0], actors[1], isBetween ) );
		deepest = supMaxFloat( deepest, DepthInActor( actors[1], actors[0], isBetween ) );
		contacts = supScene_GetStats( scene ).contact.contacts;
	}
	testLessEqual( deepest, actors[0]->contact->thickness );
	testGreaterEqual( contacts, 5 );
	assert_int_equal( supScene_GetStats( scene ).contact.dropped, 0 );
	supDestroyScene( scene );
}

static void TestTubesCross( void** state )
{
	(void)state;
	testMeasuresOnly();
	Body bodies[4] = { MakeTube( sup_methodLbs ), MakeTube( sup_methodPosition ), MakeTube( sup_methodLattice ),
					   MakeTube( sup_methodPoints ) };
	for ( int32_t i = 1; i < 4; ++i )
	{
		for ( int32_t k = 0; k <= i; ++k )
		{
			CheckCrossing( bodies + k, bodies + i );
		}
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		DestroyBody( bodies + i );
	}
}

// Two cubes that are parts of one body.
static Body MakePair( float gap, const supSetting* settings, int32_t count )
{
	Body body = { 0 };
	supError error = { 0 };
	for ( int32_t i = 0; i < 2; ++i )
	{
		// the upper one is smaller, and not quite in the middle
		float cell = i == 0 ? 0.1f : 0.08f;
		supLattice lattice = { .nx = 3,
							   .ny = 3,
							   .nz = 3,
							   .origin = { i == 0 ? -0.15f : -0.11f, i == 0 ? 0.01f : 0.31f + gap, 1.4f * -cell },
							   .x = { cell, 0.0f, 0.0f },
							   .y = { 0.0f, cell, 0.0f },
							   .z = { 0.0f, 0.0f, cell } };
		assert_true( supProp_AddLattice( &body.prop, &lattice ) );
	}
	assert_true( supProp_Finish( &body.prop ) );
	body.character = supProp_CreateCharacter( &body.prop, "pair", &error );
	testRequire( body.character != NULL, &error );
	body.tets = supProp_Tets( &body.prop );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPoints;
	def.tets = &body.tets;
	def.settings = settings;
	def.settingCount = count;
	body.flesh = supBuildFlesh( body.character, &def, NULL, &error );
	testRequire( body.flesh != NULL, &error );
	return body;
}

// The highest of the lower half and the lowest of the upper half of the vertices.
static float GapOfPair( const supActor* actor )
{
	int32_t half = actor->surfaces[0].vertexCount / 2;
	float top = -INFINITY, bottom = INFINITY;
	for ( int32_t i = 0; i < half; ++i )
	{
		top = supMaxFloat( top, actor->surfaces[0].positions[i].y );
		bottom = supMinFloat( bottom, actor->surfaces[0].positions[half + i].y );
	}
	return bottom - top;
}

// With itself off the upper part falls through the lower one, with it on it comes to lie on it.
static void TestPartsOfOneBody( void** state )
{
	(void)state;
	const supSetting firm[2] = { { "stretch", 1e5f }, { "volume", 2e5f } };
	Body body = MakePair( 0.05f, firm, 2 );
	for ( int32_t itself = 0; itself < 2; ++itself )
	{
		supScene* scene = MakeScene( 6, NULL );
		supActor* actor = AddActor( scene, &body );
		AddPlane( scene, 0.5f );
		LetTouch( actor, itself != 0 );
		float gap = 0.0f;
		for ( int32_t i = 0; i < 45; ++i )
		{
			supScene_Step( scene, DT );
			gap = GapOfPair( actor );
			assert_true( itself == 0 || gap > -0.03f );
		}
		// the lower one bulges where it is pressed, hence not quite 0
		assert_true( itself != 0 ? fabsf( gap ) < 0.03f : gap < -0.1f );
		supDestroyScene( scene );
	}
	DestroyBody( &body );
}

static void SumMomentum( supActor* actor, double sum[3] )
{
	supParticles particles = actor->flesh->method->getParticles( actor->flesh->own, actor->state );
	for ( int32_t i = 0; i < 4 * particles.count; ++i )
	{
		if ( i % 4 != 3 )
		{
			sum[i % 4] += (double)( particles.massUnit * particles.v[i] / particles.x[i / 4 * 4 + 3] );
		}
	}
}

// A cube falls on a floating one; then gravity ends.
static void TestMomentumBetweenActors( void** state )
{
	(void)state;
	const supSetting settings[3] = { { "air", 0.0f },
									 { "damping", 0.0f },
									 { "integrator", (float)sup_integratorCromer } };
	Body bodies[2] = { MakeCube( 0.2f, 3, 0.0f, settings, 3 ), MakeCube( 0.15f, 3, 0.21f, settings, 3 ) };
	supScene* scene = MakeScene( 24, NULL );
	supActor* actors[2] = { AddActor( scene, bodies ), AddActor( scene, bodies + 1 ) };
	LetTouch( actors[0], false );
	LetTouch( actors[1], false );
	supScene_SetGravity( scene, supVec3_zero );
	// the upper one is thrown down
	supParticles thrown = actors[1]->flesh->method->getParticles( actors[1]->flesh->own, actors[1]->state );
	for ( int32_t i = 0; i < thrown.count; ++i )
	{
		thrown.v[4 * i + 1] = -1.0f;
		thrown.v[4 * i] = 0.3f;
	}
	double before[3] = { 0 }, after[3] = { 0 }, lower[3] = { 0 };
	SumMomentum( actors[0], before );
	SumMomentum( actors[1], before );
	for ( int32_t i = 0; i < 15; ++i )
	{
		supScene_Step( scene, DT );
	}
	SumMomentum( actors[0], after );
	SumMomentum( actors[0], lower );
	SumMomentum( actors[1], after );
	for ( int32_t k = 0; k < 3; ++k )
	{
		testLess( fabs( after[k] - before[k] ), 1e-4 );
	}
	// 3.4 kg came down at 1 m/s
	testLess( lower[1], -1.0 );
	testGreater( lower[0], 0.02 );
	supDestroyScene( scene );
	DestroyBody( bodies );
	DestroyBody( bodies + 1 );
}

static supVec3 RunHug( Body* bodies, int32_t threads, testHeap* heap )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	supScene* scene = MakeScene( 2, supThreadPool_Tasks( pool ) );
	supActor* actors[2] = { AddActor( scene, bodies ), AddActor( scene, bodies + 1 ) };
	LetTouch( actors[0], true );
	LetTouch( actors[1], true );
	for ( int32_t frame = 0; frame < 10; ++frame )
	{
		PlaceRoot( actors[1], supMakeVec3( 0.05f, 0.32f - 0.008f * (float)frame, 0.0f ) );
		heap->allocations = 0;
		supScene_Step( scene, DT );
		assert_int_equal( heap->allocations, 0 );
	}
	testGreater( supScene_GetStats( scene ).contact.contacts, 3 );
	supVec3 mean = supAdd( MeanOf( actors[0] ), supScale( 1e3f, MeanOf( actors[1] ) ) );
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
	return mean;
}

static void TestSameBitsAndNoMemory( void** state )
{
	(void)state;
	testMeasuresOnly();
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	Body bodies[2] = { MakeTube( sup_methodPosition ), MakeTube( sup_methodLattice ) };
	supVec3 expected = RunHug( bodies, 1, &heap );
	static const int32_t threads[] = { 2, 3, 8 };
	for ( int32_t i = 0; i < 3; ++i )
	{
		supVec3 found = RunHug( bodies, threads[i], &heap );
		assert_memory_equal( &found, &expected, sizeof( found ) );
	}
	DestroyBody( bodies );
	DestroyBody( bodies + 1 );
	testUninstallHeap( &heap );
}

static bool Attempt( void* context )
{
	const Body* body = context;
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, &error );
	supContactSettings settings = supDefaultContactSettings();
	settings.withItself = true;
	settings.withActors = true;
	supActor* first = scene != NULL ? supScene_AddActor( scene, body->flesh, &error ) : NULL;
	bool ok = first != NULL && supActor_SetContact( first, &settings, &error );
	supActor* second = ok ? supScene_AddActor( scene, body->flesh, &error ) : NULL;
	ok = second != NULL && supActor_SetContact( second, &settings, &error );
	if ( ok )
	{
		supScene_Step( scene, 0.01f );
		supScene_RemoveActor( scene, first );
		supScene_Step( scene, 0.01f );
		settings.withItself = settings.withActors = false;
		ok = supActor_SetContact( second, &settings, &error );
	}
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

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTubesCross ),
		cmocka_unit_test( TestPartsOfOneBody ),
		cmocka_unit_test( TestMomentumBetweenActors ),
		cmocka_unit_test( TestSameBitsAndNoMemory ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
