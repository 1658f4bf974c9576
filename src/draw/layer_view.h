// SPDX-License-Identifier: MIT
// A look inside: the voxels of a character at rest as boxes in the colours of their layers, cut open towards the eye.
#pragma once

#include "draw/renderer.h"

typedef struct supLayerView supLayerView;

// Bone, muscle, fat and skin as by default. Of the two upright planes of the grid through the middle of the body the
// one that faces the eye more is the cut, and what lies before it is left out; from above it is what lies above the
// middle.
// - resolution as for supVoxels
// - toEye is not zero
supLayerView* supCreateLayerView( const supCharacter* character, int32_t resolution, supVec3 toEye,
								  const supTasks* tasks, supError* error );
void supDestroyLayerView( supLayerView* view );

bool supLayerView_Draw( supLayerView* view, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
						supError* error );
