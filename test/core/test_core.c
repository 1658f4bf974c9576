// SPDX-License-Identifier: MIT
// Memory, arena, arrays, errors, log, assertions.
#include "support.h"

#include "core/arena.h"
#include "core/array.h"
#include "core/hash.h"

static void TestArrayGrows( void** state )
{
	(void)state;
	SUP_ARRAY( int32_t ) list = { 0 };
	for ( int32_t i = 0; i < 1000; ++i )
	{
		assert_true( SUP_PUSH( &list, i * i ) );
	}
	for ( int32_t i = 0; i < 1000; ++i )
	{
		assert_int_equal( list.data[i], i * i );
	}
	SUP_FREE_ARRAY( &list );
	assert_null( list.data );
}

static void TestArenaAlignsAndKeeps( void** state )
{
	(void)state;
	supArena arena = { 0 };
	unsigned char* pieces[200];
	for ( int i = 0; i < 200; ++i )
	{
		size_t size = (size_t)( i * 37 % 3001 );
		pieces[i] = i % 2 == 0 ? supArena_Alloc( &arena, size ) : supArena_AllocArray( &arena, size, 1 );
		assert_non_null( pieces[i] );
		assert_int_equal( (uintptr_t)pieces[i] % ( i % 2 == 0 ? 16 : 64 ), 0 );
		memset( pieces[i], i, size );
	}
	for ( int i = 0; i < 200; ++i )
	{
		for ( size_t k = 0; k < (size_t)( i * 37 % 3001 ); ++k )
		{
			assert_int_equal( pieces[i][k], i );
		}
	}
	supArena_Destroy( &arena );
	supArena_Destroy( &arena );
}

static void TestArenaLimitAndOverflow( void** state )
{
	(void)state;
	supArena arena = { .limit = 1000 };
	assert_non_null( supArena_Alloc( &arena, 900 ) );
	assert_null( supArena_Alloc( &arena, 200 ) );
	assert_true( arena.failed );
	supArena_Destroy( &arena );
	assert_null( supArena_AllocArray( &arena, SIZE_MAX / 2, 16 ) );
	assert_true( arena.failed );
	supArena_Destroy( &arena );
	assert_null( supAllocArray( SIZE_MAX / 4, 8 ) );
}

static void TestArenaStrings( void** state )
{
	(void)state;
	supArena arena = { 0 };
	assert_string_equal( supArena_CopyString( &arena, NULL ), "" );
	assert_string_equal( supArena_CopyString( &arena, "elbow" ), "elbow" );
	assert_string_equal( supArena_Format( &arena, "nodes[%d]", 12 ), "nodes[12]" );
	supArena_Destroy( &arena );
}

static void TestFirstErrorWins( void** state )
{
	(void)state;
	supError error = { 0 };
	assert_false( supSetError( &error, sup_errorFormat, "a.glb", "bad %s", "header" ) );
	assert_false( supSetError( &error, sup_errorMemory, "b.glb", "later" ) );
	assert_int_equal( error.code, sup_errorFormat );
	assert_string_equal( error.message, "bad header" );
	assert_string_equal( error.where, "a.glb" );
	assert_false( supSetError( NULL, sup_errorMemory, NULL, "nobody listens" ) );
	assert_string_equal( supErrorText( sup_errorNone ), "no error" );
	assert_string_equal( supErrorText( (supErrorCode)999 ), "unknown error" );
}

static void TestLongErrorKeepsUtf8Whole( void** state )
{
	(void)state;
	supError error = { 0 };
	char text[2000] = "x";
	for ( int i = 1; i + 2 < 1900; i += 2 )
	{
		memcpy( text + i, "\xC3\xA9", 3 );
	}
	supSetError( &error, sup_errorFormat, text, "%s", text );
	size_t length = strlen( error.message );
	testLess( length, sizeof( error.message ) );
	testGreater( length, sizeof( error.message ) - 4 );
	assert_int_equal( (unsigned char)error.message[length - 1], 0xA9 );
	assert_int_equal( (unsigned char)error.where[strlen( error.where ) - 1], 0xA9 );
}

static int s_logged;

static void CountLog( supLogLevel level, const char* message, void* context )
{
	assert_int_equal( level, sup_logWarning );
	assert_string_equal( message, "seven 7" );
	*(int*)context += 1;
}

static void TestLogGoesToTheCallback( void** state )
{
	(void)state;
	supSetLog( CountLog, &s_logged );
	supLog( sup_logWarning, "seven %d", 7 );
	supSetLog( NULL, NULL );
	supLog( sup_logWarning, "nobody" );
	assert_int_equal( s_logged, 1 );
}

static bool CountAssert( const char* condition, const char* file, int line, void* context )
{
	assert_non_null( strstr( condition, "1 == 2" ) );
	assert_non_null( file );
	testGreater( line, 0 );
	*(int*)context += 1;
	return false;
}

static void TestAssertHandlerIsReplaceable( void** state )
{
	(void)state;
	int count = 0;
	supSetAssertHandler( CountAssert, &count );
	SUP_ASSERT( 1 == 2 );
	supSetAssertHandler( NULL, NULL );
	assert_int_equal( count, 1 );
}

static bool AttemptArena( void* context )
{
	(void)context;
	supArena arena = { 0 };
	for ( int i = 0; i < 50; ++i )
	{
		supArena_Alloc( &arena, 5000 );
	}
	bool ok = arena.failed == false;
	supArena_Destroy( &arena );
	return ok;
}

static void TestArenaSurvivesFailures( void** state )
{
	(void)state;
	testEachAllocationFailure( AttemptArena, NULL, 100 );
}

static void TestHashTellsApart( void** state )
{
	(void)state;
	uint64_t a = supHashString( SUP_HASH_SEED, "left" );
	assert_true( a != supHashString( SUP_HASH_SEED, "lefs" ) );
	assert_true( a == supHashString( SUP_HASH_SEED, "left" ) );
	assert_true( supHashBytes( SUP_HASH_SEED, "12345678", 8 ) != supHashBytes( SUP_HASH_SEED, "12345679", 8 ) );
}

static void TestCountBits( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	for ( int32_t round = 0; round < 200; ++round )
	{
		uint64_t bits = 0;
		int32_t expected = (int32_t)testRandomInt( &random, 65 );
		for ( int32_t left = expected; left > 0; )
		{
			uint64_t bit = 1ull << testRandomInt( &random, 64 );
			left -= ( bits & bit ) == 0;
			bits |= bit;
		}
		assert_int_equal( supCountBits( bits ), expected );
	}
	assert_int_equal( supCountBits( 0 ), 0 );
	assert_int_equal( supCountBits( UINT64_MAX ), 64 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestArrayGrows ),
		cmocka_unit_test( TestArenaAlignsAndKeeps ),
		cmocka_unit_test( TestArenaLimitAndOverflow ),
		cmocka_unit_test( TestArenaStrings ),
		cmocka_unit_test( TestFirstErrorWins ),
		cmocka_unit_test( TestLongErrorKeepsUtf8Whole ),
		cmocka_unit_test( TestLogGoesToTheCallback ),
		cmocka_unit_test( TestAssertHandlerIsReplaceable ),
		cmocka_unit_test( TestArenaSurvivesFailures ),
		cmocka_unit_test( TestHashTellsApart ),
		cmocka_unit_test( TestCountBits ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
