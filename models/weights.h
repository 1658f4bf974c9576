// SPDX-License-Identifier: MIT
// Skin weights for a sculpted skin.
#pragma once

#include "polygonise.h"

// Every vertex starts with the joint of the blob it belongs to; the weights then spread along the skin (never through
// the air from limb to limb), `reach` thicknesses of the limb far. Four joints per vertex, heaviest first, sum 1.
// False where out of memory.
bool spreadWeights( const polyMesh* mesh, const sculptShape* shape, int32_t jointCount, float reach, uint16_t* joints,
					float* weights );
