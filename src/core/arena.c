// SPDX-License-Identifier: MIT
#include "core/arena.h"

#include <stdio.h>

#define FIRST_BLOCK_SIZE ( (size_t)16 * 1024 )
#define LARGEST_COMMON_BLOCK_SIZE ( (size_t)1024 * 1024 )

struct supArenaBlock
{
	supArenaBlock* next;
	size_t capacity;
};

// payload starts on a cache line
#define HEADER_SIZE SUP_CACHE_LINE

void supArena_Destroy( supArena* arena )
{
	supArenaBlock* block = arena->blocks;
	while ( block != NULL )
	{
		supArenaBlock* next = block->next;
		supFree( block );
		block = next;
	}
	memset( arena, 0, sizeof( *arena ) );
}

// A new block: the newest, or behind it where the newest has room left for others.
static supArenaBlock* AddBlock( supArena* arena, size_t capacity, bool behind )
{
	supArenaBlock* block = capacity <= SIZE_MAX - HEADER_SIZE ? supAlloc( HEADER_SIZE + capacity ) : NULL;
	if ( block == NULL )
	{
		return NULL;
	}
	block->capacity = capacity;
	if ( behind )
	{
		block->next = arena->blocks->next;
		arena->blocks->next = block;
		return block;
	}
	block->next = arena->blocks;
	arena->blocks = block;
	arena->used = 0;
	return block;
}

// Blocks grow with what was handed out, so that there are few; a large request gets one of exactly its size, so that
// little is unused.
static void* AllocFromNewBlock( supArena* arena, size_t size )
{
	size_t capacity = arena->total / 4;
	capacity = capacity > FIRST_BLOCK_SIZE ? capacity : FIRST_BLOCK_SIZE;
	capacity = capacity < LARGEST_COMMON_BLOCK_SIZE ? capacity : LARGEST_COMMON_BLOCK_SIZE;
	bool large = size >= capacity / 2;
	bool behind = large && arena->blocks != NULL && arena->used < arena->blocks->capacity;
	supArenaBlock* block = AddBlock( arena, large ? size : capacity, behind );
	if ( block == NULL )
	{
		return NULL;
	}
	arena->used = behind ? arena->used : size;
	return (char*)block + HEADER_SIZE;
}

static void* AllocAligned( supArena* arena, size_t size, size_t alignment )
{
	size_t start = ( arena->used + alignment - 1 ) & ~( alignment - 1 );
	bool overLimit = arena->limit > 0 && ( size > arena->limit || arena->total > arena->limit - size );
	void* memory = NULL;
	if ( overLimit == false &&
		 ( arena->blocks == NULL || start > arena->blocks->capacity || size > arena->blocks->capacity - start ) )
	{
		memory = AllocFromNewBlock( arena, size );
	}
	else if ( overLimit == false )
	{
		arena->used = start + size;
		memory = (char*)arena->blocks + HEADER_SIZE + start;
	}
	if ( memory == NULL )
	{
		arena->failed = true;
		return NULL;
	}
	arena->total += size;
	return memory;
}

void* supArena_Alloc( supArena* arena, size_t size )
{
	return AllocAligned( arena, size, 16 );
}

void* supArena_AllocZeroed( supArena* arena, size_t size )
{
	void* memory = supArena_Alloc( arena, size );
	if ( memory != NULL )
	{
		memset( memory, 0, size );
	}
	return memory;
}

void* supArena_AllocArray( supArena* arena, size_t count, size_t itemSize )
{
	if ( itemSize > 0 && count > ( SIZE_MAX / 2 ) / itemSize )
	{
		arena->failed = true;
		return NULL;
	}
	return AllocAligned( arena, count * itemSize, SUP_CACHE_LINE );
}

void* supArena_CopyArray( supArena* arena, const void* items, size_t count, size_t itemSize )
{
	void* copy = supArena_AllocArray( arena, count, itemSize );
	if ( copy != NULL && count > 0 )
	{
		memcpy( copy, items, count * itemSize );
	}
	return copy;
}

const char* supArena_CopyString( supArena* arena, const char* text )
{
	if ( text == NULL || text[0] == 0 )
	{
		return "";
	}
	size_t size = strlen( text ) + 1;
	char* copy = supArena_Alloc( arena, size );
	if ( copy != NULL )
	{
		memcpy( copy, text, size );
	}
	return copy;
}

const char* supArena_Format( supArena* arena, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	int length = vsnprintf( NULL, 0, format, arguments );
	va_end( arguments );
	char* text = length >= 0 ? supArena_Alloc( arena, (size_t)length + 1 ) : NULL;
	if ( text != NULL )
	{
		va_start( arguments, format );
		vsnprintf( text, (size_t)length + 1, format, arguments );
		va_end( arguments );
	}
	return text;
}
