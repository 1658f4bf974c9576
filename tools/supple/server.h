// SPDX-License-Identifier: MIT
// A web server for one user: the files of one folder and one more out of memory, to programs on this machine alone.
#pragma once

#include "supple/base.h"

#include <stdatomic.h>

// What a request with a body is answered with.
typedef struct ServerAnswer
{
	const char* status; // "200 OK"; NULL: nobody knows this name
	const char* type;
	uint8_t* bytes; // from supAlloc, freed by the server; NULL: the status as text
	size_t byteCount;
} ServerAnswer;

// What a reader of a stream has had so far, as the stream counts; zero at the beginning.
typedef struct ServerReader
{
	uint64_t places[3];
} ServerReader;

// What lies below /PREFIX and is no file. Called on threads of connections, several at a time.
typedef struct ServerHooks
{
	const char* prefix; // "home/TOKEN/"
	void* context;
	// The most bytes that a body may have.
	size_t mostBytes;
	// NULL: there is nothing to post to.
	void ( *post )( void* context, const char* name, const uint8_t* bytes, size_t byteCount, ServerAnswer* answer );
	// GET of this name is an endless stream of events (text/event-stream); NULL: there is none.
	const char* streamName;
	// The next piece of it, from supAlloc; waits for it a quarter of a second at most, and is "" where none came. NULL
	// ends the stream.
	char* ( *next )( void* context, ServerReader* reader );
} ServerHooks;

typedef struct ServerDef
{
	const char* folder;
	int32_t port; // 0: any that is free
	// Served as /NAME beside the folder; NULL: none. Both outlive the server.
	const char* extraName;
	const uint8_t* extraBytes;
	size_t extraByteCount;
	// NULL: none. Outlives the server.
	const ServerHooks* hooks;
} ServerDef;

typedef struct Server Server;

// NULL with an error where the port is taken.
Server* StartServer( const ServerDef* def, supError* error );
int32_t GetServerPort( const Server* server );

// Answers requests on threads of its own until `*stop` is set.
void RunServer( Server* server, const atomic_int* stop );

// Hangs up on those who are still being answered: who says nothing, or takes little at a time, keeps nobody waiting.
void StopServer( Server* server );
