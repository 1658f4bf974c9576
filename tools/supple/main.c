// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "commands.h"
#include "core/core.h"
#include "isolate.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const Command* FindCommand( const char* name )
{
	for ( int32_t i = 0; i < g_commandCount; ++i )
	{
		if ( strcmp( g_commands[i]->name, name ) == 0 )
		{
			return g_commands[i];
		}
	}
	return NULL;
}

static const char* CommandNameAt( int32_t index, const void* context )
{
	(void)context;
	return g_commands[index]->name;
}

static int ReportUnknownCommand( const char* name )
{
	if ( name[0] == '-' )
	{
		return ReportUsage( NULL, "missing command; put options such as %s after it: supple info FILE --json", name );
	}
	int32_t nearest = FindNearestName( name, g_commandCount, CommandNameAt, NULL );
	if ( nearest >= 0 )
	{
		return ReportUsage( NULL, "unknown command '%s'; did you mean %s?", name, g_commands[nearest]->name );
	}
	return ReportUsage( NULL, "unknown command '%s'", name );
}

static void PrintHelp( FILE* stream )
{
	fprintf( stream, "Supple makes animated, rigged characters soft.\n\n"
					 "usage: supple COMMAND [OPTIONS]\n\nCommands:\n" );
	for ( int32_t i = 0; i < g_commandCount; ++i )
	{
		fprintf( stream, "  %-10s %s\n", g_commands[i]->name, g_commands[i]->summary );
	}
	fprintf( stream, "  %-10s %s\n", "help", "show help for a command: supple help pose (--man: manual page)" );
	fprintf( stream,
			 "\nOptions:\n"
			 "  --help     print this help\n"
			 "  --version  print the version\n\n"
			 "builtin:NAME selects a built-in character wherever one is read.\n"
			 "Exit status: 0 done, 1 bad input, 2 wrong usage, 3 output not written, 4 out of memory, 5 stopped.\n" );
}

static int PrintVersion( void )
{
	supVersion version = supGetVersion();
	printf( "supple %d.%d.%d\n", version.major, version.minor, version.patch );
	return exit_ok;
}

static int RunHelp( int argc, char** argv )
{
	bool isManual = argc > 0 && strcmp( argv[0], "--man" ) == 0;
	argc -= isManual ? 1 : 0;
	argv += isManual ? 1 : 0;
	if ( argc == 0 )
	{
		isManual ? PrintManualPage( NULL ) : PrintHelp( stdout );
		return exit_ok;
	}
	const Command* command = FindCommand( argv[0] );
	if ( command == NULL )
	{
		return ReportUnknownCommand( argv[0] );
	}
	isManual ? PrintManualPage( command ) : PrintCommandHelp( command );
	return exit_ok;
}

static int RunCommand( int argc, char** argv )
{
	if ( argc < 2 )
	{
		PrintHelp( stderr );
		return exit_usage;
	}
	const char* name = argv[1];
	if ( strcmp( name, "--help" ) == 0 || strcmp( name, "-h" ) == 0 || strcmp( name, "help" ) == 0 )
	{
		return RunHelp( argc - 2, argv + 2 );
	}
	if ( strcmp( name, "--version" ) == 0 )
	{
		return PrintVersion();
	}
	if ( strcmp( name, "__complete" ) == 0 )
	{
		return CompleteWords( argc - 2, argv + 2 );
	}
	const Command* command = FindCommand( name );
	if ( command == NULL )
	{
		return ReportUnknownCommand( name );
	}
	return command->run( command, argc - 2, argv + 2 );
}

// A reader that went away (supple info x | head -1) has what it wanted.
static bool HasReaderLeft( void )
{
	struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };
	return poll( &output, 1, 0 ) == 1 && ( output.revents & POLLERR ) != 0;
}

// What was printed must have arrived.
static int FinishOutput( int status )
{
	errno = 0;
	bool failed = fflush( stdout ) != 0 || ferror( stdout ) != 0;
	if ( failed == false || status != exit_ok || errno == EPIPE || HasReaderLeft() )
	{
		return status;
	}
	Report( "standard output", "writing failed: %s", errno != 0 ? strerror( errno ) : "the device is full or missing" );
	return exit_output;
}

// A program started with stdin, stdout or stderr closed would give their numbers to the next file it opens, and print
// into that.
static void OpenStandardStreams( void )
{
	int descriptor;
	do
	{
		descriptor = open( "/dev/null", O_RDWR );
	} while ( descriptor >= 0 && descriptor <= STDERR_FILENO );
	if ( descriptor > STDERR_FILENO )
	{
		close( descriptor );
	}
}

int main( int argc, char** argv )
{
	// readers of untrusted formats run in a child process of the same program
	if ( argc > 1 && strcmp( argv[1], "__import" ) == 0 )
	{
		return RunImportChild( argc, argv );
	}
	OpenStandardStreams();
	signal( SIGPIPE, SIG_IGN );
	signal( SIGXFSZ, SIG_IGN );
	InitReport();
	return FinishOutput( RunCommand( argc, argv ) );
}
