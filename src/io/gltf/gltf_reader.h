// SPDX-License-Identifier: MIT
// What the parts of the glTF reader share while a document becomes a character definition.
//
// Policy: damage (offsets beyond the end, indices that do not exist, cycles) is an error; what is merely odd or useless
// (points and lines, channels without a target, values of the wrong width) is left out and noted.
#pragma once

#include "io/gltf/document.h"

// How often something was found, and where first: one note however often.
typedef struct supGltfTally
{
	int32_t count;
	int32_t first;
} supGltfTally;

typedef struct supGltfReader
{
	const supDocument* document;
	// everything that the definition points to and that is not in the document; bounded
	supArena arena;
	supCharacterDef def;
	SUP_ARRAY( supNote ) notes;
	int32_t suppressedNotes;
	// the last notes come on top of the bound
	bool closing;
	supError* error;

	supNode* nodes;
	// parents before children
	int32_t* order;
	supMat34* worlds;
	supSkin* skins;
	supMesh* meshes;
	// by accessor: times of keys, which many channels share
	float** times;

	supGltfTally sheared;
	supGltfTally mirrored;
	supGltfTally noInverseBinds;
	supGltfTally ignoredTransforms;
	supGltfTally restPoses;
	supGltfTally notIndexed;
} supGltfReader;

// Each fills its part of reader->def. False with reader->error set.
bool supGltf_ReadMeshes( supGltfReader* reader );
bool supGltf_ReadMaterials( supGltfReader* reader );
bool supGltf_ReadClips( supGltfReader* reader );

// Notes what was odd; only the first few hundred are kept. Returns false where out of memory.
bool supGltf_AddNote( supGltfReader* reader, bool repaired, const char* format, ... ) SUP_PRINTF( 3, 4 );

static inline void supGltf_Count( supGltfTally* tally, int32_t index )
{
	tally->first = tally->count == 0 ? index : tally->first;
	tally->count += 1;
}

// Returns false, so that a function can end with it.
bool supGltf_Fail( supGltfReader* reader, supErrorCode code, const char* where, const char* format, ... )
	SUP_PRINTF( 4, 5 );

// Memory from the arena for `count` items, zeroed. NULL with an error, which says so where the bound was reached.
void* supGltf_Alloc( supGltfReader* reader, size_t count, size_t itemSize );

// The array root[key] and its length.
const json_t* supGltf_List( const supGltfReader* reader, const char* key, int32_t* count );

// Numbers of a JSON array of exactly `count` finite numbers. False where it is anything else.
bool supGltf_ReadNumbers( const json_t* array, int32_t count, float* numbers );
