// SPDX-License-Identifier: MIT
// Actors of a scene that are computed on a device.
//
// Where an actor's numbers are: `isOnDevice` says that its slot has the newest state, `isStale` that the block on the
// CPU is older, `arePositionsStale` and `areNormalsStale` the same of the surface. A step on the device leaves all of
// them set; code that needs the block or the surface on the CPU recalls it; code that writes to the block clears them
// (supActor_LeaveDevice).
#pragma once

#include "scene/actor.h"
#include "supple/device.h"

typedef struct supFleshCrowd supFleshCrowd;

typedef struct supSceneCrowds
{
	supDevice* device; // NULL: none, or no longer
	supFleshCrowd* first;
	supDeviceStats stats;
	bool hasError;
	supError error;
} supSceneCrowds;

void supSceneCrowds_Destroy( supSceneCrowds* crowds );

// Room for an actor on the device. Where there is none it stays on the CPU, and the error is kept.
void supSceneCrowds_AddActor( supSceneCrowds* crowds, supActor* actor );
void supSceneCrowds_RemoveActor( supSceneCrowds* crowds, supActor* actor );

// Once the pose of a step is known: is the actor computed on the device in it?
bool supActor_ChooseDevice( supActor* actor, bool touches );

// Brings back what actors have on the device that are not computed there in this step.
void supSceneCrowds_Begin( supSceneCrowds* crowds, supActor** actors, int32_t count );

// Starts a substep of actors that are computed on the device, flesh by flesh; Wait waits for it. False where the device
// has failed: all states are back on the CPU then, those of these actors as they were before the substep.
bool supSceneCrowds_Start( supSceneCrowds* crowds, supActor** actors, const supSubstep* steps, int32_t count,
						   bool isLast, const supTasks* tasks );
bool supSceneCrowds_Wait( supSceneCrowds* crowds, supActor** actors, int32_t count, bool isLast );

// The state and the surface on the CPU are up to date afterwards.
void supActor_Recall( supActor* actor );
void supActor_RecallPositions( supActor* actor );
void supActor_RecallNormals( supActor* actor );

// The block on the CPU has been written to.
void supActor_LeaveDevice( supActor* actor );
