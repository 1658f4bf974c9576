// SPDX-License-Identifier: MIT
#include "support.h"

#include "supple/io.h"

#include <string.h>

static void TestReads( void** state )
{
	(void)state;
	char folder[256];
	testMakeFolder( folder );
	char path[512];
	snprintf( path, sizeof( path ), "%s/map.json", folder );
	static const char text[] =
		"\xef\xbb\xbf{ \"LeftUpLeg\": \"thigh_l\",\n \"mixamorig:Hips\": \"Becken Z\xc3\xbcrich\" }\n";
	testWriteFile( path, text, sizeof( text ) - 1 );
	supError error;
	supNameMap* map = supLoadNameMap( path, &error );
	testRequire( map != NULL, &error );
	assert_int_equal( map->pairCount, 2 );
	assert_string_equal( map->pairs[0].source, "LeftUpLeg" );
	assert_string_equal( map->pairs[0].target, "thigh_l" );
	assert_string_equal( map->pairs[1].source, "mixamorig:Hips" );
	assert_string_equal( map->pairs[1].target, "Becken Z\xc3\xbcrich" );
	supDestroyNameMap( map );
	supDestroyNameMap( NULL );
	testRemoveFolder( folder );
}

static void TestRefuses( void** state )
{
	(void)state;
	static const struct
	{
		const char *text, *where, *message;
	} cases[] = {
		{ "", "map.json", "the file is empty" },
		{ "{ \"a\": \"b\",\n }", "line 2", "invalid JSON" },
		{ "[ \"a\", \"b\" ]", "map.json", "the map is empty" },
		{ "{}", "map.json", "the map is empty" },
		{ "{ \"a\": 7 }", "map.json", "beside \"a\" is not a name" },
		{ "{ \"a\": \"\" }", "map.json", "beside \"a\" is not a name" },
		{ "{ \"\": \"a\" }", "map.json", "is not a name" },
		{ "{ \"a\": { \"b\": \"c\" } }", "map.json", "thigh_l" },
		{ "{ \"a\": \"\xff\" }", "line 1", "invalid JSON" },
	};
	char folder[256];
	testMakeFolder( folder );
	char path[512];
	snprintf( path, sizeof( path ), "%s/map.json", folder );
	for ( size_t i = 0; i < sizeof( cases ) / sizeof( cases[0] ); ++i )
	{
		testWriteFile( path, cases[i].text, strlen( cases[i].text ) );
		supError error;
		assert_null( supLoadNameMap( path, &error ) );
		if ( error.code != sup_errorFormat || strstr( error.where, cases[i].where ) == NULL ||
			 strstr( error.message, cases[i].message ) == NULL )
		{
			fail_msg( "%s: %d, %s, %s", cases[i].text, error.code, error.where, error.message );
		}
	}
	testRemoveFolder( folder );
	supError error;
	assert_null( supLoadNameMap( path, &error ) );
	assert_true( error.code == sup_errorNotFound || error.code == sup_errorRead );
}

static bool AttemptLoad( void* context )
{
	supError error;
	supNameMap* map = supLoadNameMap( context, &error );
	assert_true( map != NULL || error.code == sup_errorMemory );
	bool ok = map != NULL;
	supDestroyNameMap( map );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	char folder[256];
	testMakeFolder( folder );
	char path[512];
	snprintf( path, sizeof( path ), "%s/map.json", folder );
	static const char text[] = "{ \"a\": \"b\", \"c\": \"d\", \"e\": \"f\" }";
	testWriteFile( path, text, sizeof( text ) - 1 );
	testEachAllocationFailure( AttemptLoad, path, 200 );
	testRemoveFolder( folder );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestReads ),
		cmocka_unit_test( TestRefuses ),
		cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
