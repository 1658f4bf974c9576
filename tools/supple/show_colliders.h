// SPDX-License-Identifier: MIT
// Colliders of a scene file: made, moved along their paths, and as meshes to be drawn.
#pragma once

#include "show.h"

// Adds those of the file to the scene. Returns exit_ok or what to exit with.
int OpenColliders( Show* show );
void CloseColliders( Show* show );

// Where they begin, at rest or thrown.
void BeginColliders( Show* show );

// Tells kinematic ones where to be at show->time.
void MoveColliders( Show* show );

// Vertices and normals of one as it is now, as many as its mesh has.
void WriteCollider( const ShowCollider* collider, supVec3* positions, supVec3* normals );
