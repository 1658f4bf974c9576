// SPDX-License-Identifier: MIT
// Floats as text come back to the bit, without zeros at the end.
#include "io/common/float_text.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void CheckOne( float value )
{
	char text[SUP_FLOAT_TEXT_SIZE];
	size_t length = supFormatFloat( text, value );
	assert_int_equal( length, strlen( text ) );
	float back = strtof( text, NULL );
	assert_memory_equal( &back, &value, sizeof( float ) );
}

static void TestSpecials( void** state )
{
	(void)state;
	static const struct
	{
		float value;
		const char* text;
	} cases[] = { { 0.0f, "0" },
				  { 1.0f, "1" },
				  { -1.5f, "-1.5" },
				  { 100.0f, "100" },
				  { 0.25f, "0.25" },
				  { 123456.0f, "123456" },
				  { 1e-4f, "9.99999975e-05" },
				  { 0.001f, "0.00100000005" },
				  { 16777216.0f, "16777216" },
				  { 999999936.0f, "999999936" } };
	for ( size_t i = 0; i < sizeof( cases ) / sizeof( cases[0] ); ++i )
	{
		char text[SUP_FLOAT_TEXT_SIZE];
		supFormatFloat( text, cases[i].value );
		assert_string_equal( text, cases[i].text );
		CheckOne( cases[i].value );
	}
	CheckOne( -0.0f );
	CheckOne( FLT_MAX );
	CheckOne( FLT_MIN );
	CheckOne( nextafterf( 1.0f, 0.0f ) );
	CheckOne( nextafterf( 10.0f, 0.0f ) );
	CheckOne( nextafterf( 1e-4f, 0.0f ) );
	CheckOne( nextafterf( 1e9f, 0.0f ) );
	char text[SUP_FLOAT_TEXT_SIZE];
	testGreater( supFormatFloat( text, INFINITY ), 0 );
	testGreater( supFormatFloat( text, NAN ), 0 );
}

static void TestRoundTrip( void** state )
{
	(void)state;
	uint32_t seed = 1;
	for ( int i = 0; i < 300000; ++i )
	{
		seed = 1664525u * seed + 1013904223u;
		uint32_t bits = seed ^ seed >> 13;
		// most within what characters have
		bits = i % 8 != 0 ? ( bits & 0x807fffffu ) | ( 110u + bits % 45u ) << 23 : bits;
		float value;
		memcpy( &value, &bits, sizeof( value ) );
		if ( isfinite( value ) )
		{
			CheckOne( value );
		}
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestSpecials ), cmocka_unit_test( TestRoundTrip ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
