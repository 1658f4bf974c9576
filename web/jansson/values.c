// SPDX-License-Identifier: MIT
// Values and lists.
#include "json.h"
#include "object.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Array
{
	json_t base;
	size_t count;
	size_t capacity;
	json_t** items;
} Array;

typedef struct String
{
	json_t base;
	char* text;
	size_t length;
} String;

typedef struct Integer
{
	json_t base;
	json_int_t value;
} Integer;

typedef struct Real
{
	json_t base;
	double value;
} Real;

static json_malloc_t s_alloc = malloc;
static json_free_t s_free = free;

void json_set_alloc_funcs( json_malloc_t allocate, json_free_t release )
{
	s_alloc = allocate;
	s_free = release;
}

void* supJsonAlloc( size_t size )
{
	return size > 0 ? s_alloc( size ) : NULL;
}

void supJsonFree( void* memory )
{
	if ( memory != NULL )
	{
		s_free( memory );
	}
}

size_t supCheckUtf8( const char* text, size_t length )
{
	const unsigned char* bytes = (const unsigned char*)text;
	unsigned first = bytes[0];
	if ( first < 0x80 )
	{
		return 1;
	}
	size_t count = first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3 : 4;
	if ( first < 0xC2 || first > 0xF4 || count > length )
	{
		return 0;
	}
	uint32_t value = first & ( 0x7Fu >> count );
	for ( size_t i = 1; i < count; ++i )
	{
		if ( ( bytes[i] & 0xC0 ) != 0x80 )
		{
			return 0;
		}
		value = value << 6 | ( bytes[i] & 0x3Fu );
	}
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	bool surrogate = value >= 0xD800 && value <= 0xDFFF;
	return value < least[count] || value > 0x10FFFF || surrogate ? 0 : count;
}

static bool IsUtf8( const char* text, size_t length )
{
	for ( size_t i = 0; i < length; )
	{
		size_t count = supCheckUtf8( text + i, length - i );
		if ( count == 0 )
		{
			return false;
		}
		i += count;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Single values

static json_t* Allocate( size_t size, json_type type )
{
	json_t* value = supJsonAlloc( size );
	if ( value != NULL )
	{
		memset( value, 0, size );
		*value = ( json_t ){ type, 1 };
	}
	return value;
}

json_t* json_true( void )
{
	static json_t value = { JSON_TRUE, SIZE_MAX };
	return &value;
}

json_t* json_false( void )
{
	static json_t value = { JSON_FALSE, SIZE_MAX };
	return &value;
}

json_t* json_null( void )
{
	static json_t value = { JSON_NULL, SIZE_MAX };
	return &value;
}

json_t* json_integer( json_int_t number )
{
	Integer* value = (Integer*)Allocate( sizeof( Integer ), JSON_INTEGER );
	if ( value == NULL )
	{
		return NULL;
	}
	value->value = number;
	return &value->base;
}

json_t* json_real( double number )
{
	Real* value = isfinite( number ) ? (Real*)Allocate( sizeof( Real ), JSON_REAL ) : NULL;
	if ( value == NULL )
	{
		return NULL;
	}
	value->value = number;
	return &value->base;
}

json_t* supOwnString( char* text, size_t length )
{
	String* value = text != NULL ? (String*)Allocate( sizeof( String ), JSON_STRING ) : NULL;
	if ( value == NULL )
	{
		supJsonFree( text );
		return NULL;
	}
	value->text = text;
	value->length = length;
	return &value->base;
}

json_t* json_stringn( const char* text, size_t length )
{
	if ( text == NULL || IsUtf8( text, length ) == false )
	{
		return NULL;
	}
	char* copy = supJsonAlloc( length + 1 );
	if ( copy != NULL )
	{
		memcpy( copy, text, length );
		copy[length] = 0;
	}
	return supOwnString( copy, length );
}

json_t* json_string( const char* text )
{
	return text != NULL ? json_stringn( text, strlen( text ) ) : NULL;
}

json_t* json_sprintf( const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	int length = vsnprintf( NULL, 0, format, arguments );
	va_end( arguments );
	char* text = length >= 0 ? supJsonAlloc( (size_t)length + 1 ) : NULL;
	if ( text == NULL )
	{
		return NULL;
	}
	va_start( arguments, format );
	vsnprintf( text, (size_t)length + 1, format, arguments );
	va_end( arguments );
	if ( IsUtf8( text, (size_t)length ) == false )
	{
		supJsonFree( text );
		return NULL;
	}
	return supOwnString( text, (size_t)length );
}

json_int_t json_integer_value( const json_t* value )
{
	return json_is_integer( value ) ? ( (const Integer*)value )->value : 0;
}

int json_integer_set( json_t* value, json_int_t number )
{
	if ( json_is_integer( value ) == false )
	{
		return -1;
	}
	( (Integer*)value )->value = number;
	return 0;
}

double json_real_value( const json_t* value )
{
	return json_is_real( value ) ? ( (const Real*)value )->value : 0.0;
}

double json_number_value( const json_t* value )
{
	return json_is_integer( value ) ? (double)json_integer_value( value ) : json_real_value( value );
}

const char* json_string_value( const json_t* value )
{
	return json_is_string( value ) ? ( (const String*)value )->text : NULL;
}

size_t json_string_length( const json_t* value )
{
	return json_is_string( value ) ? ( (const String*)value )->length : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Lists

json_t* json_array( void )
{
	return Allocate( sizeof( Array ), JSON_ARRAY );
}

size_t json_array_size( const json_t* array )
{
	return json_is_array( array ) ? ( (const Array*)array )->count : 0;
}

json_t* json_array_get( const json_t* array, size_t index )
{
	return index < json_array_size( array ) ? ( (const Array*)array )->items[index] : NULL;
}

int json_array_set_new( json_t* array, size_t index, json_t* value )
{
	if ( value == NULL || value == array || index >= json_array_size( array ) )
	{
		json_decref( value );
		return -1;
	}
	json_t** item = ( (Array*)array )->items + index;
	json_decref( *item );
	*item = value;
	return 0;
}

static bool Reserve( Array* array )
{
	if ( array->count < array->capacity )
	{
		return true;
	}
	size_t capacity = array->capacity > 0 ? 2 * array->capacity : 8;
	json_t** items = capacity <= SIZE_MAX / sizeof( json_t* ) ? supJsonAlloc( capacity * sizeof( json_t* ) ) : NULL;
	if ( items == NULL )
	{
		return false;
	}
	if ( array->count > 0 )
	{
		memcpy( items, array->items, array->count * sizeof( json_t* ) );
	}
	supJsonFree( array->items );
	array->items = items;
	array->capacity = capacity;
	return true;
}

int json_array_append_new( json_t* array, json_t* value )
{
	if ( value == NULL || value == array || json_is_array( array ) == false || Reserve( (Array*)array ) == false )
	{
		json_decref( value );
		return -1;
	}
	Array* own = (Array*)array;
	own->items[own->count++] = value;
	return 0;
}

int json_array_remove( json_t* array, size_t index )
{
	if ( index >= json_array_size( array ) )
	{
		return -1;
	}
	Array* own = (Array*)array;
	json_decref( own->items[index] );
	memmove( own->items + index, own->items + index + 1, ( own->count - index - 1 ) * sizeof( json_t* ) );
	own->count -= 1;
	return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Trees. They are no deeper than the parser lets them be, and what src/io builds is flat.

void json_delete( json_t* value )
{
	if ( value->type == JSON_OBJECT )
	{
		supClearObject( (supJsonObject*)value );
	}
	if ( value->type == JSON_ARRAY )
	{
		Array* array = (Array*)value;
		for ( size_t i = 0; i < array->count; ++i )
		{
			json_decref( array->items[i] );
		}
		supJsonFree( array->items );
	}
	if ( value->type == JSON_STRING )
	{
		supJsonFree( ( (String*)value )->text );
	}
	supJsonFree( value );
}

static json_t* CopyTree( const json_t* value, bool deep );

static json_t* CopyPart( json_t* value, bool deep )
{
	return deep ? CopyTree( value, true ) : json_incref( value );
}

static json_t* CopyObject( const json_t* object, bool deep )
{
	json_t* copy = json_object();
	for ( const supJsonEntry* i = ( (const supJsonObject*)object )->first; copy != NULL && i != NULL; i = i->next )
	{
		if ( supSetKey( copy, i->key, strlen( i->key ), CopyPart( i->value, deep ) ) != 0 )
		{
			json_decref( copy );
			copy = NULL;
		}
	}
	return copy;
}

static json_t* CopyArray( const json_t* array, bool deep )
{
	json_t* copy = json_array();
	for ( size_t i = 0; copy != NULL && i < json_array_size( array ); ++i )
	{
		if ( json_array_append_new( copy, CopyPart( json_array_get( array, i ), deep ) ) != 0 )
		{
			json_decref( copy );
			copy = NULL;
		}
	}
	return copy;
}

static json_t* CopyTree( const json_t* value, bool deep )
{
	if ( value == NULL )
	{
		return NULL;
	}
	switch ( value->type )
	{
		case JSON_OBJECT:
			return CopyObject( value, deep );
		case JSON_ARRAY:
			return CopyArray( value, deep );
		case JSON_STRING:
			return json_stringn( json_string_value( value ), json_string_length( value ) );
		case JSON_INTEGER:
			return json_integer( json_integer_value( value ) );
		case JSON_REAL:
			return json_real( json_real_value( value ) );
		case JSON_TRUE:
			return json_true();
		case JSON_FALSE:
			return json_false();
		default:
			return json_null();
	}
}

json_t* json_copy( json_t* value )
{
	return CopyTree( value, false );
}

json_t* json_deep_copy( const json_t* value )
{
	return CopyTree( value, true );
}

// ---------------------------------------------------------------------------------------------------------------------
// Packing

static char NextSign( const char** format )
{
	*format += strspn( *format, " ,:" );
	return **format != 0 ? *( *format )++ : 0;
}

// The opening brace has been read; reads up to the closing one.
static json_t* PackObject( const char** format, va_list* arguments )
{
	json_t* object = json_object();
	bool ok = object != NULL;
	char sign = NextSign( format );
	for ( ; ok && sign == 's'; sign = ok ? NextSign( format ) : 0 )
	{
		const char* key = va_arg( *arguments, const char* );
		json_t* value = NULL;
		switch ( NextSign( format ) )
		{
			case 'i':
				value = json_integer( va_arg( *arguments, int ) );
				break;
			case 'I':
				value = json_integer( va_arg( *arguments, json_int_t ) );
				break;
			case '{':
				value = PackObject( format, arguments );
				break;
			default:
				break;
		}
		ok = json_object_set_new( object, key, value ) == 0;
	}
	if ( ok == false || sign != '}' )
	{
		json_decref( object );
		return NULL;
	}
	return object;
}

json_t* json_pack( const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	json_t* object = NextSign( &format ) == '{' ? PackObject( &format, &arguments ) : NULL;
	va_end( arguments );
	return object;
}
