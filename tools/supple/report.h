// SPDX-License-Identifier: MIT
// What goes to stderr: errors as "supple: FILE: place: message", notes, and the colours of both.
#pragma once

#include "supple/base.h"

#include <stdarg.h>
#include <stdio.h>

// With --quiet notes are kept back; errors never are.
void SetQuiet( bool quiet );
bool IsQuiet( void );

// Keeps back errors and notes, for attempts whose failure is reported later.
void SetMuted( bool muted );

// Sends the library's own warnings the same way. Called once by main.
void InitReport( void );

// "supple: where: message". `where` may be NULL or "".
void Report( const char* where, const char* format, ... ) __attribute__( ( format( printf, 2, 3 ) ) );
void ReportV( const char* where, const char* format, va_list arguments ) __attribute__( ( format( printf, 2, 0 ) ) );

// Where in a file the words stand that are looked at now: "jobs.jsonl:12:7". It goes before every error until it is set
// to NULL. The text is not copied.
void SetReportPlace( const char* place );
bool HasReportPlace( void );

// The library's error with the file that the user named, and a remedy where the message has none of its own.
// `path` may be NULL. Returns what to exit with.
int ReportError( const char* path, const supError* error );

// Returns exit_memory.
int ReportMemory( void );

// "supple: note: message", kept back by --quiet.
void Note( const char* format, ... ) __attribute__( ( format( printf, 1, 2 ) ) );
