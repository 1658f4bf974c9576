// SPDX-License-Identifier: MIT
// The same actions with either JSON library: included once after jansson's header and once after ours, with NAME for
// the table of functions.
#include "json_table.h"

#include <stdlib.h>
#include <string.h>

static void Append( Text* text, const char* bytes, size_t count )
{
	while ( text->length + count + 1 > text->capacity )
	{
		text->capacity = 2 * text->capacity + 256;
		text->data = realloc( text->data, text->capacity );
	}
	memcpy( text->data + text->length, bytes, count );
	text->length += count;
	text->data[text->length] = 0;
}

#define APPEND( ... )                                                                                                  \
	do                                                                                                                 \
	{                                                                                                                  \
		char line[256];                                                                                                \
		int lineLength = snprintf( line, sizeof( line ), __VA_ARGS__ );                                                \
		Append( text, line, (size_t)lineLength );                                                                      \
	} while ( 0 )

// Everything there is to know about a tree, numbers to the bit.
static void Describe( Text* text, json_t* value )
{
	const char* key;
	json_t* item;
	size_t index;
	uint64_t bits;
	double real = json_real_value( value );
	if ( value == NULL )
	{
		APPEND( "(none)" );
		return;
	}
	switch ( json_typeof( value ) )
	{
		case JSON_OBJECT:
			APPEND( "{%zu ", json_object_size( value ) );
			json_object_foreach( value, key, item )
			{
				Append( text, key, strlen( key ) );
				APPEND( "%s=", json_object_get( value, key ) == item ? "" : "?" );
				Describe( text, item );
			}
			APPEND( "}" );
			break;
		case JSON_ARRAY:
			APPEND( "[%zu ", json_array_size( value ) );
			json_array_foreach( value, index, item )
			{
				Describe( text, item );
				APPEND( "," );
			}
			APPEND( "]" );
			break;
		case JSON_STRING:
			APPEND( "s%zu:", json_string_length( value ) );
			Append( text, json_string_value( value ), json_string_length( value ) );
			break;
		case JSON_INTEGER:
			APPEND( "i%" JSON_INTEGER_FORMAT " %.17g", json_integer_value( value ), json_number_value( value ) );
			break;
		case JSON_REAL:
			memcpy( &bits, &real, sizeof( bits ) );
			APPEND( "r%016llx %.17g", (unsigned long long)bits, json_number_value( value ) );
			break;
		default:
			APPEND( "%s", json_is_true( value ) ? "true" : json_is_boolean( value ) ? "false" : "null" );
			break;
	}
}

static void Parse( const char* bytes, size_t length, bool allowNul, bool refuseTwice, Text* text )
{
	json_error_t error;
	memset( &error, 0x55, sizeof( error ) );
	size_t flags = ( allowNul ? JSON_ALLOW_NUL : 0 ) | ( refuseTwice ? JSON_REJECT_DUPLICATES : 0 );
	json_t* tree = json_loadb( bytes, length, flags, &error );
	text->length = 0;
	Describe( text, tree );
	APPEND( " at %d,%d,%d: ", error.line, error.column, error.position );
	Append( text, error.text, strlen( error.text ) );
	json_decref( tree );
}

// A number that decides what is done, and how it turned out.
static void Act( json_t* tree, uint32_t number, Text* text )
{
	static const char* const words[] = { "a", "b", "", "node", "\xC3\xA9", "\xFF", "name", "extras", "k1", "k2" };
	static const double reals[] = { 0.5, -0.0, 1e300, (double)INFINITY, (double)NAN };
	const char* word = words[number / 16 % 10];
	uint32_t which = number / 160;
	json_t* array = json_object_get( tree, "array" );
	switch ( number % 16 )
	{
		case 0:
			APPEND( "%d ", json_object_set_new( tree, word, json_integer( which ) ) );
			break;
		case 1:
			APPEND( "%d ", json_object_set_new( tree, word, json_string( words[which % 10] ) ) );
			break;
		case 2:
			APPEND( "%d ", json_object_set_new( tree, word, json_real( reals[which % 5] ) ) );
			break;
		case 3:
			APPEND( "%d ", json_object_del( tree, word ) );
			break;
		case 4:
			APPEND( "%d ", json_array_append_new( array, json_stringn( "a\0b", 3 ) ) );
			break;
		case 5:
			APPEND( "%d ", json_array_append( array, json_object_get( tree, word ) ) );
			break;
		case 6:
			APPEND( "%d ", json_array_set_new( array, which % 8, json_sprintf( "%s %d", word, (int)which % 100 ) ) );
			break;
		case 7:
			APPEND( "%d ", json_array_remove( array, which % 8 ) );
			break;
		case 8:
			APPEND( "%d ", json_object_set_new( tree, "copy", json_deep_copy( array ) ) );
			break;
		case 9:
			APPEND( "%d ", json_object_set_new( tree, "shallow", json_copy( array ) ) );
			break;
		case 10:
			APPEND( "%d ", json_object_set_new( tree, "pack",
												json_pack( "{s:i, s:{s:I, s:i}, s:{s:I}}", word, 3, "inner", "one",
														   (json_int_t)1 << 40, "two", -2, "last", "x",
														   (json_int_t)which ) ) );
			break;
		case 11:
			APPEND( "%d ", json_object_set_new( NULL, word, json_true() ) );
			break;
		case 12:
			APPEND( "%d ", json_array_append_new( tree, json_null() ) );
			break;
		case 13:
			APPEND( "%d ", json_object_set_new( tree, word, json_false() ) );
			break;
		case 14:
			APPEND( "%d ", json_object_set_new( tree, "array", json_array() ) );
			break;
		default:
			// inside of itself
			APPEND( "%d ", json_object_set_new( tree, word, json_incref( tree ) ) );
			break;
	}
}

static void ActAll( const uint32_t* numbers, int32_t count, Text* text )
{
	text->length = 0;
	json_t* tree = json_object();
	json_object_set_new( tree, "array", json_array() );
	for ( int32_t i = 0; i < count; ++i )
	{
		Act( tree, numbers[i], text );
	}
	Describe( text, tree );
	json_decref( tree );
}

static void UseHeap( void* ( *allocate )( size_t ), void ( *release )( void* ) )
{
	json_set_alloc_funcs( allocate, release );
}

const JsonTable NAME = { Parse, ActAll, UseHeap };
