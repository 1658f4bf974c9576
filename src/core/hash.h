// SPDX-License-Identifier: MIT
// A 64-bit fingerprint (FNV-1a over 8-byte words, then bytes), the same on every little-endian machine.
#pragma once

#include "core/core.h"

#define SUP_HASH_SEED 0xcbf29ce484222325ull

static inline uint64_t supHashBytes( uint64_t hash, const void* bytes, size_t count )
{
	const uint64_t prime = 0x100000001b3ull;
	const unsigned char* p = bytes;
	while ( count >= 8 )
	{
		uint64_t word;
		memcpy( &word, p, 8 );
		hash = ( hash ^ word ) * prime;
		hash ^= hash >> 29;
		p += 8;
		count -= 8;
	}
	for ( ; count > 0; --count, ++p )
	{
		hash = ( hash ^ *p ) * prime;
	}
	return hash;
}

static inline uint64_t supHashString( uint64_t hash, const char* text )
{
	return supHashBytes( hash, text, strlen( text ) + 1 );
}
