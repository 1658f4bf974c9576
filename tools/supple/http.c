// SPDX-License-Identifier: MIT
// strcasestr
#define _GNU_SOURCE
#include "http.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int HexDigit( char c )
{
	return c >= '0' && c <= '9'   ? c - '0'
		   : c >= 'a' && c <= 'f' ? c - 'a' + 10
		   : c >= 'A' && c <= 'F' ? c - 'A' + 10
								  : -1;
}

// Takes the query off and percents out, in place. False where it leads out of the folder or has no business in a path.
static bool CleanPath( char* path )
{
	path[strcspn( path, "?#" )] = 0;
	char* out = path;
	for ( const char* p = path; *p != 0; ++p )
	{
		char c = *p;
		if ( c == '%' )
		{
			int high = HexDigit( p[1] ), low = high >= 0 ? HexDigit( p[2] ) : -1;
			if ( low < 0 )
			{
				return false;
			}
			c = (char)( high * 16 + low );
			p += 2;
		}
		if ( ( c >= 0 && c < 32 ) || c == 127 || c == '\\' )
		{
			return false;
		}
		*out++ = c;
	}
	*out = 0;
	return path[0] == '/' && strstr( path, "/.." ) == NULL && strstr( path, "//" ) == NULL;
}

// The value of a header up to the end of its line; NULL where it is not there.
static const char* FindHeader( const char* text, const char* name, size_t* length )
{
	const char* header = strcasestr( text, name );
	if ( header == NULL )
	{
		return NULL;
	}
	header += strlen( name );
	header += strspn( header, " \t" );
	*length = strcspn( header, "\r\n \t" );
	return header;
}

// Is it one of our names with our port?
static bool IsOurs( const char* host, size_t length, int32_t port )
{
	static const char* const names[] = { "127.0.0.1", "localhost" };
	for ( size_t i = 0; i < sizeof( names ) / sizeof( names[0] ); ++i )
	{
		char ours[32];
		size_t nameLength = strlen( names[i] );
		size_t count = (size_t)snprintf( ours, sizeof( ours ), "%s:%d", names[i], port );
		// browsers leave port 80 out
		if ( ( length == count || ( port == 80 && length == nameLength ) ) && strncasecmp( host, ours, length ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static bool HostIsOurs( const char* text, int32_t port )
{
	size_t length = 0;
	const char* host = FindHeader( text, "\r\nHost:", &length );
	return host != NULL && IsOurs( host, length, port );
}

// Programs name no origin; a page of somebody else names its own.
static bool OriginIsOurs( const char* text, int32_t port )
{
	static const char scheme[] = "http://";
	size_t length = 0, skip = sizeof( scheme ) - 1;
	const char* origin = FindHeader( text, "\r\nOrigin:", &length );
	return origin == NULL || ( length > skip && strncasecmp( origin, scheme, skip ) == 0 &&
							   IsOurs( origin + skip, length - skip, port ) );
}

// False where the length is no number; without one there is no body.
static bool ReadLength( const char* text, size_t* byteCount )
{
	size_t length = 0;
	const char* digits = FindHeader( text, "\r\nContent-Length:", &length );
	if ( digits == NULL )
	{
		return true;
	}
	// fifteen digits fit into 64 bits, and are more than anybody's memory
	if ( length == 0 || length > 15 || strspn( digits, "0123456789" ) < length )
	{
		return false;
	}
	*byteCount = (size_t)strtoull( digits, NULL, 10 );
	return true;
}

const char* ParseHttpRequest( char* text, int32_t port, HttpRequest* request )
{
	*request =
		( HttpRequest ){ .isHead = strncmp( text, "HEAD ", 5 ) == 0, .isPost = strncmp( text, "POST ", 5 ) == 0 };
	bool isGet = strncmp( text, "GET ", 4 ) == 0;
	if ( isGet == false && request->isHead == false && request->isPost == false )
	{
		return "405 Method Not Allowed";
	}
	if ( HostIsOurs( text, port ) == false || ( request->isPost && OriginIsOurs( text, port ) == false ) )
	{
		return "403 Forbidden";
	}
	bool hasLength = request->isPost == false || ReadLength( text, &request->byteCount );
	char* path = text + ( isGet ? 4 : 5 );
	char* end = strstr( path, " HTTP/1." );
	const char* lineEnd = strstr( text, "\r\n" );
	if ( end == NULL || end > lineEnd )
	{
		return "400 Bad Request";
	}
	*end = 0;
	request->path = path;
	if ( CleanPath( path ) == false )
	{
		return "400 Bad Request";
	}
	return hasLength ? NULL : "400 Bad Request";
}
