// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE // flock
#include "io/common/file.h"

#include "io/common/float_text.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_SIZE ( (uint64_t)4 << 30 )

// NULL with an error for what is no plain file with something in it.
static FILE* OpenPlainFile( const char* path, struct stat* info, supError* error )
{
	// a pipe that a file refers to would block until somebody writes to it
	int descriptor = open( path, O_RDONLY | O_NONBLOCK | O_CLOEXEC );
	if ( descriptor < 0 || fstat( descriptor, info ) != 0 )
	{
		supErrorCode code = errno == ENOENT || errno == ENOTDIR ? sup_errorNotFound : sup_errorRead;
		supSetError( error, code, path, "cannot open the file: %s", strerror( errno ) );
	}
	else if ( S_ISDIR( info->st_mode ) )
	{
		supSetError( error, sup_errorRead, path, "this is a folder; name a file inside it" );
	}
	else if ( S_ISREG( info->st_mode ) == false )
	{
		supSetError( error, sup_errorRead, path, "not a regular file; save its output to a file first" );
	}
	else if ( info->st_size == 0 )
	{
		supSetError( error, sup_errorFormat, path, "the file is empty" );
	}
	else
	{
		FILE* file = fdopen( descriptor, "rb" );
		if ( file != NULL )
		{
			return file;
		}
		supSetMemoryError( error );
	}
	if ( descriptor >= 0 )
	{
		close( descriptor );
	}
	return NULL;
}

// False with an error where the file does not have that many bytes any more.
static bool ReadBytes( FILE* file, const char* path, void* bytes, size_t byteCount, supError* error )
{
	return fread( bytes, 1, byteCount, file ) == byteCount ||
		   supSetError( error, sup_errorRead, path, "reading stopped early: %s",
						ferror( file ) ? strerror( errno ) : "the file was truncated" );
}

uint8_t* supReadFile( const char* path, size_t* byteCount, supError* error )
{
	*byteCount = 0;
	struct stat info;
	FILE* file = OpenPlainFile( path, &info, error );
	if ( file == NULL )
	{
		return NULL;
	}
	uint8_t* bytes = NULL;
	size_t size = (size_t)info.st_size;
	if ( (uint64_t)info.st_size > MAX_FILE_SIZE )
	{
		supSetError( error, sup_errorTooLarge, path, "the file is larger than 4 GiB" );
	}
	else if ( ( bytes = supAlloc( size + 1 ) ) == NULL )
	{
		supSetMemoryError( error );
	}
	else if ( ReadBytes( file, path, bytes, size, error ) == false )
	{
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

bool supReadFileHead( const char* path, char* head, size_t capacity, supError* error )
{
	struct stat info;
	FILE* file = OpenPlainFile( path, &info, error );
	if ( file == NULL )
	{
		return false;
	}
	size_t size = (uint64_t)info.st_size < capacity - 1 ? (size_t)info.st_size : capacity - 1;
	bool ok = ReadBytes( file, path, head, size, error );
	memset( head + ( ok ? size : 0 ), 0, capacity - ( ok ? size : 0 ) );
	fclose( file );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

struct supOutput
{
	FILE* file;    // NULL once closed
	char* path;    // as given
	char* target;  // through links, so that these stay
	char* beside;  // what is written until the end
	mode_t rights; // of the file that is replaced, 0 without
	int failure;   // errno of the first failure, 0 without
};

#define NAME_BESIDE ".supple-00000000"

// In the folder of `path`. Short, since the name of the target may already be as long as names can be.
static char* MakeNameBeside( const char* path )
{
	const char* slash = strrchr( path, '/' );
	size_t folder = slash != NULL ? (size_t)( slash + 1 - path ) : 0;
	char* beside = supAllocSmall( folder + sizeof( NAME_BESIDE ) );
	if ( beside != NULL )
	{
		memcpy( beside, path, folder );
		memcpy( beside + folder, NAME_BESIDE, sizeof( NAME_BESIDE ) );
	}
	return beside;
}

// mkstemp would make the file private, and asking for the umask is not safe among threads.
static int CreateBeside( char* beside )
{
	static _Atomic uint32_t s_counter;
	char* digits = beside + strlen( beside ) - 8;
	int descriptor;
	do
	{
		uint32_t number = (uint32_t)getpid() * 2654435761u + atomic_fetch_add( &s_counter, 1 );
		snprintf( digits, 9, "%08x", (unsigned)number );
		descriptor = open( beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666 );
	} while ( descriptor < 0 && errno == EEXIST );
	return descriptor;
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
		return supSetError( error, sup_errorWrite, path, "not a regular file; choose another name" );
	}
	// renaming would replace a file that its owner has locked
	if ( exists && access( path, W_OK ) != 0 )
	{
		return supSetError( error, sup_errorWrite, path, "cannot write here: %s", strerror( errno ) );
	}
	if ( exists == false && lstat( path, &info ) == 0 )
	{
		return supSetError( error, sup_errorWrite, path, "a dangling link; choose another name" );
	}
	char* resolved = exists ? realpath( path, NULL ) : NULL;
	output->path = supCopyString( path );
	output->target = supCopyString( resolved != NULL ? resolved : path );
	free( resolved );
	output->beside = output->target != NULL ? MakeNameBeside( output->target ) : NULL;
	output->rights = exists ? info.st_mode & 07777 : 0;
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
	int descriptor = CreateBeside( output->beside );
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
	if ( output->rights != 0 )
	{
		// may fail on file systems without rights, which is no reason not to write
		(void)!fchmod( descriptor, output->rights );
	}
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

void supOutput_PrintFloat( supOutput* output, float value )
{
	char text[SUP_FLOAT_TEXT_SIZE];
	supOutput_Write( output, text, supFormatFloat( text, value ) );
}

void supOutput_Overwrite( supOutput* output, uint64_t offset, const void* bytes, size_t byteCount )
{
	if ( output->failure == 0 && fseeko( output->file, (off_t)offset, SEEK_SET ) != 0 )
	{
		RememberFailure( output );
	}
	supOutput_Write( output, bytes, byteCount );
	if ( output->failure == 0 && fseeko( output->file, 0, SEEK_END ) != 0 )
	{
		RememberFailure( output );
	}
}

// Everything on disk. A full one often shows only now.
// On the disk before the new name is: a machine that stops in between has the old file or the new one.
static bool CloseOutput( supOutput* output )
{
	bool open = output->file != NULL && output->failure == 0;
	if ( open && ( fflush( output->file ) != 0 || ( fsync( fileno( output->file ) ) != 0 && errno != EINVAL ) ) )
	{
		RememberFailure( output );
	}
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

bool supLockFile( int descriptor )
{
#ifdef __EMSCRIPTEN__
	// a page has its files to itself
	(void)descriptor;
	return true;
#else
	int result;
	do
	{
		result = flock( descriptor, LOCK_EX | LOCK_NB );
	} while ( result != 0 && errno == EINTR );
	// file systems without locks (Lustre without -o flock, some of FUSE) answer with other errors
	return result == 0 || errno != EWOULDBLOCK;
#endif
}

FILE* supOpenFile( const char* path, long* size )
{
	struct stat info;
	FILE* file = OpenPlainFile( path, &info, NULL );
	if ( file != NULL && (uint64_t)info.st_size > MAX_FILE_SIZE )
	{
		fclose( file );
		return NULL;
	}
	*size = file != NULL ? (long)info.st_size : 0;
	return file;
}

bool supIsBelowFolder( const char* document, const char* path )
{
	char folder[PATH_MAX];
	const char* slash = strrchr( document, '/' );
	size_t length = slash != NULL ? (size_t)( slash + 1 - document ) : 0;
	if ( length >= sizeof( folder ) - 1 )
	{
		return false;
	}
	memcpy( folder, length > 0 ? document : "./", length > 0 ? length : 2 );
	folder[length > 0 ? length : 2] = 0;
	char* real = realpath( folder, NULL );
	char* target = realpath( path, NULL );
	size_t count = real != NULL ? strlen( real ) : 0;
	bool root = count == 1;
	bool below = count > 0 && target != NULL && strncmp( real, target, count ) == 0 && ( root || target[count] == '/' );
	free( real );
	free( target );
	return below;
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
