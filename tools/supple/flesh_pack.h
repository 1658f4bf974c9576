// SPDX-License-Identifier: MIT
// A look into a .flesh file without its character.
#pragma once

#include "core/pack.h"
#include "io/common/file.h"
#include "supple/flesh.h"

typedef struct FleshPack
{
	uint8_t* bytes; // of the file
	size_t byteCount;
	supPackReader reader;
	char method[64];
	char character[128];
	// of the first group called "tets" (supTets_Save), or array of that name beside one called "rest"; none without
	supTetMesh tets;
} FleshPack;

// False with an error, and nothing to close. `path` outlives the pack.
bool OpenFleshPack( FleshPack* pack, const char* path, supError* error );
void CloseFleshPack( FleshPack* pack );

// Enters the groups that the section's name says; returns its last part. LeaveFleshGroups leaves them again.
const char* EnterFleshGroups( FleshPack* pack, const char* name );
void LeaveFleshGroups( FleshPack* pack );
