// SPDX-License-Identifier: MIT
// A file in memory with a path, for readers that want one.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// The file's descriptor; close it when done. -1 where the system has no such files.
static int MakeMemoryFile( const uint8_t* data, size_t size, char path[64] )
{
	int file = memfd_create( "fuzz", 0 );
	if ( file >= 0 && write( file, data, size ) != (ssize_t)size )
	{
		close( file );
		return -1;
	}
	snprintf( path, 64, "/proc/self/fd/%d", file );
	return file;
}
