// SPDX-License-Identifier: MIT
// The part of meshoptimizer's interface that src/io uses. In the browser JavaScript decodes: see meshoptimizer.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// 0 where it worked.
int meshopt_decodeIndexBuffer( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount );
int meshopt_decodeIndexSequence( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount );
int meshopt_decodeVertexBuffer( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount );

// Only behind meshopt_decodeVertexBuffer, of the same data.
void meshopt_decodeFilterOct( void* out, size_t count, size_t stride );
void meshopt_decodeFilterQuat( void* out, size_t count, size_t stride );
void meshopt_decodeFilterExp( void* out, size_t count, size_t stride );

// Whether anything has been asked for since the last call that JavaScript had no decoder for.
bool supWasDecoderMissing( void );
