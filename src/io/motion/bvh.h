// SPDX-License-Identifier: MIT
// Biovision hierarchy: a skeleton and one motion as text.
#pragma once

#include "supple/character.h"

// A character without meshes: nodes with the file's offsets as rest pose, and one clip named after the file, both in
// the file's own unit. End sites become leaf nodes named "<parent>_end". `name` is the file's name for messages.
// `text` need not end with a zero byte. NULL and an error naming the line where it cannot be used.
supCharacter* supParseBvh( const char* text, size_t length, const char* name, supError* error );
