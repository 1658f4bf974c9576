// SPDX-License-Identifier: MIT
// What is next to what in a mesh of tetrahedra: edges, faces, neighbours, parts. All in linear time, whatever the order
// of points and tets, and all of it the same for every number of threads.
//
// Results are allocated from the caller's arena. Each function returns false, with an error, only when out of memory;
// the arena then still holds what was made so far.
#pragma once

#include "volume/tets/tets.h"

// The three corners of the face opposite each corner, counter-clockwise from outside.
extern const int8_t supTetFaces[4][3];

// The two corners of each of the six edges.
extern const int8_t supTetEdges[6][2];

// Every edge once: two points each, the smaller first, sorted by the first and then by the second.
bool supTets_Edges( const supTets* tets, supArena* arena, int32_t* edgeCount, int32_t** edges, supError* error );

// The tets around each point, rising: those of point i are items[starts[i]] .. items[starts[i + 1] - 1].
bool supTets_Around( const supTets* tets, supArena* arena, int32_t** starts, int32_t** items, supError* error );

// The tet behind the face opposite each corner, four a tet: -1 at the boundary, -2 where more than two tets share the
// face (no mesher of ours makes such a face, but files may have them).
bool supTets_Neighbours( const supTets* tets, supArena* arena, int32_t** neighbours, supError* error );

// Faces that belong to one tet alone, three points each, counter-clockwise from outside, in the order of the tets.
bool supTets_Boundary( const supTets* tets, supArena* arena, int32_t* triangleCount, int32_t** triangles,
					   supError* error );

// Numbers the pieces of points that tets hold together, in the order of their first points; the part of a tet is that
// of any of its corners. A point that no tet uses is a part of its own.
bool supTets_Parts( const supTets* tets, supArena* arena, int32_t* partCount, int32_t** parts, supError* error );
