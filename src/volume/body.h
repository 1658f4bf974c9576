// SPDX-License-Identifier: MIT
// A character at rest as a body of voxels: surface, bones and layers in one go.
#pragma once

#include "supple/flesh.h"
#include "volume/layers.h"
#include "volume/rest_surface.h"

typedef struct supBody
{
	supRestSurface surface;
	supVoxels voxels;
	supBones bones;
	supBoneVoxels boneVoxels;
	supLayers layers;
} supBody;

// False and an error, nothing left behind, where any part of it fails.
// - body is zero-initialised
// - def, of which layers and bone widths are used, may be NULL: standard layers
bool supBody_Init( supBody* body, const supCharacter* character, int32_t resolution, const supFleshDef* def,
				   const supTasks* tasks, supError* error );
void supBody_Destroy( supBody* body );

// The layers of a flesh in terms of voxels and bones: widths are rounded to whole voxels. Arrays live in the arena.
// Nodes that are no bones of these are passed over. False only when out of memory.
// - the bones are of a character (nodes is not NULL)
bool supMakeLayersDef( supLayersDef* layersDef, supArena* arena, const supFleshDef* def, const supVoxels* voxels,
					   const supBones* bones );
