// SPDX-License-Identifier: MIT
// TetGen and Gmsh as separate programs, if installed and requested.
#pragma once

#include "supple/flesh.h"

typedef enum supMesherProgram
{
	sup_mesherTetgen,
	sup_mesherGmsh,
} supMesherProgram;

typedef struct supMesherDef
{
	supMesherProgram program;
	// A surface, which should be closed and not cut itself: neither program takes others. Vertices at the same place
	// are made one.
	int32_t vertexCount;
	const supVec3* positions;
	int32_t triangleCount;
	const uint32_t* indices;
	// About how many; triangles of the surface are a limit below. 0: as it comes.
	int32_t tetCount;
	// It is ended after so long. 0: ten minutes.
	double seconds;
} supMesherDef;

// Destroy with supDestroyTets. NULL with an error that says whether the program is missing or what it complained about.
supTetMesh* supRunMesher( const supMesherDef* def, supError* error );
