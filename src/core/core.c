// SPDX-License-Identifier: MIT
#include "core/core.h"

#include "core/clock.h"

#include <stdio.h>
#include <stdlib.h>

supVersion supGetVersion( void )
{
	return ( supVersion ){ SUP_VERSION_MAJOR, SUP_VERSION_MINOR, SUP_VERSION_PATCH };
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

static void* DefaultAlloc( size_t size, size_t alignment, void* context )
{
	(void)context;
	// aligned_alloc wants a multiple of the alignment
	if ( size > SIZE_MAX - alignment )
	{
		return NULL;
	}
	return aligned_alloc( alignment, ( size + alignment - 1 ) / alignment * alignment );
}

static void DefaultFree( void* memory, void* context )
{
	(void)context;
	free( memory );
}

static const supAllocator s_defaultAllocator = { DefaultAlloc, DefaultFree, NULL };
static supAllocator s_allocator = { DefaultAlloc, DefaultFree, NULL };

void supSetAllocator( const supAllocator* allocator )
{
	SUP_ASSERT( allocator == NULL || ( allocator->alloc != NULL && allocator->free != NULL ) );
	s_allocator = allocator != NULL ? *allocator : s_defaultAllocator;
}

static SUP_THREAD_LOCAL supBudget* s_budget;

supBudget* supSetBudget( supBudget* budget )
{
	supBudget* before = s_budget;
	s_budget = budget;
	return before;
}

static bool Charge( supBudget* budget, size_t size )
{
	budget->late = budget->late || ( budget->endMilliseconds > 0.0 && supGetMilliseconds() > budget->endMilliseconds );
	if ( budget->late || size > budget->bytes )
	{
		budget->exhausted = true;
		return false;
	}
	budget->bytes -= size;
	return true;
}

static void* AllocAligned( size_t size, size_t alignment )
{
	if ( s_budget != NULL && Charge( s_budget, size ) == false )
	{
		return NULL;
	}
	return s_allocator.alloc( size > 0 ? size : 1, alignment, s_allocator.context );
}

void* supAlloc( size_t size )
{
	return AllocAligned( size, SUP_CACHE_LINE );
}

void* supAllocSmall( size_t size )
{
	return AllocAligned( size, 16 );
}

void* supAllocZeroed( size_t size )
{
	void* memory = supAlloc( size );
	if ( memory != NULL )
	{
		memset( memory, 0, size );
	}
	return memory;
}

void* supAllocArray( size_t count, size_t itemSize )
{
	if ( itemSize > 0 && count > SIZE_MAX / itemSize )
	{
		return NULL;
	}
	return supAlloc( count * itemSize );
}

void supFree( void* memory )
{
	if ( memory != NULL )
	{
		s_allocator.free( memory, s_allocator.context );
	}
}

char* supCopyString( const char* text )
{
	if ( text == NULL )
	{
		return NULL;
	}
	size_t size = strlen( text ) + 1;
	char* copy = supAllocSmall( size );
	if ( copy != NULL )
	{
		memcpy( copy, text, size );
	}
	return copy;
}

// ---------------------------------------------------------------------------------------------------------------------
// Errors

const char* supErrorText( supErrorCode code )
{
	static const char* const texts[] = {
#define SUP_X( name, text ) text,
		SUP_ERROR_LIST( SUP_X )
#undef SUP_X
	};
	bool known = (int)code >= 0 && code < sup_errorCount;
	return known ? texts[code] : "unknown error";
}

void supClearError( supError* error )
{
	if ( error != NULL )
	{
		error->code = sup_errorNone;
		error->message[0] = 0;
		error->where[0] = 0;
	}
}

// Cuts at a character, not inside one: the text is UTF-8.
static void TrimBrokenTail( char* text, size_t capacity )
{
	size_t length = strlen( text );
	if ( length + 1 < capacity )
	{
		return;
	}
	size_t start = length;
	while ( start > 0 && ( (unsigned char)text[start - 1] & 0xC0 ) == 0x80 )
	{
		start -= 1;
	}
	if ( start > 0 && ( (unsigned char)text[start - 1] & 0xC0 ) == 0xC0 )
	{
		text[start - 1] = 0;
	}
}

bool supSetErrorV( supError* error, supErrorCode code, const char* where, const char* format, va_list arguments )
{
	if ( error == NULL || error->code != sup_errorNone )
	{
		return false;
	}
	error->code = code;
	vsnprintf( error->message, sizeof( error->message ), format, arguments );
	TrimBrokenTail( error->message, sizeof( error->message ) );
	snprintf( error->where, sizeof( error->where ), "%s", where != NULL ? where : "" );
	TrimBrokenTail( error->where, sizeof( error->where ) );
	return false;
}

bool supSetError( supError* error, supErrorCode code, const char* where, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	supSetErrorV( error, code, where, format, arguments );
	va_end( arguments );
	return false;
}

bool supSetMemoryError( supError* error )
{
	return supSetError( error, sup_errorMemory, NULL, "out of memory" );
}

// ---------------------------------------------------------------------------------------------------------------------
// Log and assertions

static void DefaultLog( supLogLevel level, const char* message, void* context )
{
	(void)context;
	if ( level >= sup_logWarning )
	{
		fprintf( stderr, "supple: %s\n", message );
	}
}

static supLogFcn* s_log = DefaultLog;
static void* s_logContext;

void supSetLog( supLogFcn* log, void* context )
{
	s_log = log;
	s_logContext = context;
}

void supLog( supLogLevel level, const char* format, ... )
{
	if ( s_log == NULL )
	{
		return;
	}
	char message[1024];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( message, sizeof( message ), format, arguments );
	va_end( arguments );
	s_log( level, message, s_logContext );
}

static bool DefaultAssert( const char* condition, const char* file, int line, void* context )
{
	(void)context;
	fprintf( stderr, "supple: assertion failed: %s (%s:%d)\n", condition, file, line );
	return true;
}

static supAssertFcn* s_assertHandler = DefaultAssert;
static void* s_assertContext;

void supSetAssertHandler( supAssertFcn* handler, void* context )
{
	s_assertHandler = handler != NULL ? handler : DefaultAssert;
	s_assertContext = handler != NULL ? context : NULL;
}

void supFailAssert( const char* condition, const char* file, int line )
{
	if ( s_assertHandler( condition, file, line, s_assertContext ) )
	{
		abort();
	}
}
