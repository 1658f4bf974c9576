// SPDX-License-Identifier: MIT
// Parts of a body that are no skin (eyes, buttons) in the method `layered`: a chain of three bones with a button on the
// last.
#include "chain.h"
#include "layered_stage.h"
#include "volume/softness/rigid_parts.h"

#define TUBE_VERTICES 242
#define BUTTON_RADIUS 0.04f

static const supVec3 s_button = { 1.0f, 0.16f, 0.0f };
static Stage s_chain;

static void BuildChain( Stage* stage, const supSetting* settings, int32_t count )
{
	supError error = { 0 };
	testChain chain = { .boneCount = 3,
						.boneLength = 0.4f,
						.segments = 12,
						.rings = 20,
						.everySo = 1,
						.button = s_button,
						.buttonRadius = BUTTON_RADIUS };
	stage->character = testMakeChain( &chain, &error );
	testRequire( stage->character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLayered;
	def.settings = settings;
	def.settingCount = count;
	stage->flesh = supBuildFlesh( stage->character, &def, NULL, &error );
	testRequire( stage->flesh != NULL, &error );
	stage->own = stage->flesh->own;
}

static int BuildShared( void** state )
{
	(void)state;
	const supSetting settings[] = { { "drag", 0.0f } };
	BuildChain( &s_chain, settings, 1 );
	return 0;
}

static int FreeShared( void** state )
{
	(void)state;
	FreeStage( &s_chain );
	return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which parts

#define SHAPES 6

// Octahedra in a row, each 6 vertices.
typedef struct Row
{
	supVec3 positions[6 * SHAPES + 1];
	uint32_t indices[24 * SHAPES];
	uint16_t bones[( 6 * SHAPES + 1 ) * SUP_MAX_INFLUENCES];
	float weights[( 6 * SHAPES + 1 ) * SUP_MAX_INFLUENCES];
	supRestSurface surface;
} Row;

static void AddOctahedron( Row* row, float radius, int32_t sides )
{
	int32_t first = row->surface.vertexCount, shape = first / 6;
	for ( int32_t i = 0; i < 6; ++i )
	{
		float away = i % 2 == 0 ? radius : -radius;
		row->positions[first + i] = supMakeVec3( 3.0f * (float)shape + ( i / 2 == 0 ? away : 0.0f ),
												 i / 2 == 1 ? away : 0.0f, i / 2 == 2 ? away : 0.0f );
		row->bones[SUP_MAX_INFLUENCES * ( first + i )] = 5;
		row->weights[SUP_MAX_INFLUENCES * ( first + i )] = 1.0f;
	}
	for ( int32_t side = 0; side < sides; ++side )
	{
		uint32_t* corners = row->indices + 3 * row->surface.triangleCount++;
		for ( int32_t k = 0; k < 3; ++k )
		{
			corners[k] = (uint32_t)( first + 2 * k + ( side >> k & 1 ) );
		}
	}
	row->surface.vertexCount += 6;
}

static uint32_t Copy( Row* row, int32_t vertex )
{
	int32_t copy = row->surface.vertexCount++;
	row->positions[copy] = row->positions[vertex];
	row->bones[SUP_MAX_INFLUENCES * copy] = row->bones[SUP_MAX_INFLUENCES * vertex];
	row->weights[SUP_MAX_INFLUENCES * copy] = row->weights[SUP_MAX_INFLUENCES * vertex];
	return (uint32_t)copy;
}

// Small, closed, and on one bone: all three are asked for.
static void SmallClosedPartsOfOneBone( void** state )
{
	(void)state;
	static Row row;
	row = ( Row ){ .surface = { .positions = row.positions, .indices = row.indices } };
	AddOctahedron( &row, 0.1f, 8 ); // rigid
	AddOctahedron( &row, 1.0f, 8 ); // large
	AddOctahedron( &row, 0.1f, 7 ); // open
	AddOctahedron( &row, 0.1f, 8 ); // a vertex on another bone
	row.bones[SUP_MAX_INFLUENCES * 20] = 4;
	AddOctahedron( &row, 0.1f, 8 ); // a vertex between bones
	row.weights[SUP_MAX_INFLUENCES * 26] = 0.7f;
	AddOctahedron( &row, 0.1f, 8 ); // rigid, with two vertices at one place as seams have them
	row.indices[3 * 39] = Copy( &row, 30 );
	supArena scratch = { 0 };
	uint32_t sorted[24 * SHAPES];
	int32_t softCount = 0;
	supRigidPartsDef def = {
		.surface = &row.surface, .bones = row.bones, .weights = row.weights, .most = 0.3f, .isStrict = true
	};
	assert_true( supSortRigidParts( &def, &scratch, sorted, &softCount ) );
	assert_int_equal( softCount, 8 + 7 + 8 + 8 );
	assert_memory_equal( sorted, row.indices + 24, 3 * (size_t)softCount * sizeof( uint32_t ) );
	assert_memory_equal( sorted + 3 * softCount, row.indices, 24 * sizeof( uint32_t ) );
	assert_memory_equal( sorted + 3 * softCount + 24, row.indices + 3 * 39, 24 * sizeof( uint32_t ) );
	// what was made rigid is, whatever its size and however open, but not where it is one with something else
	bool made[6 * SHAPES + 1] = { false };
	for ( int32_t i = 6; i < 6 * 3; ++i )
	{
		made[i] = i != 12;
	}
	def.made = made;
	assert_true( supSortRigidParts( &def, &scratch, sorted, &softCount ) );
	assert_int_equal( softCount, 7 + 8 + 8 );
	// where nothing else is left they are the skin
	row.surface.triangleCount = 8;
	def.made = NULL;
	assert_true( supSortRigidParts( &def, &scratch, sorted, &softCount ) );
	assert_int_equal( softCount, 8 );
	supArena_Destroy( &scratch );
}

static void OnlySkinHasNodes( void** state )
{
	(void)state;
	assert_int_equal( s_chain.own->skin.nodeCount, TUBE_VERTICES );
	assert_int_equal( s_chain.own->layer.outerCount, TUBE_VERTICES + TEST_BUTTON_VERTICES );
	Stage soft = { 0 };
	const supSetting settings[] = { { "rigid", 0.0f } };
	BuildChain( &soft, settings, 1 );
	assert_int_equal( soft.own->skin.nodeCount, TUBE_VERTICES + TEST_BUTTON_VERTICES );
	FreeStage( &soft );
	// the paper's deer, whose eyes are 916 vertices more
	BuildStage( &soft, "deer1748", NULL, 0 );
	assert_int_equal( soft.own->skin.nodeCount, 1748 );
	assert_int_equal( soft.own->layer.outerCount, 1748 + 916 );
	FreeStage( &soft );
}

// A layer is hollow: what looks for flesh inwards from a vertex of a thin limb finds the far side.
static void VerticesHangOnTheirNodes( void** state )
{
	(void)state;
	for ( int32_t i = 0; i < TUBE_VERTICES + TEST_BUTTON_VERTICES; ++i )
	{
		int32_t particles[SUP_MAX_BOUND];
		float weights[SUP_MAX_BOUND];
		assert_int_equal( supLayered_BindVertex( s_chain.own, 0, i, particles, weights ), 1 );
		assert_int_equal( particles[0], s_chain.own->layer.vertexPoints[i] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Motion

// Farthest that a vertex of the button is from where its link has it.
static double MeasureButton( const Stage* stage )
{
	supLayeredView view = supLayered_View( stage->own, stage->actor->state );
	const supVec3* rest = supCharacter_Mesh( stage->character, 0 )->positions;
	int32_t last = stage->own->links.count - 1;
	supMat3d r = supMakeMat3dQuat( view.links[last].rotation );
	double worst = 0.0;
	for ( int32_t i = TUBE_VERTICES; i < TUBE_VERTICES + TEST_BUTTON_VERTICES; ++i )
	{
		supVec3d arm = supSubVec3d( supWidenVec3( rest[i] ), stage->own->links.links[last].center );
		supVec3d place = supAddVec3d( view.links[last].center, supMulMat3dVec( &r, arm ) );
		supVec3d now = supWidenVec3( supActor_Positions( stage->actor, 0 )[i] );
		worst = fmax( worst, supLengthVec3d( supSubVec3d( now, place ) ) );
	}
	return worst;
}

static void ButtonsGoWithTheirLink( void** state )
{
	(void)state;
	Enter( &s_chain, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_chain );
	Kick( &s_chain, 2.0 );
	double worst = 0.0, most = 0.0;
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s_chain.scene, DT );
		supLayeredView view = supLayered_View( s_chain.own, s_chain.actor->state );
		worst = fmax( worst, MeasureButton( &s_chain ) );
		for ( int32_t k = 0; k < 3 * s_chain.own->skin.nodeCount; ++k )
		{
			most = fmax( most, fabs( view.q[k] ) );
		}
	}
	print_message( "skin moves by up to %g m, the button %g m from its link\n", most, worst );
	testGreater( most, 0.002 );
	// rounding: six metres below where it began
	testLess( worst, 3e-6 );
	Leave( &s_chain );
}

// A box falls on the button and touches nothing else: the body takes what the box loses.
static void TouchesPushTheLink( void** state )
{
	(void)state;
	Enter( &s_chain, supVec3_zero, NULL );
	LetGo( &s_chain );
	supShapeDef box = { .kind = sup_shapeBox, .halfExtents = { 0.05f, 0.05f, 0.05f } };
	supCollider* collider =
		AddCollider( &s_chain, box, sup_colliderDynamic, supAdd( s_button, supMakeVec3( 0.0f, 0.2f, 0.0f ) ) );
	assert_true( supCollider_SetVelocity( collider, supMakeVec3( 0.0f, -2.0f, 0.0f ), supVec3_zero ) );
	double mass = (double)supCollider_Mass( collider ), before = -2.0 * mass, worst = 0.0, bent = 0.0;
	int32_t touching = 0;
	for ( int32_t i = 0; i < 30; ++i )
	{
		supScene_Step( s_chain.scene, DT );
		supLayeredView view = supLayered_View( s_chain.own, s_chain.actor->state );
		for ( int32_t k = 0; k < view.header->touchCount && view.touches[k].impulse.y < 0.0; ++k )
		{
			testGreaterEqual( view.touches[k].node, s_chain.own->skin.nodeCount );
			touching += 1;
		}
		double now = MeasureMomentum( &s_chain ).linear.y + mass * (double)supCollider_Velocity( collider ).y;
		worst = fmax( worst, fabs( now / before - 1.0 ) );
		bent = fmax( bent, MeasureButton( &s_chain ) );
	}
	double got = MeasureMomentum( &s_chain ).linear.y;
	print_message( "%d touches; body %g of %g kg m/s, sum off by %g; button %g m from its link\n", touching, got,
				   before, worst, bent );
	testGreater( touching, 0 );
	testLess( got, 0.1 * before );
	testLess( worst, 1e-4 );
	testLess( bent, 3e-6 );
	Leave( &s_chain );
}

// One comes down on the button of another with its skin.
static void CharactersPushEachOther( void** state )
{
	(void)state;
	supError error = { 0 };
	Enter( &s_chain, supVec3_zero, NULL );
	LetGo( &s_chain );
	Stage other = s_chain;
	other.actor = supScene_AddActor( s_chain.scene, s_chain.flesh, &error );
	testRequire( other.actor != NULL, &error );
	LetGo( &other );
	supContactSettings contact = supDefaultContactSettings();
	contact.withActors = true;
	testRequire( supActor_SetContact( s_chain.actor, &contact, &error ), &error );
	testRequire( supActor_SetContact( other.actor, &contact, &error ), &error );
	supPose* pose = supActor_Pose( other.actor );
	supTransform local = supPose_GetLocal( pose, 1 );
	local.translation = supAdd( local.translation, supMakeVec3( 0.4f, 0.35f, 0.0f ) );
	supPose_SetLocal( pose, 1, local );
	supActor_Reset( other.actor );
	supLayeredView view = supLayered_View( other.own, other.actor->state );
	for ( int32_t i = 0; i < other.own->links.count; ++i )
	{
		view.links[i].velocity.y = -1.0;
	}
	Momentum before = MeasureMomentum( &other );
	double worst = 0.0;
	for ( int32_t i = 0; i < 30; ++i )
	{
		supScene_Step( s_chain.scene, DT );
		Momentum a = MeasureMomentum( &s_chain ), b = MeasureMomentum( &other );
		worst = fmax( worst, fabs( ( a.linear.y + b.linear.y ) / before.linear.y - 1.0 ) );
	}
	double got = MeasureMomentum( &s_chain ).linear.y;
	print_message( "the lower one has %g of %g kg m/s, sum off by %g\n", got, before.linear.y, worst );
	testLess( got, 0.1 * before.linear.y );
	testLess( worst, 1e-4 );
	Leave( &s_chain );
}

// By its button alone: hung up on a nail, then dragged.
static void ButtonsHoldTheBody( void** state )
{
	(void)state;
	supSurfacePoint point = { .vertices = { TUBE_VERTICES, TUBE_VERTICES + 2, TUBE_VERTICES + 4 },
							  .weights = { 0.0f, 1.0f, 0.0f } };
	supError error = { 0 };
	Enter( &s_chain, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_chain );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0].position = supActor_Positions( s_chain.actor, 0 )[point.vertices[1]];
	def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = s_chain.actor, .point = point };
	supAttachment* nail = supScene_Attach( s_chain.scene, &def, &error );
	testRequire( nail != NULL, &error );
	double gap = 0.0;
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s_chain.scene, DT );
		gap = fmax( gap, (double)supAttachment_Gap( nail ) );
	}
	Leave( &s_chain );
	Enter( &s_chain, supVec3_zero, NULL );
	LetGo( &s_chain );
	supScene_Step( s_chain.scene, DT );
	supDragDef drag = supDefaultDragDef( s_chain.actor, &point );
	supDragId id = supActor_StartDrag( s_chain.actor, &drag );
	testGreaterEqual( id, 0 );
	supVec3 place = supActor_Positions( s_chain.actor, 0 )[point.vertices[1]];
	supActor_MoveDrag( s_chain.actor, id, supAdd( place, supMakeVec3( 0.0f, 0.5f, 0.0f ) ) );
	for ( int32_t i = 0; i < 120; ++i )
	{
		supScene_Step( s_chain.scene, DT );
	}
	double way = (double)( supActor_Positions( s_chain.actor, 0 )[point.vertices[1]].y - place.y );
	print_message( "gap %g m at most; dragged by %g of 0.5 m\n", gap, way );
	testLess( gap, 2e-5 );
	testGreater( way, 0.4 );
	Leave( &s_chain );
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

static void FilesKeepThem( void** state )
{
	(void)state;
	supError error = { 0 };
	size_t size = 0;
	uint8_t* bytes = supWriteFlesh( s_chain.flesh, &size, &error );
	testRequire( bytes != NULL, &error );
	Stage loaded = s_chain;
	loaded.flesh = supReadFlesh( bytes, size, "chain.flesh", s_chain.character, &error );
	testRequire( loaded.flesh != NULL, &error );
	loaded.own = loaded.flesh->own;
	assert_int_equal( loaded.own->skin.nodeCount, s_chain.own->skin.nodeCount );
	Stage* stages[2] = { &s_chain, &loaded };
	for ( int32_t k = 0; k < 2; ++k )
	{
		Enter( stages[k], supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
		LetGo( stages[k] );
		AddCollider( stages[k], ( supShapeDef ){ .kind = sup_shapePlane }, sup_colliderStill,
					 supMakeVec3( 0.0f, -0.1f, 0.0f ) );
		for ( int32_t i = 0; i < 20; ++i )
		{
			supScene_Step( stages[k]->scene, DT );
		}
	}
	assert_memory_equal( supActor_Positions( s_chain.actor, 0 ), supActor_Positions( loaded.actor, 0 ),
						 ( TUBE_VERTICES + TEST_BUTTON_VERTICES ) * sizeof( supVec3 ) );
	Leave( &loaded );
	Leave( &s_chain );
	supDestroyFlesh( loaded.flesh );
	supFree( bytes );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( SmallClosedPartsOfOneBone ), cmocka_unit_test( OnlySkinHasNodes ),
		cmocka_unit_test( VerticesHangOnTheirNodes ),  cmocka_unit_test( ButtonsGoWithTheirLink ),
		cmocka_unit_test( TouchesPushTheLink ),        cmocka_unit_test( CharactersPushEachOther ),
		cmocka_unit_test( ButtonsHoldTheBody ),        cmocka_unit_test( FilesKeepThem ),
	};
	return cmocka_run_group_tests( tests, BuildShared, FreeShared );
}
