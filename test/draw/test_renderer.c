// SPDX-License-Identifier: MIT
// labels: threads
// The ray tracer: framing, projection, what is in front, shadows, textures, the same picture for any number of threads.
#include "support.h"

#include "draw/renderer.h"

#include <string.h>

// A cube of side 2 around the origin, flat shaded.
static const supVec3 s_corners[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
									  { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };
static const uint32_t s_faces[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
									  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };

static supMaterial MakeMaterial( float r, float g, float b )
{
	return ( supMaterial ){ .name = "", .baseColor = { r, g, b, 1.0f }, .roughness = 1.0f, .baseColorImage = -1 };
}

static supPicture Render( const supDrawMesh* meshes, int32_t count, const supMaterial* materials, int32_t materialCount,
						  const supPicture* textures, int32_t textureCount, supRenderDef def, int32_t threads )
{
	supError error = { 0 };
	supThreadPool* pool = supCreateThreadPool( threads );
	supRenderer* renderer =
		supCreateRenderer( meshes, count, materials, materialCount, textures, textureCount, &error );
	testRequire( renderer != NULL, &error );
	supPicture picture;
	testRequire( supRenderer_Draw( renderer, &def, supThreadPool_Tasks( pool ), &picture, &error ), &error );
	supDestroyRenderer( renderer );
	supDestroyThreadPool( pool );
	return picture;
}

static supRenderDef FrameCube( float azimuth, float elevation )
{
	supBox box = { { -1, -1, -1 }, { 1, 1, 1 } };
	return ( supRenderDef ){ .width = 96,
							 .height = 64,
							 .view = supFrameView( box, azimuth, elevation, 1.5f ),
							 .ground = -1.0f,
							 .background = { 0.6f, 0.6f, 0.6f } };
}

static const supPrimitive s_whole = { .vertexCount = 8, .indexCount = 36, .material = 0 };

static supDrawMesh MakeCube( void )
{
	return ( supDrawMesh ){ .vertexCount = 8,
							.positions = s_corners,
							.indexCount = 36,
							.indices = s_faces,
							.primitiveCount = 1,
							.primitives = &s_whole };
}

static const uint8_t* PixelAt( const supPicture* picture, int32_t x, int32_t y )
{
	return picture->pixels + 4 * ( y * picture->width + x );
}

static void TestFramingHoldsTheBox( void** state )
{
	(void)state;
	supBox box = { { -0.3f, 0.0f, -2.0f }, { 0.5f, 1.8f, 1.0f } };
	for ( float azimuth = -180.0f; azimuth < 180.0f; azimuth += 35.0f )
	{
		supView view = supFrameView( box, azimuth, 20.0f, 16.0f / 9.0f );
		float nearest = 1e9f;
		for ( int i = 0; i < 8; ++i )
		{
			supVec3 corner = { i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
							   i & 4 ? box.upper.z : box.lower.z };
			supVec2 p;
			assert_true( supView_Project( &view, 1280, 720, corner, &p ) );
			testGreaterEqual( p.x, 0.0f );
			testLessEqual( p.x, 1280.0f );
			testGreaterEqual( p.y, 0.0f );
			testLessEqual( p.y, 720.0f );
			float border = supMinFloat( supMinFloat( p.x, 1280.0f - p.x ), supMinFloat( p.y, 720.0f - p.y ) );
			nearest = supMinFloat( nearest, border );
		}
		// and it is no farther away than it has to be
		testLess( nearest, 70.0f );
	}
}

static void TestFrontHidesBack( void** state )
{
	(void)state;
	// a green cube behind a red one, seen from the front
	supVec3 behind[8];
	for ( int i = 0; i < 8; ++i )
	{
		behind[i] = supAdd( s_corners[i], supMakeVec3( 0.0f, 0.0f, -3.0f ) );
	}
	supMaterial materials[2] = { MakeMaterial( 0.8f, 0.02f, 0.02f ), MakeMaterial( 0.02f, 0.8f, 0.02f ) };
	supPrimitive second = s_whole;
	second.material = 1;
	supDrawMesh meshes[2] = { MakeCube(), MakeCube() };
	meshes[1].positions = behind;
	meshes[1].primitives = &second;
	supPicture front = Render( meshes, 2, materials, 2, NULL, 0, FrameCube( 0.0f, 0.0f ), 1 );
	const uint8_t* p = PixelAt( &front, 48, 32 );
	testGreater( p[0], 100 );
	testLess( p[1], 60 );
	supPicture back = Render( meshes, 2, materials, 2, NULL, 0, FrameCube( 180.0f, 0.0f ), 1 );
	p = PixelAt( &back, 48, 32 );
	testGreater( p[1], 60 );
	testLess( p[0], 60 );
	// the corner of the picture is background
	p = PixelAt( &front, 1, 1 );
	testGreater( p[0], 150 );
	testGreater( p[1], 150 );
	testGreater( p[2], 150 );
	supPicture_Destroy( &front );
	supPicture_Destroy( &back );
}

static void TestGroundCatchesShadow( void** state )
{
	(void)state;
	supMaterial material = MakeMaterial( 0.5f, 0.5f, 0.5f );
	supDrawMesh cube = MakeCube();
	supRenderDef def = FrameCube( 20.0f, 35.0f );
	supPicture without = Render( &cube, 1, &material, 1, NULL, 0, def, 1 );
	def.showGround = true;
	supPicture with = Render( &cube, 1, &material, 1, NULL, 0, def, 1 );
	int darker = 0;
	for ( int32_t i = 0; i < with.width * with.height; ++i )
	{
		darker += with.pixels[4 * i] + 12 < without.pixels[4 * i];
	}
	// a shadow, but not the whole picture
	testGreater( darker, 40 );
	testLess( darker, with.width * with.height / 2 );
	supPicture_Destroy( &without );
	supPicture_Destroy( &with );
}

static void TestTextureAndHeat( void** state )
{
	(void)state;
	// left half blue, right half yellow
	supPicture texture;
	assert_true( supPicture_Create( &texture, 2, 1 ) );
	memcpy( texture.pixels, ( uint8_t[] ){ 0, 0, 255, 255, 255, 255, 0, 255 }, 8 );
	supVec2 texcoords[8];
	float heat[8];
	for ( int i = 0; i < 8; ++i )
	{
		texcoords[i] = ( supVec2 ){ 0.25f + 0.25f * ( s_corners[i].x + 1.0f ), 0.5f };
		heat[i] = 0.5f * ( s_corners[i].x + 1.0f );
	}
	supMaterial material = MakeMaterial( 1.0f, 1.0f, 1.0f );
	material.baseColorImage = 0;
	supDrawMesh cube = MakeCube();
	cube.texcoords = texcoords;
	supPicture picture = Render( &cube, 1, &material, 1, &texture, 1, FrameCube( 0.0f, 0.0f ), 1 );
	const uint8_t* left = PixelAt( &picture, 32, 32 );
	const uint8_t* right = PixelAt( &picture, 64, 32 );
	testGreater( left[2], left[0] + 60 );
	testGreater( right[0], right[2] + 60 );
	supPicture_Destroy( &picture );

	cube.heat = heat;
	picture = Render( &cube, 1, &material, 1, &texture, 1, FrameCube( 0.0f, 0.0f ), 1 );
	left = PixelAt( &picture, 30, 32 );
	right = PixelAt( &picture, 66, 32 );
	testGreater( right[0], left[0] );
	testGreater( right[1], left[1] );
	supPicture_Destroy( &picture );
	supPicture_Destroy( &texture );
}

static void TestTransparencyIsSeenThrough( void** state )
{
	(void)state;
	supMaterial material = MakeMaterial( 1.0f, 0.0f, 0.0f );
	material.alphaMode = sup_alphaMask;
	material.alphaCutoff = 0.5f;
	material.baseColor.w = 0.1f;
	supDrawMesh cube = MakeCube();
	supPicture picture = Render( &cube, 1, &material, 1, NULL, 0, FrameCube( 0.0f, 0.0f ), 1 );
	const uint8_t* p = PixelAt( &picture, 48, 32 );
	assert_true( p[0] == p[1] || ( p[0] - p[1] < 4 && p[1] - p[0] < 4 ) );
	supPicture_Destroy( &picture );
}

static void TestSamePictureForAnyThreads( void** state )
{
	(void)state;
	supMaterial material = MakeMaterial( 0.6f, 0.4f, 0.3f );
	supDrawMesh cube = MakeCube();
	supRenderDef def = FrameCube( 30.0f, 20.0f );
	def.showGround = true;
	def.wireframe = true;
	supPicture one = Render( &cube, 1, &material, 1, NULL, 0, def, 1 );
	for ( int32_t threads = 2; threads <= 4; ++threads )
	{
		supPicture many = Render( &cube, 1, &material, 1, NULL, 0, def, threads );
		assert_memory_equal( many.pixels, one.pixels, 4 * one.width * one.height );
		supPicture_Destroy( &many );
	}
	supPicture_Destroy( &one );
}

static void TestMovedMeshIsSeen( void** state )
{
	(void)state;
	supVec3 moving[8];
	memcpy( moving, s_corners, sizeof( moving ) );
	supMaterial material = MakeMaterial( 0.8f, 0.1f, 0.1f );
	supDrawMesh cube = MakeCube();
	cube.positions = moving;
	supError error = { 0 };
	supRenderer* renderer = supCreateRenderer( &cube, 1, &material, 1, NULL, 0, &error );
	supRenderDef def = FrameCube( 0.0f, 0.0f );
	for ( int i = 0; i < 8; ++i )
	{
		moving[i].x += 50.0f;
	}
	supRenderer_Update( renderer );
	supPicture picture;
	testRequire( supRenderer_Draw( renderer, &def, NULL, &picture, &error ), &error );
	const uint8_t* p = PixelAt( &picture, 48, 32 );
	testLess( p[0] - p[1], 4 );
	supPicture_Destroy( &picture );
	supDestroyRenderer( renderer );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestFramingHoldsTheBox ),        cmocka_unit_test( TestFrontHidesBack ),
		cmocka_unit_test( TestGroundCatchesShadow ),       cmocka_unit_test( TestTextureAndHeat ),
		cmocka_unit_test( TestTransparencyIsSeenThrough ), cmocka_unit_test( TestSamePictureForAnyThreads ),
		cmocka_unit_test( TestMovedMeshIsSeen ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
