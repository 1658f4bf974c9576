// SPDX-License-Identifier: MIT
// Colours: sRGB and back, heat maps. The same on every machine.
#pragma once

#include "core/core.h"
#include "supple/math.h"

// Linear brightness of each of the 256 codes of sRGB.
void supFillLinearTable( float linear[256] );

// The code of a linear brightness. `dither` in [0, 1) decides where to round: gentle gradients would show steps
// otherwise.
uint8_t supEncodeSrgb( const float linear[256], float value, float dither );

// A number in [0, 1) for each pixel, without a pattern that the eye would see.
float supDitherOf( uint32_t x, uint32_t y );

// The colour of a heat value in [0, 1], sRGB: dark blue, green, yellow (perceptually even).
supVec3 supHeatColor( float value );
