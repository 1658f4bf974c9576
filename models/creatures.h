#pragma once
#include "supple/character.h"
supCharacter* createBunny( supError* error );
