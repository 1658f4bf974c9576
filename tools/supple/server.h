// SPDX-License-Identifier: MIT
// A web server for one user: the files of one folder and one more out of memory, to programs on this machine alone.
#pragma once

#include "supple/base.h"

#include <stdatomic.h>

typedef struct ServerDef
{
	const char* folder;
	int32_t port; // 0: any that is free
	// Served as /NAME beside the folder; NULL: none. Both outlive the server.
	const char* extraName;
	const uint8_t* extraBytes;
	size_t extraByteCount;
} ServerDef;

typedef struct Server Server;

// NULL with an error where the port is taken.
Server* StartServer( const ServerDef* def, supError* error );
int32_t GetServerPort( const Server* server );

// Answers requests on threads of its own until `*stop` is set.
void RunServer( Server* server, const atomic_int* stop );

// Hangs up on those who are still being answered: who says nothing, or takes little at a time, keeps nobody waiting.
void StopServer( Server* server );
