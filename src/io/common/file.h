// SPDX-License-Identifier: MIT
// Whole files in, whole files out.
#pragma once

#include "core/core.h"

#include <stdio.h>

// The whole file, with a zero byte behind it that does not count. Free with supFree.
// 64-byte aligned. Refuses folders, pipes, devices, empty files and those over 4 GiB.
uint8_t* supReadFile( const char* path, size_t* byteCount, supError* error );

// The first bytes of such a file, filled up with at least one zero.
bool supReadFileHead( const char* path, char* head, size_t capacity, supError* error );

// Writes beside the target and renames, so that a failure (full disk, no permission) leaves an older file as it was and
// nothing half-written behind. The rights of an older file stay. Links are followed; devices, pipes and folders are
// refused.
bool supWriteFile( const char* path, const void* bytes, size_t byteCount, supError* error );

typedef struct supFileContent
{
	const char* path;
	const void* bytes;
	size_t byteCount;
} supFileContent;

#define SUP_MAX_FILES_AT_ONCE 4

// Files that belong together: none takes its place before all are written.
bool supWriteFiles( const supFileContent* contents, int32_t count, supError* error );

// The same piece by piece, for what is too large for memory.
typedef struct supOutput supOutput;

// NULL with an error where the place cannot be written to.
supOutput* supBeginOutput( const char* path, supError* error );

// Failures are remembered until the end.
void supOutput_Write( supOutput* output, const void* bytes, size_t byteCount );
void supOutput_Print( supOutput* output, const char* format, ... ) SUP_PRINTF( 2, 3 );

// With the nine digits that bring a float back, and a decimal point whatever the language.
void supOutput_PrintFloat( supOutput* output, float value );

// Replaces bytes that were written before; what follows is appended as if nothing had happened.
void supOutput_Overwrite( supOutput* output, uint64_t offset, const void* bytes, size_t byteCount );

// Gives the file its final name, or with `keep` false, or where anything failed, leaves nothing behind. Frees the
// output.
bool supEndOutput( supOutput* output, bool keep, supError* error );

// For the caller alone until it is closed; at once, or not at all: false where somebody else has it. True without a
// lock on file systems that have none.
bool supLockFile( int descriptor );

// For reading from the start, with its size. NULL for what supReadFile refuses.
FILE* supOpenFile( const char* path, long* size );

// True where `path`, with all its links followed, lies in the folder of `document`, or below it. False also where there
// is no such file.
bool supIsBelowFolder( const char* document, const char* path );

// ".glb" of "a/b.GLB", in lower case; "" without. At most 15 characters and the dot.
void supGetExtension( const char* path, char extension[17] );
