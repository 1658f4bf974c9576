// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "io/common/process.h"

#include "core/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------------------
// Temporary folders

char* supJoinPath( const char* folder, const char* name, supError* error )
{
	size_t size = strlen( folder ) + strlen( name ) + 2;
	char* path = supAllocSmall( size );
	if ( path == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	snprintf( path, size, "%s/%s", folder, name );
	return path;
}

char* supMakeTemporaryFolder( supError* error )
{
	const char* root = getenv( "TMPDIR" );
	char* folder = supJoinPath( root != NULL && root[0] != 0 ? root : "/tmp", "supple-XXXXXX", error );
	if ( folder != NULL && mkdtemp( folder ) == NULL )
	{
		supSetError( error, sup_errorWrite, folder, "cannot create a temporary folder: %s", strerror( errno ) );
		supFree( folder );
		return NULL;
	}
	return folder;
}

void supRemoveTemporaryFolder( char* folder )
{
	if ( folder == NULL )
	{
		return;
	}
	DIR* files = opendir( folder );
	for ( struct dirent* file; files != NULL && ( file = readdir( files ) ) != NULL; )
	{
		// "." and ".." are folders and stay
		unlinkat( dirfd( files ), file->d_name, 0 );
	}
	if ( files != NULL )
	{
		closedir( files );
	}
	rmdir( folder );
	supFree( folder );
}

// ---------------------------------------------------------------------------------------------------------------------
// The program

typedef struct Child
{
	pid_t id;
	int log;     // where it prints to
	int nothing; // what it reads
	int report;  // where it says why it could not begin
} Child;

static void Limit( int resource, rlim_t most )
{
	struct rlimit limit = { most, most };
	setrlimit( resource, &limit );
}

// In the child, where only calls are allowed that a signal handler may make.
static _Noreturn void Become( const supRunDef* def, const Child* child, char* const* arguments )
{
	// a group of its own, so that whatever it starts ends with it
	setpgid( 0, 0 );
	Limit( RLIMIT_CPU, (rlim_t)def->seconds + 1 );
	Limit( RLIMIT_CORE, 0 );
	Limit( RLIMIT_FSIZE, (rlim_t)def->memory );
#if defined( RLIMIT_AS )
	Limit( RLIMIT_AS, (rlim_t)def->memory );
#endif
	signal( SIGPIPE, SIG_DFL );
	signal( SIGINT, SIG_DFL );
	if ( dup2( child->nothing, 0 ) >= 0 && dup2( child->log, 1 ) >= 0 && dup2( child->log, 2 ) >= 0 &&
		 chdir( def->folder ) == 0 )
	{
		execvp( arguments[0], arguments );
	}
	int reason = errno;
	(void)!write( child->report, &reason, sizeof( reason ) );
	_exit( 127 );
}

static bool Start( const supRunDef* def, Child* child, supError* error )
{
	// exec leaves argv alone, whatever its type says
	char* arguments[32];
	int count = 0;
	while ( def->arguments[count] != NULL )
	{
		++count;
	}
	SUP_ASSERT( count > 0 && count < SUP_COUNT( arguments ) );
	memcpy( arguments, def->arguments, (size_t)( count + 1 ) * sizeof( char* ) );
	int ends[2] = { -1, -1 };
	if ( pipe( ends ) != 0 )
	{
		return supSetError( error, sup_errorRead, arguments[0], "cannot start it: %s", strerror( errno ) );
	}
	fcntl( ends[0], F_SETFD, FD_CLOEXEC );
	fcntl( ends[1], F_SETFD, FD_CLOEXEC );
	child->report = ends[1];
	child->id = fork();
	if ( child->id == 0 )
	{
		Become( def, child, arguments );
	}
	int reason = errno;
	close( ends[1] );
	// closed without a word when the program begins
	if ( child->id > 0 && read( ends[0], &reason, sizeof( reason ) ) != (ssize_t)sizeof( reason ) )
	{
		close( ends[0] );
		return true;
	}
	close( ends[0] );
	if ( child->id > 0 )
	{
		waitpid( child->id, NULL, 0 );
	}
	return supSetError( error, reason == ENOENT ? sup_errorNotFound : sup_errorRead, arguments[0],
						"cannot start the program (%s); is it installed?", strerror( reason ) );
}

// False where it took too long and was ended.
static bool Wait( pid_t id, double seconds, int* status )
{
	double deadline = supGetMilliseconds() + 1000.0 * seconds;
	for ( ;; )
	{
		pid_t ended = waitpid( id, status, WNOHANG );
		if ( ended == id || ( ended < 0 && errno != EINTR ) )
		{
			return true;
		}
		if ( supGetMilliseconds() > deadline )
		{
			kill( -id, SIGKILL );
			waitpid( id, status, 0 );
			return false;
		}
		nanosleep( &( struct timespec ){ .tv_nsec = 5000000 }, NULL );
	}
}

void supReadLastWords( const char* folder, char words[200] )
{
	words[0] = 0;
	char* path = supJoinPath( folder, "log", NULL );
	FILE* file = path != NULL ? fopen( path, "rb" ) : NULL;
	char line[200];
	while ( file != NULL && fgets( line, sizeof( line ), file ) != NULL )
	{
		bool blank = true;
		for ( char* c = line; *c != 0; ++c )
		{
			*c = (unsigned char)*c < ' ' || *c == 127 ? ' ' : *c;
			blank = blank && *c == ' ';
		}
		if ( blank == false )
		{
			memcpy( words, line, sizeof( line ) );
		}
	}
	for ( size_t length = strlen( words ); length > 0 && words[length - 1] == ' '; --length )
	{
		words[length - 1] = 0;
	}
	if ( file != NULL )
	{
		fclose( file );
	}
	supFree( path );
}

static bool ReportEnd( const supRunDef* def, bool inTime, int status, supError* error )
{
	const char* name = def->arguments[0];
	char words[200];
	char reason[64];
	if ( inTime && WIFEXITED( status ) && WEXITSTATUS( status ) == 0 )
	{
		return true;
	}
	if ( inTime == false )
	{
		snprintf( reason, sizeof( reason ), "exceeded %g seconds and was stopped", def->seconds );
	}
	else if ( WIFSIGNALED( status ) )
	{
		snprintf( reason, sizeof( reason ), "was killed by signal %d", WTERMSIG( status ) );
	}
	else
	{
		snprintf( reason, sizeof( reason ), "failed with status %d", WEXITSTATUS( status ) );
	}
	supReadLastWords( def->folder, words );
	return supSetError( error, sup_errorFormat, name, "the program %s%s%s%s", reason,
						words[0] != 0 ? "; its last output: '" : "", words, words[0] != 0 ? "'" : "" );
}

bool supRunProgram( const supRunDef* def, supError* error )
{
	char* path = supJoinPath( def->folder, "log", error );
	if ( path == NULL )
	{
		return false;
	}
	Child child = { .log = open( path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600 ),
					.nothing = open( "/dev/null", O_RDONLY | O_CLOEXEC ) };
	supFree( path );
	bool ok = ( child.log >= 0 && child.nothing >= 0 ) ||
			  supSetError( error, sup_errorWrite, def->folder, "cannot write here: %s", strerror( errno ) );
	ok = ok && Start( def, &child, error );
	if ( child.log >= 0 )
	{
		close( child.log );
	}
	if ( child.nothing >= 0 )
	{
		close( child.nothing );
	}
	int status = 0;
	bool inTime = ok && Wait( child.id, def->seconds, &status );
	return ok && ReportEnd( def, inTime, status, error );
}
