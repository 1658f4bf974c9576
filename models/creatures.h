// SPDX-License-Identifier: MIT
// The sculpted characters, one file each.
#pragma once

#include "supple/character.h"

supCharacter* createBunny( supError* error );
