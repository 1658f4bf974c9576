// SPDX-License-Identifier: MIT
// Fingerprints of files by content, remembered by what stat says of them: a file that has not changed is not read
// again. A note may be kept with each (what was found in the file), valid for the same content.
#pragma once

#include "core/hash.h"

typedef struct supFileCache supFileCache;

// What `path` has kept, empty where there is nothing usable. NULL when out of memory.
supFileCache* supOpenFileCache( const char* path );
void supDestroyFileCache( supFileCache* cache );

// Writes it where it has changed. A failure is none of the caller's business: everything is computed again then.
void supFileCache_Save( supFileCache* cache );

// The content of a file. False with an error.
bool supFileCache_Hash( supFileCache* cache, const char* file, supHash128* hash, supError* error );

// The note that was kept for a file as it is now, NULL without. Valid until the next call.
const char* supFileCache_Note( supFileCache* cache, const char* file );
// - no tabs or line breaks in the note
bool supFileCache_SetNote( supFileCache* cache, const char* file, const char* note );
