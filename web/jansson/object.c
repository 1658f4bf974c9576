// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "object.h"

#include <string.h>
#include <unistd.h>

#define LEAST_PLACES 8

// ---------------------------------------------------------------------------------------------------------------------
// Hashing. SipHash-1-3 (Aumasson & Bernstein 2012) with a key that nobody knows, so that no file can be made whose keys
// all share one place of the table. The key shows nowhere: objects keep their own order.

static uint64_t s_seed[2];

static void EnsureSeed( void )
{
	// 1: only so that a system without randomness asks once
	if ( s_seed[0] == 0 && getentropy( s_seed, sizeof( s_seed ) ) != 0 )
	{
		s_seed[0] = 1;
	}
}

static uint64_t Rotate( uint64_t x, int bits )
{
	return x << bits | x >> ( 64 - bits );
}

static void MixRound( uint64_t v[4] )
{
	v[0] += v[1];
	v[1] = Rotate( v[1], 13 ) ^ v[0];
	v[0] = Rotate( v[0], 32 );
	v[2] += v[3];
	v[3] = Rotate( v[3], 16 ) ^ v[2];
	v[0] += v[3];
	v[3] = Rotate( v[3], 21 ) ^ v[0];
	v[2] += v[1];
	v[1] = Rotate( v[1], 17 ) ^ v[2];
	v[2] = Rotate( v[2], 32 );
}

static uint64_t Hash( const char* key, size_t length )
{
	uint64_t v[4] = { s_seed[0] ^ 0x736f6d6570736575u, s_seed[1] ^ 0x646f72616e646f6du, s_seed[0] ^ 0x6c7967656e657261u,
					  s_seed[1] ^ 0x7465646279746573u };
	uint64_t last = (uint64_t)length << 56;
	for ( size_t i = 0; i < length; i += 8 )
	{
		uint64_t word = 0;
		memcpy( &word, key + i, length - i < 8 ? length - i : 8 );
		if ( length - i < 8 )
		{
			last |= word;
			break;
		}
		v[3] ^= word;
		MixRound( v );
		v[0] ^= word;
	}
	v[3] ^= last;
	MixRound( v );
	v[0] ^= last;
	v[2] ^= 0xFF;
	MixRound( v );
	MixRound( v );
	MixRound( v );
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// ---------------------------------------------------------------------------------------------------------------------

// Where the entry of a key hangs, or would.
static supJsonEntry** FindLink( const supJsonObject* object, const char* key, size_t length, uint64_t hash )
{
	supJsonEntry** link = object->places + ( hash & ( object->placeCount - 1 ) );
	while ( *link != NULL &&
			( ( *link )->hash != hash || strncmp( ( *link )->key, key, length ) != 0 || ( *link )->key[length] != 0 ) )
	{
		link = &( *link )->chain;
	}
	return link;
}

static bool GrowTable( supJsonObject* object )
{
	if ( object->count < object->placeCount )
	{
		return true;
	}
	size_t placeCount = object->placeCount > 0 ? 2 * object->placeCount : LEAST_PLACES;
	supJsonEntry** places = supJsonAlloc( placeCount * sizeof( supJsonEntry* ) );
	if ( places == NULL )
	{
		return false;
	}
	memset( places, 0, placeCount * sizeof( supJsonEntry* ) );
	for ( supJsonEntry* i = object->first; i != NULL; i = i->next )
	{
		supJsonEntry** place = places + ( i->hash & ( placeCount - 1 ) );
		i->chain = *place;
		*place = i;
	}
	supJsonFree( object->places );
	object->places = places;
	object->placeCount = placeCount;
	return true;
}

json_t* json_object( void )
{
	supJsonObject* object = supJsonAlloc( sizeof( supJsonObject ) );
	if ( object == NULL )
	{
		return NULL;
	}
	EnsureSeed();
	*object = ( supJsonObject ){ .base = { JSON_OBJECT, 1 } };
	return &object->base;
}

void supClearObject( supJsonObject* object )
{
	supJsonEntry* entry = object->first;
	while ( entry != NULL )
	{
		supJsonEntry* next = entry->next;
		json_decref( entry->value );
		supJsonFree( entry );
		entry = next;
	}
	supJsonFree( object->places );
}

size_t json_object_size( const json_t* object )
{
	return json_is_object( object ) ? ( (const supJsonObject*)object )->count : 0;
}

json_t* json_object_get( const json_t* object, const char* key )
{
	if ( key == NULL || json_object_size( object ) == 0 )
	{
		return NULL;
	}
	size_t length = strlen( key );
	const supJsonEntry* entry = *FindLink( (const supJsonObject*)object, key, length, Hash( key, length ) );
	return entry != NULL ? entry->value : NULL;
}

static bool AddEntry( supJsonObject* object, const char* key, size_t length, uint64_t hash, json_t* value )
{
	supJsonEntry* entry = GrowTable( object ) ? supJsonAlloc( sizeof( supJsonEntry ) + length + 1 ) : NULL;
	if ( entry == NULL )
	{
		return false;
	}
	supJsonEntry** place = object->places + ( hash & ( object->placeCount - 1 ) );
	*entry = ( supJsonEntry ){ .previous = object->last, .chain = *place, .value = value, .hash = hash };
	memcpy( entry->key, key, length );
	entry->key[length] = 0;
	*place = entry;
	*( object->last != NULL ? &object->last->next : &object->first ) = entry;
	object->last = entry;
	object->count += 1;
	return true;
}

int supSetKey( json_t* object, const char* key, size_t length, json_t* value )
{
	if ( json_is_object( object ) == false || value == NULL || value == object )
	{
		json_decref( value );
		return -1;
	}
	supJsonObject* own = (supJsonObject*)object;
	uint64_t hash = Hash( key, length );
	supJsonEntry* entry = own->count > 0 ? *FindLink( own, key, length, hash ) : NULL;
	if ( entry != NULL )
	{
		json_decref( entry->value );
		entry->value = value;
		return 0;
	}
	if ( AddEntry( own, key, length, hash, value ) == false )
	{
		json_decref( value );
		return -1;
	}
	return 0;
}

int json_object_set_new( json_t* object, const char* key, json_t* value )
{
	size_t length = key != NULL ? strlen( key ) : 0;
	size_t checked = 0;
	for ( size_t count = 1; checked < length && count > 0; checked += count )
	{
		count = supCheckUtf8( key + checked, length - checked );
		if ( count == 0 )
		{
			break;
		}
	}
	if ( key == NULL || checked < length )
	{
		json_decref( value );
		return -1;
	}
	return supSetKey( object, key, length, value );
}

int json_object_del( json_t* object, const char* key )
{
	if ( key == NULL || json_object_size( object ) == 0 )
	{
		return -1;
	}
	supJsonObject* own = (supJsonObject*)object;
	size_t length = strlen( key );
	supJsonEntry** link = FindLink( own, key, length, Hash( key, length ) );
	supJsonEntry* entry = *link;
	if ( entry == NULL )
	{
		return -1;
	}
	*link = entry->chain;
	*( entry->previous != NULL ? &entry->previous->next : &own->first ) = entry->next;
	*( entry->next != NULL ? &entry->next->previous : &own->last ) = entry->previous;
	own->count -= 1;
	json_decref( entry->value );
	supJsonFree( entry );
	return 0;
}

void* json_object_iter( json_t* object )
{
	return json_is_object( object ) ? ( (supJsonObject*)object )->first : NULL;
}

void* json_object_iter_next( json_t* object, void* iterator )
{
	(void)object;
	return iterator != NULL ? ( (supJsonEntry*)iterator )->next : NULL;
}

const char* json_object_iter_key( void* iterator )
{
	return iterator != NULL ? ( (supJsonEntry*)iterator )->key : NULL;
}

json_t* json_object_iter_value( void* iterator )
{
	return iterator != NULL ? ( (supJsonEntry*)iterator )->value : NULL;
}

void* json_object_key_to_iter( const char* key )
{
	// the key lies inside its entry, which is not constant
	return key != NULL ? (void*)( (uintptr_t)key - offsetof( supJsonEntry, key ) ) : NULL;
}
