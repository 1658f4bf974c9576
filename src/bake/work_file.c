// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "bake/work_file.h"

#include "core/hash.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "SUPBAKE2"

struct supWorkFile
{
	int file;
	char* path;
	char* statePath;
	int64_t vertexCount;
	uint64_t key;
};

// Record: info, then positions and normals.
static int64_t RecordSize( const supWorkFile* work )
{
	return (int64_t)sizeof( supBakeFrame ) + 2 * work->vertexCount * (int64_t)sizeof( supVec3 );
}

static int64_t RecordStart( const supWorkFile* work, int32_t frame )
{
	return (int64_t)sizeof( supWorkHeader ) + frame * RecordSize( work );
}

static bool WriteAt( const supWorkFile* work, const void* bytes, size_t size, int64_t offset, supError* error )
{
	const char* data = bytes;
	while ( size > 0 )
	{
		ssize_t done = pwrite( work->file, data, size, (off_t)offset );
		if ( done < 0 && errno == EINTR )
		{
			continue;
		}
		if ( done <= 0 )
		{
			return supSetError( error, sup_errorWrite, work->path, "writing frames failed: %s",
								strerror( done < 0 ? errno : ENOSPC ) );
		}
		data += done;
		offset += done;
		size -= (size_t)done;
	}
	return true;
}

static bool ReadAt( const supWorkFile* work, void* bytes, size_t size, int64_t offset, supError* error )
{
	char* data = bytes;
	while ( size > 0 )
	{
		ssize_t done = pread( work->file, data, size, (off_t)offset );
		if ( done < 0 && errno == EINTR )
		{
			continue;
		}
		if ( done <= 0 )
		{
			return supSetError( error, sup_errorRead, work->path, "reading frames failed: %s",
								done < 0 ? strerror( errno ) : "the file ends early" );
		}
		data += done;
		offset += done;
		size -= (size_t)done;
	}
	return true;
}

static void FreeWork( supWorkFile* work )
{
	if ( work->file >= 0 )
	{
		close( work->file );
	}
	supFree( work->path );
	supFree( work->statePath );
	supFree( work );
}

static supWorkFile* AllocateWork( const char* path, uint64_t key, int64_t vertexCount, supError* error )
{
	supWorkFile* work = supAllocZeroed( sizeof( supWorkFile ) );
	if ( work == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	work->file = -1;
	work->key = key;
	work->vertexCount = vertexCount;
	work->path = supCopyString( path );
	work->statePath = supAllocSmall( strlen( path ) + 8 );
	if ( work->path == NULL || work->statePath == NULL )
	{
		supSetMemoryError( error );
		FreeWork( work );
		return NULL;
	}
	snprintf( work->statePath, strlen( path ) + 8, "%s.state", path );
	return work;
}

supWorkFile* supCreateWorkFile( const char* path, uint64_t key, int64_t vertexCount, int32_t wantedFrameCount,
								supError* error )
{
	supWorkFile* work = AllocateWork( path, key, vertexCount, error );
	if ( work == NULL )
	{
		return NULL;
	}
	// an older state would belong to other frames
	remove( work->statePath );
	work->file = open( path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666 );
	supWorkHeader header = { .magic = MAGIC, .key = key, .vertexCount = vertexCount };
	header.wantedFrameCount = wantedFrameCount;
	struct stat info;
	// whatever is not a plain file is not ours to fill, let alone to remove
	if ( work->file < 0 || fstat( work->file, &info ) != 0 || S_ISREG( info.st_mode ) == false )
	{
		supSetError( error, sup_errorWrite, path, "cannot write here: %s",
					 work->file < 0 ? strerror( errno ) : "this is not a plain file" );
		FreeWork( work );
		return NULL;
	}
	if ( WriteAt( work, &header, sizeof( header ), 0, error ) == false )
	{
		remove( path );
		FreeWork( work );
		return NULL;
	}
	return work;
}

// True where the state file is whole and belongs here.
static bool ReadState( const supWorkFile* work, supWorkState* state, void* bytes, size_t stateSize )
{
	size_t size;
	uint8_t* content = supReadFile( work->statePath, &size, NULL );
	bool ok = content != NULL && size == sizeof( supWorkState ) + stateSize;
	if ( ok )
	{
		memcpy( state, content, sizeof( *state ) );
		const uint8_t* rest = content + sizeof( *state );
		ok = state->key == work->key && state->stateSize == stateSize &&
			 state->check == supHashBytes( SUP_HASH_SEED, rest, stateSize );
		memcpy( bytes, rest, ok ? stateSize : 0 );
	}
	supFree( content );
	return ok;
}

supWorkFile* supOpenWorkFile( const char* path, uint64_t key, int64_t vertexCount, int32_t wantedFrameCount,
							  supWorkState* state, void* bytes, size_t stateSize, supError* error )
{
	supWorkFile* work = AllocateWork( path, key, vertexCount, error );
	if ( work == NULL )
	{
		return NULL;
	}
	work->file = open( path, O_RDWR | O_CLOEXEC );
	supWorkHeader header;
	if ( work->file < 0 || ReadAt( work, &header, sizeof( header ), 0, NULL ) == false )
	{
		FreeWork( work );
		return NULL;
	}
	bool same = memcmp( header.magic, MAGIC, 8 ) == 0 && header.key == key && header.vertexCount == vertexCount &&
				header.wantedFrameCount == wantedFrameCount;
	if ( same == false )
	{
		supSetError( error, sup_errorArgument, path,
					 "these frames come from another character, clip or setting and cannot be resumed; give the same "
					 "options as before, or bake without resuming" );
		FreeWork( work );
		return NULL;
	}
	off_t end = lseek( work->file, 0, SEEK_END );
	if ( ReadState( work, state, bytes, stateSize ) == false || state->frameCount < 0 ||
		 state->frameCount > wantedFrameCount || (int64_t)end < RecordStart( work, state->frameCount ) )
	{
		FreeWork( work );
		return NULL;
	}
	return work;
}

void supCloseWorkFile( supWorkFile* work, bool keep )
{
	if ( work != NULL )
	{
		// frames without a state cannot be resumed
		if ( keep == false || access( work->statePath, F_OK ) != 0 )
		{
			remove( work->path );
			remove( work->statePath );
		}
		FreeWork( work );
	}
}

bool supWorkFile_WriteFrame( supWorkFile* work, int32_t frame, const supBakeFrame* info, const supVec3* data,
							 supError* error )
{
	int64_t start = RecordStart( work, frame );
	return WriteAt( work, info, sizeof( *info ), start, error ) &&
		   WriteAt( work, data, (size_t)( 2 * work->vertexCount ) * sizeof( supVec3 ), start + (int64_t)sizeof( *info ),
					error );
}

bool supWorkFile_ReadInfo( supWorkFile* work, int32_t frame, supBakeFrame* info, supError* error )
{
	return ReadAt( work, info, sizeof( *info ), RecordStart( work, frame ), error );
}

bool supWorkFile_ReadData( supWorkFile* work, int32_t frame, int64_t first, int64_t count, supVec3* data,
						   supError* error )
{
	int64_t start = RecordStart( work, frame ) + (int64_t)sizeof( supBakeFrame ) + first * (int64_t)sizeof( supVec3 );
	return ReadAt( work, data, (size_t)count * sizeof( supVec3 ), start, error );
}

bool supWorkFile_WriteState( supWorkFile* work, const supWorkState* state, const void* bytes, supError* error )
{
	supWorkState head = *state;
	head.key = work->key;
	head.check = supHashBytes( SUP_HASH_SEED, bytes, (size_t)state->stateSize );
	supOutput* output = supBeginOutput( work->statePath, error );
	if ( output == NULL )
	{
		return false;
	}
	supOutput_Write( output, &head, sizeof( head ) );
	supOutput_Write( output, bytes, (size_t)state->stateSize );
	return supEndOutput( output, true, error );
}
