// SPDX-License-Identifier: MIT
// A layer of tetrahedra grown inwards from a skin: outer corners are the skin's own vertices, to the bit.
//
// (Galoppo, Otaduy, Tekin, Gross & Lin 2007 simulate such a layer.) In this order:
// 1. Vertices at the same place are welded. Triangles with two corners at one place, and all but the first of several
//    on the same three places, are dropped. Closed parts that are inside out are turned around.
// 2. Around each place triangles are joined across edges with exactly two triangles that agree about what is outside.
//    Each such fan has a point of its own, so that what is not manifold (three sheets at an edge, two cones at a tip)
//    becomes several sheets, each with its own layer.
// 3. Each point has a direction inwards that is below all triangles of its fan, and a thickness: what was asked for, at
//    most a share of what there is between it and the far side of the body, changing slowly along the skin.
// 4. Each triangle becomes a prism and that three tets. The side of a prism is cut from the outer corner of its lower
//    number, so that neighbours agree.
// 5. Where a tet comes out flat or turned, its points are made thinner. Triangles for which that does not end (spikes,
//    two sheets in one place) are left out and counted.
#pragma once

#include "volume/tets/tets.h"

typedef struct supSkinLayerDef
{
	int32_t vertexCount;
	const supVec3* positions;
	int32_t triangleCount;
	// three a triangle
	const uint32_t* indices;
	// metres, above 0
	float thickness;
	// of the way through the body, above 0 and below 0.5: layers from both sides do not meet. Default 0.4.
	float share;
	// may be NULL
	const supTasks* tasks;
} supSkinLayerDef;

supSkinLayerDef supDefaultSkinLayerDef( void );

typedef struct supSkinLayerReport
{
	// places with more than one fan, and the fans beyond the first
	int32_t splitPlaces;
	int32_t addedPoints;
	int32_t degenerateTriangles;
	int32_t duplicateTriangles;
	// triangles of parts that were inside out
	int32_t turnedTriangles;
	// triangles without tets, since no thickness gave them any
	int32_t leftOut;
	// of the points that have tets, in metres; 0 without
	float smallestThickness;
	float meanThickness;
	// of all tets, in cubic metres
	double volume;
} supSkinLayerReport;

typedef struct supSkinLayer
{
	// points: outerCount outer ones, then as many inner ones in the same order
	supTets tets;
	int32_t outerCount;
	// of each vertex its outer point; -1 where no triangle uses it
	int32_t* vertexPoints;
	// of each outer point its thickness; 0 where it has no tets
	float* thickness;
	supSkinLayerReport report;
} supSkinLayer;

// False and an error where there is no triangle, an index is out of range, a vertex is not a number, the thickness or
// share is out of range, or out of memory. The same bits for every number of threads.
// - layer is zero-initialised
bool supSkinLayer_Init( supSkinLayer* layer, const supSkinLayerDef* def, supError* error );
void supSkinLayer_Destroy( supSkinLayer* layer );
