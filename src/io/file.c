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

bool supWriteFile( const char* path, const void* bytes, size_t byteCount, supError* error )
{
	size_t length = strlen( path );
	char* beside = supAllocSmall( length + 16 );
	if ( beside == NULL )
	{
		return supSetMemoryError( error );
	}
	snprintf( beside, length + 16, "%s.XXXXXX", path );
	int descriptor = mkstemp( beside );
	FILE* file = descriptor >= 0 ? fdopen( descriptor, "wb" ) : NULL;
	if ( file == NULL )
	{
		supSetError( error, sup_errorWrite, path, "cannot write here: %s", strerror( errno ) );
		if ( descriptor >= 0 )
		{
			close( descriptor );
			remove( beside );
		}
		supFree( beside );
		return false;
	}
	// mkstemp makes files private; give the file the rights that any new file gets
	mode_t mask = umask( 0 );
	umask( mask );
	fchmod( descriptor, (mode_t)0666 & ~mask );
	bool ok = fwrite( bytes, 1, byteCount, file ) == byteCount;
	ok = fflush( file ) == 0 && ok;
	ok = fclose( file ) == 0 && ok;
	ok = ok && rename( beside, path ) == 0;
	if ( ok == false )
	{
		supSetError( error, sup_errorWrite, path, "writing failed: %s", strerror( errno ) );
		remove( beside );
	}
	supFree( beside );
	return ok;
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
