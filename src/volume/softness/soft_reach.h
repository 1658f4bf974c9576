// SPDX-License-Identifier: MIT
// How far drawn skin may get from skinning, where soft regions limit it.
#pragma once

#include "core/arena.h"
#include "supple/flesh.h"

// Metres for each vertex, instance by instance, 0 where nothing limits it; `reaches` stays NULL where no region has a
// limit. False and an error where a region cannot be used or out of memory.
// - regions may be NULL with a count of 0
bool supFindReaches( const supCharacter* character, const supSoftRegion* regions, int32_t count, supArena* arena,
					 const float** reaches, int32_t* reachCount, supError* error );
