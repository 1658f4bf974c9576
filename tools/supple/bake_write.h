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
	double tolerance; // of the character's size
	const supTasks* tasks;
	// what was written
	int32_t fileCount;
	uint64_t byteCount;
} BakeOutput;

#define BAKE_EXTENSIONS ".glb .gltf .pc2 .mdd .obj .usda"

// Returns exit_ok or what to exit with.
int WriteBakes( BakeOutput* output );

// "out.pc2" with words put in, made safe for file names: "out.Walk.Body.pc2", and `tail` behind. Words may be NULL.
// Free with supFree; NULL where out of memory.
char* MakeBakePath( const char* path, const char* first, const char* second, const char* tail );
