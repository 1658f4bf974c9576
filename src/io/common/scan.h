// SPDX-License-Identifier: MIT
// A cursor over the bytes of a file: words and numbers of text, and binary numbers of either byte order. None of it
// depends on the locale, and nothing is read beyond the end.
#pragma once

#include "core/core.h"

typedef struct supScanner
{
	const char* text;
	const char* cursor;
	const char* end;
	const char* fileName;
	supError* error;
	bool comments; // '#' and all that follows it in the line is blank
	bool binary;   // numbers are binary, and places are given in bytes, not lines
	bool swapped;  // binary numbers are of the other byte order
} supScanner;

static inline bool supIsLittleEndian( void )
{
	const uint16_t one = 1;
	uint8_t first;
	memcpy( &first, &one, 1 );
	return first == 1;
}

supScanner supMakeScanner( const void* bytes, size_t byteCount, const char* fileName, supError* error );

// Where a reader fails: "name: line 7" or "name: byte 1234". Returns false.
bool supScanner_Fail( const supScanner* scanner, const char* place, supErrorCode code, const char* format, ... )
	SUP_PRINTF( 4, 5 );

// ---------------------------------------------------------------------------------------------------------------------
// Text

// A run of characters without blanks; empty at the end.
typedef struct supWord
{
	const char* start;
	int length;
} supWord;

void supScanner_SkipBlanks( supScanner* scanner );
supWord supScanner_PeekWord( supScanner* scanner );
supWord supScanner_ReadWord( supScanner* scanner );
bool supWord_Is( supWord word, const char* lowerCase );

// For "%.*s": long enough to recognise, short enough for a message.
int supWord_Shorten( supWord word );

// To the beginning of the next line.
void supScanner_SkipLine( supScanner* scanner );

// True where nothing but blanks is left in this line.
bool supScanner_AtLineEnd( supScanner* scanner );

// A decimal number. NULL if there is none, else its end.
const char* supScanNumber( const char* p, const char* end, double* number );

// ---------------------------------------------------------------------------------------------------------------------
// Numbers, text or binary as the scanner says. False with an error; `what` names the number in it.

typedef enum supNumberKind
{
	sup_numberU8,
	sup_numberI32,
	sup_numberI64,
	sup_numberF32,
	sup_numberF64,
} supNumberKind;

// `kind` is looked at where numbers are binary. Not finite as a float: an error.
bool supScanner_ReadNumber( supScanner* scanner, supNumberKind kind, const char* what, double* number );

// A whole number in [lower, upper].
bool supScanner_ReadInt( supScanner* scanner, supNumberKind kind, const char* what, int64_t lower, int64_t upper,
						 int64_t* number );

// False with an error where the rest of the file has no room for `count` items of `numbers` numbers each, so that
// nothing is allocated on the word of the file alone.
bool supScanner_HasRoom( const supScanner* scanner, int64_t count, int64_t numbers, supNumberKind kind,
						 const char* what );

// Over `count` numbers of any kind.
bool supScanner_SkipNumbers( supScanner* scanner, int64_t count, supNumberKind kind, const char* what );
