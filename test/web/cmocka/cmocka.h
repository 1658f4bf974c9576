// SPDX-License-Identifier: MIT
// As much of cmocka as our tests use, for WebAssembly, where there is no cmocka.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void CMUnitTestFunction( void** state );
typedef int CMFixtureFunction( void** state );

struct CMUnitTest
{
	const char* name;
	CMUnitTestFunction* test;
};

#define cmocka_unit_test( function )                                                                                   \
	{                                                                                                                  \
#function, function                                                                                            \
	}

// How many failed.
#define cmocka_run_group_tests( tests, setup, teardown )                                                               \
	cmockaRun( tests, sizeof( tests ) / sizeof( ( tests )[0] ), setup, teardown )

int cmockaRun( const struct CMUnitTest* tests, size_t count, CMFixtureFunction* setup, CMFixtureFunction* teardown );
void cmocka_set_test_filter( const char* pattern );
void print_message( const char* format, ... ) __attribute__( ( format( printf, 1, 2 ) ) );

_Noreturn void cmockaSkip( void );
_Noreturn void cmockaFail( const char* file, int line, const char* format, ... )
	__attribute__( ( format( printf, 3, 4 ) ) );

void cmockaCheckInt( long long a, long long b, int equal, const char* file, int line );
void cmockaCheckRange( unsigned long long value, unsigned long long least, unsigned long long most, const char* file,
					   int line );
void cmockaCheckFloat( float a, float b, float epsilon, const char* file, int line );
void cmockaCheckText( const char* a, const char* b, const char* file, int line );
void cmockaCheckMemory( const void* a, const void* b, size_t size, int equal, const char* file, int line );

#define test_malloc( size ) malloc( size )
#define test_free( memory ) free( memory )
#define skip() cmockaSkip()
#define fail_msg( ... ) cmockaFail( __FILE__, __LINE__, __VA_ARGS__ )
#define print_error( ... ) print_message( __VA_ARGS__ )
#define _fail( file, line ) cmockaFail( file, line, "Failure" )
#define assert_true( condition )                                                                                       \
	do                                                                                                                 \
	{                                                                                                                  \
		if ( !( condition ) )                                                                                          \
		{                                                                                                              \
			cmockaFail( __FILE__, __LINE__, "%s", #condition );                                                        \
		}                                                                                                              \
	} while ( 0 )
#define assert_false( condition ) assert_true( !( condition ) )
#define assert_non_null( pointer ) assert_true( ( pointer ) != NULL )
#define assert_null( pointer ) assert_true( ( pointer ) == NULL )
#define assert_ptr_equal( a, b ) assert_true( (const void*)( a ) == (const void*)( b ) )
#define assert_int_equal( a, b ) cmockaCheckInt( (long long)( a ), (long long)( b ), 1, __FILE__, __LINE__ )
#define assert_int_not_equal( a, b ) cmockaCheckInt( (long long)( a ), (long long)( b ), 0, __FILE__, __LINE__ )
#define assert_in_range( value, least, most )                                                                          \
	cmockaCheckRange( (unsigned long long)( value ), (unsigned long long)( least ), (unsigned long long)( most ),      \
					  __FILE__, __LINE__ )
#define assert_float_equal( a, b, epsilon )                                                                            \
	cmockaCheckFloat( (float)( a ), (float)( b ), (float)( epsilon ), __FILE__, __LINE__ )
#define assert_string_equal( a, b ) cmockaCheckText( a, b, __FILE__, __LINE__ )
#define assert_memory_equal( a, b, size ) cmockaCheckMemory( a, b, size, 1, __FILE__, __LINE__ )
#define assert_memory_not_equal( a, b, size ) cmockaCheckMemory( a, b, size, 0, __FILE__, __LINE__ )
