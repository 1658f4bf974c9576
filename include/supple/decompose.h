// SPDX-License-Identifier: MIT
/// @file decompose.h
/// From moving vertices to bones: skin weights and bone transforms that reproduce a point cache, by anyone. Needs
/// nothing but the C library; docs/baking.md says how `supple bake --as bones` uses it.
#pragma once

#include "supple/base.h"
#include "supple/math.h"

/// Reads the positions of one frame, vertexCount of them, in the space that bone matrices lead to. Called once per
/// frame, in order. Return false with an error to give up.
typedef bool supReadPositionsFcn( int32_t frame, supVec3* positions, void* context, supError* error );

/// Called after each round. `share` rises from 0 to 1. Return false to stop: the best result so far is kept.
typedef bool supBonesProgressFcn( float share, void* context );

/// What to decompose. Bones come in two kinds: fixed ones, whose motion is given (the character's own skeleton), and
/// helpers, whose motion is found.
typedef struct supBonesDef
{
	/// The mesh at rest: what bone matrices are applied to.
	int32_t vertexCount;
	const supVec3* positions;
	/// Triangles, so that weights are smooth over the surface. May be 0 and NULL.
	int32_t indexCount;
	const uint32_t* indices;
	/// One number per vertex, may be NULL: vertices at one place are welded, and bones passed on to neighbours, only
	/// within a part. Meshes with different skins are different parts.
	const int32_t* parts;

	/// Frames of all clips, one clip after another, at least 1.
	int32_t frameCount;
	supReadPositionsFcn* read;
	void* readContext;

	/// Bones whose motion is given, 0 .. 65000: fixedMatrices[frame * fixedCount + bone] maps rest positions to the
	/// frame. May be 0: helpers then move everything.
	int32_t fixedCount;
	const supMat34* fixedMatrices;
	/// One number per fixed bone, may be NULL: a helper moves only vertices that start with bones of its owner's
	/// number. Separate skeletons have different ones.
	const int32_t* fixedGroups;
	/// Weights to start from: startInfluences per vertex (1 .. 8), numbers of fixed bones. A vertex is only ever given
	/// fixed bones that it or vertices near it in its part start with. NULL without fixed bones.
	int32_t startInfluences;
	const uint16_t* startJoints;
	const float* startWeights;

	/// The most helpers, 0 .. 1024. Default 32. Helpers that would change nothing are not added.
	int32_t helperCount;
	/// Bones per vertex, 1 .. 8. Default 4.
	int32_t influences;
	/// Lets helpers scale uniformly. Default false: rotation and translation.
	bool withScale;
	/// 0 .. 1, default 0.5: how much weights follow those of their neighbours where bones agree.
	float smoothness;
	/// 1 .. 1000, default 32: the most rounds of weights and transforms after the last helper is in place. Fewer where
	/// two in a row gain next to nothing.
	int32_t rounds;
	/// NULL (default): everything on the calling thread. The result does not depend on it.
	const supTasks* tasks;
	/// May be NULL.
	supBonesProgressFcn* progress;
	void* progressContext;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supBonesDef;

/// Every field as its comment says.
SUP_API supBonesDef supDefaultBonesDef( void );

/// Distances from what was given, over all vertices and frames.
typedef struct supBonesError
{
	/// Root mean square and largest distance, in the unit of the positions.
	float rms;
	float worst;
} supBonesError;

/// The result. Arrays belong to it.
typedef struct supBakedBones
{
	int32_t vertexCount;
	int32_t frameCount;
	int32_t fixedCount;
	/// Helpers in use, at most what was asked for.
	int32_t helperCount;
	/// The fixed bone that a helper belongs to, -1 where there is none.
	const int32_t* owners;
	/// Where a helper sits at rest: the middle of what it moves, and how far that reaches.
	const supVec3* centers;
	const float* radii;
	/// matrices[frame * helperCount + helper]: from rest positions to the frame. Rotation, translation, and the scale
	/// of the owner (the mean length of its axes; 1 without), or the helper's own where asked for.
	const supMat34* matrices;
	/// Per vertex `influences` bones, heaviest first: below fixedCount a fixed bone, else helper + fixedCount. Weights
	/// are 0 or more with sum 1.
	int32_t influences;
	const uint16_t* joints;
	const float* weights;
	/// With the starting weights, and with the result.
	supBonesError startError;
	supBonesError error;
	/// RMS after each batch of helpers was added: what fewer would give, and what more might. The last steps have more
	/// helpers than the result.
	int32_t stepCount;
	const int32_t* stepHelpers;
	const float* stepErrors;
} supBakedBones;

/// Finds helper bones and weights that reproduce the frames: alternates sparse convex weights per vertex and a weighted
/// Procrustes fit per helper and frame, as Le and Deng 2012 do (Smooth Skinning Decomposition with Rigid Bones).
/// Helpers are added where one more rigid motion explains most of what is left, more than wanted, and those that others
/// can stand in for are removed again. Large meshes are solved on some of their vertices first. The same bits for any
/// number of threads. NULL with an error where memory runs out, frames cannot be read, positions are not finite, or a
/// number is out of range.
SUP_API supBakedBones* supBakeBones( const supBonesDef* def, supError* error );

/// NULL is fine.
SUP_API void supDestroyBakedBones( supBakedBones* bones );

/// How many helpers would reach an RMS of `rms`, from the errors of the steps. 0 where no number is in sight.
SUP_API int32_t supBakedBones_EstimateHelpers( const supBakedBones* bones, float rms );
