// SPDX-License-Identifier: MIT
// A machine that cannot do what others can, for tests of supple batch: preloaded, its file system refuses to rename
// over a file (BROKEN=rename), ignores O_EXCL (BROKEN=exclusive) or has no locks (BROKEN=lock); its clock is
// CLOCK_SHIFT seconds fast.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
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

int flock( int file, int operation )
{
	if ( IsBroken( "lock" ) )
	{
		errno = ENOSYS;
		return -1;
	}
	return (int)syscall( SYS_flock, file, operation );
}

static long Shift( void )
{
	const char* shift = getenv( "CLOCK_SHIFT" );
	return shift != NULL ? strtol( shift, NULL, 10 ) : 0;
}

int clock_gettime( clockid_t clock, struct timespec* now )
{
	int result = (int)syscall( SYS_clock_gettime, clock, now );
	now->tv_sec += clock == CLOCK_REALTIME ? Shift() : 0;
	return result;
}

time_t time( time_t* result )
{
	struct timespec now;
	clock_gettime( CLOCK_REALTIME, &now );
	if ( result != NULL )
	{
		*result = now.tv_sec;
	}
	return now.tv_sec;
}
