// SPDX-License-Identifier: MIT
// supple studio: the web page, served from here to the browser of this machine.
#define _POSIX_C_SOURCE 200809L
#include "studio.h"
#include "commands.h"
#include "core/core.h"
#include "io/common/file.h"
#include "load.h"
#include "report.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;

typedef struct StudioOptions
{
	CommonSettings common;
	StudioSettings studio;
} StudioOptions;

static const ArgOption s_options[] = {
	{ "port", 0, arg_integer, offsetof( StudioOptions, studio.port ), "N",
	  "Port to listen on, on this machine only. Default: any free port.", 1, 65535, false },
	{ "method", 'm', arg_text, offsetof( StudioOptions, studio.method ), "M", "Initial method. Default: position.", 0,
	  0, false },
	STUDIO_OPTIONS( StudioOptions, studio ),
};

static atomic_int s_stop;

static void StopOnSignal( int number )
{
	(void)number;
	atomic_store( &s_stop, 1 );
}

// ---------------------------------------------------------------------------------------------------------------------
// The page

static bool HasPage( const char* folder )
{
	char path[4200];
	struct stat info;
	return snprintf( path, sizeof( path ), "%s/index.html", folder ) < (int)sizeof( path ) && stat( path, &info ) == 0;
}

// Built: build/supple and build/web/studio. Installed: bin/supple and share/supple/studio.
static bool FindBeside( char folder[4096] )
{
	char program[3072];
	ssize_t length = readlink( "/proc/self/exe", program, sizeof( program ) - 1 );
	if ( length <= 0 )
	{
		return false;
	}
	program[length] = 0;
	char* slash = strrchr( program, '/' );
	if ( slash == NULL )
	{
		return false;
	}
	*slash = 0;
	static const char* const places[] = { "web/studio", "../share/supple/studio" };
	for ( size_t i = 0; i < SUP_COUNT( places ); ++i )
	{
		snprintf( folder, 4096, "%s/%s", program, places[i] );
		if ( HasPage( folder ) )
		{
			return true;
		}
	}
	return false;
}

static int FindPage( StudioPage* job )
{
	const char* named = job->settings->page != NULL ? job->settings->page : getenv( "SUPPLE_STUDIO" );
	if ( named != NULL )
	{
		snprintf( job->folder, sizeof( job->folder ), "%s", named );
		if ( HasPage( named ) == false )
		{
			Report( named, "no index.html in this folder: 'make studio-page' builds the page into build/web/studio" );
			return exit_data;
		}
		return exit_ok;
	}
	if ( FindBeside( job->folder ) == false )
	{
		Report( "studio", "the page has not been built: run 'make studio' in the source folder, or set --page DIR or "
						  "SUPPLE_STUDIO" );
		return exit_data;
	}
	return exit_ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// The file to open: as it is where the page reads it, as GLB otherwise

static const char* BaseName( const char* path )
{
	const char* slash = strrchr( path, '/' );
	return slash != NULL ? slash + 1 : path;
}

static bool EndsWith( const char* text, const char* end )
{
	size_t a = strlen( text ), b = strlen( end );
	return a >= b && strcasecmp( text + a - b, end ) == 0;
}

static bool MakeToken( char token[33] )
{
	uint8_t bytes[16];
	if ( getrandom( bytes, sizeof( bytes ), 0 ) != (ssize_t)sizeof( bytes ) )
	{
		return false;
	}
	for ( int32_t i = 0; i < 16; ++i )
	{
		snprintf( token + 2 * i, 3, "%02x", bytes[i] );
	}
	return true;
}

static int OpenFile( StudioPage* job, const char* path )
{
	supError error = { 0 };
	if ( EndsWith( path, ".glb" ) || EndsWith( path, ".bvh" ) )
	{
		job->bytes = supReadFile( path, &job->byteCount, &error );
		snprintf( job->file, sizeof( job->file ), "open/%s/%.255s", job->token, BaseName( path ) );
		return job->bytes != NULL ? exit_ok : ReportError( path, &error );
	}
	Source source;
	int status = LoadSource( path, &source );
	status = status == exit_ok ? EnsureDocument( &source ) : status;
	if ( status == exit_ok )
	{
		job->bytes = supWriteDocument( source.document, &job->byteCount, &error );
		status = job->bytes != NULL ? exit_ok : ReportError( path, &error );
	}
	const char* name = BaseName( path );
	const char* dot = strrchr( name, '.' );
	int length = dot != NULL ? (int)( dot - name ) : (int)strlen( name );
	snprintf( job->file, sizeof( job->file ), "open/%s/%.*s.glb", job->token, length < 250 ? length : 250, name );
	FreeSource( &source );
	return status;
}

// Appends with percents what has a meaning of its own in an address.
static void AppendEncoded( char* text, size_t capacity, const char* part )
{
	size_t length = strlen( text );
	for ( const unsigned char* p = (const unsigned char*)part; *p != 0 && length + 4 < capacity; ++p )
	{
		bool plain = ( *p >= 'a' && *p <= 'z' ) || ( *p >= 'A' && *p <= 'Z' ) || ( *p >= '0' && *p <= '9' ) ||
					 strchr( "-_.~/", *p ) != NULL;
		length += (size_t)snprintf( text + length, capacity - length, plain ? "%c" : "%%%02X", *p );
	}
}

// What only the page is to know stands behind the "#", which no browser sends anywhere.
static void MakeAddress( const StudioPage* job, const Server* server, const char* file, char address[2048] )
{
	snprintf( address, 2048, "http://127.0.0.1:%d/", GetServerPort( server ) );
	const char* mark = "?";
	if ( file != NULL )
	{
		bool builtin = strncmp( file, "builtin:", 8 ) == 0;
		strcat( address, builtin ? "?model=" : "?file=" );
		AppendEncoded( address, 2048, builtin ? file + 8 : job->file );
		mark = "&";
	}
	if ( job->settings->method != NULL )
	{
		strcat( strcat( address, mark ), "method=" );
		AppendEncoded( address, 2048, job->settings->method );
	}
	strcat( strcat( address, "#home=" ), job->token );
	if ( job->extra != NULL && job->extra->streamName != NULL )
	{
		strcat( strcat( address, "&" ), job->extra->streamName );
	}
}

static void OpenBrowser( char* address )
{
	char* const arguments[] = { "xdg-open", address, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init( &actions );
	posix_spawn_file_actions_addopen( &actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0 );
	posix_spawn_file_actions_addopen( &actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0 );
	posix_spawn_file_actions_addopen( &actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0 );
	// nobody waits for it here, but it waits for its own; and Ctrl-C is not meant for it
	signal( SIGCHLD, SIG_IGN );
	sigset_t reset;
	sigemptyset( &reset );
	sigaddset( &reset, SIGCHLD );
	posix_spawnattr_t attributes;
	posix_spawnattr_init( &attributes );
	posix_spawnattr_setsigdefault( &attributes, &reset );
	posix_spawnattr_setpgroup( &attributes, 0 );
	posix_spawnattr_setflags( &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP );
	pid_t child;
	if ( posix_spawnp( &child, arguments[0], &actions, &attributes, arguments, environ ) != 0 )
	{
		Note( "cannot open a browser (xdg-open is missing): open the address above" );
	}
	posix_spawnattr_destroy( &attributes );
	posix_spawn_file_actions_destroy( &actions );
}

static void TakePost( void* context, const char* name, const uint8_t* bytes, size_t byteCount, ServerAnswer* answer )
{
	const StudioPage* job = context;
	if ( strcmp( name, "convert" ) == 0 )
	{
		ConvertPosted( bytes, byteCount, answer );
	}
	else if ( job->extra != NULL && job->extra->order( job->extra->context, name ) )
	{
		answer->status = "200 OK";
	}
}

static char* NextPiece( void* context, ServerReader* reader )
{
	const StudioPage* job = context;
	return job->extra->next( job->extra->context, reader );
}

int ServeStudioPage( StudioPage* job, const char* file, const StudioExtra* extra, bool quiet )
{
	job->extra = extra;
	supError error = { 0 };
	ServerHooks hooks = { .prefix = job->prefix,
						  .context = job,
						  .mostBytes = MOST_POSTED,
						  .post = TakePost,
						  .streamName = extra != NULL ? extra->streamName : NULL,
						  .next = NextPiece };
	ServerDef def = { .folder = job->folder,
					  .port = job->settings->port,
					  .extraName = job->bytes != NULL ? job->file : NULL,
					  .extraBytes = job->bytes,
					  .extraByteCount = job->byteCount,
					  .hooks = &hooks };
	Server* server = StartServer( &def, &error );
	if ( server == NULL )
	{
		return ReportError( NULL, &error );
	}
	// before the address is out: who reads it may end us at once
	signal( SIGINT, StopOnSignal );
	signal( SIGTERM, StopOnSignal );
	char address[2048];
	MakeAddress( job, server, file, address );
	printf( "%s\n", address );
	if ( quiet == false )
	{
		printf( "Press Ctrl-C to stop.\n" );
	}
	fflush( stdout );
	if ( job->settings->noOpen == false )
	{
		OpenBrowser( address );
	}
	RunServer( server, &s_stop );
	StopServer( server );
	return exit_ok;
}

int OpenStudioPage( const StudioSettings* settings, const char* file, StudioPage* job )
{
	*job = ( StudioPage ){ .settings = settings };
	int status = FindPage( job );
	if ( status == exit_ok && MakeToken( job->token ) == false )
	{
		Report( "studio", "the system provides no random numbers to protect the address of your files" );
		return exit_data;
	}
	snprintf( job->prefix, sizeof( job->prefix ), "home/%s/", job->token );
	if ( status == exit_ok && file != NULL && strncmp( file, "builtin:", 8 ) == 0 )
	{
		// for its error where there is none of this name
		Source source;
		status = LoadSource( file, &source );
		FreeSource( &source );
	}
	else if ( status == exit_ok && file != NULL )
	{
		status = OpenFile( job, file );
	}
	return status;
}

void CloseStudioPage( StudioPage* job )
{
	supFree( job->bytes );
	job->bytes = NULL;
}

static int RunStudio( const Command* command, int argc, char** argv )
{
	StudioOptions options = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &options, &arguments, &status ) == false )
	{
		return status;
	}
	StudioPage page = { 0 };
	const char* file = arguments.fileCount > 0 ? arguments.files[0] : NULL;
	supMethodId method;
	if ( options.studio.method != NULL && supFindMethod( options.studio.method, &method ) == false )
	{
		status = ReportUsage( command, "unknown method '%s'; 'supple methods' lists them", options.studio.method );
	}
	status = status == exit_ok ? OpenStudioPage( &options.studio, file, &page ) : status;
	status = status == exit_ok ? ServeStudioPage( &page, file, NULL, options.common.quiet ) : status;
	CloseStudioPage( &page );
	FreeArguments( &arguments );
	return status;
}

const Command g_studioCommand = {
	.name = "studio",
	.summary = "open the studio, the web page for softening characters",
	.usage = "[FILE] [--method M] [--port N] [--no-open] [--page DIR]",
	.about =
		"Serves the studio (docs/studio.md) to browsers on this machine only, with the headers it needs for threads, and opens FILE in it; formats the page cannot read are converted to GLB. Nothing is uploaded. The same page works on any static host.",
	.examples = "supple studio\nsupple studio hero.fbx\nsupple studio builtin:cow --method fem --no-open --port 8080",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 0,
	.mostFiles = 1,
	.run = RunStudio,
};
