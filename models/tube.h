// SPDX-License-Identifier: MIT
// A tube along x with round ends: 2 m long, 0.3 m thick, 292 vertices, 580 triangles.
#pragma once

#include "supple/character.h"

#define SUP_TUBE_VERTICES 292
#define SUP_TUBE_TRIANGLES 580

supCharacter* supCreateTube( supError* error );
supCharacter* supCreateTube5( supError* error );
