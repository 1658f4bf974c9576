// SPDX-License-Identifier: MIT
#include "json.h"

#include "text.h"

JsonWriter BeginJson( FILE* stream )
{
	return ( JsonWriter ){ .stream = stream, .first = true };
}

void EndJson( JsonWriter* json )
{
	fputc( '\n', json->stream );
}

static void WriteQuoted( FILE* stream, const char* text )
{
	fputc( '"', stream );
	while ( *text != 0 )
	{
		uint32_t c;
		size_t length = DecodeUtf8( text, &c );
		if ( c == '"' || c == '\\' )
		{
			fprintf( stream, "\\%c", (int)c );
		}
		else if ( c < 0x20 || c == 0x7F )
		{
			fprintf( stream, "\\u%04x", (unsigned)c );
		}
		else if ( c == 0xFFFD )
		{
			fputs( "\xEF\xBF\xBD", stream );
		}
		else
		{
			fwrite( text, 1, length, stream );
		}
		text += length;
	}
	fputc( '"', stream );
}

// Comma, new line, indentation and key: everything that stands before a value.
static void BeginValue( JsonWriter* json, const char* key )
{
	if ( json->depth > 0 )
	{
		fprintf( json->stream, json->first ? "\n%*s" : ",\n%*s", 2 * json->depth, "" );
	}
	json->first = false;
	if ( key != NULL )
	{
		WriteQuoted( json->stream, key );
		fputs( ": ", json->stream );
	}
}

static void Open( JsonWriter* json, const char* key, char bracket )
{
	BeginValue( json, key );
	fputc( bracket, json->stream );
	json->depth += 1;
	json->first = true;
}

static void Close( JsonWriter* json, char bracket )
{
	json->depth -= 1;
	if ( json->first == false )
	{
		fprintf( json->stream, "\n%*s", 2 * json->depth, "" );
	}
	fputc( bracket, json->stream );
	json->first = false;
}

void JsonOpenObject( JsonWriter* json, const char* key )
{
	Open( json, key, '{' );
}

void JsonCloseObject( JsonWriter* json )
{
	Close( json, '}' );
}

void JsonOpenArray( JsonWriter* json, const char* key )
{
	Open( json, key, '[' );
}

void JsonCloseArray( JsonWriter* json )
{
	Close( json, ']' );
}

void JsonText( JsonWriter* json, const char* key, const char* text )
{
	BeginValue( json, key );
	if ( text != NULL )
	{
		WriteQuoted( json->stream, text );
	}
	else
	{
		fputs( "null", json->stream );
	}
}

void JsonInteger( JsonWriter* json, const char* key, int64_t value )
{
	BeginValue( json, key );
	fprintf( json->stream, "%lld", (long long)value );
}

static const char* FormatNumber( float value )
{
	return supIsFinite( value ) ? FormatShortest( value ) : "null";
}

void JsonFloat( JsonWriter* json, const char* key, float value )
{
	BeginValue( json, key );
	fputs( FormatNumber( value ), json->stream );
}

void JsonBool( JsonWriter* json, const char* key, bool value )
{
	BeginValue( json, key );
	fputs( value ? "true" : "false", json->stream );
}

void JsonVec3( JsonWriter* json, const char* key, supVec3 value )
{
	BeginValue( json, key );
	fprintf( json->stream, "[%s, %s, %s]", FormatNumber( value.x ), FormatNumber( value.y ), FormatNumber( value.z ) );
}
