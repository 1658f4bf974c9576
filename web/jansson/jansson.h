// SPDX-License-Identifier: MIT
// JSON for the browser, where the library of this name is not to be had: the part of jansson's interface that src/io
// uses, with the same results and the same error messages, written anew. test/web compares the two.
//
// Values count their references. A function whose name ends in _new takes over the caller's reference to the value,
// also where it fails. Nothing here is safe to use from several threads at once with one tree.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum json_type
{
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_INTEGER,
	JSON_REAL,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
} json_type;

typedef struct json_t
{
	json_type type;
	// SIZE_MAX: never destroyed
	size_t refcount;
} json_t;

typedef long long json_int_t;
#define JSON_INTEGER_FORMAT "lld"

typedef void* ( *json_malloc_t )( size_t size );
typedef void ( *json_free_t )( void* memory );

void json_set_alloc_funcs( json_malloc_t allocate, json_free_t release );

// ---------------------------------------------------------------------------------------------------------------------
// Reading

#define JSON_ERROR_TEXT_LENGTH 160

typedef struct json_error_t
{
	int line;
	// in characters
	int column;
	// in bytes
	int position;
	char text[JSON_ERROR_TEXT_LENGTH];
} json_error_t;

// Strings may have \u0000 in them; without it they are refused. Keys never may.
#define JSON_ALLOW_NUL 0x10
// A key that stands twice in an object is refused; without it the later one counts.
#define JSON_REJECT_DUPLICATES 0x1

json_t* json_loadb( const char* text, size_t length, size_t flags, json_error_t* error );

// ---------------------------------------------------------------------------------------------------------------------
// Values. NULL where out of memory, where text is not UTF-8, and where a number is not finite.

void json_delete( json_t* value );

static inline json_t* json_incref( json_t* value )
{
	if ( value != NULL && value->refcount != SIZE_MAX )
	{
		value->refcount += 1;
	}
	return value;
}

static inline void json_decref( json_t* value )
{
	if ( value != NULL && value->refcount != SIZE_MAX && --value->refcount == 0 )
	{
		json_delete( value );
	}
}

#define json_typeof( value ) ( ( value )->type )
#define json_is_object( value ) ( ( value ) != NULL && json_typeof( value ) == JSON_OBJECT )
#define json_is_array( value ) ( ( value ) != NULL && json_typeof( value ) == JSON_ARRAY )
#define json_is_string( value ) ( ( value ) != NULL && json_typeof( value ) == JSON_STRING )
#define json_is_integer( value ) ( ( value ) != NULL && json_typeof( value ) == JSON_INTEGER )
#define json_is_real( value ) ( ( value ) != NULL && json_typeof( value ) == JSON_REAL )
#define json_is_number( value ) ( json_is_integer( value ) || json_is_real( value ) )
#define json_is_true( value ) ( ( value ) != NULL && json_typeof( value ) == JSON_TRUE )
#define json_is_false( value ) ( ( value ) != NULL && json_typeof( value ) == JSON_FALSE )
#define json_is_boolean( value ) ( json_is_true( value ) || json_is_false( value ) )

json_t* json_true( void );
json_t* json_false( void );
json_t* json_null( void );
json_t* json_integer( json_int_t value );
json_t* json_real( double value );
json_t* json_string( const char* text );
json_t* json_stringn( const char* text, size_t length );
json_t* json_sprintf( const char* format, ... ) __attribute__( ( format( printf, 1, 2 ) ) );
json_t* json_object( void );
json_t* json_array( void );
// Of what jansson packs only objects: "{s:i, s:{s:I}}", keys and whole numbers.
json_t* json_pack( const char* format, ... );
json_t* json_copy( json_t* value );
json_t* json_deep_copy( const json_t* value );

// 0 or NULL for a value of another type, and for NULL.
json_int_t json_integer_value( const json_t* value );
int json_integer_set( json_t* value, json_int_t number );
double json_real_value( const json_t* value );
double json_number_value( const json_t* value );
const char* json_string_value( const json_t* value );
size_t json_string_length( const json_t* value );

// Setters return 0, or -1 where they fail.
size_t json_array_size( const json_t* array );
json_t* json_array_get( const json_t* array, size_t index );
int json_array_set_new( json_t* array, size_t index, json_t* value );
int json_array_append_new( json_t* array, json_t* value );
int json_array_remove( json_t* array, size_t index );

static inline int json_array_append( json_t* array, json_t* value )
{
	return json_array_append_new( array, json_incref( value ) );
}

static inline int json_array_extend( json_t* array, json_t* other )
{
	int result = 0;
	for ( size_t i = 0; i < json_array_size( other ) && result == 0; ++i )
	{
		result = json_array_append( array, json_array_get( other, i ) );
	}
	return result;
}

// Keys keep the order in which they came first.
size_t json_object_size( const json_t* object );
json_t* json_object_get( const json_t* object, const char* key );
int json_object_set_new( json_t* object, const char* key, json_t* value );
int json_object_del( json_t* object, const char* key );

void* json_object_iter( json_t* object );
void* json_object_iter_next( json_t* object, void* iterator );
const char* json_object_iter_key( void* iterator );
json_t* json_object_iter_value( void* iterator );
void* json_object_key_to_iter( const char* key );

#define json_object_foreach( object, key, value )                                                                      \
	for ( key = json_object_iter_key( json_object_iter( object ) );                                                    \
		  key != NULL && ( value = json_object_iter_value( json_object_key_to_iter( key ) ) ) != NULL;                 \
		  key = json_object_iter_key( json_object_iter_next( object, json_object_key_to_iter( key ) ) ) )

#define json_array_foreach( array, index, value )                                                                      \
	for ( index = 0; index < json_array_size( array ) && ( value = json_array_get( array, index ) ) != NULL; index++ )
