// SPDX-License-Identifier: MIT
// The ground: memory, assertions, log and error values. Every file of the library includes this.
#pragma once

#include "supple/base.h"

#include <stdarg.h>
#include <string.h>

#if defined( __GNUC__ )
#define SUP_PRINTF( text, first ) __attribute__( ( format( printf, text, first ) ) )
#define SUP_LIKELY( x ) __builtin_expect( !!( x ), 1 )
#define SUP_UNLIKELY( x ) __builtin_expect( !!( x ), 0 )
#else
#define SUP_PRINTF( text, first )
#define SUP_LIKELY( x ) ( x )
#define SUP_UNLIKELY( x ) ( x )
#endif

// Not public, but exported by libsupple.so: libsupple_io.so uses it. All else that is not SUP_API stays hidden.
#define SUP_SHARED_API SUP_EXPORT

#define SUP_COUNT( array ) ( (int32_t)( sizeof( array ) / sizeof( ( array )[0] ) ) )

#define SUP_CACHE_LINE 64

// In the browser one thread reads files. The build without threads links the same objects but has no block of
// thread-local storage: its variables would lie in the middle of constants.
#ifdef __EMSCRIPTEN__
#define SUP_THREAD_LOCAL
#else
#define SUP_THREAD_LOCAL _Thread_local
#endif

// How many bits are set. The compiler's own is a call where it may not count on the instruction.
static inline int32_t supCountBits( uint64_t bits )
{
	bits -= ( bits >> 1 ) & 0x5555555555555555ull;
	bits = ( bits & 0x3333333333333333ull ) + ( ( bits >> 2 ) & 0x3333333333333333ull );
	bits = ( bits + ( bits >> 4 ) ) & 0x0f0f0f0f0f0f0f0full;
	return (int32_t)( ( bits * 0x0101010101010101ull ) >> 56 );
}

// A bug in the calling program or in ours. Stays on in release builds: it is never in a hot loop.
#define SUP_ASSERT( condition )                                                                                        \
	do                                                                                                                 \
	{                                                                                                                  \
		if ( SUP_UNLIKELY( !( condition ) ) )                                                                          \
		{                                                                                                              \
			supFailAssert( #condition, __FILE__, __LINE__ );                                                           \
		}                                                                                                              \
	} while ( 0 )

// In hot loops: debug builds only.
#ifdef NDEBUG
#define SUP_DEBUG_ASSERT( condition ) ( (void)0 )
#else
#define SUP_DEBUG_ASSERT( condition ) SUP_ASSERT( condition )
#endif

SUP_SHARED_API void supFailAssert( const char* condition, const char* file, int line );

// ---------------------------------------------------------------------------------------------------------------------
// Memory through the hooks. Out of memory is NULL, always handled by the caller.

// 64-byte aligned, size 0 gives a valid pointer.
SUP_SHARED_API void* supAlloc( size_t size );
SUP_SHARED_API void* supAllocZeroed( size_t size );

// For `count` items; NULL also where the product does not fit.
SUP_SHARED_API void* supAllocArray( size_t count, size_t itemSize );

// For the many small strings of readers: 16-byte aligned.
SUP_SHARED_API void* supAllocSmall( size_t size );

// While it is set, everything that this thread allocates is charged to it, and fails once nothing is left: what a file
// of a stranger may ask for. Freeing gives nothing back.
typedef struct supBudget
{
	uint64_t bytes;
	double endMilliseconds; // by supGetMilliseconds; 0: no end
	bool exhausted;         // something was refused
	bool late;              // because the time was over
} supBudget;

// Returns the one that was set before, to be set again. NULL: no limit.
SUP_SHARED_API supBudget* supSetBudget( supBudget* budget );

// NULL where out of memory or text is NULL.
SUP_SHARED_API char* supCopyString( const char* text );

// ---------------------------------------------------------------------------------------------------------------------
// Errors. All functions take NULL for `error`. The first error set wins, so that a cause is not hidden by what follows.

SUP_SHARED_API void supClearError( supError* error );

// Returns false, so that a function can end with it.
SUP_SHARED_API bool supSetError( supError* error, supErrorCode code, const char* where, const char* format, ... )
	SUP_PRINTF( 4, 5 );
SUP_SHARED_API bool supSetErrorV( supError* error, supErrorCode code, const char* where, const char* format,
								  va_list arguments );

// Out of memory, in one word.
SUP_SHARED_API bool supSetMemoryError( supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Log

void supLog( supLogLevel level, const char* format, ... ) SUP_PRINTF( 2, 3 );
