// SPDX-License-Identifier: MIT
// Clicks on a mesh that make a skeleton, as JSON; docs/rig.md has it all.
#pragma once

#include "supple/rig.h"

// Adds all joints and bones and sets the root. False and an error that names the file and the click ("clicks.json:
// joints[3]"); the rig then has what came before.
bool supLoadClicks( supRig* rig, const char* path, supError* error );

// The same from memory. `name` is used in messages.
bool supParseClicks( supRig* rig, const void* bytes, size_t byteCount, const char* name, supError* error );
