// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "bake/work_file.h"

#include "core/hash.h"
#include "io/common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "SUPBAKE3"
#define STATE_MAGIC "SUPSTAT1"
// what every version of them begins with
#define MAGIC_STEM 7

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

// ---------------------------------------------------------------------------------------------------------------------
// Whose file it is

// True where nothing is there, or a plain file that begins as ours do. Links are nobody's.
static bool IsOurs( const char* path, const char* magic, supError* error )
{
	struct stat info;
	if ( lstat( path, &info ) != 0 )
	{
		return true;
	}
	char start[MAGIC_STEM] = { 0 };
	int file = S_ISREG( info.st_mode ) ? open( path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC ) : -1;
	bool ours = file >= 0 && ( info.st_size == 0 || ( read( file, start, MAGIC_STEM ) == MAGIC_STEM &&
													  memcmp( start, magic, MAGIC_STEM ) == 0 ) );
	if ( file >= 0 )
	{
		close( file );
	}
	return ours || supSetError( error, sup_errorWrite, path,
								"%s is in the way of the bake's temporary file; move it, or use another output",
								S_ISREG( info.st_mode ) ? "another file" : "a link or folder" );
}

// False with an error where another bake writes it.
static bool Lock( const supWorkFile* work, supError* error )
{
	if ( supLockFile( work->file ) )
	{
		return true;
	}
	supWorkHeader header = { .process = 0 };
	bool known = ReadAt( work, &header, sizeof( header ), 0, NULL ) && memcmp( header.magic, MAGIC, 8 ) == 0;
	return supSetError( error, sup_errorWrite, work->path,
						"another bake (process %lld) is writing here; wait for it, or use another output",
						known ? (long long)header.process : -1LL );
}

// A file that its last owner removed between our opening and our locking it is nobody's any more.
static bool IsStillThere( const supWorkFile* work )
{
	struct stat here, there;
	return fstat( work->file, &here ) == 0 && lstat( work->path, &there ) == 0 && here.st_ino == there.st_ino &&
		   here.st_dev == there.st_dev;
}

static bool OpenOurs( supWorkFile* work, bool create, supError* error )
{
	for ( ;; )
	{
		if ( IsOurs( work->path, MAGIC, error ) == false || IsOurs( work->statePath, STATE_MAGIC, error ) == false )
		{
			return false;
		}
		work->file = open( work->path, O_RDWR | ( create ? O_CREAT : 0 ) | O_NOFOLLOW | O_CLOEXEC, 0666 );
		if ( work->file < 0 )
		{
			return create == false ||
				   supSetError( error, sup_errorWrite, work->path, "cannot write here: %s", strerror( errno ) );
		}
		if ( Lock( work, error ) == false )
		{
			return false;
		}
		if ( IsStillThere( work ) )
		{
			return true;
		}
		close( work->file );
		work->file = -1;
	}
}

supWorkFile* supCreateWorkFile( const char* path, uint64_t key, int64_t vertexCount, int32_t wantedFrameCount,
								supError* error )
{
	supWorkFile* work = AllocateWork( path, key, vertexCount, error );
	if ( work == NULL )
	{
		return NULL;
	}
	supWorkHeader header = { .magic = MAGIC, .key = key, .vertexCount = vertexCount };
	header.wantedFrameCount = wantedFrameCount;
	header.process = (int64_t)getpid();
	if ( OpenOurs( work, true, error ) == false )
	{
		FreeWork( work );
		return NULL;
	}
	// an older state would belong to other frames
	remove( work->statePath );
	bool empty = ftruncate( work->file, 0 ) == 0 ||
				 supSetError( error, sup_errorWrite, path, "cannot write here: %s", strerror( errno ) );
	if ( empty == false || WriteAt( work, &header, sizeof( header ), 0, error ) == false )
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
		ok = memcmp( state->magic, STATE_MAGIC, 8 ) == 0 && state->key == work->key && state->stateSize == stateSize &&
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
	supWorkHeader header;
	if ( OpenOurs( work, false, error ) == false || work->file < 0 ||
		 ReadAt( work, &header, sizeof( header ), 0, NULL ) == false )
	{
		FreeWork( work );
		return NULL;
	}
	bool same = memcmp( header.magic, MAGIC, 8 ) == 0 && header.key == key && header.vertexCount == vertexCount &&
				header.wantedFrameCount == wantedFrameCount;
	if ( same == false )
	{
		supSetError( error, sup_errorArgument, path,
					 "these frames are of another character, clip or setting and cannot be resumed; use the same "
					 "options as before, or bake without --resume" );
		FreeWork( work );
		return NULL;
	}
	header.process = (int64_t)getpid();
	off_t end = lseek( work->file, 0, SEEK_END );
	if ( ReadState( work, state, bytes, stateSize ) == false || state->frameCount < 0 ||
		 state->frameCount > wantedFrameCount || (int64_t)end < RecordStart( work, state->frameCount ) )
	{
		FreeWork( work );
		return NULL;
	}
	if ( WriteAt( work, &header, sizeof( header ), 0, error ) == false )
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

// The first vector that is no number, -1 without.
static int64_t FindNotFinite( const supVec3* data, int64_t count )
{
	for ( int64_t i = 0; i < count; ++i )
	{
		if ( supIsFiniteVec3( data[i] ) == false )
		{
			return i;
		}
	}
	return -1;
}

bool supWorkFile_WriteFrame( supWorkFile* work, int32_t frame, const supBakeFrame* info, const supVec3* data,
							 supError* error )
{
	int64_t start = RecordStart( work, frame );
	int64_t wrong = FindNotFinite( data, 2 * work->vertexCount );
	if ( wrong >= 0 )
	{
		return supSetError( error, sup_errorFormat, work->path,
							"frame %d: the %s of vertex %lld is not finite; use more substeps or softer settings",
							frame, wrong < work->vertexCount ? "position" : "normal",
							(long long)( wrong % work->vertexCount ) );
	}
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
	if ( ReadAt( work, data, (size_t)count * sizeof( supVec3 ), start, error ) == false )
	{
		return false;
	}
	int64_t wrong = FindNotFinite( data, count );
	return wrong < 0 || supSetError( error, sup_errorFormat, work->path,
									 "frame %d: value %lld is not finite: the file is damaged; bake again", frame,
									 (long long)( first + wrong ) );
}

bool supWorkFile_WriteState( supWorkFile* work, const supWorkState* state, const void* bytes, supError* error )
{
	supWorkState head = *state;
	memcpy( head.magic, STATE_MAGIC, sizeof( head.magic ) );
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
