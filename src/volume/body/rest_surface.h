// SPDX-License-Identifier: MIT
// The skin of a whole character as one list of triangles: all instances in the rest pose, in world space.
//
// A mesh that no joint moves, beside others that joints do move, is no flesh: scenery, or a copy of the character in
// another resolution that was left in the file. Its vertices are in the list, its triangles are not, and it goes where
// ordinary skinning puts it.
#pragma once

#include "core/arena.h"
#include "supple/character.h"

typedef struct supRestSurface
{
	supArena arena;
	int32_t vertexCount;
	int32_t triangleCount;
	supVec3* positions;
	// three a triangle, counter-clockwise from outside also where an instance is mirrored
	uint32_t* indices;
	// first vertex of each instance among all; instanceCount + 1
	int32_t* vertexStarts;
	// of each instance: is moved by no joint, while others are
	bool* still;
} supRestSurface;

// False where out of memory.
// - still has room for all instances
bool supFindStillInstances( const supCharacter* character, bool* still );

// Of each corner of each triangle: the next corner whose edge (to the following corner) joins the same two places,
// around in a circle. False only when out of memory.
// - places of vertices as supWeld has them; rings has room for three a triangle; what is taken from scratch stays there
bool supRestSurface_FindRings( const supRestSurface* surface, const int32_t* places, supArena* scratch,
							   int32_t* rings );

// False and an error where out of memory or where there are more than 2^30 vertices or corners. Nothing is left behind.
// - surface is zero-initialised
bool supRestSurface_Init( supRestSurface* surface, const supCharacter* character, const supTasks* tasks,
						  supError* error );
void supRestSurface_Destroy( supRestSurface* surface );

// Of each vertex the first triangle that it is a corner of; -1 without.
// - triangles has room for all vertices
void supRestSurface_FindTriangles( const supRestSurface* surface, int32_t* triangles );
