// SPDX-License-Identifier: MIT
// Files of strangers through assimp, in a process of their own: a damaged file can crash it, send it round in circles
// or make it eat all memory. The process is confined (sandbox.h) and hands the character back as a GLB.
#pragma once

#include "supple/supple.h"

// All zero, or NULL in its place: what files of honest people need.
typedef struct ImportLimits
{
	bool allowOutside;      // files outside of the folder of the model, too
	double memoryMegabytes; // 0: in proportion to the file
	double seconds;         // of processor time; 0: in proportion to the file
} ImportLimits;

// The hidden subcommand: `supple __import PATH OUTSIDE BYTES SECONDS`.
#define IMPORT_COMMAND "__import"

// As supLoadCharacter. glTF and BVH have readers of our own and are read in this process.
// The program that calls it hands its arguments to RunImportChild where argv[1] is IMPORT_COMMAND.
supCharacter* IsolatedLoadCharacter( const char* path, const ImportLimits* limits, supError* error );

// The other side: reads argv[2] and writes the outcome to the descriptor that the parent has left open.
int RunImportChild( int argc, char** argv );
