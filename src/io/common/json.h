// SPDX-License-Identifier: MIT
// JSON in, JSON out, and looking into a tree that cannot be trusted.
#pragma once

#include "core/core.h"

#include <jansson.h>

// jansson's memory goes through our hooks; called by everything that makes a JSON tree. Any thread, any number of
// times.
void supInitJson( void );

// A tree from UTF-8 text, with or without a byte order mark. Whole numbers beyond 64 bits become reals.
// NULL with an error that names the line.
json_t* supParseJson( const char* text, size_t length, const char* name, supError* error );

// The same for files that people write: a key that stands twice in an object is refused, since one of the two would be
// passed over.
json_t* supParseStrictJson( const char* text, size_t length, const char* name, supError* error );

// The JSON text of a tree with numbers as short as they can be written without loss, keys in their order, and a zero
// byte behind that does not count. Free with supFree. NULL where out of memory.
char* supWriteJson( const json_t* tree, size_t* length );

// All of these return a default where the key is missing or of another type; `object` and `array` may be NULL.
json_t* supJson_Get( const json_t* object, const char* key );
json_t* supJson_At( const json_t* array, size_t index );
const char* supJson_String( const json_t* object, const char* key, const char* otherwise );
double supJson_Number( const json_t* object, const char* key, double otherwise );
bool supJson_Bool( const json_t* object, const char* key, bool otherwise );

// A whole number in [0, INT32_MAX], also where written 3.0. Missing: `otherwise`. Anything else: -2.
int64_t supJson_Index( const json_t* object, const char* key, int64_t otherwise );
int64_t supJson_IndexAt( const json_t* array, size_t index );

// The same up to 2^52, for byte offsets and lengths.
int64_t supJson_Size( const json_t* object, const char* key, int64_t otherwise );
