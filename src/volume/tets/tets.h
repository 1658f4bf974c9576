// SPDX-License-Identifier: MIT
// A body as tetrahedra.
#pragma once

#include "core/pack.h"
#include "supple/flesh.h"

typedef struct supTets
{
	supArena arena;
	int32_t pointCount;
	supVec3* points;
	int32_t tetCount;
	// four a tet, oriented so that ( p1 - p0 ) x ( p2 - p0 ) . ( p3 - p0 ) is positive
	int32_t* indices;
} supTets;

void supTets_Destroy( supTets* tets );

// A copy of tets from elsewhere. False and an error only when out of memory.
// - tets is zero-initialised; indices are in range
bool supTets_InitMesh( supTets* tets, const supTetMesh* mesh, supError* error );

// The same tets as others see them; valid as long as they are.
supTetMesh supTets_Mesh( const supTets* tets );

// Into the group of a pack that the caller has entered ("tets" by custom: `supple inspect` shows what is in groups of
// this name), and out again: a view of what the reader handed out, checked. False with the reader's error set.
void supTets_Save( const supTets* tets, supPackWriter* writer );
bool supTets_Load( supTetMesh* mesh, supPackReader* reader );

// Signed, in cubic metres.
double supTets_Volume( const supTets* tets, int32_t tet );
