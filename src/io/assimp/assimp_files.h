// SPDX-License-Identifier: MIT
// The files that assimp may open: those in the folder of the model, for reading.
#pragma once

#include "supple/io.h"

#include <assimp/cfileio.h>

typedef struct supImportFiles
{
	const char* path; // of the model
	const supLoadDef* def;
	double endMilliseconds; // 0: no end
	bool late;              // reading was refused because the time is over
	bool outOfMemory;       // must not pass for a missing file
	struct aiFileIO io;     // for aiImportFileEx
} supImportFiles;

// Keeps the pointers; must not be moved afterwards.
void supImportFiles_Init( supImportFiles* files, const char* path, const supLoadDef* def );
