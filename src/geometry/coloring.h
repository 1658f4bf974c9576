// SPDX-License-Identifier: MIT
// Graph colouring of items that share points: edges, tetrahedra, anything that a solver corrects together.
//
// Two items are neighbours where they share a point. Items of one colour share none, so that they can be worked on at
// the same time, on as many threads or lanes as there are.
#pragma once

#include "core/core.h"

// Sequential colouring: each item, in the order given, takes the first colour that no neighbour has taken. Never more
// than the largest number of neighbours and one; for meshes in a local order it is close to the size of the largest
// clique (Coleman & More 1983).
//
// Returns the number of colours, -1 where out of memory.
// - points: `arity` of each item, in [0, pointCount); a point that an item names twice counts once
// - colors: one of each item
int32_t supColorItems( int32_t itemCount, int32_t arity, const int32_t* points, int32_t pointCount, int32_t* colors );
