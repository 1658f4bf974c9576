// SPDX-License-Identifier: MIT
// What the player of scene files says where the command line would print it: the first error is that of the call.
#include "exports.h"

#include "args.h"
#include "isolate.h"
#include "report.h"

#include <stdarg.h>

static void Keep( const char* where, const char* format, va_list arguments )
{
	if ( g_webError.code == sup_errorNone )
	{
		supSetErrorV( &g_webError, sup_errorArgument, where != NULL ? where : "", format, arguments );
	}
}

void Report( const char* where, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	Keep( where, format, arguments );
	va_end( arguments );
}

int ReportError( const char* path, const supError* error )
{
	(void)path;
	g_webError = *error;
	return exit_data;
}

int ReportMemory( void )
{
	supSetMemoryError( &g_webError );
	return exit_memory;
}

int ReportUsage( const Command* command, const char* format, ... )
{
	(void)command;
	va_list arguments;
	va_start( arguments, format );
	Keep( "method", format, arguments );
	va_end( arguments );
	return exit_usage;
}

void Note( const char* format, ... )
{
	(void)format;
}

const CommonSettings* GetCommonSettings( void )
{
	static const CommonSettings common = { .quiet = true };
	return &common;
}

// A page opens glTF and what is built in.
supCharacter* IsolatedLoadCharacter( const char* path, const ImportLimits* limits, supError* error )
{
	(void)limits;
	supSetError( error, sup_errorUnsupported, path,
				 "scenes in the page take glTF and built-in characters; convert it first: supple convert" );
	return NULL;
}
