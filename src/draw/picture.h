// SPDX-License-Identifier: MIT
// Pictures in memory: PNG and JPEG in and out, lines and text on top, several put together.
#pragma once

#include "core/core.h"
#include "supple/math.h"

// Eight bits a channel, sRGB, top row first. Alpha is straight, not premultiplied.
typedef struct supPicture
{
	int32_t width;
	int32_t height;
	uint8_t* pixels; // RGBA
} supPicture;

// Transparent black. False where out of memory or where a side is not in [1, 16384].
bool supPicture_Create( supPicture* picture, int32_t width, int32_t height );
void supPicture_Destroy( supPicture* picture );

// PNG or JPEG, told apart by content. `where` names it in messages.
bool supPicture_Decode( supPicture* picture, const uint8_t* bytes, size_t byteCount, const char* where,
						supError* error );

// Written beside the target and renamed.
bool supPicture_SavePng( const supPicture* picture, const char* path, supError* error );

// Likewise; alpha is left out. `quality` from 1 to 100.
bool supPicture_SaveJpeg( const supPicture* picture, int32_t quality, const char* path, supError* error );

// Copies `source` into `picture` with its upper left corner at (x, y); what sticks out is cut off.
void supPicture_Paste( supPicture* picture, const supPicture* source, int32_t x, int32_t y );

// ---------------------------------------------------------------------------------------------------------------------
// Drawing on top

typedef struct supPen supPen;

// Begins drawing; the picture must outlive the pen. NULL where out of memory.
supPen* supPen_Begin( supPicture* picture );
void supPen_End( supPen* pen );

void supPen_Line( supPen* pen, supVec2 a, supVec2 b, float width, supVec4 color );
void supPen_Disc( supPen* pen, supVec2 center, float radius, supVec4 color );
void supPen_Rectangle( supPen* pen, supVec2 corner, supVec2 size, supVec4 color );

// A bone: thick near `a`, running to a point at `b`.
void supPen_Spike( supPen* pen, supVec2 a, supVec2 b, float width, supVec4 color );

// `anchor` is the place in the text that lies on `at`: (0, 0) its upper left corner, (1, 1) its lower right.
void supPen_Text( supPen* pen, supVec2 at, supVec2 anchor, float size, supVec4 color, const char* text );

// How far a line of text reaches, in pixels.
float supPen_TextWidth( supPen* pen, float size, const char* text );
