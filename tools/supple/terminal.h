// SPDX-License-Identifier: MIT
// The terminal: colours where they are wanted, and a progress line.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum Style
{
	style_plain,
	style_title,
	style_error,
	style_note,
	style_good,
	style_faint,
} Style;

// True on a terminal that is not dumb, where NO_COLOR (https://no-color.org) is not set.
bool HasColor( FILE* stream );

// Escape sequences, or "" where the stream has no colour.
const char* BeginStyle( FILE* stream, Style style );
const char* EndStyle( FILE* stream );

typedef struct TerminalSize
{
	int columns, rows;
} TerminalSize;

// 80 by 24 where it is unknown.
TerminalSize GetTerminalSize( FILE* stream );

// ---------------------------------------------------------------------------------------------------------------------
// Progress: one line on a terminal, drawn again in place, shown only once the work has taken half a second.

typedef struct Progress
{
	FILE* stream; // NULL: never shown
	char label[48];
	double started; // seconds of a clock that only runs forwards
	double drawn;
	bool visible;
} Progress;

double GetSeconds( void );

// One at a time. Shown on `stream` where that is a terminal and not --quiet; otherwise everything does nothing.
void BeginProgress( Progress* progress, FILE* stream, const char* label );
// `done` of `total`, with the name of what is being worked on (may be NULL). Cheap enough for every item.
void UpdateProgress( Progress* progress, int64_t done, int64_t total, const char* item );
void EndProgress( Progress* progress );

// Clears the line so that a message can be printed; the next update draws it again.
void HideProgress( void );

// Also called by HideProgress, for what is drawn over several lines. NULL: nothing is.
typedef void HideFcn( void* context );
void SetHide( HideFcn* hide, void* context );
