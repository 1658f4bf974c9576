// SPDX-License-Identifier: MIT
/// @file decompose.h
/// Decomposes any point cache into skin weights and bone transforms. Needs only the C library; docs/baking.md shows how
/// `supple bake --as bones` uses it.
#pragma once

#include "supple/base.h"
#include "supple/math.h"

/// Reads the vertexCount positions of one frame, in the space that bone matrices map to. Called once per frame, in
/// order. Return false with an error to abort.
typedef bool supReadPositionsFcn( int32_t frame, supVec3* positions, void* context, supError* error );

/// Called after each round with the progress, 0 to 1. Return false to stop; the best result so far is kept.
typedef bool supBonesProgressFcn( float share, void* context );

/// What to decompose. Fixed bones have a given motion (the character's own skeleton); helpers have a motion that is
/// solved for.
typedef struct supBonesDef
{
	/// The mesh at rest: what bone matrices are applied to.
	int32_t vertexCount;
	const supVec3* positions;
	/// Triangles, for smooth weights over the surface. May be 0 and NULL.
	int32_t indexCount;
	const uint32_t* indices;
	/// One part number per vertex; may be NULL. Coincident vertices are welded, and bones spread to neighbours, only
	/// within a part. Meshes with different skins are different parts.
	const int32_t* parts;

	/// Frames of all clips in sequence, >= 1.
	int32_t frameCount;
	supReadPositionsFcn* read;
	void* readContext;

	/// Fixed bones, 0..65000: fixedMatrices[frame * fixedCount + bone] maps rest positions to the frame. May be 0:
	/// helpers then move everything.
	int32_t fixedCount;
	const supMat34* fixedMatrices;
	/// One group number per fixed bone; may be NULL. A helper only moves vertices that start on bones of its owner's
	/// group. Give separate skeletons different groups.
	const int32_t* fixedGroups;
	/// Initial weights: startInfluences per vertex (1..8), indices of fixed bones. A vertex is only ever assigned fixed
	/// bones that it or nearby vertices of its part start with. NULL without fixed bones.
	int32_t startInfluences;
	const uint16_t* startJoints;
	const float* startWeights;

	/// Maximum number of helpers, 0..1024. Default 32. Helpers without effect are not added.
	int32_t helperCount;
	/// Bones per vertex, 1 .. 8. Default 4.
	int32_t influences;
	/// Lets helpers scale uniformly. Default false: rotation and translation.
	bool withScale;
	/// How much weights follow those of their neighbours where bones agree, 0..1. Default 0.5.
	float smoothness;
	/// Maximum rounds of weights and transforms after the last helper is placed, 1..1000. Default 32. Stops early when
	/// two rounds in a row gain almost nothing.
	int32_t rounds;
	/// Task system to run on; the result does not depend on it. NULL (default): everything runs on the calling thread.
	const supTasks* tasks;
	/// Progress callback; may be NULL.
	supBonesProgressFcn* progress;
	void* progressContext;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supBonesDef;

/// Returns the documented default of every field.
SUP_API supBonesDef supDefaultBonesDef( void );

/// Distances from the given positions, over all vertices and frames.
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
	/// Helpers in use, at most supBonesDef.helperCount.
	int32_t helperCount;
	/// The fixed bone each helper belongs to, or -1.
	const int32_t* owners;
	/// Rest position of each helper: the centre of the vertices it moves, and their radius.
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
	/// Error of the initial weights, and of the result.
	supBonesError startError;
	supBonesError error;
	/// RMS error after each batch of helpers: what fewer helpers give and more might. The last steps have more helpers
	/// than the result.
	int32_t stepCount;
	const int32_t* stepHelpers;
	const float* stepErrors;
} supBakedBones;

/// Finds helper bones and weights that reproduce the frames. Alternates sparse convex weights per vertex and a weighted
/// Procrustes fit per helper and frame, as in Smooth Skinning Decomposition with Rigid Bones (Le and Deng 2012). More
/// helpers than requested are added where one more rigid motion explains most of the residual, and the most redundant
/// ones are removed again. Large meshes are solved on a subset of vertices first. Results have the same bits for any
/// number of threads. Returns NULL with an error if memory runs out, frames cannot be read, positions are not finite,
/// or a value is out of range.
SUP_API supBakedBones* supBakeBones( const supBonesDef* def, supError* error );

/// NULL is allowed.
SUP_API void supDestroyBakedBones( supBakedBones* bones );

/// Estimates from the recorded steps how many helpers reach an RMS of `rms`. Returns 0 if no estimate is possible.
SUP_API int32_t supBakedBones_EstimateHelpers( const supBakedBones* bones, float rms );
