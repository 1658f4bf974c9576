// SPDX-License-Identifier: MIT
// The state of an actor: what of it is saved, and what actors of one flesh share.
#include "layered_stage.h"

// Long and short ones, some of them twice in a row: such are factored.
static float StepLength( int32_t i )
{
	static const float lengths[] = { 60.0f, 60.0f, 50.0f, 60.0f, 30.0f, 30.0f, 30.0f, 59.0f, 120.0f, 120.0f };
	return 1.0f / lengths[i % SUP_COUNT( lengths )];
}

static void EnterPressed( Stage* stage )
{
	Enter( stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	const supVec3* p = supActor_Positions( stage->actor, 0 );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < stage->actor->surfaces[0].vertexCount; ++i )
	{
		box = supBox_Include( box, p[i] );
	}
	supVec3 middle = supScale( 0.5f, supAdd( box.lower, box.upper ) );
	AddCollider( stage, ( supShapeDef ){ .kind = sup_shapeSphere, .radius = 0.2f }, sup_colliderStill,
				 supMakeVec3( middle.x, box.upper.y + 0.19f, middle.z ) );
}

static void ExpectSame( const Stage* a, const Stage* b )
{
	size_t bytes = (size_t)a->actor->surfaces[0].vertexCount * sizeof( supVec3 );
	assert_memory_equal( supActor_Positions( a->actor, 0 ), supActor_Positions( b->actor, 0 ), bytes );
	assert_memory_equal( supActor_Normals( a->actor, 0 ), supActor_Normals( b->actor, 0 ), bytes );
}

// Whatever an actor did before, a state that is restored goes on as the one that it was saved from: at every moment of
// steps of changing lengths, pressed by a ball.
static void RestoredStateGoesOn( void** state )
{
	(void)state;
	Stage first = s_tube, second = s_tube;
	EnterPressed( &first );
	EnterPressed( &second );
	Kick( &first, 0.5 );
	uint8_t* saved = test_malloc( supActor_StateSize( first.actor ) );
	for ( int32_t i = 0; i < 20; ++i )
	{
		supScene_Step( first.scene, StepLength( i ) );
		if ( i % 5 == 4 )
		{
			supActor_SaveState( first.actor, saved );
			supActor_RestoreState( second.actor, saved );
			ExpectSame( &first, &second );
			supScene_Step( first.scene, StepLength( i + 1 ) );
			supScene_Step( second.scene, StepLength( i + 1 ) );
			ExpectSame( &first, &second );
			supActor_RestoreState( first.actor, saved );
			// something else in between
			supScene_Step( second.scene, 1.0f / 45.0f );
			supScene_Step( second.scene, 1.0f / 45.0f );
		}
	}
	test_free( saved );
	Leave( &first );
	Leave( &second );
}

// Actors of one flesh share factors and know nothing of each other, even where their steps are of different lengths:
// one that is restored is solved with the length that its state has.
static void SharedFactorsDoNotShow( void** state )
{
	(void)state;
	Stage alone = s_tube, pair = s_tube;
	supError error = { 0 };
	Enter( &alone, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	Enter( &pair, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	supActor* other = supScene_AddActor( pair.scene, pair.flesh, &error );
	testRequire( other != NULL, &error );
	assert_ptr_equal( other->shared, pair.actor->shared );
	Kick( &alone, 1.0 );
	for ( int32_t i = 0; i < 3; ++i )
	{
		supScene_Step( alone.scene, 1.0f / 30.0f );
		supScene_Step( pair.scene, 1.0f / 60.0f );
	}
	uint8_t* saved = test_malloc( supActor_StateSize( alone.actor ) );
	supActor_SaveState( alone.actor, saved );
	supActor_RestoreState( pair.actor, saved );
	test_free( saved );
	for ( int32_t i = 0; i < 4; ++i )
	{
		// the first is solved with the factor of 1/30 s in `alone`
		supScene_Step( alone.scene, 1.0f / 60.0f );
		supScene_Step( pair.scene, 1.0f / 60.0f );
		ExpectSame( &alone, &pair );
	}
	supScene_RemoveActor( pair.scene, pair.actor );
	supScene_Step( pair.scene, 1.0f / 60.0f );
	Leave( &alone );
	Leave( &pair );
}

// What is saved is what the next step starts from: displacements, velocities and particles, all else is a fraction.
static void SavedStateIsSmall( void** state )
{
	(void)state;
	size_t nodes = (size_t)s_tube.own->layer.outerCount, points = (size_t)s_tube.own->layer.tets.pointCount;
	size_t needed = 6 * nodes * sizeof( double ) + points * sizeof( supVec4 );
	size_t saved = supLayered_SavedSize( s_tube.own ), links = (size_t)s_tube.own->links.count;
	// places that attachments ask for, joints and their loads
	size_t asked = SUP_MAX_ASKED * ( sizeof( supAskedPlace ) + 6 * sizeof( double ) ) +
				   SUP_MAX_ASKED_POINTS * ( sizeof( int32_t ) + sizeof( float ) );
	size_t fixed = asked + 4096 + 1024 * links;
	print_message( "%zu bytes of %zu, %zu of them for the skin\n", saved, supLayered_StateSize( s_tube.own ), needed );
	testLess( (double)saved, 1.3 * (double)needed + (double)fixed );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( RestoredStateGoesOn ),
		cmocka_unit_test( SharedFactorsDoNotShow ),
		cmocka_unit_test( SavedStateIsSmall ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
