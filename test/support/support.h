// SPDX-License-Identifier: MIT
// What the tests share: cmocka, real files, failing allocators, random numbers that repeat.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// order matters to cmocka
#include <cmocka.h>

#include "supple/base.h"
#include "supple/math.h"

#include <stdio.h>

// Comparisons that say both values where they fail: "volume = 0.0213, wanted < 0.02 (bound)". NaN fails all of them.
#define testLess( actual, bound ) TEST_COMPARE( actual, <, bound )
#define testLessEqual( actual, bound ) TEST_COMPARE( actual, <=, bound )
#define testGreater( actual, bound ) TEST_COMPARE( actual, >, bound )
#define testGreaterEqual( actual, bound ) TEST_COMPARE( actual, >=, bound )

#define TEST_COMPARE( actual, operation, bound )                                                                       \
	do                                                                                                                 \
	{                                                                                                                  \
		double testActual = (double)( actual );                                                                        \
		double testBound = (double)( bound );                                                                          \
		if ( ( testActual operation testBound ) == false )                                                             \
		{                                                                                                              \
			testFailCompare( testActual, #actual, #operation, testBound, #bound, __FILE__, __LINE__ );                 \
		}                                                                                                              \
	} while ( 0 )
void testFailCompare( double actual, const char* actualText, const char* operation, double bound, const char* boundText,
					  const char* file, int line );

// Path of a file under the folder of real assets. Skips the running test, saying why, where the folder is missing.
// The result lives until the fourth call after this one.
const char* testAsset( const char* path );

// A fresh folder for files of one test, removed with testRemoveFolder.
const char* testMakeFolder( char path[256] );
void testRemoveFolder( const char* path );

// Whole file; fails the test where it cannot be read. Free with free().
unsigned char* testReadFile( const char* path, size_t* size );
void testWriteFile( const char* path, const void* bytes, size_t size );

// Fails the test and prints the error where `ok` is false.
void testRequire( bool ok, const supError* error );

// For a test of figures, whose code others run as well: skips it under sanitizers, where it would take minutes.
void testMeasuresOnly( void );

// Figures that need the time of a whole run are checked where this is false.
bool testIsSanitized( void );

// How often to do what shows a sanitizer nothing new from some time on: `all` times, `few` times under sanitizers.
int32_t testRounds( int32_t all, int32_t few );

// xorshift: the same numbers on every machine.
typedef struct testRandom
{
	uint64_t state;
} testRandom;

testRandom testMakeRandom( uint64_t seed );
uint32_t testRandomInt( testRandom* random, uint32_t below );
float testRandomFloat( testRandom* random, float lower, float upper );
supVec3 testRandomVec3( testRandom* random, float extent );
supQuat testRandomQuat( testRandom* random );

// Counts allocations, can make one fail, and knows what is still alive.
typedef struct testHeap
{
	int64_t allocations; // calls since the last reset
	int64_t live;        // not yet freed
	int64_t failAt;      // this call (0 is the first) and all after it return NULL; -1: none fails
	bool failOnce;       // only this call does
	size_t bytes;        // asked for since the last reset
	size_t largest;      // the largest single request
	size_t liveBytes;    // of what is not yet freed
	size_t peakBytes;    // the most that was
} testHeap;

// Installs a heap as the library's allocator; testUninstallHeap fails the test if anything is still alive.
void testInstallHeap( testHeap* heap );
void testUninstallHeap( testHeap* heap );

// Runs `attempt` again and again, failing the first, the second, ... allocation and all after it; or only that one.
// `attempt` returns false where the library reported running out of memory. Fails the test on leaks, and where a
// failure is not reported; steps over allocations so that at most `mostAttempts` are tried. SUPPLE_ALLOCATIONS=all
// tries each.
void testEachAllocationFailure( bool ( *attempt )( void* context ), void* context, int mostAttempts );
void testEachLoneAllocationFailure( bool ( *attempt )( void* context ), void* context, int mostAttempts );
