// SPDX-License-Identifier: MIT
// Skinning decomposition: the inside of supBakeBones.
//
// Given are vertices over time, v_i(f), and the matrices of fixed bones. Sought are weights w_ib (0 or more, sum 1, few
// per vertex) and rigid matrices of helpers, such that sum_b w_ib M_b(f) x_i comes close to v_i(f) in all frames.
//
//     load        weld vertices, subtract each frame's centroid, vertex-major tracks           decompose_load.c
//     seed        helpers where one more rigid motion explains most of the residual            decompose_seed.c
//     weights     per vertex: Gram matrix of the residuals of candidate bones, then the best   decompose_weights.c
//                 support by swaps and its convex weights
//     transforms  per frame: helpers one after another, each by weighted Procrustes          decompose_transforms.c
//     coarse      the same problem on some of the vertices, for all rounds but the last        decompose_coarse.c
//     run         batches of seeds, pruning, rounds of weights and transforms                  decompose.c
//
// Data layout: tracks are floats x[f], y[f], z[f] per vertex, frames padded to eight with zeros; bones are twelve such
// rows each (column by column of the matrix), padded likewise. Everything is relative to the centroid of its frame, so
// that a character that walks away keeps its digits.
#pragma once

#include "core/arena.h"
#include "supple/decompose.h"

#define SUP_MOST_CANDIDATES 32
#define SUP_MOST_BONE_INFLUENCES 8

typedef struct supDecomposer
{
	const supBonesDef* def;
	supArena arena;
	const supTasks* tasks;

	// welded vertices
	int32_t vertexCount;
	int32_t* places; // given vertex -> welded
	supVec3* rest;
	float* masses; // how many given vertices each stands for
	// neighbours over edges, compressed rows
	int32_t* neighborStarts;
	int32_t* neighbors;
	// starting bones per vertex
	int32_t startInfluences;
	uint16_t* startJoints;
	float* startWeights;
	float size; // of the mesh at rest

	int32_t frameCount;
	int32_t frameStride;
	supVec3* centroids;
	float* tracks;
	// every n-th frame, for weights; the same arrays where n is 1
	int32_t sampleCount;
	int32_t sampleStride;
	int32_t sampleStep;
	float* sampleTracks;

	int32_t fixedCount;
	int32_t helperCount;
	int32_t boneCapacity;
	float* bones;       // boneCapacity * 12 * frameStride
	float* sampleBones; // likewise, or the same
	int32_t* owners;    // per helper: fixed bone or -1
	supVec3* centers;
	float* radii;

	int32_t influences;
	uint16_t* joints;
	float* weights;
	float* lastWeights;
	uint16_t* lastJoints;
	bool withLosses;  // whether weights come with losses
	float* losses;    // per vertex and slot: what removing the bone would cost
	float* residuals; // like tracks: what is left
	float* errors;    // per vertex: sum over frames of squared distance
	float* peaks;     // per vertex: largest squared distance
	// vertices of each helper, compressed rows
	int32_t* memberStarts;
	int32_t* members;
	float* memberWeights;
	float* shares; // scratch, per fixed bone
	float lambda;  // of smoothness, in squared metres times samples
} supDecomposer;

static inline float* supBoneRows( const supDecomposer* d, int32_t bone )
{
	return d->bones + (size_t)bone * 12 * (size_t)d->frameStride;
}

static inline float* supTrack( const supDecomposer* d, int32_t vertex )
{
	return d->tracks + (size_t)vertex * 3 * (size_t)d->frameStride;
}

// How many helpers there are at most on the way: more than wanted, the least useful go again.
int32_t supCountSeeds( const supBonesDef* def );

bool supDecomposer_Load( supDecomposer* d, supError* error );

// Sorts `edges`, pairs of vertices in both directions with the first in the upper half, and fills the neighbours of
// each vertex. False when out of memory.
bool supDecomposer_SetNeighbors( supDecomposer* d, uint64_t* edges, size_t count );

// State, fixed bones and starting weights, once vertices, tracks and neighbours are there. False when out of memory.
bool supDecomposer_Start( supDecomposer* d );

// Up to `most` vertices as far from each other as can be, the first one the farthest from the middle. `distances` is
// scratch, one per vertex. Returns how many.
int32_t supSpreadVertices( const supDecomposer* d, int32_t most, float* distances, int32_t* places );

// The same problem on fewer vertices; *clusterOf gets the coarse vertex of each vertex, NULL where the mesh is too
// small for that. False when out of memory. Destroy the arena of `coarse` in any case.
bool supDecomposer_Coarsen( const supDecomposer* d, supDecomposer* coarse, int32_t** clusterOf );

// Helpers of the coarse problem, and its weights as those to start from.
void supDecomposer_Refine( const supDecomposer* coarse, const int32_t* clusterOf, supDecomposer* d );

// Moves all helpers on from `before` to where they are, by `share` of that way again, with their scale as it is.
void supDecomposer_Extrapolate( supDecomposer* d, const float* before, float share );

// Adds up to `count` helpers where they explain most of the residual, with transforms. Returns how many were added, -1
// when out of memory.
int32_t supDecomposer_Seed( supDecomposer* d, int32_t count );

// New weights for all vertices from the transforms as they are. False when out of memory.
bool supDecomposer_SolveWeights( supDecomposer* d );

// Several sweeps of new transforms of all helpers from the weights as they are. False when out of memory.
bool supDecomposer_SolveTransforms( supDecomposer* d, int32_t sweeps );

// The mean length of the axes of a bone in a frame.
float supGetBoneScale( const supDecomposer* d, int32_t bone, int32_t frame );

// residuals, errors and peaks again; the sum over vertices of mass times error.
double supDecomposer_Evaluate( supDecomposer* d );

// Per helper: owner, center and radius from its members, which are listed again.
void supDecomposer_UpdateHelpers( supDecomposer* d );
