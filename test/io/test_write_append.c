// SPDX-License-Identifier: MIT
// Appending to a document, building JSON, edits that are taken back.
#include "support.h"

#include "io/gltf/gltf_write.h"

#include <stdlib.h>
#include <string.h>

static json_t* Item( const supDocument* document, const char* key, int64_t index )
{
	return supJson_At( supJson_Get( document->root, key ), (size_t)index );
}

static void TestEmptyDocument( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = supCreateEmptyDocument( "new.glb", &error );
	testRequire( document != NULL, &error );
	const json_t* asset = supJson_Get( document->root, "asset" );
	char generator[64];
	supVersion v = supGetVersion();
	snprintf( generator, sizeof( generator ), "Supple %d.%d.%d", v.major, v.minor, v.patch );
	assert_string_equal( supJson_String( asset, "version", "" ), "2.0" );
	assert_string_equal( supJson_String( asset, "generator", "" ), generator );
	assert_int_equal( json_object_size( document->root ), 1 );
	supDestroyDocument( document );
}

// Views of odd sizes: all start at a multiple of 4, none touches another, byteLength is true after each.
static void TestViewsKeepEarlierBytes( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = supCreateEmptyDocument( "new.glb", &error );
	testRequire( document != NULL, &error );
	testRandom random = testMakeRandom( 1 );
	uint8_t bytes[700];
	for ( int i = 0; i < 300; ++i )
	{
		size_t size = 1 + testRandomInt( &random, 700 );
		memset( bytes, i & 0xFF, size );
		int64_t index = supDocument_AppendView( document, bytes, size, i % 2 == 0 ? SUP_GL_VERTICES : 0, &error );
		assert_int_equal( index, i );
		const json_t* buffer = Item( document, "buffers", 0 );
		assert_int_equal( supJson_Size( buffer, "byteLength", -1 ), document->buffers.data[0].byteCount );
		assert_int_equal( supJson_Index( Item( document, "bufferViews", i ), "target", 0 ),
						  i % 2 == 0 ? SUP_GL_VERTICES : 0 );
	}
	assert_int_equal( document->buffers.count, 1 );
	testLess( document->buffers.data[0].capacity, 4 * document->buffers.data[0].byteCount );
	random = testMakeRandom( 1 );
	int64_t end = 0;
	for ( int i = 0; i < 300; ++i )
	{
		const json_t* view = Item( document, "bufferViews", i );
		int64_t offset = supJson_Size( view, "byteOffset", -1 );
		int64_t size = supJson_Size( view, "byteLength", -1 );
		assert_int_equal( size, 1 + testRandomInt( &random, 700 ) );
		assert_int_equal( offset % 4, 0 );
		testGreaterEqual( offset, end );
		testLess( offset, end + 4 );
		for ( int64_t k = 0; k < size; ++k )
		{
			assert_int_equal( document->buffers.data[0].bytes[offset + k], i & 0xFF );
		}
		end = offset + size;
	}
	supDestroyDocument( document );
}

static void TestAccessorBounds( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = supCreateEmptyDocument( "new.glb", &error );
	testRequire( document != NULL, &error );
	const float points[] = { 0.1f, -3.0f, 7.25f, 1e-20f, 5.0f, 7.25f, -0.3f, 0.0f, 1e20f };
	int64_t a = supDocument_AppendAccessor( document, points, 3, SUP_GL_FLOAT, "VEC3", SUP_GL_VERTICES, true, &error );
	const json_t* accessor = Item( document, "accessors", a );
	const float lower[] = { -0.3f, -3.0f, 7.25f };
	const float upper[] = { 0.1f, 5.0f, 1e20f };
	for ( size_t k = 0; k < 3; ++k )
	{
		assert_true( (float)json_number_value( supJson_At( supJson_Get( accessor, "min" ), k ) ) == lower[k] );
		assert_true( (float)json_number_value( supJson_At( supJson_Get( accessor, "max" ), k ) ) == upper[k] );
	}
	assert_int_equal( supJson_Index( accessor, "count", -1 ), 3 );
	assert_int_equal( supJson_Index( accessor, "componentType", -1 ), 5126 );
	assert_string_equal( supJson_String( accessor, "type", "" ), "VEC3" );

	supArena arena = { 0 };
	supAccessor shape;
	float* read = supDocument_ReadFloats( document, a, "test", &arena, &shape, &error );
	testRequire( read != NULL, &error );
	assert_memory_equal( read, points, sizeof( points ) );
	supArena_Destroy( &arena );
	supDestroyDocument( document );
}

// 65535 is the restart value of 16-bit indices and may not appear.
static void TestIndicesTakeTheWidthTheyNeed( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = supCreateEmptyDocument( "new.glb", &error );
	testRequire( document != NULL, &error );
	uint32_t indices[3] = { 100, 101, 100 + 65534 };
	for ( int wide = 0; wide < 2; ++wide )
	{
		indices[2] += (uint32_t)wide;
		int64_t a = supDocument_AppendIndices( document, indices, 3, 100, &error );
		assert_int_equal( supJson_Index( Item( document, "accessors", a ), "componentType", -1 ), wide ? 5125 : 5123 );
		supArena arena = { 0 };
		supAccessor shape;
		uint32_t* read = supDocument_ReadIntegers( document, a, "test", &arena, &shape, &error );
		testRequire( read != NULL, &error );
		assert_int_equal( read[0], 0 );
		assert_int_equal( read[1], 1 );
		assert_int_equal( read[2], 65534 + wide );
		supArena_Destroy( &arena );
	}
	supDestroyDocument( document );
}

// Every float comes back, and decimal ones stay short in the text.
static void TestFloatsAreShortAndExact( void** state )
{
	(void)state;
	supInitJson();
	testRandom random = testMakeRandom( 3 );
	for ( int i = 0; i < 20000; ++i )
	{
		union
		{
			uint32_t bits;
			float value;
		} u = { testRandomInt( &random, 0xFFFFFFFFu ) };
		if ( supIsFinite( u.value ) )
		{
			json_t* number = supJson_MakeFloat( u.value );
			assert_true( (float)json_number_value( number ) == u.value );
			json_decref( number );
		}
	}
	json_t* tenth = supJson_MakeFloat( 0.1f );
	assert_true( json_number_value( tenth ) == 0.1 );
	json_decref( tenth );
	json_t* nothing = supJson_MakeFloat( NAN );
	assert_true( json_number_value( nothing ) == 0.0 );
	json_decref( nothing );
}

#define FFFD "\xEF\xBF\xBD"

static void TestBrokenNamesBecomeUtf8( void** state )
{
	(void)state;
	supInitJson();
	static const char* const pairs[][2] = {
		{ "", "" },
		{ "na\xC3\xAFve", "na\xC3\xAFve" },
		{ "\xF0\x9F\xA6\x8A", "\xF0\x9F\xA6\x8A" },
		{ "na\xEFve", "na" FFFD "ve" },             // Latin-1
		{ "cut\xE2\x82", "cut" FFFD FFFD },         // ends inside a character
		{ "\xC0\xAF", FFFD FFFD },                  // overlong
		{ "\xED\xA0\x80", FFFD FFFD FFFD },         // surrogate
		{ "\xF5\x80\x80\x80", FFFD FFFD FFFD FFFD } // beyond Unicode
	};
	for ( int i = 0; i < SUP_COUNT( pairs ); ++i )
	{
		json_t* string = supJson_MakeString( pairs[i][0] );
		assert_non_null( string );
		assert_string_equal( json_string_value( string ), pairs[i][1] );
		json_decref( string );
	}
}

static void TestTransformsOmitIdentity( void** state )
{
	(void)state;
	supInitJson();
	supError error = { 0 };
	json_t* node = json_pack( "{s:s, s:[i,i,i], s:[i]}", "name", "n", "scale", 1, 2, 3, "children", 4 );
	supTransform transform = supTransform_identity;
	transform.translation.y = 0.1f;
	assert_true( supJson_SetTransform( node, transform, &error ) );
	assert_null( supJson_Get( node, "scale" ) );
	assert_null( supJson_Get( node, "rotation" ) );
	assert_non_null( supJson_Get( node, "name" ) );
	assert_non_null( supJson_Get( node, "children" ) );
	assert_true( json_number_value( supJson_At( supJson_Get( node, "translation" ), 1 ) ) == 0.1 );
	json_decref( node );
}

static void TestDirectionsAreRepaired( void** state )
{
	(void)state;
	supVec3 normals[] = { { 0.0f, 0.0f, 1.0f }, { 0.0f, 0.0f, 0.0f }, { 3.0f, 4.0f, 0.0f }, { 1e-30f, 0.0f, 0.0f } };
	supRepairNormals( normals, 4 );
	for ( int i = 0; i < 4; ++i )
	{
		assert_float_equal( supLength( normals[i] ), 1.0f, 1e-6f );
	}
	assert_true( normals[0].z == 1.0f );
	assert_float_equal( normals[2].x, 0.6f, 1e-6f );
	supVec4 tangents[] = {
		{ 1.0f, 0.0f, 0.0f, -1.0f }, { 0.0f, 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 2.0f, 0.5f }, { 0.0f, 0.0f, 0.0f, -0.1f }
	};
	supRepairTangents( tangents, normals, 4 );
	for ( int i = 0; i < 4; ++i )
	{
		supVec3 t = { tangents[i].x, tangents[i].y, tangents[i].z };
		assert_float_equal( supLength( t ), 1.0f, 1e-6f );
		assert_true( tangents[i].w == ( i == 0 || i == 3 ? -1.0f : 1.0f ) );
		testLess( fabsf( supDot( t, normals[i] ) ), 1e-6f );
	}
}

static void TestEditIsTakenBack( void** state )
{
	(void)state;
	supError error = { 0 };
	const float values[] = { 1.0f, 2.0f, 3.0f };
	for ( int filled = 0; filled < 2; ++filled )
	{
		supDocument* document = supCreateEmptyDocument( "new.glb", &error );
		testRequire( document != NULL, &error );
		if ( filled == 1 )
		{
			testGreaterEqual( supDocument_AppendView( document, values, 5, 0, &error ), 0 );
		}
		json_t* before = json_deep_copy( document->root );
		supEdit edit;
		assert_true( supEdit_Begin( &edit, document, &error ) );
		assert_true( supDocument_AppendAccessor( document, values, 3, SUP_GL_FLOAT, "SCALAR", 0, true, &error ) >= 0 );
		supEdit_End( &edit, false );
		assert_true( json_equal( before, document->root ) );
		assert_int_equal( document->buffers.count, filled );
		assert_int_equal( document->decodedViews.count, filled );
		assert_true( filled == 0 || document->buffers.data[0].byteCount == 5 );

		assert_true( supEdit_Begin( &edit, document, &error ) );
		assert_true( supDocument_AppendAccessor( document, values, 3, SUP_GL_FLOAT, "SCALAR", 0, true, &error ) >= 0 );
		supEdit_End( &edit, true );
		assert_int_equal( document->buffers.data[0].byteCount, filled == 1 ? 20 : 12 );
		assert_int_equal( json_array_size( supJson_Get( document->root, "accessors" ) ), 1 );
		json_decref( before );
		supDestroyDocument( document );
	}
}

static bool AppendSome( void* context )
{
	(void)context;
	supError error = { 0 };
	supDocument* document = supCreateEmptyDocument( "new.glb", &error );
	const float values[] = { 1.5f, 2.5f, 3.5f };
	const uint32_t indices[] = { 0, 1, 2 };
	bool ok = document != NULL;
	ok = ok && supDocument_AppendAccessor( document, values, 1, SUP_GL_FLOAT, "VEC3", 0, true, &error ) >= 0;
	ok = ok && supDocument_AppendIndices( document, indices, 3, 0, &error ) >= 0;
	json_t* name = ok ? supJson_MakeString( "name" ) : NULL;
	json_t* node = ok ? json_object() : NULL;
	ok = supJson_Set( node, "name", name, &error ) && ok;
	ok = ok && supDocument_AppendItem( document, "nodes", json_incref( node ), &error ) >= 0;
	assert_true( ok || error.code == sup_errorMemory );
	json_decref( node );
	supDestroyDocument( document );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supInitJson();
	testEachAllocationFailure( AppendSome, NULL, 1000 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEmptyDocument ),          cmocka_unit_test( TestViewsKeepEarlierBytes ),
		cmocka_unit_test( TestAccessorBounds ),         cmocka_unit_test( TestIndicesTakeTheWidthTheyNeed ),
		cmocka_unit_test( TestFloatsAreShortAndExact ), cmocka_unit_test( TestBrokenNamesBecomeUtf8 ),
		cmocka_unit_test( TestTransformsOmitIdentity ), cmocka_unit_test( TestDirectionsAreRepaired ),
		cmocka_unit_test( TestEditIsTakenBack ),        cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
