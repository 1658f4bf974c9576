// SPDX-License-Identifier: MIT
// A look inside: the voxels of a character at rest as boxes in the colours of their layers, cut open towards the eye.
#pragma once

#include "draw/renderer.h"
#include "supple/flesh.h"

typedef struct supLayerView supLayerView;

// Layers as the flesh has them. Of the two upright planes of the grid through the middle of the body the
// one that faces the eye more is the cut, and what lies before it is left out; from above it is what lies above the
// middle.
// - flesh may be NULL: bone, muscle, fat and skin as by default
// - resolution as for supVoxels
// - toEye is not zero
supLayerView* supCreateLayerView( const supCharacter* character, const supFleshDef* flesh, int32_t resolution,
								  supVec3 toEye, const supTasks* tasks, supError* error );
void supDestroyLayerView( supLayerView* view );

// Sentences about bones that the voxels do not hold.
int32_t supLayerView_NoteCount( const supLayerView* view );
const char* supLayerView_Note( const supLayerView* view, int32_t index );

bool supLayerView_Draw( supLayerView* view, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
						supError* error );
