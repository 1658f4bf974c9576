// SPDX-License-Identifier: MIT
// Whole files in, whole files out.
#pragma once

#include "core/core.h"

// The whole file, with a zero byte behind it that does not count. Free with supFree.
// Refuses folders and files over 4 GiB.
uint8_t* supReadFile( const char* path, size_t* byteCount, supError* error );

// Writes beside the target and renames, so that a failure (full disk, no permission) leaves an older file as it was and
// nothing half-written behind.
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

// ".glb" of "a/b.GLB", in lower case; "" without. At most 15 characters and the dot.
void supGetExtension( const char* path, char extension[17] );
