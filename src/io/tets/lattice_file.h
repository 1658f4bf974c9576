// SPDX-License-Identifier: MIT
// Control lattices as JSON, for those made by hand or changed by hand:
//
//     {
//       "vertices": [ [ 0, 1, 0 ], ... ],            metres, where the character is at rest
//       "cells": [ [ 0, 1, 2, 3 ], ... ],            4 numbers are a tet, 6 a prism, 8 a hex, see control_lattice.h
//       "joints": [ { "node": "hips" },              a node of the character, by its name or its number
//                   { "node": "head", "offset": [ 0, 0.2, 0 ] },      a place in its space
//                   { "at": [ 0, 1, 0 ] } ],         a place that stays
//       "bones": [ [ 0, 1 ], [ 1, 2, "hips" ], ... ] from joint to joint; the node that carries the flesh along, or
//                                                    that of the first joint
//       "pins": [ [ 0, 0, 0, 0 ], ... ]              optional: vertex, joints a and b, part of the way from a to b
//       "edges": [ [ 0, 5, 6 ], ... ]                optional: bone, from vertex to vertex
//     }
//
// Without pins vertices near bones lie on them, without edges bones go over all vertices between their joints.
#pragma once

#include "volume/lattice/control_lattice.h"

// False and an error that names the place in the file, or the cell and face (supControlLattice_Init); nothing is left
// behind.
// - lattice is zero-initialised
bool supLoadControlLattice( supControlLattice* lattice, const char* path, const supCharacter* character,
							supError* error );

// The same from memory. `name` is used in messages.
bool supParseControlLattice( supControlLattice* lattice, const void* bytes, size_t byteCount, const char* name,
							 const supCharacter* character, supError* error );

// Everything, so that loading gives the same lattice to the bit.
bool supSaveControlLattice( const supControlLattice* lattice, const char* path, supError* error );
