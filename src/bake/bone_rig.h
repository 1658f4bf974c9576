// SPDX-License-Identifier: MIT
// A character and its bakes as a problem for supBakeBones.
#pragma once

#include "bake/bake.h"
#include "io/gltf/gltf_bones.h"

typedef struct supBoneRig
{
	supArena arena;
	const supCharacter* character;
	supBake* const* bakes;
	int32_t bakeCount;
	supBoneClip* clips; // per bake
	int32_t frameCount; // of all clips

	// no mesh has a skin: helpers alone move all of them, from where they are in the first frame
	bool isSkinless;
	int32_t instanceCount;
	int32_t* instances;
	int64_t* firstVertices;
	int32_t vertexCount;
	supMat34* skinSpaces;
	int32_t* columnOf; // of each joint of each skin
	int32_t columnCount;
	supBoneColumn* columns;

	// for the solver
	supVec3* positions;
	uint32_t* indices;
	int32_t indexCount;
	int32_t* parts;
	int32_t* groups;    // per column: the root of its tree
	supMat34* matrices; // columns, per frame
	uint16_t* joints;
	float* weights;

	supMat34* worlds; // nodes, per frame
	supMat34* restWorlds;
	supPose* pose;
	bool hasMorphs;
	supVec3* scratch[2]; // skinned, of the largest instance
} supBoneRig;

// False with an error where there is no mesh, or out of memory. Destroy it in any case.
bool supBoneRig_Create( supBoneRig* rig, supBake* const* bakes, int32_t bakeCount, supError* error );
void supBoneRig_Destroy( supBoneRig* rig );

// The clip that a frame belongs to, with the pose of the character set to it.
const supBoneClip* supBoneRig_SetPose( supBoneRig* rig, supPose* pose, int32_t frame );

// The part of the definition that the rig knows; it refers to the rig. All else stays as it is.
void supBoneRig_Describe( supBoneRig* rig, supBonesDef* def );

// supReadPositionsFcn with the rig as context: all instances, in metres. What morph targets add is taken out, since it
// stays in the file as morph targets.
bool supBoneRig_Read( int32_t frame, supVec3* positions, void* context, supError* error );
