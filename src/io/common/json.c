// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "io/common/json.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// What a tree may take: objects cost jansson far more than the two bytes "{}" in the text, so a budget keeps a small
// file from growing into gigabytes.
#define TREE_BUDGET_BASE ( (size_t)256 << 20 )
#define TREE_BUDGET_PER_BYTE 32

static SUP_THREAD_LOCAL bool s_outOfMemory;
static SUP_THREAD_LOCAL bool s_outOfBudget;
static SUP_THREAD_LOCAL bool s_hasBudget;
static SUP_THREAD_LOCAL size_t s_budget;

static void* JsonAlloc( size_t size )
{
	if ( s_hasBudget )
	{
		if ( size > s_budget )
		{
			s_outOfBudget = true;
			return NULL;
		}
		s_budget -= size;
	}
	void* memory = supAllocSmall( size );
	s_outOfMemory = s_outOfMemory || memory == NULL;
	return memory;
}

static void InstallAllocator( void )
{
	// jansson keeps objects in the order of insertion, so that its random hash seed, which protects against crafted
	// keys, does not show in what we write
	json_set_alloc_funcs( JsonAlloc, supFree );
}

void supInitJson( void )
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once( &once, InstallAllocator );
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static bool IsDigit( char c )
{
	return c >= '0' && c <= '9';
}

// True where text[start, end) is a whole number that does not fit into 64 bits.
static bool IsHugeInteger( const char* text, size_t start, size_t end )
{
	bool negative = text[start] == '-';
	size_t first = start + ( negative ? 1 : 0 );
	for ( size_t i = first; i < end; ++i )
	{
		if ( IsDigit( text[i] ) == false )
		{
			return false;
		}
	}
	const char* most = negative ? "9223372036854775808" : "9223372036854775807";
	size_t digits = end - first;
	return digits > 19 || ( digits == 19 && memcmp( text + first, most, 19 ) > 0 );
}

// The end of the number or string that starts at `start`.
static size_t SkipToken( const char* text, size_t length, size_t start )
{
	size_t i = start + 1;
	if ( text[start] == '"' )
	{
		for ( ; i < length && text[i] != '"'; ++i )
		{
			i += text[i] == '\\' ? 1 : 0;
		}
		return i < length ? i + 1 : length;
	}
	while ( i < length && ( IsDigit( text[i] ) || strchr( "+-.eE", text[i] ) != NULL ) && text[i] != 0 )
	{
		i += 1;
	}
	return i;
}

// jansson refuses whole numbers beyond 64 bits (seen in extras). Writes ".0" behind them, which makes them reals, into
// a copy of the text; with `copy` NULL it only counts them.
static size_t WidenIntegers( const char* text, size_t length, char* copy, size_t* copyLength )
{
	size_t found = 0;
	size_t out = 0;
	for ( size_t i = 0; i < length; )
	{
		size_t end = i + 1;
		bool isNumber = text[i] == '-' || IsDigit( text[i] );
		if ( isNumber || text[i] == '"' )
		{
			end = SkipToken( text, length, i );
		}
		bool huge = isNumber && end - i >= 19 && IsHugeInteger( text, i, end );
		found += huge ? 1 : 0;
		if ( copy != NULL )
		{
			memcpy( copy + out, text + i, end - i );
			out += end - i;
			if ( huge )
			{
				memcpy( copy + out, ".0", 2 );
				out += 2;
			}
		}
		i = end;
	}
	if ( copyLength != NULL )
	{
		*copyLength = out;
	}
	return found;
}

static json_t* ParseWithin( const char* text, size_t length, size_t flags, json_error_t* problem )
{
	s_outOfMemory = false;
	s_outOfBudget = false;
	s_hasBudget = true;
	s_budget = TREE_BUDGET_BASE + TREE_BUDGET_PER_BYTE * length;
	json_t* tree = json_loadb( text, length, flags, problem );
	s_hasBudget = false;
	if ( tree != NULL && ( s_outOfMemory || s_outOfBudget ) )
	{
		json_decref( tree );
		tree = NULL;
	}
	return tree;
}

static json_t* Parse( const char* text, size_t length, size_t flags, const char* name, supError* error )
{
	supInitJson();
	if ( length >= 3 && memcmp( text, "\xEF\xBB\xBF", 3 ) == 0 )
	{
		text += 3;
		length -= 3;
	}
	char* widened = NULL;
	size_t hugeCount = WidenIntegers( text, length, NULL, NULL );
	if ( hugeCount > 0 )
	{
		widened = supAlloc( length + 2 * hugeCount );
		if ( widened == NULL )
		{
			supSetMemoryError( error );
			return NULL;
		}
		WidenIntegers( text, length, widened, &length );
		text = widened;
	}
	json_error_t problem = { 0 };
	json_t* tree = ParseWithin( text, length, flags, &problem );
	if ( tree == NULL && s_outOfMemory )
	{
		supSetMemoryError( error );
	}
	else if ( tree == NULL && s_outOfBudget )
	{
		supSetError( error, sup_errorTooLarge, name, "the JSON text describes far more items than fit its size" );
	}
	else if ( tree == NULL )
	{
		char where[256];
		snprintf( where, sizeof( where ), "%s: line %d, column %d", name, problem.line, problem.column );
		supSetError( error, sup_errorFormat, where, "invalid JSON: %s", problem.text );
	}
	supFree( widened );
	return tree;
}

json_t* supParseJson( const char* text, size_t length, const char* name, supError* error )
{
	return Parse( text, length, JSON_ALLOW_NUL, name, error );
}

json_t* supParseStrictJson( const char* text, size_t length, const char* name, supError* error )
{
	return Parse( text, length, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, name, error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking

json_t* supJson_Get( const json_t* object, const char* key )
{
	return json_object_get( object, key );
}

json_t* supJson_At( const json_t* array, size_t index )
{
	return json_array_get( array, index );
}

const char* supJson_String( const json_t* object, const char* key, const char* otherwise )
{
	const json_t* value = json_object_get( object, key );
	return json_is_string( value ) ? json_string_value( value ) : otherwise;
}

double supJson_Number( const json_t* object, const char* key, double otherwise )
{
	const json_t* value = json_object_get( object, key );
	return json_is_number( value ) ? json_number_value( value ) : otherwise;
}

bool supJson_Bool( const json_t* object, const char* key, bool otherwise )
{
	const json_t* value = json_object_get( object, key );
	return json_is_boolean( value ) ? json_is_true( value ) : otherwise;
}

// -2 for anything but a whole number in [0, most].
static int64_t WholeNumber( const json_t* value, int64_t most )
{
	if ( json_is_integer( value ) )
	{
		json_int_t number = json_integer_value( value );
		return number >= 0 && number <= most ? (int64_t)number : -2;
	}
	if ( json_is_real( value ) )
	{
		double number = json_real_value( value );
		return number >= 0.0 && number <= (double)most && number == floor( number ) ? (int64_t)number : -2;
	}
	return -2;
}

int64_t supJson_Index( const json_t* object, const char* key, int64_t otherwise )
{
	const json_t* value = json_object_get( object, key );
	return value == NULL ? otherwise : WholeNumber( value, INT32_MAX );
}

int64_t supJson_Size( const json_t* object, const char* key, int64_t otherwise )
{
	const json_t* value = json_object_get( object, key );
	return value == NULL ? otherwise : WholeNumber( value, (int64_t)1 << 52 );
}

int64_t supJson_IndexAt( const json_t* array, size_t index )
{
	return WholeNumber( json_array_get( array, index ), INT32_MAX );
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

typedef struct Text
{
	char* data;
	size_t length;
	size_t capacity;
	bool failed;
} Text;

static void Append( Text* text, const char* bytes, size_t count )
{
	if ( text->failed )
	{
		return;
	}
	if ( count >= text->capacity - text->length )
	{
		size_t capacity = 2 * text->capacity > 4096 ? 2 * text->capacity : 4096;
		while ( capacity - text->length <= count )
		{
			capacity *= 2;
		}
		char* data = supAlloc( capacity );
		if ( data == NULL )
		{
			text->failed = true;
			return;
		}
		if ( text->length > 0 )
		{
			memcpy( data, text->data, text->length );
		}
		supFree( text->data );
		text->data = data;
		text->capacity = capacity;
	}
	memcpy( text->data + text->length, bytes, count );
	text->length += count;
}

static void AppendString( Text* text, const char* value, size_t length )
{
	Append( text, "\"", 1 );
	size_t start = 0;
	for ( size_t i = 0; i < length; ++i )
	{
		unsigned char c = (unsigned char)value[i];
		if ( c >= 0x20 && c != '"' && c != '\\' )
		{
			continue;
		}
		Append( text, value + start, i - start );
		start = i + 1;
		char escape[8];
		if ( c == '"' || c == '\\' )
		{
			snprintf( escape, sizeof( escape ), "\\%c", c );
		}
		else
		{
			snprintf( escape, sizeof( escape ), "\\u%04x", c );
		}
		Append( text, escape, strlen( escape ) );
	}
	Append( text, value + start, length - start );
	Append( text, "\"", 1 );
}

static void AppendReal( Text* text, double value )
{
	char number[40];
	for ( int digits = 15; digits <= 17; ++digits )
	{
		snprintf( number, sizeof( number ), "%.*g", digits, value );
		if ( strtod( number, NULL ) == value )
		{
			break;
		}
	}
	// other locales write 0,5; and a real stays a real: 1.0 is not 1
	bool looksReal = false;
	for ( char* c = number; *c != 0; ++c )
	{
		bool plain = IsDigit( *c ) || *c == '-' || *c == '+' || *c == 'e';
		*c = plain ? *c : '.';
		looksReal = looksReal || *c == '.' || *c == 'e';
	}
	Append( text, number, strlen( number ) );
	if ( looksReal == false )
	{
		Append( text, ".0", 2 );
	}
}

// Recursion is bounded: jansson's parser refuses more than 2048 levels, and what we build is flat.
static void AppendTree( Text* text, const json_t* tree )
{
	char number[32];
	const char* key;
	json_t* value;
	size_t index;
	bool first = true;
	switch ( json_typeof( tree ) )
	{
		case JSON_OBJECT:
			Append( text, "{", 1 );
			// the macro takes an object that it could change, and does not
			json_object_foreach( (json_t*)(uintptr_t)tree, key, value )
			{
				Append( text, ",", first ? 0 : 1 );
				first = false;
				AppendString( text, key, strlen( key ) );
				Append( text, ":", 1 );
				AppendTree( text, value );
			}
			Append( text, "}", 1 );
			break;
		case JSON_ARRAY:
			Append( text, "[", 1 );
			json_array_foreach( tree, index, value )
			{
				Append( text, ",", index == 0 ? 0 : 1 );
				AppendTree( text, value );
			}
			Append( text, "]", 1 );
			break;
		case JSON_STRING:
			AppendString( text, json_string_value( tree ), json_string_length( tree ) );
			break;
		case JSON_INTEGER:
			snprintf( number, sizeof( number ), "%" JSON_INTEGER_FORMAT, json_integer_value( tree ) );
			Append( text, number, strlen( number ) );
			break;
		case JSON_REAL:
			AppendReal( text, json_real_value( tree ) );
			break;
		case JSON_TRUE:
			Append( text, "true", 4 );
			break;
		case JSON_FALSE:
			Append( text, "false", 5 );
			break;
		case JSON_NULL:
			Append( text, "null", 4 );
			break;
	}
}

char* supWriteJson( const json_t* tree, size_t* length )
{
	Text text = { 0 };
	AppendTree( &text, tree );
	Append( &text, "", 1 );
	if ( text.failed )
	{
		supFree( text.data );
		*length = 0;
		return NULL;
	}
	*length = text.length - 1;
	return text.data;
}
