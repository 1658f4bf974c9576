// SPDX-License-Identifier: MIT
#include "report.h"

#include "args.h"
#include "terminal.h"
#include "text.h"

#include <string.h>

static bool s_quiet;
static bool s_muted;
static const char* s_place;

void SetQuiet( bool quiet )
{
	s_quiet = quiet;
}

bool IsQuiet( void )
{
	return s_quiet;
}

void SetMuted( bool muted )
{
	s_muted = muted;
}

void SetReportPlace( const char* place )
{
	s_place = place;
}

bool HasReportPlace( void )
{
	return s_place != NULL;
}

// One line: what comes from a file or the command line cannot break it or colour it.
static void PrintLine( Style style, const char* label, const char* where, const char* message )
{
	char clean[2048];
	if ( s_muted )
	{
		return;
	}
	HideProgress();
	fprintf( stderr, "%ssupple:%s ", BeginStyle( stderr, style ), EndStyle( stderr ) );
	if ( label != NULL )
	{
		fprintf( stderr, "%s: ", label );
	}
	if ( label == NULL && s_place != NULL )
	{
		fprintf( stderr, "%s: ", CleanText( s_place, 0, clean, sizeof( clean ) ) );
	}
	if ( where != NULL && where[0] != 0 )
	{
		fprintf( stderr, "%s: ", CleanText( where, 0, clean, sizeof( clean ) ) );
	}
	// the library's messages may list things on lines of their own
	while ( message != NULL && *message != 0 )
	{
		char line[2048];
		size_t length = strcspn( message, "\n" );
		snprintf( line, sizeof( line ), "%.*s", (int)length, message );
		fprintf( stderr, "%s\n", CleanText( line, 0, clean, sizeof( clean ) ) );
		message += length + ( message[length] == '\n' ? 1 : 0 );
	}
}

void ReportV( const char* where, const char* format, va_list arguments )
{
	char message[2048];
	vsnprintf( message, sizeof( message ), format, arguments );
	PrintLine( style_error, NULL, where, message );
}

void Report( const char* where, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	ReportV( where, format, arguments );
	va_end( arguments );
}

int ReportMemory( void )
{
	Report( NULL, "out of memory; close other programs or use a machine with more memory" );
	return exit_memory;
}

void Note( const char* format, ... )
{
	if ( s_quiet )
	{
		return;
	}
	char message[2048];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( message, sizeof( message ), format, arguments );
	va_end( arguments );
	PrintLine( style_note, "note", NULL, message );
}

static void LogWarning( supLogLevel level, const char* message, void* context )
{
	(void)context;
	if ( level >= sup_logWarning )
	{
		Note( "%s", message );
	}
}

void InitReport( void )
{
	supSetLog( LogWarning, NULL );
}

// ---------------------------------------------------------------------------------------------------------------------
// The library's errors

// The library knows a file by its name without the folder: put the folder back, since the user may work on many files.
static void JoinWhere( const char* path, const char* where, char* buffer, size_t capacity )
{
	const char* slash = path != NULL ? strrchr( path, '/' ) : NULL;
	const char* name = slash != NULL ? slash + 1 : path;
	size_t length = name != NULL ? strlen( name ) : 0;
	if ( path == NULL || strncmp( where, path, strlen( path ) ) == 0 )
	{
		snprintf( buffer, capacity, "%s", where );
	}
	else if ( where[0] != 0 && strncmp( where, path, strlen( where ) ) == 0 )
	{
		// there is not always room for a long path in an error
		snprintf( buffer, capacity, "%s", path );
	}
	else if ( length > 0 && strncmp( where, name, length ) == 0 && ( where[length] == 0 || where[length] == ':' ) )
	{
		snprintf( buffer, capacity, "%s%s", path, where + length );
	}
	else
	{
		snprintf( buffer, capacity, "%s%s%s", path, where[0] != 0 ? ": " : "", where );
	}
}

static const char* FindRemedy( const supError* error )
{
	switch ( error->code )
	{
		case sup_errorNotFound:
			return strstr( error->message, "cannot open" ) != NULL
					   ? "check the path; built-in characters are builtin:NAME ('supple models' lists them)"
					   : NULL;
		case sup_errorFormat:
			return strstr( error->message, "this JSON is not glTF" ) != NULL
					   ? "scene files are for 'supple bake' and 'supple render'"
					   : NULL;
		case sup_errorWrite:
			return "an existing file is unchanged; check the folder, its permissions and free space";
		case sup_errorMemory:
			return "close other programs or use a machine with more memory";
		default:
			return NULL;
	}
}

int ReportError( const char* path, const supError* error )
{
	char where[1024];
	JoinWhere( path, error->where, where, sizeof( where ) );
	Report( where, "%s", error->message[0] != 0 ? error->message : supErrorText( error->code ) );
	const char* remedy = FindRemedy( error );
	if ( remedy != NULL && s_muted == false )
	{
		fprintf( stderr, "  (%s)\n", remedy );
	}
	return error->code == sup_errorMemory ? exit_memory : error->code == sup_errorWrite ? exit_output : exit_data;
}
