// SPDX-License-Identifier: MIT
// Words for people: names from files made safe to print, columns that line up, the nearest known word.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One character of UTF-8 at `text`. Returns its length in bytes; 1 and code point 0xFFFD for a byte that is not UTF-8.
// - text is not at its end
size_t DecodeUtf8( const char* text, uint32_t* codePoint );

// Columns that the text takes on a terminal: combining marks none, East Asian wide characters and emoji two.
int MeasureText( const char* text );

// A copy that cannot play tricks on a terminal or break a line: control characters and bytes that are not UTF-8 become
// U+FFFD, and what is wider than `mostColumns` (0: any) is cut in the middle with an ellipsis.
// `buffer` is always filled; too small a buffer cuts the text.
const char* CleanText( const char* text, int mostColumns, char* buffer, size_t capacity );

// The index of the name that `text` was probably meant to be, -1 where nothing is near.
typedef const char* NameAtFcn( int32_t index, const void* context );
int32_t FindNearestName( const char* text, int32_t count, NameAtFcn* nameAt, const void* context );

// 1728 -> "1,728"; 1536 -> "1.5 KiB". The results live until the eighth call after.
const char* FormatCount( int64_t count );
const char* FormatBytes( uint64_t byteCount );

// As few digits as tell this float from every other.
const char* FormatShortest( float value );

// "1 mesh", "3 meshes". Lives likewise.
const char* FormatPlural( int64_t count, const char* one, const char* many );
