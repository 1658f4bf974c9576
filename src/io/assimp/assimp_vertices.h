// SPDX-License-Identifier: MIT
// One aiMesh on its way into a mesh: its weights by vertex, and which of its vertices are the same. assimp gives every
// corner of every face a vertex of its own.
#pragma once

#include "io/assimp/assimp_scene.h"

// More bones on one vertex than this are noise; supCreateCharacter keeps the heaviest eight and says so.
#define SUP_IMPORT_STRIDE 16

typedef struct supInfluence
{
	float weight;
	uint32_t joint;
} supInfluence;

// One aiMesh on its way.
typedef struct supPiece
{
	const struct aiMesh* source;
	uint32_t* starts; // of each vertex in `influences`; vertexCount + 1
	supInfluence* influences;
	int32_t* joined; // old vertex -> new, -1 where no triangle uses it
	int32_t* kept;   // new vertex -> old
	int32_t keptCount;
	int32_t freeCount; // kept vertices without influences
	int32_t triangleCount;
	int32_t stride; // most influences of a vertex, at most SUP_IMPORT_STRIDE
} supPiece;

// False for lines, points and polygons, and where an index leads outside.
bool supIsTriangle( const struct aiMesh* mesh, const struct aiFace* face );

// Sorts the weights of piece->source by vertex, heaviest first. jointOf maps joined nodes to joints; NULL: no skin.
// False where out of memory.
bool supPiece_GatherWeights( supPiece* piece, const supImport* import, const int32_t* jointOf, supArena* scratch );

// Finds the vertices that triangles use and that differ in anything: place, normal, texture, colour, weights, morph
// targets. False where out of memory.
// - the weights are gathered
bool supPiece_JoinVertices( supPiece* piece, supArena* scratch );
