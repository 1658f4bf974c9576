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

supCharacter* createDeer( supError* error );
supCharacter* createDeer1748( supError* error );
supCharacter* createDeer8408( supError* error );
supCharacter* createHorse( supError* error );
supCharacter* createCow( supError* error );
supCharacter* createBird( supError* error );
supCharacter* createFish( supError* error );
supCharacter* createOctopus( supError* error );
supCharacter* createSnake( supError* error );
supCharacter* createSnake3102( supError* error );
