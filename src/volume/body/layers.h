// SPDX-License-Identifier: MIT
// The anatomy of a body of voxels: bone innermost, skin outermost, any number of layers between.
//
// (Iwamoto, Shum, Yang & Morishima 2015, section 4.) In this order:
// 1. A voxel that a bone passes through is bone, also at the surface. So where a limb is one voxel thin the bone wins:
//    as skin alone it would hang from nothing.
// 2. Every other voxel with a face to the outside is skin: one voxel thick. Every chain of voxels across faces from the
//    outside to the layers between goes through skin, or through bone where that has come to the surface.
// 3. Every other voxel within the bone's width (Manhattan, through the body) is bone: a wide bone ends below the skin.
// 4. The rest is shared out along the way from bone to skin: with distances b to the bone layer and s to the skin layer
//    a voxel is (b - 1/2) / (b + s - 1) of the way, and the layers between take their shares of it one after another.
//
// Settings are those of the bone whose layer is nearest through the body; of equally near ones, the first.
#pragma once

#include "supple/flesh.h"
#include "volume/body/bones.h"

// What differs in one body part.
typedef struct supLayerPart
{
	int32_t bone;
	// in voxels, 0..512; -1 leaves it as everywhere else
	int32_t boneWidth;
	// layerCount - 2 shares; NULL leaves them as everywhere else
	const float* shares;
} supLayerPart;

typedef struct supLayersDef
{
	// Bone and skin included, 2..16. Default 4: bone, muscle, fat, skin.
	int32_t layerCount;
	// How far the bone layer reaches beyond the voxels that bones pass through, in voxels, 0..512. Default 0.
	int32_t boneWidth;
	// Parts of the way from bone to skin, from the inside out: layerCount - 2 numbers of any sum, none negative. NULL
	// (default): all the same.
	const float* shares;
	int32_t partCount;
	const supLayerPart* parts;
} supLayersDef;

supLayersDef supDefaultLayersDef( void );

typedef struct supLayers
{
	supArena arena;
	int32_t layerCount;
	// of each voxel: 0 bone .. layerCount - 1 skin
	uint8_t* layers;
	// of each voxel: the bone whose part it belongs to
	int32_t* bones;
	// of each voxel: steps across faces to the nearest voxel with a face to the outside
	int32_t* depths;
	int32_t counts[SUP_MAX_LAYERS];
	// voxels of each bone's part. 0: too coarse for it, or it is outside (supBoneVoxels.lost).
	int32_t* boneCounts;
} supLayers;

// False and an error where out of memory or where a setting is out of range.
// - layers is zero-initialised
bool supLayers_Init( supLayers* layers, const supVoxels* voxels, const supBones* bones, const supBoneVoxels* boneVoxels,
					 const supLayersDef* def, supError* error );
void supLayers_Destroy( supLayers* layers );

// The resolution at which a bone is two voxels long along one of the axes, so that it passes from one side to the other
// of a voxel in which it neither begins nor ends; at most SUP_MAX_VOXEL_RESOLUTION. What to try where boneCounts is 0
// but the bone is not lost.
int32_t supSuggestResolution( const supVoxels* voxels, const supBones* bones, int32_t bone );
