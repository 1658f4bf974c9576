// SPDX-License-Identifier: MIT
// A clip that does not belong to a character: what supDestroyClip releases.
#pragma once

#include "core/arena.h"
#include "supple/character.h"

typedef struct supOwnedClip
{
	supClip clip; // first, so that the public pointer is ours
	supArena arena;
} supOwnedClip;
