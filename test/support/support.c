// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "support.h"

#include <dirent.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void testFailCompare( double actual, const char* actualText, const char* operation, double bound, const char* boundText,
					  const char* file, int line )
{
	print_error( "%s = %.9g, wanted %s %.9g (%s)\n", actualText, actual, operation, bound, boundText );
	_fail( file, line );
}

const char* testAsset( const char* path )
{
	static char paths[4][1024];
	static int next;
	char* result = paths[next++ % 4];
	const char* root = getenv( "SUPPLE_ASSETS" );
	struct stat info;
	if ( root == NULL || stat( root, &info ) != 0 )
	{
		printf( "skipped: no folder of real assets (set SUPPLE_ASSETS)\n" );
		skip();
	}
	snprintf( result, sizeof( paths[0] ), "%s/%s", root, path );
	return result;
}

const char* testMakeFolder( char path[256] )
{
	const char* base = getenv( "TMPDIR" );
	snprintf( path, 256, "%s/supple-test-XXXXXX", base != NULL ? base : "/tmp" );
	assert_non_null( mkdtemp( path ) );
	return path;
}

void testRemoveFolder( const char* path )
{
	DIR* folder = opendir( path );
	assert_non_null( folder );
	for ( struct dirent* entry = readdir( folder ); entry != NULL; entry = readdir( folder ) )
	{
		char file[1024];
		snprintf( file, sizeof( file ), "%s/%s", path, entry->d_name );
		if ( strcmp( entry->d_name, "." ) != 0 && strcmp( entry->d_name, ".." ) != 0 )
		{
			remove( file );
		}
	}
	closedir( folder );
	rmdir( path );
}

unsigned char* testReadFile( const char* path, size_t* size )
{
	FILE* file = fopen( path, "rb" );
	if ( file == NULL )
	{
		fail_msg( "cannot open %s", path );
	}
	fseek( file, 0, SEEK_END );
	long length = ftell( file );
	fseek( file, 0, SEEK_SET );
	unsigned char* bytes = malloc( (size_t)length + 1 );
	assert_non_null( bytes );
	assert_int_equal( fread( bytes, 1, (size_t)length, file ), length );
	bytes[length] = 0;
	fclose( file );
	*size = (size_t)length;
	return bytes;
}

void testWriteFile( const char* path, const void* bytes, size_t size )
{
	FILE* file = fopen( path, "wb" );
	assert_non_null( file );
	assert_int_equal( fwrite( bytes, 1, size, file ), size );
	assert_int_equal( fclose( file ), 0 );
}

#if defined( __SANITIZE_ADDRESS__ ) || defined( __SANITIZE_THREAD__ )
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

void testMeasuresOnly( void )
{
	if ( IS_SANITIZED )
	{
		print_message( "measured in release only\n" );
		skip();
	}
}

bool testIsSanitized( void )
{
	return IS_SANITIZED;
}

int32_t testRounds( int32_t all, int32_t few )
{
	return IS_SANITIZED ? few : all;
}

// SUPPLE_CASES=PATTERN: only these cases of a program.
__attribute__( ( constructor ) ) static void ChooseCases( void )
{
	const char* pattern = getenv( "SUPPLE_CASES" );
	if ( pattern != NULL )
	{
		cmocka_set_test_filter( pattern );
	}
}

void testRequire( bool ok, const supError* error )
{
	if ( ok == false )
	{
		fail_msg( "%s: %s", error->where, error->message );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Random numbers

testRandom testMakeRandom( uint64_t seed )
{
	return ( testRandom ){ seed * 0x9E3779B97F4A7C15ull + 0x1234567ull };
}

static uint64_t NextRandom( testRandom* random )
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return random->state;
}

uint32_t testRandomInt( testRandom* random, uint32_t below )
{
	return (uint32_t)( ( NextRandom( random ) >> 32 ) % below );
}

float testRandomFloat( testRandom* random, float lower, float upper )
{
	float unit = (float)( NextRandom( random ) >> 40 ) / 16777216.0f;
	return lower + ( upper - lower ) * unit;
}

supVec3 testRandomVec3( testRandom* random, float extent )
{
	supVec3 v;
	v.x = testRandomFloat( random, -extent, extent );
	v.y = testRandomFloat( random, -extent, extent );
	v.z = testRandomFloat( random, -extent, extent );
	return v;
}

supQuat testRandomQuat( testRandom* random )
{
	for ( ;; )
	{
		supQuat q;
		q.x = testRandomFloat( random, -1.0f, 1.0f );
		q.y = testRandomFloat( random, -1.0f, 1.0f );
		q.z = testRandomFloat( random, -1.0f, 1.0f );
		q.w = testRandomFloat( random, -1.0f, 1.0f );
		float n = supDotQuat( q, q );
		if ( n > 0.01f && n <= 1.0f )
		{
			return supNormalizeQuat( q );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Heap. One at a time; threads of the library may call it.

static void* HeapAlloc( size_t size, size_t alignment, void* context )
{
	testHeap* heap = context;
	int64_t index = __atomic_fetch_add( &heap->allocations, 1, __ATOMIC_RELAXED );
	__atomic_fetch_add( &heap->bytes, size, __ATOMIC_RELAXED );
	if ( size > heap->largest )
	{
		heap->largest = size;
	}
	if ( heap->failAt >= 0 && ( heap->failOnce ? index == heap->failAt : index >= heap->failAt ) )
	{
		return NULL;
	}
	void* memory = aligned_alloc( alignment, ( size + alignment - 1 ) / alignment * alignment );
	if ( memory != NULL )
	{
		__atomic_fetch_add( &heap->live, 1, __ATOMIC_RELAXED );
		size_t live = __atomic_add_fetch( &heap->liveBytes, malloc_usable_size( memory ), __ATOMIC_RELAXED );
		size_t peak = __atomic_load_n( &heap->peakBytes, __ATOMIC_RELAXED );
		while ( live > peak && __atomic_compare_exchange_n( &heap->peakBytes, &peak, live, true, __ATOMIC_RELAXED,
															__ATOMIC_RELAXED ) == false )
		{
		}
	}
	return memory;
}

static void HeapFree( void* memory, void* context )
{
	testHeap* heap = context;
	__atomic_fetch_sub( &heap->live, 1, __ATOMIC_RELAXED );
	__atomic_fetch_sub( &heap->liveBytes, malloc_usable_size( memory ), __ATOMIC_RELAXED );
	free( memory );
}

void testInstallHeap( testHeap* heap )
{
	*heap = ( testHeap ){ .failAt = -1 };
	supSetAllocator( &( supAllocator ){ HeapAlloc, HeapFree, heap } );
}

void testUninstallHeap( testHeap* heap )
{
	supSetAllocator( NULL );
	assert_int_equal( heap->live, 0 );
}

static void FailEach( bool ( *attempt )( void* context ), void* context, int mostAttempts, bool once )
{
	testHeap heap;
	testInstallHeap( &heap );
	if ( attempt( context ) == false )
	{
		fail_msg( "the attempt fails even with all the memory it wants" );
	}
	int64_t total = heap.allocations;
	assert_int_equal( heap.live, 0 );
	testGreater( total, 0 );
	const char* all = getenv( "SUPPLE_ALLOCATIONS" );
	int64_t step = all != NULL && strcmp( all, "all" ) == 0 ? 1 : total / mostAttempts + 1;
	const char* how = once ? " alone" : "";
	for ( int64_t failAt = 0; failAt < total; failAt += step )
	{
		heap = ( testHeap ){ .failAt = failAt, .failOnce = once };
		if ( attempt( context ) )
		{
			fail_msg( "allocation %d of %d failed%s and nobody noticed", (int)failAt, (int)total, how );
		}
		if ( heap.live != 0 )
		{
			fail_msg( "%d allocations leak when allocation %d of %d fails%s", (int)heap.live, (int)failAt, (int)total,
					  how );
		}
	}
	testUninstallHeap( &heap );
}

// Leaks are found in release as well; what sanitizers would find beyond them lies in a few paths.
static int FewerAttempts( int mostAttempts )
{
	return testRounds( mostAttempts, mostAttempts < 40 ? ( mostAttempts + 1 ) / 2 : mostAttempts / 10 + 20 );
}

void testEachAllocationFailure( bool ( *attempt )( void* context ), void* context, int mostAttempts )
{
	FailEach( attempt, context, FewerAttempts( mostAttempts ), false );
}

void testEachLoneAllocationFailure( bool ( *attempt )( void* context ), void* context, int mostAttempts )
{
	FailEach( attempt, context, FewerAttempts( mostAttempts ), true );
}

// Not ours to mend. LeakSanitizer asks every program for this function; without it nobody does.
const char* __lsan_default_suppressions( void );

const char* __lsan_default_suppressions( void )
{
	// as in leaks.txt, which the tests of the command line use
	return "leak:libassimp\nleak:libfontconfig\n";
}
