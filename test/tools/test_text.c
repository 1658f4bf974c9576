// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "support.h"

#include "json.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void TestUtf8( void** state )
{
	(void)state;
	uint32_t c;
	assert_int_equal( DecodeUtf8( "a", &c ), 1 );
	assert_int_equal( c, 'a' );
	assert_int_equal( DecodeUtf8( "\xC3\xA4", &c ), 2 );
	assert_int_equal( c, 0xE4 );
	assert_int_equal( DecodeUtf8( "\xE6\xBC\xA2", &c ), 3 );
	assert_int_equal( c, 0x6F22 );
	assert_int_equal( DecodeUtf8( "\xF0\x9F\xA6\x8A", &c ), 4 );
	assert_int_equal( c, 0x1F98A );
	// overlong, cut short, surrogate, past the end, a lone tail
	static const char* const bad[] = { "\xC0\x80", "\xE6\xBC", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xFF" };
	for ( size_t i = 0; i < sizeof( bad ) / sizeof( bad[0] ); ++i )
	{
		assert_int_equal( DecodeUtf8( bad[i], &c ), 1 );
		assert_int_equal( c, 0xFFFD );
	}
}

static void TestMeasure( void** state )
{
	(void)state;
	assert_int_equal( MeasureText( "" ), 0 );
	assert_int_equal( MeasureText( "fox" ), 3 );
	assert_int_equal( MeasureText( "f\xC3\xB6x" ), 3 );
	assert_int_equal( MeasureText( "e\xCC\x81" ), 1 );
	assert_int_equal( MeasureText( "\xE6\xBC\xA2\xE5\xAD\x97" ), 4 );
}

static void TestClean( void** state )
{
	(void)state;
	char buffer[64];
	assert_string_equal( CleanText( "plain", 0, buffer, sizeof( buffer ) ), "plain" );
	assert_string_equal( CleanText( "a\033[2Jb\nc", 0, buffer, sizeof( buffer ) ), "a\xEF\xBF\xBD[2Jb\xEF\xBF\xBD"
																				   "c" );
	assert_string_equal( CleanText( "a\xFF", 0, buffer, sizeof( buffer ) ), "a\xEF\xBF\xBD" );
	assert_string_equal( CleanText( "abcdefghijklmnop", 9, buffer, sizeof( buffer ) ), "abcde\xE2\x80\xA6nop" );
	// never wider than asked for, never cut inside a character, whatever the width
	const char* name =
		"\xE6\xBC\xA2\xE5\xAD\x97 mixed \xC3\xA4\xC3\xB6\xC3\xBC with e\xCC\x81 and \xF0\x9F\xA6\x8A tail";
	for ( int columns = 1; columns < 40; ++columns )
	{
		CleanText( name, columns, buffer, sizeof( buffer ) );
		testLessEqual( MeasureText( buffer ), columns );
		assert_null( strstr( buffer, "\xEF\xBF\xBD" ) );
	}
	// nor past the end of the buffer
	for ( size_t capacity = 1; capacity < 64; ++capacity )
	{
		memset( buffer, 'x', sizeof( buffer ) );
		CleanText( name, 30, buffer, capacity );
		testLess( strlen( buffer ), capacity );
		for ( size_t i = capacity; i < sizeof( buffer ); ++i )
		{
			assert_int_equal( buffer[i], 'x' );
		}
	}
}

static const char* NameAt( int32_t index, const void* context )
{
	return ( (const char* const*)context )[index];
}

static void TestNearest( void** state )
{
	(void)state;
	static const char* const names[] = { "clip", "time", "skinning", "motion", "motion-clip", "", "map" };
	assert_int_equal( FindNearestName( "clp", 7, NameAt, names ), 0 );
	assert_int_equal( FindNearestName( "tiem", 7, NameAt, names ), 1 );
	assert_int_equal( FindNearestName( "Skining", 7, NameAt, names ), 2 );
	assert_int_equal( FindNearestName( "motoin", 7, NameAt, names ), 3 );
	assert_int_equal( FindNearestName( "motion-clips", 7, NameAt, names ), 4 );
	// the beginning of a word
	assert_int_equal( FindNearestName( "ski", 7, NameAt, names ), 2 );
	assert_int_equal( FindNearestName( "banana", 7, NameAt, names ), -1 );
	assert_int_equal( FindNearestName( "", 7, NameAt, names ), -1 );
	char longWord[400];
	memset( longWord, 'c', sizeof( longWord ) );
	longWord[399] = 0;
	assert_int_equal( FindNearestName( longWord, 7, NameAt, names ), -1 );
}

static void TestNumbers( void** state )
{
	(void)state;
	assert_string_equal( FormatCount( 0 ), "0" );
	assert_string_equal( FormatCount( 999 ), "999" );
	assert_string_equal( FormatCount( 1728 ), "1,728" );
	assert_string_equal( FormatCount( -1234567 ), "-1,234,567" );
	assert_string_equal( FormatCount( -123 ), "-123" );
	assert_string_equal( FormatBytes( 1 ), "1 byte" );
	assert_string_equal( FormatBytes( 1023 ), "1023 bytes" );
	assert_string_equal( FormatBytes( 1536 ), "1.5 KiB" );
	assert_string_equal( FormatPlural( 1, "mesh", "meshes" ), "1 mesh" );
	assert_string_equal( FormatPlural( 2000, "mesh", "meshes" ), "2,000 meshes" );
	assert_string_equal( FormatShortest( 0.1f ), "0.1" );
	assert_string_equal( FormatShortest( 2.0f ), "2" );
	assert_string_equal( FormatShortest( 30.0f ), "30" );
	assert_string_equal( FormatShortest( -1200.0f ), "-1200" );
	assert_string_equal( FormatShortest( 1e30f ), "1e+30" );
	testRandom random = testMakeRandom( 7 );
	for ( int i = 0; i < 10000; ++i )
	{
		float value = ldexpf( testRandomFloat( &random, -1.0f, 1.0f ), (int)testRandomInt( &random, 200 ) - 100 );
		assert_true( strtof( FormatShortest( value ), NULL ) == value );
	}
}

static void TestJson( void** state )
{
	(void)state;
	char* text = NULL;
	size_t size = 0;
	FILE* stream = open_memstream( &text, &size );
	JsonWriter json = BeginJson( stream );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "name", "a\"b\\c\n\x01\xFF" );
	JsonText( &json, "none", NULL );
	JsonInteger( &json, "big", INT64_MIN );
	JsonFloat( &json, "nan", nanf( "" ) );
	JsonFloat( &json, "tenth", 0.1f );
	JsonBool( &json, "yes", true );
	JsonVec3( &json, "v", supMakeVec3( 1.0f, -0.5f, 1.0f / 3.0f ) );
	JsonOpenArray( &json, "empty" );
	JsonCloseArray( &json );
	JsonOpenArray( &json, "items" );
	JsonOpenObject( &json, NULL );
	JsonCloseObject( &json );
	JsonInteger( &json, NULL, 3 );
	JsonCloseArray( &json );
	JsonCloseObject( &json );
	EndJson( &json );
	fclose( stream );
	assert_string_equal( text, "{\n"
							   "  \"name\": \"a\\\"b\\\\c\\u000a\\u0001\xEF\xBF\xBD\",\n"
							   "  \"none\": null,\n"
							   "  \"big\": -9223372036854775808,\n"
							   "  \"nan\": null,\n"
							   "  \"tenth\": 0.1,\n"
							   "  \"yes\": true,\n"
							   "  \"v\": [1, -0.5, 0.33333334],\n"
							   "  \"empty\": [],\n"
							   "  \"items\": [\n"
							   "    {},\n"
							   "    3\n"
							   "  ]\n"
							   "}\n" );
	free( text );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestUtf8 ),    cmocka_unit_test( TestMeasure ), cmocka_unit_test( TestClean ),
		cmocka_unit_test( TestNearest ), cmocka_unit_test( TestNumbers ), cmocka_unit_test( TestJson ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
