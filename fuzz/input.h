// SPDX-License-Identifier: MIT
// The input of a target as a row of small decisions. Past its end everything is 0.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Input
{
	const uint8_t* data;
	size_t size;
} Input;

static inline uint32_t TakeBytes( Input* input, size_t count )
{
	uint32_t value = 0;
	size_t there = count < input->size ? count : input->size;
	memcpy( &value, input->data, there );
	input->data += there;
	input->size -= there;
	return value;
}

static inline uint32_t TakeByte( Input* input )
{
	return TakeBytes( input, 1 );
}

// Below `count`, which is above 0.
static inline uint32_t TakeIndex( Input* input, uint32_t count )
{
	return TakeBytes( input, count > 256 ? 4 : 1 ) % count;
}

// From lower to upper in 256 steps: small changes of the input are small changes of the number.
static inline float TakeBetween( Input* input, float lower, float upper )
{
	return lower + ( upper - lower ) * (float)TakeByte( input ) / 255.0f;
}

// Any float at all.
static inline float TakeFloat( Input* input )
{
	uint32_t bits = TakeBytes( input, 4 );
	float value;
	memcpy( &value, &bits, 4 );
	return value;
}
