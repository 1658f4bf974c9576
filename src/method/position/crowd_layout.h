// SPDX-License-Identifier: MIT
// What the host and the kernels of a crowd agree on. Compiles as C and as OpenCL C: fields of 4 bytes, doubles first.
#pragma once

#include "supple/math.h"

// Offsets are bytes: into the slot of an actor, whose first part is its state as supPositionFlesh_View lays it out, or
// into the flesh.
typedef struct supCrowdLayout
{
	// six times the volume of the render mesh at rest
	double surfaceVolume;

	uint32_t slotSize;
	int32_t particleCount;
	int32_t boneCount;
	int32_t nodeCount;
	int32_t influences;
	int32_t skinCount;
	int32_t jointCount; // of all skins
	int32_t instanceCount;
	int32_t vertexCount; // of all instances
	int32_t partCount;
	int32_t solidCount;
	int32_t stretchWaveCount;
	int32_t bindWaveCount;
	int32_t volumeWaveCount;
	int32_t bindLaneCount;
	int32_t itemCount;   // constraints of all kinds
	int32_t tetherCount; // floats of a table of tethers
	int32_t isDual;
	int32_t isCompliant;
	int32_t isCompact;
	float edge;
	float surfaceResponse;
	float smoothness;

	// In a slot: the state
	uint32_t positions;
	uint32_t velocities;
	uint32_t predicted;
	uint32_t predictedVelocities;
	uint32_t skinned;
	uint32_t bones;
	uint32_t multipliers;
	uint32_t downs;
	uint32_t anchors;
	uint32_t palette;
	uint32_t bonesBefore;
	uint32_t frames;
	// In a slot: what the last step started from
	uint32_t savedPositions;
	uint32_t savedVelocities;
	uint32_t savedSkinned;
	uint32_t savedBones;
	// In a slot: scratch, and the surface
	uint32_t gradients;
	uint32_t skinFlags; // of the bones, then of each skin: 1 where some joint is stretched
	uint32_t jointMatrices;
	uint32_t jointDuals;
	uint32_t outPositions;
	uint32_t outNormals;

	// In the flesh
	uint32_t rest;
	uint32_t inverseMasses;
	uint32_t reaches;
	uint32_t joints; // the first of all particles, the second of all ..
	uint32_t weights;
	uint32_t boneNodes;
	uint32_t boneInverses;
	uint32_t bindBones;
	uint32_t bindAnchors;
	uint32_t tets;
	uint32_t stretchWaves; // where each begins, and where the last ends
	uint32_t bindWaves;
	uint32_t volumeWaves;
	uint32_t stretchItems;
	uint32_t stretchPoints;
	uint32_t stretchSprings;
	uint32_t bindItems;
	uint32_t bindSprings;
	uint32_t volumeItems;
	uint32_t volumeMasses; // inverse, two in 32 bits; with COMPACT alone
	uint32_t volumePoints;
	uint32_t volumeSprings;
	uint32_t partTriangles;
	uint32_t triangles;
	uint32_t partStarts;
	uint32_t partParticles;
	uint32_t partVolumes;
	uint32_t particleTriangleStarts; // of each entry of partParticles: triangles around it, in their order
	uint32_t particleTriangles;
	uint32_t restPoints;
	uint32_t neighbourStarts;
	uint32_t neighbours; // three weights of the gradient, and which particle
	uint32_t skinJointNodes;
	uint32_t skinInverseBinds;
	uint32_t skinOfJoint;
	uint32_t instances;
	uint32_t meshPositions;
	uint32_t meshNormals;
	uint32_t meshJoints;
	uint32_t meshWeights;
	uint32_t boundPoints;
	uint32_t boundWeights;
	uint32_t boundShares; // of each vertex: part of what the flesh does
	uint32_t indices;
} supCrowdLayout;

// With COMPACT a constraint is one of these (short_float.h), and its particles are in it; otherwise floats, and the
// particles lie in an array of their own.
typedef struct supCrowdShortStretch
{
	uint32_t pair;
	float length;
	uint32_t shares;
	uint32_t hold;
} supCrowdShortStretch;

typedef struct supCrowdShortVolume
{
	uint32_t quad[2];
	float volume;
	uint32_t shareAndReach;
} supCrowdShortVolume;

typedef struct supCrowdStretch
{
	float length, firstShare, secondShare, hold;
} supCrowdStretch;

typedef struct supCrowdBind
{
	float length, share;
	uint32_t lane; // of its anchor
	uint32_t particle;
} supCrowdBind;

typedef struct supCrowdVolume
{
	float volume, share, reach, unused;
	float masses[4]; // inverse
} supCrowdVolume;

// For the compliant kind; masses are inverse.
typedef struct supCrowdStretchSpring
{
	float firstMass, secondMass, compliance;
} supCrowdStretchSpring;

typedef struct supCrowdBindSpring
{
	float mass, compliance;
} supCrowdBindSpring;

typedef enum supCrowdSkinning
{
	sup_crowdRigid,
	sup_crowdLinear,
	sup_crowdDual,
} supCrowdSkinning;

typedef struct supCrowdInstance
{
	int32_t skinning;
	int32_t node; // where it is rigid
	int32_t skin;
	int32_t firstJoint; // of its skin among all
	int32_t influences;
	int32_t isStill; // flesh adds nothing
	int32_t firstVertex;
	int32_t vertexCount;
	int32_t firstSlot; // joints and weights
	int32_t firstIndex;
	int32_t triangleCount;
	int32_t hasNormals;
} supCrowdInstance;

// One substep of one actor.
typedef struct supCrowdJob
{
	uint32_t page;
	uint32_t slot; // of the page
	int32_t iterations;
	float dt;
	float inverseDt;
	// plain stiffness, and what compliances are multiplied with
	float stretch;
	float bind;
	float volume;
	float softness;
	// the part of corrections that a short step takes
	float share;
	float balance;
	float drag;
	float reach;
	int32_t keeps;
	int32_t isExaggerated;
	int32_t tethers; // table
	supVec3 gravity;
	supVec3 wind;
	supVec3 down;
} supCrowdJob;

typedef struct supCrowdResult
{
	float moved;       // m
	int32_t wasTurned; // some tet was inside out in the last iteration
	int32_t inverted;
	int32_t notFinite;
} supCrowdResult;

// Buffers that slots lie in.
#define SUP_CROWD_PAGES 16

// Constants that the C code has elsewhere.
#define SUP_CROWD_REDUCE_BLOCK 4096
