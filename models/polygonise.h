// SPDX-License-Identifier: MIT
// From an implicit surface to triangles: closed, manifold, facing out.
#pragma once

#include "sculpt.h"

typedef struct polyMesh
{
	int32_t vertexCount;
	supVec3* positions;
	int32_t triangleCount;
	int32_t* triangles; // three per triangle
} polyMesh;

// Marching tetrahedra (six to a cube, all around its main diagonal) on a grid of the given spacing. Every inner edge of
// the result has two triangles by construction. False where out of memory. Destroy with polyMesh_Destroy.
bool polygonise( const sculptShape* shape, float spacing, polyMesh* mesh );

void polyMesh_Destroy( polyMesh* mesh );
