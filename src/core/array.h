// SPDX-License-Identifier: MIT
// Growing arrays for readers and builders: SUP_ARRAY( int ) list = { 0 }; SUP_PUSH( &list, 7 ).
#pragma once

#include "core/core.h"

#define SUP_ARRAY( type )                                                                                              \
	struct                                                                                                             \
	{                                                                                                                  \
		type* data;                                                                                                    \
		int32_t count;                                                                                                 \
		int32_t capacity;                                                                                              \
	}

// Makes room for one more. False where out of memory; the array stays as it was.
#define SUP_RESERVE_ONE( array )                                                                                       \
	( ( array )->count < ( array )->capacity || supGrowArray( (void**)&( array )->data, &( array )->capacity,          \
															  ( array )->count + 1, sizeof( *( array )->data ) ) )

// False where out of memory.
#define SUP_PUSH( array, ... )                                                                                         \
	( SUP_RESERVE_ONE( array ) && ( ( array )->data[( array )->count++] = ( __VA_ARGS__ ), true ) )

#define SUP_FREE_ARRAY( array )                                                                                        \
	do                                                                                                                 \
	{                                                                                                                  \
		supFree( ( array )->data );                                                                                    \
		( array )->data = NULL;                                                                                        \
		( array )->count = 0;                                                                                          \
		( array )->capacity = 0;                                                                                       \
	} while ( 0 )

SUP_SHARED_API bool supGrowArray( void** data, int32_t* capacity, int32_t needed, size_t itemSize );
