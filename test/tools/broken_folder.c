// SPDX-License-Identifier: MIT
// A file system that cannot do what others can, for cli_batch.sh: preloaded, it refuses to rename over a file
// (BROKEN=rename) or ignores O_EXCL (BROKEN=exclusive).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int IsBroken( const char* kind )
{
	const char* broken = getenv( "BROKEN" );
	return broken != NULL && strcmp( broken, kind ) == 0;
}

int rename( const char* from, const char* to )
{
	if ( IsBroken( "rename" ) && access( to, F_OK ) == 0 )
	{
		errno = EEXIST;
		return -1;
	}
	return renameat( AT_FDCWD, from, AT_FDCWD, to );
}

int open( const char* path, int flags, ... )
{
	va_list arguments;
	va_start( arguments, flags );
	mode_t mode = ( flags & O_CREAT ) != 0 ? va_arg( arguments, mode_t ) : 0;
	va_end( arguments );
	flags = IsBroken( "exclusive" ) ? flags & ~O_EXCL : flags;
	return openat( AT_FDCWD, path, flags, mode );
}
