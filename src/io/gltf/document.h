// SPDX-License-Identifier: MIT
// A glTF document in memory: the JSON tree as it was read and the bytes of its buffers. Reading a character looks at
// it, writing edits the tree and appends; whatever we do not know about is never touched.
#pragma once

#include "core/arena.h"
#include "core/array.h"
#include "io/common/json.h"
#include "supple/io.h"

// The bytes of root.buffers[i].
typedef struct supBuffer
{
	// NULL for a buffer that has no data of its own (the fallback of EXT_meshopt_compression).
	uint8_t* bytes;
	size_t byteCount;
	size_t capacity;
} supBuffer;

// The bytes of root.images[i] where that is a file or a data URI; NULL for pictures in buffer views and missing files.
typedef struct supDocumentImage
{
	uint8_t* bytes;
	size_t byteCount;
} supDocumentImage;

struct supDocument
{
	// File name for messages, without folder.
	char* name;
	json_t* root;
	SUP_ARRAY( supBuffer ) buffers;
	SUP_ARRAY( supDocumentImage ) images;
	// Decoded EXT_meshopt_compression views, root.bufferViews[i]; NULL for plain views. Filled when the document is
	// read.
	SUP_ARRAY( supBuffer ) decodedViews;
	// What was odd about the file itself; handed on to the character. Texts live in `arena`.
	SUP_ARRAY( supNote ) notes;
	supArena arena;
	// Bytes that came from outside: the file, its buffers and its pictures. What may be made of them is bounded by it.
	size_t sourceBytes;
	// How far the file is trusted; what supDefaultLoadDef says where it did not come from supLoadDocumentWith.
	supLoadDef load;
};

// The most bytes that decoding may take, so that a small file cannot ask for gigabytes (many users of one accessor,
// accessors without a view).
size_t supDocument_DecodedLimit( const supDocument* document );

// The extension that compresses a view or marks a fallback buffer, NULL without: EXT_meshopt_compression or its KHR
// successor.
json_t* supGetMeshoptExtension( const json_t* object );

// Decodes the compressed views of a document that has been read: fills decodedViews.
bool supDocument_DecodeViews( supDocument* document, supError* error );

// The bytes of bufferViews[index]: decoded where it is compressed. `where` names the user of it in messages.
bool supDocument_View( const supDocument* document, int64_t index, const char* where, const uint8_t** bytes,
					   size_t* byteCount, supError* error );

// "name: where", for supSetError.
bool supDocument_SetError( const supDocument* document, supError* error, supErrorCode code, const char* where,
						   const char* format, ... ) SUP_PRINTF( 5, 6 );

// ---------------------------------------------------------------------------------------------------------------------
// Accessors

// How an accessor is laid out once everything about it has been checked.
typedef struct supAccessor
{
	int32_t count;
	int32_t width;         // components: 1 SCALAR, 2, 3, 4, 4 MAT2, 9 MAT3, 16 MAT4
	int32_t componentType; // GL constant: 5120 .. 5126
	bool normalized;
} supAccessor;

// Checks accessors[index]. `where` names the user of it in messages ("meshes[0].primitives[1].attributes.POSITION").
bool supDocument_Accessor( const supDocument* document, int64_t index, const char* where, supAccessor* accessor,
						   supError* error );

// All components as floats (normalised integers decoded), sparse substitution applied: count * width floats from
// `arena`. NULL with an error on failure.
float* supDocument_ReadFloats( const supDocument* document, int64_t index, const char* where, supArena* arena,
							   supAccessor* accessor, supError* error );

// All components as unsigned integers.
uint32_t* supDocument_ReadIntegers( const supDocument* document, int64_t index, const char* where, supArena* arena,
									supAccessor* accessor, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Appending. Each returns the index of the new item, or -1 with an error. A failure in the middle leaves the document
// usable but possibly with items that nothing refers to.

// An empty document: asset block, no scene.
supDocument* supCreateEmptyDocument( const char* name, supError* error );

// Aligned to 4 bytes, at the end of the first buffer that has bytes (made if there is none). Target 0: none.
int64_t supDocument_AppendView( supDocument* document, const void* bytes, size_t byteCount, int target,
								supError* error );

// `type` is "SCALAR", "VEC3", ... The minima and maxima are written where `withBounds`.
int64_t supDocument_AppendAccessor( supDocument* document, const void* values, int32_t count, int componentType,
									const char* type, int target, bool withBounds, supError* error );
