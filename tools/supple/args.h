// SPDX-License-Identifier: MIT
// A subcommand is a table: its options, how many files it takes, examples, and the function that runs it. Parsing, help
// and "did you mean" follow from the table.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a run ends; documented in docs/cli.md and at the end of every --help.
enum
{
	exit_ok = 0,
	exit_data = 1,    // an input is missing, damaged, unsupported, or lacks what was asked for
	exit_usage = 2,   // the command line itself makes no sense
	exit_output = 3,  // an output could not be written
	exit_memory = 4,  // out of memory or threads
	exit_stopped = 5, // by the user
};

typedef enum ArgKind
{
	arg_flag,    // bool
	arg_text,    // const char*, NULL where not given
	arg_number,  // double
	arg_integer, // int32_t
	arg_count,   // int32_t; the number may be left out and is then -1
	arg_choice,  // int32_t: which of the words in `value`, separated by |
	arg_ordered, // a text that may repeat and whose place among the others matters: see Arguments.ordered
	arg_switch,  // a flag whose place matters likewise
} ArgKind;

typedef struct ArgOption
{
	const char* name; // without the dashes
	char letter;      // 0 without
	ArgKind kind;
	size_t offset;     // into the settings of the command; unused for arg_ordered and arg_switch
	const char* value; // what stands for the value in the help: "FILE"
	const char* help;
	double least, most; // of numbers; both 0: any
	bool required;
} ArgOption;

// First member of the settings of every command.
typedef struct CommonSettings
{
	bool json;
	bool quiet;
	int32_t threads; // 0: one per core
	bool allowOutside;
	double importMemory;  // MB; 0: in proportion to the file
	double importSeconds; // 0: likewise
} CommonSettings;

// Those of the command that runs.
const CommonSettings* GetCommonSettings( void );
// In place of those: for a command that parses the words of another.
void SetCommonSettings( const CommonSettings* common );

typedef struct ArgOccurrence
{
	const ArgOption* option;
	const char* text; // NULL for arg_switch
} ArgOccurrence;

// Points into argv. Release with FreeArguments.
typedef struct Arguments
{
	const char** files;
	int32_t fileCount;
	ArgOccurrence* ordered;
	int32_t orderedCount;
} Arguments;

typedef struct Command Command;

struct Command
{
	const char* name;
	const char* summary;  // one line, no full stop
	const char* usage;    // what follows the name
	const char* about;    // a few sentences, wrapped when printed
	const char* examples; // one a line
	const ArgOption* options;
	int32_t optionCount;
	const char* fileName; // what the operands are called in messages: "FILE"
	int32_t leastFiles;
	int32_t mostFiles;
	int ( *run )( const Command* command, int argc, char** argv );
};

#define ARG_OPTIONS( table ) .options = table, .optionCount = (int32_t)( sizeof( table ) / sizeof( table[0] ) )

// Reads argv[0 .. argc), the words behind the command's name, into `settings` (which starts with CommonSettings and
// holds the defaults). Returns false where the command is over: help was printed, or the usage is wrong and was
// explained. `status` is then what to exit with.
bool ParseArguments( const Command* command, int argc, char** argv, void* settings, Arguments* arguments, int* status );
void FreeArguments( Arguments* arguments );

void PrintCommandHelp( const Command* command );

// The command's own options, then those that every command has.
int32_t CountCommandOptions( const Command* command );
const ArgOption* CommandOptionAt( const Command* command, int32_t index );
// False for flags.
bool TakesValue( const ArgOption* option );

// The command's own option of this name, NULL without. `_` may stand for `-`, as in keys of files.
const ArgOption* FindCommandOption( const Command* command, const char* name );

// Prints "supple: message" and where to find help to stderr; returns exit_usage.
int ReportUsage( const Command* command, const char* format, ... ) __attribute__( ( format( printf, 2, 3 ) ) );
