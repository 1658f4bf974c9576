// SPDX-License-Identifier: MIT
/// @file base.h
/// Foundations: version, errors, memory, log, assertions, threads.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined( _WIN32 ) && defined( SUPPLE_SHARED )
#if defined( SUPPLE_BUILDING )
#define SUP_EXPORT __declspec( dllexport )
#else
#define SUP_EXPORT __declspec( dllimport )
#endif
#elif defined( SUPPLE_SHARED )
#define SUP_EXPORT __attribute__( ( visibility( "default" ) ) )
#else
#define SUP_EXPORT
#endif

#ifdef __cplusplus
#define SUP_API extern "C" SUP_EXPORT
#else
#define SUP_API SUP_EXPORT
#endif

#define SUP_VERSION_MAJOR 0
#define SUP_VERSION_MINOR 1
#define SUP_VERSION_PATCH 0

typedef struct supVersion
{
	int32_t major;
	int32_t minor;
	int32_t patch;
} supVersion;

/// Returns the version of the linked library, which may differ from the headers..
SUP_API supVersion supGetVersion( void );

// ---------------------------------------------------------------------------------------------------------------------
// Errors. A bad file or option returns an error; nothing half-built is left behind.

/// All error codes, with their general meaning.
#define SUP_ERROR_LIST( X )                                                                                            \
	X( None, "no error" )                                                                                              \
	X( Memory, "out of memory" )                                                                                       \
	X( Argument, "an option or argument is not usable" )                                                               \
	X( NotFound, "a file, clip or name does not exist" )                                                               \
	X( Read, "a file could not be read" )                                                                              \
	X( Write, "a file could not be written" )                                                                          \
	X( Format, "a file is damaged or not what it says it is" )                                                         \
	X( Unsupported, "a file uses something that Supple does not read" )                                                \
	X( TooLarge, "a file asks for more than Supple is willing to hold" )                                               \
	X( Device, "a compute device is missing or failed" )

typedef enum supErrorCode
{
#define SUP_X( name, text ) sup_error##name,
	SUP_ERROR_LIST( SUP_X )
#undef SUP_X
	sup_errorCount
} supErrorCode;

/// Filled by every function that can fail for a reason outside the program.
typedef struct supError
{
	supErrorCode code;
	/// One sentence a user can act on: what is wrong and, where there is one, the remedy. UTF-8.
	char message[512];
	/// The file, and the place inside it ("fox.glb: accessors[3].sparse.count", "walk.bvh: line 17"). May be empty.
	char where[256];
} supError;

/// Returns the general meaning of a code; never NULL.
SUP_API const char* supErrorText( supErrorCode code );

// ---------------------------------------------------------------------------------------------------------------------
// Memory

/// Replaces malloc and free for everything the library allocates.
typedef struct supAllocator
{
	/// Returns `size` bytes (> 0) aligned to `alignment` (a power of two, at most 64), or NULL.
	void* ( *alloc )( size_t size, size_t alignment, void* context );
	/// Frees memory returned by `alloc`; `memory` is never NULL.
	void ( *free )( void* memory, void* context );
	void* context;
} supAllocator;

/// Installs an allocator for the whole process; NULL restores the default.
/// - no object of the library is alive
/// - both functions may be called from any thread
SUP_API void supSetAllocator( const supAllocator* allocator );

/// Frees a buffer returned by the library ("free with supFree"). NULL is allowed.
SUP_API void supFree( void* memory );

// ---------------------------------------------------------------------------------------------------------------------
// Log and assertions

typedef enum supLogLevel
{
	sup_logDebug,
	sup_logInfo,
	sup_logWarning,
} supLogLevel;

typedef void supLogFcn( supLogLevel level, const char* message, void* context );

/// Sends the library's messages to `log`; NULL silences them. The default prints warnings to stderr.
SUP_API void supSetLog( supLogFcn* log, void* context );

/// Called for a bug in the calling program. Return true to abort into the debugger, false to continue.
typedef bool supAssertFcn( const char* condition, const char* file, int line, void* context );

/// Replaces the assertion handler; NULL restores the default, which prints and aborts.
SUP_API void supSetAssertHandler( supAssertFcn* handler, void* context );

// ---------------------------------------------------------------------------------------------------------------------
// Threads

/// A piece of a parallel loop: the half-open range [begin, end) on one worker.
/// `worker` lies in [0, workerCount), and no two pieces run at once with the same one.
typedef void supRangeFcn( int32_t begin, int32_t end, int32_t worker, void* context );

/// Runs loops on several threads. Bring your own or use supCreateThreadPool.
typedef struct supTasks
{
	/// How many workers may run at once, the calling thread included; at least 1.
	int32_t workerCount;
	/// Calls `function` over [0, count) cut into pieces of at least `grain` items each (the last may be smaller), on
	/// any workers in any order, and returns when all pieces are done. Piece borders are multiples of `grain`.
	void ( *parallelFor )( int32_t count, int32_t grain, supRangeFcn* function, void* functionContext, void* context );
	void* context;
} supTasks;

typedef struct supThreadPool supThreadPool;

/// Starts `threadCount - 1` threads beside the caller's. 0 means one for each processor that this process may use;
/// there are never more than 64. NULL only when out of memory or threads. Destroy it with supDestroyThreadPool.
SUP_API supThreadPool* supCreateThreadPool( int32_t threadCount );

/// Waits for its threads to finish and destroys the pool. NULL is allowed.
SUP_API void supDestroyThreadPool( supThreadPool* pool );

/// Returns the pool as a task system, valid as long as the pool. Only one thread may start loops at a time, without
/// nesting.
SUP_API const supTasks* supThreadPool_Tasks( const supThreadPool* pool );

/// Instruction sets that the library selects from at start-up. Results have the same bits with each.
typedef enum supInstructionSet
{
	sup_instructionsBaseline,
	sup_instructionsAvx2,
} supInstructionSet;

/// Returns the instruction set in use.
SUP_API supInstructionSet supGetInstructionSet( void );

/// Forces an instruction set (tests, benchmarks). Returns false and changes nothing if this machine lacks it.
/// - the library is idle
SUP_API bool supSetInstructionSet( supInstructionSet set );
