// SPDX-License-Identifier: MIT
// strcasestr
#define _GNU_SOURCE
#include "http.h"

#include <stddef.h>
#include <stdio.h>
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

static bool HostIsOurs( const char* text, int32_t port )
{
	const char* host = strcasestr( text, "\r\nHost:" );
	if ( host == NULL )
	{
		return false;
	}
	host += 7 + strspn( host + 7, " \t" );
	size_t length = strcspn( host, "\r\n \t" );
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

const char* ParseHttpRequest( char* text, int32_t port, HttpRequest* request )
{
	request->isHead = strncmp( text, "HEAD ", 5 ) == 0;
	if ( request->isHead == false && strncmp( text, "GET ", 4 ) != 0 )
	{
		return "405 Method Not Allowed";
	}
	if ( HostIsOurs( text, port ) == false )
	{
		return "403 Forbidden";
	}
	char* path = text + ( request->isHead ? 5 : 4 );
	char* end = strstr( path, " HTTP/1." );
	const char* lineEnd = strstr( text, "\r\n" );
	if ( end == NULL || end > lineEnd )
	{
		return "400 Bad Request";
	}
	*end = 0;
	request->path = path;
	return CleanPath( path ) ? NULL : "400 Bad Request";
}
