// SPDX-License-Identifier: MIT
// What bodies are made of: the layers of a flesh definition, made ready for voxels, and carried to any points.
#pragma once

#include "supple/flesh.h"
#include "volume/body/layers.h"

// The layers that a flesh definition asks for, as settings of supLayers_Init.
typedef struct supLayerSettings
{
	supArena arena;
	// layers[i].tissue is what layer i of supLayers is made of
	const supLayer* layers;
	int32_t layerCount;
	supLayersDef def;
} supLayerSettings;

// Widths in metres become voxels, rounded; joints become bones. False and an error that names the layer or joint where
// a number cannot be used, a name is missing or a node is not a joint.
// - settings is zero-initialised; the flesh definition must outlive it
bool supLayerSettings_Init( supLayerSettings* settings, const supFleshDef* def, const supCharacter* character,
							const supBones* bones, double voxelSize, supError* error );
void supLayerSettings_Destroy( supLayerSettings* settings );

// The layer of each point: that of the voxel that it lies in or is nearest to. tasks may be NULL.
// - out has room for count
void supCarryLayers( const supLayers* layers, const supVoxels* voxels, const supVec3* points, int32_t count,
					 const supTasks* tasks, uint8_t* out );

// The same without voxels, from the distance to the bone and the thickness of the flesh there (supSoftPoint): bone up
// to boneWidth, skin for the last skinWidth, and the layers between by their shares of what is left.
int32_t supPickLayer( const supLayer* layers, int32_t layerCount, float boneWidth, float skinWidth, float boneDistance,
					  float thickness );
