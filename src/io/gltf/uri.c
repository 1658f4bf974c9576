// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "io/gltf/uri.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

bool supIsDataUri( const char* uri )
{
	return strncasecmp( uri, "data:", 5 ) == 0;
}

void supGetDataUriType( const char* uri, char type[64] )
{
	type[0] = 0;
	if ( supIsDataUri( uri ) )
	{
		size_t length = strcspn( uri + 5, ";," );
		snprintf( type, 64, "%.*s", length < 64 ? (int)length : 0, uri + 5 );
	}
}

static int HexDigit( char c )
{
	if ( c >= '0' && c <= '9' )
	{
		return c - '0';
	}
	char lower = (char)tolower( (unsigned char)c );
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Writes the decoded bytes, which are never more than the text. Returns how many.
static size_t DecodePercent( const char* text, char* out )
{
	size_t count = 0;
	while ( *text != 0 )
	{
		int high = *text == '%' ? HexDigit( text[1] ) : -1;
		int low = high >= 0 ? HexDigit( text[2] ) : -1;
		if ( low >= 0 )
		{
			out[count++] = (char)( 16 * high + low );
			text += 3;
		}
		else
		{
			out[count++] = *text++;
		}
	}
	return count;
}

char* supDecodePercent( const char* uri )
{
	char* path = supAllocSmall( strlen( uri ) + 1 );
	if ( path != NULL )
	{
		path[DecodePercent( uri, path )] = 0;
	}
	return path;
}

char* supEncodePercent( const char* path )
{
	char* uri = supAllocSmall( 3 * strlen( path ) + 1 );
	if ( uri == NULL )
	{
		return NULL;
	}
	char* out = uri;
	for ( ; *path != 0; ++path )
	{
		unsigned char c = (unsigned char)*path;
		if ( isalnum( c ) || strchr( "-._~/", c ) != NULL )
		{
			*out++ = (char)c;
		}
		else
		{
			out += snprintf( out, 4, "%%%02X", c );
		}
	}
	*out = 0;
	return uri;
}

bool supIsRelativePath( const char* path )
{
	if ( path[0] == '/' || path[0] == '\\' )
	{
		return false;
	}
	// RFC 3986: a scheme is a letter and then letters, digits, '+', '-', '.', up to a colon
	size_t i = 0;
	while ( isalnum( (unsigned char)path[i] ) || ( path[i] != 0 && strchr( "+-.", path[i] ) != NULL ) )
	{
		i += 1;
	}
	return i == 0 || path[i] != ':' || isalpha( (unsigned char)path[0] ) == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Base64, both alphabets, padding and white space tolerated

static int Base64Digit( char c )
{
	if ( c >= 'A' && c <= 'Z' )
	{
		return c - 'A';
	}
	if ( c >= 'a' && c <= 'z' )
	{
		return c - 'a' + 26;
	}
	if ( c >= '0' && c <= '9' )
	{
		return c - '0' + 52;
	}
	return c == '+' || c == '-' ? 62 : ( c == '/' || c == '_' ? 63 : -1 );
}

// Returns the number of bytes, SIZE_MAX where a character does not belong.
static size_t DecodeBase64( const char* text, uint8_t* out )
{
	size_t count = 0;
	uint32_t bits = 0;
	int bitCount = 0;
	for ( ; *text != 0; ++text )
	{
		int digit = Base64Digit( *text );
		if ( digit < 0 && ( *text == '=' || isspace( (unsigned char)*text ) ) )
		{
			continue;
		}
		if ( digit < 0 )
		{
			return SIZE_MAX;
		}
		bits = ( bits << 6 | (uint32_t)digit ) & 0xFFFFFFu;
		bitCount += 6;
		if ( bitCount >= 8 )
		{
			bitCount -= 8;
			out[count++] = (uint8_t)( bits >> bitCount );
		}
	}
	return count;
}

uint8_t* supDecodeDataUri( const char* uri, size_t* byteCount, const char* where, supError* error )
{
	*byteCount = 0;
	const char* comma = strchr( uri, ',' );
	if ( comma == NULL )
	{
		supSetError( error, sup_errorFormat, where, "the data URI has no data" );
		return NULL;
	}
	const char* text = comma + 1;
	bool base64 = comma - uri >= 7 && strncasecmp( comma - 7, ";base64", 7 ) == 0;
	uint8_t* bytes = supAlloc( strlen( text ) + 1 );
	if ( bytes == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	size_t count = base64 ? DecodeBase64( text, bytes ) : DecodePercent( text, (char*)bytes );
	if ( count == SIZE_MAX )
	{
		supSetError( error, sup_errorFormat, where, "the data URI has a character that is not base64" );
		supFree( bytes );
		return NULL;
	}
	*byteCount = count;
	return bytes;
}

// ---------------------------------------------------------------------------------------------------------------------

const char* supGuessImageType( const uint8_t* bytes, size_t byteCount )
{
	static const struct
	{
		const char* type;
		const char* magic;
		size_t offset, length;
	} types[] = {
		{ "image/png", "\x89PNG\r\n\x1a\n", 0, 8 },
		{ "image/jpeg", "\xFF\xD8\xFF", 0, 3 },
		{ "image/webp", "WEBP", 8, 4 },
		{ "image/ktx2", "\xABKTX 20\xBB", 0, 8 },
		{ "image/vnd-ms.dds", "DDS ", 0, 4 },
		{ "image/avif", "ftypavif", 4, 8 },
	};
	for ( int32_t i = 0; bytes != NULL && i < SUP_COUNT( types ); ++i )
	{
		size_t end = types[i].offset + types[i].length;
		if ( byteCount >= end && memcmp( bytes + types[i].offset, types[i].magic, types[i].length ) == 0 )
		{
			return types[i].type;
		}
	}
	return "";
}
