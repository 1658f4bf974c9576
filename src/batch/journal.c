// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "batch/journal.h"

#include "core/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".jsonl"
#define READ_BLOCK ( 1 << 16 )

// One of the files, and how far it has been read: always up to the end of a line.
typedef struct Reader
{
	char* name;
	off_t offset;
} Reader;

struct supJournal
{
	char* folder;
	char* path; // of its own file; NULL: only reads
	int file;   // -1 until there is something to write
	SUP_ARRAY( char ) pending;
	SUP_ARRAY( Reader ) readers;
	SUP_ARRAY( char ) buffer;
};

// Room for so many characters in all.
static bool Reserve( char** data, int32_t* capacity, int64_t needed )
{
	return needed <= *capacity ||
		   ( needed <= INT32_MAX / 2 && supGrowArray( (void**)data, capacity, (int32_t)needed, 1 ) );
}

supJournal* supOpenJournal( const char* folder, const char* writer, supError* error )
{
	supJournal* journal = supAllocZeroed( sizeof( supJournal ) );
	char* copy = supCopyString( folder );
	if ( journal == NULL || copy == NULL )
	{
		supFree( journal );
		supFree( copy );
		supSetMemoryError( error );
		return NULL;
	}
	journal->folder = copy;
	journal->file = -1;
	if ( writer == NULL )
	{
		return journal;
	}
	size_t size = strlen( folder ) + strlen( writer ) + sizeof( SUFFIX ) + 1;
	journal->path = supAllocSmall( size );
	if ( journal->path == NULL || ( mkdir( folder, 0777 ) != 0 && errno != EEXIST ) )
	{
		supSetError( error, sup_errorWrite, folder, "cannot create this folder: %s", strerror( errno ) );
		supCloseJournal( journal );
		return NULL;
	}
	snprintf( journal->path, size, "%s/%s" SUFFIX, folder, writer );
	return journal;
}

void supCloseJournal( supJournal* journal )
{
	if ( journal == NULL )
	{
		return;
	}
	supJournal_Flush( journal, NULL );
	if ( journal->file >= 0 )
	{
		close( journal->file );
	}
	for ( int32_t i = 0; i < journal->readers.count; ++i )
	{
		supFree( journal->readers.data[i].name );
	}
	SUP_FREE_ARRAY( &journal->readers );
	SUP_FREE_ARRAY( &journal->pending );
	SUP_FREE_ARRAY( &journal->buffer );
	supFree( journal->path );
	supFree( journal->folder );
	supFree( journal );
}

static Reader* FindReader( supJournal* journal, const char* name )
{
	for ( int32_t i = 0; i < journal->readers.count; ++i )
	{
		if ( strcmp( journal->readers.data[i].name, name ) == 0 )
		{
			return journal->readers.data + i;
		}
	}
	char* copy = supCopyString( name );
	if ( copy == NULL || SUP_PUSH( &journal->readers, ( Reader ){ copy, 0 } ) == false )
	{
		supFree( copy );
		return NULL;
	}
	return journal->readers.data + journal->readers.count - 1;
}

// The lines in `buffer`; returns how many bytes they take.
static size_t TakeLines( const char* bytes, size_t count, supJournalLineFcn* take, void* context )
{
	size_t start = 0;
	for ( size_t i = 0; i < count; ++i )
	{
		if ( bytes[i] == '\n' )
		{
			if ( i > start )
			{
				take( bytes + start, i - start, context );
			}
			start = i + 1;
		}
	}
	return start;
}

static bool ReadFile( supJournal* journal, Reader* reader, supJournalLineFcn* take, void* context )
{
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s/%s", journal->folder, reader->name );
	int file = open( path, O_RDONLY | O_CLOEXEC );
	struct stat info;
	bool grown = file >= 0 && fstat( file, &info ) == 0 && info.st_size > reader->offset;
	bool ok = true;
	size_t held = 0;
	for ( ssize_t got = 1; grown && got > 0; )
	{
		ok = Reserve( &journal->buffer.data, &journal->buffer.capacity, (int64_t)held + READ_BLOCK );
		got = ok ? pread( file, journal->buffer.data + held, READ_BLOCK, reader->offset + (off_t)held ) : 0;
		held += got > 0 ? (size_t)got : 0;
		size_t taken = TakeLines( journal->buffer.data, held, take, context );
		memmove( journal->buffer.data, journal->buffer.data + taken, held - taken );
		held -= taken;
		reader->offset += (off_t)taken;
	}
	if ( file >= 0 )
	{
		close( file );
	}
	return ok;
}

bool supJournal_Read( supJournal* journal, supJournalLineFcn* take, void* context )
{
	DIR* folder = opendir( journal->folder );
	bool ok = true;
	for ( struct dirent* entry; ok && folder != NULL && ( entry = readdir( folder ) ) != NULL; )
	{
		size_t length = strlen( entry->d_name );
		size_t suffix = sizeof( SUFFIX ) - 1;
		if ( length > suffix && strcmp( entry->d_name + length - suffix, SUFFIX ) == 0 )
		{
			Reader* reader = FindReader( journal, entry->d_name );
			ok = reader != NULL && ReadFile( journal, reader, take, context );
		}
	}
	if ( folder != NULL )
	{
		closedir( folder );
	}
	return ok;
}

bool supJournal_Append( supJournal* journal, const char* line )
{
	size_t length = strlen( line );
	if ( Reserve( &journal->pending.data, &journal->pending.capacity, journal->pending.count + (int64_t)length + 1 ) ==
		 false )
	{
		return false;
	}
	memcpy( journal->pending.data + journal->pending.count, line, length );
	journal->pending.data[journal->pending.count + (int32_t)length] = '\n';
	journal->pending.count += (int32_t)length + 1;
	return true;
}

bool supJournal_Flush( supJournal* journal, supError* error )
{
	if ( journal->pending.count == 0 )
	{
		return true;
	}
	if ( journal->file < 0 )
	{
		journal->file = open( journal->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666 );
	}
	while ( journal->pending.count > 0 )
	{
		ssize_t written = write( journal->file, journal->pending.data, (size_t)journal->pending.count );
		if ( written < 0 && errno == EINTR )
		{
			continue;
		}
		if ( written <= 0 )
		{
			return supSetError( error, sup_errorWrite, journal->folder, "cannot write the journal of finished jobs: %s",
								strerror( written < 0 ? errno : ENOSPC ) );
		}
		journal->pending.count -= (int32_t)written;
		memmove( journal->pending.data, journal->pending.data + written, (size_t)journal->pending.count );
	}
	return fdatasync( journal->file ) == 0 || errno == EINVAL ||
		   supSetError( error, sup_errorWrite, journal->folder, "cannot write the journal of finished jobs: %s",
						strerror( errno ) );
}
