// SPDX-License-Identifier: MIT
// What the parts of working out softness share.
#pragma once

#include "volume/softness/bone_space.h"
#include "volume/softness/softness.h"

typedef struct supSoftBuilder
{
	const supSoftnessDef* def;
	supSoftness* softness;
	const supVoxels* voxels;
	// of the definition, in world space; never NULL
	const supSoftRegion* regions;
	// the given ones, with longer stubs at the ends of chains
	supBones bones;
	// freed at the end
	supArena scratch;
	// across faces, six a voxel
	int32_t* neighbours;
	// the surface voxel that each voxel lies under
	int32_t* skins;
	float* selection;
	float* values;
	float* distances;
	int32_t* pieces;
	int32_t* queue;
} supSoftBuilder;

// Passes of smoothing over neighbouring voxels.
#define SUP_SOFT_SMOOTHING 3

// In each pass half itself, half the mean of its neighbours.
// - values are not builder->values
void supSoftBuilder_Smooth( supSoftBuilder* builder, float* values, int32_t passes );

// Where nothing is painted: softness by anatomy (soft_guess.c). False only when out of memory.
bool supSoftBuilder_Guess( supSoftBuilder* builder );

// Calls back for points of a triangle that are half a voxel apart, the corners among them.
typedef void supTrianglePointFcn( const uint32_t* corners, float u, float v, void* context );
void supSoftBuilder_SampleTriangle( const supSoftBuilder* builder, const uint32_t* corners,
									supTrianglePointFcn* function, void* context );

// Selection of one region on all voxels, into builder->selection: 0..1. False only when out of memory.
bool supSoftBuilder_Select( supSoftBuilder* builder, const supSoftRegion* region );

// 0 below lower, 1 above upper, smooth between.
static inline float supRamp( float lower, float upper, float x )
{
	float t =
		upper > lower ? supClampFloat( ( x - lower ) / ( upper - lower ), 0.0f, 1.0f ) : ( x >= upper ? 1.0f : 0.0f );
	return t * t * ( 3.0f - 2.0f * t );
}
