// SPDX-License-Identifier: MIT
// Two sets of weights for the same vertices and skeleton, side by side: what a person painted and what was computed.
#pragma once

#include "core/arena.h"
#include "supple/character.h"

typedef struct supCompareDef
{
	// The same meshes in the same order, and nodes of `own` first among those of `other`, as supBindCharacter makes it
	// of a character and its own skeleton.
	const supCharacter* own;
	const supCharacter* other;
	// Moments of each clip of `own` at which both are skinned, 0..1000. Default 8.
	int32_t samples;
	// How many of the vertices that differ most are listed, 0..1000. Default 10.
	int32_t worstCount;
	// may be NULL
	const supTasks* tasks;
} supCompareDef;

supCompareDef supDefaultCompareDef( void );

// Weights on one node, over all vertices: shares of the whole.
typedef struct supBoneShare
{
	int32_t node;
	double own;
	double other;
} supBoneShare;

typedef struct supWorstVertex
{
	int32_t instance;
	int32_t vertex;
	float difference;
	supVec3 position;
	// the heaviest of each
	int32_t ownNode;
	int32_t otherNode;
} supWorstVertex;

// Distances between the two skins over a clip, as parts of the size.
typedef struct supClipDifference
{
	int32_t clip;
	double mean;
	double most;
	float worstTime;
	int32_t worstInstance;
	int32_t worstVertex;
} supClipDifference;

typedef struct supWeightsComparison
{
	supArena arena;
	// over all instances
	int32_t vertexCount;
	// first vertex of each instance; instanceCount + 1
	int32_t* vertexStarts;
	// of each vertex half the sum of |own - other| over bones: the share that is on other bones, 0..1
	float* differences;
	double mean;
	double most;
	// bones with any weight, those first whose shares differ most
	int32_t boneCount;
	supBoneShare* bones;
	int32_t worstCount;
	supWorstVertex* worst;
	// the longest side of the bounds at rest, in metres
	float size;
	int32_t clipCount;
	supClipDifference* clips;
	// over all clips; 0 without clips
	double meanDistance;
	double mostDistance;
} supWeightsComparison;

// A mesh that no skin moves counts as bound to the joint that carries it. False and an error where out of memory or
// where the two are not of the same vertices and skeleton.
// - comparison is zero-initialised
bool supCompareWeights( supWeightsComparison* comparison, const supCompareDef* def, supError* error );
void supWeightsComparison_Destroy( supWeightsComparison* comparison );
