// SPDX-License-Identifier: MIT
// Projects of the studio: a character as GLB with its settings in the document's extras (docs/files.md#projects).
// Wherever settings are read, a project may stand for its settings.
#pragma once

#include "io/common/json.h"
#include "supple/io.h"

// Is it a GLB with settings? Reads no more than its JSON.
bool IsProject( const char* path );

// The settings of a file, JSON or project, as a tree to be given back by json_decref. NULL with an error.
json_t* ParseSettingsFile( const char* path, supError* error );

// supLoadSettings, also of a project.
supSettings* LoadSettingsFile( const char* path, const supCharacter* character, supError* error );
