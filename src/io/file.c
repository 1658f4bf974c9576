// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_SIZE ( (uint64_t)4 << 30 )

uint8_t* supReadFile( const char* path, size_t* byteCount, supError* error )
{
	*byteCount = 0;
	FILE* file = fopen( path, "rb" );
	struct stat info;
	if ( file == NULL || fstat( fileno( file ), &info ) != 0 )
	{
		supErrorCode code = errno == ENOENT || errno == ENOTDIR ? sup_errorNotFound : sup_errorRead;
		supSetError( error, code, path, "cannot open the file: %s", strerror( errno ) );
		if ( file != NULL )
		{
			fclose( file );
		}
		return NULL;
	}
	if ( S_ISREG( info.st_mode ) == false || (uint64_t)info.st_size > MAX_FILE_SIZE )
	{
		supSetError( error, S_ISREG( info.st_mode ) ? sup_errorTooLarge : sup_errorRead, path,
					 S_ISREG( info.st_mode ) ? "the file is larger than 4 GiB" : "this is not a plain file" );
		fclose( file );
		return NULL;
	}
	size_t size = (size_t)info.st_size;
	uint8_t* bytes = supAlloc( size + 1 );
	if ( bytes == NULL )
	{
		supSetMemoryError( error );
	}
	else if ( fread( bytes, 1, size, file ) != size )
	{
		supSetError( error, sup_errorRead, path, "reading stopped early: %s",
					 ferror( file ) ? strerror( errno ) : "the file became shorter" );
		supFree( bytes );
		bytes = NULL;
	}
	else
	{
		bytes[size] = 0;
		*byteCount = size;
	}
	fclose( file );
	return bytes;
}

// A name for mkstemp in the folder of `path`. Short, since the name of the target may already be as long as names can
// be.
static char* MakeNameBeside( const char* path )
{
	static const char name[] = ".supple-XXXXXX";
	const char* slash = strrchr( path, '/' );
	size_t folder = slash != NULL ? (size_t)( slash + 1 - path ) : 0;
	char* beside = supAllocSmall( folder + sizeof( name ) );
	if ( beside != NULL )
	{
		memcpy( beside, path, folder );
		memcpy( beside + folder, name, sizeof( name ) );
	}
	return beside;
}

static bool WriteDescriptor( int descriptor, const void* bytes, size_t byteCount )
{
	// mkstemp makes files private; give the file the rights that any new file gets
	mode_t mask = umask( 0 );
	umask( mask );
	fchmod( descriptor, (mode_t)0666 & ~mask );
	FILE* file = fdopen( descriptor, "wb" );
	if ( file == NULL )
	{
		close( descriptor );
		return false;
	}
	bool ok = fwrite( bytes, 1, byteCount, file ) == byteCount;
	ok = fflush( file ) == 0 && ok;
	return fclose( file ) == 0 && ok;
}

// The content in a file beside its target; its name, or NULL with an error and nothing left behind.
static char* StageFile( const supFileContent* content, supError* error )
{
	char* beside = MakeNameBeside( content->path );
	if ( beside == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	int descriptor = mkstemp( beside );
	if ( descriptor < 0 )
	{
		supSetError( error, sup_errorWrite, content->path, "cannot write here: %s", strerror( errno ) );
		supFree( beside );
		return NULL;
	}
	if ( WriteDescriptor( descriptor, content->bytes, content->byteCount ) == false )
	{
		supSetError( error, sup_errorWrite, content->path, "writing failed: %s", strerror( errno ) );
		remove( beside );
		supFree( beside );
		return NULL;
	}
	return beside;
}

bool supWriteFiles( const supFileContent* contents, int32_t count, supError* error )
{
	char* staged[SUP_MAX_FILES_AT_ONCE] = { NULL };
	SUP_ASSERT( count <= SUP_MAX_FILES_AT_ONCE );
	bool ok = true;
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		staged[i] = StageFile( contents + i, error );
		ok = staged[i] != NULL;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( ok && rename( staged[i], contents[i].path ) != 0 )
		{
			ok = supSetError( error, sup_errorWrite, contents[i].path, "writing failed: %s", strerror( errno ) );
		}
		if ( ok == false && staged[i] != NULL )
		{
			remove( staged[i] );
		}
		supFree( staged[i] );
	}
	return ok;
}

bool supWriteFile( const char* path, const void* bytes, size_t byteCount, supError* error )
{
	return supWriteFiles( &( supFileContent ){ path, bytes, byteCount }, 1, error );
}

void supGetExtension( const char* path, char extension[17] )
{
	const char* dot = strrchr( path, '.' );
	const char* slash = strrchr( path, '/' );
	extension[0] = 0;
	if ( dot == NULL || ( slash != NULL && dot < slash ) || strlen( dot ) > 16 )
	{
		return;
	}
	size_t i = 0;
	for ( ; dot[i] != 0; ++i )
	{
		extension[i] = (char)tolower( (unsigned char)dot[i] );
	}
	extension[i] = 0;
}
