// SPDX-License-Identifier: MIT
// A glTF document in memory: the JSON tree as it was read and the bytes of its buffers. Reading a character looks at
// it, writing edits the tree and appends; whatever we do not know about is never touched.
#pragma once

#include "core/arena.h"
#include "core/array.h"
#include "supple/io.h"

#include <jansson.h>

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
};

// jansson's memory goes through our hooks; called by everything that makes a JSON tree.
void supInitJson( void );

// ---------------------------------------------------------------------------------------------------------------------
// Looking into JSON: never trust types. All return a default where the key is missing or of another type.

json_t* supJson_Get( const json_t* object, const char* key );
json_t* supJson_At( const json_t* array, size_t index );
const char* supJson_String( const json_t* object, const char* key, const char* otherwise );
double supJson_Number( const json_t* object, const char* key, double otherwise );
bool supJson_Bool( const json_t* object, const char* key, bool otherwise );

// A whole number in [0, INT32_MAX], also where written 3.0. Missing: `otherwise`. Anything else: -2.
int64_t supJson_Index( const json_t* object, const char* key, int64_t otherwise );

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

// Aligned to 4 bytes, at the end of the first buffer that has bytes (made where there is none). Target 0: none.
int64_t supDocument_AppendView( supDocument* document, const void* bytes, size_t byteCount, int target,
								supError* error );

// `type` is "SCALAR", "VEC3", ... The minima and maxima are written where `withBounds`.
int64_t supDocument_AppendAccessor( supDocument* document, const void* values, int32_t count, int componentType,
									const char* type, int target, bool withBounds, supError* error );

// The JSON text of a tree with numbers as short as they can be written without loss. Free with supFree.
char* supWriteJson( const json_t* tree, size_t* length );
