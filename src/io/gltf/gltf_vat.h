// SPDX-License-Identifier: MIT
// A character for vertex animation textures: plain meshes with texture coordinates that lead each vertex to its texel.
#pragma once

#include "io/common/frames.h"
#include "supple/io.h"

// Vertices of all instances, one after another; a frame takes `rowsPerFrame` rows of `width` texels.
typedef struct supVatLayout
{
	int32_t vertexCount;
	int32_t frameCount;
	int32_t width;
	int32_t height;
	int32_t rowsPerFrame;
} supVatLayout;

// No side longer than 4096 texels where that is possible, else 8192 or 16384. False with an error beyond that.
bool supMakeVatLayout( const supCharacter* character, int32_t frameCount, supVatLayout* layout, supError* error );

// Every instance, with a skin or without, becomes a plain mesh in world space with the vertices of frame 0 and
// TEXCOORD_1: the middle of the vertex' texel in the first frame. Skins and animations go. A failure leaves the
// document as it was.
bool supAddVatMesh( supDocument* document, const supFrames* frames, const supVatLayout* layout, supError* error );
