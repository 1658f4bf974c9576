// SPDX-License-Identifier: MIT
// Rules of glTF one by one, each on a file made for it.
#include "gltf_maker.h"

#include "io/gltf/document.h"
#include "supple/supple.h"

static supDocument* Parse( const void* bytes, size_t size )
{
	supError error = { 0 };
	supDocument* document = supParseDocument( bytes, size, "case.glb", NULL, NULL, &error );
	testRequire( document != NULL, &error );
	return document;
}

static supDocument* ParseMade( const Maker* maker, const char* rest )
{
	size_t size = 0;
	unsigned char* glb = maker_Glb( maker, rest, &size );
	supDocument* document = Parse( glb, size );
	free( glb );
	return document;
}

static supCharacter* Create( const supDocument* document )
{
	supError error = { 0 };
	supCharacter* character = supDocument_CreateCharacter( document, &error );
	testRequire( character != NULL, &error );
	return character;
}

static supCharacter* CreateMade( const Maker* maker, const char* rest )
{
	supDocument* document = ParseMade( maker, rest );
	supCharacter* character = Create( document );
	supDestroyDocument( document );
	return character;
}

static bool HasNote( const supCharacter* character, const char* text )
{
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		if ( strstr( supCharacter_Note( character, i )->text, text ) != NULL )
		{
			return true;
		}
	}
	return false;
}

static Maker* NewMaker( void** state )
{
	Maker* maker = calloc( 1, sizeof( Maker ) );
	assert_non_null( maker );
	*state = maker;
	return maker;
}

static int FreeMaker( void** state )
{
	free( *state );
	*state = NULL;
	return 0;
}

static void CheckFloats( const supDocument* document, int accessor, const float* expected, int count )
{
	supError error = { 0 };
	supArena arena = { 0 };
	supAccessor shape;
	const float* values = supDocument_ReadFloats( document, accessor, "test", &arena, &shape, &error );
	testRequire( values != NULL, &error );
	assert_int_equal( shape.count * shape.width, count );
	for ( int i = 0; i < count; ++i )
	{
		if ( values[i] != expected[i] )
		{
			fail_msg( "accessor %d, component %d: %.9g instead of %.9g", accessor, i, (double)values[i],
					  (double)expected[i] );
		}
	}
	supArena_Destroy( &arena );
}

// ---------------------------------------------------------------------------------------------------------------------
// Accessors

// glTF 2.0, 3.6.2.2: c / 127, c / 255, c / 32767, c / 65535, and never below -1.
static void TestComponentTypes( void** state )
{
	Maker* maker = NewMaker( state );
	static const int8_t i8[4] = { -128, -127, 0, 127 };
	static const uint8_t u8[4] = { 0, 51, 204, 255 };
	static const int16_t i16[4] = { -32768, -32767, 0, 32767 };
	static const uint16_t u16[4] = { 0, 13107, 52428, 65535 };
	static const uint32_t u32[2] = { 7, 4000000000u };
	static const char* normalized = ",\"normalized\":true";
	maker_Accessor( maker, i8, 4, 4, 5120, "SCALAR", normalized );
	maker_Accessor( maker, u8, 4, 4, 5121, "SCALAR", normalized );
	maker_Accessor( maker, i16, 8, 4, 5122, "SCALAR", normalized );
	maker_Accessor( maker, u16, 8, 4, 5123, "SCALAR", normalized );
	maker_Accessor( maker, i8, 4, 4, 5120, "SCALAR", "" );
	maker_Accessor( maker, u8, 4, 2, 5121, "VEC2", "" );
	maker_Accessor( maker, i16, 8, 1, 5122, "VEC4", "" );
	maker_Accessor( maker, u32, 8, 2, 5125, "SCALAR", "" );
	supDocument* document = ParseMade( maker, "" );
	CheckFloats( document, 0, ( const float[] ){ -1.0f, -1.0f, 0.0f, 1.0f }, 4 );
	CheckFloats( document, 1, ( const float[] ){ 0.0f, 0.2f, 0.8f, 1.0f }, 4 );
	CheckFloats( document, 2, ( const float[] ){ -1.0f, -1.0f, 0.0f, 1.0f }, 4 );
	CheckFloats( document, 3, ( const float[] ){ 0.0f, 0.2f, 0.8f, 1.0f }, 4 );
	CheckFloats( document, 4, ( const float[] ){ -128.0f, -127.0f, 0.0f, 127.0f }, 4 );
	CheckFloats( document, 5, ( const float[] ){ 0.0f, 51.0f, 204.0f, 255.0f }, 4 );
	CheckFloats( document, 6, ( const float[] ){ -32768.0f, -32767.0f, 0.0f, 32767.0f }, 4 );
	CheckFloats( document, 7, ( const float[] ){ 7.0f, 4000000000.0f }, 2 );
	supDestroyDocument( document );
}

static void TestStridesAndOffsets( void** state )
{
	Maker* maker = NewMaker( state );
	// position and a short, interleaved: 16 bytes a vertex
	unsigned char bytes[3 * 16] = { 0 };
	for ( int i = 0; i < 3; ++i )
	{
		float position[3] = { (float)i, 10.0f + (float)i, 20.0f + (float)i };
		uint16_t number = (uint16_t)( 1000 + i );
		memcpy( bytes + 16 * i, position, 12 );
		memcpy( bytes + 16 * i + 12, &number, 2 );
	}
	int view = maker_View( maker, bytes, sizeof( bytes ), 16 );
	maker_AccessorOf( maker, view, 3, 5126, "VEC3", "" );
	maker_AccessorOf( maker, view, 3, 5123, "SCALAR", ",\"byteOffset\":12" );
	// one element too many: its last byte would be the view's first beyond the end
	maker_AccessorOf( maker, view, 4, 5123, "SCALAR", ",\"byteOffset\":12" );
	maker_AccessorOf( maker, view, 3, 5126, "VEC3", ",\"byteOffset\":4" );
	maker_AccessorOf( maker, view, 3, 5126, "VEC4", ",\"byteOffset\":4" );
	supDocument* document = ParseMade( maker, "" );
	CheckFloats( document, 0, ( const float[] ){ 0, 10, 20, 1, 11, 21, 2, 12, 22 }, 9 );
	CheckFloats( document, 1, ( const float[] ){ 1000, 1001, 1002 }, 3 );
	supAccessor shape;
	supError error = { 0 };
	assert_false( supDocument_Accessor( document, 2, "test", &shape, &error ) );
	assert_int_equal( error.code, sup_errorFormat );
	supError none = { 0 };
	assert_true( supDocument_Accessor( document, 3, "test", &shape, &none ) );
	assert_false( supDocument_Accessor( document, 4, "test", &shape, &none ) );
	supDestroyDocument( document );
}

// Columns of matrices start at multiples of four bytes.
static void TestMatrixColumns( void** state )
{
	Maker* maker = NewMaker( state );
	static const uint8_t mat2[8] = { 1, 2, 99, 99, 3, 4, 99, 99 };
	static const uint8_t mat3[12] = { 1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9, 99 };
	static const uint16_t mat3s[12] = { 1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9, 99 };
	maker_Accessor( maker, mat2, sizeof( mat2 ), 1, 5121, "MAT2", "" );
	maker_Accessor( maker, mat3, sizeof( mat3 ), 1, 5121, "MAT3", "" );
	maker_Accessor( maker, mat3s, sizeof( mat3s ), 1, 5123, "MAT3", "" );
	supDocument* document = ParseMade( maker, "" );
	CheckFloats( document, 0, ( const float[] ){ 1, 2, 3, 4 }, 4 );
	CheckFloats( document, 1, ( const float[] ){ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 9 );
	CheckFloats( document, 2, ( const float[] ){ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 9 );
	supDestroyDocument( document );
}

static void TestSparse( void** state )
{
	Maker* maker = NewMaker( state );
	static const float base[4] = { 1, 2, 3, 4 };
	static const uint16_t indices[2] = { 1, 3 };
	static const uint8_t outside[1] = { 4 };
	static const float values[2] = { 20, 40 };
	int indexView = maker_View( maker, indices, sizeof( indices ), 0 );
	int valueView = maker_View( maker, values, sizeof( values ), 0 );
	int outsideView = maker_View( maker, outside, sizeof( outside ), 0 );
	char sparse[256], bad[256];
	snprintf(
		sparse, sizeof( sparse ),
		",\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":%d,\"componentType\":5123},\"values\":{\"bufferView\":%d}}",
		indexView, valueView );
	snprintf(
		bad, sizeof( bad ),
		",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":%d,\"componentType\":5121},\"values\":{\"bufferView\":%d}}",
		outsideView, valueView );
	maker_Accessor( maker, base, sizeof( base ), 4, 5126, "SCALAR", sparse );
	maker_AccessorOf( maker, -1, 4, 5126, "SCALAR", sparse );
	maker_AccessorOf( maker, -1, 3, 5126, "SCALAR", "" );
	maker_AccessorOf( maker, -1, 4, 5126, "SCALAR", bad );
	supDocument* document = ParseMade( maker, "" );
	CheckFloats( document, 0, ( const float[] ){ 1, 20, 3, 40 }, 4 );
	CheckFloats( document, 1, ( const float[] ){ 0, 20, 0, 40 }, 4 );
	CheckFloats( document, 2, ( const float[] ){ 0, 0, 0 }, 3 );
	supError error = { 0 };
	supArena arena = { 0 };
	supAccessor shape;
	assert_null( supDocument_ReadFloats( document, 3, "test", &arena, &shape, &error ) );
	assert_non_null( strstr( error.message, "sparse index 4" ) );
	supArena_Destroy( &arena );
	supDestroyDocument( document );
}

// ---------------------------------------------------------------------------------------------------------------------
// Meshes

// A fan and a strip over a convex polygon are the same surface as the list, with the same orientation.
static void TestStripsAndFans( void** state )
{
	Maker* maker = NewMaker( state );
	static const float positions[5][3] = { { 0, 0, 0 }, { 2, 0, 0 }, { 3, 1, 0 }, { 1, 3, 0 }, { -1, 1, 0 } };
	// a strip zigzags through the polygon
	static const uint8_t strip[5] = { 0, 1, 4, 2, 3 };
	maker_Accessor( maker, positions, sizeof( positions ), 5, 5126, "VEC3", "" );
	maker_Accessor( maker, strip, sizeof( strip ), 5, 5121, "SCALAR", "" );
	supCharacter* character = CreateMade(
		maker, "\"nodes\":[{\"mesh\":0},{\"mesh\":1}],\"meshes\":[{\"primitives\":[{\"mode\":6,\"attributes\":"
			   "{\"POSITION\":0}}]},{\"primitives\":[{\"mode\":5,\"attributes\":{\"POSITION\":0},\"indices\":1},"
			   "{\"mode\":0,\"attributes\":{\"POSITION\":0}},{\"mode\":3,\"attributes\":{\"POSITION\":0}}]}]" );
	for ( int m = 0; m < 2; ++m )
	{
		const supMesh* mesh = supCharacter_Mesh( character, m );
		assert_int_equal( mesh->indexCount, 9 );
		assert_int_equal( mesh->primitiveCount, 1 );
		float area = 0.0f;
		for ( int i = 0; i < mesh->indexCount; i += 3 )
		{
			supVec3 a = mesh->positions[mesh->indices[i]];
			supVec3 b = mesh->positions[mesh->indices[i + 1]];
			supVec3 c = mesh->positions[mesh->indices[i + 2]];
			float doubled = supCross( supSub( b, a ), supSub( c, a ) ).z;
			testGreater( doubled, 0.0f );
			area += 0.5f * doubled;
		}
		// by the shoelace formula: (2 + 8 + 4) / 2
		assert_float_equal( area, 7.0f, 1e-6f );
	}
	assert_true( HasNote( character, "points or lines" ) );
	supDestroyCharacter( character );
}

static void TestPrimitivesFollowEachOther( void** state )
{
	Maker* maker = NewMaker( state );
	static const float triangle[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	static const float quad[4][3] = { { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };
	static const uint32_t quadIndices[7] = { 0, 1, 2, 0, 2, 3, 1 };
	static const float softness[4] = { 0.0f, 0.5f, 2.0f, -1.0f };
	static const uint8_t colors[4][4] = { { 255, 0, 0, 0 }, { 0, 255, 0, 0 }, { 0, 0, 255, 0 }, { 51, 51, 51, 0 } };
	static const float texcoords[3][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
	maker_Accessor( maker, triangle, sizeof( triangle ), 3, 5126, "VEC3", "" );
	maker_Accessor( maker, quad, sizeof( quad ), 4, 5126, "VEC3", "" );
	maker_Accessor( maker, quadIndices, sizeof( quadIndices ), 7, 5125, "SCALAR", "" );
	maker_AccessorOf( maker, maker_View( maker, colors, sizeof( colors ), 4 ), 4, 5121, "VEC3",
					  ",\"normalized\":true" );
	maker_Accessor( maker, texcoords, sizeof( texcoords ), 3, 5126, "VEC2", "" );
	maker_Accessor( maker, softness, sizeof( softness ), 4, 5126, "SCALAR", "" );
	supCharacter* character = CreateMade(
		maker,
		"\"nodes\":[{\"mesh\":0}],\"materials\":[{},{\"name\":\"red\"}],\"meshes\":[{\"primitives\":[{\"attributes\":"
		"{\"POSITION\":0,\"TEXCOORD_0\":4}},{\"attributes\":{\"POSITION\":1,\"COLOR_0\":3,\"_SOFTNESS\":5},"
		"\"indices\":2,\"material\":1}]}]" );
	const supMesh* mesh = supCharacter_Mesh( character, 0 );
	assert_int_equal( mesh->vertexCount, 7 );
	assert_int_equal( mesh->indexCount, 9 );
	assert_memory_equal( mesh->indices, ( ( uint32_t[] ){ 0, 1, 2, 3, 4, 5, 3, 5, 6 } ), 36 );
	assert_memory_equal( mesh->primitives + 1, ( ( supPrimitive[] ){ { 3, 4, 3, 6, 1 } } ), sizeof( supPrimitive ) );
	assert_int_equal( mesh->primitives[0].material, -1 );
	assert_memory_equal( mesh->positions + 3, quad, sizeof( quad ) );
	assert_memory_equal( mesh->texcoords, texcoords, sizeof( texcoords ) );
	assert_true( mesh->texcoords[3].x == 0.0f && mesh->texcoords[3].y == 0.0f );
	assert_memory_equal( mesh->colors, ( ( float[] ){ 1, 1, 1, 1 } ), 16 );
	assert_memory_equal( mesh->colors + 3, ( ( float[] ){ 1, 0, 0, 1 } ), 16 );
	assert_memory_equal( mesh->colors + 6, ( ( float[] ){ 0.2f, 0.2f, 0.2f, 1 } ), 16 );
	// painted on the second primitive alone, and kept between 0 and 1
	assert_memory_equal( mesh->softness, ( ( float[] ){ 0, 0, 0, 0, 0.5f, 1, 0 } ), 28 );
	assert_true( HasNote( character, "2 softnesses are not between 0 and 1" ) );
	assert_null( mesh->normals );
	assert_true( HasNote( character, "indices are not a multiple of 3" ) );
	assert_true( HasNote( character, "not indexed" ) );
	supDestroyCharacter( character );
}

// Twelve influences of a vertex: the eight heaviest stay, and sum to one.
static void TestManyInfluences( void** state )
{
	Maker* maker = NewMaker( state );
	static const float positions[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	uint8_t joints[3][3][4];
	uint16_t weights[3][3][4];
	for ( int set = 0; set < 3; ++set )
	{
		for ( int i = 0; i < 12; ++i )
		{
			joints[set][i / 4][i % 4] = (uint8_t)( 4 * set + i % 4 );
			weights[set][i / 4][i % 4] = (uint16_t)( 65535 * ( 4 * set + i % 4 + 1 ) / 78 );
		}
	}
	maker_Accessor( maker, positions, sizeof( positions ), 3, 5126, "VEC3", "" );
	for ( int set = 0; set < 3; ++set )
	{
		maker_Accessor( maker, joints[set], 12, 3, 5121, "VEC4", "" );
		maker_Accessor( maker, weights[set], 24, 3, 5123, "VEC4", ",\"normalized\":true" );
	}
	supCharacter* character = CreateMade(
		maker,
		"\"nodes\":[{\"mesh\":0,\"skin\":0},{},{},{},{},{},{},{},{},{},{},{},{}],\"skins\":[{\"joints\":[1,2,3,4,5,6,"
		"7,8,9,10,11,12]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2,"
		"\"JOINTS_1\":3,\"WEIGHTS_1\":4,\"JOINTS_2\":5,\"WEIGHTS_2\":6}}]}]" );
	const supMesh* mesh = supCharacter_Mesh( character, 0 );
	assert_int_equal( mesh->influences, 8 );
	for ( int v = 0; v < 3; ++v )
	{
		float sum = 0.0f;
		for ( int k = 0; k < 8; ++k )
		{
			// joint j has weight (j + 1) / 78; the heaviest eight are 11 down to 4, which sum to 68 / 78
			assert_int_equal( mesh->joints[8 * v + k], 11 - k );
			assert_float_equal( mesh->weights[8 * v + k], (float)( 12 - k ) / 68.0f, 1e-4f );
			sum += mesh->weights[8 * v + k];
		}
		assert_float_equal( sum, 1.0f, 1e-6f );
	}
	assert_true( HasNote( character, "more than 8 influences" ) );
	supDestroyCharacter( character );
}

static void TestStripCharacter( void** state )
{
	Maker* maker = NewMaker( state );
	supCharacter* character = CreateMade( maker, maker_SkinnedStrip( maker ) );
	assert_string_equal( supCharacter_Name( character ), "case" );
	const supMesh* mesh = supCharacter_Mesh( character, 0 );
	assert_int_equal( mesh->targetCount, 1 );
	assert_string_equal( mesh->targets[0].name, "bulge" );
	assert_true( mesh->targets[0].positions[9].z == 0.25f );
	assert_null( mesh->targets[0].normals );
	const supInstance* instance = supCharacter_Instance( character, 0 );
	assert_true( instance->morphWeights[0] == 0.5f );
	const supMaterial* material = supCharacter_Material( character, 0 );
	assert_true( material->baseColor.y == 0.5f && material->metallic == 0.0f && material->roughness == 1.0f );
	assert_int_equal( material->baseColorImage, 0 );
	const supImage* image = supCharacter_Image( character, 0 );
	assert_string_equal( image->mimeType, "image/png" );
	assert_int_equal( image->byteCount, 8 );
	const supClip* clip = supCharacter_FindClip( character, "bend" );
	assert_non_null( clip );
	assert_int_equal( clip->channelCount, 4 );
	assert_int_equal( clip->channels[1].interpolation, sup_interpolationCubicSpline );
	assert_int_equal( clip->channels[2].interpolation, sup_interpolationStep );
	assert_int_equal( clip->channels[3].path, sup_channelMorphWeights );
	assert_true( clip->start == 0.0f && clip->end == 1.0f );

	// at 0.5 s the root is 1 ahead, the tip turned by acos(0.8) * 2 about z and twice as tall, the bulge full
	supPose* pose = supCreatePose( character );
	supPose_ApplyClip( pose, clip, 0.5f );
	supVec3 positions[10];
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
	// vertex 0 hangs on the root alone
	assert_float_equal( positions[0].z, 1.25f, 1e-6f );
	// vertex 9 at (1, 2, 0.25) hangs on the tip alone: relative to the tip (1, 1), scaled (1, 2), then turned
	float cosine = 0.8f * 0.8f - 0.6f * 0.6f;
	float sine = 2.0f * 0.6f * 0.8f;
	assert_float_equal( positions[9].x, cosine * 1.0f - sine * 2.0f, 1e-5f );
	assert_float_equal( positions[9].y, 1.0f + sine * 1.0f + cosine * 2.0f, 1e-5f );
	assert_float_equal( positions[9].z, 1.25f, 1e-5f );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

static void TestScenes( void** state )
{
	Maker* maker = NewMaker( state );
	static const float positions[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	maker_Accessor( maker, positions, sizeof( positions ), 3, 5126, "VEC3", "" );
	static const char meshes[] =
		"\"nodes\":[{\"mesh\":0},{\"children\":[2]},{\"mesh\":0,\"matrix\":[1,0,0,0,0.5,1,0,0,0,0,1,0,"
		"0,0,0,1]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]";
	char rest[1024];
	snprintf( rest, sizeof( rest ), "%s,\"scene\":1,\"scenes\":[{\"nodes\":[0]},{\"nodes\":[1]}]", meshes );
	supCharacter* character = CreateMade( maker, rest );
	assert_int_equal( supCharacter_InstanceCount( character ), 1 );
	assert_int_equal( supCharacter_Instance( character, 0 )->node, 2 );
	assert_true( HasNote( character, "outside the scene" ) );
	assert_true( HasNote( character, "shear" ) );
	assert_true( supCharacter_Node( character, 2 )->hasMatrix );
	supDestroyCharacter( character );
	character = CreateMade( maker, meshes );
	assert_int_equal( supCharacter_InstanceCount( character ), 2 );
	supDestroyCharacter( character );
	snprintf( rest, sizeof( rest ), "%s,\"scenes\":[{}]", meshes );
	character = CreateMade( maker, rest );
	assert_int_equal( supCharacter_InstanceCount( character ), 2 );
	assert_true( HasNote( character, "the scene has no mesh" ) );
	supDestroyCharacter( character );
}

static void TestOddChannels( void** state )
{
	Maker* maker = NewMaker( state );
	static const float times[2] = { 0.25f, 1.0f };
	static const float values[2][3] = { { 0, 0, 0 }, { 1, 0, 0 } };
	maker_Accessor( maker, times, sizeof( times ), 2, 5126, "SCALAR", "" );
	maker_Accessor( maker, values, sizeof( values ), 2, 5126, "VEC3", "" );
	supCharacter* character = CreateMade(
		maker,
		"\"nodes\":[{}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":"
		"{\"node\":0,\"path\":\"translation\"}},{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},"
		"{\"sampler\":0,\"target\":{\"path\":\"scale\"}},{\"sampler\":0,\"target\":{\"path\":\"pointer\"}},"
		"{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}]}]" );
	const supClip* clip = supCharacter_Clip( character, 0 );
	assert_int_equal( clip->channelCount, 1 );
	assert_true( clip->start == 0.25f );
	assert_true( HasNote( character, "keys and values do not match" ) );
	assert_true( HasNote( character, "no target node" ) );
	assert_true( HasNote( character, "KHR_animation_pointer" ) );
	assert_true( HasNote( character, "no mesh with morph targets" ) );
	assert_true( HasNote( character, "first key at 0.25 s" ) );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown( TestComponentTypes, FreeMaker ),
		cmocka_unit_test_teardown( TestStridesAndOffsets, FreeMaker ),
		cmocka_unit_test_teardown( TestMatrixColumns, FreeMaker ),
		cmocka_unit_test_teardown( TestSparse, FreeMaker ),
		cmocka_unit_test_teardown( TestStripsAndFans, FreeMaker ),
		cmocka_unit_test_teardown( TestPrimitivesFollowEachOther, FreeMaker ),
		cmocka_unit_test_teardown( TestManyInfluences, FreeMaker ),
		cmocka_unit_test_teardown( TestStripCharacter, FreeMaker ),
		cmocka_unit_test_teardown( TestScenes, FreeMaker ),
		cmocka_unit_test_teardown( TestOddChannels, FreeMaker ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
