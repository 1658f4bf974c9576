// SPDX-License-Identifier: MIT
// The inside of a pose, for skinning.
#pragma once

#include "character/character.h"

// A joint for linear skinning: the twelve floats of a supMat34, one joint per cache line.
typedef struct supWideMatrix
{
	_Alignas( SUP_CACHE_LINE ) supMat34 matrix;
} supWideMatrix;

// A joint for dual quaternion skinning: stretch first, then the rigid motion. One cache line, two wide loads.
typedef struct supDualJoint
{
	supDualQuat motion;
	// xx, yy, zz, xy, yz, zx of the symmetric stretch, and two zeros
	float stretch[8];
} supDualJoint;

// What is out of date about the matrices of one skin.
typedef struct supPaletteState
{
	bool matricesDirty;
	bool wideDirty;
	bool dualsDirty;
	// some joint is not rigid
	bool hasStretch;
} supPaletteState;

// Palettes depend on the skin alone, so that instances share those of a shared skin.
struct supPose
{
	supArena arena;
	const supCharacter* character;
	supTransform* locals;
	float* morphWeights;
	supMat34* worlds;
	supMat34* palettes;
	supWideMatrix* widePalettes;
	supDualJoint* duals;
	supPaletteState* states;
	bool worldsDirty;
	// worlds are relative to this place
	supVec3 origin;
};

// Skinning matrices for linear skinning, brought up to date.
// - the instance has a skin
const supWideMatrix* supPose_WidePalette( supPose* pose, int32_t instance );

// Skinning matrices as stretch and rigid motion, brought up to date.
// - the instance has a skin
const supDualJoint* supPose_DualPalette( supPose* pose, int32_t instance, bool* hasStretch );

// World matrices, and all that follows from them, are computed relative to this place. Not part of what
// supPose_Copy copies.
void supPose_SetOrigin( supPose* pose, supVec3 origin );

// Morph weights are written to by anybody: those that are no usable number become 0.
void supPose_RepairMorphs( supPose* pose );

// The same local transforms and morph weights, bit for bit?
bool supPose_Equals( const supPose* pose, const supPose* other );

// Local transforms and morph weights as plain bytes.
size_t supPose_ByteCount( const supPose* pose );
void supPose_Save( const supPose* pose, void* bytes );
void supPose_Load( supPose* pose, const void* bytes );

// Splits a skinning matrix into stretch and rigid motion. Returns whether it is not rigid.
bool supMakeDualJoint( supMat34 m, supDualJoint* joint );
