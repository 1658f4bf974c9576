// SPDX-License-Identifier: MIT
// FBX, Collada, OBJ, PLY, STL and what else assimp reads, turned into a character: metres, +Y up, right-handed.
//
// assimp reads the file in this process. It is a large library that meets damaged files with exceptions at best; a
// program that opens files of strangers does better to call this in a child process, as the command line does.
#pragma once

#include "supple/io.h"

supCharacter* supImportCharacter( const char* path, const supLoadDef* def, supError* error );

// True where assimp reads files with this extension (".fbx", in lower case).
bool supCanImport( const char* extension );
