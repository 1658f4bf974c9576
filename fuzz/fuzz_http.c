// SPDX-License-Identifier: MIT
// The parser of requests to the studio's server, over whatever bytes come: what it lets through stays in the folder.
#include "http.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

#define PORT 8080

static void Try( const uint8_t* head, size_t headSize, const char* tail )
{
	// exactly as long as the text, so that a read beyond it is seen
	size_t tailSize = strlen( tail );
	char* text = malloc( headSize + tailSize + 1 );
	memcpy( text, head, headSize );
	memcpy( text + headSize, tail, tailSize + 1 );
	HttpRequest request = { 0 };
	if ( strlen( text ) == headSize + tailSize && ParseHttpRequest( text, PORT, &request ) == NULL &&
		 ( request.path[0] != '/' || strstr( request.path, "/../" ) != NULL || strstr( request.path, "//" ) != NULL ||
		   strchr( request.path, '\\' ) != NULL || strcmp( request.path, "/.." ) == 0 ) )
	{
		abort();
	}
	free( text );
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	Try( data, size, "\r\n\r\n" );
	Try( data, size, " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n" );
	return 0;
}
