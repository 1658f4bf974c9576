// SPDX-License-Identifier: MIT
// Manual pages, written from the tables that parsing and --help use.
#include "commands.h"
#include "supple/base.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

// man takes a backslash, a full stop or an apostrophe at the start of a line, and a plain hyphen, for something else.
static void PrintRoff( const char* text, size_t length )
{
	for ( size_t i = 0; i < length; ++i )
	{
		bool isLineStart = i == 0 || text[i - 1] == '\n';
		if ( isLineStart && ( text[i] == '.' || text[i] == '\'' ) )
		{
			printf( "\\&" );
		}
		text[i] == '\\' ? printf( "\\e" ) : text[i] == '-' ? printf( "\\-" ) : printf( "%c", text[i] );
	}
}

static void PrintParagraph( const char* text )
{
	PrintRoff( text, strlen( text ) );
	printf( "\n" );
}

static void PrintTitle( const char* name, const char* summary )
{
	supVersion version = supGetVersion();
	printf( ".TH %s%s 1 \"\" \"Supple %d.%d.%d\" \"Supple Manual\"\n.SH NAME\nsupple%s%s \\- ",
			name[0] != 0 ? "SUPPLE\\-" : "SUPPLE", name, version.major, version.minor, version.patch,
			name[0] != 0 ? "\\-" : "", name );
	PrintParagraph( summary );
}

static void PrintOption( const ArgOption* option )
{
	printf( ".TP\n" );
	if ( option->letter != 0 )
	{
		printf( "\\fB\\-%c\\fR, ", option->letter );
	}
	printf( "\\fB\\-\\-" );
	PrintRoff( option->name, strlen( option->name ) );
	printf( "\\fR" );
	if ( option->value != NULL )
	{
		printf( " \\fI" );
		PrintRoff( option->value, strlen( option->value ) );
		printf( "\\fR" );
	}
	printf( "\n" );
	PrintParagraph( option->help );
}

static void PrintExitStatus( void )
{
	static const char* const s_meanings[] = {
		"Done.",
		"An input is missing, damaged or unsupported, or lacks what was asked for.",
		"The command line is wrong.",
		"An output could not be written.",
		"Out of memory.",
		"Stopped by the user."
	};
	printf( ".SH EXIT STATUS\n" );
	for ( int32_t i = 0; i < (int32_t)( sizeof( s_meanings ) / sizeof( s_meanings[0] ) ); ++i )
	{
		printf( ".TP\n.B %d\n%s\n", i, s_meanings[i] );
	}
}

static void PrintCommandPage( const Command* command )
{
	PrintTitle( command->name, command->summary );
	printf( ".SH SYNOPSIS\n\\fBsupple %s\\fR ", command->name );
	PrintParagraph( command->usage );
	printf( ".SH DESCRIPTION\n" );
	PrintParagraph( command->about );
	printf( ".SH OPTIONS\n" );
	for ( int32_t i = 0; i < CountCommandOptions( command ); ++i )
	{
		PrintOption( CommandOptionAt( command, i ) );
	}
	printf( ".SH EXAMPLES\n.EX\n" );
	PrintParagraph( command->examples );
	printf( ".EE\n" );
	PrintExitStatus();
	printf( ".SH SEE ALSO\n.BR supple (1)\n" );
}

static void PrintMainPage( void )
{
	PrintTitle( "", "make animated characters soft" );
	printf( ".SH SYNOPSIS\n.B supple\n.I COMMAND\n.RI [ OPTIONS ]\n.SH DESCRIPTION\n" );
	PrintParagraph(
		"A rigged, animated character goes in; the same animation comes out with flesh that swings, keeps its volume "
		"and dents when it is touched. builtin:NAME selects a built-in character wherever one is read." );
	printf( ".SH COMMANDS\n" );
	for ( int32_t i = 0; i < g_commandCount; ++i )
	{
		printf( ".TP\n.BR supple\\-%s (1)\n", g_commands[i]->name );
		PrintParagraph( g_commands[i]->summary );
	}
	PrintExitStatus();
}

void PrintManualPage( const Command* command )
{
	command != NULL ? PrintCommandPage( command ) : PrintMainPage();
}
