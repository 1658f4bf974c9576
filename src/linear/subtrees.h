// SPDX-License-Identifier: MIT
#pragma once

#include "linear/symbolic.h"

// Chooses the subtrees, and sets rowTargets and workCount. False only where out of memory.
bool supMakeSubtrees( supSymbolic* symbolic, supArena* scratch );
