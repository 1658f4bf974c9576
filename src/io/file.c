// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#include "io/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_SIZE ( (uint64_t)4 << 30 )

uint8_t* supReadFile( const char* path, size_t* byteCount, supError* error )
{
	*byteCount = 0;
	// a pipe that a file refers to would block until somebody writes to it
	int descriptor = open( path, O_RDONLY | O_NONBLOCK | O_CLOEXEC );
	FILE* file = descriptor >= 0 ? fdopen( descriptor, "rb" ) : NULL;
	struct stat info;
	if ( file == NULL || fstat( descriptor, &info ) != 0 )
	{
		supErrorCode code = errno == ENOENT || errno == ENOTDIR ? sup_errorNotFound : sup_errorRead;
		supSetError( error, code, path, "cannot open the file: %s", strerror( errno ) );
		if ( file != NULL )
		{
			fclose( file );
		}
		else if ( descriptor >= 0 )
		{
			close( descriptor );
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

// ---------------------------------------------------------------------------------------------------------------------

struct supOutput
{
	FILE* file;   // NULL once closed
	char* path;   // as given
	char* target; // through links, so that these stay
	char* beside; // what is written until the end
	int failure;  // errno of the first failure, 0 without
};

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

static void FreeOutput( supOutput* output )
{
	supFree( output->path );
	supFree( output->target );
	supFree( output->beside );
	supFree( output );
}

// Devices, pipes and folders are not replaced: renaming over /dev/null as root would leave a machine without it.
static bool FindTarget( supOutput* output, const char* path, supError* error )
{
	struct stat info;
	bool exists = stat( path, &info ) == 0;
	if ( exists && S_ISREG( info.st_mode ) == false )
	{
		return supSetError( error, sup_errorWrite, path, "this is not a plain file; give another name" );
	}
	char* resolved = exists ? realpath( path, NULL ) : NULL;
	output->path = supCopyString( path );
	output->target = supCopyString( resolved != NULL ? resolved : path );
	free( resolved );
	output->beside = output->target != NULL ? MakeNameBeside( output->target ) : NULL;
	return ( output->path != NULL && output->beside != NULL ) || supSetMemoryError( error );
}

supOutput* supBeginOutput( const char* path, supError* error )
{
	supOutput* output = supAllocZeroed( sizeof( supOutput ) );
	if ( output == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	if ( FindTarget( output, path, error ) == false )
	{
		FreeOutput( output );
		return NULL;
	}
	int descriptor = mkstemp( output->beside );
	output->file = descriptor >= 0 ? fdopen( descriptor, "wb" ) : NULL;
	if ( output->file == NULL )
	{
		supSetError( error, sup_errorWrite, path, "cannot write here: %s", strerror( errno ) );
		if ( descriptor >= 0 )
		{
			close( descriptor );
			remove( output->beside );
		}
		FreeOutput( output );
		return NULL;
	}
	// mkstemp makes files private; give the file the rights that any new file gets
	mode_t mask = umask( 0 );
	umask( mask );
	fchmod( descriptor, (mode_t)0666 & ~mask );
	return output;
}

static void RememberFailure( supOutput* output )
{
	output->failure = errno != 0 ? errno : EIO;
}

void supOutput_Write( supOutput* output, const void* bytes, size_t byteCount )
{
	if ( output->failure == 0 && fwrite( bytes, 1, byteCount, output->file ) != byteCount )
	{
		RememberFailure( output );
	}
}

void supOutput_Print( supOutput* output, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	if ( output->failure == 0 && vfprintf( output->file, format, arguments ) < 0 )
	{
		RememberFailure( output );
	}
	va_end( arguments );
}

// Everything on disk. A full one often shows only now.
static bool CloseOutput( supOutput* output )
{
	if ( output->file != NULL && fclose( output->file ) != 0 && output->failure == 0 )
	{
		RememberFailure( output );
	}
	output->file = NULL;
	return output->failure == 0;
}

bool supEndOutput( supOutput* output, bool keep, supError* error )
{
	bool ok = CloseOutput( output );
	if ( ok && keep && rename( output->beside, output->target ) != 0 )
	{
		RememberFailure( output );
		ok = false;
	}
	if ( ok == false )
	{
		supSetError( error, sup_errorWrite, output->path, "writing failed: %s", strerror( output->failure ) );
	}
	if ( ok == false || keep == false )
	{
		remove( output->beside );
	}
	FreeOutput( output );
	return ok;
}

bool supWriteFiles( const supFileContent* contents, int32_t count, supError* error )
{
	supOutput* outputs[SUP_MAX_FILES_AT_ONCE] = { NULL };
	SUP_ASSERT( count <= SUP_MAX_FILES_AT_ONCE );
	bool ok = true;
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		outputs[i] = supBeginOutput( contents[i].path, error );
		ok = outputs[i] != NULL;
		if ( ok )
		{
			supOutput_Write( outputs[i], contents[i].bytes, contents[i].byteCount );
			ok = CloseOutput( outputs[i] );
		}
	}
	for ( int32_t i = 0; i < count && outputs[i] != NULL; ++i )
	{
		ok = supEndOutput( outputs[i], ok, error ) && ok;
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
