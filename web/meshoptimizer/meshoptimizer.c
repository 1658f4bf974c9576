// SPDX-License-Identifier: MIT
// Compressed glTF is unpacked by the decoder that createSupple was given (three.js brings meshoptimizer's own).
#include "meshoptimizer.h"

// As library.js counts them.
typedef enum Mode
{
	modeAttributes,
	modeTriangles,
	modeIndices,
} Mode;

typedef enum Filter
{
	filterNone,
	filterOctahedral,
	filterQuaternion,
	filterExponential,
} Filter;

// In library.js: 0 where it worked, 1 where the data is damaged, 2 without a decoder.
int supWebDecode( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount, Mode mode,
				  Filter filter );

static bool s_missing;

// JavaScript decodes and filters in one go, so that a filter begins again with what was decoded last
static const unsigned char* s_bytes;
static size_t s_byteCount;

static int Decode( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount, Mode mode )
{
	int failed = supWebDecode( out, count, stride, bytes, byteCount, mode, filterNone );
	s_bytes = bytes;
	s_byteCount = byteCount;
	s_missing = s_missing || failed == 2;
	return failed;
}

int meshopt_decodeIndexBuffer( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount )
{
	return Decode( out, count, stride, bytes, byteCount, modeTriangles );
}

int meshopt_decodeIndexSequence( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount )
{
	return Decode( out, count, stride, bytes, byteCount, modeIndices );
}

int meshopt_decodeVertexBuffer( void* out, size_t count, size_t stride, const unsigned char* bytes, size_t byteCount )
{
	return Decode( out, count, stride, bytes, byteCount, modeAttributes );
}

void meshopt_decodeFilterOct( void* out, size_t count, size_t stride )
{
	supWebDecode( out, count, stride, s_bytes, s_byteCount, modeAttributes, filterOctahedral );
}

void meshopt_decodeFilterQuat( void* out, size_t count, size_t stride )
{
	supWebDecode( out, count, stride, s_bytes, s_byteCount, modeAttributes, filterQuaternion );
}

void meshopt_decodeFilterExp( void* out, size_t count, size_t stride )
{
	supWebDecode( out, count, stride, s_bytes, s_byteCount, modeAttributes, filterExponential );
}

bool supWasDecoderMissing( void )
{
	bool missing = s_missing;
	s_missing = false;
	return missing;
}
