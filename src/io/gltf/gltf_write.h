// SPDX-License-Identifier: MIT
// What everything that writes glTF shares: building JSON, appending items, putting vertex data into valid shape.
//
// Two rules keep a document lossless. Bytes and items are only ever appended, so that indices and offsets in things we
// do not know about (extensions, extras) stay true. And what is shared is never changed in place: an edited object is a
// shallow copy whose untouched members are the original's own.
#pragma once

#include "io/common/posed.h"
#include "io/gltf/document.h"

// GL constants of accessors and buffer views
#define SUP_GL_BYTE 5120
#define SUP_GL_UNSIGNED_BYTE 5121
#define SUP_GL_SHORT 5122
#define SUP_GL_UNSIGNED_SHORT 5123
#define SUP_GL_UNSIGNED_INT 5125
#define SUP_GL_FLOAT 5126
#define SUP_GL_VERTICES 34962
#define SUP_GL_INDICES 34963

// ---------------------------------------------------------------------------------------------------------------------
// Building JSON. The makers return NULL when out of memory; the setters take such a NULL and report it, so that calls
// nest: supJson_Set( node, "name", supJson_MakeString( name ), error ).

// A number that reads back as the same float but prints without the digits that only a double has: 0.1, not
// 0.10000000149011612. What is not finite becomes 0.
json_t* supJson_MakeFloat( float value );
json_t* supJson_MakeFloats( const float* values, int32_t count );

// Bytes that are not UTF-8 become U+FFFD: names come from files of any age.
json_t* supJson_MakeString( const char* text );

// All of it, or NULL when out of memory: json_copy leaves out what it has no memory for.
json_t* supJson_Copy( json_t* source, bool deep );

// Both take over `value`, also when they fail.
bool supJson_Set( json_t* object, const char* key, json_t* value, supError* error );
bool supJson_Push( json_t* array, json_t* value, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Items

// Appends to root[key] and takes over `item`, also when it fails. The index, or -1 with an error.
int64_t supDocument_AppendItem( supDocument* document, const char* key, json_t* item, supError* error );

// 16 bits where they suffice, else 32. `base` is subtracted from each.
int64_t supDocument_AppendIndices( supDocument* document, const uint32_t* indices, int32_t count, uint32_t base,
								   supError* error );

// Offsets of morph targets: sparse where few are not zero.
int64_t supDocument_AppendOffsets( supDocument* document, const supVec3* offsets, int32_t count, bool withBounds,
								   supError* error );

// Replaces the transform of a node: members that are the identity are left out, a matrix goes.
bool supJson_SetTransform( json_t* node, supTransform transform, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Vertex data as glTF wants it

// Directions must have unit length: others are scaled, and zeros (degenerate triangles, bones scaled to nothing) become
// +Y, or anything square to the normal for a tangent. The sign in w becomes 1 or -1. `normals` may be NULL.
void supRepairNormals( supVec3* normals, int32_t count );
void supRepairTangents( supVec4* tangents, const supVec3* normals, int32_t count );

// ---------------------------------------------------------------------------------------------------------------------
// Parts of a document from parts of a character

// Every mesh that has triangles: meshes[i] of the document, or -1, goes to indices[i]. textures[i] is the texture with
// the character's image i, or -1.
bool supWriteMeshes( supDocument* document, const supCharacter* character, const int64_t* textures, int64_t* indices,
					 supError* error );

// As supDocument_AddClip, but a clip of which nothing can be written is no error: `written` says so.
// - unit: metres per unit of the document; the clip is in metres
bool supWriteClip( supDocument* document, const supClip* clip, float unit, bool* written, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Edits that happen as a whole or not at all: everything is done on a copy of the tree.

typedef struct supEdit
{
	supDocument* document;
	// the tree as it was; meshes and nodes may be looked up here while the new tree changes
	json_t* root;
	int32_t bufferCount;
	int32_t appendBuffer; // the one that grows; -1 if there is none yet
	size_t byteCount;     // of that one
	int32_t viewCount;
	size_t sourceBytes;
} supEdit;

bool supEdit_Begin( supEdit* edit, supDocument* document, supError* error );

// Keeps the changes, or puts everything back as it was.
void supEdit_End( supEdit* edit, bool keep );

// ---------------------------------------------------------------------------------------------------------------------
// Meshes with vertices of our own

// A copy of a mesh of the document (an entry of "meshes") with other positions, normals and tangents, without joints,
// weights and morph targets; all else (texture coordinates, colours, materials, extensions, extras) is the original's.
// `leftovers` gets a copy with the primitives that a character leaves out (points, lines), NULL if there are none.
// NULL with an error on failure. The caller owns both.
json_t* supMakePlainMesh( supDocument* document, json_t* source, const supMesh* mesh, supPosedMesh* posed,
						  json_t** leftovers, supError* error );

// JOINTS_n or WEIGHTS_n.
bool supIsSkinAttribute( const char* semantic );

// True for the primitives that a character has: those with at least one triangle.
bool supIsInCharacter( const supDocument* document, const json_t* primitive );

// The primitive of `mesh`, at `index`, that stands for this one. NULL with an error where they do not fit together.
const supPrimitive* supMatchPrimitive( const supDocument* document, const json_t* primitive, const supMesh* mesh,
									   int32_t index, supError* error );

// Takes the optional compressed copy of vertices that are about to change out of a primitive.
bool supDropCompressedCopy( json_t* primitive, supError* error );

// Takes out accessors, views and bytes that nothing refers to, where all extensions of the document are known not to
// refer to any. False with an error when out of memory; the document is then as it was.
bool supDocument_DropUnused( supDocument* document, supError* error );
