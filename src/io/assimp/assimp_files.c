// SPDX-License-Identifier: MIT
#include "io/assimp/assimp_files.h"

#include "core/clock.h"
#include "io/common/file.h"

#include <stdio.h>
#include <string.h>

typedef struct OpenFile
{
	struct aiFile calls;
	FILE* stream;
	long size;
	supImportFiles* files;
} OpenFile;

static OpenFile* GetFile( struct aiFile* file )
{
	return (OpenFile*)file->UserData;
}

static bool IsLate( supImportFiles* files )
{
	files->late = files->late || ( files->endMilliseconds > 0.0 && supGetMilliseconds() > files->endMilliseconds );
	return files->late;
}

static size_t Read( struct aiFile* file, char* bytes, size_t size, size_t count )
{
	OpenFile* open = GetFile( file );
	return IsLate( open->files ) ? 0 : fread( bytes, size, count, open->stream );
}

static size_t Write( struct aiFile* file, const char* bytes, size_t size, size_t count )
{
	(void)file;
	(void)bytes;
	(void)size;
	(void)count;
	return 0;
}

static size_t Tell( struct aiFile* file )
{
	long at = ftell( GetFile( file )->stream );
	return at >= 0 ? (size_t)at : 0;
}

static size_t GetSize( struct aiFile* file )
{
	return (size_t)GetFile( file )->size;
}

static enum aiReturn Seek( struct aiFile* file, size_t offset, enum aiOrigin origin )
{
	OpenFile* open = GetFile( file );
	int whence = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
	return fseek( open->stream, (long)offset, whence ) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static void Flush( struct aiFile* file )
{
	(void)file;
}

static struct aiFile* Open( struct aiFileIO* io, const char* path, const char* mode )
{
	supImportFiles* files = (supImportFiles*)io->UserData;
	bool reads = mode[0] == 'r' && strchr( mode, '+' ) == NULL;
	if ( reads == false || IsLate( files ) ||
		 ( files->def->allowOutside == false && supIsBelowFolder( files->path, path ) == false ) )
	{
		return NULL;
	}
	OpenFile* open = supAllocZeroed( sizeof( OpenFile ) );
	files->outOfMemory = files->outOfMemory || open == NULL;
	FILE* stream = open != NULL ? supOpenFile( path, &open->size ) : NULL;
	if ( stream == NULL )
	{
		supFree( open );
		return NULL;
	}
	open->stream = stream;
	open->files = files;
	open->calls = ( struct aiFile ){ .ReadProc = Read,
									 .WriteProc = Write,
									 .TellProc = Tell,
									 .FileSizeProc = GetSize,
									 .SeekProc = Seek,
									 .FlushProc = Flush,
									 .UserData = (aiUserData)open };
	return &open->calls;
}

static void Close( struct aiFileIO* io, struct aiFile* file )
{
	(void)io;
	if ( file != NULL )
	{
		fclose( GetFile( file )->stream );
		supFree( GetFile( file ) );
	}
}

void supImportFiles_Init( supImportFiles* files, const char* path, const supLoadDef* def )
{
	*files = ( supImportFiles ){ .path = path, .def = def };
	files->endMilliseconds = def->maxSeconds > 0.0f ? supGetMilliseconds() + 1e3 * (double)def->maxSeconds : 0.0;
	files->io = ( struct aiFileIO ){ .OpenProc = Open, .CloseProc = Close, .UserData = (aiUserData)files };
}
