// SPDX-License-Identifier: MIT
// A triangle soup as sheets: welded, without duplicates, each point with one fan of triangles.
#pragma once

#include "volume/binding/skin_layer.h"

typedef struct supSkinSheets
{
	int32_t pointCount;
	supVec3* points;
	int32_t triangleCount;
	// three a triangle, counter-clockwise from outside
	int32_t* corners;
	// first of the triangles around each point; pointCount + 1
	int32_t* fanStarts;
	int32_t* fans;
	// of each point the smallest point that it hangs together with
	int32_t* parts;
	// of each vertex of the soup its point, -1 where no triangle uses it
	int32_t* vertexPoints;
} supSkinSheets;

// False only when out of memory. Everything is in the arena.
bool supBuildSkinSheets( const supSkinLayerDef* def, supArena* arena, supSkinSheets* sheets,
						 supSkinLayerReport* report );
