// SPDX-License-Identifier: MIT
// A stream on disk while it is recorded, datagram by datagram: a program that is killed loses nothing but what it was
// just writing. The file is one of vmc_file.c that says of itself that it has no end yet.
#define _POSIX_C_SOURCE 200809L
#include "io/common/file.h"
#include "io/motion/osc.h"
#include "io/motion/vmc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

bool supVmcRecorder_Open( supVmcRecorder* recorder, const char* path, supError* error )
{
	size_t length = strlen( path ) + sizeof( SUP_VMC_PART );
	*recorder = ( supVmcRecorder ){ .file = -1, .path = supAllocSmall( length ) };
	if ( recorder->path == NULL )
	{
		return supSetMemoryError( error );
	}
	snprintf( recorder->path, length, "%s" SUP_VMC_PART, path );
	recorder->file = open( recorder->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666 );
	struct stat info;
	uint8_t head[SUP_VMC_HEAD_BYTES];
	supVmcLog_MakeHead( head, SUP_VMC_UNFINISHED, 0, 0 );
	bool ok = true;
	if ( recorder->file < 0 || fstat( recorder->file, &info ) != 0 || S_ISREG( info.st_mode ) == false )
	{
		ok = supSetError( error, sup_errorWrite, recorder->path, "cannot record here: %s",
						  recorder->file < 0 ? strerror( errno ) : "this is not a plain file" );
	}
	else if ( supLockFile( recorder->file ) == false )
	{
		ok =
			supSetError( error, sup_errorWrite, recorder->path, "another program is recording here; use another name" );
	}
	else if ( info.st_size > 0 )
	{
		ok = supSetError( error, sup_errorWrite, recorder->path,
						  "an interrupted recording exists here; --replay plays it. Rename or remove it, or use "
						  "another name" );
	}
	else if ( write( recorder->file, head, sizeof( head ) ) != (ssize_t)sizeof( head ) )
	{
		ok = supSetError( error, sup_errorWrite, recorder->path, "cannot record here: %s", strerror( errno ) );
		remove( recorder->path );
	}
	if ( ok == false )
	{
		supVmcRecorder_Close( recorder, true );
	}
	return ok;
}

bool supVmcRecorder_Add( supVmcRecorder* recorder, const supVmcPacket* packet )
{
	uint8_t head[SUP_VMC_RECORD_BYTES];
	supVmcLog_MakeRecordHead( head, packet->arrival, packet->byteCount );
	// writev does not change what it writes
	struct iovec parts[2] = { { head, sizeof( head ) }, { (void*)(uintptr_t)packet->bytes, packet->byteCount } };
	return recorder->file >= 0 && writev( recorder->file, parts, 2 ) == (ssize_t)( sizeof( head ) + packet->byteCount );
}

void supVmcRecorder_Close( supVmcRecorder* recorder, bool keep )
{
	if ( recorder->file >= 0 )
	{
		if ( keep == false )
		{
			remove( recorder->path );
		}
		close( recorder->file );
	}
	supFree( recorder->path );
	*recorder = ( supVmcRecorder ){ .file = -1 };
}
