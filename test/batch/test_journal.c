// SPDX-License-Identifier: MIT
#include "batch/file_cache.h"
#include "batch/journal.h"
#include "support.h"

#include <stdio.h>

typedef struct Lines
{
	int32_t count;
	char last[64];
	size_t longest;
} Lines;

static void TakeLine( const char* line, size_t length, void* context )
{
	Lines* lines = context;
	lines->count += 1;
	lines->longest = length > lines->longest ? length : lines->longest;
	snprintf( lines->last, sizeof( lines->last ), "%.*s", (int)( length < 63 ? length : 63 ), line );
}

static void TestJournal( void** state )
{
	(void)state;
	char folder[256], path[512];
	testMakeFolder( folder );
	supError error = { 0 };
	supJournal* a = supOpenJournal( folder, "a", &error );
	supJournal* b = supOpenJournal( folder, "b", &error );
	testRequire( a != NULL && b != NULL, &error );
	Lines lines = { 0 };
	assert_true( supJournal_Append( a, "one" ) );
	assert_true( supJournal_Read( b, TakeLine, &lines ) );
	assert_int_equal( lines.count, 0 );
	assert_true( supJournal_Flush( a, &error ) );
	assert_true( supJournal_Read( b, TakeLine, &lines ) );
	assert_int_equal( lines.count, 1 );
	assert_string_equal( lines.last, "one" );
	// only what is new
	assert_true( supJournal_Append( b, "two" ) );
	assert_true( supJournal_Flush( b, &error ) );
	assert_true( supJournal_Read( b, TakeLine, &lines ) );
	assert_int_equal( lines.count, 2 );
	assert_string_equal( lines.last, "two" );
	// a line that a killed writer left unfinished is no line, until it is
	snprintf( path, sizeof( path ), "%s/c.jsonl", folder );
	testWriteFile( path, "three\nfo", 8 );
	assert_true( supJournal_Read( b, TakeLine, &lines ) );
	assert_string_equal( lines.last, "three" );
	testWriteFile( path, "three\nfour\n", 11 );
	assert_true( supJournal_Read( b, TakeLine, &lines ) );
	assert_string_equal( lines.last, "four" );
	assert_int_equal( lines.count, 4 );
	// longer than a block
	static char large[200001];
	memset( large, 'x', sizeof( large ) - 1 );
	assert_true( supJournal_Append( a, large ) );
	supCloseJournal( a );
	assert_true( supJournal_Read( b, TakeLine, &lines ) );
	assert_int_equal( lines.longest, 200000 );
	supCloseJournal( b );
	// only reading makes nothing
	supJournal* reader = supOpenJournal( "/nonexistent/journal", NULL, &error );
	assert_non_null( reader );
	assert_true( supJournal_Read( reader, TakeLine, &lines ) );
	supCloseJournal( reader );
	testRemoveFolder( folder );
}

static void TestFileCache( void** state )
{
	(void)state;
	char folder[256], file[512], kept[512];
	testMakeFolder( folder );
	snprintf( file, sizeof( file ), "%s/input", folder );
	snprintf( kept, sizeof( kept ), "%s/cache", folder );
	// longer than a block, and not a whole number of words
	size_t size = ( (size_t)1 << 20 ) + 13;
	unsigned char* bytes = supAllocZeroed( size );
	bytes[size - 1] = 1;
	testWriteFile( file, bytes, size );
	supHash128 whole = supBeginHash128(), hash, other;
	supHash128_Add( &whole, bytes, size );
	supError error = { 0 };
	supFileCache* cache = supOpenFileCache( kept );
	testRequire( supFileCache_Hash( cache, file, &hash, &error ), &error );
	assert_memory_equal( &hash, &whole, sizeof( hash ) );
	assert_null( supFileCache_Note( cache, file ) );
	assert_true( supFileCache_SetNote( cache, file, "[\"Walk\"]" ) );
	supFileCache_Save( cache );
	supDestroyFileCache( cache );
	// kept from run to run, for the same content only
	cache = supOpenFileCache( kept );
	assert_string_equal( supFileCache_Note( cache, file ), "[\"Walk\"]" );
	assert_true( supFileCache_Hash( cache, file, &other, &error ) );
	assert_memory_equal( &other, &hash, sizeof( hash ) );
	bytes[0] = 1;
	testWriteFile( file, bytes, size );
	assert_null( supFileCache_Note( cache, file ) );
	assert_true( supFileCache_Hash( cache, file, &other, &error ) );
	assert_memory_not_equal( &other, &hash, sizeof( hash ) );
	assert_false( supFileCache_Hash( cache, "/nonexistent", &other, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	supDestroyFileCache( cache );
	// a damaged cache is an empty one
	static const char damaged[] = "supple files 1\n12 3 x\ngarbage\t\n\t\t\n1 1 1 1 1 1";
	testWriteFile( kept, damaged, sizeof( damaged ) - 1 );
	cache = supOpenFileCache( kept );
	assert_non_null( cache );
	assert_null( supFileCache_Note( cache, file ) );
	supDestroyFileCache( cache );
	supFree( bytes );
	testRemoveFolder( folder );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestJournal ),
		cmocka_unit_test( TestFileCache ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
