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

#define SUP_COUNT( array ) ( (int32_t)( sizeof( array ) / sizeof( ( array )[0] ) ) )

#define SUP_CACHE_LINE 64

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

void supFailAssert( const char* condition, const char* file, int line );

// ---------------------------------------------------------------------------------------------------------------------
// Memory through the hooks. Out of memory is NULL, always handled by the caller.

// 64-byte aligned, size 0 gives a valid pointer.
void* supAlloc( size_t size );
void* supAllocZeroed( size_t size );

// For `count` items; NULL also where the product does not fit.
void* supAllocArray( size_t count, size_t itemSize );

// For the many small strings of readers: 16-byte aligned.
void* supAllocSmall( size_t size );

// NULL where out of memory or text is NULL.
char* supCopyString( const char* text );

// ---------------------------------------------------------------------------------------------------------------------
// Errors. All functions take NULL for `error`. The first error set wins, so that a cause is not hidden by what follows.

void supClearError( supError* error );

// Returns false, so that a function can end with it.
bool supSetError( supError* error, supErrorCode code, const char* where, const char* format, ... ) SUP_PRINTF( 4, 5 );
bool supSetErrorV( supError* error, supErrorCode code, const char* where, const char* format, va_list arguments );

// Out of memory, in one word.
bool supSetMemoryError( supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Log

void supLog( supLogLevel level, const char* format, ... ) SUP_PRINTF( 2, 3 );
