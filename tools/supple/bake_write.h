// SPDX-License-Identifier: MIT
// Bakes written out, in whatever format the extension asks for.
#pragma once

#include "bake.h"

typedef struct BakeOutput
{
	const char* path;
	Source* source; // its document is changed where the format is glTF
	const BakedClip* clips;
	int32_t clipCount;
	double tolerance;             // of the character's size
	bool keepClips;               // of glTF: also those that were not baked
	bool compress;                // of glTF: EXT_meshopt_compression
	const BakeSettings* settings; // form, and what goes with it; NULL: morph targets
	// what was written, where asked for; the caller frees what is in `bones`
	BonesResult* bones;
	supBasisReport* basis;
	const supTasks* tasks;
	// what was written
	int32_t fileCount;
	uint64_t byteCount;
} BakeOutput;

#define BAKE_EXTENSIONS ".glb .gltf .pc2 .mdd .obj .usda .usdz"

// Returns exit_ok or what to exit with.
int WriteBakes( BakeOutput* output );

// `name` as the word at `index`, unlike all before it: other files than theirs, also where case does not count. Words
// lie `stride` bytes apart. A name that is empty becomes a number.
void MakeFileWord( const char* name, FileWord* words, int32_t index, size_t stride );

// "out.pc2" with words put in: "out.Walk.Body.pc2", and `tail` behind. Words may be NULL or empty. Free with supFree;
// NULL where out of memory.
char* MakeBakePath( const char* path, const FileWord* first, const FileWord* second, const char* tail );
