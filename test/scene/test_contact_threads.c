// SPDX-License-Identifier: MIT
// labels: threads
// Contact on several threads: the same bits, and no memory in a step.
#include "contact_stage.h"

static uint64_t RunCrowd( Body* bodies, int32_t threads, testHeap* heap )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	supScene* scene = MakeScene( 2, supThreadPool_Tasks( pool ) );
	supActor* actors[4];
	for ( int32_t i = 0; i < 4; ++i )
	{
		actors[i] = AddActor( scene, bodies + i );
	}
	supVec3 extent = supBox_Size( SurfaceBox( actors[0] ) );
	AddPlane( scene, 0.5f );
	supColliderDef def = supDefaultColliderDef();
	def.shape.radius = 0.2f * extent.y;
	def.motion = sup_colliderKinematic;
	def.position = supMakeVec3( extent.x + def.shape.radius, 0.5f * extent.y, 0.0f );
	supCollider* ball = AddCollider( scene, &def );
	uint64_t hash = 1469598103934665603u;
	for ( int32_t frame = 0; frame < 8; ++frame )
	{
		for ( int32_t i = 0; i < 3; ++i )
		{
			PlaceRoot( actors[i], supMakeVec3( 0.0f, -0.003f * extent.y * (float)frame, 0.0f ) );
		}
		supVec3 place = supMakeVec3( def.position.x - 0.08f * extent.x * (float)frame, def.position.y, 0.0f );
		supCollider_SetTransform( ball, place, supQuat_identity );
		heap->allocations = 0;
		supScene_Step( scene, 1.0f / 60.0f );
		assert_int_equal( heap->allocations, 0 );
		for ( int32_t i = 0; i < 4; ++i )
		{
			hash = HashSurface( actors[i], hash );
		}
	}
	testGreater( supScene_GetStats( scene ).contact.contacts, 10 );
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
	return hash;
}

// A tube that bends into itself farther than its flesh gives way.
static uint64_t RunBent( const Body* body, int32_t threads, testHeap* heap )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	supScene* scene = MakeScene( 2, supThreadPool_Tasks( pool ) );
	supActor* actor = AddActor( scene, body );
	LetTouchItself( actor );
	uint64_t hash = 1469598103934665603u;
	int32_t contacts = 0, left = 0;
	for ( int32_t frame = 0; frame < 10; ++frame )
	{
		BendTube( actor, 1.4f + 0.1f * (float)frame );
		heap->allocations = 0;
		supScene_Step( scene, 1.0f / 60.0f );
		assert_int_equal( heap->allocations, 0 );
		hash = HashSurface( actor, hash );
		supContactStats stats = supScene_GetStats( scene ).contact;
		contacts += stats.contacts;
		left += stats.left;
	}
	testGreater( contacts, 10 );
	testGreater( left, 0 );
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
	return hash;
}

static void TestWithItself( void** state )
{
	(void)state;
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	Body body = MakeTubeOf( "tube5", sup_methodLattice );
	assert_true( RunBent( &body, 1, &heap ) == RunBent( &body, 3, &heap ) );
	DestroyBody( &body );
	testUninstallHeap( &heap );
}

static void TestSameBitsAndNoMemory( void** state )
{
	(void)state;
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	Body bodies[4] = { MakeTube( sup_methodPosition ), MakeTube( sup_methodLattice ), MakeTube( sup_methodPoints ),
					   MakeCube( 0.2f, 4, 0.01f, NULL, 0 ) };
	static const int32_t threads[] = { 1, 8, 2, 3 };
	uint64_t expected = RunCrowd( bodies, threads[0], &heap );
	for ( int32_t i = 1; i < testRounds( 4, 2 ); ++i )
	{
		assert_true( RunCrowd( bodies, threads[i], &heap ) == expected );
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		DestroyBody( bodies + i );
	}
	testUninstallHeap( &heap );
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSameBitsAndNoMemory ),
		cmocka_unit_test( TestWithItself ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
