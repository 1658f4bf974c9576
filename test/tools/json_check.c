// SPDX-License-Identifier: MIT
// json_check [PATH | PATH=VALUE | PATH~NUMBER]... < FILE: is this JSON, and does it say what it should?
// PATH is "counts.vertices" or "clips.0.name", and "clips.#" is how many there are. PATH alone prints the value.
#define _DEFAULT_SOURCE
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t* Follow( json_t* value, char* path, char* count, size_t capacity )
{
	for ( char* key = strtok( path, "." ); key != NULL && value != NULL; key = strtok( NULL, "." ) )
	{
		if ( strcmp( key, "#" ) == 0 )
		{
			size_t items = json_is_array( value ) ? json_array_size( value ) : json_object_size( value );
			snprintf( count, capacity, "%zu", items );
			return value;
		}
		value = json_is_array( value ) ? json_array_get( value, (size_t)atoi( key ) ) : json_object_get( value, key );
	}
	return value;
}

static char* Describe( json_t* value, const char* count )
{
	if ( count[0] != 0 )
	{
		return strdup( count );
	}
	if ( json_is_string( value ) )
	{
		return strdup( json_string_value( value ) );
	}
	return json_dumps( value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION( 9 ) );
}

static int Check( json_t* root, char* request )
{
	size_t split = strcspn( request, "=~" );
	char operation = request[split];
	const char* wanted = operation != 0 ? request + split + 1 : "";
	char path[256];
	char count[32] = "";
	snprintf( path, sizeof( path ), "%.*s", (int)split, request );
	json_t* value = Follow( root, path, count, sizeof( count ) );
	if ( value == NULL )
	{
		fprintf( stderr, "json_check: there is no %.*s\n", (int)split, request );
		return 1;
	}
	char* text = Describe( value, count );
	bool ok = true;
	if ( operation == '=' )
	{
		ok = strcmp( text, wanted ) == 0;
	}
	else if ( operation == '~' )
	{
		double number = atof( wanted );
		ok = fabs( atof( text ) - number ) <= 5e-3 * fabs( number );
	}
	else
	{
		printf( "%s\n", text );
	}
	if ( ok == false )
	{
		fprintf( stderr, "json_check: %s, but it is %s\n", request, text );
	}
	free( text );
	return ok ? 0 : 1;
}

int main( int argc, char** argv )
{
	json_error_t error;
	json_t* root = json_loadf( stdin, JSON_REJECT_DUPLICATES, &error );
	if ( root == NULL )
	{
		fprintf( stderr, "json_check: line %d: %s\n", error.line, error.text );
		return 1;
	}
	int status = 0;
	for ( int i = 1; i < argc; ++i )
	{
		status |= Check( root, argv[i] );
	}
	json_decref( root );
	return status;
}
