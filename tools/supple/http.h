// SPDX-License-Identifier: MIT
// Requests of HTTP 1.1, as far as a server of files needs them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct HttpRequest
{
	bool isHead;
	bool isPost;
	// Of what follows the empty line; 0 unless it is a POST.
	size_t byteCount;
	// Decoded, without the query; begins with '/' and stays within the folder.
	const char* path;
} HttpRequest;

// Parses a request up to its empty line, in place. NULL where it can be answered, else the status to refuse it with.
// - port: of ours; requests to other hosts are refused, so that a foreign page cannot reach the server under a name of
//   its own, and so are requests with a body that a page of another origin sends
const char* ParseHttpRequest( char* text, int32_t port, HttpRequest* request );
