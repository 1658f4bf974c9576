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

// Every bit of the result depends on every bit of the fingerprint: for those that are shown or used in part (the
// finalizer of MurmurHash3, public domain).
static inline uint64_t supMixHash( uint64_t hash )
{
	hash = ( hash ^ hash >> 33 ) * 0xff51afd7ed558ccdull;
	hash = ( hash ^ hash >> 33 ) * 0xc4ceb9fe1a85ec53ull;
	return hash ^ hash >> 33;
}

// 128 bits, for what must not be mixed up among millions: two fingerprints with different beginnings.
typedef struct supHash128
{
	uint64_t a, b;
} supHash128;

static inline supHash128 supBeginHash128( void )
{
	return ( supHash128 ){ SUP_HASH_SEED, 0x9e3779b97f4a7c15ull };
}

static inline void supHash128_Add( supHash128* hash, const void* bytes, size_t count )
{
	hash->a = supHashBytes( hash->a, bytes, count );
	hash->b = supHashBytes( hash->b, bytes, count );
}

static inline void supHash128_AddString( supHash128* hash, const char* text )
{
	supHash128_Add( hash, text, strlen( text ) + 1 );
}
