// SPDX-License-Identifier: MIT
// What a ray finds where it meets a mesh: place, normal, colour.
#pragma once

#include "draw/picture.h"
#include "supple/character.h"

// Geometry to draw. Arrays belong to the caller and must live while the renderer uses them.
typedef struct supDrawMesh
{
	int32_t vertexCount;
	const supVec3* positions;
	const supVec3* normals;   // NULL: flat
	const supVec4* colors;    // linear, or NULL
	const supVec2* texcoords; // or NULL
	// One value per vertex in [0, 1] shown as a heat map in place of colour and texture, or NULL.
	const float* heat;
	int32_t indexCount;
	const uint32_t* indices;
	int32_t primitiveCount;
	const supPrimitive* primitives;
} supDrawMesh;

typedef struct supShading
{
	const supDrawMesh* meshes;
	const supMaterial* materials;
	int32_t materialCount;
	const supPicture* pictures;
	int32_t pictureCount;
	int32_t** triangleMaterials; // of each mesh: material of each triangle, -1 without
	float linear[256];           // of sRGB
} supShading;

typedef struct supSurfaceHit
{
	uint32_t mesh;
	uint32_t triangle;
	float u, v;    // barycentric, of the second and third corner
	supVec3 facet; // across the triangle, of any length
	supVec3 origin, direction;
	float distance;
	float wireWidth; // size of a pixel here where edges are to be drawn, else 0
} supSurfaceHit;

typedef struct supSurface
{
	supVec3 position;
	supVec3 normal; // towards the viewer
	supVec3 facet;  // likewise, of the triangle
	supVec3 albedo;
	supVec3 emission;
	float alpha;
	float roughness;
} supSurface;

supSurface supFindSurface( const supShading* shading, const supSurfaceHit* hit );
