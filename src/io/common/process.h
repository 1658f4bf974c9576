// SPDX-License-Identifier: MIT
// Programs of others, run beside us: no shell, limits on time and memory, and their last words where they fail.
#pragma once

#include "core/core.h"

typedef struct supRunDef
{
	// The program, looked up in PATH, and its arguments; NULL ends them.
	const char* const* arguments;
	// It runs there, and what it prints is kept there in a file "log".
	const char* folder;
	// After so long it is ended.
	double seconds;
	// The most memory, in bytes.
	uint64_t memory;
} supRunDef;

// Waits until it has ended. True where it ended with status 0; otherwise an error: the program is missing
// (sup_errorNotFound), took too long, or failed (sup_errorFormat), with the last line that it printed.
bool supRunProgram( const supRunDef* def, supError* error );

// The last line in the log of a program that has run, without control characters; "" if there is none.
void supReadLastWords( const char* folder, char words[200] );

// A new private folder for temporary files; free the path with supFree. NULL with an error.
char* supMakeTemporaryFolder( supError* error );

// Removes it with the files in it, and frees the path. NULL is fine.
void supRemoveTemporaryFolder( char* folder );

// "folder/name"; free with supFree. NULL with an error when out of memory.
char* supJoinPath( const char* folder, const char* name, supError* error );
