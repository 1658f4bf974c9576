// SPDX-License-Identifier: MIT
#include "io/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_LIST 300

supJsonPlace supJsonPlace_Get( const supJsonPlace* object, const char* key )
{
	supJsonPlace place = *object;
	place.value = json_object_get( object->value, key );
	snprintf( place.path, sizeof( place.path ), "%.60s%s%.30s", object->path, object->path[0] != 0 ? "." : "", key );
	return place;
}

supJsonPlace supJsonPlace_At( const supJsonPlace* array, size_t index )
{
	supJsonPlace place = *array;
	place.value = json_array_get( array->value, index );
	snprintf( place.path, sizeof( place.path ), "%.70s[%zu]", array->path, index );
	return place;
}

bool supJsonPlace_Refuse( const supJsonPlace* place, const char* format, ... )
{
	char where[256];
	snprintf( where, sizeof( where ), "%.150s%s%s", place->file, place->path[0] != 0 ? ": " : "", place->path );
	va_list arguments;
	va_start( arguments, format );
	supSetErrorV( place->error, sup_errorFormat, where, format, arguments );
	va_end( arguments );
	return false;
}

// "a, b, c", cut off where it gets long.
static void ListWords( const char* const* words, char list[MAX_LIST] )
{
	size_t used = 0;
	list[0] = 0;
	for ( int32_t i = 0; words[i] != NULL && used + 64 < MAX_LIST; ++i )
	{
		used += (size_t)snprintf( list + used, MAX_LIST - used, "%s%.60s", i > 0 ? ", " : "", words[i] );
	}
}

bool supJsonPlace_CheckKeys( const supJsonPlace* place, const char* const* keys )
{
	if ( json_is_object( place->value ) == false )
	{
		return supJsonPlace_Refuse( place, "must be an object { }" );
	}
	// jansson walks through an object that it does not change, but wants it writable
	for ( void* i = json_object_iter( (json_t*)(uintptr_t)place->value ); i != NULL;
		  i = json_object_iter_next( (json_t*)(uintptr_t)place->value, i ) )
	{
		const char* key = json_object_iter_key( i );
		bool known = false;
		for ( int32_t k = 0; keys[k] != NULL; ++k )
		{
			known = known || strcmp( keys[k], key ) == 0;
		}
		if ( known == false )
		{
			char list[MAX_LIST];
			ListWords( keys, list );
			return supJsonPlace_Refuse( place, "unknown key \"%.40s\"; keys: %s", key, list );
		}
	}
	return true;
}

bool supJsonPlace_ReadNumber( const supJsonPlace* object, const char* key, float lower, float upper, float* out )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( place.value == NULL )
	{
		return true;
	}
	if ( json_is_number( place.value ) == false )
	{
		return supJsonPlace_Refuse( &place, "must be a number" );
	}
	double value = json_number_value( place.value );
	if ( !( value >= (double)lower && value <= (double)upper ) )
	{
		return supJsonPlace_Refuse( &place, "must be %g to %g (got %.9g)", (double)lower, (double)upper, value );
	}
	*out = (float)value;
	return true;
}

bool supJsonPlace_ReadVec3( const supJsonPlace* object, const char* key, supVec3* out )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( place.value == NULL )
	{
		return true;
	}
	float numbers[3];
	bool ok = json_is_array( place.value ) && json_array_size( place.value ) == 3;
	for ( size_t i = 0; i < 3 && ok; ++i )
	{
		const json_t* item = json_array_get( place.value, i );
		double value = json_number_value( item );
		ok = json_is_number( item ) && value >= -1e18 && value <= 1e18;
		numbers[i] = (float)value;
	}
	if ( ok == false )
	{
		return supJsonPlace_Refuse( &place, "must be three numbers [ x, y, z ], each within 1e18" );
	}
	*out = supMakeVec3( numbers[0], numbers[1], numbers[2] );
	return true;
}

bool supJsonPlace_ReadText( const supJsonPlace* object, const char* key, supArena* arena, const char** out )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( place.value == NULL )
	{
		return true;
	}
	const char* text = json_string_value( place.value );
	if ( text == NULL || text[0] == 0 )
	{
		return supJsonPlace_Refuse( &place, "must be a name in quotes" );
	}
	*out = supArena_CopyString( arena, text );
	return *out != NULL ? true : supSetMemoryError( place.error );
}

bool supJsonPlace_ReadWord( const supJsonPlace* object, const char* key, const char* const* words, int32_t* out )
{
	supJsonPlace place = supJsonPlace_Get( object, key );
	if ( place.value == NULL )
	{
		return true;
	}
	const char* text = json_string_value( place.value );
	for ( int32_t i = 0; words[i] != NULL && text != NULL; ++i )
	{
		if ( strcmp( words[i], text ) == 0 )
		{
			*out = i;
			return true;
		}
	}
	char list[MAX_LIST];
	ListWords( words, list );
	return supJsonPlace_Refuse( &place, "is none of: %s", list );
}

double supShortenFloat( float value )
{
	char text[32];
	double shorter = (double)value;
	for ( int digits = 6; digits <= 9; ++digits )
	{
		snprintf( text, sizeof( text ), "%.*g", digits, (double)value );
		shorter = strtod( text, NULL );
		if ( (float)shorter == value )
		{
			return shorter;
		}
	}
	return (double)value;
}
