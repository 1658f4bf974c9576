// SPDX-License-Identifier: MIT
#include "args.h"

#include "core/core.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ArgOption s_commonOptions[] = {
	{ "json", 0, arg_flag, offsetof( CommonSettings, json ), NULL, "Print the result as JSON.", 0, 0, false },
	{ "quiet", 'q', arg_flag, offsetof( CommonSettings, quiet ), NULL, "Print only errors and the result.", 0, 0,
	  false },
	{ "threads", 0, arg_integer, offsetof( CommonSettings, threads ), "N",
	  "Number of threads; 0 (default): one per core. Does not change the result.", 0, 1024, false },
	{ "allow-outside", 0, arg_flag, offsetof( CommonSettings, allowOutside ), NULL,
	  "Allow a document or scene to reference files outside its own folder.", 0, 0, false },
	{ "import-memory", 0, arg_number, offsetof( CommonSettings, importMemory ), "MB",
	  "Memory limit for importing .fbx, .dae and similar files; 0 (default): in proportion to the file.", 0, 1e6,
	  false },
	{ "import-seconds", 0, arg_number, offsetof( CommonSettings, importSeconds ), "S",
	  "CPU time limit for importing, in seconds; 0 (default): in proportion to the file.", 0, 86400, false },
	{ "help", 'h', arg_flag, 0, NULL, "Print this help.", 0, 0, false },
};

static CommonSettings s_common;

const CommonSettings* GetCommonSettings( void )
{
	return &s_common;
}

void SetCommonSettings( const CommonSettings* common )
{
	s_common = *common;
	SetQuiet( s_common.quiet );
}

int32_t CountCommandOptions( const Command* command )
{
	return command->optionCount + SUP_COUNT( s_commonOptions );
}

const ArgOption* CommandOptionAt( const Command* command, int32_t index )
{
	return index < command->optionCount ? command->options + index : s_commonOptions + ( index - command->optionCount );
}

static const char* OptionNameAt( int32_t index, const void* command )
{
	return CommandOptionAt( command, index )->name;
}

static bool IsHelp( const ArgOption* option )
{
	return option == s_commonOptions + SUP_COUNT( s_commonOptions ) - 1;
}

int ReportUsage( const Command* command, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	ReportV( NULL, format, arguments );
	va_end( arguments );
	if ( HasReportPlace() )
	{
		// what is wrong stands in a file, not on the command line
		return exit_usage;
	}
	if ( command != NULL )
	{
		fprintf( stderr, "usage: supple %s %s\nSee: supple help %s\n", command->name, command->usage, command->name );
	}
	else
	{
		fprintf( stderr, "See: supple --help\n" );
	}
	return exit_usage;
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

static bool ParseNumber( const ArgOption* option, const char* text, double* number )
{
	char* end = NULL;
	errno = 0;
	*number = strtod( text, &end );
	bool limited = option->least != 0 || option->most != 0;
	bool whole = ( option->kind != arg_integer && option->kind != arg_count ) || *number == floor( *number );
	return end != text && *end == 0 && isfinite( *number ) && whole &&
		   ( limited == false || ( *number >= option->least && *number <= option->most ) );
}

// Which of the words in "linear|dual", -1 for none of them.
static int32_t FindChoice( const char* choices, const char* text )
{
	size_t length = strlen( text );
	int32_t index = 0;
	for ( const char* word = choices; word != NULL; ++index )
	{
		const char* end = strchr( word, '|' );
		size_t wordLength = end != NULL ? (size_t)( end - word ) : strlen( word );
		if ( wordLength == length && memcmp( word, text, length ) == 0 )
		{
			return index;
		}
		word = end != NULL ? end + 1 : NULL;
	}
	return -1;
}

static bool ReportBadNumber( const Command* command, const ArgOption* option, const char* text )
{
	const char* kind = option->kind == arg_integer || option->kind == arg_count ? "a whole number" : "a number";
	if ( option->least != 0 || option->most != 0 )
	{
		ReportUsage( command, "option --%s: expected %s from %g to %g (got '%s')", option->name, kind, option->least,
					 option->most, text );
	}
	else
	{
		ReportUsage( command, "option --%s: expected %s (got '%s')", option->name, kind, text );
	}
	return false;
}

// `text` is NULL for flags, and for counts without a number.
static bool StoreValue( const Command* command, const ArgOption* option, const char* text, void* settings,
						Arguments* arguments )
{
	char* target = (char*)settings + option->offset;
	double number = 0.0;
	switch ( option->kind )
	{
		case arg_flag:
			*(bool*)target = true;
			return true;
		case arg_text:
			if ( *(const char**)target != NULL )
			{
				ReportUsage( command, "option --%s: given twice", option->name );
				return false;
			}
			*(const char**)target = text;
			return true;
		case arg_number:
		case arg_integer:
		case arg_count:
			if ( text == NULL )
			{
				*(int32_t*)target = -1;
				return true;
			}
			if ( ParseNumber( option, text, &number ) == false )
			{
				return ReportBadNumber( command, option, text );
			}
			if ( option->kind == arg_number )
			{
				*(double*)target = number;
			}
			else
			{
				*(int32_t*)target = (int32_t)number;
			}
			return true;
		case arg_choice:
		{
			int32_t choice = FindChoice( option->value, text );
			if ( choice < 0 )
			{
				ReportUsage( command, "option --%s: expected one of %s (got '%s')", option->name, option->value, text );
				return false;
			}
			*(int32_t*)target = choice;
			return true;
		}
		case arg_ordered:
		case arg_switch:
			arguments->ordered[arguments->orderedCount++] = ( ArgOccurrence ){ option, text };
			return true;
	}
	return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Words

static const ArgOption* FindOption( const Command* command, const char* name, size_t length )
{
	for ( int32_t i = 0; i < CountCommandOptions( command ); ++i )
	{
		const ArgOption* option = CommandOptionAt( command, i );
		if ( strlen( option->name ) == length && memcmp( option->name, name, length ) == 0 )
		{
			return option;
		}
	}
	return NULL;
}

const ArgOption* FindCommandOption( const Command* command, const char* name )
{
	char dashed[64];
	snprintf( dashed, sizeof( dashed ), "%s", name );
	for ( char* c = dashed; *c != 0; ++c )
	{
		*c = *c == '_' ? '-' : *c;
	}
	for ( int32_t i = 0; i < command->optionCount; ++i )
	{
		if ( strcmp( command->options[i].name, dashed ) == 0 )
		{
			return command->options + i;
		}
	}
	return NULL;
}

static const ArgOption* FindLetter( const Command* command, char letter )
{
	for ( int32_t i = 0; i < CountCommandOptions( command ); ++i )
	{
		if ( CommandOptionAt( command, i )->letter == letter )
		{
			return CommandOptionAt( command, i );
		}
	}
	return NULL;
}

static bool ReportUnknown( const Command* command, const char* word, size_t length )
{
	char name[64];
	size_t dashes = strspn( word, "-" );
	snprintf( name, sizeof( name ), "%.*s", (int)( length - dashes ), word + dashes );
	int32_t nearest = FindNearestName( name, CountCommandOptions( command ), OptionNameAt, command );
	if ( nearest >= 0 )
	{
		ReportUsage( command, "unknown option %.*s; did you mean --%s?", (int)length, word,
					 CommandOptionAt( command, nearest )->name );
	}
	else
	{
		ReportUsage( command, "unknown option %.*s; put -- before a file whose name starts with a dash", (int)length,
					 word );
	}
	return false;
}

static bool IsNumber( const char* word )
{
	return word[0] != 0 && strspn( word, "0123456789" ) == strlen( word );
}

bool TakesValue( const ArgOption* option )
{
	return option->kind != arg_flag && option->kind != arg_switch;
}

// "--clip --time 3": the value was forgotten. A negative number is a value, and so is a lone dash.
static bool LooksLikeOption( const char* word )
{
	bool number = word[0] == '-' && ( ( word[1] >= '0' && word[1] <= '9' ) || word[1] == '.' );
	return word[0] == '-' && word[1] != 0 && number == false;
}

typedef struct Parser
{
	const Command* command;
	int argc;
	char** argv;
	int next;
	bool help;
} Parser;

// One option with its value, in any of the forms --name value, --name=value, -x value, -xvalue, -x=value.
static bool ParseOption( Parser* parser, const char* word, void* settings, Arguments* arguments )
{
	const Command* command = parser->command;
	bool isLong = word[1] == '-';
	const char* equals = isLong ? strchr( word, '=' ) : NULL;
	size_t length = equals != NULL ? (size_t)( equals - word ) : strlen( word );
	const ArgOption* option = isLong ? FindOption( command, word + 2, length - 2 ) : FindLetter( command, word[1] );
	if ( option == NULL )
	{
		return ReportUnknown( command, word, length );
	}
	const char* text = equals != NULL ? equals + 1 : NULL;
	if ( isLong == false && word[2] != 0 )
	{
		text = word + ( word[2] == '=' ? 3 : 2 );
	}
	if ( TakesValue( option ) == false && text != NULL )
	{
		ReportUsage( command, "option --%s: takes no value (got '%s')", option->name, text );
		return false;
	}
	bool hasNext = parser->next < parser->argc;
	if ( option->kind == arg_count && text == NULL )
	{
		text = hasNext && IsNumber( parser->argv[parser->next] ) ? parser->argv[parser->next++] : NULL;
	}
	else if ( TakesValue( option ) && text == NULL )
	{
		if ( hasNext == false || LooksLikeOption( parser->argv[parser->next] ) )
		{
			ReportUsage( command, "option --%s: missing value %s", option->name, option->value );
			return false;
		}
		text = parser->argv[parser->next++];
	}
	if ( IsHelp( option ) )
	{
		parser->help = true;
		return true;
	}
	return StoreValue( command, option, text, settings, arguments );
}

static bool ParseWords( Parser* parser, void* settings, Arguments* arguments )
{
	bool optionsEnded = false;
	while ( parser->next < parser->argc && parser->help == false )
	{
		const char* word = parser->argv[parser->next++];
		if ( optionsEnded == false && strcmp( word, "--" ) == 0 )
		{
			optionsEnded = true;
		}
		else if ( optionsEnded == false && word[0] == '-' && word[1] != 0 )
		{
			if ( ParseOption( parser, word, settings, arguments ) == false )
			{
				return false;
			}
		}
		else
		{
			arguments->files[arguments->fileCount++] = word;
		}
	}
	return true;
}

static bool CheckComplete( const Command* command, const void* settings, const Arguments* arguments )
{
	if ( arguments->fileCount < command->leastFiles )
	{
		ReportUsage( command, "missing %s", command->fileName );
		return false;
	}
	if ( arguments->fileCount > command->mostFiles )
	{
		ReportUsage( command, "unexpected argument '%s'", arguments->files[command->mostFiles] );
		return false;
	}
	for ( int32_t i = 0; i < command->optionCount; ++i )
	{
		const ArgOption* option = command->options + i;
		const char* target = (const char*)settings + option->offset;
		if ( option->required && *(const char* const*)target == NULL )
		{
			ReportUsage( command, "missing option: --%s %s", option->name, option->value );
			return false;
		}
	}
	return true;
}

bool ParseArguments( const Command* command, int argc, char** argv, void* settings, Arguments* arguments, int* status )
{
	size_t most = argc > 0 ? (size_t)argc : 1;
	*arguments = ( Arguments ){ 0 };
	arguments->files = supAllocArray( most, sizeof( *arguments->files ) );
	arguments->ordered = supAllocArray( most, sizeof( *arguments->ordered ) );
	if ( arguments->files == NULL || arguments->ordered == NULL )
	{
		FreeArguments( arguments );
		*status = ReportMemory();
		return false;
	}
	Parser parser = { command, argc, argv, 0, false };
	*status = exit_usage;
	bool ok = ParseWords( &parser, settings, arguments );
	if ( ok && parser.help )
	{
		PrintCommandHelp( command );
		*status = exit_ok;
		ok = false;
	}
	ok = ok && CheckComplete( command, settings, arguments );
	if ( ok == false )
	{
		FreeArguments( arguments );
		return false;
	}
	SetCommonSettings( settings );
	*status = exit_ok;
	return true;
}

void FreeArguments( Arguments* arguments )
{
	supFree( arguments->files );
	supFree( arguments->ordered );
	*arguments = ( Arguments ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Help

enum
{
	help_width = 96,
	help_indent = 27
};

// Breaks at spaces. The first line starts at `indent` already, and so do the others.
static void PrintWrapped( const char* text, int indent )
{
	int column = indent;
	bool lineStart = true;
	while ( *text != 0 )
	{
		int length = (int)strcspn( text, " \n" );
		if ( lineStart == false )
		{
			bool fits = column + 1 + length <= help_width;
			column = fits ? column + printf( " " ) : printf( "\n%*s", indent, "" ) - 1;
		}
		column += printf( "%.*s", length, text );
		lineStart = false;
		text += length;
		if ( *text == '\n' )
		{
			column = printf( "\n%*s", indent, "" ) - 1;
			lineStart = true;
		}
		text += *text != 0 ? 1 : 0;
	}
	printf( "\n" );
}

static void PrintOption( const ArgOption* option )
{
	char left[64];
	char letter[8] = "    ";
	if ( option->letter != 0 )
	{
		snprintf( letter, sizeof( letter ), "-%c, ", option->letter );
	}
	snprintf( left, sizeof( left ), "%s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
			  option->value != NULL ? option->value : "" );
	int column = printf( "  %-*s", help_indent - 3, left );
	if ( column >= help_indent )
	{
		printf( "\n%*s", help_indent, "" );
	}
	else
	{
		printf( "%*s", help_indent - column, "" );
	}
	PrintWrapped( option->help, help_indent );
}

void PrintCommandHelp( const Command* command )
{
	printf( "supple %s: %s\n\nusage: supple %s %s\n\n", command->name, command->summary, command->name,
			command->usage );
	PrintWrapped( command->about, 0 );
	printf( "\nOptions:\n" );
	for ( int32_t i = 0; i < CountCommandOptions( command ); ++i )
	{
		PrintOption( CommandOptionAt( command, i ) );
	}
	printf( "\nExamples:\n" );
	for ( const char* line = command->examples; *line != 0; )
	{
		size_t length = strcspn( line, "\n" );
		printf( "  %.*s\n", (int)length, line );
		line += length + ( line[length] == '\n' ? 1 : 0 );
	}
	printf( "\nExit status: 0 done, 1 bad input, 2 wrong usage, 3 output not written, 4 out of memory, 5 stopped.\n" );
}
