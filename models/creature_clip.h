// SPDX-License-Identifier: MIT
// Clips of a creature from functions of time.
#pragma once

#include "core/arena.h"
#include "creature.h"

// Samples the function at even times. The skin says where the lowest point is. Memory is the arena's, which knows
// whether it failed.
supClip buildClip( supArena* arena, const creature* c, const creatureClipDef* def, const supMesh* skin );
