// SPDX-License-Identifier: MIT
// supple completion: what the Tab key offers. The scripts for the shells are a few lines that ask the program itself
// (supple __complete WORD...), so that they never lag behind its options.
#include "commands.h"
#include "core/core.h"
#include "load.h"
#include "models/models.h"
#include "report.h"

#include <stdio.h>

typedef struct CompletionSettings
{
	CommonSettings common;
} CompletionSettings;

// One candidate a line: the word, a tab, what it means. A line ":files" asks the shell for files.
static void Offer( const char* typed, const char* word, const char* meaning )
{
	if ( strncmp( word, typed, strlen( typed ) ) == 0 )
	{
		printf( "%s\t%.*s\n", word, (int)strcspn( meaning, "\n" ), meaning );
	}
}

static void OfferFiles( void )
{
	printf( ":files\n" );
}

static void OfferCommands( const char* typed )
{
	for ( int32_t i = 0; i < g_commandCount; ++i )
	{
		Offer( typed, g_commands[i]->name, g_commands[i]->summary );
	}
	Offer( typed, "help", "show help for a command" );
}

static void OfferModels( const char* typed )
{
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		char word[64];
		snprintf( word, sizeof( word ), "builtin:%s", supGetModel( i )->name );
		Offer( typed, word, supGetModel( i )->description );
	}
}

// Of a list such as "lbs,position" the last one is being typed.
static void OfferMethods( const char* typed )
{
	const char* comma = strrchr( typed, ',' );
	int before = comma != NULL ? (int)( comma + 1 - typed ) : 0;
	for ( int32_t i = 0; i < sup_methodCount; ++i )
	{
		char word[256];
		snprintf( word, sizeof( word ), "%.*s%s", before, typed, supMethodName( (supMethodId)i ) );
		Offer( typed, word, supMethodSummary( (supMethodId)i ) );
	}
}

static void OfferChoices( const char* typed, const char* choices )
{
	while ( *choices != 0 )
	{
		char word[64];
		size_t length = strcspn( choices, "|" );
		snprintf( word, sizeof( word ), "%.*s", (int)length, choices );
		Offer( typed, word, "" );
		choices += length + ( choices[length] == '|' ? 1 : 0 );
	}
}

// A character that can be read at once and without another library: built-in, or glTF.
static bool IsQuickToRead( const char* path )
{
	const char* ending = strrchr( path, '.' );
	return strncmp( path, "builtin:", 8 ) == 0 ||
		   ( ending != NULL && ( strcmp( ending, ".glb" ) == 0 || strcmp( ending, ".gltf" ) == 0 ) );
}

// The clips of the first character among the words.
static void OfferClips( const char* typed, int argc, char** argv )
{
	for ( int i = 0; i < argc; ++i )
	{
		supError error = { 0 };
		supCharacter* character = NULL;
		if ( strncmp( argv[i], "builtin:", 8 ) == 0 )
		{
			const supModel* model = supFindModel( argv[i] + 8 );
			character = model != NULL ? model->create( &error ) : NULL;
		}
		else if ( IsQuickToRead( argv[i] ) )
		{
			character = supLoadCharacter( argv[i], &error );
		}
		if ( character != NULL )
		{
			for ( int32_t k = 0; k < supCharacter_ClipCount( character ); ++k )
			{
				Offer( typed, supCharacter_Clip( character, k )->name, "" );
			}
			supDestroyCharacter( character );
			return;
		}
	}
}

static bool NamesFile( const ArgOption* option )
{
	static const char* const s_files[] = { "FILE", "OUT", "DIR", "MAP", "RIG" };
	for ( int32_t i = 0; i < SUP_COUNT( s_files ); ++i )
	{
		if ( option->value != NULL && strncmp( option->value, s_files[i], strlen( s_files[i] ) ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static void OfferValues( const ArgOption* option, const char* typed, int argc, char** argv )
{
	if ( option->kind == arg_choice )
	{
		OfferChoices( typed, option->value );
	}
	else if ( strcmp( option->name, "method" ) == 0 )
	{
		OfferMethods( typed );
	}
	else if ( strcmp( option->name, "clip" ) == 0 )
	{
		OfferClips( typed, argc, argv );
	}
	else if ( NamesFile( option ) )
	{
		OfferFiles();
	}
}

// The option of this word, "--clip" or "-o"; NULL where it is none.
static const ArgOption* FindWordOption( const Command* command, const char* word )
{
	for ( int32_t i = 0; i < CountCommandOptions( command ); ++i )
	{
		const ArgOption* option = CommandOptionAt( command, i );
		bool isName = strncmp( word, "--", 2 ) == 0 && strcmp( word + 2, option->name ) == 0;
		bool isLetter = word[0] == '-' && word[1] != 0 && word[1] == option->letter && word[2] == 0;
		if ( isName || isLetter )
		{
			return option;
		}
	}
	return NULL;
}

static void OfferOptions( const Command* command, const char* typed )
{
	for ( int32_t i = 0; i < CountCommandOptions( command ); ++i )
	{
		char word[64];
		const ArgOption* option = CommandOptionAt( command, i );
		snprintf( word, sizeof( word ), "--%s", option->name );
		Offer( typed, word, option->help );
	}
}

// argv: the words behind `supple`, of which the last, perhaps empty, is being typed.
int CompleteWords( int argc, char** argv )
{
	const char* typed = argc > 0 ? argv[argc - 1] : "";
	if ( argc <= 1 || ( argc == 2 && strcmp( argv[0], "help" ) == 0 ) )
	{
		OfferCommands( typed );
		return exit_ok;
	}
	const Command* command = NULL;
	for ( int32_t i = 0; i < g_commandCount; ++i )
	{
		command = strcmp( g_commands[i]->name, argv[0] ) == 0 ? g_commands[i] : command;
	}
	if ( command == NULL )
	{
		return exit_ok;
	}
	const ArgOption* before = FindWordOption( command, argv[argc - 2] );
	if ( before != NULL && TakesValue( before ) && before->kind != arg_count )
	{
		OfferValues( before, typed, argc - 1, argv );
	}
	else if ( typed[0] == '-' )
	{
		OfferOptions( command, typed );
	}
	else if ( command == &g_completionCommand )
	{
		OfferChoices( typed, "bash|zsh|fish" );
	}
	else
	{
		OfferModels( typed );
		OfferFiles();
	}
	return exit_ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// The scripts

static const char s_bash[] =
	"# Completion of supple in bash: eval \"$(supple completion bash)\"\n"
	"_supple() {\n"
	"\tlocal words=() word line colon\n"
	"\t# bash takes a colon for the end of a word; builtin:bunny is one\n"
	"\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD}\"; do\n"
	"\t\tif [[ ${#words[@]} -gt 0 && ( $word == : || ${words[-1]} == *: ) ]]; then words[-1]+=$word; else words+=( \"$word\" ); fi\n"
	"\tdone\n"
	"\tcolon=${words[-1]%\"${words[-1]##*:}\"}\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS=$'\\t' read -r line _; do\n"
	"\t\tif [[ $line == :files ]]; then\n"
	"\t\t\tcompopt -o filenames\n"
	"\t\t\twhile IFS= read -r line; do COMPREPLY+=( \"$line\" ); done < <( compgen -f -- \"${words[-1]}\" )\n"
	"\t\telse\n"
	"\t\t\tline=${line#\"$colon\"}\n"
	"\t\t\t[[ $line == *[[:space:]]* ]] && printf -v line %q \"$line\"\n"
	"\t\t\tCOMPREPLY+=( \"$line\" )\n"
	"\t\tfi\n"
	"\tdone < <( supple __complete \"${words[@]}\" 2> /dev/null )\n"
	"}\n"
	"complete -F _supple supple\n";

static const char s_zsh[] =
	"#compdef supple\n"
	"# Completion of supple in zsh: eval \"$(supple completion zsh)\"\n"
	"_supple() {\n"
	"\tlocal line files=0\n"
	"\tlocal -a offered\n"
	"\tfor line in \"${(@f)$(supple __complete \"${(@)words[2,CURRENT]}\" 2> /dev/null)}\"; do\n"
	"\t\tif [[ $line == :files ]]; then files=1\n"
	"\t\telif [[ -n $line ]]; then offered+=( \"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\" ); fi\n"
	"\tdone\n"
	"\t(( ${#offered} )) && _describe -V supple offered\n"
	"\t(( files )) && _files\n"
	"}\n"
	"compdef _supple supple\n";

static const char s_fish[] = "# Completion of supple in fish: supple completion fish | source\n"
							 "function __supple_complete\n"
							 "\tset -l words (commandline -opc) (commandline -ct)\n"
							 "\tfor line in (supple __complete $words[2..-1] 2> /dev/null)\n"
							 "\t\tif test \"$line\" = :files\n"
							 "\t\t\t__fish_complete_path (commandline -ct)\n"
							 "\t\telse\n"
							 "\t\t\techo $line\n"
							 "\t\tend\n"
							 "\tend\n"
							 "end\n"
							 "complete -c supple -f -a '(__supple_complete)'\n";

static int RunCompletion( const Command* command, int argc, char** argv )
{
	static const struct
	{
		const char* name;
		const char* script;
	} s_shells[] = { { "bash", s_bash }, { "zsh", s_zsh }, { "fish", s_fish } };
	CompletionSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	const char* script = NULL;
	for ( int32_t i = 0; i < SUP_COUNT( s_shells ); ++i )
	{
		script = strcmp( arguments.files[0], s_shells[i].name ) == 0 ? s_shells[i].script : script;
	}
	if ( script == NULL )
	{
		status = ReportUsage( command, "no completion for the shell '%s'; use bash, zsh or fish", arguments.files[0] );
	}
	else
	{
		printf( "%s", script );
	}
	FreeArguments( &arguments );
	return status;
}

const Command g_completionCommand = {
	.name = "completion",
	.summary = "print a completion script for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.about =
		"Completes commands, options and their values, built-in characters, and the clips of a glTF file. Load the script when the shell starts; packages install it.",
	.examples = "eval \"$(supple completion bash)\"\n"
				"supple completion fish > ~/.config/fish/completions/supple.fish\n",
	.fileName = "SHELL",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunCompletion,
};
