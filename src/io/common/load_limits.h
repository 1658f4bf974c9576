// SPDX-License-Identifier: MIT
// The limits of a supLoadDef at work.
#pragma once

#include "core/core.h"
#include "supple/io.h"

// Charges what this thread allocates to `budget` until supEndLoad, unless a load around this one already does.
void supBeginLoad( const supLoadDef* def, supBudget* budget );

// `failed`: the load has come to nothing. Where that is because a limit was met, the error says so in place of "out of
// memory".
void supEndLoad( const supLoadDef* def, supBudget* budget, bool failed, const char* where, supError* error );

// False with an error where a character has more of something than it may.
bool supCheckLoadLimits( const supLoadDef* def, const supCharacter* character, const char* where, supError* error );

// The same before memory is asked for.
bool supCheckNodeLimit( const supLoadDef* def, uint64_t count, const char* where, supError* error );
