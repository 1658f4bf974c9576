// SPDX-License-Identifier: MIT
// Damaged and hostile glTF: an error, or a character that can be used; never a crash, a hang or a spike of memory.
#include "gltf_maker.h"

#include "supple/supple.h"

#include <time.h>

// No single request for memory may be larger than this for the small files here.
#define MOST_MEMORY ( (size_t)96 << 20 )

static const char* s_what = "";

static void SkinAll( const supCharacter* character )
{
	supPose* pose = supCreatePose( character );
	assert_non_null( pose );
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		supPose_ApplyClip( pose, clip, 0.5f * ( clip->start + clip->end ) );
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh );
		size_t count = (size_t)mesh->vertexCount;
		supSkinOutput output = { malloc( count * sizeof( supVec3 ) ), malloc( count * sizeof( supVec3 ) ),
								 malloc( count * sizeof( supVec4 ) ) };
		supSkinInstance( pose, i, sup_skinningLinear, NULL, &output );
		supSkinInstance( pose, i, sup_skinningDualQuaternion, NULL, &output );
		free( output.positions );
		free( output.normals );
		free( output.tangents );
	}
	supDestroyPose( pose );
}

// Returns true where it was readable. Either way everything is given back and every failure has a message.
static bool TryBytes( const void* bytes, size_t size )
{
	testHeap heap;
	testInstallHeap( &heap );
	supError error = { 0 };
	supDocument* document = supParseDocument( bytes, size, "hostile.glb", NULL, NULL, &error );
	supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, &error ) : NULL;
	bool ok = character != NULL;
	if ( ok )
	{
		SkinAll( character );
		size_t written = 0;
		supFree( supWriteDocument( document, &written, &error ) );
	}
	supDestroyCharacter( character );
	supDestroyDocument( document );
	if ( ok == false && ( error.code == sup_errorNone || error.message[0] == 0 || error.code == sup_errorMemory ) )
	{
		fail_msg( "%s: no reason given", s_what );
	}
	if ( heap.largest > MOST_MEMORY )
	{
		fail_msg( "%s: asked for %zu bytes", s_what, heap.largest );
	}
	testUninstallHeap( &heap );
	return ok;
}

static bool TryJson( const char* json )
{
	return TryBytes( json, strlen( json ) );
}

static unsigned char* MakeStrip( size_t* size )
{
	Maker* maker = malloc( sizeof( Maker ) );
	const char* rest = maker_SkinnedStrip( maker );
	unsigned char* glb = maker_Glb( maker, rest, size );
	free( maker );
	return glb;
}

// The same as text with the bytes in a data URI.
static char* MakeStripText( void )
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	Maker* maker = malloc( sizeof( Maker ) );
	const char* rest = maker_SkinnedStrip( maker );
	char* uri = calloc( 1, 2 * maker->binCount + 64 );
	size_t out = (size_t)sprintf( uri, ",\"uri\":\"data:application/octet-stream;base64," );
	// up to two bytes too many, which a reader ignores
	for ( size_t i = 0; i < maker->binCount; i += 3 )
	{
		const unsigned char* b = maker->bin + i;
		uint32_t bits = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
		for ( int k = 18; k >= 0; k -= 6 )
		{
			uri[out++] = digits[bits >> k & 63];
		}
	}
	uri[out] = '"';
	char* json = maker_Json( maker, uri, rest );
	free( uri );
	free( maker );
	return json;
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestTheFileItselfIsFine( void** state )
{
	(void)state;
	size_t size = 0;
	unsigned char* glb = MakeStrip( &size );
	assert_true( TryBytes( glb, size ) );
	free( glb );
	char* json = MakeStripText();
	assert_true( TryJson( json ) );
	free( json );
}

static void TestTruncation( void** state )
{
	(void)state;
	s_what = "cut off";
	size_t size = 0;
	unsigned char* glb = MakeStrip( &size );
	for ( size_t length = 0; length < size; length += length < 64 ? 1 : 13 )
	{
		// in memory of its own, so that a read beyond the end is seen
		unsigned char* part = malloc( length + 1 );
		memcpy( part, glb, length );
		assert_false( TryBytes( part, length ) );
		free( part );
	}
	free( glb );
	char* json = MakeStripText();
	for ( size_t length = strlen( json ) - 1; length > 0; length -= length > 13 ? 13 : 1 )
	{
		json[length] = 0;
		assert_false( TryJson( json ) );
	}
	free( json );
}

static void TestTruncatedRealFile( void** state )
{
	(void)state;
	s_what = "real file cut off";
	size_t size = 0;
	unsigned char* bytes = testReadFile( testAsset( "characters/RiggedSimple.glb" ), &size );
	for ( size_t length = 0; length < size; length += 101 )
	{
		assert_false( TryBytes( bytes, length ) );
	}
	assert_true( TryBytes( bytes, size ) );
	free( bytes );
}

static void TestByteEdits( void** state )
{
	(void)state;
	s_what = "byte edit";
	size_t size = 0;
	unsigned char* glb = MakeStrip( &size );
	unsigned char* copy = malloc( size );
	testRandom random = testMakeRandom( 7 );
	int readable = 0;
	int edits = 3000;
	for ( int i = 0; i < edits; ++i )
	{
		memcpy( copy, glb, size );
		uint32_t count = 1 + testRandomInt( &random, 4 );
		for ( uint32_t k = 0; k < count; ++k )
		{
			uint32_t place = testRandomInt( &random, (uint32_t)size );
			uint32_t kind = testRandomInt( &random, 3 );
			uint8_t value = (uint8_t)testRandomInt( &random, 256 );
			copy[place] = kind == 0 ? value : ( kind == 1 ? copy[place] ^ (uint8_t)( 1u << value % 8 ) : 0xFF );
		}
		readable += TryBytes( copy, size ) ? 1 : 0;
	}
	// both happen, or the test would say nothing
	testGreater( readable, edits / 20 );
	testLess( readable, edits * 19 / 20 );
	free( copy );
	free( glb );
}

// ---------------------------------------------------------------------------------------------------------------------
// The JSON text, token by token

// Start and end of the next number or string that is a value or key at or behind `from`; false at the end.
static bool NextToken( const char* json, size_t from, size_t* start, size_t* end )
{
	for ( size_t i = from; json[i] != 0; ++i )
	{
		if ( json[i] == '"' )
		{
			*start = i;
			*end = i + 1 + strcspn( json + i + 1, "\"" ) + 1;
			return true;
		}
		if ( json[i] == '-' || ( json[i] >= '0' && json[i] <= '9' ) )
		{
			*start = i;
			*end = i + strspn( json + i, "+-.0123456789eE" );
			return true;
		}
	}
	return false;
}

static void ReplaceEach( const char* json, bool numbers, const char* const* values, int valueCount )
{
	size_t length = strlen( json );
	char* copy = malloc( length + 256 );
	size_t start = 0;
	size_t end = 0;
	int replaced = 0;
	for ( size_t from = 0; NextToken( json, from, &start, &end ); from = end )
	{
		if ( ( json[start] != '"' ) != numbers || end - start > 200 )
		{
			continue;
		}
		for ( int i = 0; i < valueCount; ++i )
		{
			memcpy( copy, json, start );
			strcpy( copy + start, values[i] );
			strcat( copy, json + end );
			char what[128];
			snprintf( what, sizeof( what ), "%.60s replaced by %s", json + ( start > 20 ? start - 20 : 0 ), values[i] );
			s_what = what;
			TryJson( copy );
		}
		replaced += 1;
	}
	testGreater( replaced, 50 );
	free( copy );
}

static void TestEachNumberReplaced( void** state )
{
	(void)state;
	static const char* const values[] = {
		"-1",  "0",     "1e9", "2147483647", "4294967295", "1e38", "18446744073709551616",
		"NaN", "1e999", "0.5", "null",       "\"x\"",      "[]",   "{}"
	};
	char* json = MakeStripText();
	ReplaceEach( json, true, values, (int)( sizeof( values ) / sizeof( values[0] ) ) );
	free( json );
}

static void TestEachStringReplaced( void** state )
{
	(void)state;
	static const char* const values[] = { "\"\"", "\"POSITION\"", "7", "\"\\u0000\"", "\"MAT4\"" };
	char* json = MakeStripText();
	ReplaceEach( json, false, values, (int)( sizeof( values ) / sizeof( values[0] ) ) );
	free( json );
}

// ---------------------------------------------------------------------------------------------------------------------
// What a hostile mind comes up with

static void CheckRefused( const char* json, const char* message )
{
	supError error = { 0 };
	s_what = json;
	assert_false( TryJson( json ) );
	supDocument* document = supParseDocument( json, strlen( json ), "bad.gltf", NULL, NULL, &error );
	supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, &error ) : NULL;
	assert_null( character );
	supDestroyDocument( document );
	if ( strstr( error.message, message ) == NULL || strncmp( error.where, "bad.gltf", 8 ) != 0 )
	{
		fail_msg( "%s: %s", error.where, error.message );
	}
}

#define ASSET "{\"asset\":{\"version\":\"2.0\"},"

static void TestTrees( void** state )
{
	(void)state;
	CheckRefused( ASSET "\"nodes\":[{\"children\":[1]},{\"children\":[2]},{\"children\":[0]}]}", "cycle" );
	CheckRefused( ASSET "\"nodes\":[{\"children\":[0]}]}", "cycle" );
	CheckRefused( ASSET "\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]}", "is already a child of nodes[0]" );
	CheckRefused( ASSET "\"nodes\":[{\"children\":[1]}]}", "missing node" );
	CheckRefused( ASSET "\"nodes\":[{\"translation\":[1,2]}]}", "3, 4 or 3 numbers" );
	CheckRefused( ASSET "\"nodes\":[{\"scale\":[1,2,1e39]}]}", "3, 4 or 3 numbers" );
	CheckRefused( ASSET "\"nodes\":[{}],\"scenes\":[{\"nodes\":[1]}]}", "does not exist" );
	CheckRefused( ASSET "\"nodes\":[{\"mesh\":0}]}", "a missing mesh" );
	CheckRefused( ASSET "\"nodes\":[{}],\"skins\":[{\"joints\":[1]}]}", "missing node" );
}

static void TestVersions( void** state )
{
	(void)state;
	CheckRefused( "{\"asset\":{\"version\":\"1.0\"}}", "Convert it" );
	CheckRefused( "{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.1\"}}", "2.1" );
	CheckRefused( "{}", "not glTF" );
	CheckRefused( "[]", "not glTF" );
	CheckRefused( "{\"asset\":", "invalid JSON" );
	CheckRefused( "", "invalid JSON" );
	CheckRefused( ASSET "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}", "Draco compression" );
	CheckRefused( ASSET "\"extensionsRequired\":[\"ACME_geometry\"]}", "ACME_geometry" );
	unsigned char old[24] = "glTF\1\0\0\0\24";
	assert_false( TryBytes( old, sizeof( old ) ) );
}

static void TestBuffers( void** state )
{
	(void)state;
	CheckRefused( ASSET "\"buffers\":[{\"byteLength\":4,\"uri\":\"http://example.org/a.bin\"}]}", "network addresses" );
	CheckRefused( ASSET "\"buffers\":[{\"byteLength\":4,\"uri\":\"/etc/passwd\"}]}", "absolute paths" );
	CheckRefused( ASSET "\"buffers\":[{\"byteLength\":4,\"uri\":\"%2Fetc/passwd\"}]}", "absolute paths" );
	CheckRefused( ASSET "\"buffers\":[{\"byteLength\":4,\"uri\":\"file:///etc/passwd\"}]}", "absolute paths" );
	CheckRefused( ASSET "\"buffers\":[{\"byteLength\":4,\"uri\":\"a.bin\"}]}", "missing" );
	CheckRefused( ASSET "\"buffers\":[{\"byteLength\":4,\"uri\":\"data:;base64,AAA!\"}]}", "base64" );
	CheckRefused( ASSET "\"buffers\":[{\"byteLength\":4,\"uri\":\"data:;base64,AAAA\"}]}", "expected 4 bytes (got 3)" );
	CheckRefused( ASSET "\"buffers\":[{\"uri\":\"data:;base64,AAAA\"}]}", "byteLength" );
}

// Little text, much memory asked for.
static void TestBombs( void** state )
{
	(void)state;
	static const char mesh[] = "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
	char json[4096];
	snprintf( json, sizeof( json ),
			  ASSET "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":2147483646}],%s", mesh );
	CheckRefused( json, "memory" );
	snprintf( json, sizeof( json ),
			  ASSET
			  "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":%d,\"sparse\":{\"count\":1,"
			  "\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":{\"bufferView\":0}}}],\"buffers\":"
			  "[{\"byteLength\":12,\"uri\":\"data:;base64,AAAAAAAAAAAAAAAA\"}],\"bufferViews\":[{\"buffer\":0,"
			  "\"byteLength\":12}],%s",
			  300000000, mesh );
	CheckRefused( json, "memory" );
	snprintf( json, sizeof( json ),
			  ASSET
			  "\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,oAAA\"},{\"byteLength\":2147483392}],"
			  "\"bufferViews\":[{\"buffer\":1,\"byteLength\":2147483392,\"extensions\":{\"EXT_meshopt_compression\":"
			  "{\"buffer\":0,\"byteLength\":3,\"byteStride\":256,\"count\":8388607,\"mode\":\"ATTRIBUTES\"}}}]}" );
	CheckRefused( json, "more data than its bytes can hold" );
}

// Many primitives over one accessor: each is small in the file and large in memory.
static void TestSharedAccessor( void** state )
{
	(void)state;
	size_t capacity = (size_t)8 << 20;
	char* json = malloc( capacity );
	size_t used =
		(size_t)sprintf( json, ASSET "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":100000}],"
									 "\"meshes\":[{\"primitives\":[" );
	for ( int i = 0; i < 50000; ++i )
	{
		used += (size_t)sprintf( json + used, "%s{\"attributes\":{\"POSITION\":0,\"NORMAL\":0}}", i > 0 ? "," : "" );
	}
	sprintf( json + used, "]}]}" );
	supError error = { 0 };
	supDocument* document = supParseDocument( json, strlen( json ), "bomb.gltf", NULL, NULL, &error );
	testRequire( document != NULL, &error );
	assert_null( supDocument_CreateCharacter( document, &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );
	supDestroyDocument( document );
	free( json );
}

// Deep nesting and many objects must neither overflow the stack nor take seconds.
static void TestDeepAndWide( void** state )
{
	(void)state;
	size_t count = 1000000;
	char* json = malloc( 3 * count + 64 );
	memset( json, '[', count );
	json[count] = 0;
	assert_false( TryJson( json ) );
	// a chain of nodes as long as the file allows
	int nodes = 60000;
	size_t used = (size_t)sprintf( json, ASSET "\"nodes\":[" );
	for ( int i = 0; i + 1 < nodes; ++i )
	{
		used += (size_t)sprintf( json + used, "{\"children\":[%d]},", i + 1 );
	}
	sprintf( json + used, "{}]}" );
	clock_t begin = clock();
	assert_true( TryJson( json ) );
	testLess( ( clock() - begin ) / CLOCKS_PER_SEC, 5 );
	free( json );
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

typedef struct Bytes
{
	unsigned char* data;
	size_t size;
} Bytes;

static bool ReadAndWrite( void* context )
{
	const Bytes* bytes = context;
	supError error = { 0 };
	supDocument* document = supParseDocument( bytes->data, bytes->size, "strip.glb", NULL, NULL, &error );
	supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, &error ) : NULL;
	size_t size = 0;
	uint8_t* written = character != NULL ? supWriteDocument( document, &size, &error ) : NULL;
	bool ok = written != NULL;
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	supFree( written );
	supDestroyCharacter( character );
	supDestroyDocument( document );
	return ok;
}

static void TestEachAllocationFails( void** state )
{
	(void)state;
	Bytes bytes = { 0 };
	bytes.data = MakeStrip( &bytes.size );
	testEachAllocationFailure( ReadAndWrite, &bytes, 5000 );
	free( bytes.data );
	bytes.data = (unsigned char*)MakeStripText();
	bytes.size = strlen( (char*)bytes.data );
	testEachAllocationFailure( ReadAndWrite, &bytes, 5000 );
	free( bytes.data );
}

static bool LoadAndSave( void* context )
{
	const char* const* paths = context;
	supError error = { 0 };
	supDocument* document = supLoadDocument( paths[0], &error );
	bool ok = document != NULL && supSaveDocument( document, paths[1], &error );
	supDestroyDocument( document );
	supCharacter* character = ok ? supLoadCharacter( paths[1], &error ) : NULL;
	ok = ok && character != NULL;
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	supDestroyCharacter( character );
	return ok;
}

static void TestEachAllocationFailsWithFiles( void** state )
{
	(void)state;
	char folder[256];
	char copy[300];
	testMakeFolder( folder );
	snprintf( copy, sizeof( copy ), "%s/copy.gltf", folder );
	const char* paths[2] = { testAsset( "characters/skin-cases/Animation_Skin_01.gltf" ), copy };
	testEachAllocationFailure( LoadAndSave, paths, 3000 );
	testRemoveFolder( folder );
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTheFileItselfIsFine ),
		cmocka_unit_test( TestTruncation ),
		cmocka_unit_test( TestTruncatedRealFile ),
		cmocka_unit_test( TestByteEdits ),
		cmocka_unit_test( TestEachNumberReplaced ),
		cmocka_unit_test( TestEachStringReplaced ),
		cmocka_unit_test( TestTrees ),
		cmocka_unit_test( TestVersions ),
		cmocka_unit_test( TestBuffers ),
		cmocka_unit_test( TestBombs ),
		cmocka_unit_test( TestSharedAccessor ),
		cmocka_unit_test( TestDeepAndWide ),
		cmocka_unit_test( TestEachAllocationFails ),
		cmocka_unit_test( TestEachAllocationFailsWithFiles ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
