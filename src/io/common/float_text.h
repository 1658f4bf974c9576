// SPDX-License-Identifier: MIT
// Floats as decimal text, fast.
#pragma once

#include <stddef.h>

// Room for any float, with the zero at the end.
#define SUP_FLOAT_TEXT_SIZE 32

// Nine significant digits, which bring a float back to the bit, without zeros at the end, and with a decimal point
// whatever the language. Returns the length.
// - text has room for SUP_FLOAT_TEXT_SIZE
size_t supFormatFloat( char* text, float value );
