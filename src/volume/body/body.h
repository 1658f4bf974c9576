// SPDX-License-Identifier: MIT
// A character at rest as a body of voxels: surface, bones and layers in one go.
#pragma once

#include "supple/flesh.h"
#include "volume/body/layers.h"
#include "volume/body/rest_surface.h"

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
// - resolution: voxels along the longest axis; slender bodies get more
// - def, of which layers and bone widths are used, may be NULL: standard layers
bool supBody_Init( supBody* body, const supCharacter* character, int32_t resolution, const supFleshDef* def,
				   const supTasks* tasks, supError* error );
void supBody_Destroy( supBody* body );
