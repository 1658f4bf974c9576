// SPDX-License-Identifier: MIT
// Changes a .glb or .gltf as one that knows its structure.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate( uint8_t* data, size_t size, size_t capacity );

typedef struct Mutator
{
	uint64_t random;
	// values of the tree that are still to be passed before the one that is changed
	int64_t before;
} Mutator;

static inline uint32_t NextRandom( Mutator* mutator )
{
	mutator->random = mutator->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)( mutator->random >> 33 );
}

static inline int64_t CountValues( const json_t* value )
{
	int64_t count = 1;
	for ( size_t i = 0; i < json_array_size( value ); ++i )
	{
		count += CountValues( json_array_get( value, i ) );
	}
	// jansson's loops over objects are not const
	json_t* object = json_is_object( value ) ? json_incref( (json_t*)(uintptr_t)value ) : NULL;
	for ( void* at = json_object_iter( object ); at != NULL; at = json_object_iter_next( object, at ) )
	{
		count += CountValues( json_object_iter_value( at ) );
	}
	json_decref( object );
	return count;
}

// In place of a number: neighbours, ends of ranges, what is no count and no index.
static inline json_t* MakeNumber( Mutator* mutator, const json_t* old )
{
	static const json_int_t wholes[] = { 0,    1,    -1,    2,     3,          4,          5,
										 255,  256,  65535, 65536, 2147483647, 4294967295, -2147483648,
										 5120, 5121, 5122,  5123,  5125,       5126,       4611686018427387904,
										 1000, 16384 };
	static const double reals[] = { 0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, 1e30, -1e30, 1e38, 3e38, 1e300, 1e-45, 1e9, 1e6 };
	uint32_t kind = NextRandom( mutator ) % 6;
	if ( json_is_integer( old ) && kind < 2 )
	{
		return json_integer( json_integer_value( old ) + ( kind == 0 ? 1 : -1 ) );
	}
	if ( json_is_real( old ) && kind < 2 )
	{
		return json_real( json_real_value( old ) * ( kind == 0 ? -1.0 : 1e3 ) );
	}
	return json_is_real( old ) || kind == 5
			   ? json_real( reals[NextRandom( mutator ) % ( sizeof( reals ) / sizeof( reals[0] ) )] )
			   : json_integer( wholes[NextRandom( mutator ) % ( sizeof( wholes ) / sizeof( wholes[0] ) )] );
}

static inline json_t* MakeValue( Mutator* mutator, const json_t* old )
{
	static const char* const words[] = { "",     "SCALAR", "VEC2",    "VEC3",        "VEC4", "MAT4",
										 "STEP", "LINEAR", "weights", "CUBICSPLINE", "MASK", "translation" };
	switch ( NextRandom( mutator ) % 12 )
	{
		case 0:
			return json_null();
		case 1:
			return json_object();
		case 2:
			return json_array();
		case 3:
			return json_boolean( NextRandom( mutator ) % 2 );
		case 4:
			return json_string( words[NextRandom( mutator ) % ( sizeof( words ) / sizeof( words[0] ) )] );
		default:
			return json_is_string( old )
					   ? json_string( words[NextRandom( mutator ) % ( sizeof( words ) / sizeof( words[0] ) )] )
					   : MakeNumber( mutator, old );
	}
}

static inline void ChangeArray( Mutator* mutator, json_t* array, size_t index )
{
	json_t* old = json_array_get( array, index );
	switch ( NextRandom( mutator ) % 8 )
	{
		case 0:
			json_array_remove( array, index );
			break;
		case 1:
			json_array_append_new( array, json_deep_copy( old ) );
			break;
		case 2:
			json_array_set_new( array, index, json_deep_copy( json_array_get( array, 0 ) ) );
			break;
		default:
			json_array_set_new( array, index, MakeValue( mutator, old ) );
			break;
	}
}

// Changes the value that `before` leads to. True when done.
static inline bool ChangeValue( Mutator* mutator, json_t* parent )
{
	for ( size_t i = 0; i < json_array_size( parent ); ++i )
	{
		if ( --mutator->before < 0 )
		{
			ChangeArray( mutator, parent, i );
			return true;
		}
		if ( ChangeValue( mutator, json_array_get( parent, i ) ) )
		{
			return true;
		}
	}
	for ( void* at = json_is_object( parent ) ? json_object_iter( parent ) : NULL; at != NULL;
		  at = json_object_iter_next( parent, at ) )
	{
		if ( --mutator->before < 0 )
		{
			if ( NextRandom( mutator ) % 6 == 0 )
			{
				json_object_del( parent, json_object_iter_key( at ) );
			}
			else
			{
				json_object_iter_set_new( parent, at, MakeValue( mutator, json_object_iter_value( at ) ) );
			}
			return true;
		}
		if ( ChangeValue( mutator, json_object_iter_value( at ) ) )
		{
			return true;
		}
	}
	return false;
}

// The JSON of a file, and where it lies. NULL where there is none to be read.
static inline json_t* ReadJson( const uint8_t* data, size_t size, size_t* begin, size_t* end )
{
	uint32_t length;
	*begin = 0;
	*end = size;
	if ( size >= 20 && memcmp( data, "glTF", 4 ) == 0 )
	{
		memcpy( &length, data + 12, 4 );
		*begin = 20;
		*end = length <= size - 20 ? 20 + length : size;
	}
	return json_loadb( (const char*)data + *begin, *end - *begin, JSON_DISABLE_EOF_CHECK, NULL );
}

// Puts other JSON into the place of the old. Returns the new size, 0 where there is no room.
static inline size_t WriteJson( const json_t* tree, uint8_t* data, size_t size, size_t capacity, size_t begin,
								size_t end )
{
	char* text = json_dumps( tree, JSON_COMPACT );
	size_t length = text != NULL ? strlen( text ) : 0;
	size_t padded = begin > 0 ? ( length + 3 ) & ~(size_t)3 : length;
	size_t rest = size - end;
	bool fits = length > 0 && begin + padded + rest <= capacity;
	if ( fits )
	{
		memmove( data + begin + padded, data + end, rest );
		memset( data + begin, ' ', padded );
		memcpy( data + begin, text, length );
		size = begin + padded + rest;
		uint32_t chunk = (uint32_t)padded, total = (uint32_t)size;
		if ( begin > 0 )
		{
			memcpy( data + 8, &total, 4 );
			memcpy( data + 12, &chunk, 4 );
		}
	}
	free( text );
	return fits ? size : 0;
}

static inline size_t MutateGltf( uint8_t* data, size_t size, size_t capacity, unsigned seed )
{
	Mutator mutator = { .random = seed * 0x9E3779B97F4A7C15u + 1 };
	NextRandom( &mutator );
	size_t begin, end;
	json_t* tree = ReadJson( data, size, &begin, &end );
	uint32_t kind = NextRandom( &mutator ) % 8;
	if ( tree == NULL || kind == 0 )
	{
		json_decref( tree );
		return LLVMFuzzerMutate( data, size, capacity );
	}
	if ( kind == 1 && begin > 0 && end + 8 < size )
	{
		// the buffer: numbers of accessors
		json_decref( tree );
		size_t count = size - end - 8;
		return end + 8 + LLVMFuzzerMutate( data + end + 8, count, count );
	}
	for ( uint32_t i = 1 + NextRandom( &mutator ) % 3; i > 0; --i )
	{
		mutator.before = (int64_t)( NextRandom( &mutator ) % (uint64_t)CountValues( tree ) );
		ChangeValue( &mutator, tree );
	}
	size_t changed = WriteJson( tree, data, size, capacity, begin, end );
	json_decref( tree );
	return changed > 0 ? changed : LLVMFuzzerMutate( data, size, capacity );
}
