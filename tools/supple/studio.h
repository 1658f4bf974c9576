// SPDX-License-Identifier: MIT
// The studio with a file in it, for `supple studio` and `supple live --studio`. The page reaches this program under a
// name that only it is told: other users of the machine reach the server too, but do not know the token.
#pragma once

#include "args.h"
#include "server.h"

// Rows for a command whose settings have a StudioSettings called `member`.
#define STUDIO_OPTIONS( Settings, member )                                                                                   \
	{ "no-open", 0,                                                                                                          \
	  arg_flag,  offsetof( Settings, member.noOpen ),                                                                        \
	  NULL,      "Print the address instead of opening a browser.",                                                          \
	  0,         0,                                                                                                          \
	  false },                                                                                                               \
	{                                                                                                                        \
		"page", 0, arg_text, offsetof( Settings, member.page ), "DIR",                                                       \
			"Folder of the page, as built by scripts/studio.sh. Default: $SUPPLE_STUDIO, else the one beside this program.", \
			0, 0, false                                                                                                      \
	}

typedef struct StudioSettings
{
	int32_t port; // 0: any that is free
	bool noOpen;
	const char* page;
	const char* method;
} StudioSettings;

// What else the page may ask this program for, beside converting files.
typedef struct StudioExtra
{
	void* context;
	// "live": the address says so to the page.
	const char* streamName;
	char* ( *next )( void* context, ServerReader* reader );
	// False where there is no order of this name.
	bool ( *order )( void* context, const char* name );
} StudioExtra;

typedef struct StudioPage
{
	const StudioSettings* settings;
	const StudioExtra* extra; // NULL: none
	char folder[4096];
	char token[33];
	char prefix[48];
	char file[336]; // where the page finds the file; "" without
	uint8_t* bytes;
	size_t byteCount;
} StudioPage;

// All return exit_ok or what to exit with. Safe to close in any case.

// Finds the page and reads `file`: NULL for none, FILE or builtin:NAME.
int OpenStudioPage( const StudioSettings* settings, const char* file, StudioPage* studio );
void CloseStudioPage( StudioPage* studio );

// Serves it until Ctrl-C.
int ServeStudioPage( StudioPage* studio, const char* file, const StudioExtra* extra, bool quiet );

// A file that the page could not read, as GLB: the body is a list of files, the first of which is it, and the rest
// those beside it; each is four bytes with the length of its name, the name, four bytes with its length, and the bytes.
void ConvertPosted( const uint8_t* bytes, size_t byteCount, ServerAnswer* answer );

// The most bytes that may be posted.
#define MOST_POSTED ( (size_t)1 << 30 )
