// SPDX-License-Identifier: MIT
#include "cmocka.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
	resultFailed = 1,
	resultSkipped,
};

static jmp_buf s_end;
static const char* s_only;

void cmocka_set_test_filter( const char* pattern )
{
	s_only = pattern;
}

void print_message( const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	vprintf( format, arguments );
	va_end( arguments );
}

void cmockaSkip( void )
{
	longjmp( s_end, resultSkipped );
}

void cmockaFail( const char* file, int line, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	printf( "%s:%d: ", file, line );
	vprintf( format, arguments );
	printf( "\n" );
	va_end( arguments );
	longjmp( s_end, resultFailed );
}

void cmockaCheckInt( long long a, long long b, int equal, const char* file, int line )
{
	if ( ( a == b ) != ( equal != 0 ) )
	{
		cmockaFail( file, line, "%lld (0x%llx) %s %lld (0x%llx)", a, (unsigned long long)a, equal ? "is not" : "is", b,
					(unsigned long long)b );
	}
}

void cmockaCheckRange( unsigned long long value, unsigned long long least, unsigned long long most, const char* file,
					   int line )
{
	if ( value < least || value > most )
	{
		cmockaFail( file, line, "%llu is not within %llu .. %llu", value, least, most );
	}
}

void cmockaCheckFloat( float a, float b, float epsilon, const char* file, int line )
{
	if ( !( fabsf( a - b ) <= epsilon ) )
	{
		cmockaFail( file, line, "%.9g is not %.9g (within %g)", (double)a, (double)b, (double)epsilon );
	}
}

void cmockaCheckText( const char* a, const char* b, const char* file, int line )
{
	if ( strcmp( a, b ) != 0 )
	{
		cmockaFail( file, line, "\"%s\" is not \"%s\"", a, b );
	}
}

void cmockaCheckMemory( const void* a, const void* b, size_t size, int equal, const char* file, int line )
{
	const unsigned char *left = a, *right = b;
	for ( size_t i = 0; i < size && equal != 0; ++i )
	{
		if ( left[i] != right[i] )
		{
			cmockaFail( file, line, "byte %zu of %zu: 0x%02x is not 0x%02x", i, size, left[i], right[i] );
		}
	}
	if ( equal == 0 && memcmp( a, b, size ) == 0 )
	{
		cmockaFail( file, line, "all %zu bytes are the same", size );
	}
}

static int RunOne( const struct CMUnitTest* test, void** state )
{
	int result = setjmp( s_end );
	if ( result == 0 )
	{
		test->test( state );
	}
	static const char* const words[] = { "ok", "FAILED", "skipped" };
	printf( "%s: %s\n", test->name, words[result] );
	return result == resultFailed ? 1 : 0;
}

int cmockaRun( const struct CMUnitTest* tests, size_t count, CMFixtureFunction* setup, CMFixtureFunction* teardown )
{
	void* state = NULL;
	int failed = 0;
	if ( setup != NULL && setup( &state ) != 0 )
	{
		printf( "setting up FAILED\n" );
		return 1;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		failed += s_only == NULL || strcmp( s_only, tests[i].name ) == 0 ? RunOne( tests + i, &state ) : 0;
	}
	if ( teardown != NULL && teardown( &state ) != 0 )
	{
		printf( "tearing down FAILED\n" );
		failed += 1;
	}
	return failed;
}
