// SPDX-License-Identifier: MIT
// A block with a bone through its middle, cut open: from the middle outwards the colours of bone, muscle, fat and skin.
#include "support.h"

#include "draw/layer_view.h"

#include <string.h>

static supCharacter* MakeBlock( void )
{
	static const uint32_t indices[36] = { 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
										  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6 };
	supVec3 positions[8];
	uint16_t joints[8] = { 0 };
	float weights[8];
	for ( int32_t i = 0; i < 8; ++i )
	{
		positions[i] =
			supMakeVec3( ( i & 1 ) != 0 ? 1.0f : -1.0f, ( i & 2 ) != 0 ? 1.0f : -1.0f, ( i & 4 ) != 0 ? 1.0f : -1.0f );
		weights[i] = 1.0f;
	}
	supNode nodes[2] = { { .name = "low", .parent = -1, .rest = supTransform_identity },
						 { .name = "high", .parent = 0, .rest = supTransform_identity } };
	nodes[0].rest.translation.y = -0.9f;
	nodes[1].rest.translation.y = 1.2f;
	const int32_t skinJoints[2] = { 0, 1 };
	supMat34 inverses[2] = { supMat34_identity, supMat34_identity };
	inverses[0].t.y = 0.9f;
	inverses[1].t.y = -0.3f;
	supMesh mesh = { .vertexCount = 8,
					 .indexCount = 36,
					 .indices = indices,
					 .positions = positions,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = 2;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = &( supSkin ){ .jointCount = 2, .joints = skinJoints, .inverseBinds = inverses };
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &( supInstance ){ 0, 0, 0, NULL };
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

static const uint8_t* PixelAt( const supPicture* picture, float across )
{
	int32_t x = (int32_t)( across * (float)picture->width );
	return picture->pixels + 4 * ( picture->height / 2 * picture->width + x );
}

static void TestColoursOfLayers( void** state )
{
	(void)state;
	supCharacter* character = MakeBlock();
	supError error = { 0 };
	supBox box = { { -1, -1, -1 }, { 1, 1, 1 } };
	supRenderDef def = { .width = 210,
						 .height = 210,
						 .view = supFrameView( box, 0.0f, 0.0f, 1.0f ),
						 .ground = -1.0f,
						 .background = { 0.6f, 0.6f, 0.6f } };
	supLayerView* view =
		supCreateLayerView( character, NULL, 21, supSub( def.view.eye, def.view.target ), NULL, &error );
	testRequire( view != NULL, &error );
	supPicture picture;
	testRequire( supLayerView_Draw( view, &def, NULL, &picture, &error ), &error );
	// where the cut is in the picture: half way into the block
	supVec2 left, right;
	assert_true( supView_Project( &def.view, 210, 210, supMakeVec3( -1, 0, 0 ), &left ) );
	assert_true( supView_Project( &def.view, 210, 210, supMakeVec3( 1, 0, 0 ), &right ) );
	float from = left.x / 210.0f, size = ( right.x - left.x ) / 210.0f;
	const uint8_t* bone = PixelAt( &picture, from + 0.5f * size );
	const uint8_t* muscle = PixelAt( &picture, from + 0.38f * size );
	const uint8_t* fat = PixelAt( &picture, from + 0.12f * size );
	const uint8_t* skin = PixelAt( &picture, from + 0.024f * size );
	// ivory, red, yellow, pink by the shares of green and blue
	testGreater( 10 * bone[1], 9 * bone[0] );
	testGreater( 10 * bone[2], 8 * bone[0] );
	testLess( 2 * muscle[1], muscle[0] );
	testGreater( 10 * fat[1], 6 * fat[0] );
	testLess( 2 * fat[2], fat[1] + fat[1] / 2 );
	testGreater( 10 * skin[2], 5 * skin[0] );
	testLess( 10 * skin[1], 9 * skin[0] );
	supPicture_Destroy( &picture );
	supDestroyLayerView( view );

	assert_null( supCreateLayerView( character, NULL, 0, supMakeVec3( 0, 0, 1 ), NULL, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supDestroyCharacter( character );
}

// Bones do not fit into one large voxel, and the view says so; other layers than the standard ones have colours too.
static void TestNotesAndOtherLayers( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* block = MakeBlock();
	supFleshDef flesh = supDefaultFleshDef();
	int32_t count;
	const supLayer* standard = supStandardLayers( &count );
	const supLayer layers[] = { standard[0], standard[1], standard[count - 1] };
	flesh.layers = layers;
	flesh.layerCount = 3;
	for ( int32_t i = 0; i < 2; ++i )
	{
		supLayerView* view =
			supCreateLayerView( block, i == 0 ? NULL : &flesh, 1, supMakeVec3( 0, 0, 1 ), NULL, &error );
		testRequire( view != NULL, &error );
		assert_int_equal( supLayerView_NoteCount( view ), 1 );
		assert_non_null( strstr( supLayerView_Note( view, 0 ), "too small for resolution 1" ) );
		supDestroyLayerView( view );
	}
	supDestroyCharacter( block );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestColoursOfLayers ),
										cmocka_unit_test( TestNotesAndOtherLayers ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
