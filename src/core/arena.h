// SPDX-License-Identifier: MIT
// An arena: many allocations, one release. Readers build into one; a character lives in one.
#pragma once

#include "core/core.h"

typedef struct supArenaBlock supArenaBlock;

typedef struct supArena
{
	supArenaBlock* blocks; // newest first
	size_t used;           // of the newest
	size_t total;          // bytes handed out, alignment included
	size_t limit;          // 0: none. Beyond it allocations fail, which bounds what a hostile file can ask for.
	bool failed;           // sticky: some allocation failed
} supArena;

// Zero-initialised is a valid empty arena.
SUP_SHARED_API void supArena_Destroy( supArena* arena );

// 16-byte aligned. NULL where out of memory; `failed` remembers it.
SUP_SHARED_API void* supArena_Alloc( supArena* arena, size_t size );
SUP_SHARED_API void* supArena_AllocZeroed( supArena* arena, size_t size );

// 64-byte aligned, for arrays that wide code reads. NULL where the product does not fit.
SUP_SHARED_API void* supArena_AllocArray( supArena* arena, size_t count, size_t itemSize );
SUP_SHARED_API void* supArena_CopyArray( supArena* arena, const void* items, size_t count, size_t itemSize );

// "" for NULL, so that names are never NULL.
SUP_SHARED_API const char* supArena_CopyString( supArena* arena, const char* text );
SUP_SHARED_API const char* supArena_Format( supArena* arena, const char* format, ... ) SUP_PRINTF( 2, 3 );
