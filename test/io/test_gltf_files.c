// SPDX-License-Identifier: MIT
// Containers: URIs, chunks, merged buffers, embedded pictures, compressed views, and JSON as text.
#define _POSIX_C_SOURCE 200809L
#include "gltf_maker.h"

#include "io/gltf/document.h"
#include "supple/supple.h"

#include <math.h>
#include <meshoptimizer.h>
#include <sys/stat.h>

static supDocument* Parse( const void* bytes, size_t size, supReadUriFcn* readUri, void* context )
{
	supError error = { 0 };
	supDocument* document = supParseDocument( bytes, size, "case.glb", readUri, context, &error );
	testRequire( document != NULL, &error );
	return document;
}

static supCharacter* Create( const supDocument* document )
{
	supError error = { 0 };
	supCharacter* character = supDocument_CreateCharacter( document, &error );
	testRequire( character != NULL, &error );
	return character;
}

// Writes and reads again.
static supDocument* Rewrite( const supDocument* document )
{
	supError error = { 0 };
	size_t size = 0;
	uint8_t* bytes = supWriteDocument( document, &size, &error );
	testRequire( bytes != NULL, &error );
	supDocument* again = Parse( bytes, size, NULL, NULL );
	supFree( bytes );
	return again;
}

static void CheckSameCharacter( const supDocument* a, const supDocument* b )
{
	supCharacter* first = Create( a );
	supCharacter* second = Create( b );
	assert_true( supCharacter_Hash( first ) == supCharacter_Hash( second ) );
	supDestroyCharacter( first );
	supDestroyCharacter( second );
}

// ---------------------------------------------------------------------------------------------------------------------
// JSON as text

static void TestJsonStaysAsItWas( void** state )
{
	(void)state;
	static const char* const texts[] = {
		"{\"b\":1,\"a\":2,\"0\":3,\"zz\":{},\"y\":[]}",
		"[0.1,1.0,-0.0,0.30000000000000004,1e+300,2.2250738585072014e-308,123456789.125,-1,0,9007199254740993,9223372036854775807]",
		"[1e-07,3.4028234663852886e+38,0.0001,100000.0,1.5]",
		"[\"\\u0000\\u001f\\\"\\\\/é\xF0\x9F\xA6\x8A\",true,false,null,\"\"]",
	};
	for ( size_t i = 0; i < sizeof( texts ) / sizeof( texts[0] ); ++i )
	{
		supError error = { 0 };
		json_t* tree = supParseJson( texts[i], strlen( texts[i] ), "test", &error );
		testRequire( tree != NULL, &error );
		size_t length = 0;
		char* text = supWriteJson( tree, &length );
		assert_string_equal( text, texts[i] );
		assert_int_equal( length, strlen( texts[i] ) );
		supFree( text );
		json_decref( tree );
	}
}

static void TestJsonOddities( void** state )
{
	(void)state;
	supError error = { 0 };
	static const char bom[] =
		"\xEF\xBB\xBF{\"a\":12345678901234567890,\"b\":\"12345678901234567890\",\"c\":-9223372036854775808}";
	json_t* tree = supParseJson( bom, strlen( bom ), "test", &error );
	testRequire( tree != NULL, &error );
	assert_true( json_real_value( json_object_get( tree, "a" ) ) == 12345678901234567890.0 );
	assert_string_equal( supJson_String( tree, "b", "" ), "12345678901234567890" );
	assert_true( json_integer_value( json_object_get( tree, "c" ) ) == INT64_MIN );
	assert_int_equal( supJson_Index( tree, "a", 5 ), -2 );
	assert_int_equal( supJson_Index( tree, "none", 5 ), 5 );
	assert_int_equal( supJson_Index( tree, "b", 5 ), -2 );
	json_decref( tree );
	assert_null( supParseJson( "{\n\n 1}", 6, "x.json", &error ) );
	assert_string_equal( error.where, "x.json: line 3, column 2" );
	// what people write is not passed over; what programs write is read as others read it
	static const char twice[] = "{\"a\":1,\n\"a\":2}";
	error = ( supError ){ 0 };
	assert_null( supParseStrictJson( twice, strlen( twice ), "x.json", &error ) );
	assert_string_equal( error.where, "x.json: line 2, column 3" );
	assert_non_null( strstr( error.message, "duplicate" ) );
	tree = supParseJson( twice, strlen( twice ), "x.json", &error );
	assert_int_equal( supJson_Index( tree, "a", 0 ), 2 );
	json_decref( tree );
}

// Small objects cost far more memory than text; a tree has a budget.
static void TestJsonBudget( void** state )
{
	(void)state;
	size_t count = 4000000;
	char* text = malloc( 3 * count + 2 );
	text[0] = '[';
	for ( size_t i = 0; i < count; ++i )
	{
		memcpy( text + 1 + 3 * i, "{},", 3 );
	}
	text[3 * count] = ']';
	supError error = { 0 };
	assert_null( supParseJson( text, 3 * count + 1, "big.json", &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );
	free( text );
}

// ---------------------------------------------------------------------------------------------------------------------
// Files beside the document

static uint8_t* ReadPretended( const char* uri, size_t* byteCount, void* context )
{
	const Maker* maker = context;
	static const unsigned char png[8] = "\x89PNG\r\n\x1a\n";
	bool picture = strcmp( uri, "picture%201.png" ) == 0;
	if ( picture == false && strcmp( uri, "bytes.bin" ) != 0 )
	{
		return NULL;
	}
	size_t size = picture ? sizeof( png ) : maker->binCount;
	uint8_t* bytes = supAlloc( size );
	memcpy( bytes, picture ? png : maker->bin, size );
	*byteCount = size;
	return bytes;
}

static void TestPicturesAreEmbedded( void** state )
{
	(void)state;
	Maker* maker = calloc( 1, sizeof( Maker ) );
	maker_View( maker, "hello", 5, 0 );
	char* json = maker_Json(
		maker, ",\"uri\":\"bytes.bin\",\"extras\":{\"x\":1}",
		"\"images\":[{\"uri\":\"picture%201.png\",\"extras\":7},{\"uri\":\"missing.png\"},"
		"{\"uri\":\"data:image/jpeg;base64,/9j/AA==\",\"name\":\"j\"},{\"bufferView\":0,\"mimeType\":\"image/png\"}]" );
	supDocument* document = Parse( json, strlen( json ), ReadPretended, maker );
	supDocument* again = Rewrite( document );
	const json_t* images = json_object_get( again->root, "images" );
	const json_t* first = json_array_get( images, 0 );
	assert_null( json_object_get( first, "uri" ) );
	assert_string_equal( supJson_String( first, "mimeType", "" ), "image/png" );
	assert_int_equal( supJson_Index( first, "extras", -1 ), 7 );
	assert_string_equal( supJson_String( json_array_get( images, 1 ), "uri", "" ), "missing.png" );
	assert_string_equal( supJson_String( json_array_get( images, 2 ), "mimeType", "" ), "image/jpeg" );
	const uint8_t* bytes = NULL;
	size_t count = 0;
	supError error = { 0 };
	testRequire( supDocument_View( again, supJson_Index( first, "bufferView", -1 ), "test", &bytes, &count, &error ),
				 &error );
	assert_int_equal( count, 8 );
	assert_memory_equal( bytes, "\x89PNG\r\n\x1a\n", 8 );
	const json_t* buffer = json_array_get( json_object_get( again->root, "buffers" ), 0 );
	assert_null( json_object_get( buffer, "uri" ) );
	assert_int_equal( supJson_Index( supJson_Get( buffer, "extras" ), "x", -1 ), 1 );
	supCharacter* character = Create( again );
	assert_int_equal( supCharacter_Image( character, 0 )->byteCount, 8 );
	assert_null( supCharacter_Image( character, 1 )->bytes );
	assert_string_equal( supCharacter_Image( character, 1 )->uri, "missing.png" );
	assert_int_equal( supCharacter_Image( character, 2 )->byteCount, 4 );
	supDestroyCharacter( character );
	supDestroyDocument( again );
	supDestroyDocument( document );
	free( json );
	free( maker );
}

// A .gltf with a space in the name of its buffer, saved as .gltf and as .glb, by way of real files.
static void TestFilesBeside( void** state )
{
	(void)state;
	char folder[256], path[512];
	testMakeFolder( folder );
	Maker* maker = malloc( sizeof( Maker ) );
	const char* rest = maker_SkinnedStrip( maker );
	char* json = maker_Json( maker, ",\"uri\":\"the%20bytes.bin\"", rest );
	snprintf( path, sizeof( path ), "%s/the bytes.bin", folder );
	testWriteFile( path, maker->bin, maker->binCount );
	snprintf( path, sizeof( path ), "%s/strip.gltf", folder );
	testWriteFile( path, json, strlen( json ) );
	supError error = { 0 };
	supDocument* document = supLoadDocument( path, &error );
	testRequire( document != NULL, &error );
	snprintf( path, sizeof( path ), "%s/a strip#1.gltf", folder );
	testRequire( supSaveDocument( document, path, &error ), &error );
	supDocument* again = supLoadDocument( path, &error );
	testRequire( again != NULL, &error );
	const json_t* buffer = json_array_get( json_object_get( again->root, "buffers" ), 0 );
	assert_string_equal( supJson_String( buffer, "uri", "" ), "a%20strip%231.bin" );
	// the data URI stays in a .gltf
	assert_true( json_equal( json_object_get( document->root, "images" ), json_object_get( again->root, "images" ) ) );
	supDestroyDocument( again );

	// the buffer cut off by one byte
	snprintf( path, sizeof( path ), "%s/the bytes.bin", folder );
	testWriteFile( path, maker->bin, maker->binCount - 1 );
	snprintf( path, sizeof( path ), "%s/strip.gltf", folder );
	assert_null( supLoadDocument( path, &error ) );
	assert_string_equal( error.where, "strip.gltf: buffers[0]" );
	// a pipe in its place must not be waited for
	snprintf( path, sizeof( path ), "%s/the bytes.bin", folder );
	assert_int_equal( remove( path ), 0 );
	assert_int_equal( mkfifo( path, 0600 ), 0 );
	snprintf( path, sizeof( path ), "%s/strip.gltf", folder );
	assert_null( supLoadDocument( path, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	snprintf( path, sizeof( path ), "%s/strip.obj", folder );
	assert_false( supSaveDocument( document, path, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	snprintf( path, sizeof( path ), "%s/none/strip.glb", folder );
	assert_false( supSaveDocument( document, path, &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	supDestroyDocument( document );
	free( json );
	free( maker );
	testRemoveFolder( folder );
}

// Two buffers become one; everything still points at the same bytes.
static void TestBuffersMerge( void** state )
{
	(void)state;
	static const char json[] =
		"{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":5,\"uri\":\"data:,abcde\"},{\"byteLength\":8},"
		"{\"byteLength\":6,\"uri\":\"data:application/octet-stream;base64,Zmdo%7F\",\"name\":\"no\"}],\"bufferViews\":[]}";
	supError error = { 0 };
	// base64 knows no percent signs
	assert_null( supParseDocument( json, strlen( json ), "x.gltf", NULL, NULL, &error ) );
	assert_string_equal( error.where, "x.gltf: buffers[2]" );
	static const char good[] =
		"{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":5,\"uri\":\"data:,ab%63de\"},{\"byteLength\":8},"
		"{\"byteLength\":6,\"uri\":\"data:application/octet-stream;base64,ZmdoaWpr\"}],\"bufferViews\":[{\"buffer\":2,"
		"\"byteOffset\":1,\"byteLength\":4},{\"buffer\":0,\"byteLength\":5},{\"buffer\":1,\"byteLength\":8},"
		"{\"buffer\":2,\"byteLength\":3,\"extras\":{\"buffer\":2}}]}";
	supDocument* document = Parse( good, strlen( good ), NULL, NULL );
	supDocument* again = Rewrite( document );
	assert_int_equal( again->buffers.count, 2 );
	assert_null( again->buffers.data[1].bytes );
	static const char* const expected[] = { "ghij", "abcde", NULL, "fgh" };
	for ( int i = 0; i < 4; ++i )
	{
		const uint8_t* bytes = NULL;
		size_t count = 0;
		supError none = { 0 };
		bool ok = supDocument_View( again, i, "test", &bytes, &count, &none );
		assert_int_equal( ok, expected[i] != NULL );
		if ( ok )
		{
			assert_int_equal( count, strlen( expected[i] ) );
			assert_memory_equal( bytes, expected[i], count );
		}
	}
	const json_t* views = json_object_get( again->root, "bufferViews" );
	assert_int_equal( supJson_Index( json_array_get( views, 2 ), "buffer", -1 ), 1 );
	assert_int_equal( supJson_Index( supJson_Get( json_array_get( views, 3 ), "extras" ), "buffer", -1 ), 2 );
	supDestroyDocument( again );
	supDestroyDocument( document );
}

static void TestChunks( void** state )
{
	(void)state;
	Maker* maker = malloc( sizeof( Maker ) );
	const char* rest = maker_SkinnedStrip( maker );
	size_t size = 0;
	unsigned char* glb = maker_Glb( maker, rest, &size );
	// an unknown chunk behind, which readers must ignore, and garbage behind that
	unsigned char* longer = calloc( 1, size + 32 );
	memcpy( longer, glb, size );
	uint32_t chunk[3] = { 4, 0x41414141u, 7 };
	uint32_t total = (uint32_t)size + 12;
	memcpy( longer + size, chunk, 12 );
	memcpy( longer + 8, &total, 4 );
	// JSON padded with zeros instead of spaces
	int padding = 0;
	for ( size_t i = 20; i < size; ++i )
	{
		bool behind = glb[i] == ' ' && ( glb[i - 1] == '}' || glb[i - 1] == 0 );
		glb[i] = behind ? 0 : glb[i];
		padding += behind ? 1 : 0;
	}
	testGreater( padding, 0 );
	supDocument* plain = Parse( glb, size, NULL, NULL );
	supDocument* document = Parse( longer, size + 32, NULL, NULL );
	assert_int_equal( document->notes.count, 2 );
	CheckSameCharacter( plain, document );
	supDestroyDocument( document );
	supDestroyDocument( plain );
	free( longer );
	free( glb );
	free( maker );
}

// Whatever is not ours comes out as it went in, in the same order.
static void TestNoJson( void** state )
{
	(void)state;
	// a GLB that states to be empty, and one whose first chunk is of another kind
	uint8_t bytes[24] = "glTF\2\0\0\0\0\0\0\0\4\0\0\0BIN\0abcd";
	for ( int i = 0; i < 2; ++i )
	{
		bytes[8] = i == 0 ? 0 : 24;
		supError error = { 0 };
		assert_null( supParseDocument( bytes, sizeof( bytes ), "case.glb", NULL, NULL, &error ) );
		assert_int_equal( error.code, sup_errorFormat );
		assert_non_null( strstr( error.message, "the first chunk is not JSON" ) );
	}
}

static void TestUnknownThingsStay( void** state )
{
	(void)state;
	static const char json[] =
		"{\"zzz\":1.0,\"asset\":{\"version\":\"2.0\",\"generator\":\"x\",\"extras\":{\"f\":0.1}},\"extensionsUsed\":[\"ACME_hat\"],"
		"\"nodes\":[{\"name\":\"n\",\"extensions\":{\"ACME_hat\":{\"size\":3,\"parts\":[1,2.50,\"\\u0041\"]}},\"camera\":0}],"
		"\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":0.7,\"znear\":1e-2}}],\"extensions\":{\"ACME_hat\":{}}}";
	supDocument* document = Parse( json, strlen( json ), NULL, NULL );
	supDocument* again = Rewrite( document );
	assert_true( json_equal( document->root, again->root ) );
	size_t length = 0;
	char* text = supWriteJson( again->root, &length );
	assert_non_null(
		strstr( text, "{\"zzz\":1.0,\"asset\":{\"version\":\"2.0\",\"generator\":\"x\",\"extras\":{\"f\":0.1}}" ) );
	assert_non_null( strstr( text, "\"parts\":[1,2.5,\"A\"]" ) );
	supFree( text );
	supCharacter* character = Create( again );
	bool noted = false;
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		noted = noted || strstr( supCharacter_Note( character, i )->text, "ACME_hat" ) != NULL;
	}
	assert_true( noted );
	supDestroyCharacter( character );
	supDestroyDocument( again );
	supDestroyDocument( document );
}

// ---------------------------------------------------------------------------------------------------------------------
// EXT_meshopt_compression

#define RING 64

typedef struct Compressed
{
	unsigned char bytes[1 << 16];
	size_t count;
	char views[4096];
	int viewCount;
	size_t fallback;
} Compressed;

static void AddCompressed( Compressed* out, const unsigned char* bytes, size_t size, int count, int stride,
						   const char* mode, const char* filter )
{
	assert_true( size > 0 && out->count + size <= sizeof( out->bytes ) );
	memcpy( out->bytes + out->count, bytes, size );
	maker_Text(
		out->views, sizeof( out->views ),
		"%s{\"buffer\":1,\"byteOffset\":%zu,\"byteLength\":%d,\"extensions\":{\"EXT_meshopt_compression\":"
		"{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":%d,\"count\":%d,\"mode\":\"%s\",\"filter\":\"%s\"}}}",
		out->viewCount > 0 ? "," : "", out->fallback, count * stride, out->count, size, stride, count, mode, filter );
	out->viewCount += 1;
	out->fallback += (size_t)( count * stride );
	out->count += ( size + 3 ) & ~(size_t)3;
}

static void AddVertices( Compressed* out, const void* data, int count, int stride, const char* filter )
{
	unsigned char bytes[1 << 15];
	size_t size = meshopt_encodeVertexBuffer( bytes, sizeof( bytes ), data, (size_t)count, (size_t)stride );
	AddCompressed( out, bytes, size, count, stride, "ATTRIBUTES", filter );
}

typedef struct Ring
{
	float positions[RING][3];
	float normals[RING][4];
	float rotations[RING][4];
	unsigned int indices[3 * ( RING - 2 )];
} Ring;

static Ring* MakeRing( void )
{
	Ring* ring = calloc( 1, sizeof( Ring ) );
	for ( int i = 0; i < RING; ++i )
	{
		float angle = 6.2831853f * (float)i / RING;
		memcpy( ring->positions[i], ( ( float[] ){ cosf( angle ), sinf( angle ), 0.5f * angle } ), 12 );
		memcpy( ring->normals[i], ( ( float[] ){ cosf( angle ), 0.0f, sinf( angle ), 0.0f } ), 16 );
		memcpy( ring->rotations[i], ( ( float[] ){ sinf( angle ), 0.0f, 0.0f, cosf( angle ) } ), 16 );
	}
	for ( unsigned int i = 0; i + 2 < RING; ++i )
	{
		memcpy( ring->indices + 3 * i, ( ( unsigned int[] ){ 0, i + 1, i + 2 } ), 12 );
	}
	return ring;
}

static Compressed* CompressRing( const Ring* ring )
{
	Compressed* out = calloc( 1, sizeof( Compressed ) );
	unsigned char bytes[1 << 14];
	unsigned char filtered[RING * 16];
	AddVertices( out, ring->positions, RING, 12, "NONE" );
	meshopt_encodeFilterExp( filtered, RING, 12, 15, ring->positions[0] );
	AddVertices( out, filtered, RING, 12, "EXPONENTIAL" );
	meshopt_encodeFilterOct( filtered, RING, 4, 8, ring->normals[0] );
	AddVertices( out, filtered, RING, 4, "OCTAHEDRAL" );
	meshopt_encodeFilterQuat( filtered, RING, 8, 12, ring->rotations[0] );
	AddVertices( out, filtered, RING, 8, "QUATERNION" );
	int indexCount = 3 * ( RING - 2 );
	size_t size = meshopt_encodeIndexBuffer( bytes, sizeof( bytes ), ring->indices, (size_t)indexCount );
	AddCompressed( out, bytes, size, indexCount, 2, "TRIANGLES", "NONE" );
	size = meshopt_encodeIndexSequence( bytes, sizeof( bytes ), ring->indices, (size_t)indexCount );
	AddCompressed( out, bytes, size, indexCount, 4, "INDICES", "NONE" );
	return out;
}

static char* CompressedJson( const Compressed* compressed )
{
	char* json = calloc( 1, 16384 );
	maker_Text(
		json, 16384,
		"{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"EXT_meshopt_compression\"],\"extensionsRequired\":"
		"[\"EXT_meshopt_compression\"],\"buffers\":[{\"byteLength\":%zu},{\"byteLength\":%zu,\"extensions\":"
		"{\"EXT_meshopt_compression\":{\"fallback\":true}}}],\"bufferViews\":[%s],\"accessors\":["
		"{\"bufferView\":0,\"componentType\":5126,\"count\":64,\"type\":\"VEC3\"},"
		"{\"bufferView\":1,\"componentType\":5126,\"count\":64,\"type\":\"VEC3\"},"
		"{\"bufferView\":2,\"componentType\":5120,\"normalized\":true,\"count\":64,\"type\":\"VEC4\"},"
		"{\"bufferView\":3,\"componentType\":5122,\"normalized\":true,\"count\":64,\"type\":\"VEC4\"},"
		"{\"bufferView\":4,\"componentType\":5123,\"count\":186,\"type\":\"SCALAR\"},"
		"{\"bufferView\":5,\"componentType\":5125,\"count\":186,\"type\":\"SCALAR\"}],"
		"\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":4},"
		"{\"attributes\":{\"POSITION\":1},\"indices\":5}]}]}",
		compressed->count, compressed->fallback, compressed->views );
	return json;
}

static void CheckNear( const supDocument* document, int accessor, const float* expected, int width, int stride,
					   float tolerance, bool orNegative )
{
	supArena arena = { 0 };
	supAccessor shape;
	supError error = { 0 };
	const float* values = supDocument_ReadFloats( document, accessor, "test", &arena, &shape, &error );
	testRequire( values != NULL, &error );
	assert_int_equal( shape.count, RING );
	for ( int i = 0; i < RING; ++i )
	{
		float same = 0.0f;
		float opposite = 0.0f;
		for ( int k = 0; k < width; ++k )
		{
			same = fmaxf( same, fabsf( values[i * shape.width + k] - expected[i * stride + k] ) );
			opposite = fmaxf( opposite, fabsf( values[i * shape.width + k] + expected[i * stride + k] ) );
		}
		float off = orNegative && opposite < same ? opposite : same;
		if ( !( off <= tolerance ) )
		{
			fail_msg( "accessor %d, element %d: off by %g", accessor, i, (double)off );
		}
	}
	supArena_Destroy( &arena );
}

// Triangles may be turned on the way, so that the corners start elsewhere.
static void CheckTriangles( const supMesh* mesh, int primitive, const unsigned int* expected )
{
	const supPrimitive* p = mesh->primitives + primitive;
	assert_int_equal( p->indexCount, 3 * ( RING - 2 ) );
	for ( int i = 0; i < p->indexCount; i += 3 )
	{
		const uint32_t* found = mesh->indices + p->indexStart + i;
		int turn = 0;
		while ( turn < 3 && found[0] != expected[i + turn] + (unsigned int)p->vertexStart )
		{
			turn += 1;
		}
		testLess( turn, 3 );
		assert_int_equal( found[1], expected[i + ( turn + 1 ) % 3] + (unsigned int)p->vertexStart );
		assert_int_equal( found[2], expected[i + ( turn + 2 ) % 3] + (unsigned int)p->vertexStart );
	}
}

static void TestMeshopt( void** state )
{
	(void)state;
	Ring* ring = MakeRing();
	Compressed* compressed = CompressRing( ring );
	char* json = CompressedJson( compressed );
	size_t size = 0;
	unsigned char* glb = maker_Pack( json, compressed->bytes, compressed->count, &size );
	supDocument* document = Parse( glb, size, NULL, NULL );
	CheckNear( document, 0, ring->positions[0], 3, 3, 0.0f, false );
	CheckNear( document, 1, ring->positions[0], 3, 3, 4.0f / 16384.0f, false );
	CheckNear( document, 2, ring->normals[0], 3, 4, 2.0f / 127.0f, false );
	CheckNear( document, 3, ring->rotations[0], 4, 4, 2.0f / 2048.0f, true );
	supCharacter* character = Create( document );
	CheckTriangles( supCharacter_Mesh( character, 0 ), 0, ring->indices );
	CheckTriangles( supCharacter_Mesh( character, 0 ), 1, ring->indices );
	supDestroyCharacter( character );
	// still compressed on the way out, and the same
	supDocument* again = Rewrite( document );
	assert_true( json_equal( document->root, again->root ) );
	assert_memory_equal( again->buffers.data[0].bytes, compressed->bytes, compressed->count );
	CheckSameCharacter( document, again );
	supDestroyDocument( again );
	supDestroyDocument( document );
	free( glb );
	free( json );
	free( compressed );
	free( ring );
}

// Damaged streams and claims that do not fit: an error or some data, never more.
static void TestMeshoptDamaged( void** state )
{
	(void)state;
	Ring* ring = MakeRing();
	Compressed* compressed = CompressRing( ring );
	char* json = CompressedJson( compressed );
	size_t size = 0;
	unsigned char* glb = maker_Pack( json, compressed->bytes, compressed->count, &size );
	unsigned char* copy = malloc( size );
	testRandom random = testMakeRandom( 3 );
	int refused = 0;
	for ( int i = 0; i < 500; ++i )
	{
		memcpy( copy, glb, size );
		for ( int k = 0; k < 3; ++k )
		{
			copy[20 + testRandomInt( &random, (uint32_t)size - 20 )] = (unsigned char)testRandomInt( &random, 256 );
		}
		supError error = { 0 };
		supDocument* document = supParseDocument( copy, size, "x.glb", NULL, NULL, &error );
		supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, &error ) : NULL;
		assert_int_equal( character == NULL, error.code != sup_errorNone );
		refused += character == NULL ? 1 : 0;
		supDestroyCharacter( character );
		supDestroyDocument( document );
	}
	testGreater( refused, 50 );
	testLess( refused, 500 );
	free( copy );
	free( glb );
	free( json );
	free( compressed );
	free( ring );
}

// ---------------------------------------------------------------------------------------------------------------------
// Which reader

static void CheckLoads( const char* folder, const char* name, const void* bytes, size_t size, int nodeCount,
						supErrorCode code )
{
	char path[512];
	snprintf( path, sizeof( path ), "%s/%s", folder, name );
	testWriteFile( path, bytes, size );
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( path, &error );
	if ( error.code != code || ( character != NULL ) != ( code == sup_errorNone ) )
	{
		fail_msg( "%s: %d, %s: %s", name, (int)error.code, error.where, error.message );
	}
	if ( character != NULL )
	{
		assert_int_equal( supCharacter_NodeCount( character ), nodeCount );
	}
	supDestroyCharacter( character );
}

static void TestWhichReader( void** state )
{
	(void)state;
	static const char bvh[] =
		"HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
		"OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n";
	static const char gltf[] = "\xEF\xBB\xBF \n{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{},{}]}";
	char folder[256];
	testMakeFolder( folder );
	Maker* maker = calloc( 1, sizeof( Maker ) );
	size_t size = 0;
	unsigned char* glb = maker_Glb( maker, "\"nodes\":[{},{}]", &size );
	CheckLoads( folder, "a.glb", glb, size, 2, sup_errorNone );
	CheckLoads( folder, "a.gltf", glb, size, 2, sup_errorNone );
	CheckLoads( folder, "a.fbx", glb, size, 2, sup_errorNone );
	CheckLoads( folder, "noextension", glb, size, 2, sup_errorNone );
	CheckLoads( folder, "b.gltf", gltf, strlen( gltf ), 3, sup_errorNone );
	CheckLoads( folder, "b.json", gltf, strlen( gltf ), 3, sup_errorNone );
	CheckLoads( folder, "b.glb", gltf, strlen( gltf ), 3, sup_errorNone );
	CheckLoads( folder, "c.bvh", bvh, strlen( bvh ), 2, sup_errorNone );
	CheckLoads( folder, "c.txt", bvh, strlen( bvh ), 2, sup_errorNone );
	CheckLoads( folder, "d.glb", "", 0, 0, sup_errorFormat );
	CheckLoads( folder, "e.gltf", "nonsense", 8, 0, sup_errorFormat );
	CheckLoads( folder, "f.bvh", "nonsense", 8, 0, sup_errorFormat );
	CheckLoads( folder, "g.unknown", "nonsense", 8, 0, sup_errorUnsupported );
	supError error = { 0 };
	char path[512];
	snprintf( path, sizeof( path ), "%s/none.glb", folder );
	assert_null( supLoadCharacter( path, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	assert_string_equal( error.where, path );
	assert_null( supLoadCharacter( folder, &error ) );
	assert_int_equal( error.code, sup_errorRead );
	assert_non_null( strstr( error.message, "folder" ) );
	free( glb );
	free( maker );
	testRemoveFolder( folder );
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestJsonStaysAsItWas ), cmocka_unit_test( TestJsonOddities ),
		cmocka_unit_test( TestJsonBudget ),       cmocka_unit_test( TestPicturesAreEmbedded ),
		cmocka_unit_test( TestFilesBeside ),      cmocka_unit_test( TestBuffersMerge ),
		cmocka_unit_test( TestChunks ),           cmocka_unit_test( TestUnknownThingsStay ),
		cmocka_unit_test( TestMeshopt ),          cmocka_unit_test( TestMeshoptDamaged ),
		cmocka_unit_test( TestWhichReader ),      cmocka_unit_test( TestNoJson ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
