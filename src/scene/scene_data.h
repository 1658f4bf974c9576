// SPDX-License-Identifier: MIT
// The scene's data, for the files that own it: scene.c (what is in it) and scene_step.c (how it moves).
#pragma once

#include "scene/attachment.h"
#include "scene/contact.h"
#include "scene/device_crowd.h"

// The most that a step is cut into.
#define MAX_SUBSTEPS 1000

// Actors that are solved together: 1 or SUP_CROWD of the same flesh, from `first` among those awake.
typedef struct Group
{
	int32_t first;
	int32_t count;
} Group;

struct supScene
{
	supSceneDef def;
	// in the order in which they were added, but those of one flesh together
	supActor** actors;
	int32_t actorCount;
	supAttachments attachments;
	supContactWorld* contacts; // NULL before there is anything to touch
	supSceneCrowds crowds;
	supSceneStats stats;
	int64_t addedCount; // actors ever added
	bool hasViewer;
	supViewer viewer;
	uint8_t* scratch; // of each worker so many bytes
	size_t scratchSize;

	// of the step at hand; room for actorCount
	int32_t capacity;
	int32_t awakeCount;
	supActor** awake;    // those whose flesh moves first, of these those that move on the CPU
	int32_t hostCount;   // and how many they are,
	int32_t movingCount; // together with those that move on the device
	supSubstep* steps;
	int32_t groupCount;
	Group* groups;
	// each actor on one thread
	bool across;
	bool touches;
	int32_t pass;
	float dt;
	float weight;
	int32_t substeps;
	int64_t turn; // substeps so far
};
