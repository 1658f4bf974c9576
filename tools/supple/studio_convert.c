// SPDX-License-Identifier: MIT
// Files that the page of the studio hands to this program, because only it reads them: written into a folder of their
// own, imported as the command line imports them, and handed back as GLB.
#define _POSIX_C_SOURCE 200809L
#include "core/core.h"
#include "isolate.h"
#include "studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FILES 64

typedef struct Posted
{
	char folder[64];
	int32_t count;
	char* paths[MOST_FILES];
} Posted;

// Four bytes, little end first. False at the end.
static bool ReadCount( const uint8_t** at, const uint8_t* end, uint32_t* count )
{
	if ( end - *at < 4 )
	{
		return false;
	}
	const uint8_t* p = *at;
	*count = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	*at += 4;
	return *count <= (size_t)( end - *at );
}

// Without its folders, and nothing that means another one.
static bool IsPlainName( const char* name, size_t length )
{
	return length > 0 && length < 256 && memchr( name, '/', length ) == NULL && memchr( name, 0, length ) == NULL &&
		   name[0] != '.';
}

static bool WritePosted( Posted* posted, const char* name, size_t nameLength, const uint8_t* bytes, size_t byteCount )
{
	size_t size = sizeof( posted->folder ) + nameLength + 2;
	char* path = supAllocSmall( size );
	if ( path == NULL )
	{
		return false;
	}
	snprintf( path, size, "%s/%.*s", posted->folder, (int)nameLength, name );
	posted->paths[posted->count++] = path;
	FILE* file = fopen( path, "wbx" );
	bool ok = file != NULL && fwrite( bytes, 1, byteCount, file ) == byteCount;
	return ( file == NULL || fclose( file ) == 0 ) && ok;
}

static bool WriteAllPosted( Posted* posted, const uint8_t* bytes, size_t byteCount )
{
	const uint8_t* at = bytes;
	const uint8_t* end = bytes + byteCount;
	while ( at < end && posted->count < MOST_FILES )
	{
		uint32_t nameLength, length;
		const char* name;
		if ( ReadCount( &at, end, &nameLength ) == false )
		{
			return false;
		}
		name = (const char*)at;
		at += nameLength;
		if ( IsPlainName( name, nameLength ) == false || ReadCount( &at, end, &length ) == false ||
			 WritePosted( posted, name, nameLength, at, length ) == false )
		{
			return false;
		}
		at += length;
	}
	return posted->count > 0 && at == end;
}

static void RemovePosted( Posted* posted )
{
	for ( int32_t i = 0; i < posted->count; ++i )
	{
		unlink( posted->paths[i] );
		supFree( posted->paths[i] );
	}
	rmdir( posted->folder );
}

static uint8_t* Import( const char* path, size_t* byteCount, supError* error )
{
	const CommonSettings* common = GetCommonSettings();
	ImportLimits limits = { false, common->importMemory, common->importSeconds };
	supCharacter* character = IsolatedLoadCharacter( path, &limits, error );
	supDocument* document = character != NULL ? supCreateDocument( character, error ) : NULL;
	uint8_t* bytes = document != NULL ? supWriteDocument( document, byteCount, error ) : NULL;
	supDestroyDocument( document );
	supDestroyCharacter( character );
	return bytes;
}

// Our own words about it, without the folder, which means nothing to anybody.
static void AnswerError( const supError* error, ServerAnswer* answer )
{
	size_t length = strlen( error->message );
	answer->bytes = supAlloc( length + 1 );
	if ( answer->bytes != NULL )
	{
		memcpy( answer->bytes, error->message, length + 1 );
		answer->byteCount = length;
	}
	answer->status = "422 Unprocessable Content";
	answer->type = "text/plain; charset=utf-8";
}

void ConvertPosted( const uint8_t* bytes, size_t byteCount, ServerAnswer* answer )
{
	Posted posted = { 0 };
	const char* base = getenv( "TMPDIR" );
	base = base != NULL && strlen( base ) < 40 ? base : "/tmp";
	snprintf( posted.folder, sizeof( posted.folder ), "%s/supple-XXXXXX", base );
	if ( mkdtemp( posted.folder ) == NULL )
	{
		answer->status = "503 Service Unavailable";
		return;
	}
	if ( WriteAllPosted( &posted, bytes, byteCount ) )
	{
		supError error = { 0 };
		answer->bytes = Import( posted.paths[0], &answer->byteCount, &error );
		answer->status = "200 OK";
		answer->type = "model/gltf-binary";
		if ( answer->bytes == NULL )
		{
			AnswerError( &error, answer );
		}
	}
	else
	{
		answer->status = "400 Bad Request";
	}
	RemovePosted( &posted );
}
