// SPDX-License-Identifier: MIT
// Characters of one skinned mesh.
#pragma once

#include "supple/character.h"

// The mesh hangs on the last of the nodes.
supCharacter* testMakeSkinned( const supNode* nodes, int32_t nodeCount, const supSkin* skin, const supMesh* mesh );
