// SPDX-License-Identifier: MIT
// JSON to a stream as it comes: keys in the order they are written, floats as short as they can be.
#pragma once

#include "supple/math.h"

#include <stdio.h>

typedef struct JsonWriter
{
	FILE* stream;
	int depth;
	bool first; // nothing yet in the innermost object or array
} JsonWriter;

JsonWriter BeginJson( FILE* stream );
void EndJson( JsonWriter* json );

// `key` is NULL inside an array and for the outermost value.
void JsonOpenObject( JsonWriter* json, const char* key );
void JsonCloseObject( JsonWriter* json );
void JsonOpenArray( JsonWriter* json, const char* key );
void JsonCloseArray( JsonWriter* json );

// Bytes that are not UTF-8 become U+FFFD. NULL becomes null.
void JsonText( JsonWriter* json, const char* key, const char* text );
void JsonInteger( JsonWriter* json, const char* key, int64_t value );
// Not a number or infinite becomes null.
void JsonFloat( JsonWriter* json, const char* key, float value );
void JsonBool( JsonWriter* json, const char* key, bool value );
// [x, y, z] on one line.
void JsonVec3( JsonWriter* json, const char* key, supVec3 value );
