// SPDX-License-Identifier: MIT
// tests.js FOLDER/NAME: the tests of the library in one program, since linking WebAssembly takes longer than compiling.
#include <stdio.h>
#include <string.h>

// made by CMake: TEST( folder, name ) for each
#define TEST( folder, name ) int test_##folder##_##name( void );
#include "tests_list.h"
#undef TEST

int main( int argc, char** argv )
{
#define TEST( folder, name )                                                                                           \
	if ( argc == 2 && strcmp( argv[1], #folder "/" #name ) == 0 )                                                      \
	{                                                                                                                  \
		return test_##folder##_##name();                                                                               \
	}
#include "tests_list.h"
#undef TEST
	printf( "there is no test %s\n", argc == 2 ? argv[1] : "" );
	return 2;
}
