// SPDX-License-Identifier: MIT
// The sculpted characters, one file each.
#pragma once

#include "supple/character.h"

supCharacter* createBunny( supError* error );
supCharacter* createBloat( supError* error );
supCharacter* createHuman( supError* error );
supCharacter* createKangaroo( supError* error );
supCharacter* createSmurf( supError* error );
supCharacter* createTorso( supError* error );
