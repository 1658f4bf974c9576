// SPDX-License-Identifier: MIT
// The JSON of the browser (web/jansson) against jansson itself: the same trees to the bit, the same refusals with the
// same words and places, on documents that are valid, broken by hand, and broken at random.
#include "json_table.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static Text s_theirs, s_ours;

static void Compare( const char* bytes, size_t length )
{
	// plain, as documents are read, as settings are
	for ( int way = 0; way < 3; ++way )
	{
		g_jansson.parse( bytes, length, way > 0, way > 1, &s_theirs );
		g_ours.parse( bytes, length, way > 0, way > 1, &s_ours );
		if ( s_theirs.length != s_ours.length || memcmp( s_theirs.data, s_ours.data, s_ours.length ) != 0 )
		{
			fail_msg( "%.*s\n  jansson: %s\n  ours:    %s", (int)length, bytes, s_theirs.data, s_ours.data );
		}
	}
}

// Every kind of value, and every way to get each wrong that the grammar knows.
static const char* const s_documents[] = {
	"{}",
	"[]",
	"  [ ]  \n",
	"[1, -1, 0, -0, 1.5, -2.5e3, 1E+2, 1e-400, 0.1, 123456789012345678, 1.7976931348623157e308]",
	"[9223372036854775807, -9223372036854775808]",
	"[true, false, null]",
	"{\"a\": {\"b\": [{}, [], \"\"]}, \"c\": \"d\"}",
	"{\"a\": 1, \"b\": 2, \"a\": 3, \"c\": {\"a\": 1, \"a\": {\"x\": []}}}",
	"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\"]",
	"[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"]",
	"[\"a\\u0000b\", \"\\u0000\"]",
	"{\"a\\u0000b\": 1}",
	"[4.9406564584124654e-324, 2.2250738585072011e-308, 0.30000000000000004, 179769313486231570000000000000000000000.0]",
	"[123456789012345678901234567890.5, 0.000000000000000000000000000000000000000000000000000000000000000000000000001]",
	// broken
	"",
	" ",
	"\n\n  ",
	"1",
	"\"a\"",
	"true",
	"[",
	"{",
	"[1",
	"[1,",
	"[1,]",
	"[,]",
	"[1 2]",
	"[1]]",
	"[] []",
	"{\"a\"",
	"{\"a\":",
	"{\"a\":1",
	"{\"a\":1,",
	"{\"a\":1,}",
	"{\"a\" 1}",
	"{a: 1}",
	"{1: 1}",
	"{\"a\":}",
	"[}",
	"{]",
	"]",
	"[tru]",
	"[trueish]",
	"[truetruetruetruetruetruetrue]",
	"[True]",
	"[nul",
	"[01]",
	"[-]",
	"[-a]",
	"[+1]",
	"[.5]",
	"[1.]",
	"[1.e5]",
	"[1e]",
	"[1e+]",
	"[1e+x]",
	"[-01]",
	"[0x10]",
	"[1e999]",
	"[-1e999]",
	"[9223372036854775808]",
	"[-9223372036854775809]",
	"[99999999999999999999999999999999999999999999999999]",
	"[\"abc",
	"[\"a\nb\"]",
	"[\"a\tb\"]",
	"[\"a\x01\"]",
	"[\"\\x\"]",
	"[\"\\",
	"[\"\\u",
	"[\"\\u12",
	"[\"\\u12g4\"]",
	"[\"\\u12\xC3\xA9\"]",
	"[\"\\uD800\"]",
	"[\"\\uD800a\"]",
	"[\"\\uDC00\"]",
	"[\"\\uD800\\u0041\"]",
	"[\"\\uD800\\uD800\"]",
	"[\"\\uD8\"]",
	"[\x80]",
	"[\xC3]",
	"[\"\xC3\"]",
	"[\"\xC3",
	"[\"\xC0\xAF\"]",
	"[\"\xE0\x80\xAF\"]",
	"[\"\xED\xA0\x80\"]",
	"[\"\xF4\x90\x80\x80\"]",
	"[\"\xF8\x88\x80\x80\x80\"]",
	"[\"\xFF\"]",
	"[\"\xEF\xBF\xBF\"]",
	"[\xC3\xA9]",
	"[1\xC3\xA9]",
	"[true\xC3\xA9]",
	"\xEF\xBB\xBF[]",
	"[tru\xFF]",
	"[1\xFF]",
	"[] \xC3\xA9",
	"[]\xFF",
	"\xFF",
	"[\n\n  1,\n  x\n]",
	"[\"\xC3\xA9\xC3\xA9\",\n \"\xE2\x82\xAC\", ?]",
	"// no\n[]",
	"[1, /* no */ 2]",
	"{'a': 1}",
	"[NaN]",
	"[Infinity]",
};

#define DOCUMENT_COUNT ( sizeof( s_documents ) / sizeof( s_documents[0] ) )

static void TestDocuments( void** state )
{
	(void)state;
	for ( size_t i = 0; i < DOCUMENT_COUNT; ++i )
	{
		Compare( s_documents[i], strlen( s_documents[i] ) );
	}
	// zero bytes
	Compare( "[1\0]", 4 );
	Compare( "[\0]", 3 );
	Compare( "[\"\0\"]", 5 );
	Compare( "[true\0]", 7 );
	Compare( "\0[]", 3 );
	Compare( "[]\0", 3 );
	Compare( "[1.\0]", 5 );
	Compare( "[-\0]", 4 );
	Compare( "[1e\0]", 5 );
}

// Documents cut off, with bytes put in, taken out and exchanged, and glued together.
static void TestDamage( void** state )
{
	(void)state;
	static const char pieces[] = "{}[]:,\"\\/ue0123456789+-.Eabtrfnsl \n\t\xC3\xA9\xE2\x82\xAC\xF0\xED\xFF\x80\x01";
	testRandom random = testMakeRandom( 11 );
	for ( size_t i = 0; i < DOCUMENT_COUNT; ++i )
	{
		const char* document = s_documents[i];
		size_t length = strlen( document );
		for ( size_t k = 0; k < length; ++k )
		{
			Compare( document, k );
		}
		for ( int32_t round = 0; round < 200 && length > 0; ++round )
		{
			char damaged[512];
			size_t size = length;
			memcpy( damaged, document, length );
			for ( uint32_t edits = 1 + testRandomInt( &random, 3 ); edits > 0 && size > 0; --edits )
			{
				uint32_t at = testRandomInt( &random, (uint32_t)size );
				char byte = pieces[testRandomInt( &random, sizeof( pieces ) )];
				switch ( testRandomInt( &random, 4 ) )
				{
					case 0:
						memmove( damaged + at, damaged + at + 1, size - at - 1 );
						size -= 1;
						break;
					case 1:
						memmove( damaged + at + 1, damaged + at, size - at );
						damaged[at] = byte;
						size += 1;
						break;
					default:
						damaged[at] = byte;
						break;
				}
			}
			Compare( damaged, size );
		}
	}
	for ( int32_t round = 0; round < 3000; ++round )
	{
		char soup[40];
		uint32_t size = testRandomInt( &random, sizeof( soup ) );
		for ( uint32_t i = 0; i < size; ++i )
		{
			soup[i] =
				i == 0 && testRandomInt( &random, 8 ) > 0 ? '[' : pieces[testRandomInt( &random, sizeof( pieces ) )];
		}
		Compare( soup, size );
	}
}

// 2048 levels and no more, however it is asked for.
static void TestDepth( void** state )
{
	(void)state;
	static char deep[20000];
	for ( int32_t levels = 2046; levels <= 2050; ++levels )
	{
		for ( int32_t kind = 0; kind < 3; ++kind )
		{
			size_t n = 0;
			for ( int32_t i = 0; i < levels; ++i )
			{
				n += (size_t)sprintf( deep + n, "%s", kind == 1 ? "{\"\":" : "[" );
			}
			n += (size_t)sprintf( deep + n, "%s", kind == 1 ? "1" : kind == 2 ? "[]" : "" );
			memset( deep + n, kind == 1 ? '}' : ']', (size_t)levels );
			Compare( deep, n + (size_t)levels );
			Compare( deep, n );
		}
	}
	memset( deep, '[', sizeof( deep ) );
	Compare( deep, sizeof( deep ) );
}

static void TestActions( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int32_t round = 0; round < 400; ++round )
	{
		uint32_t numbers[60];
		for ( int32_t i = 0; i < 60; ++i )
		{
			numbers[i] = testRandomInt( &random, 1u << 20 );
		}
		g_jansson.act( numbers, 60, &s_theirs );
		g_ours.act( numbers, 60, &s_ours );
		assert_string_equal( s_theirs.data, s_ours.data );
	}
}

// Many keys: found, in order, and not slow.
static void TestManyKeys( void** state )
{
	(void)state;
	enum
	{
		keyCount = 20000
	};
	char* text = malloc( keyCount * 24 + 2 );
	size_t n = 0;
	for ( int32_t i = 0; i < keyCount; ++i )
	{
		n += (size_t)sprintf( text + n, "%s\"key%d\":%d", i == 0 ? "{" : ",", i * 7919 % 15000, i );
	}
	n += (size_t)sprintf( text + n, "}" );
	Compare( text, n );
	free( text );
}

// ---------------------------------------------------------------------------------------------------------------------
// Out of memory: nothing lost, nothing left over

static int64_t s_left, s_live;

static void* FailingAlloc( size_t size )
{
	if ( s_left-- <= 0 )
	{
		return NULL;
	}
	s_live += 1;
	return malloc( size );
}

static void CountingFree( void* memory )
{
	s_live -= 1;
	free( memory );
}

static void TestMemory( void** state )
{
	(void)state;
	static const char document[] =
		"{\"a\": [1, 2.5, \"three\", {\"b\": null, \"c\": [[], {}]}, true], \"d\": \"\\u00e9\", "
		"\"e\": 1234567890123456789012345678901234567890123456789012345678901234567890.5}";
	g_ours.useHeap( FailingAlloc, CountingFree );
	bool whole = false;
	for ( int64_t fail = 0; whole == false; ++fail )
	{
		s_left = fail;
		g_ours.parse( document, sizeof( document ) - 1, true, true, &s_ours );
		assert_int_equal( s_live, 0 );
		whole = s_ours.data[0] == '{';
		testLess( fail, 200 );
	}
	uint32_t numbers[40];
	for ( int64_t fail = 0; fail < 150; ++fail )
	{
		testRandom random = testMakeRandom( 3 );
		for ( int32_t i = 0; i < 40; ++i )
		{
			numbers[i] = testRandomInt( &random, 1u << 20 );
		}
		s_left = fail;
		g_ours.act( numbers, 40, &s_ours );
		assert_int_equal( s_live, 0 );
	}
	g_ours.useHeap( malloc, free );
	free( s_theirs.data );
	free( s_ours.data );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestDocuments ), cmocka_unit_test( TestDamage ),   cmocka_unit_test( TestDepth ),
		cmocka_unit_test( TestActions ),   cmocka_unit_test( TestManyKeys ), cmocka_unit_test( TestMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
