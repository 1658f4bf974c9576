// SPDX-License-Identifier: MIT
// What the parser and the values share.
#pragma once

#include "jansson.h"

#include <stdbool.h>

// The most levels of arrays and objects inside each other.
#define JSON_MAX_DEPTH 2048

void* supJsonAlloc( size_t size );
void supJsonFree( void* memory );

// Bytes of the UTF-8 character at `text`, of which `length` > 0 are there; 0 where it is none: cut off, longer than it
// needs to be, half of a surrogate pair, or beyond U+10FFFF.
size_t supCheckUtf8( const char* text, size_t length );

// Takes over the text, of `length` bytes and a zero behind them, also where it fails. Nothing is checked.
json_t* supOwnString( char* text, size_t length );

// As json_object_set_new for a key that is known to be UTF-8.
int supSetKey( json_t* object, const char* key, size_t length, json_t* value );
