// SPDX-License-Identifier: MIT
// Pictures with 16 bits per colour, as textures that hold numbers.
#pragma once

#include "core/core.h"

typedef struct supDeepPicture
{
	int32_t width, height;
	uint16_t* pixels; // red, green, blue; top row first
} supDeepPicture;

// The file as bytes, to be freed with supFree; NULL with an error. As PNG: 16 bits, marked as linear. As EXR: 32-bit
// floats from 0 to 1, ZIP compression.
uint8_t* supEncodeDeepPng( const supDeepPicture* picture, size_t* byteCount, supError* error );
uint8_t* supEncodeDeepExr( const supDeepPicture* picture, size_t* byteCount, supError* error );
