// SPDX-License-Identifier: MIT
// URIs as glTF uses them: "data:" with base64 or percent-encoded bytes, and relative paths.
#pragma once

#include "core/core.h"

bool supIsDataUri( const char* uri );

// The media type of a "data:" URI, "" where it has none.
void supGetDataUriType( const char* uri, char type[64] );

// The bytes behind a "data:" URI. Free with supFree. NULL with an error; `where` names the place in the file.
uint8_t* supDecodeDataUri( const char* uri, size_t* byteCount, const char* where, supError* error );

// Replaces %20 and the like. NULL where out of memory. Free with supFree.
char* supDecodePercent( const char* uri );

// The other way round, for file names in a URI.
char* supEncodePercent( const char* path );

// True for a decoded path that stays relative: no scheme ("http:", "C:"), no leading slash.
bool supIsRelativePath( const char* path );

// The media type of an encoded picture by its first bytes, "" where unknown.
const char* supGuessImageType( const uint8_t* bytes, size_t byteCount );
